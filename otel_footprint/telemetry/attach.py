"""Making a context current, and taking it back without a word when that is not possible.

OpenTelemetry's own `detach` logs an error when the token belongs to another task's context: an
async generator closed from elsewhere would do that on each early exit.
"""

from __future__ import annotations

from contextvars import Token
from typing import Any

from opentelemetry import context as otel
from opentelemetry.context import Context


def attach(context: Context) -> Any:
    """Makes the context current; the token is for `detach`."""
    return otel.attach(context)


def detach(token: Any) -> None:
    """Takes it back; does nothing when the token is another context's."""
    if isinstance(token, Token):
        try:
            token.var.reset(token)
        except (ValueError, RuntimeError):
            return
    else:
        otel.detach(token)
