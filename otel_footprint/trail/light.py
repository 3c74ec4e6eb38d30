"""The little of each span that lists and indexes need, at the cost of parsing the line."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

from ..records.trail import Event, Log, Span
from ..telemetry import names
from . import otlp, values

WANTED: Final = frozenset(
    {names.TURN_ID, names.LEDGER, names.CALL_ID, names.SEQ, names.OPERATION, names.AGENT,
     names.CONVERSATION, names.TURN_OUTCOME, names.TURN_TEXT, names.FORMAT_VERSION, *names.OVER,
     names.PARENT_TURN, names.ERROR_TYPE, names.REQUEST_MODEL, names.PROVIDER,
     "openinference.span.kind", "gen_ai.system", "llm.model_name", "llm.provider"}
)  # fmt: skip
"""Attributes of spans that lists and indexes read."""


class Ids(NamedTuple):
    """What an index keeps of a span."""

    trace: str
    start: int | None
    turn: str
    inside: bool
    """True for a turn that is part of another."""


def light(value: Any, complain: otlp.Complain) -> Iterator[Span | Log]:
    """The spans of a decoded document with few of their attributes and events, no links and no
    resource; log records as they are. A document that is not spelled as usual is read whole."""
    try:
        found = list(_usual(value)) if _is_usual(value) else None
    except (TypeError, KeyError, AttributeError, ValueError):
        found = None
    if found is None:
        yield from otlp.records(value, complain)
    else:
        yield from found


def ids(value: Any) -> list[Ids] | None:
    """What an index keeps of each span of a decoded document; None when it is not spelled as
    usual."""
    if not _is_usual(value):
        return None
    try:
        return [
            _ids(span)
            for group in value["resourceSpans"]
            for scope in group["scopeSpans"]
            for span in scope["spans"]
        ]
    except (TypeError, KeyError, AttributeError, ValueError):
        return None


def ids_of(found: Span | Log) -> Ids:
    """The same of a record that was read."""
    a = found.attributes
    if isinstance(found, Log):
        return Ids(found.trace_id, found.time, "", False)
    return Ids(found.trace_id, found.start, values.text(a, names.TURN_ID), names.PARENT_TURN in a)


def _ids(one: dict[str, Any]) -> Ids:
    turn, inside = "", False
    for pair in one["attributes"]:
        key = pair["key"]
        if key == names.TURN_ID:
            turn = values.text({key: otlp.any_value(pair["value"], _quiet)}, key)
        elif key == names.PARENT_TURN:
            inside = True
    return Ids(_trace(one["traceId"]), otlp.moment(one["startTimeUnixNano"]), turn, inside)


@lru_cache(maxsize=1_024)
def _trace(value: Any) -> str:
    return otlp.identifier(value, 16)


def _is_usual(value: Any) -> bool:
    return (
        type(value) is dict
        and "resourceSpans" in value
        and "resourceLogs" not in value
        and "resource_logs" not in value
    )


def _usual(value: dict[str, Any]) -> Iterator[Span]:
    for group in value["resourceSpans"]:
        if "scopeSpans" not in group and group.keys() - {"resource", "schemaUrl"}:
            raise KeyError("scopeSpans")
        for scope in group.get("scopeSpans", ()):
            name = otlp.scope_name(scope)
            for span in scope["spans"]:
                yield _span(span, name)


def _span(one: dict[str, Any], scope: str) -> Span:
    attributes = {}
    for pair in one.get("attributes") or ():
        if pair["key"] in WANTED:
            attributes[pair["key"]] = otlp.any_value(pair["value"], _quiet)
    events = []
    for event in one.get("events") or ():
        name = event.get("name")
        if name == names.EVENT_PRESSURE:
            events.append(Event(name, None, otlp.attributes_of(event)))
        elif name in (names.EVENT_COMPOSED, names.EVENT_ATTACHED):
            events.append(Event(name, None, _number(event)))
    code = (one.get("status") or {}).get("code")
    return Span(
        _trace(one["traceId"]),
        otlp.identifier(one["spanId"], 8),
        otlp.identifier(one.get("parentSpanId"), 8),
        str(one.get("name") or ""),
        "",
        otlp.moment(one.get("startTimeUnixNano")),
        otlp.moment(one.get("endTimeUnixNano")),
        attributes,
        tuple(events),
        (),
        "error" if code in (2, "2", "STATUS_CODE_ERROR") else "",
        "",
        scope,
    )


def _number(event: dict[str, Any]) -> dict[str, Any]:
    """Only the record's number: the columns beside it are long."""
    for pair in event.get("attributes") or ():
        if pair["key"] == names.SEQ:
            return {names.SEQ: otlp.any_value(pair["value"], _quiet)}
    return {}


def _quiet(_what: str) -> None:
    """What cannot be read is named when the line is read whole."""
