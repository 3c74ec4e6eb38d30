"""Which pieces hold a value, and where: the one search of `text`, piece by piece."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from ...text.places import Place, places, with_unit
from ...text.searchable import EXACT, HOWS, Needle
from ...text.tokens import words
from ...text.values import number_of
from .context import STOP
from .view import Piece

UNIT: Final = "unit"
"""Spelling of a number tied to a unit: `14-day`."""
ORDER: Final = (*HOWS[:-1], UNIT)
"""Spellings of the value itself, closest first."""
_NEAR_MAX: Final = 200_000
"""Longest text, in characters, that is looked at for what is near a value."""
_PIECES: Final = re.compile(r"[^\W_]+")
_NUMBERS: Final = re.compile(r"(?<![\w.,])-?[0-9]+(?:[.,][0-9]+)*(?!\w)")
_NUMERALS: Final = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty
twenty thirty forty fifty sixty seventy eighty ninety
"""
_SMALL: Final = _NUMERALS.split()[:21]
_TENS: Final = ["", "", "twenty", *_NUMERALS.split()[22:]]


class Carried(NamedTuple):
    """A piece that holds a value, or something near it."""

    piece: Piece
    part: int
    """The part of the piece that holds it best."""
    how: str
    found: tuple[Place, ...]
    weight: float = 1.0
    """Of something near: how near."""


class Searched(NamedTuple):
    """What a search through pieces found."""

    exact: dict[Piece, Carried]
    read: int
    unread: int


def carriers(needle: Needle, pieces: Iterable[Piece]) -> Searched:
    """The pieces that hold the value itself."""
    exact: dict[Piece, Carried] = {}
    read = unread = 0
    for piece in pieces:
        if piece.parts is None:
            unread += 1
            continue
        read += 1
        best: tuple[int, int, str] | None = None
        cut = False
        for at, text in enumerate(piece.texts):
            how = text.find(needle)
            if how == "unread":
                cut = True
            said = str(how)
            if how not in EXACT:
                if next(with_unit(needle, text.text), None) is None:
                    continue
                said = UNIT
            rank = ORDER.index(said)
            if best is None or rank < best[0]:
                best = (rank, at, said)
        if best is not None:
            _, at, said = best
            exact[piece] = Carried(piece, at, said, places(needle, piece.texts[at].text))
        elif cut:
            read, unread = read - 1, unread + 1
    return Searched(exact, read, unread)


def near(needle: Needle, pieces: Iterable[Piece]) -> list[Carried]:
    """The pieces that hold something near the value, the nearest first."""
    out = []
    for piece in pieces:
        best: Carried | None = None
        for at, text in enumerate(piece.texts):
            if not text.text or len(text.text) > _NEAR_MAX:
                continue
            found = _near(needle, text.text, piece, at)
            if text.find(needle) == "near":
                found = Carried(piece, at, "near", places(needle, text.text), 0.9)
            if found is not None and (best is None or found.weight > best.weight):
                best = found
        if best is not None:
            out.append(best)
    return sorted(out, key=lambda c: -c.weight)


def _near(needle: Needle, text: str, piece: Piece, at: int) -> Carried | None:
    if needle.number is not None:
        return _near_number(needle.number, text, piece, at)
    wanted = needle.wide
    if len(wanted) == 1:
        return _inside(wanted[0], text, piece, at)
    telling = [w for w in dict.fromkeys(wanted) if w not in STOP] or list(dict.fromkeys(wanted))
    held = set(words(text)) | {w.lower() for w in _PIECES.findall(text)}
    share = [w for w in telling if w in held]
    if len(share) * 2 < len(telling) or not share:
        return None
    found = _first(text, max(share, key=len))
    return Carried(piece, at, "words", found, 0.8 * len(share) / len(telling))


def _near_number(number: str, text: str, piece: Piece, at: int) -> Carried | None:
    value = float(number)
    spelled = _spelled_out(value)
    if spelled and (match := re.search(rf"(?<!\w){spelled}(?!\w)", text, re.IGNORECASE)):
        return Carried(piece, at, "in words", (Place(*match.span()),), 0.85)
    digits = number.lstrip("-")
    for match in _NUMBERS.finditer(text):
        other = number_of(match.group())
        if other is None or other == number:
            continue
        if len(digits) >= 3 and abs(float(other) - value) <= max(0.005 * abs(value), 0.01):
            return Carried(piece, at, "rounded", (Place(*match.span()),), 0.6)
        if len(digits) >= 2 and float(other) == value / 100 and value < 100:
            return Carried(piece, at, "share", (Place(*match.span()),), 0.5)
    return _inside(digits, text, piece, at) if len(digits) >= 2 else None


def _inside(token: str, text: str, piece: Piece, at: int) -> Carried | None:
    """A token as a part of a longer word."""
    if len(token) < 2 or token.lower() not in text.lower():
        return None
    pattern = rf"(?<![^\W_]){re.escape(token)}(?![^\W_])"
    match = re.search(pattern, text, re.IGNORECASE)
    if match is None and len(token) >= 4:
        match = re.search(re.escape(token), text, re.IGNORECASE)
    return Carried(piece, at, "part", (Place(*match.span()),), 0.4) if match else None


def _first(text: str, word: str) -> tuple[Place, ...]:
    match = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE)
    return (Place(*match.span()),) if match else ()


def _spelled_out(value: float) -> str:
    """A whole number under 100 in English words; empty for any other."""
    if value != int(value) or not 0 <= value < 100:
        return ""
    tens, ones = divmod(int(value), 10)
    if value <= 20:
        return _SMALL[int(value)]
    return _TENS[tens] + (rf"[- ]{_SMALL[ones]}" if ones else "")
