"""Spans out of Jaeger's own JSON (`/api/traces`, and what its page exports).

Times are whole microseconds there, an array is one string of JSON, links have lost their
attributes; ids may have lost leading zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ..records.trail import Event, Link, Span

_OWN: Final = frozenset(
    {"span.kind", "otel.status_code", "otel.status_description", "otel.scope.name",
     "otel.scope.version", "otel.library.name", "otel.library.version", "internal.span.format",
     "w3c.tracestate"}
)  # fmt: skip
"""Tags that stand for fields of a span."""


def is_trace(value: Mapping[str, Any]) -> bool:
    """True for a trace in Jaeger's JSON."""
    return isinstance(value.get("spans"), list) and "traceID" in value


def is_answer(value: Mapping[str, Any]) -> bool:
    """True for an answer of `/api/traces`."""
    data = value.get("data")
    return isinstance(data, list) and any(isinstance(t, dict) and is_trace(t) for t in data)


def spans_of(trace: Mapping[str, Any], complain: Callable[[str], None]) -> Iterator[Span]:
    """The spans of one trace."""
    processes = trace.get("processes")
    resources = (
        {str(k): _resource(p) for k, p in processes.items() if isinstance(p, dict)}
        if isinstance(processes, dict)
        else {}
    )
    for one in trace.get("spans") or ():
        if not isinstance(one, dict) or not one.get("spanID"):
            complain("a span without an id")
            continue
        process = one.get("process")
        resource = resources.get(str(one.get("processID")), {})
        if isinstance(process, dict):
            resource = _resource(process)
        yield span(one, resource, str(trace.get("traceID") or ""))


def is_span(value: Mapping[str, Any]) -> bool:
    """True for a span in Jaeger's JSON."""
    return "spanID" in value and "operationName" in value


def span(one: Mapping[str, Any], resource: Mapping[str, Any], trace: str = "") -> Span:
    """One span; `trace` is its trace where it does not say so itself."""
    tags = _tags(one.get("tags"))
    trace_id = _id(one.get("traceID") or trace, 32)
    parent, links = _references(one.get("references"), trace_id)
    parent = parent or _id(one.get("parentSpanID"), 16)
    status = str(tags.get("otel.status_code") or "").lower()
    if "otel.status_code" in tags:
        tags.pop("error", None)  # the converter's second name for it
    elif tags.get("error") in (True, "true"):
        status = "error"
    start, length = _nanos(one.get("startTime")), _nanos(one.get("duration"))
    scope = tags.get("otel.scope.name") or tags.get("otel.library.name") or ""
    return Span(
        trace_id=trace_id,
        span_id=_id(one.get("spanID"), 16),
        parent_id=parent,
        name=str(one.get("operationName") or ""),
        kind=str(tags.get("span.kind") or "").lower(),
        start=start or None,
        end=start + length if start and length is not None else None,
        attributes={k: v for k, v in tags.items() if k not in _OWN},
        events=tuple(_events(one.get("logs"))),
        links=links,
        status=status if status in ("ok", "error") else "",
        message=str(tags.get("otel.status_description") or ""),
        scope=str(scope),
        resource=resource,
    )


def _references(found: Any, trace_id: str) -> tuple[str, tuple[Link, ...]]:
    """The parent, and everything else that a span refers to."""
    parent = ""
    links: list[Link] = []
    for one in found if isinstance(found, list) else ():
        if not isinstance(one, dict):
            continue
        link = Link(_id(one.get("traceID"), 32), _id(one.get("spanID"), 16), {})
        if not parent and one.get("refType") == "CHILD_OF" and link.trace_id == trace_id:
            parent = link.span_id
        else:
            links.append(link)
    return parent, tuple(links)


def _events(found: Any) -> Iterator[Event]:
    for one in found if isinstance(found, list) else ():
        if isinstance(one, dict):
            fields = _tags(one.get("fields"))
            name = fields.pop("event", "")
            yield Event(str(name), _nanos(one.get("timestamp")) or None, fields)


def _resource(process: Mapping[str, Any]) -> dict[str, Any]:
    name = process.get("serviceName")
    out = {} if name is None else {"service.name": str(name)}
    return {**out, **_tags(process.get("tags"))}


def _tags(found: Any) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for tag in found if isinstance(found, list) else ():
        if isinstance(tag, dict) and "key" in tag:
            out[str(tag["key"])] = tag.get("value")
    return out


def _id(value: Any, digits: int) -> str:
    text = str(value).lower() if isinstance(value, str | int) and value else ""
    return text.zfill(digits) if text.strip("0") else ""


def _nanos(micros: Any) -> int | None:
    if isinstance(micros, bool) or not isinstance(micros, int | float):
        return None
    return int(micros) * 1_000 if 0 <= micros < 1e16 else None
