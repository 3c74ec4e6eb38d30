"""What became of exported spans: acknowledged or lost, told to whoever wrote text on them.

Needs no SDK: processors of ours (`telemetry.export`) report here, writers listen.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Sequence
from typing import Any, Final, Protocol

from .guard import guard

SpanId = tuple[int, int]
"""Trace id and span id of a span."""

MAX_OPEN: Final = 200_000
"""Spans of which one processor has reported and another has not; beyond it the oldest go."""


class Listener(Protocol):
    """Who wants to know. Called by exporting threads, or by one that flushes; once a span.

    Reasons: see `telemetry.export.TrackedBatchSpanProcessor`.
    """

    def acknowledged(self, spans: Sequence[SpanId]) -> None:
        """Every processor's receiver took these spans."""
        ...

    def lost(self, spans: Sequence[SpanId], reason: str) -> None:
        """These spans did not reach the receiver of at least one processor."""
        ...


class Deliveries:
    """Joins the reports of several processors: a span is acknowledged when all have acknowledged
    it, and lost at the first loss. Listeners are held weakly.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: weakref.WeakSet[Any] = weakref.WeakSet()
        self._providers: weakref.WeakKeyDictionary[Any, set[int]] = weakref.WeakKeyDictionary()
        self._doors: set[int] = set()
        self._next = 0
        self._open: dict[SpanId, int] = {}
        """Spans reported by some of the doors: how many; negative once it was called lost."""

    def subscribe(self, listener: Listener) -> None:
        """Tells `listener` from now on, for as long as somebody else keeps it."""
        with self._lock:
            self._listeners.add(listener)

    def tracks(self, provider: object) -> bool:
        """Whether spans of this tracer provider are reported on."""
        with self._lock:
            return bool(self._providers.get(provider))

    def open(self, provider: object = None) -> Door:
        """A door for one more processor, of `provider`."""
        if self._next == 0 and hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)
        with self._lock:
            self._next += 1
            number = self._next
            self._doors.add(number)
            if provider is not None:
                self._providers.setdefault(provider, set()).add(number)
        return Door(self, number)

    @property
    def opened(self) -> int:
        """How many doors were opened so far: what is known of a provider holds until the next."""
        return self._next

    def close(self, number: int) -> None:
        """That processor reports no more."""
        with self._lock:
            self._doors.discard(number)
            for numbers in self._providers.values():
                numbers.discard(number)
            if len(self._doors) < 2:
                self._open.clear()

    def acknowledge(self, spans: Sequence[SpanId]) -> None:
        """One processor's receiver took these."""
        with self._lock:
            done = list(spans) if len(self._doors) < 2 else self._joined(spans)
            listeners = list(self._listeners)
        for listener in listeners if done else ():
            with guard("delivery.acknowledged"):
                listener.acknowledged(done)

    def lose(self, spans: Sequence[SpanId], reason: str) -> None:
        """One processor lost these."""
        with self._lock:
            first = list(spans) if len(self._doors) < 2 else self._first_lost(spans)
            listeners = list(self._listeners)
        for listener in listeners if first else ():
            with guard("delivery.lost"):
                listener.lost(first, reason)

    def _forked(self) -> None:
        """In a child process: another thread of the parent may have held the lock."""
        self._lock = threading.Lock()
        self._open.clear()

    def _joined(self, spans: Sequence[SpanId]) -> list[SpanId]:
        done = []
        for span in spans:
            seen, was_lost = self._report(span)
            if seen == len(self._doors) and not was_lost:
                done.append(span)
        return done

    def _first_lost(self, spans: Sequence[SpanId]) -> list[SpanId]:
        first = []
        for span in spans:
            _, was_lost = self._report(span, lost=True)
            if not was_lost:
                first.append(span)
        return first

    def _report(self, span: SpanId, lost: bool = False) -> tuple[int, bool]:
        """How many processors have reported on the span, and whether one had lost it before."""
        before = self._open.pop(span, 0)
        was_lost = before < 0
        seen = abs(before) + 1
        if seen < len(self._doors):
            self._open[span] = -seen if lost or was_lost else seen
            if len(self._open) > MAX_OPEN:
                del self._open[next(iter(self._open))]
        return seen, was_lost


class Door:
    """One processor's way to report."""

    __slots__ = ("_number", "_to")

    def __init__(self, to: Deliveries, number: int) -> None:
        self._to = to
        self._number = number

    def acknowledged(self, spans: Sequence[SpanId]) -> None:
        """The receiver took these spans."""
        self._to.acknowledge(spans)

    def lost(self, spans: Sequence[SpanId], reason: str) -> None:
        """These spans are lost."""
        self._to.lose(spans, reason)

    def close(self) -> None:
        """The processor was shut down."""
        self._to.close(self._number)


deliveries: Final = Deliveries()
"""The deliveries of this process: `configure` opens doors here, writers subscribe."""
