"""Pieces of an element: what the dialects share when they name sources and take results apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from .identity import stripped
from .layout import frame_of
from .types import Item, Source
from .values import word

ROLES: Final[Mapping[str, Source]] = {
    "user": "user",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool-result",
    "function": "tool-result",
    "system": "base",
    "developer": "base",
}
"""Where a message comes from by its role; other roles are `custom`."""

SYSTEM: Final = frozenset({"system", "developer"})
"""Roles whose messages at the beginning belong to the slot `system`."""


def role_of(element: Any) -> str:
    """The role an element has; empty when it has none that is a text."""
    return word(element.get("role")) if isinstance(element, dict) else ""


def tool_name(tool: Any) -> str:
    """The name of a tool's definition, or the type of a built-in one."""
    if not isinstance(tool, dict):
        return ""
    function = tool.get("function")
    inner = word(function.get("name")) if isinstance(function, dict) else ""
    return inner or word(tool.get("name")) or word(tool.get("type"))


def output_of(message: dict[str, Any], role: str = "assistant") -> tuple[Item, dict[str, Any]]:
    """The piece that an answer's message is, and the null and empty keys that were left out of it.

    `role`: that of a message that says none.
    """
    value, left = stripped(message)
    return Item(value, word(message.get("role")) or role, "assistant", "", ""), left


def with_results(
    element: dict[str, Any],
    key: str,
    role: str,
    source: Source,
    result_id: Callable[[Any], str | None],
) -> tuple[Item, ...]:
    """The pieces of a message that carries tool results; empty when it carries none.

    Each block under `key` is a piece: a result (`result_id` gives its call id) is a `tool-result`,
    the others have the message's own source. A further key that holds a text or a container is a
    piece too, so that the frame, which the first piece carries, shows nothing but the shape.
    """
    blocks = element.get(key)
    if type(blocks) is not list:
        return ()
    ids = [result_id(block) for block in blocks]
    first = next((id_ for id_ in ids if id_ is not None), None)
    if first is None:
        return ()
    items = [
        Item(block, role, source if id_ is None else "tool-result", id_ or "", "")
        for block, id_ in zip(blocks, ids, strict=True)
    ]
    if len(element) == 2 and type(element.get("role")) is str and len(role) <= 32:
        frame = _plain_frame(next(iter(element)) == "role", key, element["role"], len(items))
    else:
        items, frame = _with_more(element, key, role, items)
    if not frame:
        return (Item(element, role, "tool-result", first, ""),)
    items[0] = items[0]._replace(frame=frame)
    return tuple(items)


def _with_more(
    element: dict[str, Any], key: str, role: str, blocks: list[Item]
) -> tuple[list[Item], str]:
    items: list[Item] = []
    ones: list[str] = []
    for name, value in element.items():
        if name == key:
            items += blocks
        elif not _shape(name, value):
            ones.append(name)
            items.append(Item(value, role, "custom", "", ""))
    return items, frame_of(element, key, len(blocks), ones)


@lru_cache(maxsize=256)
def _plain_frame(role_first: bool, key: str, role: str, number: int) -> str:
    element = {"role": role, key: []} if role_first else {key: [], "role": role}
    return frame_of(element, key, number)


def _shape(name: str, value: Any) -> bool:
    """True for a value that a frame may show: it holds nothing that anybody said."""
    if value is None or isinstance(value, bool | int | float):
        return True
    return name == "role" and isinstance(value, str) and len(value) <= 32
