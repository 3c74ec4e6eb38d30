"""A list of turns while their spans go by: each is told as soon as all its records were seen.

A ledger's last record carries the highest number, so it is known when everything before it has
come, in whatever order. What never becomes whole is told at the end, with what it lacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from ..records.listing import TurnLine
from ..records.trail import SLOT_NAMES, Log, Span
from ..telemetry import names
from . import foreign, values

_TEXT: Final = 400
"""Characters of a person's words that are kept."""
_IMPLICIT: Final = "implicit"
_MOST: Final = 20
"""Kinds of errors that are told of one turn."""


@dataclass(slots=True)
class _Ledger:
    """What was seen of one ledger, or of one trace that is not ours."""

    turn: str = ""
    traces: dict[str, None] = field(default_factory=dict)
    agent: str = ""
    conversation: str = ""
    text: str | None = None
    parent: str = ""
    start: int | None = None
    end: int | None = None
    outcome: str = ""
    seqs: set[int] = field(default_factory=set)
    last: int = 0
    """Number of the last record; 0: it was not seen."""
    calls: set[str] = field(default_factory=set)
    errors: dict[str, None] = field(default_factory=dict)
    pressure: dict[str, None] = field(default_factory=dict)

    def whole(self) -> bool:
        return bool(self.last) and len(self.seqs) >= self.last

    def times(self, span: Span) -> None:
        if span.start is not None:
            self.start = span.start if self.start is None else min(self.start, span.start)
        if span.end is not None:
            self.end = span.end if self.end is None else max(self.end, span.end)


class Overview:
    """Takes spans and log records in any order and tells the turns that are in them."""

    def __init__(self) -> None:
        self._ledgers: dict[str, _Ledger] = {}
        self._told: set[str] = set()
        self._of_span: dict[tuple[str, str], str] = {}
        """Ledger by the turn's own span."""
        self._of_trace: dict[str, str] = {}
        """A ledger of each trace of ours; the last one that began."""
        self._others: dict[str, _Ledger] = {}
        """Traces without a turn of ours, as far as is known."""

    def add(self, found: Span | Log) -> Iterator[TurnLine]:
        """Takes in a span or a log record; the turn that it completed, if it did."""
        if isinstance(found, Log):
            self._add_log(found)
            return
        ledger = self._add_span(found)
        if ledger and self._ledgers[ledger].whole():
            yield self._tell(ledger)

    def rest(self) -> Iterator[TurnLine]:
        """The turns that never became whole, and the traces without a turn of ours."""
        for ledger in list(self._ledgers):
            yield self._tell(ledger)
        for trace, other in self._others.items():
            if trace not in self._of_trace:
                yield _line(other, True)

    # --- taking in -----------------------------------------------------------------------

    def _add_span(self, span: Span) -> str:
        """The ledger that the span belongs to; empty when it belongs to none or was told."""
        a = span.attributes
        call = values.text(a, names.CALL_ID)
        if call:
            return self._add_call(span, call)
        ours = span.scope in (names.SCOPE, "")
        ledger = values.text(a, names.LEDGER) if ours else ""
        if ledger:
            return self._add_turn(span, ledger)
        if ours and values.text(a, names.OPERATION) == names.SPAN_TOOL and names.SEQ in a:
            return self._add_tool(span)
        self._add_other(span)
        return ""

    def _ledger(self, ledger: str, span: Span | Log) -> _Ledger | None:
        if ledger in self._told:
            return None
        found = self._ledgers.setdefault(ledger, _Ledger())
        found.traces[span.trace_id] = None
        self._of_trace[span.trace_id] = ledger
        self._others.pop(span.trace_id, None)
        return found

    def _add_turn(self, span: Span, ledger: str) -> str:
        found = self._ledger(ledger, span)
        if found is None:
            return ""
        a = span.attributes
        seq = values.integer(a, names.SEQ)
        # programs put under an answer stand on the turn's span, and are numbered records
        found.seqs.update(n for n in (seq, *_numbers(span)) if n)
        found.turn = found.turn or values.text(a, names.TURN_ID)
        found.agent = found.agent or values.text(a, names.AGENT)
        found.conversation = found.conversation or values.text(a, names.CONVERSATION)
        found.parent = found.parent or values.text(a, names.PARENT_TURN)
        words = values.texts(a, names.TURN_TEXT)
        if words:
            found.text = "".join(words)[:_TEXT]
        found.times(span)
        _failed(found, span)
        outcome = values.text(a, names.TURN_OUTCOME)
        if outcome and outcome != _IMPLICIT:
            found.outcome, found.last = outcome, seq or 0
        if span.name == names.SPAN_TURN_STARTED:
            self._of_span[span.trace_id, span.parent_id] = ledger
        elif span.name != names.SPAN_TURN_ENDED:
            self._of_span[span.trace_id, span.span_id] = ledger
        return ledger

    def _add_call(self, span: Span, call: str) -> str:
        ledger = call.rpartition(".")[0]
        found = self._ledger(ledger, span)
        if found is None:
            return ""
        a = span.attributes
        found.calls.add(call)
        found.turn = found.turn or values.text(a, names.TURN_ID)
        found.agent = found.agent or values.text(a, names.AGENT)
        found.conversation = found.conversation or values.text(a, names.CONVERSATION)
        found.times(span)
        for number in (values.integer(a, names.SEQ), *_numbers(span)):
            if number:
                found.seqs.add(number)
        for slot, name in zip(SLOT_NAMES, names.OVER, strict=True):
            if values.flag(a, name):
                found.pressure[f"{slot} over"] = None
        for event in span.events:
            if event.name == names.EVENT_PRESSURE:
                _pressed(found, event.attributes, span.name)
        _failed(found, span)
        return ledger

    def _add_tool(self, span: Span) -> str:
        ledger = self._of_span.get((span.trace_id, span.parent_id))
        ledger = ledger or self._of_trace.get(span.trace_id, "")
        found = self._ledger(ledger, span) if ledger else None
        if found is None:
            self._add_other(span)
            return ""
        found.seqs.add(values.integer(span.attributes, names.SEQ) or 0)
        found.seqs.discard(0)
        _failed(found, span)
        return ledger

    def _add_other(self, span: Span) -> None:
        if span.trace_id in self._of_trace:
            return
        if span.scope == names.SCOPE and span.name in (names.SPAN_FEEDBACK, names.SPAN_DOCTOR):
            return  # in traces of their own, which hold no turn
        found = self._others.setdefault(span.trace_id, _Ledger())
        found.traces[span.trace_id] = None
        found.times(span)
        kind = foreign.kind(span)
        if kind == "call":
            found.calls.add(span.span_id)
        if not span.parent_id or (kind == "agent" and not found.agent):
            found.agent = values.text(span.attributes, names.AGENT) or span.name
        found.conversation = found.conversation or values.text(span.attributes, names.CONVERSATION)
        _failed(found, span)

    def _add_log(self, log: Log) -> None:
        call = values.text(log.attributes, names.CALL_ID)
        if not call:
            return
        found = self._ledger(call.rpartition(".")[0], log)
        if found is None:
            return
        found.calls.add(call)
        number = values.integer(log.attributes, names.SEQ)
        if number:
            found.seqs.add(number)
        if log.name == names.EVENT_PRESSURE:
            _pressed(found, log.attributes, "")

    def _tell(self, ledger: str) -> TurnLine:
        self._told.add(ledger)
        return _line(self._ledgers.pop(ledger), False)


def _line(found: _Ledger, other: bool) -> TurnLine:
    return TurnLine(
        turn=found.turn,
        traces=tuple(found.traces),
        agent=found.agent,
        conversation=found.conversation,
        text=found.text,
        parent_turn=found.parent,
        start=found.start,
        end=found.end,
        outcome=found.outcome,
        calls=len(found.calls),
        errors=tuple(found.errors),
        pressure=tuple(found.pressure),
        missing=0 if other else max(found.last, *found.seqs, 0) - len(found.seqs),
        foreign=other,
    )


def _numbers(span: Span) -> Iterator[int | None]:
    """Numbers of the records in a span's events (of compose parts, of what was attached)."""
    for event in span.events:
        yield values.integer(event.attributes, names.SEQ)


def _failed(found: _Ledger, span: Span) -> None:
    kind = values.text(span.attributes, names.ERROR_TYPE)
    if (kind or span.status == "error") and len(found.errors) < _MOST:
        found.errors[kind or "error"] = None


def _pressed(found: _Ledger, a: values.Attributes, span_name: str) -> None:
    slot = values.text(a, names.SLOT) or span_name.removeprefix(names.SPAN_COMPOSE + " ")
    where = slot if slot in SLOT_NAMES else "window"
    found.pressure[f"{where} {values.text(a, names.PRESSURE_STATE) or 'over'}"] = None
