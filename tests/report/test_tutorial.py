"""The tutorial of the README: its commands run, and what it says that they print they print."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

pytest.importorskip("openai")
pytest.importorskip("jinja2")

from otel_footprint.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
HEADING = "## Five minutes: from the wrong answer to its cause"


class Step(NamedTuple):
    """A command and lines of what it prints, in order; `...` stands for anything."""

    command: str
    lines: list[str]


def steps() -> list[Step]:
    text = (ROOT / "README.md").read_text("utf-8").split(HEADING, 1)[1].split("\n## ", 1)[0]
    out: list[Step] = []
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                out.append(Step(line[2:], []))
            else:
                out[-1].lines.append(line)
    return out


def run(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """The demo in a process of its own, since it sets a provider; all others here."""
    if words[0] != "demo":
        code = main(words)
        out, err = capsys.readouterr()
        return code, out, err
    done = subprocess.run(
        [sys.executable, "-m", "otel_footprint.cli.main", *words],
        capture_output=True, encoding="utf-8", check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_it_leads_from_the_wrong_answer_to_the_planted_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    found = steps()
    commands = [step.command.split()[1] for step in found]
    assert commands == ["demo", "why", "diff", "show", "rebuild", "verify", "report"]
    for step in found:
        line, _, file = step.command.partition(" > ")
        code, out, err = run(shlex.split(line)[1:], capsys)
        assert code == 0, (step.command, err)
        if file:
            Path(file).write_text(out, "utf-8")
        printed = iter((out + err).splitlines())
        for expected in step.lines:
            pattern = ".*?".join(map(re.escape, expected.strip().split("...")))
            assert any(re.search(pattern, p) for p in printed), (step.command, expected)
    assert "page of March last year" in Path("request.json").read_text("utf-8")
    assert "page of March last year" in Path("trail.html").read_text("utf-8")
