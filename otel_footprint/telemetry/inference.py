"""Which spans of others are inference spans, and which one of them waits for a call of ours.

An instrumentation may open its span outside our call without making it current, or only after the
call, with the call's start. Two context variables bring them together: the inference span that
started last here, and the call that left without one. Imports no SDK.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Final, Protocol

from opentelemetry.trace import Span, SpanKind

from . import names

INSTRUMENTATIONS: Final = ("opentelemetry.instrumentation.", "openinference.instrumentation.")
"""How the modules, and so the scopes, of instrumentations begin that wrap methods of an SDK."""
_OPENINFERENCE: Final = "openinference.span.kind"
_LEGACY_TYPE: Final = "llm.request.type"
_LEGACY_TYPES: Final = frozenset({"chat", "completion"})
_LEGACY_SYSTEM: Final = "gen_ai.system"
_SCOPES: Final = (
    "opentelemetry.instrumentation.openai",
    "opentelemetry.instrumentation.anthropic",
    "opentelemetry.instrumentation.genai",
)
"""Scopes whose CLIENT spans beside a model call are inference spans, though they start bare."""
_SLACK: Final = 1_000_000
"""Nanoseconds by which a span that opens late may seem to start after its call."""


class Waiting(Protocol):
    """A call that another instrumentation's span is expected for."""

    call_id: str
    adopted: bool
    started: int

    def adopt(self, span: Span) -> None:
        """Takes the span."""
        ...


_started: ContextVar[weakref.ref[Any] | None] = ContextVar("footprint_inference", default=None)
_waiting: ContextVar[Waiting | None] = ContextVar("footprint_waiting", default=None)


def is_inference(span: Any, scope: str = "", beneath: bool = False) -> bool:
    """Whether a span is an inference span of somebody, by what it says of itself so far.

    `beneath`: it started while a call of ours runs, so that less is enough.
    """
    attributes: Mapping[str, Any] | None = getattr(span, "attributes", None)
    kind = getattr(span, "kind", None)
    if not attributes:
        return kind is SpanKind.CLIENT and scope.startswith(_SCOPES)
    operation = attributes.get(names.OPERATION)
    if operation is not None:
        return operation in names.INFERENCE_OPERATIONS
    inferred = attributes.get(_OPENINFERENCE)
    if inferred is not None:
        return bool(inferred == "LLM")
    legacy = attributes.get(_LEGACY_TYPE)
    if legacy is not None:
        return legacy in _LEGACY_TYPES
    if beneath and _LEGACY_SYSTEM in attributes:
        return True
    return kind is SpanKind.CLIENT and any(key.startswith("gen_ai.") for key in attributes)


def started(span: Span) -> None:
    """Notes the inference span that has just started outside any call of ours."""
    _started.set(weakref.ref(span))


def last_started() -> Any:
    """The inference span that started last here and is still open and unclaimed, else None."""
    ref = _started.get()
    span = None if ref is None else ref()
    if span is None or not span.is_recording() or names.CALL_ID in span.attributes:
        return None
    return span


def wait(call: Waiting | None) -> None:
    """The call that left here without an inference span, though one is expected; None: no more."""
    if call is not None or _waiting.get() is not None:
        _waiting.set(call)


def waiting_for(start: int | None) -> Waiting | None:
    """The call that waits here for a span with this start, if one does."""
    call = _waiting.get()
    if call is None or call.adopted or start is None or start > call.started + _SLACK:
        return None
    return call


__all__ = [
    "INSTRUMENTATIONS",
    "Waiting",
    "is_inference",
    "last_started",
    "started",
    "wait",
    "waiting_for",
]
