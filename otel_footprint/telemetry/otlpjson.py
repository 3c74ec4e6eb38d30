"""OTLP/JSON of spans and log records, as any OTLP reader takes it, on any SDK from 1.39 on.

The mapping of the protocol: hex ids, 64-bit integers as strings, enum values as numbers, fields
that hold their default left out. An integer beyond 64 bit, which OTLP cannot carry, becomes a
string; `dump` writes U+FFFD for a lone surrogate, which UTF-8 cannot carry.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from json import JSONEncoder
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

Json = dict[str, Any]
_KINDS: Final = {"INTERNAL": 1, "SERVER": 2, "CLIENT": 3, "PRODUCER": 4, "CONSUMER": 5}
_REMOTE_KNOWN: Final = 0x100
_REMOTE: Final = 0x200
_MAX: Final = 2**63
_MAX_DEPTH: Final = 100
_ENCODER: Final = JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)
_LONE: Final = re.compile("[\ud800-\udfff]")


def spans_json(spans: Iterable[ReadableSpan]) -> Json:
    """The request that holds these spans."""
    return {"resourceSpans": _grouped(spans, _span, "scopeSpans", "spans")}


def logs_json(records: Iterable[Any]) -> Json:
    """The request that holds these log records (the SDK's readable ones)."""
    return {"resourceLogs": _grouped(records, _log, "scopeLogs", "logRecords")}


def dump(request: Json) -> bytes:
    """The request as one line of UTF-8, with its end."""
    line = _ENCODER.encode(request) + "\n"
    try:
        return line.encode()
    except UnicodeEncodeError:
        return _LONE.sub("\ufffd", line).encode()


def _grouped(
    items: Iterable[Any], encode: Callable[[Any], Json], scopes: str, name: str
) -> list[Json]:
    """Items by resource and scope, in the order in which they first appear."""
    groups: dict[Any, dict[Any, list[Json]]] = {}
    for item in items:
        by_scope = groups.setdefault(item.resource, {})
        by_scope.setdefault(item.instrumentation_scope, []).append(encode(item))
    out = []
    for resource, by_scope in groups.items():
        inside = [
            {"scope": _scope(scope), name: encoded, **_present("schemaUrl", _schema(scope))}
            for scope, encoded in by_scope.items()
        ]
        about = _attributes(resource.attributes) if resource is not None else {}
        out.append({"resource": about, scopes: inside, **_present("schemaUrl", _schema(resource))})
    return out


def _schema(of: Any) -> str | None:
    return of.schema_url if of is not None else None


def _scope(scope: Any) -> Json:
    if scope is None:
        return {}
    return {
        **_present("name", scope.name),
        **_present("version", scope.version),
        **_attributes(scope.attributes),
    }


def _span(span: ReadableSpan) -> Json:
    context = span.context
    assert context is not None
    out: Json = {"traceId": f"{context.trace_id:032x}", "spanId": f"{context.span_id:016x}"}
    state = context.trace_state
    if state:
        out["traceState"] = ",".join(f"{k}={v}" for k, v in state.items())
    if span.parent is not None:
        out["parentSpanId"] = f"{span.parent.span_id:016x}"
    out["flags"] = _flags(span.parent)
    out.update(_present("name", span.name))
    out["kind"] = _KINDS.get(span.kind.name, 0)
    out.update(_time("startTimeUnixNano", span.start_time))
    out.update(_time("endTimeUnixNano", span.end_time))
    out.update(_attributes(span.attributes, span.dropped_attributes))
    if span.events:
        out["events"] = [_event(event) for event in span.events]
    out.update(_count("droppedEventsCount", span.dropped_events))
    if span.links:
        out["links"] = [_link(link) for link in span.links]
    out.update(_count("droppedLinksCount", span.dropped_links))
    code = span.status.status_code.value
    out["status"] = {
        **_present("message", span.status.description),
        **({"code": code} if code else {}),
    }
    return out


def _event(event: Any) -> Json:
    return {
        **_time("timeUnixNano", event.timestamp),
        **_present("name", event.name),
        **_attributes(event.attributes, event.dropped_attributes),
    }


def _link(link: Any) -> Json:
    return {
        "traceId": f"{link.context.trace_id:032x}",
        "spanId": f"{link.context.span_id:016x}",
        **_attributes(link.attributes, link.dropped_attributes),
        "flags": _flags(link.context),
    }


def _log(readable: Any) -> Json:
    record = readable.log_record
    out: Json = _time("timeUnixNano", record.timestamp)
    out.update(_time("observedTimeUnixNano", record.observed_timestamp))
    severity = getattr(record.severity_number, "value", None)
    if severity:
        out["severityNumber"] = severity
    out.update(_present("severityText", record.severity_text))
    if record.body is not None:
        out["body"] = _value(record.body, 0)
    out.update(_attributes(record.attributes, readable.dropped_attributes))
    if record.trace_flags:
        out["flags"] = int(record.trace_flags)
    if record.trace_id:
        out["traceId"] = f"{record.trace_id:032x}"
    if record.span_id:
        out["spanId"] = f"{record.span_id:016x}"
    out.update(_present("eventName", record.event_name))
    return out


def _flags(parent: Any) -> int:
    return _REMOTE_KNOWN | (_REMOTE if parent is not None and parent.is_remote else 0)


def _present(name: str, text: str | None) -> Json:
    return {name: text} if text else {}


def _time(name: str, nanoseconds: int | None) -> Json:
    return {name: str(nanoseconds)} if nanoseconds else {}


def _count(name: str, number: int) -> Json:
    return {name: number} if number else {}


def _attributes(attributes: Mapping[str, Any] | None, dropped: int = 0) -> Json:
    out: Json = {}
    if attributes:
        copy = getattr(attributes, "copy", None)  # a dict: the SDK's mapping is slow to walk
        out["attributes"] = [
            {"key": key, "value": _value(value, 0)}
            for key, value in (attributes if copy is None else copy()).items()
        ]
    out.update(_count("droppedAttributesCount", dropped))
    return out


def _value(value: Any, depth: int) -> Json:
    """An AnyValue; an empty one for None and for what nests too deep."""
    kind = type(value)
    if kind is str:
        return {"stringValue": value}
    if kind is bool:
        return {"boolValue": value}
    if kind is int:
        name = "intValue" if -_MAX <= value < _MAX else "stringValue"
        return {name: str(value)}
    if kind is float:
        return {"doubleValue": _double(value)}
    if value is None or depth > _MAX_DEPTH:
        return {}
    return _other(value, depth)


def _other(value: Any, depth: int) -> Json:
    if isinstance(value, bytes | bytearray):
        return {"bytesValue": base64.b64encode(value).decode()}
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, bool | int | float):
        exact = int(value) if isinstance(value, int) else float(value)
        return _value(bool(value) if isinstance(value, bool) else exact, depth)
    if isinstance(value, Mapping):
        pairs = [{"key": str(k), "value": _value(v, depth + 1)} for k, v in value.items()]
        return {"kvlistValue": {"values": pairs} if pairs else {}}
    if isinstance(value, Sequence):
        items = [_value(item, depth + 1) for item in value]
        return {"arrayValue": {"values": items} if items else {}}
    return {}


def _double(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
