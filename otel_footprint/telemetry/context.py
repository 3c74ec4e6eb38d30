"""The key under which a model call stands in the OpenTelemetry context while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from opentelemetry import context as otel_context

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span

CALL_KEY: Final = otel_context.create_key("otel_footprint.call")


class CallInContext(Protocol):
    """A model call as our span processor sees it."""

    call_id: str
    adopted: bool
    """True once an inference span took this call; the processor sets it."""

    def adopt(self, span: Span) -> None:
        """Called once, from `on_start` of the first inference span under this call."""
        ...


def with_call(call: CallInContext, context: Context | None = None) -> Context:
    """The context (by default the current one) with `call` in it."""
    return otel_context.set_value(CALL_KEY, call, context)
