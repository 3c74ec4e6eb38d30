"""JSON text as the texts a reader sees in it: every key and every value, each a part of its own.

A value of several words must stand inside one of them, so the parts are joined by `BREAK`, which
no search spans. What a result says it *looked for* is the question and no finding: the value of a
key `looked_for` is left out. Nothing here raises.
"""

from __future__ import annotations

import json
from typing import Any, Final

from .tokens import BREAK

MAX_JSON: Final = 4_000_000
"""Longest JSON text, in characters, that is parsed; in a longer one each quote is a break."""
NO_FINDING: Final = frozenset({"looked_for"})
"""Keys whose values repeat the question."""

_JOIN: Final = f" {BREAK} "


def leaf_text(text: str) -> str:
    """The parts of a JSON object or list, joined by breaks; any other text as it is."""
    head = text.lstrip()[:1] if text[:1].isspace() else text[:1]
    if head not in ("{", "["):
        return unbroken(text)
    if len(text) > MAX_JSON:
        return unbroken(text).replace('"', _JOIN)
    try:
        value = json.loads(
            text, object_pairs_hook=tuple, parse_int=str, parse_float=str, parse_constant=str
        )
        out: list[str] = []
        _collect(value, out)
    except (ValueError, RecursionError):
        return unbroken(text)
    if "\\u0001" in text:
        out = [unbroken(part) for part in out]
    return _JOIN.join(out)


def unbroken(text: str) -> str:
    """A text of others, in which the character that is our break is no more than a blank."""
    return text.replace(BREAK, " ") if BREAK in text else text


def _collect(value: Any, out: list[str]) -> None:
    """Parsed JSON whose objects are tuples of pairs and whose numbers are text."""
    kind = type(value)
    if kind is str:
        out.append(value)
    elif kind is tuple:
        for key, item in value:
            out.append(key)
            if key not in NO_FINDING:
                _collect(item, out)
    elif kind is list:
        for item in value:
            _collect(item, out)
    elif kind is bool:
        out.append("true" if value else "false")
