"""What makes a piece itself: the shared part of every dialect's `identity`.

Left out everywhere: null, empty lists, transport marks. Left as they are: *payloads*, that is JSON
which a model or a tool wrote or which a schema is made of, where null and empty mean something.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

MARKS: Final = frozenset({"cache_control", "cachePoint", "cache_point"})
"""Transport marks: they tell the provider what to cache, a model never sees them."""

PAYLOADS: Final = frozenset(
    {
        "input", "arguments", "args", "parameters", "parametersJsonSchema",
        "parameters_json_schema", "input_schema", "inputSchema", "json_schema", "output_schema",
        "schema", "json", "response", "data", "structured_content",
    }
)  # fmt: skip
"""Keys whose values are kept whole."""

_ZEROS: Final = frozenset({str, int, float, bool, list})


def pruned(value: Any) -> Any:
    """The value without marks, nulls and empty lists, outside payloads.

    A value that is nested too deep, or in itself, is kept whole.
    """
    try:
        return _value(value)
    except RecursionError:
        return dict(value) if type(value) is dict else value


def _value(value: Any) -> Any:
    kind = type(value)
    if kind is dict:
        return _object(value)
    if kind is list or kind is tuple:
        return [_value(v) for v in value if not only_marks(v)]
    return value


def _object(value: dict[str, Any]) -> dict[str, Any]:
    out = {}
    for key, item in value.items():
        if item is None or key in MARKS:
            continue
        kind = type(item)
        if kind is str or key in PAYLOADS:
            out[key] = item
        elif kind is list and not item:
            continue
        elif kind is dict or kind is list:
            out[key] = _value(item)
        else:
            out[key] = item
    return out


def only_marks(value: Any) -> bool:
    """True for a block that is nothing but a transport mark."""
    return type(value) is dict and bool(value) and all(key in MARKS for key in value)


def content(value: Any, part: Callable[[dict[str, Any]], Any]) -> Any:
    """A content's identity: a single text part equals its text, an empty list equals null.

    `part` gives the identity of one part, the text itself when the part is nothing but text.
    """
    if type(value) is not list:
        return pruned(value)
    parts = [part(v) if type(v) is dict else pruned(v) for v in value if not only_marks(v)]
    if len(parts) == 1 and type(parts[0]) is str:
        return parts[0]
    return parts or None


def text_part(part: dict[str, Any], types: frozenset[str]) -> Any:
    """A part without noise; its text when it is one of these text types and nothing else."""
    kind = part.get("type")
    if len(part) == 2 and isinstance(kind, str) and kind in types:
        text = part.get("text")
        if type(text) is str:
            return text
    out = pruned(part)
    kind = out.get("type")
    if isinstance(kind, str) and kind in types and type(out.get("text")) is str:
        if len(out) == 2:
            return out["text"]
        out["type"] = "text"
    return out


def stripped(message: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """An output without its null and empty keys, and those keys as they came."""
    extra = {k: v for k, v in message.items() if v is None or (type(v) is list and not v)}
    if not extra:
        return message, {}
    return {k: v for k, v in message.items() if k not in extra}, extra


def hollow(value: Any) -> bool:
    """True for an empty text, and for an object of nothing but such, zeros and nulls.

    Gateways that fill in every key of an answer write these; clients leave them out.
    """
    if type(value) is dict:
        return bool(value) and all(
            v is None or (type(v) in _ZEROS and not v) for v in value.values()
        )
    return type(value) is str and not value


def without_ids(message: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """A message without the ids of its calls, and whether they had any.

    Gemini and Ollama may leave ids out; clients then make their own when they put an answer back,
    and others leave out those that were given.
    """
    out, had = message, False
    for key in ("parts", "tool_calls"):
        calls = message.get(key)
        if type(calls) is list:
            bare = [_without_id(call) for call in calls]
            out = {**out, key: [value for value, _ in bare]}
            had = had or any(id_ for _, id_ in bare)
    return out, had


def _without_id(call: Any) -> tuple[Any, bool]:
    if type(call) is not dict:
        return call, False
    if "function" in call:
        return {k: v for k, v in call.items() if k != "id"}, bool(call.get("id"))
    for key in ("functionCall", "function_call"):
        inner = call.get(key)
        if type(inner) is dict:
            bare = {k: v for k, v in inner.items() if k != "id"}
            return {**call, key: bare}, bool(inner.get("id"))
    return call, False


def call(value: Any) -> Any:
    """One entry of `tool_calls`: id, name and arguments; its place and default type are noise."""
    if type(value) is not dict:
        return value
    function = value.get("function")
    out = {k: v for k, v in pruned(value).items() if not hollow(v)}
    out.pop("index", None)
    if type(function) is dict:
        out.setdefault("type", "function")
        out["function"] = {
            k: v
            for k, v in function.items()
            if v is not None and k not in ("parsed_arguments", "index", "arguments")
        }
        if (given := arguments(function.get("arguments"))) is not None:
            out["function"]["arguments"] = given
    return out


def arguments(value: Any) -> Any:
    """Arguments as the object that their JSON text says, since clients write it anew with blanks.

    None for a call without any, which some providers write as an empty text and clients as `{}`.
    """
    if type(value) is str and value[:1] == "{":
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
    return None if type(value) in (str, dict) and not value else value
