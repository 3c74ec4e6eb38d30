"""A request taken apart into slots and holes, and put together again from texts.

`Claims` is what the dialects take bodies apart with: it keeps the order of the elements and makes
the holes so that reading the layout from left to right takes every piece exactly once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from otel_footprint.text.skeleton import expand

from .types import Hole, Layout
from .values import compact

MAX_FRAME: Final = 480
"""Characters of the longest frame; an element with a longer one stays one piece."""

REST: Final = {"s": Hole("#s"), "m": Hole("#m"), "t": Hole("#t")}
"""Of each slot the hole that takes all its remaining pieces."""
_ONE: Final = {"s": Hole("#s1"), "m": Hole("#m1"), "t": Hole("#t1")}
_TOKENS: Final = re.compile(r'"(#[smt]?\d*)"')
_DEEP: Final = 6
"""Levels of a layout in which holes are looked for."""


class Claims:
    """The elements of the slots (`s`, `m`, `t`), collected in the order of the body."""

    __slots__ = ("_open", "slots")

    def __init__(self) -> None:
        self.slots: dict[str, list[Any]] = {"s": [], "m": [], "t": []}
        self._open: dict[str, tuple[list[Any], int, int]] = {}

    def one(self, into: dict[str, Any], key: str, slot: str, element: Any) -> None:
        """Claims the value under a key as one element."""
        self._close(slot)
        into[key] = _ONE[slot]
        self.slots[slot].append(element)

    def many(self, into: dict[str, Any], key: str, *parts: tuple[str, list[Any]]) -> None:
        """Claims the list under a key: its elements belong to these slots, one after another."""
        holes: list[Any] = []
        for slot, elements in parts:
            self._close(slot)
            self._open[slot] = (holes, len(holes), len(elements))
            holes.append(REST[slot])
            self.slots[slot] += elements
        into[key] = holes

    def _close(self, slot: str) -> None:
        """A later claim follows: the hole before it takes a counted number of pieces."""
        before = self._open.pop(slot, None)
        if before is not None:
            holes, at, number = before
            holes[at] = Hole(f"#{slot}{number}")

    def layout(self, rest: dict[str, Any]) -> Layout:
        """The finished layout."""
        return Layout(self.slots["s"], self.slots["m"], self.slots["t"], rest)


def leading(elements: Sequence[Any], roles: frozenset[str]) -> int:
    """How many elements at the beginning are objects with one of these roles."""
    number = 0
    for element in elements:
        role = element.get("role") if isinstance(element, dict) else None
        if not isinstance(role, str) or role not in roles:
            break
        number += 1
    return number


def frame_of(element: dict[str, Any], key: str, number: int, ones: Sequence[str] = ()) -> str:
    """The element's JSON with `#n` in the list under `key` and `#1` under each key of `ones`.

    Empty when the frame would be longer than `MAX_FRAME`.
    """
    holed: dict[str, Any] = dict(element)
    holed[key] = [Hole(f"#{number}")]
    for other in ones:
        holed[other] = Hole("#1")
    text = layout_text(holed)
    return text if len(text) <= MAX_FRAME else ""


def layout_text(rest: Any) -> str:
    """Compact JSON of a layout or a frame, with a bare token where a `Hole` stands."""
    text = compact(rest)
    if len(_TOKENS.findall(text)) == _holes(rest, _DEEP):
        return _TOKENS.sub(r"\1", text)
    out: list[str] = []
    _write(rest, out, _DEEP)
    return "".join(out)


def _write(value: Any, out: list[str], deep: int) -> None:
    """Writes a layout in which a text of the request reads like a token."""
    kind = type(value)
    if kind is Hole:
        out.append(str.__str__(value))
    elif kind is dict and _holes(value, deep):
        before = "{"
        for key, item in value.items():
            out.append(before + compact({key: 0})[1:-2])
            _write(item, out, deep - 1)
            before = ","
        out.append("}")
    elif kind is list and _holes(value, deep):
        before = "["
        for item in value:
            out.append(before)
            _write(item, out, deep - 1)
            before = ","
        out.append("]")
    else:
        out.append(compact(value))


def _holes(value: Any, deep: int) -> int:
    """How many holes there are."""
    kind = type(value)
    if kind is Hole:
        return 1
    if not deep or (kind is not dict and kind is not list):
        return 0
    number = 0
    for item in value.values() if kind is dict else value:
        inner = type(item)
        if inner is Hole:
            number += 1
        elif inner is dict or inner is list:
            number += _holes(item, deep - 1)
    return number


def rebuild(
    layout: str,
    system: Sequence[str],
    messages: Sequence[str],
    tools: Sequence[str],
    frames: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """The request's compact JSON from its layout's text and the JSON texts of its pieces.

    `frames` holds, under `system`, `messages` and `tools`, the frame of each piece or an empty
    text; a slot that is left out has none. Raises ValueError when the pieces do not fit the layout
    exactly: some are missing, or some are left over.
    """
    given = frames or {}
    slots = {
        "s": _Pieces("system", system, given.get("system")),
        "m": _Pieces("messages", messages, given.get("messages")),
        "t": _Pieces("tools", tools, given.get("tools")),
    }

    def take(slot: str, number: int | None) -> list[str]:
        if slot not in slots:
            raise ValueError("the layout holds a frame's token")
        return slots[slot].elements(number)

    text = expand(layout, take)
    for pieces in slots.values():
        pieces.done()
    return text


class _Pieces:
    """The pieces of a slot, handed over element by element."""

    def __init__(self, name: str, texts: Sequence[str], frames: Sequence[str] | None) -> None:
        if frames is not None and len(frames) != len(texts):
            raise ValueError(f"{name}: {len(texts)} pieces, {len(frames)} frames")
        self.name = name
        self.texts = texts
        self.frames = frames
        self.at = 0

    def elements(self, number: int | None) -> list[str]:
        if number is None:
            return list(self._all())
        return [self._element() for _ in range(number)]

    def _all(self) -> Iterator[str]:
        while self.at < len(self.texts):
            yield self._element()

    def _element(self) -> str:
        frame = self.frames[self.at] if self.frames and self.at < len(self.frames) else ""
        return expand(frame, self._framed) if frame else self._next()

    def _framed(self, slot: str, number: int | None) -> list[str]:
        if slot or number is None:
            raise ValueError(f"{self.name}: a frame holds a layout's token")
        return [self._next() for _ in range(number)]

    def _next(self) -> str:
        if self.at >= len(self.texts):
            raise ValueError(f"{self.name}: {len(self.texts)} pieces are too few for the layout")
        self.at += 1
        return self.texts[self.at - 1]

    def done(self) -> None:
        left = len(self.texts) - self.at
        if left:
            raise ValueError(f"{self.name}: {left} pieces do not fit into the layout")
