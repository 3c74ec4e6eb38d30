"""The parts of a content: the reading that the chat-like dialects share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, Final

from .media import media_type
from .types import Part, PartKind
from .values import compact, word

TEXTS: Final = frozenset({"text", "input_text", "output_text"})
"""Types of parts that are nothing but text."""
_REASONING: Final = frozenset({"thinking", "reasoning", "reasoning_text", "summary_text"})


Reader = Callable[[Any, Any], tuple[Part, ...]]


def bounded(parts: Reader) -> Reader:
    """A reader of parts that takes a value nested too deep to follow as one opaque part."""

    @wraps(parts)
    def read_parts(self: Any, value: Any) -> tuple[Part, ...]:
        try:
            return parts(self, value)
        except RecursionError:
            return (opaque(value),)

    return read_parts


def read(content: Any, kind: PartKind = "text", name: str = "", id_: str = "") -> Iterator[Part]:
    """The parts of a content; its texts are of the kind that is given."""
    if isinstance(content, str):
        yield Part(kind, content, name, id_)
    elif isinstance(content, list | tuple):
        for part in content:
            yield from _read_part(part, kind, name, id_)
    elif content is not None:
        yield opaque(content)


def _read_part(part: Any, kind: PartKind, name: str, id_: str) -> Iterator[Part]:
    if isinstance(part, str):
        yield Part(kind, part, name, id_)
        return
    if not isinstance(part, dict):
        yield opaque(part)
        return
    type_ = word(part.get("type"))
    text = part.get("text")
    if isinstance(text, dict) and isinstance(text.get("value"), str):  # of a stored thread
        text = text["value"]
    if isinstance(text, str) and (not type_ or type_ in TEXTS):
        yield Part(kind, text, name, id_)
    elif type_ == "refusal" and isinstance(part.get("refusal"), str):
        yield Part("refusal", part["refusal"])
    elif type_ in _REASONING:
        yield from reasoning(text if text is not None else part.get(type_, part.get("content")))
    elif (found := media_type(part)) is not None:
        yield Part("media", "", found)
    else:
        yield opaque(part)


def reasoning(value: Any) -> Iterator[Part]:
    """The texts of a model's reasoning, given as a text or as a list of parts."""
    for part in read(value, "reasoning"):
        yield part if part.kind == "reasoning" else Part("reasoning", part.text)


def calls(value: Any) -> Iterator[Part]:
    """The entries of `tool_calls`."""
    for call in value if isinstance(value, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            function = call.get("custom") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            yield opaque(call)
            continue
        arguments = function.get("arguments", function.get("input"))
        yield Part(
            "tool_call", argument_text(arguments), word(function.get("name")), word(call.get("id"))
        )


def argument_text(arguments: Any) -> str:
    """Arguments as JSON text: as they stand when they are a text; empty when there are none."""
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else compact(arguments)


def opaque(value: Any) -> Part:
    """A part that is not understood, as its compact JSON."""
    return Part("opaque", compact(value))


def definition(value: dict[str, Any], name: str) -> Part:
    """A tool's definition."""
    return Part("definition", compact(value), name)
