"""A tool's definition as its provider's request spells it: name, schema, strict mode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .values import word


class ToolSpec(NamedTuple):
    """What a definition says of a tool that the application runs."""

    name: str
    schema: Any
    """JSON schema of its arguments; None when it has none."""
    strict: bool = False
    """The provider holds the model to the schema, in which every property has to be listed."""


def tool_spec(definition: Any) -> ToolSpec | None:
    """Of a tool of OpenAI (chat, the older `functions`, Responses), Anthropic or Bedrock.

    None for a tool that the provider runs, and for what is not understood.
    """
    if not isinstance(definition, Mapping):
        return None
    kind = word(definition.get("type"))
    function = definition.get("function")
    if isinstance(function, Mapping):
        return _spec(function, "parameters", function.get("strict") is True)
    if kind == "function":
        return _spec(definition, "parameters", _is_strict_response_tool(definition))
    if "input_schema" in definition and kind in ("", "custom"):
        return _spec(definition, "input_schema", definition.get("strict") is True)
    if isinstance(definition.get("toolSpec"), Mapping):
        inner = definition["toolSpec"]
        held = inner.get("inputSchema")
        schema = held.get("json") if isinstance(held, Mapping) else None
        return ToolSpec(word(inner.get("name")), schema, inner.get("strict") is True)
    if "parameters" in definition and not kind:
        return _spec(definition, "parameters", False)
    return None


def _spec(holder: Mapping[str, Any], key: str, strict: bool) -> ToolSpec | None:
    name = word(holder.get("name"))
    return ToolSpec(name, holder.get(key), strict) if name else None


def _is_strict_response_tool(tool: Mapping[str, Any]) -> bool:
    """Responses takes a tool that does not say as strict, when its schema allows that."""
    said = tool.get("strict")
    if said is not None:
        return said is True
    schema = tool.get("parameters")
    if not isinstance(schema, Mapping) or schema.get("additionalProperties") is not False:
        return False
    known, required = schema.get("properties"), schema.get("required")
    return (
        isinstance(known, Mapping)
        and isinstance(required, list | tuple)
        and all(name in required for name in known)
    )
