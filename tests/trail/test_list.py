"""Turns are listed while a file is read: at once, whole, in any order, and narrowed down."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import Any

import pytest

from otel_footprint.cli.main import main
from otel_footprint.trail import Problem
from otel_footprint.trail.files import read
from otel_footprint.trail.light import WANTED, light
from otel_footprint.trail.otlp import records
from otel_footprint.trail.overview import Overview
from otel_footprint.trail.sources import source_of
from otel_footprint.trail.sources.listing import EVERY, Filter

from .backends import jaeger, serving, tempo
from .builder import Turn, Writer, as_lines, user
from .conftest import story


def mixed() -> list[dict[str, Any]]:
    """Turns of several kinds, in a trace each: quiet, failed, under pressure, open, not ours."""
    spans: list[dict[str, Any]] = []
    for seed, kind in enumerate(("quiet", "failed", "pressed", "open", "tool"), 1):
        writer = Writer(seed)
        writer.now += seed * 3_600 * 10**9
        turn = Turn(writer, agent=kind, conversation=f"c{seed % 2}", text=f"Why {kind}?", id_=kind)
        over = {"footprint.slot.messages.over": True} if kind == "pressed" else {}
        error = {"error.type": "RateLimitError"} if kind == "failed" else {}
        turn.call([], [user("a")], attributes=over | error)
        turn.tool("look", "c1", "{}", "found", error="ValueError" if kind == "tool" else "")
        turn.call([], [user("a"), user("b")])
        if kind != "open":
            turn.end("error" if kind == "failed" else "completed")
        spans += writer.spans
    other = Writer(9)
    root = other.span("GET /answer", scope="web")
    other.span("chat m", root, {"gen_ai.operation.name": "chat"}, scope="other")
    return spans + other.spans


def listed(spans: list[dict[str, Any]], narrowed: Filter = EVERY) -> dict[str, Any]:
    found = source_of(io.BytesIO(as_lines(spans))).turns(narrowed, None)
    return {t.turn or t.agent: t for t in found if not isinstance(t, Problem)}


def test_each_turn_is_told_with_what_went_wrong() -> None:
    turns = listed(mixed())
    assert list(turns) == ["quiet", "failed", "pressed", "tool", "open", "GET /answer"]
    quiet = turns["quiet"]
    assert (quiet.agent, quiet.conversation, quiet.text) == ("quiet", "c1", "Why quiet?")
    assert (quiet.outcome, quiet.calls, quiet.errors, quiet.pressure) == ("completed", 2, (), ())
    assert (quiet.missing, quiet.foreign) == (0, False)
    assert turns["failed"].errors == ("RateLimitError",)
    assert turns["failed"].outcome == "error"
    assert turns["tool"].errors == ("ValueError",)
    assert turns["pressed"].pressure == ("messages over",)
    assert turns["open"].outcome == ""
    other = turns["GET /answer"]
    assert (other.foreign, other.calls, other.turn) == (True, 1, "")


def test_a_verdict_in_a_trace_of_its_own_is_no_turn() -> None:
    later = Writer(11)
    later.span("feedback", attributes={"footprint.turn.id": "quiet"})
    assert list(listed(mixed() + later.spans)) == list(listed(mixed()))


def test_the_order_of_spans_and_copies_of_them_change_nothing() -> None:
    spans = mixed()
    wanted = {k: (t.calls, t.errors, t.pressure, t.missing) for k, t in listed(spans).items()}
    for seed in range(5):
        again = spans + spans
        random.Random(seed).shuffle(again)
        found = source_of(io.BytesIO(as_lines(again))).turns(EVERY, None)
        turns = [t for t in found if not isinstance(t, Problem)]
        assert len(turns) == len(wanted)
        for t in turns:
            name = t.turn or t.agent
            assert (t.calls, t.errors, t.pressure, t.missing) == wanted[name]


def test_what_is_lost_of_a_turn_is_counted() -> None:
    spans = [s for s in mixed() if s["name"] != "execute_tool look"]
    turns = listed(spans)
    assert {t.missing for n, t in turns.items() if n not in ("open", "GET /answer")} == {1}
    assert turns["open"].missing == 1


def test_a_turn_is_told_before_the_next_line_is_read() -> None:
    spans = mixed()
    first = [s for s in spans if s["traceId"] == spans[0]["traceId"]]

    class Reluctant(io.RawIOBase):
        """Gives the first turn, and then nothing more without being asked again."""

        def __init__(self) -> None:
            self.given = [as_lines(first) + b" " * (1 << 18), as_lines(spans[len(first) :])]

        def read(self, size: int = -1) -> bytes:
            return self.given.pop(0) if self.given else b""

    slow = Reluctant()
    turns = source_of(slow).turns(EVERY, None)  # type: ignore[arg-type]
    assert getattr(next(turns), "turn", "") == "quiet"
    assert len(slow.given) == 1


@pytest.mark.parametrize(
    ("narrowed", "names"),
    [
        (Filter(agent="failed"), ["failed"]),
        (Filter(conversation="c0"), ["failed", "open"]),
        (Filter(error=True), ["failed", "tool"]),
        (Filter(pressure=True), ["pressed"]),
        (Filter(error=True, conversation="c1"), ["tool"]),
        (Filter(since=1_796_000_000_000_000_000 + 4 * 3_600 * 10**9), ["tool", "open"]),
        (Filter(until=1_796_000_000_000_000_000 + 90 * 60 * 10**9), ["quiet", "GET /answer"]),
    ],
)
def test_lists_are_narrowed_down(narrowed: Filter, names: list[str]) -> None:
    assert list(listed(mixed(), narrowed)) == names


@pytest.mark.parametrize("kind", [jaeger, tempo])
def test_backends_are_listed_trace_by_trace_the_newest_first(kind: Any) -> None:
    with serving(kind(mixed())) as url:
        found = list(source_of(url).turns(EVERY, None))
        assert [getattr(t, "turn", "") for t in found] == [
            "tool", "open", "pressed", "failed", "quiet",
        ]  # fmt: skip
        narrowed = source_of(url).turns(Filter(agent="failed", error=True), 10)
        assert [getattr(t, "turn", "") for t in narrowed] == ["failed"]


def test_the_command_prints_lines_and_names_what_it_could_not_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    path = tmp_path / "trail.jsonl"
    path.write_bytes(as_lines(mixed()))
    assert main(["show", "--list", "--from", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 7
    assert lines[2].startswith("failed ")
    assert "error RateLimitError" in lines[2]
    assert "“Why failed?”" in lines[2]
    assert main(["show", "--list", str(path), "--error", "--ascii", "--limit", "1"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    path.write_bytes(as_lines(mixed()) + b'{"resourceSpans"\n')
    assert main(["show", "--list", str(path)]) == 1
    count = len(mixed()) + 1
    assert f"trail.jsonl:{count}: not JSON" in capsys.readouterr().err
    assert main(["show", "--list", str(path), "--agent", "nobody"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "no turn fits" in err
    assert "not JSON" in err


@pytest.mark.parametrize(
    "wrong",
    [["--since", "yesterday"], ["--limit", "0"], ["some-id"], ["--until", "2026-13-01"]],
)
def test_wrong_narrowing_exits_2(
    wrong: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "trail.jsonl"
    path.write_bytes(as_lines(mixed()))
    try:
        code = main(["show", "--list", "--from", str(path), *wrong])
    except SystemExit as error:
        code = int(str(error.code))
    assert code == 2
    assert wrong[-1].split("=")[0] in capsys.readouterr().err


def test_times_are_ago_or_iso() -> None:
    from otel_footprint.cli.turns import moment

    assert moment(None) is None
    assert moment("2026-01-31T12:00:00Z") == moment("2026-01-31 12:00") == 1769860800 * 10**9
    assert moment("2026-01-31T13:00+01:00") == 1769860800 * 10**9
    hours, days = moment("2h"), moment("1d")
    assert hours is not None
    assert days is not None
    assert 21 * 3_600 * 10**9 < hours - days < 23 * 3_600 * 10**9


def test_reading_little_of_each_span_says_the_same(writer: Writer) -> None:
    """The light reader leaves out, and changes nothing of what it keeps."""
    story(writer, turns=2)
    data = as_lines([*writer.spans, *mixed()])
    whole, few = (list(read(io.BytesIO(data), decode)) for decode in (records, light))
    assert len(whole) == len(few)
    for a, b in zip(whole, few, strict=True):
        assert not isinstance(a, Problem)
        assert not isinstance(b, Problem)
        assert (a.trace_id, a.span_id, a.name, a.scope) == (b.trace_id, b.span_id, b.name, b.scope)
        assert b.attributes == {k: v for k, v in a.attributes.items() if k in WANTED}
    told = []
    for arrived in (whole, few):
        overview = Overview()
        found = [t for r in arrived for t in overview.add(r)]  # type: ignore[arg-type]
        told.append([*found, *overview.rest()])
    assert told[0] == told[1]
