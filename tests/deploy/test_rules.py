"""The rule files and their runbooks are current and whole."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from deploy.rules.__main__ import main
from deploy.rules.alerts import ALERTS
from deploy.rules.files import FILES, FOLDER, text
from otel_footprint.cli.main import parser

RUNBOOKS = FOLDER.parent / "runbooks"


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_file_is_current(path) -> None:
    assert path.read_text(encoding="utf-8") == text(FILES[path]), "run `python -m deploy.rules`"


def test_every_alert_has_a_page_that_says_what_to_look_at_and_what_to_run() -> None:
    assert {p.stem for p in RUNBOOKS.glob("*.md")} == {a.page for a in ALERTS}
    for alert in ALERTS:
        page = (RUNBOOKS / f"{alert.page}.md").read_text(encoding="utf-8")
        assert page.startswith(f"# {alert.name}\n")
        for part in ("## What it means", "## Look at", "## Run", "## Then"):
            assert part in page, alert.page
        commands = re.findall(r"^otel-footprint ([^#\n]+)", page, re.MULTILINE)
        assert commands, f"{alert.page} runs nothing"
        for command in commands:
            parser().parse_args(shlex.split(command))  # exits when it is not one of ours


def test_links_lead_to_where_you_say(tmp_path: Path) -> None:
    def written(*arguments: str) -> list[str]:
        main([*arguments, "--to", str(tmp_path)])
        texts = [(tmp_path / path.name).read_text(encoding="utf-8") for path in FILES]
        return [url for said in texts for url in re.findall(r"runbook_url: '(.+)'", said)]

    pages = [f"{alert.page}.md" for _ in FILES for alert in ALERTS]
    assert written() == [f"http://localhost:9098/{page}" for page in pages]
    base = "https://wiki.example/agents"
    assert written("--runbooks", base) == [f"{base}/{page}" for page in pages]
    assert written("--runbooks", f"{base}/") == [f"{base}/{page}" for page in pages]


def test_a_base_that_is_no_address_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--runbooks", "wiki/agents"])
    assert "is no http:// or https:// URL" in capsys.readouterr().err


def test_no_alert_has_the_name_of_another() -> None:
    assert len({a.name for a in ALERTS}) == len({a.page for a in ALERTS}) == len(ALERTS)
