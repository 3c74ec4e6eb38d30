"""Exporting so that nothing is lost unseen: bounded requests, and a processor that keeps account.

Imported when it is used: it needs the SDK.
"""

from __future__ import annotations

import inspect
import logging
import math
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from .delivery import SpanId
from .guard import guard
from .sizes import shared_size, span_size

if TYPE_CHECKING:
    from .metrics import Metrics

MAX_BYTES: Final = 3_000_000
"""Bytes of the largest request: receivers refuse 4 MB, and the whole batch with it."""
AT_EXIT: Final = 5.0
"""Seconds that a shutdown waits for the receiver, unless OTEL_EXPORTER_OTLP_TIMEOUT is set."""
EXCESS: Final = 4096
"""Spans known to be lost that are reported early, when no export comes along to do it."""

logger: Final = logging.getLogger("otel_footprint")
Part = tuple[list[ReadableSpan], SpanExportResult, Exception | None]


class BoundedExporter(SpanExporter):
    """Splits a batch so that no request of the exporter inside is larger than `max_bytes`.

    A single span over the bound is sent alone. A part that fails does not keep the others back.
    """

    def __init__(self, inner: SpanExporter, max_bytes: int = MAX_BYTES) -> None:
        self.inner = inner
        self.max_bytes = max_bytes

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Exports all; FAILURE when any part failed, and raises what the exporter raised."""
        return _summary(self.export_parts(spans))

    def export_parts(self, spans: Sequence[ReadableSpan]) -> Iterator[Part]:
        """Exports part by part and says what became of each."""
        for part in self.parts(spans):
            yield _export(self.inner, part)

    def parts(self, spans: Sequence[ReadableSpan]) -> Iterator[list[ReadableSpan]]:
        """The spans, in order, in parts of at most `max_bytes` each."""
        part: list[ReadableSpan] = []
        size = 0
        shared: set[tuple[int, int]] = set()
        for span in spans:
            own = span_size(span)
            around = (id(span.resource), id(span.instrumentation_scope))
            more = own if around in shared else own + shared_size(span)
            if part and size + more > self.max_bytes:
                yield part
                part, size, more = [], 0, own + shared_size(span)
                shared.clear()
            part.append(span)
            shared.add(around)
            size += more
        if part:
            yield part

    def shutdown(self, timeout_millis: float = 30_000) -> None:
        """Shuts the exporter inside down."""
        _shutdown(self.inner, timeout_millis)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Flushes the exporter inside."""
        return self.inner.force_flush(timeout_millis)


def _export(exporter: SpanExporter, part: list[ReadableSpan]) -> Part:
    try:
        return part, exporter.export(part), None
    except Exception as error:
        return part, SpanExportResult.FAILURE, error


def _summary(parts: Iterator[Part]) -> SpanExportResult:
    worst, raised = SpanExportResult.SUCCESS, None
    for _, result, error in parts:
        if result is not SpanExportResult.SUCCESS:
            worst = SpanExportResult.FAILURE
        raised = raised or error
    if raised is not None:
        raise raised
    return worst


def _shutdown(exporter: SpanExporter, timeout_millis: float) -> None:
    stop: Callable[..., None] = exporter.shutdown
    try:
        takes_timeout = "timeout_millis" in inspect.signature(stop).parameters
    except (TypeError, ValueError):
        takes_timeout = False
    if takes_timeout:
        stop(timeout_millis=timeout_millis)
    else:
        stop()


def patience(signal: str = "TRACES") -> float:
    """Seconds that a process waits at its end for a receiver that does not answer."""
    for name in (f"OTEL_EXPORTER_OTLP_{signal}_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"):
        with suppress(ValueError):
            seconds = float(os.environ.get(name, ""))
            if seconds > 0 and math.isfinite(seconds):
                return seconds
    return AT_EXIT


class TrackedBatchSpanProcessor(BatchSpanProcessor):
    """A batch processor that says of each span, once, whether it was acknowledged or lost.

    The SDK drops the oldest spans when its queue is full, without a word. Its queue is first in,
    first out, so whatever went in before a span that arrives at the exporter, and did not arrive
    itself, was dropped. `on_acknowledged(ids)` and `on_lost(ids, reason)` get (trace id, span id)
    pairs; they are called by the exporting thread (or one that flushes), never by one that ends a
    span. Reasons: queue_full, export_failed, shutdown. Losses are also counted in `metrics`.
    """

    def __init__(
        self,
        exporter: SpanExporter,
        on_acknowledged: Callable[[Sequence[SpanId]], None] | None = None,
        on_lost: Callable[[Sequence[SpanId], str], None] | None = None,
        metrics: Metrics | None = None,
        max_queue_size: int | None = None,
        schedule_delay_millis: float | None = None,
        max_export_batch_size: int | None = None,
    ) -> None:
        queue = max_queue_size or _env_number("OTEL_BSP_MAX_QUEUE_SIZE", 2048)
        batch = max_export_batch_size or _env_number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512)
        batch = min(batch, queue)
        self._on_acknowledged = on_acknowledged
        self._on_lost = on_lost
        self._metrics = metrics
        self._most = queue + batch
        self._waiting: dict[SpanId, None] = {}
        """Spans that went in and did not arrive yet, oldest first."""
        self._order = threading.RLock()
        self._closed = False
        self._later: deque[tuple[list[SpanId], str]] = deque()
        self._reporting = False
        self._account = _Account(exporter, self)
        super().__init__(self._account, queue, schedule_delay_millis, batch)
        if hasattr(os, "register_at_fork"):
            forked = weakref.WeakMethod(self._forked)
            os.register_at_fork(after_in_child=lambda: (f := forked()) and f())

    def on_end(self, span: ReadableSpan) -> None:
        """Takes a span into the account and the queue."""
        context = span.context
        if context is None or not context[3] & 1:  # as a tuple: its properties cost 0.1 us each
            return
        key = context[:2]
        with self._order:  # both queues in one order
            if not self._closed:
                waiting = self._waiting
                waiting[key] = None
                BatchSpanProcessor.on_end(self, span)
                if len(waiting) >= self._most + EXCESS:
                    self._report_excess()
                return
        self._report_later([key], "shutdown")

    def shutdown(self) -> None:
        """Exports what waits, for `patience` seconds; what cannot be exported by then is lost.

        The SDK would wait for 30 s, and calls this when the process ends. Who has more time
        flushes first.
        """
        with self._order:
            if self._closed:
                return
            self._closed = True
        waits = patience()
        self._batch_processor.shutdown(timeout_millis=int(waits * 1000))
        with self._order:
            rest = list(self._waiting)
            self._waiting.clear()
        untold = len(rest) + self._account.underway
        if untold:
            logger.warning(
                "%d spans are lost: their receiver did not take them within %g seconds of the "
                "shutdown (OTEL_EXPORTER_OTLP_TIMEOUT sets how long that may take)",
                untold,
                waits,
            )
        self.lost(rest, "shutdown")

    def arrived(self, spans: Sequence[ReadableSpan]) -> None:
        """A batch is at the exporter: what went in before it and is not in it was dropped."""
        with self._order:
            batch = {key for key in map(_key, spans) if key in self._waiting}
            dropped = []
            while batch:
                key = next(iter(self._waiting))
                del self._waiting[key]
                if key in batch:
                    batch.discard(key)
                else:
                    dropped.append(key)
        self.lost(dropped, "queue_full")

    def acknowledged(self, spans: Sequence[SpanId]) -> None:
        """Tells that the receiver took these spans."""
        if spans and self._on_acknowledged is not None:
            with guard("export.acknowledged"):
                self._on_acknowledged(spans)

    def lost(self, spans: Sequence[SpanId], reason: str) -> None:
        """Tells and counts that these spans are lost."""
        if not spans:
            return
        with guard("export.lost"):
            if self._metrics is not None:
                self._metrics.dropped(reason, len(spans))
            if self._on_lost is not None:
                self._on_lost(spans, reason)

    def _report_excess(self) -> None:
        """More wait than the queue and one batch can hold: the oldest are gone for certain."""
        gone = []
        while len(self._waiting) > self._most:
            key = next(iter(self._waiting))
            del self._waiting[key]
            gone.append(key)
        self._report_later(gone, "queue_full")

    def _report_later(self, spans: list[SpanId], reason: str) -> None:
        """Reports from a thread of its own, off the path of whoever ended a span."""
        self._later.append((spans, reason))
        with self._order:
            if self._reporting:
                return
            self._reporting = True
        thread = threading.Thread(target=self._report, name="otel-footprint-lost", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the interpreter is shutting down: nobody is left to tell
            self._reporting = False

    def _report(self) -> None:
        while True:
            with self._order:
                if not self._later:
                    self._reporting = False
                    return
                spans, reason = self._later.popleft()
            self.lost(spans, reason)

    def _forked(self) -> None:
        """In a child process: the SDK has emptied the queue; the parent exports what waited."""
        self._order = threading.RLock()
        self._waiting.clear()
        self._later.clear()
        self._reporting = False


class _Account(SpanExporter):
    """Between the SDK's queue and the exporter: tells the processor what became of each span."""

    def __init__(self, inner: SpanExporter, processor: TrackedBatchSpanProcessor) -> None:
        self._inner = inner
        self._processor = weakref.ref(processor)
        self.underway = 0
        """Spans that are at the exporter: nobody knows yet what becomes of them."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        processor = self._processor()
        if processor is not None:
            processor.arrived(spans)
        self.underway = len(spans)
        return _summary(self._told(spans, processor))

    def _told(
        self, spans: Sequence[ReadableSpan], processor: TrackedBatchSpanProcessor | None
    ) -> Iterator[Part]:
        inner = self._inner
        if isinstance(inner, BoundedExporter):
            parts = inner.export_parts(spans)
        else:
            parts = iter([_export(inner, list(spans))])
        for part in parts:
            self.underway -= len(part[0])
            if processor is not None:
                ids = [_key(span) for span in part[0]]
                if part[1] is SpanExportResult.SUCCESS:
                    processor.acknowledged(ids)
                else:
                    processor.lost(ids, "export_failed")
            yield part

    def shutdown(self, timeout_millis: float = 30_000) -> None:
        _shutdown(self._inner, timeout_millis)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._inner.force_flush(timeout_millis)


def _key(span: ReadableSpan) -> SpanId:
    context = span.context
    return context[:2] if context is not None else (0, 0)


def _env_number(name: str, default: int) -> int:
    text = os.environ.get(name, "").strip()
    number = int(text) if text.isdigit() and text.isascii() else 0
    return number or default
