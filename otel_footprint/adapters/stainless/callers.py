"""Whether another instrumentation has wrapped the method that led to this request.

Its wrapper is the first caller outside the SDK. Looking at the call itself sees what looking at
the classes does not: methods that a raw-response accessor has kept, stream managers, and wrappers
that were installed after us. It costs about a microsecond.
"""

from __future__ import annotations

import sys
from typing import Final

from ...telemetry.inference import INSTRUMENTATIONS

_BETWEEN: Final = ("wrapt", "contextlib", "otel_footprint.", "asyncio.")
_MOST: Final = 25


def instrumented(package: str) -> bool:
    """True when an instrumentation called into the SDK `package` for this request."""
    frame = sys._getframe(1)  # noqa: SLF001 - the documented way to one's callers
    inside = package + "."
    for _ in range(_MOST):
        name = frame.f_globals.get("__name__", "")
        if not name.startswith(inside) and not name.startswith(_BETWEEN):
            return bool(name.startswith(INSTRUMENTATIONS))
        if frame.f_back is None:
            return False
        frame = frame.f_back
    return False
