"""Spans and events: the one door to the OpenTelemetry API on a call's path.

Events go through the sink of the settings: span events (default), log-based events of the same
name and attributes, or both. A log event is not written for a span that was sampled out, and
carries what the span would have said about it (call, agent, turn).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from opentelemetry import trace
from opentelemetry.context import Context, get_current
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
)

from . import names
from .instant import Instant, add_event, instant
from .standby import STANDBY, in_force

Attributes = Mapping[str, Any]
LOG: Final = logging.getLogger("otel_footprint")
SCHEMA_URL: Final = "https://otel-footprint.dev/schemas/1"
_LOG_IDENTITY: Final = (
    names.CALL_ID,
    names.TURN_ID,
    names.AGENT,
    names.SLOT,
    names.TOOL_NAME,
    names.PART,
    names.PARTS,
)


class Spans:
    """Makes our spans and writes our events with one tracer and, when asked, one logger."""

    def __init__(
        self, sink: str, version: str, tracer_provider: Any = None, logger_provider: Any = None
    ) -> None:
        self._events = sink in ("span", "both")
        self._logs = sink in ("log", "both")
        self._version = version
        self._tracer_provider = tracer_provider
        self._logger_provider = logger_provider
        self._tracer: trace.Tracer | None = None
        self._instant: tuple[Any, Instant | None] | None = None
        self._logger: Any = None

    @property
    def provider(self) -> Any:
        """The tracer provider in use: the one handed in, else the global one."""
        return in_force(self._tracer_provider)

    @property
    def tracer(self) -> trace.Tracer:
        """Our tracer; made at first use, so that a provider set later is still found."""
        if STANDBY.provider is not None:
            found: trace.Tracer = self.provider.get_tracer(
                names.SCOPE, self._version, schema_url=SCHEMA_URL
            )
            return found
        if self._tracer is None:
            self._tracer = trace.get_tracer(
                names.SCOPE, self._version, self._tracer_provider, SCHEMA_URL
            )
        return self._tracer

    def start(
        self,
        name: str,
        parent: Context | None,
        attributes: Attributes,
        *,
        client: bool = False,
        start: int | None = None,
        links: Sequence[Link] | None = None,
    ) -> Span:
        """Starts a span; `start` is in ns since the epoch."""
        return self.tracer.start_span(
            name,
            parent,
            SpanKind.CLIENT if client else SpanKind.INTERNAL,
            attributes,
            links,
            start,
            False,
            False,
        )

    def event(
        self,
        span: Span,
        name: str,
        attributes: dict[str, Any],
        time: int | None = None,
        identity: Attributes | None = None,
    ) -> None:
        """Writes an event on a span, as the sink says."""
        if self._events:
            add_event(span, name, attributes, time)
        if self._logs and span.get_span_context().trace_flags.sampled:
            self._log(span, name, attributes, time, identity or {})

    def instant(
        self,
        name: str,
        parent: Context,
        attributes: dict[str, Any],
        events: Sequence[tuple[str, dict[str, Any]]],
        time: int,
        *,
        identity: Attributes | None = None,
        links: Sequence[Link] | None = None,
        before: Callable[[int], None] | None = None,
    ) -> int:
        """A span of no length with its events; its id. All values have to be clean.

        `before(span_id)` is called before the span is handed over.
        """
        direct = self._direct() if self._events and not self._logs else None
        if direct is not None:
            of = trace.get_current_span(parent).get_span_context()
            span_id = direct.span_id()
            if before is not None:
                before(span_id)
            direct.write(span_id, name, of, attributes, events, time, links or ())
            return span_id
        span = self.start(name, parent, attributes, start=time, links=links)
        span_id = span.get_span_context().span_id
        if before is not None:
            before(span_id)
        said = {**attributes, **(identity or {})}
        for event, values in events:
            self.event(span, event, values, time, said)
        span.end(time)
        return span_id

    def _direct(self) -> Instant | None:
        provider = self.provider
        if self._instant is None or self._instant[0] is not provider:
            self._instant = (provider, instant(provider, self.tracer))
        return self._instant[1]

    def _log(
        self, span: Span, name: str, attributes: dict[str, Any], time: int | None, more: Attributes
    ) -> None:
        from opentelemetry._logs import LogRecord, SeverityNumber

        if self._logger is None:
            self._logger = self._new_logger()
        own = {k: more[k] for k in _LOG_IDENTITY if k in more}
        self._logger.emit(
            LogRecord(
                timestamp=time,
                context=trace.set_span_in_context(span),
                severity_number=SeverityNumber.INFO,
                event_name=name,
                attributes={**own, **attributes},
            )
        )

    def _new_logger(self) -> Any:
        from opentelemetry._logs import get_logger, get_logger_provider

        provider = self._logger_provider or get_logger_provider()
        if type(provider).__module__.startswith("opentelemetry._logs"):  # no SDK's
            LOG.warning(
                "No logger provider is set, so no event is recorded with this sink. Call "
                "footprint.configure() before the first call, set one, or use sink='span'."
            )
        return get_logger(names.SCOPE, self._version, self._logger_provider, SCHEMA_URL)


def annotate(span: Span, attributes: Attributes) -> None:
    """Sets attributes on another's span, unless that could evict some of its own.

    An eighth of the span's limit is left to what its owner still has to say.
    """
    limit = getattr(getattr(span, "_limits", None), "max_span_attributes", None)
    held = getattr(span, "attributes", None) or ()
    if limit is None or len(held) + len(attributes) <= limit - limit // 8:
        span.set_attributes(attributes)


def inside(span: Span, parent: Context | None = None) -> Context:
    """A context in which the span is current."""
    return trace.set_span_in_context(span, parent)


def ended(trace_id: int, span_id: int, sampled: bool = True) -> Span:
    """A stand-in for a span that has ended: parent or link of later ones."""
    flags = TraceFlags(TraceFlags.SAMPLED if sampled else TraceFlags.DEFAULT)
    return NonRecordingSpan(SpanContext(trace_id, span_id, False, flags))


def link(trace_id: int, span_id: int, kind: str) -> Link:
    """A link of ours, with its kind."""
    context = SpanContext(trace_id, span_id, False, TraceFlags(TraceFlags.SAMPLED))
    return Link(context, {names.LINK_TYPE: kind})


def ids(span: Span) -> tuple[int, int]:
    """Trace id and span id."""
    context = span.get_span_context()
    return context.trace_id, context.span_id


def current() -> Span:
    """The current span; one that is not recording when there is none."""
    return trace.get_current_span()


def current_in(trace_id: int) -> Context | None:
    """The current context, when its span is one of this trace."""
    context = get_current()
    span = trace.get_current_span(context)
    return context if span.get_span_context().trace_id == trace_id else None


def error_status() -> Status:
    """The error status, without a text that could hold content."""
    return Status(StatusCode.ERROR)
