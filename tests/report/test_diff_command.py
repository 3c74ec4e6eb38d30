"""The command `diff`: how calls and traces are named, exit codes, JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from otel_footprint.cli.main import main

from ..trail.builder import as_lines
from ..trail.test_compare import story


@pytest.fixture
def trail(tmp_path: Path) -> str:
    path = tmp_path / "trail.jsonl"
    path.write_bytes(as_lines(story().spans))
    return str(path)


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main(["diff", *words]) == code
    out, err = capsys.readouterr()
    return out if code == 0 else err


def test_two_calls_by_number_and_by_id(trail: str, capsys: pytest.CaptureFixture[str]) -> None:
    by_number = said(capsys, trail, "1", "3")
    assert by_number.startswith("call 1 → call 3")
    id_ = json.loads(said(capsys, trail, "1", "3", "--json"))["after"]["id"]
    assert said(capsys, trail, "1", id_) == by_number
    assert said(capsys, "--from", trail, "1", "3") == by_number
    assert said(capsys, "1", "3", "--from", trail) == by_number


def test_one_call_is_compared_with_the_one_before(
    trail: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(capsys, trail, "3") == said(capsys, trail, "2", "3")


def test_two_files_are_compared_call_by_call(
    trail: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = story()
    other = tmp_path / "other.jsonl"
    text = as_lines(writer.spans).replace(b"In the EU.", b"In the US.")
    other.write_bytes(text)
    out = said(capsys, trail, str(other))
    assert out.splitlines()[:2] == ["call 1 · the same", "call 2 · the same"]
    made = json.loads(said(capsys, trail, trail, "--json"))
    assert [diff["same"] for diff in made["calls"]] == [True, True, True]
    assert said(capsys, trail, trail, "2", "3").startswith("call 2 → call 3")


def test_wrong_use_is_named_and_exits_2(trail: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "name one call or two" in said(capsys, trail, code=2)
    assert "no call 9" in said(capsys, trail, "1", "9", code=2)
    assert "is the first of its turn" in said(capsys, trail, "1", code=2)
    assert "two calls at a time" in said(capsys, trail, "1", "2", "3", code=2)
    assert "No such file" in said(capsys, "absent.jsonl", "1", "2", code=2)


def test_what_could_not_be_read_exits_1(trail: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(trail)
    path.write_bytes(path.read_bytes() + b'{"resourceSpans":[\n')
    assert "could not read line" in said(capsys, trail, "1", "3", code=1)


def test_ascii_and_colour_are_chosen(trail: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, trail, "1", "3", "--ascii").isascii()
    assert "\x1b[" in said(capsys, trail, "1", "3", "--color", "always")
    assert "\x1b[" not in said(capsys, trail, "1", "3")
