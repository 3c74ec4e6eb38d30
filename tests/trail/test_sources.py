"""A trail is found wherever it lies: files, folders, standard input; by any of its ids."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from otel_footprint.cli.main import main
from otel_footprint.errors import SourceError, TrailError
from otel_footprint.trail import Trail
from otel_footprint.trail.sources import NEWEST, open_source

from .builder import Turn, Writer, as_lines, assistant, system, user
from .conftest import LONG, story
from .otlpjson import document


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Writer, Writer]:
    """A folder with a trace in each of two files, of a turn each."""
    first, second = Writer(1), Writer(2)
    second.now = first.now + 10**12
    story(first)
    story(second)
    (tmp_path / "a.jsonl").write_bytes(as_lines(first.spans))
    (tmp_path / "b.json.gz").write_bytes(gzip.compress(json.dumps(document(second.spans)).encode()))
    (tmp_path / "notes.txt").write_text("not a trail")
    (tmp_path / ".hidden.json").write_text("{")
    return tmp_path, first, second


def turn_of(writer: Writer) -> str:
    return next(
        a["value"]["stringValue"]
        for s in writer.spans
        for a in s["attributes"]
        if a["key"] == "footprint.turn.id"
    )


def whole(trail: Trail) -> bool:
    return not trail.problems and all(trail.rebuild(c).text is not None for c in trail.calls)


def test_a_folder_is_one_trail_and_a_trace_of_it_another(
    two: tuple[Path, Writer, Writer],
) -> None:
    folder, first, second = two
    everything = open_source(folder)
    assert len(everything.turns) == len(everything.asked) == 2
    assert whole(everything)
    for writer in (first, second):
        turn = turn_of(writer)
        for which in (writer.trace, writer.trace.upper(), writer.trace[:9], turn, turn[:9]):
            trail = open_source([str(folder / "a.jsonl"), folder / "b.json.gz"], which)
            assert [t.id for t in trail.asked] == [turn]
            assert {s.trace_id for s in trail.spans} == {writer.trace}
            assert whole(trail)
    assert [t.id for t in open_source(folder, NEWEST).asked] == [turn_of(second)]


def test_an_open_file_is_a_source(two: tuple[Path, Writer, Writer]) -> None:
    _, first, _ = two
    assert whole(open_source(io.BytesIO(as_lines(first.spans)), first.trace))


def test_what_is_not_there_is_said(two: tuple[Path, Writer, Writer], tmp_path: Path) -> None:
    folder, _, _ = two
    with pytest.raises(TrailError, match="no turn or trace 'nothing'"):
        open_source(folder, "nothing")
    with pytest.raises(SourceError, match="No such file"):
        open_source(folder / "none")
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(SourceError, match=r"no file in it ends in .json"):
        open_source(empty)
    with pytest.raises(SourceError, match="no source is named"):
        open_source([])
    with pytest.raises(TrailError, match="no span is in this source"):
        open_source(io.BytesIO(b""), NEWEST)


@pytest.mark.parametrize("word", ["a" * 300, "a" * 5000, "a\0b"], ids=["300", "5000", "nul"])
@pytest.mark.parametrize("command", ["show", "diff"])
def test_a_word_that_can_be_no_path_is_an_id(
    two: tuple[Path, Writer, Writer], command: str, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, str(two[0]), word]) == 2
    assert "no turn or trace" in capsys.readouterr().err


def test_a_beginning_that_fits_several_ids_is_refused(tmp_path: Path) -> None:
    spans: list[dict[str, Any]] = []
    for seed, id_ in ((1, "refund-1"), (2, "refund-2")):
        writer = Writer(seed)
        turn = Turn(writer, id_=id_)
        turn.call([], [user("a")])
        turn.end()
        spans += writer.spans
    path = tmp_path / "trail.jsonl"
    path.write_bytes(as_lines(spans))
    with pytest.raises(TrailError, match="several ids: turn refund-1, turn refund-2"):
        open_source(path, "refund")
    assert [t.id for t in open_source(path, "refund-2").asked] == ["refund-2"]


def test_earlier_traces_of_the_conversation_come_along_or_are_named(tmp_path: Path) -> None:
    first, second = Writer(1), Writer(2)
    turn = Turn(first, conversation="c")
    turn.call([system(LONG)], [user("a")])
    turn.end()
    second.written, later = first.written, Turn(second, conversation="c")
    later.call([system(LONG)], [user("a"), assistant("b"), user("c")])
    later.end()
    span = next(s for s in second.spans if s["name"] == "compose system")
    span["links"] = [{"traceId": first.trace, "spanId": turn.span_id, "attributes": [
        {"key": "footprint.link.type", "value": {"stringValue": "text"}}]}]  # fmt: skip
    path = tmp_path / "trail.jsonl"
    path.write_bytes(as_lines(first.spans + second.spans))
    both = open_source(path, second.trace)
    assert [t.id for t in both.asked] == [turn_of(second)]
    assert len(both.turns) == 2
    assert len(both.roots) == 1
    assert whole(both)
    assert both.call(1).trace_id == second.trace
    assert not both.gaps
    path.write_bytes(as_lines(second.spans))
    alone = open_source(path, second.trace)
    assert alone.gaps[0].kind == "trace"
    assert first.trace in alone.gaps[0].what


def test_one_turn_of_a_trace_is_shown_alone(tmp_path: Path) -> None:
    writer = Writer()
    story(writer, turns=3)
    path = tmp_path / "trail.jsonl"
    path.write_bytes(as_lines(writer.spans))
    turns = open_source(path).turns
    one = open_source(path, turns[1].id)
    assert [t.id for t in one.asked] == [turns[1].id]
    assert [getattr(n.item, "id", "") for n in one.roots] == [turns[1].id]
    assert one.call(2).turn == turns[1].id
    assert whole(one)


def test_show_takes_ids_files_and_the_environment(
    two: tuple[Path, Writer, Writer],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder, first, second = two
    own, other = turn_of(first), turn_of(second)
    for arguments in (
        ["--from", str(folder), own],
        ["--from", str(folder / "a.jsonl"), "--from", str(folder / "b.json.gz"), first.trace[:12]],
        [str(folder), own],
        [str(folder / "a.jsonl")],
    ):
        assert main(["show", *arguments]) == 0
        out = capsys.readouterr().out
        assert own in out
        assert other not in out
    monkeypatch.setenv("OTEL_FOOTPRINT_FROM", str(folder))
    assert main(["show", "newest"]) == 0
    assert other in capsys.readouterr().out
    for wrong in (["--from", str(folder), "nope\x1b[2J"], ["--from", str(folder), own, other]):
        assert main(["show", *wrong]) == 2
        err = capsys.readouterr().err
        assert err.startswith("otel-footprint show: ")
        assert "\x1b" not in err
