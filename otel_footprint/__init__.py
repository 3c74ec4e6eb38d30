"""otel_footprint: OpenTelemetry evidence of what every model call of an agent was made of.

    import otel_footprint as footprint

    client = footprint.wrap(OpenAI())

Importing this package imports no SDK, no exporter and no agent framework, and has no side effects.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .adapters.default import feedback, tool, turn, wrap
    from .adapters.footprint import Footprint
    from .config import Budget
    from .errors import DeclarationError, FootprintError, MissingExtraError, TrailError
    from .run.state import propagate, suppress
    from .telemetry.setup import configure

_WHERE = {
    "Budget": "config",
    "DeclarationError": "errors",
    "Footprint": "adapters.footprint",
    "FootprintError": "errors",
    "MissingExtraError": "errors",
    "TrailError": "errors",
    "configure": "telemetry.setup",
    "feedback": "adapters.default",
    "propagate": "run.state",
    "suppress": "run.state",
    "tool": "adapters.default",
    "turn": "adapters.default",
    "wrap": "adapters.default",
}

__all__ = [
    "Budget",
    "DeclarationError",
    "Footprint",
    "FootprintError",
    "MissingExtraError",
    "TrailError",
    "configure",
    "feedback",
    "propagate",
    "suppress",
    "tool",
    "turn",
    "wrap",
]


def __getattr__(name: str) -> Any:
    where = _WHERE.get(name)
    if where is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{where}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
