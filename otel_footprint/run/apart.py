"""A request taken apart: its layout, and what it asks for."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from ..slots.copies import copy
from ..text.jsontext import plain
from ..wire.types import Dialect, Facts, Hole, Layout

_ATOMS: Final = frozenset({str, int, float, bool, type(None), Hole})


class _Known(NamedTuple):
    """The facts of a layout."""

    rest: dict[str, Any]
    types: list[Any]
    facts: Facts


_last: Final[dict[str, _Known]] = {}
"""Of each dialect the last layout: an agent's requests differ in their pieces only."""


def taken_apart(dialect: Dialect, body: dict[str, Any]) -> tuple[dict[str, Any], Layout, Facts]:
    """Body, layout and facts of a request; equal layouts may give the very same facts."""
    try:
        return body, *_apart(dialect, body)
    except Exception:  # an object whose own methods raise: its marker stands for it
        body = plain(body)
        return body, dialect.layout(body), dialect.facts(body)


def _apart(dialect: Dialect, body: dict[str, Any]) -> tuple[Layout, Facts]:
    layout = dialect.layout(body)
    if not dialect.facts_in_layout:
        return layout, dialect.facts(body)
    rest, known = layout.rest, _last.get(dialect.name)
    types = _types(rest)
    if known is not None and known.types == types and _equal(known.rest, rest):
        return layout, known.facts
    facts = dialect.facts(body)
    try:
        if _is_plain(rest):
            _last[dialect.name] = _Known(copy(rest), types, facts)
    except RecursionError:  # nested too deep, or in itself
        pass
    return layout, facts


def _types(rest: dict[str, Any]) -> list[Any]:
    """Keys and types of the values, one level deep: 1 and True are equal, and different facts."""
    out = [*rest, *map(type, rest.values())]
    for value in rest.values():
        if isinstance(value, dict):
            out += value
            out += map(type, value.values())
    return out


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except Exception:  # comparing odd objects runs their code: then it is a new one
        return False


def _is_plain(value: Any) -> bool:
    """False where something would not be copied: an object of the application's, which must not
    live longer than its request and may be edited in the meantime."""
    kind = type(value)
    if kind is dict:
        return all(map(_is_plain, value)) and all(map(_is_plain, value.values()))
    return kind in _ATOMS or ((kind is list or kind is tuple) and all(map(_is_plain, value)))


__all__ = ["taken_apart"]
