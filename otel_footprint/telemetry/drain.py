"""Off a call's path: what waited in the queue goes to the instruments of one meter.

What one is alarmed by (utilisation, caps exceeded) carries an exemplar, a link to its trace; what
one only sums or plots does not: an exemplar costs bytes and CPU at each record.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.metrics import Meter
from opentelemetry.trace import NonRecordingSpan, SpanContext

from ..config import SLOTS
from . import names
from .buckets import BOUNDARIES
from .guard import guard, take_failures
from .sanitize import clean_text

CALL, ADD, RECORD = range(3)
"""Kinds of queue entries: a model call, an addition to a counter, a value of a histogram."""
MAX_VALUES: Final = 100
"""Values of a label that are told apart; further ones are `OTHER`."""
OTHER: Final = "_other"
"""Stands for all values of a label beyond those."""
MAX_COMBINATIONS: Final = 10_000
"""Combinations of labels that are remembered."""

Labels = tuple[tuple[str, str], ...]
"""Pairs of attribute name and value; empty values are left out."""
_NOWHERE: Final = otel_context.set_value("otel_footprint.nowhere", True, Context())
"""A context without a span; not empty, since SDKs take the current one for an empty one."""


class Drain:
    """Makes the instruments at their first use, bounds the labels, sums counters, records."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._instruments: dict[str, Any] = {}
        self._values: dict[str, set[str]] = {}
        self._attributes: dict[Labels, dict[str, str]] = {}
        self._sums: dict[tuple[str, Labels], list[Any]] = {}
        self._over_limit = 0

    def __call__(self, queue: deque[tuple[Any, ...]], overflow: int) -> None:
        """Empties the queue of what it holds now. `overflow`: entries that were dropped."""
        for _ in range(len(queue)):
            try:
                entry = queue.popleft()
            except IndexError:
                break
            with guard("metrics.drain"):
                self._take(entry)
        self._dropped("metrics_full", overflow)
        self._dropped("failure", take_failures())
        sums, self._sums = self._sums, {}
        for (metric, labels), (n, span) in sums.items():
            with guard("metrics.drain"):
                self._instrument(metric).add(n, self._limited(labels), _context(span))
        if self._over_limit:
            n, self._over_limit = self._over_limit, 0
            labels = ((names.LABEL_REASON, "label_limit"),)
            self._instrument(names.METRIC_DROPPED).add(n, dict(labels), _NOWHERE)

    def _dropped(self, reason: str, n: int) -> None:
        if n:
            self._add(names.METRIC_DROPPED, ((names.LABEL_REASON, reason),), n, None)

    def _take(self, entry: tuple[Any, ...]) -> None:
        kind = entry[0]
        if kind == CALL:
            self._call(*entry[1:])
        elif kind == ADD:
            self._add(*entry[1:])
        else:
            _, metric, labels, value, span = entry
            self._record(metric, labels, value, _context(span))

    def _call(
        self,
        agent: str,
        model: str,
        used: Sequence[int],
        caps: Sequence[int],
        origins: Sequence[str],
        tokens: Sequence[int],
        utilization: float | None,
        calls_left: float | None,
        pieces: Mapping[tuple[str, str], int],
        overhead: float,
        span: SpanContext | None,
    ) -> None:
        context = _context(span)
        who = ((names.AGENT, agent), (names.REQUEST_MODEL, model))
        for slot, filled, cap, origin, size in zip(SLOTS, used, caps, origins, tokens, strict=True):
            where = (*who, (names.SLOT, slot))
            self._record(names.METRIC_TOKENS, where, size, _NOWHERE)
            if cap:
                budget = (*where, (names.LABEL_ORIGIN, origin))
                self._record(names.METRIC_SLOT_UTILIZATION, budget, filled / cap, context)
                if filled > cap:
                    self._add(names.METRIC_SLOT_EXCEEDED, budget, 1, span)
        if utilization is not None:
            self._record(names.METRIC_UTILIZATION, who, utilization, context)
        if calls_left is not None:
            self._record(names.METRIC_CALLS_LEFT, who, calls_left, _NOWHERE)
        for (into, source), n in pieces.items():
            labels = ((names.AGENT, agent), (names.SLOT, into), (names.LABEL_SOURCE, source))
            self._add(names.METRIC_PIECES, labels, n, span)
        self._record(names.METRIC_OVERHEAD, _ON_CALL, overhead, _NOWHERE)

    def _add(self, metric: str, labels: Labels, n: int, span: SpanContext | None) -> None:
        if span is not None and not span.trace_flags.sampled:
            span = None
        found = self._sums.get((metric, labels))
        if found is None:
            self._sums[metric, labels] = [n, span]
        else:
            found[0] += n
            found[1] = span or found[1]

    def _record(self, metric: str, labels: Labels, value: float, context: Context) -> None:
        if math.isfinite(value):
            self._instrument(metric).record(value, self._limited(labels), context)

    def _instrument(self, metric: str) -> Any:
        found = self._instruments.get(metric)
        if found is None:
            entry = names.CATALOG[metric]
            if entry.type == "histogram":
                found = self._meter.create_histogram(
                    metric,
                    entry.unit,
                    entry.meaning,
                    explicit_bucket_boundaries_advisory=list(BOUNDARIES[metric]),
                )
            else:
                found = self._meter.create_counter(metric, entry.unit, entry.meaning)
            self._instruments[metric] = found
        return found

    def _limited(self, labels: Labels) -> dict[str, str]:
        """The labels as attributes; combinations seen before come from a bounded memory."""
        found = self._attributes.get(labels)
        if found is None:
            found = {}
            known = True
            for key, value in labels:
                if value:
                    found[key] = self._value(key, value)
                    known = known and found[key] is not OTHER
            if known and len(self._attributes) < MAX_COMBINATIONS:
                self._attributes[labels] = found
        return found

    def _value(self, key: str, value: str) -> str:
        values = self._values.setdefault(key, set())
        if value not in values:
            if len(values) >= MAX_VALUES:
                self._over_limit += 1
                return OTHER
            values.add(value)
        return clean_text(value)


_ON_CALL: Final = ((names.LABEL_OPERATION, "call"),)


def _context(span: SpanContext | None) -> Context:
    if span is None or not span.trace_flags.sampled:
        return _NOWHERE
    return trace.set_span_in_context(NonRecordingSpan(span), _NOWHERE)
