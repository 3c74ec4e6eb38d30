"""The metric set: on a call's path one tuple is put in a queue, all else happens off it.

A record of the SDK costs 7 to 9 microseconds and a model call has a dozen of them, so the queue is
drained when a reader collects (in the callback of an observable instrument that never reports
anything itself; what is recorded there lands in the same collection) and, when nobody collects,
by a short-lived thread each `BOUND` records. Counters are summed first. Exemplars: a record keeps
the span's context (never the span, which would stay alive), and is recorded under it.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from opentelemetry import metrics as api
from opentelemetry.trace import SpanContext

from . import names
from .drain import ADD, CALL, RECORD, Drain, Labels
from .guard import guard

BOUND: Final = 1024
"""Records that wait before a thread drains them."""
CAPACITY: Final = 16 * BOUND
"""Records that wait at most; then the oldest are dropped, and counted."""
LOOK_AGAIN: Final = 1.0
"""Seconds after which a disabled `Metrics` looks for a provider again."""


class Hub:
    """What all our `Metrics` of one meter provider share."""

    def __init__(self, meter: api.Meter) -> None:
        self.queue: deque[tuple[Any, ...]] = deque(maxlen=CAPACITY)
        self._drain = Drain(meter)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._overflow = 0
        self._each: list[weakref.WeakMethod[Callable[[], None]]] = []
        if hasattr(os, "register_at_fork"):
            forked = weakref.WeakMethod(self._forked)
            os.register_at_fork(after_in_child=lambda: (f := forked()) and f())
        meter.create_observable_gauge(names.DRAIN, [self._collected], "", "Never reports.")

    def each_collection(self, work: weakref.WeakMethod[Callable[[], None]]) -> None:
        """Does this before each collection, while its owner lives."""
        self._each = [known for known in self._each if known() is not None] + [work]

    def full(self) -> None:
        """The queue is at its bound: lets a thread drain it."""
        if len(self.queue) >= CAPACITY:
            self._overflow += 1
        if self._thread is not None:
            return
        self._thread = thread = threading.Thread(
            target=self._drained_by_thread, name="otel-footprint-metrics", daemon=True
        )
        try:
            thread.start()
        except RuntimeError:  # the interpreter is shutting down
            self._thread = None

    def drain(self) -> None:
        """Records all that waits now."""
        with self._lock:
            overflow, self._overflow = self._overflow, 0
            self._drain(self.queue, overflow)

    def _drained_by_thread(self) -> None:
        try:
            while len(self.queue) >= BOUND:
                self.drain()
        finally:
            self._thread = None

    def _collected(self, _: api.CallbackOptions) -> Iterable[api.Observation]:
        for known in self._each:
            work = known()
            if work is not None:
                with guard("metrics.collect"):
                    work()
        self.drain()
        return ()

    def _forked(self) -> None:
        """In a child process: what waited is the parent's to record."""
        self.queue.clear()
        self._lock = threading.Lock()
        self._thread = None
        self._overflow = 0


_hubs: Final[weakref.WeakKeyDictionary[Any, Hub]] = weakref.WeakKeyDictionary()
_hubs_lock: Final = threading.Lock()


def _hub(provider: api.MeterProvider) -> Hub | None:
    """The hub of a provider; None for one that records nothing (proxy, no-op, disabled)."""
    if type(provider).__module__.startswith("opentelemetry.metrics"):
        return None
    with _hubs_lock:
        found = _hubs.get(provider)
        if found is None:
            meter = provider.get_meter(names.SCOPE)
            if isinstance(meter, api.NoOpMeter):
                return None
            found = _hubs[provider] = Hub(meter)
    return found


class Metrics:
    """The door to the metric set; every method takes well under a microsecond.

    With no provider handed in the global one is used, also when it is set later. Without an SDK
    provider `enabled` is False and calls do nothing.
    """

    __slots__ = ("_each", "_found", "_look_at", "_provider")

    def __init__(self, meter_provider: api.MeterProvider | None = None) -> None:
        self._provider = meter_provider
        self._found: Hub | None = None
        self._look_at = 0.0
        self._each: list[weakref.WeakMethod[Callable[[], None]]] = []

    @property
    def enabled(self) -> bool:
        """Whether anything is recorded."""
        return self._found is not None or self._look() is not None

    def call(
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
        span: SpanContext | None = None,
    ) -> None:
        """One model call. Sequences follow system, messages, tools; a cap of 0 is none.

        `used` is in the unit of the caps. pieces: pieces that came in, by (slot, source).
        overhead: our own inline time in seconds. Empty texts are left out as labels. The sequences
        and the mapping are kept, not copied: do not change them afterwards.
        """
        found = self._found or self._look()
        if found is not None:
            queue = found.queue
            queue.append(
                (CALL, agent, model, used, caps, origins, tokens, utilization, calls_left, pieces,
                 overhead, span)
            )  # fmt: skip
            if len(queue) >= BOUND:
                found.full()

    def turn_started(
        self, agent: str, allowed: int | None = None, span: SpanContext | None = None
    ) -> None:
        """A turn begins; `allowed` is its action budget when it has one."""
        labels = ((names.AGENT, agent),)
        self.count(names.METRIC_TURNS_STARTED, labels, 1, span)
        if allowed is not None:
            self.record(names.METRIC_ACTIONS_ALLOWED, labels, allowed, span)

    def turn_ended(
        self,
        agent: str,
        outcome: str,
        actions: int,
        allowed: int | None = None,
        span: SpanContext | None = None,
    ) -> None:
        """A turn ends after so many actions, of those `allowed` when it has an action budget."""
        ended = ((names.AGENT, agent), (names.LABEL_OUTCOME, outcome))
        self.count(names.METRIC_TURNS_ENDED, ended, 1, span)
        self.record(names.METRIC_ACTIONS_USED, ended[:1], actions, span)
        if allowed is not None and actions >= allowed:
            self.count(names.METRIC_ACTIONS_EXHAUSTED, ended[:1], 1, span)

    def evicted(
        self, agent: str, slot: str, reason: str, n: int = 1, span: SpanContext | None = None
    ) -> None:
        """Pieces left a slot."""
        labels = ((names.AGENT, agent), (names.SLOT, slot), (names.LABEL_REASON, reason))
        self.count(names.METRIC_EVICTED, labels, n, span)

    def dropped(self, reason: str, n: int = 1) -> None:
        """Records were lost."""
        self.count(names.METRIC_DROPPED, ((names.LABEL_REASON, reason),), n)

    def overhead(self, operation: str, seconds: float, span: SpanContext | None = None) -> None:
        """Our own inline time in an operation other than a model call."""
        self.record(names.METRIC_OVERHEAD, ((names.LABEL_OPERATION, operation),), seconds, span)

    def count(
        self, metric: str, labels: Labels, n: int = 1, span: SpanContext | None = None
    ) -> None:
        """Adds to a counter of the catalogue."""
        self._put((ADD, metric, labels, n, span))

    def record(
        self, metric: str, labels: Labels, value: float, span: SpanContext | None = None
    ) -> None:
        """Records a value in a histogram of the catalogue."""
        self._put((RECORD, metric, labels, value, span))

    def each_collection(self, work: Callable[[], None]) -> None:
        """Does this (a method, held weakly) before each collection, in the collecting thread."""
        self._each.append(weakref.WeakMethod(work))
        if self._found is not None:
            self._found.each_collection(self._each[-1])

    def flush(self) -> None:
        """Records all that waits; for the end of a process and for tests."""
        found = self._found
        if found is not None:
            found.drain()

    def _put(self, item: tuple[Any, ...]) -> None:
        found = self._found or self._look()
        if found is not None:
            queue = found.queue
            queue.append(item)
            if len(queue) >= BOUND:
                found.full()

    def _look(self) -> Hub | None:
        now = time.monotonic()
        if now < self._look_at:
            return None
        self._look_at = now + LOOK_AGAIN
        found = _hub(self._provider or api.get_meter_provider())
        if found is not None:
            for work in self._each:
                found.each_collection(work)
        self._found = found
        return found
