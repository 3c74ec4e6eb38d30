"""Whose a record is: the turn of a ledger, the ledger of a tool call."""

from __future__ import annotations

from typing import Final

from ..records.digest import PREVIOUS, unseal
from ..records.trail import Span
from ..telemetry import names
from . import values
from .sorting import Sorted

Key = tuple[str, str]
_DEEP: Final = 10_000


class Owners:
    """The turn of each ledger, and the ledger of each tool call, as far as the records say."""

    def __init__(self, found: Sorted) -> None:
        self.turn_of: dict[str, str] = {}
        """Turn id by ledger id."""
        self._of_span: dict[Key, str] = {}
        self._of_digest: dict[str, str] = {}
        self._of_trace: dict[str, set[str]] = {}
        self._above: dict[Key, str] = {}
        for turn in found.turns.values():
            for span in turn.all:
                self._add_turn(span, turn.id)
        for call in found.calls.values():
            for _, span in call.spans:
                self._note(call.ledger, span)
        for _, span in found.roles:
            self._above.setdefault((span.trace_id, span.span_id), span.parent_id)

    def ledger_of(self, tool: Span) -> str:
        """The ledger of a tool call: of the nearest turn above it, else the one whose digest it
        names as the one before, else the only one of its trace; else empty."""
        at = tool.parent_id
        for _ in range(_DEEP):
            found = self._of_span.get((tool.trace_id, at))
            if found:
                return found
            at = self._above.get((tool.trace_id, at), "")
            if not at:
                break
        named = self._of_digest.get(unseal(values.text(tool.attributes, names.DIGEST))[1])
        if named:
            return named
        here = self._of_trace.get(tool.trace_id, set())
        return next(iter(here)) if len(here) == 1 else ""

    def _add_turn(self, span: Span, turn: str) -> None:
        ledger = values.text(span.attributes, names.LEDGER)
        if not ledger:
            return
        self.turn_of.setdefault(ledger, turn)
        self._note(ledger, span)
        own = span.parent_id if span.name == names.SPAN_TURN_STARTED else span.span_id
        if own and span.name != names.SPAN_TURN_ENDED:
            self._of_span[span.trace_id, own] = ledger

    def _note(self, ledger: str, span: Span) -> None:
        if not ledger:
            return
        self._of_trace.setdefault(span.trace_id, set()).add(ledger)
        turn = values.text(span.attributes, names.TURN_ID)
        if turn:
            self.turn_of.setdefault(ledger, turn)
        digest, _ = unseal(values.text(span.attributes, names.DIGEST))
        if digest:
            self._of_digest[digest[:PREVIOUS]] = ledger
