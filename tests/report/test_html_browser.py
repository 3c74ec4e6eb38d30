"""The report in Chromium: runs nothing of a trail, asks for nothing, opens what it refers to."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socketserver
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from otel_footprint.report.html import write

from ..trail.conftest import read
from .page import HOSTILE
from .test_html import hostile, long_writer

CHROMIUM = next(
    (p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n))), ""
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium is installed (Debian: chromium)"),
]


class Proxy(socketserver.ThreadingTCPServer):
    """Takes every request of the browser and remembers it."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        self.seen: list[str] = []
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        with contextlib.suppress(OSError):
            self.server.seen.append(self.rfile.readline().decode("latin-1"))  # type: ignore[attr-defined]


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    server = Proxy()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def dom(html: Path, tmp_path: Path, proxy: Proxy | None = None, *options: str) -> str:
    """The page as the browser has it after its scripts ran."""
    port = f"127.0.0.1:{proxy.server_address[1]}" if proxy else "127.0.0.1:1"
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        f"--user-data-dir={tmp_path / 'profile'}", "--no-first-run", "--disable-component-update",
        "--disable-background-networking", "--disable-sync", f"--proxy-server=http://{port}",
        "--proxy-bypass-list=<-loopback>", "--virtual-time-budget=4000", *options,
        "--dump-dom", html.as_uri(),
    ]  # fmt: skip
    env = {**os.environ, "HOME": str(tmp_path), "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
    done = subprocess.run(command, capture_output=True, timeout=120, check=True, env=env)
    return done.stdout.decode("utf-8", "replace")


def report(path: Path, spans: list[dict[str, object]]) -> str:
    with path.open("w", encoding="utf-8") as out:
        write(read(spans), out)
    return path.read_text("utf-8")


def without_policy(html: str) -> str:
    return re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", html)


@pytest.mark.parametrize("policy", ["with its policy", "escaping alone"])
def test_a_hostile_trail_runs_nothing_and_asks_for_nothing(
    tmp_path: Path, proxy: Proxy, policy: str
) -> None:
    path = tmp_path / "hostile.html"
    html = report(path, hostile().spans)
    if policy == "escaping alone":
        path.write_text(without_policy(html), "utf-8")
    seen = dom(path, tmp_path, proxy)
    assert "data-owned=" not in seen
    assert "evil.invalid" in seen  # as text
    assert [line for line in proxy.seen if "evil" in line] == []


def test_the_harness_notices_what_runs(tmp_path: Path, proxy: Proxy) -> None:
    path = tmp_path / "unsafe.html"
    stays = re.sub(r"<meta[^>]*>", "", HOSTILE)
    path.write_text(f"<!doctype html><meta charset=utf-8><body>{stays}", "utf-8")
    assert 'data-owned="1"' in dom(path, tmp_path, proxy)
    assert [line for line in proxy.seen if "evil" in line] != []


OPEN_ALL = """
<script>
addEventListener("load", async () => {
  const later = () => new Promise((done) => setTimeout(done, 50));
  const last = document.querySelectorAll("article.call");
  const call = last[last.length - 1];
  for (let round = 0; round < 3; round++) {
    call.querySelectorAll("details").forEach((each) => { each.open = true; });
    await later();
  }
  const says = (pick) => Array.from(call.querySelectorAll(pick), (e) => e.textContent);
  const doubled = Array.from(document.querySelectorAll("[id]"), (e) => e.id);
  document.body.replaceChildren();
  const out = document.createElement("pre");
  out.textContent = JSON.stringify({
    pieces: says(".slot[id$=-messages] .all .pieces > li > details > summary .place"),
    texts: says(".slot[id$=-messages] .all .pieces pre").map((t) => t.trim()),
    system: says(".slot[id$=-system] .all .pieces pre").map((t) => t.trim()),
    doubled: doubled.length - new Set(doubled).size,
  });
  document.body.append(out);
});
</script>
"""


def test_every_piece_of_the_last_call_opens_with_its_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import html as escapes
    import json

    monkeypatch.setattr("otel_footprint.report.html.slots.DIRECT", 10)
    path = tmp_path / "long.html"
    html = without_policy(report(path, long_writer(30).spans))
    path.write_text(html.replace("</body>", OPEN_ALL + "</body>"), "utf-8")
    (found,) = re.findall(r"<pre>(\{.*?\})</pre>", dom(path, tmp_path), re.DOTALL)
    made = json.loads(escapes.unescape(found))
    assert made["pieces"] == [str(n) for n in range(1, 60)]
    expected = ["Why?"] + [t for n in range(29) for t in (f"Step {n}.", f"And {n}?")]
    assert made["texts"] == expected
    assert made["system"] == ["Be kind."]
    assert made["doubled"] == 0


def test_it_fits_a_narrow_and_a_wide_window(tmp_path: Path) -> None:
    measure = """<script>addEventListener("load", () => {
      document.documentElement.dataset.fits = document.documentElement.scrollWidth <= innerWidth;
    })</script></body>"""
    path = tmp_path / "fits.html"
    for writer in (hostile(), long_writer(5)):
        html = without_policy(report(path, writer.spans)).replace("</body>", measure)
        path.write_text(html, "utf-8")
        for width in (400, 1400):
            assert 'data-fits="true"' in dom(path, tmp_path, None, f"--window-size={width},900")
