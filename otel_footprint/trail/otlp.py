"""Spans and log records out of decoded OTLP/JSON, whoever wrote it.

Keys in camelCase or snake_case, ids in hex or base64, whole numbers as strings, enums by name or
number, `batches` (Tempo) or `result` (Jaeger) around it: all are read; Jaeger's own JSON too.
Nothing here raises on odd input: what cannot be read becomes a sentence handed to `complain`, and
the rest is read.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ..records.trail import Event, Link, Log, Span
from . import jaegerjson

Complain = Callable[[str], None]

_SPAN_GROUPS: Final = ("resourceSpans", "resource_spans", "batches")
_LOG_GROUPS: Final = ("resourceLogs", "resource_logs")
_OTHERS: Final = ("resourceMetrics", "resource_metrics")
_AROUND: Final = ("result", "trace", "data")
_SCOPES: Final = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_LOG_SCOPES: Final = ("scopeLogs", "scope_logs", "instrumentationLibraryLogs")
_KINDS: Final = ("", "internal", "server", "client", "producer", "consumer")
_STATUSES: Final = ("", "ok", "error")
_HEX: Final = re.compile(r"[0-9a-fA-F]+\Z")


def records(value: Any, complain: Complain, depth: int = 0) -> Iterator[Span | Log]:
    """The spans and log records of a document: an object, a list of them, or a bare span."""
    if isinstance(value, list):
        for item in value:
            yield from records(item, complain, depth + 1) if depth < 4 else ()
        return
    if not isinstance(value, dict):
        complain(f"{_kind(value)} instead of an object with resourceSpans or resourceLogs")
        return
    known = False
    for key in _SPAN_GROUPS:
        for group in _objects(value, key, complain):
            known = True
            yield from spans_of(group, complain)
        known = known or key in value
    for key in _LOG_GROUPS:
        for group in _objects(value, key, complain):
            yield from logs_of(group, complain)
        known = known or key in value
    if known or any(key in value for key in _OTHERS):
        return
    if is_span(value):
        yield span(value, "", {}, complain)
        return
    if jaegerjson.is_trace(value):
        yield from jaegerjson.spans_of(value, complain)
        return
    inner = next((value[k] for k in _AROUND if isinstance(value.get(k), dict | list)), None)
    if inner is not None and depth < 4:
        yield from records(inner, complain, depth + 1)
    elif value:
        complain("an object without resourceSpans or resourceLogs")


def is_span(value: Mapping[str, Any]) -> bool:
    """True for a span that stands outside any envelope."""
    return any(k in value for k in ("spanId", "span_id")) and any(
        k in value for k in ("traceId", "trace_id")
    )


def spans_of(group: Mapping[str, Any], complain: Complain) -> Iterator[Span]:
    """The spans of one entry of resourceSpans."""
    resource = _attributes(_object(group, "resource"), complain)
    for key in _SCOPES:
        for scope in _objects(group, key, complain):
            name = scope_name(scope)
            for one in _objects(scope, "spans", complain):
                yield span(one, name, resource, complain)


def logs_of(group: Mapping[str, Any], complain: Complain) -> Iterator[Log]:
    """The log records of one entry of resourceLogs."""
    for key in _LOG_SCOPES:
        for scope in _objects(group, key, complain):
            name = scope_name(scope)
            for records_key in ("logRecords", "log_records"):
                for one in _objects(scope, records_key, complain):
                    yield log(one, name, complain)


def scope_name(scope: Mapping[str, Any]) -> str:
    """Name of the instrumentation scope of an entry of scopeSpans."""
    found = _object(scope, "scope") or _object(scope, "instrumentationLibrary")
    return _text(found.get("name"))


def span(
    one: Mapping[str, Any], scope: str, resource: Mapping[str, Any], complain: Complain
) -> Span:
    """One span."""
    attributes = _attributes(one, complain)
    status = _object(one, "status")
    name = scope or _text(attributes.get("otel.scope.name"))
    return Span(
        trace_id=identifier(_either(one, "traceId", "trace_id"), 16),
        span_id=identifier(_either(one, "spanId", "span_id"), 8),
        parent_id=identifier(_either(one, "parentSpanId", "parent_span_id"), 8),
        name=_text(one.get("name")),
        kind=_enum(one.get("kind"), _KINDS, "SPAN_KIND_"),
        start=moment(_either(one, "startTimeUnixNano", "start_time_unix_nano")),
        end=moment(_either(one, "endTimeUnixNano", "end_time_unix_nano")),
        attributes=attributes,
        events=tuple(
            Event(
                _text(e.get("name")),
                moment(_either(e, "timeUnixNano", "time_unix_nano")),
                _attributes(e, complain),
            )
            for e in _objects(one, "events", complain)
        ),
        links=tuple(
            Link(
                identifier(_either(x, "traceId", "trace_id"), 16),
                identifier(_either(x, "spanId", "span_id"), 8),
                _attributes(x, complain),
            )
            for x in _objects(one, "links", complain)
        ),
        status=_enum(status.get("code"), _STATUSES, "STATUS_CODE_"),
        message=_text(status.get("message")),
        scope=name,
        resource=resource,
    )


def log(one: Mapping[str, Any], scope: str, complain: Complain) -> Log:
    """One log record; its event's name stands in a field of its own or in an attribute."""
    attributes = _attributes(one, complain)
    name = _text(_either(one, "eventName", "event_name")) or _text(attributes.get("event.name"))
    return Log(
        trace_id=identifier(_either(one, "traceId", "trace_id"), 16),
        span_id=identifier(_either(one, "spanId", "span_id"), 8),
        name=name,
        time=moment(_either(one, "timeUnixNano", "time_unix_nano"))
        or moment(_either(one, "observedTimeUnixNano", "observed_time_unix_nano")),
        attributes=attributes,
        body=any_value(one.get("body"), complain),
        scope=scope,
    )


# --- values --------------------------------------------------------------------------------


def any_value(value: Any, complain: Complain, depth: int = 0) -> Any:
    """The Python value of an AnyValue; of a plain JSON value itself."""
    if not isinstance(value, dict):
        return value
    for key, item in value.items():
        made = _VALUES.get(key) or _VALUES.get(key.replace("_", "").lower())
        if made is not None:
            return made(item, complain, depth)
    if value:
        complain(f"an attribute value of unknown kind: {', '.join(sorted(map(str, value)))[:80]}")
    return None


def _string(item: Any, _complain: Complain, _depth: int) -> str:
    return item if isinstance(item, str) else _text(item)


def _bool(item: Any, _complain: Complain, _depth: int) -> bool:
    return item if isinstance(item, bool) else str(item).lower() == "true"


def _array(item: Any, complain: Complain, depth: int) -> list[Any]:
    values = item.get("values") if isinstance(item, dict) else item
    if values is None:
        return []
    if not isinstance(values, list) or depth > 32:
        complain("an array value that is no array")
        return []
    out: list[Any] = []
    for value in values:
        text = value.get("stringValue") if type(value) is dict and len(value) == 1 else None
        out.append(text if type(text) is str else any_value(value, complain, depth + 1))
    return out


def _kvlist(item: Any, complain: Complain, depth: int) -> dict[str, Any]:
    values = item.get("values") if isinstance(item, dict) else item
    if values is None:
        return {}
    if not isinstance(values, list) or depth > 32:
        complain("a list of keys and values that is no list")
        return {}
    return _pairs(values, complain, depth + 1)


def _bytes(item: Any, complain: Complain, _depth: int) -> bytes:
    try:
        return base64.b64decode(item) if isinstance(item, str) else b""
    except ValueError:
        complain("a bytes value that is not base64")
        return b""


def _int(item: Any, complain: Complain, _depth: int) -> Any:
    if type(item) is int:
        return item
    if isinstance(item, float) and item.is_integer():
        return int(item)
    if isinstance(item, str) and len(item) < 32:
        try:
            return int(item)
        except ValueError:
            pass
    complain("an int value that is no whole number")
    return None


def _double(item: Any, complain: Complain, _depth: int) -> Any:
    if isinstance(item, int | float) and not isinstance(item, bool):
        return item
    if isinstance(item, str) and len(item) < 64:
        try:
            return float(item)
        except ValueError:
            pass
    complain("a double value that is no number")
    return None


_Kind = Callable[[Any, Complain, int], Any]
_SPELLED: Final[dict[str, _Kind]] = {
    "stringValue": _string, "intValue": _int, "doubleValue": _double, "boolValue": _bool,
    "arrayValue": _array, "kvlistValue": _kvlist, "bytesValue": _bytes,
}  # fmt: skip
_VALUES: Final[dict[str, _Kind]] = {**_SPELLED, **{k.lower(): v for k, v in _SPELLED.items()}}


def _attributes(holder: Mapping[str, Any], complain: Complain) -> dict[str, Any]:
    found = holder.get("attributes")
    if found is None:
        return {}
    if isinstance(found, dict):
        return {str(k): any_value(v, complain) for k, v in found.items()}
    if not isinstance(found, list):
        complain("attributes that are no list")
        return {}
    return _pairs(found, complain, 0)


def attributes_of(holder: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a resource; what cannot be read of them is left out."""
    return _attributes(holder, lambda _what: None)


def _pairs(pairs: list[Any], complain: Complain, depth: int) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for pair in pairs:
        if isinstance(pair, dict) and "key" in pair:
            value = pair.get("value")
            if type(value) is dict and len(value) == 1 and type(value.get("stringValue")) is str:
                out[str(pair["key"])] = value["stringValue"]
            else:
                out[str(pair["key"])] = any_value(value, complain, depth)
        else:
            complain("an attribute without a key")
    return out


# --- fields --------------------------------------------------------------------------------


def _either(holder: Mapping[str, Any], first: str, second: str) -> Any:
    found = holder.get(first)
    return holder.get(second) if found is None else found


def _object(holder: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = holder.get(key)
    return found if isinstance(found, dict) else {}


def _objects(holder: Mapping[str, Any], key: str, complain: Complain) -> Iterator[dict[str, Any]]:
    found = holder.get(key)
    if found is None:
        return
    if not isinstance(found, list):
        complain(f"{key} is no list")
        return
    for item in found:
        if isinstance(item, dict):
            yield item
        else:
            complain(f"{_kind(item)} among {key}")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)[:2000]


def identifier(value: Any, size: int) -> str:
    """An id in lower-case hex; one that is neither hex nor base64 as it is; zeros are no id."""
    if not isinstance(value, str) or not value:
        return ""
    if _HEX.match(value) and len(value) != 4 * -(-size // 3):
        return "" if not value.strip("0") else value.lower()
    try:
        raw = base64.b64decode(value.replace("-", "+").replace("_", "/"), validate=True)
    except (ValueError, binascii.Error):
        return value
    if len(raw) != size:
        return value.lower() if _HEX.match(value) else value
    return raw.hex() if any(raw) else ""


def moment(value: Any) -> int | None:
    """Nanoseconds since the epoch; None for what is no time."""
    if type(value) is int:
        return value if value > 0 else None
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 32:
        return int(value) or None
    if isinstance(value, float) and 0 < value < 1e20:
        return int(value)
    return None


def _enum(value: Any, words: tuple[str, ...], prefix: str) -> str:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 4:
        value = int(value)
    if type(value) is int:
        return words[value] if 0 <= value < len(words) else ""
    word = value.removeprefix(prefix).lower() if isinstance(value, str) else ""
    return word if word in words else ""


def _kind(value: Any) -> str:
    return {dict: "an object", list: "a list", str: "a text", type(None): "null"}.get(
        type(value), "a number"
    )
