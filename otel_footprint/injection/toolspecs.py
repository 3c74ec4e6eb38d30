"""Tools as authors name them: a name, a provider's definition, or a framework's tool object."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ..errors import DeclarationError
from .blank import is_blank
from .pieces import ToolSpec

ALLOWED: Final = (
    "a list of names of tools the agent has, plain functions it has as tools, definitions (dicts "
    "with a name), or tool objects with a name"
)


def read_tools(label: str, tools: Iterable[Any]) -> tuple[tuple[ToolSpec, ...], tuple[str, ...]]:
    """The tools brought along, and the names of those that are claimed.

    A name or a plain function claims a tool that the wrapped agent has already. A definition in a
    provider's form or an object with a `name` is brought along. The order of each is kept;
    DeclarationError for anything else and for one name twice.
    """
    field = f"{label} tools"
    if isinstance(tools, str | Mapping) or not isinstance(tools, Iterable):
        raise DeclarationError(field, tools, ALLOWED)
    specs: list[ToolSpec] = []
    claims: list[str] = []
    for tool in tools:
        spec = _read(tool)
        if spec is None or is_blank(spec.name):
            raise DeclarationError(field, tool, ALLOWED)
        if spec.name in claims or any(spec.name == other.name for other in specs):
            raise DeclarationError(field, spec.name, "each tool once")
        if spec.raw is None and spec.schema is None:
            claims.append(spec.name)
        else:
            specs.append(spec)
    return tuple(specs), tuple(claims)


def _read(tool: Any) -> ToolSpec | None:
    if isinstance(tool, ToolSpec):
        return tool if isinstance(tool.name, str) else None
    if isinstance(tool, str):
        return ToolSpec(tool, "", None, None)
    if isinstance(tool, Mapping):
        return _definition(tool)
    name = getattr(tool, "name", None)
    if isinstance(name, str):
        described = getattr(tool, "description", "")
        return ToolSpec(name, described if isinstance(described, str) else "", None, tool)
    if inspect.isroutine(tool):
        return ToolSpec(tool.__name__, "", None, None)
    return None


def _definition(tool: Mapping[str, Any]) -> ToolSpec | None:
    inner = tool.get("function")
    held = inner if isinstance(inner, Mapping) else tool
    name = held.get("name")
    if not isinstance(name, str):
        return None
    described = held.get("description")
    schema = next(
        (held[key] for key in ("parameters", "input_schema", "inputSchema")
         if isinstance(held.get(key), Mapping)),
        None,
    )  # fmt: skip
    return ToolSpec(name, described if isinstance(described, str) else "", schema, tool)
