"""The little of each span that lists and indexes need, at the cost of parsing the line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ..records.trail import Event, Log, Span
from ..telemetry import names
from . import otlp

WANTED: Final = frozenset(
    {names.TURN_ID, names.LEDGER, names.CALL_ID, names.SEQ, names.OPERATION, names.AGENT,
     names.CONVERSATION, names.TURN_OUTCOME, names.TURN_TEXT, names.FORMAT_VERSION, *names.OVER,
     names.PARENT_TURN, names.ERROR_TYPE, names.REQUEST_MODEL, names.PROVIDER,
     "openinference.span.kind", "gen_ai.system", "llm.model_name", "llm.provider"}
)  # fmt: skip
"""Attributes of spans that lists and indexes read."""


def light(value: Any, complain: otlp.Complain) -> Iterator[Span | Log]:
    """The spans of a decoded document with few of their attributes and events, no links and no
    resource; log records as they are. A document that is not spelled as usual is read whole."""
    try:
        found = list(_usual(value)) if type(value) is dict and "resourceSpans" in value else None
    except (TypeError, KeyError, AttributeError, ValueError):
        found = None
    if found is None or any(key in value for key in ("resourceLogs", "resource_logs")):
        yield from otlp.records(value, complain)
    else:
        yield from found


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
        elif name == names.EVENT_COMPOSED:
            events.append(Event(name, None, _number(event)))
    code = (one.get("status") or {}).get("code")
    return Span(
        otlp.identifier(one["traceId"], 16),
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
