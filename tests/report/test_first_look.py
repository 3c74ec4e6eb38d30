"""How the reading commands read at first sight: several turns, calls of others, odd lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from otel_footprint.cli.main import main
from otel_footprint.report import onecall, tree
from otel_footprint.report.plain import cells
from otel_footprint.trail import Trail, load

from ..trail.builder import Turn, Writer, as_lines, assistant, system, tool, user

EVERYTHING = Path(__file__).parents[1] / "data" / "trail-format-1.jsonl"
MESSAGES = [{"role": "user", "parts": [{"type": "text", "content": "What is the fee?"}]}]
ANSWER = [{"role": "assistant", "parts": [{"type": "text", "content": "It is 19.35."}]}]


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main([*words]) == code
    out, err = capsys.readouterr()
    return out + err


@pytest.fixture
def agents(tmp_path: Path) -> tuple[Path, list[str]]:
    """Two agents of one call each, and the ids of their turns."""
    writer = Writer()
    turns = []
    for name in ("guide", "clerk"):
        turn = Turn(writer, agent=name)
        words = [system("Be brief." * 9), user(f"{name}?")]
        turn.call(words[:1], words[1:], [tool("look", "Looks.")], output=[assistant("Yes.")])
        turn.end()
        turns.append(turn.id)
    file = tmp_path / "trail.jsonl"
    file.write_bytes(as_lines(writer.spans))
    return file, turns


@pytest.fixture
def theirs(tmp_path: Path) -> Any:
    """Writes a trace with one model call of another instrumentation, which has no scope."""

    def write(**attributes: Any) -> str:
        pairs = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-9", **attributes}
        span = {
            "traceId": "ab" * 16, "spanId": "cd" * 8, "name": "chat m-9",
            "startTimeUnixNano": "1", "endTimeUnixNano": "2",
            "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in pairs.items()],
        }  # fmt: skip
        made = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
        file = tmp_path / "theirs.json"
        file.write_text(json.dumps(made))
        return str(file)

    return write


def test_one_call_of_several_turns_says_whose_it_is(
    agents: tuple[Path, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    file, (guide, clerk) = agents
    out = said(capsys, "show", str(file), "--call", f"{clerk}.1")
    assert out.startswith(f"turn {clerk} · clerk\n1  ")
    assert "definition look" not in out  # the piece's own line says that
    assert " registry · look · " in out
    assert max(map(len, out.splitlines())) <= 100
    assert not said(capsys, "show", str(file), guide, "--call", "1").startswith("turn unknown")


def test_two_trails_are_compared_by_names_that_commands_take(
    agents: tuple[Path, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    file, (guide, clerk) = agents
    out = said(capsys, "diff", str(file), str(file))
    assert out.splitlines()[:2] == [f"call {guide}.1 · the same", f"call {clerk}.1 · the same"]
    out = said(capsys, "diff", "--from", str(file), guide, clerk)
    assert out.startswith("call 1 · messages ~1\n")
    assert "\noutput    1 stayed\n" in out


def test_a_call_of_others_is_told_by_its_trace_and_id(
    theirs: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = {"gen_ai.input.messages": MESSAGES, "gen_ai.output.messages": ANSWER}
    file = theirs(**{key: json.dumps(value) for key, value in pairs.items()})
    assert said(capsys, "show", file).startswith("◦ chat m-9 · 0.0 ms · no scope\n")
    out = said(capsys, "why", file)
    assert out.startswith(f"answer of model call {'cd' * 8} · trace {'ab' * 16}")
    assert "recorded by another instrumentation, not by us" in out
    assert f"(there are: {'cd' * 8})" in said(capsys, "why", file, "--call", "1", code=2)
    assert "none of ours is there" in said(capsys, "show", file, "--call", "1", code=2)


def test_calls_of_others_without_messages_are_not_said_to_be_absent(
    theirs: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file = theirs()
    for more in ([], ["--absent", "19.35"]):
        out = said(capsys, "why", file, *more, code=2)
        assert "no model call of this trail holds messages: none were recorded, or they" in out
    pytest.importorskip("jinja2")
    out = said(capsys, "report", file, "-o", f"{file}.html")
    assert ": 1 span of other instrumentations, " in out


@pytest.mark.parametrize("width", [60, 100])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_no_line_of_a_trail_with_everything_is_too_wide(width: int, ascii_only: bool) -> None:
    trail = load(EVERYTHING)
    made = [*tree.render(trail, width, ascii_only=ascii_only)]
    for call in trail.calls:
        made += onecall.render(trail, call, width, ascii_only=ascii_only)
    assert [line for line in made if cells(line) > width] == []


def test_nothing_is_said_to_be_gone_from_a_slot_whose_record_is_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = Writer()
    turn = Turn(writer)
    history = [user("Why?")]
    for answer in ("One.", "Two.", "Three."):
        turn.call([system("Be brief.")], history, output=[assistant(answer)])
        history = [*history, assistant(answer), user(f"And after {answer}")]
    turn.end()
    lost = [s for s in writer.spans if s["name"] == "compose messages"][1]
    spans = [s for s in writer.spans if s is not lost]
    file = tmp_path / "trail.jsonl"
    file.write_bytes(as_lines(spans))
    trail = load(file)
    second, third = trail.diff(1, 2).slot("messages"), trail.diff(1, 3).slot("messages")
    assert (second.pieces, second.unknown, trail.diff(1, 2).same) == ((), 1, False)
    came = [(p.kind, p.text_after) for p in third.pieces]  # records say that these two are new
    assert came == [("added", "Two."), ("added", "And after Two.")]
    assert " · 1 cannot be told\n" in said(capsys, "diff", str(file), "2")
    whole = said(capsys, "show", str(file), "--call", "2")
    assert "messages: 3 pieces\n  messages of call 2: its composition is missing\n" in whole
    for text in ("Why?", "Nothing of it"):
        found = trail.absent(text, 2)
        assert found.what == "it cannot be told whether it was in front of call 2"
        assert found.unread
        assert said(capsys, "why", str(file), "--absent", text, "--call", "2", code=4)
    assert not trail.absent("Nothing of it", 1).unread
    out = said(capsys, "show", str(file))
    assert "  messages of call 3: it is a change to call 2, whose composition is missing\n" in out
    assert "missing: record 6\n" in said(capsys, "verify", str(file), code=2)


def test_what_is_missing_names_calls_as_commands_take_them(
    agents: tuple[Path, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    file, turns = agents
    spans = [span for span in load(file).spans if span.name != "compose system"]
    text = "\n".join(tree.render(Trail(spans)))
    for turn in turns:
        assert f"\n  system of call {turn}.1: its composition is missing" in text
        assert said(capsys, "show", str(file), "--call", f"{turn}.1")


def test_what_the_answer_does_not_hold_is_missing_no_cause(
    agents: tuple[Path, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    file, (guide, _) = agents
    found = load(file).why("77.31", f"{guide}.1").findings[0]
    assert (found.word, found.in_answer) == ("none", False)
    assert found.what == "no piece in front of call 1 carries it"
    assert "the answer does not hold it" in said(
        capsys, "why", str(file), "77.31", "--call", f"{guide}.1"
    )
