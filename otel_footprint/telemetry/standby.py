"""Spans handed to a reader in this process: what tests look at, without any exporter.

A tap gets every span that ends on a provider which a Footprint records to. While a provider stands
by, Footprints record to it as long as the application has set none; once it sets its own, that one
is used, as always. Importing this module imports no SDK.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from opentelemetry import trace as trace_api

from ..errors import MissingExtraError

Tap = Callable[[Any], None]
"""Gets an ended span (the SDK's readable one), on the thread that ends it."""
TAPS: Final[list[Tap]] = []


class _Standby:
    provider: Any = None


STANDBY: Final = _Standby()
"""Its `provider` is used where the application has set none; None: there is no such."""


def is_set(provider: object) -> bool:
    """Whether somebody has set this tracer provider: it is not the API's stand-in."""
    return not type(provider).__module__.startswith("opentelemetry.trace") or isinstance(
        provider, trace_api.NoOpTracerProvider
    )


def in_force(own: Any) -> Any:
    """The tracer provider that is recorded to: its own, else the global one, else the standby."""
    if own is not None:
        return own
    found = trace_api.get_tracer_provider()
    standby = STANDBY.provider
    return found if standby is None or is_set(found) else standby


def private_provider() -> Any:
    """A provider that takes every span and exports none. Raises MissingExtraError without SDK."""
    try:
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.sampling import ALWAYS_ON
    except ImportError as error:
        raise MissingExtraError("Capturing a trail", "sdk") from error
    return TracerProvider(sampler=ALWAYS_ON, shutdown_on_exit=False)
