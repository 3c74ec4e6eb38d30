"""Recorded traces as lines of a span each, and ways to damage them."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from .builder import Turn, Writer, assistant, result, system, tool, user
from .conftest import story

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "otlp"
FILES = sorted(SHARED.rglob("*.json")) if SHARED.is_dir() else []
MOST_SPANS = 14

Line = dict[str, Any]
"""A document with one span (or log record) in it."""
HOSTILE = (
    "\x1b]0;owned\x07\x1b[2J\x1b[31m",
    "\u202egnp.exe\u2066\u200f",
    "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "a\r\nb\x00c\x85d\u2028e\x7f",
    "\ud800 lone \udfff",
    "‮" * 40,
    '"}]}]}\\"',
    "%s%n{0}{x!r}",
)


def lines_of(path: Path) -> list[Line]:
    """The first spans of a recorded file, each as a document of its own; long texts are cut."""
    value = json.loads(path.read_text())
    out: list[Line] = []
    for group in value if isinstance(value, list) else [value]:
        for top, scopes, records in (
            ("resourceSpans", "scopeSpans", "spans"),
            ("resourceLogs", "scopeLogs", "logRecords"),
        ):
            for resource in group.get(top, ()):
                for scope in resource[scopes]:
                    around = {k: v for k, v in scope.items() if k != records}
                    for one in scope[records]:
                        kept = {"resource": resource.get("resource", {})}
                        out.append({top: [{**kept, scopes: [{**around, records: [one]}]}]})
        if "traceID" in group:
            out += [{**group, "spans": [span]} for span in group["spans"]]
    return [shorter(line) for line in out[:MOST_SPANS]]


def shorter(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: shorter(v) for k, v in value.items()}
    if isinstance(value, list):
        return [shorter(v) for v in value[:40]]
    return value[:600] if isinstance(value, str) else value


def ours() -> list[Line]:
    """A turn of ours and one that ended with an error."""
    from .otlpjson import document

    writer = Writer(3)
    story(writer)
    turn = Turn(writer, agent="second")
    turn.call([system("rules")], [user("why?")], [tool("look")], [assistant("look it up")])
    turn.tool("look", "c9", "{}", "found", error="ValueError")
    turn.call([system("rules")], [user("why?"), assistant("look it up"), result("c9", "found")])
    turn.end("error")
    return [json.loads(json.dumps(document([s]))) for s in writer.spans]


CORPUS: dict[str, list[Line]] = {
    **{p.stem: lines for p in FILES if (lines := lines_of(p))},
    "ours": ours(),
}


def span_of(line: Line) -> dict[str, Any]:
    """The span or log record of a line."""
    if "traceID" in line:
        return line["spans"][0]
    ((top, groups),) = line.items()
    (scope,) = groups[0]["scopeSpans" if top == "resourceSpans" else "scopeLogs"]
    return scope["spans" if top == "resourceSpans" else "logRecords"][0]


def as_bytes(lines: list[Line]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def in_one(lines: list[Line], indent: int | None) -> bytes:
    """All of it as one document, where the lines are OTLP."""
    out: dict[str, list[Any]] = {}
    for line in lines:
        if "traceID" in line:
            return json.dumps(lines, indent=indent).encode()
        for top, groups in line.items():
            out.setdefault(top, []).extend(groups)
    return json.dumps(out, indent=indent).encode()


# --- damage, drawn by hypothesis -----------------------------------------------------------

Damage = Callable[[st.DataObject, list[Line]], list[Line]]


def missing(data: st.DataObject, lines: list[Line]) -> list[Line]:
    kept = data.draw(st.lists(st.booleans(), min_size=len(lines), max_size=len(lines)))
    return [line for line, keep in zip(lines, kept, strict=True) if keep]


def doubled(data: st.DataObject, lines: list[Line]) -> list[Line]:
    return lines + [data.draw(st.sampled_from(lines)) for _ in range(4)] if lines else lines


def out_of_order(data: st.DataObject, lines: list[Line]) -> list[Line]:
    return data.draw(st.permutations(lines))


def skewed(data: st.DataObject, lines: list[Line]) -> list[Line]:
    out = copy.deepcopy(lines)
    for line in out:
        span = span_of(line)
        for key in ("startTimeUnixNano", "endTimeUnixNano", "timeUnixNano", "startTime"):
            if key in span:
                by = data.draw(st.sampled_from([0, -(10**12), 10**12, -(10**19), 10**19]))
                span[key] = type(span[key])(int(span[key]) + by)
    return out


def cyclic(data: st.DataObject, lines: list[Line]) -> list[Line]:
    out = copy.deepcopy(lines)
    spans = [span_of(line) for line in out]
    ids = [s.get("spanId") or s.get("spanID") for s in spans]
    for span in spans:
        span["parentSpanId"] = data.draw(st.sampled_from(ids))
        for reference in span.get("references") or ():
            reference["spanID"] = data.draw(st.sampled_from(ids))
    return out


def one_trace(_data: st.DataObject, lines: list[Line]) -> list[Line]:
    """Two traces (and more) mixed under one id."""
    out = copy.deepcopy(lines)
    for line in out:
        span = span_of(line)
        for key in ("traceId", "traceID"):
            if key in span:
                span[key] = "0af7651916cd43dd8448eb211c80319c"
    return out


def poisoned(value: Any, pick: Callable[[str], str], key: str = "") -> Any:
    """A copy whose texts (names, messages, string attributes) are what `pick` says."""
    if isinstance(value, dict):
        return {k: poisoned(v, pick, k) for k, v in value.items()}
    if isinstance(value, list):
        return [poisoned(v, pick, key) for v in value]
    texts = ("name", "stringValue", "message", "operationName")
    return pick(value) if isinstance(value, str) and key in texts else value


def hostile(data: st.DataObject, lines: list[Line]) -> list[Line]:
    """Texts that want to be run, in the place of any text."""

    def pick(value: str) -> str:
        return data.draw(st.sampled_from((value, value, *HOSTILE)))

    return [poisoned(line, pick) for line in lines[:8]] + lines[8:]


DAMAGES: tuple[Damage, ...] = (
    missing, doubled, out_of_order, skewed, cyclic, one_trace, hostile,
)  # fmt: skip
