"""Whether a text can hold a token, told by the letters of the token alone.

To read a text into tokens costs about a hundred times as much as to look for some letters in it.
So each token has *marks*: one of them stands in every lower-case text that holds it. Where a mark
stands, the characters beside it often say that the token is there, or that it is inside another
one; only where they do not has the text to be read. Nothing here raises.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from .tokens import BREAK, tokens

_NUMERIC: Final = re.compile(r"-?([0-9]+)((?:\.[0-9]+)?)((?:e[+-][0-9]+)?)([a-z]*)", re.ASCII)
_INSIDE: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_/@#$+-")
"""Behind a mark: the token goes on. A token loses only `.`, `,`, `:` and `%` at its end."""
_BEFORE: Final = frozenset("abcdefghijklmnopqrstuvwxyz123456789_/.%-")
"""In front of a mark: the token began earlier. Not zeros, of which a token loses some, nor `0x`,
nor what it loses at its beginning."""
_ESCAPES: Final = frozenset("bfnrt")
_TRAILING: Final = ".,:%"
_EDGE: Final = frozenset(f"abcdefghijklmnopqrstuvwxyz0123456789:_-/.,%+@#${BREAK}")
"""What can belong to a token; anything else ends it."""
_NULL: Final = "null"
"""A text of JSON may hold its letters where no value stands."""
_TOKENS: Final = 8
"""Tokens of one value that are looked for by their marks."""
_MOST: Final = 24
"""Places of a mark that are looked at in one text."""


class Mark(NamedTuple):
    """A token and the letters by which it is looked for."""

    token: str
    marks: tuple[str, ...]
    """One of them stands in every lower-case text that holds the token."""
    sure: frozenset[str]
    """Those that are the token by themselves; none where other tokens have to stand beside it."""
    told: bool
    """What stands beside a mark can tell something."""
    zeros: bool
    """Zeros behind the mark are no part of the token (`3.50`)."""


def marks_of(found: Sequence[str]) -> list[Mark]:
    """The marks by which tokens are looked for that stand one after the other: of the longest."""
    if len(found) == 1:
        return [mark_of(found[0])]
    longest = sorted(dict.fromkeys(found), key=len, reverse=True)[:_TOKENS]
    return [mark_of(token, alone=False) for token in longest]


def mark_of(token: str, alone: bool = True) -> Mark:
    """The marks of a token, in ASCII or in any script; `alone`: there are no others to look for."""
    match = _NUMERIC.fullmatch(token)
    if match is None:
        marks: tuple[str, ...] = (token,)
        told, zeros = token.isascii() and BREAK not in token, False
    else:
        digits, fraction, power, unit = match.groups()
        rest = fraction + unit
        marks = (digits[:1],) if power else (digits + rest,)
        if not power and len(digits) > 3:
            marks = (digits + rest, grouped(digits, ",") + rest)
        told, zeros = not power, bool(fraction and not unit)
    alone = alone and told and token != _NULL
    sure = frozenset(m for m in marks if tokens(m) == [token]) if alone else frozenset()
    return Mark(token, marks, sure, told, zeros)


def grouped(digits: str, by: str) -> str:
    """Digits in groups of three."""
    first = len(digits) % 3 or 3
    return by.join([digits[:first], *(digits[i : i + 3] for i in range(first, len(digits), 3))])


def stands(mark: Mark, text: str) -> bool | None:
    """Whether a token stands in a lower-case text; None: the text has to be read.

    The text is a plain one or JSON as it is written, with no other escapes than those of one
    letter, quotes and backslashes. `True` holds for a text in ASCII only.
    """
    looked, maybe = 0, False
    for letters in mark.marks:
        at = text.find(letters)
        while at >= 0:
            if not mark.told or looked >= _MOST:
                return None
            looked += 1
            end = at + len(letters)
            while mark.zeros and text[end : end + 1] == "0":
                end += 1
            if _may_end(text, end) and _may_begin(mark.token, text, at):
                if end == at + len(letters) and letters in mark.sure and _is_alone(text, at, end):
                    return True
                maybe = True
            at = text.find(letters, at + 1)
    return None if maybe else False


def _may_end(text: str, end: int) -> bool:
    return text[end : end + 1] not in _INSIDE


def _may_begin(token: str, text: str, at: int) -> bool:
    before = text[at - 1 : at] if at else ""
    earlier = text[at - 2] if at > 1 else ""
    if before == "x":
        return earlier == "0"
    if before not in _BEFORE or (before == "-" and token[0] in "-0"):
        return True
    return before in _ESCAPES and earlier == "\\"


def _is_alone(text: str, at: int, end: int) -> bool:
    """True for a mark between two characters that belong to no token, in JSON as in plain text."""
    before = text[at - 1] if at else " "
    if before in _EDGE or before == "\\":
        return False
    while text[end : end + 1] in _TRAILING and end < len(text):
        end += 1
    return text[end : end + 1] not in _EDGE
