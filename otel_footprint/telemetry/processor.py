"""Our span processor: finds the inference span that another instrumentation opens under our call.

While a model call of ours runs, it stands in the OpenTelemetry context. The first inference span
that starts there is handed to the call, which writes its summary on it before it ends; every one
that starts there gets the call's id. All other spans cost one look-up. Imported when it is used:
it needs the SDK.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from opentelemetry.context import Context, get_current
from opentelemetry.sdk.trace import Span, SpanProcessor
from opentelemetry.trace import SpanKind

from . import names
from .context import CALL_KEY, CallInContext
from .guard import guard

_LEGACY_TYPE: Final = "llm.request.type"
_LEGACY_TYPES: Final = frozenset({"chat", "completion"})
_LEGACY_SYSTEM: Final = "gen_ai.system"
_SCOPES: Final = (
    "opentelemetry.instrumentation.openai",
    "opentelemetry.instrumentation.anthropic",
    "opentelemetry.instrumentation.genai",
    "openinference.instrumentation",
)
"""Scopes whose CLIENT spans under a model call are inference spans, though they start bare."""


class FootprintSpanProcessor(SpanProcessor):
    """Stamps the call's id on foreign inference spans and hands the first one to the call."""

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Looks whether the span started under a call of ours."""
        call: Any = (get_current() if parent_context is None else parent_context).get(CALL_KEY)
        if call is not None:
            with guard("processor.on_start"):
                _take(span, call)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:  # noqa: ARG002
        """Nothing waits here."""
        return True


def _take(span: Span, call: CallInContext) -> None:
    scope = span.instrumentation_scope
    name = scope.name if scope is not None else ""
    if name == names.SCOPE or not span.is_recording() or not is_inference_start(span, name):
        return
    span.set_attribute(names.CALL_ID, call.call_id)
    if not call.adopted:
        call.adopted = True
        call.adopt(span)


def is_inference_start(span: Span, scope: str) -> bool:
    """Whether a span that just started is an inference span, by what it says of itself so far."""
    attributes: Mapping[str, Any] = span.attributes or {}
    operation = attributes.get(names.OPERATION)
    if operation is not None:
        return operation in names.INFERENCE_OPERATIONS
    legacy = attributes.get(_LEGACY_TYPE)
    if legacy is not None:
        return legacy in _LEGACY_TYPES
    if _LEGACY_SYSTEM in attributes:
        return True
    if span.kind is not SpanKind.CLIENT:
        return False
    return any(key.startswith("gen_ai.") for key in attributes) or (
        not attributes and scope.startswith(_SCOPES)
    )
