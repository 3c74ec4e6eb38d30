"""Whole processes: a receiver that goes away and comes back, and a process that is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from otel_footprint.trail import load

from . import kit

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 30.0
"""Seconds after which a test gives up waiting."""


class Receiver:
    """An OTLP/HTTP receiver that keeps what it takes; while it is away nothing gets through.

    A request that comes in while it is away hangs until it is back, and is then refused.
    """

    def __init__(self) -> None:
        self.taken: list[dict[str, Any]] = []
        self.largest = 0
        self.refused = 0
        self._here = threading.Event()
        self._here.set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["content-length"]))
                self.send_response(outer._took(data))
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                """Nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _took(self, data: bytes) -> int:
        if not self._here.is_set():
            self.refused += 1
            self._here.wait(PATIENCE)
            return 400
        self.largest = max(self.largest, len(data))
        request = ExportTraceServiceRequest.FromString(data)
        self.taken.append(MessageToDict(request))
        return 200

    def leave(self) -> None:
        self._here.clear()

    def come_back(self) -> None:
        self._here.set()

    def close(self) -> None:
        self._here.set()
        self._server.shutdown()
        self._server.server_close()


class Child:
    """A recording process; see `tests/losses/child.py`."""

    def __init__(self, kind: str, target: str, bodies: Path, **env: str) -> None:
        self._bodies = bodies
        kept = {k: v for k, v in os.environ.items() if not k.startswith("OTEL_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.losses.child", kind, target, str(bodies)],
            cwd=ROOT,
            env={**kept, "OTEL_FOOTPRINT_RAISE": "1", **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def tell(self, word: str) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        if word != "end":
            assert self.process.stdout.readline() == "done\n"

    @property
    def bodies(self) -> list[bytes]:
        return self._bodies.read_bytes().splitlines()

    def close(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()


@pytest.mark.slow
def test_a_receiver_that_is_away_in_mid_run(receiver: Receiver, tmp_path: Path) -> None:
    child = Child(
        "endpoint",
        receiver.url,
        tmp_path / "bodies",
        OTEL_BSP_MAX_QUEUE_SIZE="64",
        OTEL_BSP_MAX_EXPORT_BATCH_SIZE="16",
        OTEL_BSP_SCHEDULE_DELAY="600000",
    )
    try:
        child.tell("say 10")
        child.tell("flush")
        receiver.leave()
        child.tell("say 60")
        receiver.come_back()
        child.tell("flush")
        child.tell("say 10")
        child.tell("flush")
        child.tell("end")
        assert child.process.wait(PATIENCE) == 0
        bodies = child.bodies
    finally:
        child.close()
    assert receiver.refused
    file = tmp_path / "trail.jsonl"
    file.write_text("".join(json.dumps(request) + "\n" for request in receiver.taken))
    trail = load(file)
    assert not trail.problems
    calls = {call.number: call for call in trail.calls}
    assert len(bodies) == 80
    for number in (*range(1, 11), *range(71, 81)):
        kit.assert_rebuilt(trail, calls[number], bodies[number - 1])
    done = {
        n: kit.assert_whole_or_named(trail, call, bodies[n - 1])
        for n, call in calls.items()
        if 10 < n <= 70
    }
    assert not all(done.values()) or len(done) < 60
    (turn,) = trail.turns
    assert not turn.open
    assert turn.lost
    missing = trail.missing_records(turn.ledgers[0])
    assert len(missing) > 40
    assert [g.kind for g in turn.gaps] == ["records"]
    assert trail.check(turn.ledgers[0]).state == "incomplete"


@pytest.mark.slow
def test_a_killed_process_leaves_a_trail_that_is_open(tmp_path: Path) -> None:
    """SIGKILL one flush interval after the third call, with the default batch processor."""
    file = tmp_path / "trail.jsonl"
    child = Child("file", str(file), tmp_path / "bodies")
    try:
        child.tell("say 3")
        deadline = time.monotonic() + PATIENCE
        while not file.exists() or file.read_text().count('"chat gpt-4o-mini"') < 3:
            assert time.monotonic() < deadline, "the third call was not written"
            time.sleep(0.02)
        child.process.send_signal(signal.SIGKILL)
        assert child.process.wait(PATIENCE) == -signal.SIGKILL
        bodies = child.bodies
    finally:
        child.close()
    trail = load(file)
    assert not trail.problems
    (turn,) = trail.turns
    assert turn.open
    assert turn.id == "turn-of-the-child"
    for call, body in zip(trail.calls, bodies, strict=True):
        kit.assert_rebuilt(trail, call, body)
    assert trail.check(turn.ledgers[0]).state == "open"
    shown = subprocess.run(
        [sys.executable, "-m", "otel_footprint.cli.main", "show", str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert shown.returncode == 0, shown.stderr
    assert "open" in shown.stdout
    assert shown.stdout.count("gpt-4o-mini") >= 3
