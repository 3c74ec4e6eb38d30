"""Trace context and baggage in a carrier (headers, a queue message), in the W3C forms.

Our entries stand in the carrier only, never in the current context: there an HTTP instrumentation
would put them on the requests that go to a provider.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any, NamedTuple

from opentelemetry import baggage, trace
from opentelemetry import context as otel
from opentelemetry.baggage.propagation import W3CBaggagePropagator
from opentelemetry.context import Context
from opentelemetry.trace import SpanContext
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

_TRACE = TraceContextTextMapPropagator()
_BAGGAGE = W3CBaggagePropagator()


class Extracted(NamedTuple):
    """What a carrier holds."""

    context: Context
    """The current context with the remote span and the baggage that is not ours."""
    span: SpanContext
    """The remote span; not valid when the carrier names none."""
    entries: dict[str, str]
    """The baggage entries that were asked for."""


def write(
    carrier: MutableMapping[str, str], context: Context | None, entries: Mapping[str, str]
) -> None:
    """Writes `traceparent`, `tracestate` and `baggage`; `context` None: the current one."""
    whole = otel.get_current() if context is None else context
    for name, value in entries.items():
        whole = baggage.set_baggage(name, value, whole)
    _TRACE.inject(carrier, whole)
    _BAGGAGE.inject(carrier, whole)


def read(carrier: Any, wanted: Iterable[str]) -> Extracted:
    """Reads a mapping of headers, or pairs of them (also of bytes); names in any case."""
    plain = dict(_pairs(carrier))
    context = _BAGGAGE.extract(plain, _TRACE.extract(plain, otel.get_current()))
    entries: dict[str, str] = {}
    for name in wanted:
        value = baggage.get_baggage(name, context)
        if isinstance(value, str) and value:
            entries[name] = value
        context = baggage.remove_baggage(name, context)
    remote = _TRACE.extract(plain, Context())
    return Extracted(context, trace.get_current_span(remote).get_span_context(), entries)


def with_current_span(context: Context) -> Context:
    """The context with the current span in place of the remote one, where there is one."""
    span = trace.get_current_span()
    return trace.set_span_in_context(span, context) if span.get_span_context().is_valid else context


def _pairs(carrier: Any) -> Iterable[tuple[str, str]]:
    items = carrier.items() if hasattr(carrier, "items") else carrier
    for name, value in items:
        if isinstance(value, list | tuple):
            value = ",".join(map(_text, value))
        yield _text(name).lower(), _text(value)


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
