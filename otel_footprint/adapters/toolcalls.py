"""Tool calls as providers hand them to a hand-written loop."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..errors import DeclarationError


class Asked(NamedTuple):
    """A tool call that the model asked for."""

    name: str
    id: str
    arguments: Any
    """JSON text or an object, as the provider gave it."""


def parse(call: Any) -> Asked:
    """Reads an OpenAI chat or Responses call, or an Anthropic `tool_use` block, object or dict.

    Raises DeclarationError for anything else.
    """
    function = _get(call, "function")
    if function is not None:
        asked = Asked(_get(function, "name"), _get(call, "id"), _get(function, "arguments"))
    elif _get(call, "call_id") is not None:
        asked = Asked(_get(call, "name"), _get(call, "call_id"), _get(call, "arguments"))
    else:
        asked = Asked(_get(call, "name"), _get(call, "id"), _get(call, "input"))
    if not isinstance(asked.name, str):
        raise DeclarationError("turn.tool", type(call), "a tool call of OpenAI or Anthropic")
    return asked._replace(id=asked.id or "")


def arguments(asked: Asked) -> dict[str, Any]:
    """The arguments as keywords. Raises what `json` raises, and TypeError for no object."""
    value = asked.arguments
    if isinstance(value, str):
        value = json.loads(value) if value else {}
    if value is None:
        value = {}
    if not isinstance(value, Mapping):
        raise TypeError(f"the arguments of {asked.name} are no object: {type(value).__name__}")
    return dict(value)


def _get(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(name)
    return getattr(value, name, None)
