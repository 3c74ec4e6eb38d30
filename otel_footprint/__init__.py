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
    from .arguments import Arguments, Ask
    from .config import Budget
    from .errors import DeclarationError, FootprintError, MissingExtraError, TrailError
    from .injection import (
        Step,
        after_tool,
        always,
        fact,
        from_action,
        injection,
        instruction,
        memory,
        on_action,
        on_tool_return,
        rag,
        skill,
        sliding_window,
        steering,
        summarise_oldest,
        token_budget,
        until,
    )
    from .records.frames import is_said_by_person
    from .run.crediting import credit
    from .run.remote import extract, inject
    from .run.state import propagate, suppress
    from .scripts import Scripts
    from .telemetry.setup import configure
    from .trail import Trail
    from .trail.asking import read

_WHERE = {
    "Arguments": "arguments",
    "Ask": "arguments",
    "Budget": "config",
    "DeclarationError": "errors",
    "Footprint": "adapters.footprint",
    "FootprintError": "errors",
    "MissingExtraError": "errors",
    "Scripts": "scripts",
    "Step": "injection",
    "TrailError": "errors",
    "after_tool": "injection",
    "always": "injection",
    "Trail": "trail",
    "configure": "telemetry.setup",
    "credit": "run.crediting",
    "extract": "run.remote",
    "fact": "injection",
    "feedback": "adapters.default",
    "from_action": "injection",
    "inject": "run.remote",
    "instruction": "injection",
    "is_said_by_person": "records.frames",
    "memory": "injection",
    "on_action": "injection",
    "on_tool_return": "injection",
    "propagate": "run.state",
    "rag": "injection",
    "skill": "injection",
    "sliding_window": "injection",
    "steering": "injection",
    "summarise_oldest": "injection",
    "read": "trail.asking",
    "suppress": "run.state",
    "token_budget": "injection",
    "tool": "adapters.default",
    "turn": "adapters.default",
    "until": "injection",
    "wrap": "adapters.default",
}

__all__ = [
    "Arguments",
    "Ask",
    "Budget",
    "DeclarationError",
    "Footprint",
    "FootprintError",
    "MissingExtraError",
    "Scripts",
    "Step",
    "Trail",
    "TrailError",
    "after_tool",
    "always",
    "configure",
    "credit",
    "extract",
    "fact",
    "feedback",
    "from_action",
    "inject",
    "injection",
    "instruction",
    "is_said_by_person",
    "memory",
    "on_action",
    "on_tool_return",
    "propagate",
    "rag",
    "read",
    "skill",
    "sliding_window",
    "steering",
    "summarise_oldest",
    "suppress",
    "token_budget",
    "tool",
    "turn",
    "until",
    "wrap",
]


def __getattr__(name: str) -> Any:
    if name == "injection":  # a package of that name, which is the factory when it is called
        return import_module(".injection", __name__)
    where = _WHERE.get(name)
    if where is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{where}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
