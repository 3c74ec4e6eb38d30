"""In which order the ledgers of a turn began, and how its calls are numbered over them.

A call's id says its number in its ledger. A turn that was paused and went on has several ledgers,
each of which numbers from 1; a reader counts on, so that a number means one call of the turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from ..telemetry import names
from . import values
from .compositions import number_of
from .sorting import Sorted

MOST: Final = 1_000_000
"""Calls of one ledger that are believed."""


class Numbering:
    """The ledgers of each turn in order of their beginning, and how many calls stand before."""

    def __init__(self, found: Sorted, turn_of: Mapping[str, str]) -> None:
        """`turn_of`: the turn of each ledger."""
        began: dict[str, int] = {}
        calls: dict[str, int] = {}
        for turn in found.turns.values():
            for span in turn.all:
                ledger = values.text(span.attributes, names.LEDGER)
                _earlier(began, ledger, span.start)
                said = values.integer(span.attributes, names.TURN_CALLS) or 0
                calls[ledger] = max(calls.get(ledger, 0), said if said <= MOST else 0)
        first: dict[str, int] = {}
        for bundle in found.calls.values():
            number = number_of(bundle.id)
            calls[bundle.ledger] = max(calls.get(bundle.ledger, 0), number)
            for _, span in bundle.spans:
                _earlier(first, bundle.ledger, span.start)
        self.ledgers: dict[str, list[str]] = {}
        """Of each turn."""
        for ledger, turn_id in turn_of.items():
            self.ledgers.setdefault(turn_id, []).append(ledger)
        self._before: dict[str, int] = {}
        began = {**first, **began}
        for own in self.ledgers.values():
            own.sort(key=lambda x: (x not in began, began.get(x, 0)))
            self._count(own, calls)

    def _count(self, ledgers: Iterable[str], calls: Mapping[str, int]) -> None:
        before = 0
        for ledger in ledgers:
            self._before[ledger] = before
            before += calls.get(ledger, 0)

    def number(self, call: str, ledger: str) -> int | None:
        """Number of a call in its turn, 1-based; in its ledger where its turn is not known; None
        where its id says none."""
        own = number_of(call)
        return self._before.get(ledger, 0) + own if own else None


def _earlier(times: dict[str, int], ledger: str, start: int | None) -> None:
    if ledger and start is not None:
        times[ledger] = min(start, times.get(ledger, start))
