"""The Python API: `footprint.read`, and what a call says it saw."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import otel_footprint as footprint
from otel_footprint.errors import SourceError, TrailError

from .builder import Turn, Writer, as_lines, assistant, result, system, tool, user
from .conftest import read


def story(content: str = "full") -> Writer:
    writer = Writer(content=content)
    turn = Turn(writer, agent="support")
    asks = assistant("Let me look.", ("c1", "lookup", '{"order":"A-1"}'))
    turn.call([system("Be kind.")], [user("Why  was I\ncharged?")], [tool("lookup", "Looks.")],
              [asks])  # fmt: skip
    turn.call([system("Be kind.")], [user("Why  was I\ncharged?"), asks, result("c1", "A fee.")],
              [tool("lookup", "Looks.")], [assistant("For a fee.")])  # fmt: skip
    turn.end()
    return writer


def test_a_trail_is_read_by_its_file_and_by_its_turn(tmp_path: Path) -> None:
    path = tmp_path / "trail.jsonl"
    writer = story()
    path.write_bytes(as_lines(writer.spans))
    trail: footprint.Trail = footprint.read(path)
    assert [turn.agent for turn in trail.turns] == ["support"]
    assert repr(trail) == "<trail of 1 turn, 2 calls>"
    assert footprint.read(str(path), trail.turns[0].id).calls[1].number == 2
    with pytest.raises(TrailError):
        footprint.read(path, "ffffffffffffffffffffffffffffffff")
    with pytest.raises(SourceError):
        footprint.read(tmp_path / "absent")


def test_a_call_says_what_it_saw_and_where() -> None:
    first, second = read(story().spans).calls
    assert second.saw("A fee.")
    assert not first.saw("A fee.")
    found = second.saw("A fee.").at
    assert [(f.slot, f.position, f.row.source) for f in found] == [("messages", 2, "tool-result")]
    assert second.saw("why was I") is not None
    assert second.saw("Why was I charged?")  # blanks count as one
    assert second.saw("A-1")  # the arguments of a tool call too
    assert not second.saw("A fee.", source="user")
    assert not second.saw("A fee.", slot="system")
    assert second.saw("Looks.", slot="tools")
    with pytest.raises(ValueError, match="slot="):
        second.saw("x", slot="context")
    with pytest.raises(TrailError, match=r"no slot 'message'.*messages"):
        read(story().spans).diff(1, 2).slot("message")
    with pytest.raises(ValueError, match="empty"):
        second.saw(" ")


def test_the_answer_reads_well_where_an_assertion_fails() -> None:
    second = read(story().spans).calls[1]
    assert repr(second.saw("A fee.")) == "<call 2 saw 'A fee.' in messages[2] (tool-result)>"
    none = repr(second.saw("restocking"))
    assert none == "<call 2 did not see 'restocking': none of 5 pieces has it>"
    assert repr(second).startswith("<call 2 of turn ")
    assert len(repr(second)) < 80


def test_what_cannot_be_read_is_neither_seen_nor_not_seen() -> None:
    first = read(story("none").spans).calls[0]
    with pytest.raises(TrailError, match=r"cannot tell whether call 1 saw 'fee': .*content is off"):
        assert not first.saw("fee")
    lost = [s for s in story().spans if s["name"] != "compose tools"]
    call = read(lost).calls[0]
    assert call.saw("Be kind.")
    with pytest.raises(TrailError, match="cannot tell"):
        bool(call.saw("absent"))


def test_pressure_names_slot_and_call() -> None:
    writer = Writer()
    turn = Turn(writer)
    call = turn.call(
        [system("Be kind.")], [user("a")], attributes={"footprint.slot.system.over": True}
    )
    turn.end()
    trail = read(writer.spans)
    over = [s.slot for s in trail.calls[0].slots.values() if s.over]
    assert [(p.slot, p.state, p.call) for p in trail.pressure] == [(s, "over", call) for s in over]


def test_reading_imports_neither_sdk_nor_frameworks() -> None:
    code = (
        "import sys, otel_footprint; otel_footprint.read;"
        "heavy = ('opentelemetry.sdk', 'openai', 'wrapt');"
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.strip() == b"[]"


def test_a_call_that_is_not_there_is_answered_with_those_that_are(tmp_path: Path) -> None:
    writer = Writer()
    turn = Turn(writer, agent="support")
    for _ in range(12):
        turn.call([], [user("Why?")], [], [assistant("So.")])
    turn.end()
    path = tmp_path / "trail.jsonl"
    path.write_bytes(as_lines(writer.spans))
    with pytest.raises(TrailError, match=r"no call 99 .*1, 2, 3, 4, 5, 6, \.\.\., 12\)"):
        footprint.read(path).call(99)
