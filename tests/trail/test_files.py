"""Trail files are read whatever their spelling, and as far as possible when they are damaged."""

from __future__ import annotations

import base64
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_footprint.trail import Log, Problem, Span, load, read
from tests.quick import examples

SPAN = {
    "traceId": "0af7651916cd43dd8448eb211c80319c",
    "spanId": "b7ad6b7169203331",
    "parentSpanId": "00f067aa0ba902b7",
    "name": "chat m",
    "kind": 3,
    "startTimeUnixNano": "1796000000000000000",
    "endTimeUnixNano": "1796000000500000000",
    "attributes": [
        {"key": "s", "value": {"stringValue": "text"}},
        {"key": "i", "value": {"intValue": "7"}},
        {"key": "d", "value": {"doubleValue": 1.5}},
        {"key": "b", "value": {"boolValue": True}},
        {"key": "a", "value": {"arrayValue": {"values": [{"stringValue": "x"}, {"intValue": 2}]}}},
        {"key": "e", "value": {"arrayValue": {}}},
        {"key": "k", "value": {"kvlistValue": {"values": [
            {"key": "in", "value": {"intValue": "1"}}]}}},
        {"key": "y", "value": {"bytesValue": "AAEC"}},
        {"key": "n", "value": {}},
    ],
    "events": [{"timeUnixNano": "1796000000000000001", "name": "ev", "attributes": [
        {"key": "x", "value": {"intValue": "1"}}]}],
    "links": [{"traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": "b7ad6b7169203332"}],
    "status": {"code": 2, "message": "no"},
}  # fmt: skip
WANTED = {
    "s": "text", "i": 7, "d": 1.5, "b": True, "a": ["x", 2], "e": [], "k": {"in": 1},
    "y": b"\x00\x01\x02", "n": None,
}  # fmt: skip


def document(*spans: Any, top: str = "resourceSpans", scopes: str = "scopeSpans") -> Any:
    scope = {"scope": {"name": "the.scope"}, "spans": list(spans)}
    return {top: [{"resource": {"attributes": [
        {"key": "service.name", "value": {"stringValue": "svc"}}]}, scopes: [scope]}]}  # fmt: skip


def found(data: bytes) -> tuple[list[Span], list[Problem]]:
    everything = list(read(io.BytesIO(data)))
    return (
        [r for r in everything if isinstance(r, Span)],
        [r for r in everything if isinstance(r, Problem)],
    )


def snake(value: Any) -> Any:
    """The same document in snake_case."""
    if isinstance(value, dict):
        return {
            "".join("_" + c.lower() if c.isupper() else c for c in k): snake(v)
            for k, v in value.items()
        }
    return [snake(v) for v in value] if isinstance(value, list) else value


def in_base64(span: dict[str, Any]) -> dict[str, Any]:
    out = dict(span, kind="SPAN_KIND_CLIENT", status={"code": "STATUS_CODE_ERROR", "message": "no"})
    for key in ("traceId", "spanId", "parentSpanId"):
        out[key] = base64.b64encode(bytes.fromhex(span[key])).decode()
    out["links"] = [
        {k: base64.b64encode(bytes.fromhex(v)).decode() for k, v in link.items()}
        for link in span["links"]
    ]
    return out


SPELLINGS = {
    "an object": json.dumps(document(SPAN)).encode(),
    "indented": json.dumps(document(SPAN), indent=1).encode(),
    "a list": json.dumps([document(SPAN)]).encode(),
    "an indented list": json.dumps([document(SPAN)], indent=2).encode(),
    "lines": json.dumps(document(SPAN)).encode() + b"\n",
    "lines in a list": b"[\n" + json.dumps(document(SPAN)).encode() + b",\n{}\n]\n",
    "lines of Windows": b"\r\n" + json.dumps(document(SPAN)).encode() + b"\r\n\r\n",
    "with a mark": b"\xef\xbb\xbf" + json.dumps(document(SPAN)).encode(),
    "gzip": gzip.compress(json.dumps(document(SPAN)).encode()),
    "two gzip members": gzip.compress(b"\n") + gzip.compress(json.dumps(document(SPAN)).encode()),
    "snake case": json.dumps(snake(document(SPAN))).encode(),
    "base64 and names": json.dumps(document(in_base64(SPAN))).encode(),
    "Tempo": json.dumps(document(in_base64(SPAN), top="batches")).encode(),
    "Tempo v2": json.dumps({"trace": document(SPAN)}).encode(),
    "Jaeger v3": json.dumps({"result": document(SPAN)}).encode(),
    "older scopes": json.dumps(document(SPAN, scopes="instrumentationLibrarySpans")).encode(),
    "sorted keys": json.dumps(document(SPAN), sort_keys=True).encode(),
    "numbers for times": json.dumps(
        document(dict(SPAN, startTimeUnixNano=1796000000000000000))
    ).encode(),
}  # fmt: skip


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_span_is_the_same_in_every_spelling(spelling: str) -> None:
    (span,), problems = found(SPELLINGS[spelling])
    assert not problems
    assert span.trace_id == SPAN["traceId"]
    assert span.span_id == SPAN["spanId"]
    assert span.parent_id == SPAN["parentSpanId"]
    assert (span.name, span.kind, span.status, span.message) == ("chat m", "client", "error", "no")
    assert span.start == 1796000000000000000
    assert span.end == 1796000000500000000
    assert span.attributes == WANTED
    assert span.scope == "the.scope"
    assert span.resource == {"service.name": "svc"}
    assert span.events[0].name == "ev"
    assert span.events[0].attributes == {"x": 1}
    assert span.links[0].span_id == "b7ad6b7169203332"


def test_several_resources_files_and_log_records_are_one_trail(tmp_path: Path) -> None:
    first, second = tmp_path / "a.json", tmp_path / "b.jsonl.gz"
    other = dict(SPAN, spanId="b7ad6b7169203339")
    both = document(SPAN)
    both["resourceSpans"] += document(other)["resourceSpans"]
    first.write_text(json.dumps(both))
    log = {
        "timeUnixNano": "5", "traceId": SPAN["traceId"], "spanId": SPAN["spanId"],
        "eventName": "said", "body": {"stringValue": "hello"}, "attributes": [],
    }  # fmt: skip
    logs = {"resourceLogs": [{"scopeLogs": [{"scope": {"name": "l"}, "logRecords": [log]}]}]}
    second.write_bytes(gzip.compress(json.dumps(logs).encode()))
    trail = load([first, str(second)])
    assert [s.span_id for s in trail.spans] == [SPAN["spanId"], "b7ad6b7169203339"]
    assert [e.name for e in trail.spans[0].events] == ["ev", "said"]
    assert trail.spans[0].events[1].attributes == {"body": "hello"}
    assert not trail.problems


def test_a_span_twice_is_read_once_and_the_fuller_copy_counts() -> None:
    thin = {k: v for k, v in SPAN.items() if k not in ("attributes", "endTimeUnixNano")}
    trail = load(io.BytesIO(json.dumps(document(thin, SPAN, thin)).encode()))
    assert [s.attributes for s in trail.spans] == [WANTED]


def test_a_file_that_is_not_there_raises_what_open_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none")


# --- damage --------------------------------------------------------------------------------


def lines(count: int = 6) -> bytes:
    spans = [dict(SPAN, spanId=f"{i + 1:016x}", name=f"číslo {i}") for i in range(count)]
    return b"".join(json.dumps(document(s), ensure_ascii=False).encode() + b"\n" for s in spans)


def by_line(data: bytes) -> list[str]:
    """Names of the spans that a plain parse of every whole line gives."""
    out = []
    for line in data.split(b"\n"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict) and "resourceSpans" in value:
            out += [
                s.get("name", "")
                for r in value["resourceSpans"]
                for c in r.get("scopeSpans", ())
                for s in c.get("spans", ())
            ]
    return out


def test_lines_cut_at_any_byte() -> None:
    data = lines(3)
    for at in range(0, len(data) + 1, 3):
        spans, problems = found(data[:at])
        assert [s.name for s in spans][: len(by_line(data[:at]))] == by_line(data[:at])
        last = data[:at].rpartition(b"\n")[2]
        assert bool(problems) == (last not in (b"", data.splitlines()[0]) and not whole(last))
        if problems:
            assert problems[0].line == data[:at].count(b"\n") + 1


def whole(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def test_a_document_cut_at_any_byte_gives_its_whole_spans() -> None:
    spans = [dict(SPAN, spanId=f"{i + 1:016x}") for i in range(4)]
    for indent in (None, 1):
        data = json.dumps(document(*spans), indent=indent).encode()
        ends = [data.index(f'"{s["spanId"]}"'.encode()) for s in spans]
        for at in range(1, len(data), 7):
            got, problems = found(data[:at])
            assert problems
            assert len(got) >= sum(1 for e in ends[1:] if e < at)
            assert all(s.scope == "the.scope" and s.resource for s in got)


def test_a_gzip_file_cut_at_any_byte() -> None:
    data = gzip.compress(lines(40))
    for at in range(0, len(data), 11):
        spans, problems = found(data[:at])
        assert problems or at < 2
        assert len(spans) <= 40


@pytest.mark.parametrize("seed", range(20))
def test_one_damaged_line_costs_no_other(seed: int) -> None:
    import random

    rng = random.Random(seed)
    rows = lines(8).splitlines(keepends=True)
    bad = rng.randrange(8)
    row = bytearray(rows[bad])
    for _ in range(3):
        at = rng.randrange(len(row) - 1)
        row[at : at + rng.randrange(9)] = rng.randbytes(rng.randrange(9)).replace(b"\n", b"")
    rows[bad] = bytes(row)
    spans, problems = found(b"".join(rows))
    wanted = by_line(b"".join(rows[:bad] + rows[bad + 1 :]))
    assert [n for n in (s.name for s in spans) if n in wanted] == wanted
    assert all(p.line == bad + 1 for p in problems)


def test_a_damaged_span_inside_a_document_costs_no_other() -> None:
    spans = [dict(SPAN, spanId=f"{i + 1:016x}") for i in range(5)]
    data = json.dumps(document(*spans)).replace('"0000000000000003"', '"0000000000000003')
    got, problems = found(data.encode())
    assert [s.span_id[-1] for s in got] == ["1", "2", "4", "5"]
    assert "4 spans or log records of it were read" in problems[0].what


def test_odd_values_are_named_and_the_rest_is_read() -> None:
    odd = dict(SPAN, attributes=[
        {"key": "good", "value": {"stringValue": "kept"}},
        {"value": {"stringValue": "no key"}},
        "no object",
        {"key": "int", "value": {"intValue": "seven"}},
        {"key": "double", "value": {"doubleValue": "NaN"}},
        {"key": "array", "value": {"arrayValue": {"values": "x"}}},
        {"key": "bytes", "value": {"bytesValue": "?"}},
        {"key": "unknown", "value": {"mapValue": {}}},
        {"key": 5, "value": None},
    ], events="none", links=[1], status="bad", kind="odd", startTimeUnixNano="soon")  # fmt: skip
    (span,), problems = found(json.dumps(document(odd, None, 3)).encode())
    assert span.attributes["good"] == "kept"
    assert span.start is None
    assert span.kind == ""
    assert len(problems) >= 7
    assert {type(r) for r in read(io.BytesIO(b'{"resourceLogs": 1}'))} == {Problem}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n",
        b"null",
        b"3",
        b'"x"',
        b"[[[[[1]]]]]",
        b"\x00" * 99,
        b"\x1f\x8b",
        b"\x1f\x8bgarbage",
        b"[" * 99_999,
        b'{"a":' * 9_999,
        b'{"resourceSpans":[' + b"[" * 50_000,
        b"\xff\xfe{}",
        b"{}",
    ],
)
def test_what_is_no_trail_is_no_error(data: bytes) -> None:
    spans, _ = found(data)
    assert spans == []
    assert load(io.BytesIO(data)).roots == ()


@settings(max_examples=examples(150), deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_raising(data: bytes) -> None:
    list(read(io.BytesIO(data)))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(sorted({*SPAN, *document(SPAN), "scopeSpans", "spans", "key", "value",
                                "stringValue", "arrayValue", "values", "resource", "scope"})),
        inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=examples(200), deadline=None)
@given(JSON)
def test_any_json_is_read_without_raising(value: Any) -> None:
    data = json.dumps(value).encode()
    load(io.BytesIO(data))
    load(io.BytesIO(json.dumps(document(value)).encode()))
    load(io.BytesIO(json.dumps(document(dict(SPAN, attributes=value, events=value))).encode()))


@settings(max_examples=examples(60), deadline=None)
@given(st.data())
def test_any_damage_leaves_what_a_parse_line_by_line_gives(data: st.DataObject) -> None:
    raw = bytearray(lines(5))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw) - 1))
        size = data.draw(st.integers(0, 30))
        raw[at : at + size] = data.draw(st.binary(max_size=12))
    spans, _ = found(bytes(raw))
    wanted = by_line(bytes(raw))
    names = [s.name for s in spans]
    assert set(wanted) <= set(names)


def test_memory_is_bounded_by_the_longest_line() -> None:
    """Lines are read one by one: the first span is there before the second line was asked for."""

    class Slow(io.RawIOBase):
        def __init__(self) -> None:
            self.asked = 0

        def read(self, size: int = -1) -> bytes:
            self.asked += 1
            return lines(2).replace(b"\n", b"\n" + b" " * (1 << 18))[: 1 << 19]

    slow = Slow()
    records = read(slow)  # type: ignore[arg-type]
    assert isinstance(next(records), Span)
    assert slow.asked < 4


def test_a_log_record_without_its_span_keeps_a_record_of_ours() -> None:
    log = {"traceId": SPAN["traceId"], "spanId": SPAN["spanId"], "eventName": "other",
           "attributes": []}  # fmt: skip
    data = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [log]}]}]}).encode()
    assert [type(r) for r in read(io.BytesIO(data))] == [Log]
    assert load(io.BytesIO(data)).spans == []
