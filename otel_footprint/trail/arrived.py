"""What arrived: each span once, log records as events of their spans."""

from __future__ import annotations

from collections.abc import Iterable

from ..records.trail import Event, Log, Span
from ..telemetry import names
from . import values


def unique(spans: Iterable[Span]) -> list[Span]:
    """Each span once, in the order of first arrival; of two copies the one that says more.

    Two spans of one id but of another name or kind are two: client and server may share an id.
    """
    out: dict[object, Span] = {}
    for number, span in enumerate(spans):
        same = (span.trace_id, span.span_id, span.name, span.kind)
        key = same if span.span_id else number
        known = out.get(key)
        if known is None or _says(span) > _says(known):
            out[key] = span
    return list(out.values())


def _says(span: Span) -> tuple[bool, int, int]:
    return span.end is not None, len(span.attributes), len(span.events)


def with_logs(spans: list[Span], logs: Iterable[Log]) -> list[Span]:
    """The spans with their log records as events.

    A record of ours whose span is missing stands on a span without a name, which carries what the
    record says of its call; records of others without a span are left out.
    """
    of_span: dict[tuple[str, str], list[Log]] = {}
    for log in logs:
        of_span.setdefault((log.trace_id, log.span_id), []).append(log)
    if not of_span:
        return spans
    out = []
    for span in spans:
        found = of_span.pop((span.trace_id, span.span_id), None) if span.span_id else None
        out.append(span if found is None else _joined(span, found))
    for records in of_span.values():
        for record in records:
            if record.name in names.CATALOG and values.text(record.attributes, names.CALL_ID):
                out.append(_stand_in(record))
    return out


def _joined(span: Span, logs: list[Log]) -> Span:
    known = [(e.name, e.time) for e in span.events]
    more = [log for log in logs if (log.name, log.time) not in known]
    return span._replace(events=(*span.events, *(_event(log) for log in more)))


def _event(log: Log) -> Event:
    attributes = log.attributes
    if log.body not in (None, {}, "") and "body" not in attributes:
        attributes = {**attributes, "body": log.body}
    return Event(log.name, log.time, attributes)


def _stand_in(log: Log) -> Span:
    return Span(
        log.trace_id, "", "", "", "", log.time, None, log.attributes, (_event(log),),
        scope=names.SCOPE,
    )  # fmt: skip


__all__ = ["unique", "with_logs"]
