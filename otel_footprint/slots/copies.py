"""Copies of JSON values, to be compared with what comes later.

Python calls 1, 1.0 and True equal, and 0.0 and -0.0; JSON spells them differently. So a value that
holds any of these is compared with a second copy, in which each stands as an `Exact`, and a list of
many as one `Figures`. All the rest of a comparison stays in C, and most messages hold no number.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import filterfalse, repeat
from typing import Any, Final

from ..text.jsontext import plain

Numbers = list[Any] | deque[Any]
_NOWHERE: Final[deque[Any]] = deque(maxlen=0)
_NUMBERS: Final = frozenset({int, float, bool})
_SURE: Final = frozenset({str, type(None)})
"""Types whose equal values have one spelling."""
_NESTING: Final = frozenset({dict, list, tuple})
OBJECTS: Final = 200
"""Objects in one value whose keys are looked at for their order."""
MANY: Final = 8
"""Numbers of a list that are compared together."""


class Exact:
    """A number or boolean that equals only what is spelled like it."""

    __slots__ = ("value",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: float) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        value = self.value
        if other is value:
            return True
        if type(other) is not type(value):
            other = _bare(other)
            if type(other) is not type(value):
                return False
        if other != value:
            return False
        return value != 0 or str(other) == str(value)


class Figures:
    """A list of nothing but numbers and booleans, such as an embedding, like `Exact`."""

    __slots__ = ("kinds", "values", "zeros")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, values: list[Any]) -> None:
        self.values = values
        self.kinds = list(map(type, values))
        self.zeros = _zeros(values)

    def __eq__(self, other: object) -> bool:
        if type(other) is not list or len(other) != len(self.values):
            return False
        if list(map(type, other)) != self.kinds:
            other = list(map(_bare, other))
            if list(map(type, other)) != self.kinds:
                return False
        return other == self.values and (not self.zeros or _zeros(other) == self.zeros)


def _zeros(values: list[Any]) -> list[str]:
    """How each zero is spelled."""
    return list(map(str, filterfalse(None, values)))


def _bare(value: Any) -> Any:
    """The number that JSON spells for one of a type of its own: of an IntEnum, of NumPy."""
    kind = type(value)
    if issubclass(kind, float):
        return float.__float__(value)
    return int.__int__(value) if issubclass(kind, int) and kind is not bool else value


_TRUE: Final = Exact(True)
_FALSE: Final = Exact(False)


def copy(value: Any, numbers: Numbers = _NOWHERE) -> Any:
    """A copy of the containers of a JSON value; its strings are shared.

    What is nested too deep, or in itself, becomes what `jsontext.plain` makes of it. The numbers
    and booleans in it are put into `numbers`.
    """
    try:
        return value if type(value) in _SURE else _copy(value, numbers)
    except RecursionError:
        return plain(value)


def _copy(value: Any, numbers: Numbers) -> Any:
    kind = type(value)
    if kind is dict and _SURE.issuperset(map(type, value.values())):
        return value.copy()
    if issubclass(kind, dict):
        items = dict.items(value)
        return {k: v if type(v) in _SURE else _copy(v, numbers) for k, v in items}
    if kind is list:
        return [v if type(v) in _SURE else _copy(v, numbers) for v in value]
    if kind is tuple:
        return tuple([v if type(v) in _SURE else _copy(v, numbers) for v in value])
    if kind not in _NUMBERS:
        value = _bare(value)
        kind = type(value)
    if kind in _NUMBERS:
        numbers.append(value)
    return value


def copies(values: list[Any]) -> tuple[list[Any], list[Any]]:
    """Copies, and what to compare with: those with `Exact` numbers.

    Both are the very same list where there are none. What is nested too deep to be looked at once
    more is compared as it is.
    """
    numbers: list[Any] = []
    made = [copy(v, numbers) for v in values]
    if not numbers:
        return made, made
    try:
        return made, [_exact(v) if _has_numbers(v) else v for v in made]
    except RecursionError:
        return made, made


def _has_numbers(copied: Any) -> bool:
    kind = type(copied)
    if kind is dict:
        kinds = set(map(type, copied.values()))
    elif kind is list or kind is tuple:
        kinds = set(map(type, copied))
    else:
        return kind in _NUMBERS
    if not kinds.isdisjoint(_NUMBERS):
        return True
    if _SURE.issuperset(kinds):
        return False
    return any(map(_has_numbers, copied.values() if kind is dict else copied))


def _exact(copied: Any) -> Any:
    kind = type(copied)
    if kind is dict:
        return {k: v if type(v) is str else _exact(v) for k, v in copied.items()}
    if kind is list:
        if len(copied) >= MANY and _NUMBERS.issuperset(map(type, copied)):
            return Figures(copied)
        return list(map(_exact, copied))
    if kind is tuple:
        return tuple(map(_exact, copied))
    if kind is bool:
        return _TRUE if copied else _FALSE
    return Exact(copied) if kind in _NUMBERS else copied


def in_order(old: Any, new: Any, room: Iterator[int] | None = None) -> bool:
    """Whether equal values have their keys in the same order, in the first `OBJECTS` of them.

    `old` is a copy. `room` gives one for each object that may still be looked at.
    """
    kind = type(old)
    if kind is dict:
        if [*old] != [*dict.keys(new)]:
            return False
        values: Any = old.values()
        if _SURE.issuperset(map(type, values)):
            return True
        room = iter(range(OBJECTS)) if room is None else room
        if next(room, None) is None:
            return True
        return all(map(in_order, values, dict.values(new), repeat(room)))
    if (kind is list or kind is tuple) and not _NESTING.isdisjoint(map(type, old)):
        room = iter(range(OBJECTS)) if room is None else room
        return all(map(in_order, old, new, repeat(room)))
    return True


__all__ = ["Exact", "Figures", "copies", "copy", "in_order"]
