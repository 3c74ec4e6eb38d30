"""What an answer asserts: its figures, dates, names and quotes, one by one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from ...records.why import ValueKind
from ...text.dates import date_of
from ...text.tokens import words
from .context import STOP

MOST: Final = 24
"""Values of one answer that are looked into."""
_MONTH: Final = "(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\\.?"
_DATES: Final = re.compile(
    r"(?<![\w./-])(?:[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{4}"
    rf"|{_MONTH}\s+[0-9]{{1,2}}(?:st|nd|rd|th)?(?:,?\s+[0-9]{{4}})?"
    rf"|[0-9]{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:,?\s+[0-9]{{4}})?)(?!\w)",
    re.IGNORECASE,
)
_QUOTES: Final = re.compile(
    '\u201c([^\u201d\n]{2,200})\u201d|\u00ab([^\u00bb\n]{2,200})\u00bb|"([^"\n]{2,200})"|`([^`\n]{2,200})`'
)
_CODES: Final = re.compile(r"(?<![\w@/])(?=[\w./:@-]*[0-9])(?=[\w./:@-]*[A-Za-z])\w[\w./:@-]*\w")
_NUMBERS: Final = re.compile(r"(?<![\w.,-])-?[0-9]+(?:[.,'\u2019\u00a0\u202f][0-9]+)*(?![\w])")
_JOINED: Final = re.compile(r"(?<![\w.,:/-])[0-9]+(?:[:/][0-9]+)+(?!\w|[.,:/-]\w)")
"""Figures that are one value: a time (`07:40`), a score (`3:1`), a fraction (`24/7`)."""
_WITH_UNIT: Final = re.compile(r"(?<![\w.,-])([0-9]+(?:[.,][0-9]+)*)(?=-[A-Za-z]{2,})")
_MARKER: Final = re.compile(r"[ \t#>*_]*[0-9]{1,3}[.)][ \t]")
"""The number of an item in a list, which asserts nothing."""
_NAMES: Final = re.compile(
    r"(?<![\w.])[A-Z][\w'\u2019&-]+(?:\s+(?:of|de|la|van|von|der|the|and|&)?\s*[A-Z][\w'\u2019&-]+)*"
)

Take: TypeAlias = Callable[[ValueKind, str, int], None]
"""Takes a value: its kind, its text, where it stands."""


class Value(NamedTuple):
    """A value of an answer, and where it stands there."""

    text: str
    kind: ValueKind
    at: int


def values_of(answer: str) -> list[Value]:
    """The values of an answer in the order in which they stand there, each once."""
    found: list[Value] = []
    taken: list[tuple[int, int]] = []

    def take(kind: ValueKind, text: str, start: int) -> None:
        end = start + len(text)
        if not text.strip() or any(a < end and start < b for a, b in taken):
            return
        taken.append((start, end))
        found.append(Value(text, kind, start))

    for match in _DATES.finditer(answer):
        if date_of(match.group()) is not None:
            take("date", match.group(), match.start())
    for match in _QUOTES.finditer(answer):
        at = next(i for i in range(1, 5) if match.group(i) is not None)
        take("quote", match.group(at), match.start(at))
    for match in _CODES.finditer(answer):
        text = match.group().rstrip(".:/")
        if _WITH_UNIT.match(answer, match.start()) is None:
            take("name", text, match.start())
    for pattern in (_JOINED, _WITH_UNIT, _NUMBERS):
        for match in pattern.finditer(answer):
            if _MARKER.fullmatch(answer, *_line(answer, match)):
                continue
            take("figure", match.group().rstrip(".,"), match.start())
    for match in _NAMES.finditer(answer):
        _take_name(answer, match, take)
    out: dict[tuple[str, ...], Value] = {}
    for value in sorted(found, key=lambda v: v.at):
        out.setdefault(tuple(words(value.text)) or (value.text,), value)
    return list(out.values())[:MOST]


def _take_name(answer: str, match: re.Match[str], take: Take) -> None:
    """A name, without the word before it that only begins a sentence."""
    text, at = match.group(), match.start()
    first, _, rest = text.partition(" ")
    if _begins_sentence(answer, at) and (first.lower() in STOP or not rest):
        if not rest:
            return
        at += len(first) + 1
        text = rest.lstrip()
        at = answer.index(text, at)
    if text.endswith(("'s", "\u2019s")):
        text = text[:-2]
    if text.lower() in STOP or len(text) < 3:
        return
    take("name", text, at)


def _line(answer: str, match: re.Match[str]) -> tuple[int, int]:
    """From the beginning of a number's line to two characters behind the number."""
    return answer.rfind("\n", 0, match.start()) + 1, min(len(answer), match.end() + 2)


def _begins_sentence(answer: str, at: int) -> bool:
    before = answer[:at].rstrip(' \t*_#>-\u2022"\u201c(')
    return not before or before[-1] in ".!?:\n"
