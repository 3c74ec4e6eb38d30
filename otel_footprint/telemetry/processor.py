"""Our span processor: finds the inference span that another instrumentation opens for our call.

While a model call of ours runs, it stands in the OpenTelemetry context. The first inference span
that starts there is handed to the call, which writes its summary on it before it ends; every one
that starts there gets the call's id. One that opens before our call without becoming current is
noted for it; one that opens after it, with the call's start, is handed to the call that waits.
All other spans cost a look or two. Imported when it is used: it needs the SDK.
"""

from __future__ import annotations

from typing import Any

from opentelemetry.context import Context, get_current
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor

from . import inference, names
from .context import CALL_KEY
from .guard import guard
from .spans import annotate
from .standby import TAPS


class FootprintSpanProcessor(SpanProcessor):
    """Stamps the call's id on foreign inference spans and hands the first one to the call."""

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Looks whether the span belongs to a call of ours."""
        scope = span.instrumentation_scope
        name = scope.name if scope is not None else ""
        if name == names.SCOPE:
            return
        with guard("processor.on_start"):
            here = get_current() if parent_context is None else parent_context
            call: Any = here.get(CALL_KEY)
            if call is None and not name.startswith(inference.INSTRUMENTATIONS):
                return
            if not inference.is_inference(span, name, call is not None) or not span.is_recording():
                return
            if call is None:
                call = inference.waiting_for(span.start_time)
            if call is None:
                inference.started(span)
                return
            annotate(span, {names.CALL_ID: call.call_id})
            if not call.adopted:
                call.adopted = True
                call.adopt(span)

    def on_end(self, span: ReadableSpan) -> None:
        """Hands the span to whoever looks at spans in this process."""
        for tap in TAPS:
            tap(span)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:  # noqa: ARG002
        """Nothing waits here."""
        return True
