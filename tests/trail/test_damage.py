"""Bad input: the reader never raises and keeps what is whole; commands name what they lost."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from otel_footprint.cli.main import main
from otel_footprint.report import tree
from otel_footprint.trail import Log, Problem, Span, load, read
from otel_footprint.trail.overview import Overview
from otel_footprint.trail.sources import index, open_source, paths
from otel_footprint.trail.verify import verify
from tests.quick import examples, sampled

from .damage import CORPUS, DAMAGES, HOSTILE, Line, as_bytes, in_one, poisoned

CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
NAMES = sorted(CORPUS)


def found_in(data: bytes) -> tuple[list[Span], list[Log], list[Problem]]:
    everything = list(read(io.BytesIO(data)))
    spans = [r for r in everything if isinstance(r, Span)]
    logs = [r for r in everything if isinstance(r, Log)]
    return spans, logs, [r for r in everything if isinstance(r, Problem)]


def count(line: Line) -> int:
    spans, logs, _ = found_in(json.dumps(line).encode())
    return len(spans) + len(logs)


def whole_lines(data: bytes) -> int:
    """How many spans and log records a plain parse of every line gives."""
    out = 0
    for line in data.split(b"\n"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        out += count(value) if isinstance(value, dict) else 0
    return out


def everything_holds(data: bytes) -> None:
    """All that reads a trail takes it, prints no control character, and answers."""
    trail = load(io.BytesIO(data))
    for line in tree.render(trail):
        assert not CONTROL.search(line)
        line.encode()
    verify(trail)
    for call in trail.calls:
        trail.rebuild(call)
    overview = Overview()
    for record in read(io.BytesIO(data)):
        if not isinstance(record, Problem):
            list(overview.add(record))
    list(overview.rest())


@settings(max_examples=examples(40), deadline=None)
@given(st.data())
def test_lines_cut_at_any_byte_give_what_is_whole(data: st.DataObject) -> None:
    raw = as_bytes(CORPUS[data.draw(st.sampled_from(NAMES))])
    at = data.draw(st.integers(0, len(raw)))
    spans, logs, problems = found_in(raw[:at])
    assert len(spans) + len(logs) >= whole_lines(raw[:at])
    rest = raw[:at].rpartition(b"\n")[2]
    if rest and not whole_lines(rest):
        assert [p.line for p in problems] == [raw[:at].count(b"\n") + 1] * len(problems)
        assert problems
    everything_holds(raw[:at])


@settings(max_examples=examples(40), deadline=None)
@given(st.data())
def test_documents_cut_at_any_byte_give_the_spans_before(data: st.DataObject) -> None:
    lines = CORPUS[data.draw(st.sampled_from(NAMES))]
    raw = in_one(lines, data.draw(st.sampled_from([None, 1])))
    at = data.draw(st.integers(1, len(raw) - 1))
    spans, logs, problems = found_in(raw[:at])
    assert problems or not raw[:at].strip()
    earlier = data.draw(st.integers(0, at))
    before = found_in(raw[:earlier])
    assert len(spans) + len(logs) >= len(before[0]) + len(before[1])
    everything_holds(raw[:at])


@settings(max_examples=examples(25), deadline=None)
@given(st.data())
def test_gzip_cut_at_any_byte_gives_what_was_unpacked(data: st.DataObject) -> None:
    raw = gzip.compress(as_bytes(CORPUS[data.draw(st.sampled_from(NAMES))]))
    at = data.draw(st.integers(2, len(raw) - 1))
    *_, problems = found_in(raw[:at])
    assert problems
    everything_holds(raw[:at])


@settings(max_examples=examples(40), deadline=None)
@given(st.data())
def test_damaged_traces_are_read_and_printed(data: st.DataObject) -> None:
    """Spans missing, doubled, out of order, skewed, in circles, mixed, hostile; and bytes lost."""
    lines: list[Line] = []
    for name in data.draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True)):
        lines += CORPUS[name]
    for damage in data.draw(st.lists(st.sampled_from(DAMAGES), max_size=4)):
        lines = damage(data, lines)
    raw = bytearray(as_bytes(lines))
    for _ in range(data.draw(st.integers(0, 3)) if raw else 0):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=9))
    spans, logs, _ = found_in(bytes(raw))
    assert len(spans) + len(logs) >= whole_lines(bytes(raw))
    everything_holds(bytes(raw))


@pytest.mark.parametrize("name", sampled(NAMES, 4))
def test_a_hostile_text_in_any_one_place_is_printed_harmlessly(name: str) -> None:
    """One text at a time, so that what names, links and hashes hold together still does."""
    lines, text = CORPUS[name], "".join(HOSTILE[:2])
    places: list[str] = []
    poisoned(lines, lambda value: places.append(value) or value)
    step = max(1, len(places) // 60)
    for place in range(0, len(places), step):
        texts = iter([text if at == place else None for at in range(len(places))])
        hit = poisoned(lines, lambda value, texts=texts: next(texts) or value)
        for line in tree.render(load(io.BytesIO(as_bytes(hit)))):
            assert not CONTROL.search(line)


def commands(path: Path, folder: Path) -> list[list[str]]:
    file = str(path)
    return [
        ["show", file], ["show", "--ascii", file], ["show", file, "--call", "1"],
        ["show", "--list", file], ["show", "--from", file, "newest"], ["verify", file],
        ["rebuild", file], ["rebuild", file, "--call", "2"], ["why", file],
        ["diff", file, "1", "2"],        ["report", file, "-o", str(folder / "out.html")],
    ]  # fmt: skip


def run(arguments: list[str]) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    return code, out.getvalue(), err.getvalue()


@settings(max_examples=examples(8), deadline=None, phases=(Phase.reuse, Phase.generate))
@given(st.data())
def test_every_command_takes_damaged_files(data: st.DataObject) -> None:
    """No command raises or prints a control character; each exits otherwise than 0 when something
    was lost, and names the place."""
    name = data.draw(st.sampled_from(["ours", *NAMES]))
    lines = CORPUS[name]
    for damage in data.draw(st.lists(st.sampled_from(DAMAGES), max_size=2)):
        lines = damage(data, lines)
    raw = as_bytes(lines)
    raw = raw[: data.draw(st.integers(0, len(raw)))]
    *_, problems = found_in(raw)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trail.jsonl"
        path.write_bytes(raw)
        for arguments in commands(path, Path(folder)):
            code, out, err = run(arguments)
            assert not CONTROL.search(out), arguments
            assert not CONTROL.search(err), arguments
            if problems:
                assert code != 0, arguments
                said = out + err
                assert f"{problems[0].line}" in said, (arguments, said)


@settings(max_examples=examples(15), deadline=None)
@given(st.data())
def test_an_index_reads_damaged_files_as_the_whole_reader_does(data: st.DataObject) -> None:
    lines = [line for name in ("ours", NAMES[0], NAMES[-1]) for line in CORPUS[name]]
    for damage in data.draw(st.lists(st.sampled_from(DAMAGES[:3]), max_size=2)):
        lines = damage(data, lines)
    raw = bytearray(as_bytes(lines))
    for _ in range(data.draw(st.integers(0, 3)) if raw else 0):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=9))
    whole = load(io.BytesIO(bytes(raw)))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "BIG", 1)
        patch.setenv("XDG_CACHE_HOME", folder)
        path = Path(folder) / "trail.jsonl"
        path.write_bytes(raw)
        traces = sorted({s.trace_id for s in whole.spans if len(s.trace_id) == 32})
        told: set[int | None] = set()
        for trace in traces:
            trail = open_source(path, trace)
            wanted = {(s.span_id, s.name) for s in whole.spans if s.trace_id == trace}
            assert wanted <= {(s.span_id, s.name) for s in trail.spans}
            told |= {p.line for p in trail.problems}  # what is wrong in a value, by its own trace
        assert told == {p.line for p in whole.problems} or not traces
        assert path.with_name(path.name + index.ENDING).exists() or not whole.spans or not lines


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_line_of_ten_megabytes_is_read_and_shown_short(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spelled = len(json.dumps(text + " word "))
    long = (text + " word ") * ((10_000_000 if text in HOSTILE[:1] else 500_000) // spelled)
    span = {
        "traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": "b7ad6b7169203331",
        "name": long, "status": {"code": 2, "message": long[:50_000]}, "attributes": [
            {"key": "gen_ai.agent.name", "value": {"stringValue": long[:50_000]}},
        ],
    }  # fmt: skip
    document = {"resourceSpans": [{"scopeSpans": [{"scope": {"name": "s"}, "spans": [span]}]}]}
    path = tmp_path / "trail.jsonl"
    path.write_text(json.dumps(document) + "\n" + json.dumps(document)[:-9] + "\n")
    for arguments in (["show", str(path)], ["show", "--list", str(path)]):
        assert main(arguments) == 1
        out, err = capsys.readouterr()
        assert not CONTROL.search(out + err)
        assert len(out) + len(err) < 4_000
    trail = load(path)
    assert len(trail.spans) == 1
    assert trail.problems[0].line == 2
