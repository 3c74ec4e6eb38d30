"""Where a value stands in a text that carries it: for quotes, and for the words around it.

`text.carriers` says whether a text carries a value; this finds the places, in the raw text, in the
spellings that the search knows. Nothing here raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from .searchable import Needle
from .tokens import canonical, words
from .values import number_of, spelled_numbers

MOST: Final = 64
"""Places that are looked for in one text."""
_MAX: Final = 2_000_000
"""Characters of a text that are looked at."""
_GAP: Final = re.compile(r"(?:[^\w\n]|_){0,9}(?:\n[^\w\n]{0,8})?")
_WORD: Final = re.compile(r"\w")
_WAYS: Final = 64
"""Places at which one token of a value can end, for one place at which the value begins."""
_NUMBER: Final = re.compile(r"(?<![\w.,])[-+]?[0-9][0-9.,]*(?:[eE][+-]?[0-9]{1,2})?(?!\w)")
_UNITS: Final = (
    "eur|euros?|usd|gbp|chf|kg|mg|g|km|cm|mm|m|kmh|mph|h|hrs?|hours?|mins?|minutes?|secs?|s|ms|d|"
    "days?|weeks?|months?|years?|kb|mb|gb|tb|px|pt|pcs|nights?|seats?|people|persons?"
)
_WITH_UNIT: Final = re.compile(
    r"(?<![\w.,/:\-])(?P<number>[0-9]+(?:[.,][0-9]+)*)"
    rf"(?:[-\u2010\u2011\u2013](?P<word>[A-Za-z]{{2,}})|/(?:[A-Za-z]+)|(?:{_UNITS})(?:/[A-Za-z]+)?)"
    r"(?![\w\-])",
    re.IGNORECASE,
)


_BLANKS: Final = re.compile(
    r"(?<![\w.,])[0-9]{1,3}(?: [0-9]{3})+"
    r"(?:,[0-9]{1,2}(?![\w])|(?= ?(?:\u20ac|eur|euros?|chf|kr|z\u0142)(?!\w)))",
    re.IGNORECASE,
)
"""Groups of digits with blanks between them, where a decimal comma or a currency follows."""


class Place(NamedTuple):
    """A stretch of a text."""

    start: int
    end: int


def places(needle: Needle, text: str) -> tuple[Place, ...]:
    """The places at which a value stands, in order; empty when they cannot be made out."""
    text = text[:_MAX]
    found: set[Place] = set()
    for place in _all(needle, text):
        found.add(place)
        if len(found) >= MOST:
            break
    return tuple(sorted(found))


def _all(needle: Needle, text: str) -> Iterator[Place]:
    if needle.number:
        for match in _NUMBER.finditer(text):
            said = match.group().rstrip(".,")
            if canonical(said) == needle.number:
                yield Place(match.start(), match.start() + len(said))
        for start, end, spelled in spelled_numbers(text):
            if spelled == needle.number:
                yield Place(start, end)
        yield from with_unit(needle, text)
    if needle.date is not None:
        lowered = text.lower()
        if len(lowered) == len(text):
            yield from (Place(*place) for place in needle.date.places(lowered))
    if needle.wide and not (needle.number and len(needle.wide) == 1):
        yield from _tokens(needle, text)


def _tokens(needle: Needle, text: str) -> Iterator[Place]:
    """Where the tokens of a value stand one after the other, with little between them.

    Token after token, with the set of places where each can have ended: one pattern for all of
    them would try every way to share out what stands between, which has no bound.
    """
    if len(needle.wide) > 400:
        return
    first, *rest = (re.compile(_token(token), re.IGNORECASE) for token in needle.wide)
    for head in re.finditer(rf"(?<!\w){first.pattern}", text, re.IGNORECASE):
        ends = _ends(first, text, {head.start()})
        for token in rest:
            ends = _ends(token, text, _gaps(text, ends))
            if not ends:
                break
        for end in sorted(ends, reverse=True):
            if not _WORD.match(text, end) and words(text[head.start() : end]) == needle.wide:
                yield Place(head.start(), end)
                break


def _ends(token: re.Pattern[str], text: str, starts: set[int]) -> set[int]:
    """Where a token ends that begins at one of these places; of `1,2` also where `1` does."""
    out: set[int] = set()
    for start in starts:
        found = token.match(text, start)
        if found is None:
            continue
        out.add(found.end())
        if text[found.end() - 1].isdigit():
            out.update(i for i in range(start + 1, found.end()) if text[i] in ".,")
    return out if len(out) <= _WAYS else set(sorted(out)[:_WAYS])


def _gaps(text: str, ends: set[int]) -> set[int]:
    """Where the next token may begin."""
    out: set[int] = set()
    for end in ends:
        found = _GAP.match(text, end)
        out.update(range(end, (found.end() if found else end) + 1))
    return out


def _token(token: str) -> str:
    if number_of(token) is not None:
        return r"[-+$#]?[0-9][0-9.,]{0,24}(?<![.,])"
    return re.escape(token)


def with_unit(needle: Needle, text: str) -> Iterator[Place]:
    """Where a number stands tied to a unit (`14-day`, `1200/month`, `30km`, `1 200,00`).

    The tokens of the search keep such words whole, so that a number is never found inside an id.
    """
    if needle.number is None:
        return
    if needle.grouped:
        for match in _BLANKS.finditer(text[:_MAX]):
            said = match.group().replace(" ", "").replace(",", ".")
            if canonical(said) == needle.number:
                yield Place(*match.span())
    for match in _WITH_UNIT.finditer(text[:_MAX]):
        said = match["number"]
        if (canonical(said) == needle.number) or number_of(said) == needle.number:
            yield Place(*match.span("number"))
