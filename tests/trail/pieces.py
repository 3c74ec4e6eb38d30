"""Pieces as tests declare them."""

from __future__ import annotations

from typing import Any, NamedTuple


class Piece(NamedTuple):
    """A piece as a test declares it."""

    value: Any
    source: str
    role: str = ""
    id: str = ""
    reason: str = ""
    frame: str = ""
    identity: str = ""
    """What makes it itself; empty: its JSON."""


def system(text: str, **more: Any) -> Piece:
    return Piece({"role": "system", "content": text}, "base", "system", **more)


def user(text: str, **more: Any) -> Piece:
    return Piece({"role": "user", "content": text}, "user", "user", **more)


def assistant(text: str | None, *calls: tuple[str, str, str], **more: Any) -> Piece:
    value: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        value["tool_calls"] = [
            {"id": i, "type": "function", "function": {"name": n, "arguments": a}}
            for i, n, a in calls
        ]
    return Piece(value, "assistant", "assistant", **more)


def result(id_: str, text: str, **more: Any) -> Piece:
    value = {"role": "tool", "tool_call_id": id_, "content": text}
    return Piece(value, "tool-result", "tool", id_, **more)


def tool(name: str, description: str = "") -> Piece:
    function = {"name": name, "description": description, "parameters": {"type": "object"}}
    return Piece({"type": "function", "function": function}, "registry", "", name)
