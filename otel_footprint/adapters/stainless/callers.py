"""What led to this request: another instrumentation's wrapper, or a helper of the SDK.

A wrapper is the first caller outside the SDK. Looking at the call itself sees what looking at
the classes does not: methods that a raw-response accessor has kept, stream managers, and wrappers
that were installed after us. It costs about a microsecond.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from ...telemetry.inference import INSTRUMENTATIONS

_BETWEEN: Final = ("wrapt", "contextlib", "otel_footprint.", "asyncio.")
"""Modules whose frames may lie between the SDK and who called it."""
_MOST: Final = 25
"""Frames that are looked at."""
_VALIDATING: Final = {
    "openai": ("openai.lib._", "openai.lib.streaming."),
    "anthropic": ("anthropic.lib.tools.",),
}
"""Parts of an SDK that hold the arguments of tool calls against a model of their own."""


def validates(package: str, options: Any) -> bool:
    """True when a helper of the SDK `package` made this request, which reads the arguments of tool
    calls by itself: OpenAI's `parse` and `stream` with Pydantic tools, Anthropic's tool runner.

    options: of the request. Older OpenAI SDKs have their helpers beside `create`, with a parser.
    """
    if package == "openai" and callable(getattr(options, "post_parser", None)):
        return True
    frame = sys._getframe(1)  # noqa: SLF001 - the documented way to one's callers
    helpers, inside = _VALIDATING.get(package, ()), package + "."
    for _ in range(_MOST):
        name = frame.f_globals.get("__name__", "")
        if name.startswith(helpers):
            return True
        if (not name.startswith(inside) and not name.startswith(_BETWEEN)) or frame.f_back is None:
            return False
        frame = frame.f_back
    return False


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
