"""Days of the calendar in the forms people and programs write them.

`2024-05-20`, `2024/5/20`, `20240520`, `5/20/2024`, `20.05.2024`, `May 20th, 2024` and
`20 May 2024` are one day. A day without a year, or one that can be read in two ways
(`05/06/2024`), is only near it. Names of months are English. Nothing here raises.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, Literal, NamedTuple

_NAMES: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTHS: Final = {
    **{name: i for i, name in enumerate(_NAMES, 1)},
    **{name[:3]: i for i, name in enumerate(_NAMES, 1)},
    "sept": 9,
}
_TH: Final = r"(?:st|nd|rd|th)?"
_END: Final = r"(?=t[0-9]|(?!\w))"
_MONTH: Final = "(?P<name>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_FORMS: Final = tuple(
    re.compile(form, re.ASCII)
    for form in (
        r"(?P<y>[0-9]{4})([-/.])(?P<m>[0-9]{1,2})\2(?P<d>[0-9]{1,2})",
        r"(?P<y>(?:19|20)[0-9]{2})(?P<m>[0-9]{2})(?P<d>[0-9]{2})",
        r"(?P<a>[0-9]{1,2})([-/.])(?P<b>[0-9]{1,2})\2(?P<y>[0-9]{4})",
        rf"{_MONTH}\s+(?P<d>[0-9]{{1,2}}){_TH}(?:(?:,\s*|\s+)(?P<y>[0-9]{{4}}))?",
        rf"(?P<d>[0-9]{{1,2}}){_TH}\s+(?:of\s+)?{_MONTH}(?:(?:,\s*|\s+)(?P<y>[0-9]{{4}}))?",
    )
)


class Date(NamedTuple):
    """A day of the calendar; without a year when none was written."""

    year: int | None
    month: int
    day: int


def date_of(value: object) -> Date | None:
    """The day that a text value names, when it is a date in one reading and nothing else."""
    if not isinstance(value, str) or len(value) > 40:
        return None
    text = value.strip().lower()
    for form in _FORMS:
        match = form.fullmatch(text)
        if match:
            return _date(match.groupdict())
    return None


def _date(part: dict[str, str | None]) -> Date | None:
    year = int(part["y"]) if part["y"] else None
    if "a" in part:
        a, b = int(part["a"] or 0), int(part["b"] or 0)
        both = {_valid(year, a, b), _valid(year, b, a)} - {None}
        return both.pop() if len(both) == 1 else None
    name = part.get("name")
    month = _MONTHS[name] if name else int(part["m"] or 0)
    return _valid(year, month, int(part["d"] or 0))


def _valid(year: int | None, month: int, day: int) -> Date | None:
    if not 1 <= month <= 12 or year == 0:
        return None
    days = calendar.monthrange(year or 2024, month)[1]
    return Date(year, month, day) if 1 <= day <= days else None


_NUMERIC: Final = re.compile(r"[0-9]{4}[-/.]|[-/.][0-9]{4}|[0-9]{8}")
_ANY_NAME: Final = re.compile("|".join(name[:3] for name in _NAMES))


class _DateWords(dict[str, str]):
    """Tokens of which a date may be made; empty for another one. Emptied when it grows large."""

    def __missing__(self, token: str) -> str:
        found = _NUMERIC.search(token) or _ANY_NAME.search(token)
        made = token if found else ""
        if len(token) <= 64:
            if len(self) >= _WORDS_KEPT:
                self.clear()
            self[token] = made
        return made


_WORDS_KEPT: Final = 100_000
_date_words: Final = _DateWords()


def date_words(found: Iterable[str]) -> str:
    """Those of some tokens in which a date, or the name of a month, may stand."""
    return " ".join(filter(None, map(_date_words.__getitem__, found)))


class DateSearch:
    """Looks for one day in lower-case texts."""

    __slots__ = ("_day", "_names", "_numeric", "_worded", "_year", "_years")

    def __init__(self, date: Date) -> None:
        made = _patterns(date)
        self._names, self._worded, self._numeric = made
        self._day = str(date.day)
        self._year = str(date.year) if date.year else ""
        self._years = tuple(by + self._year for by in "-/.") if date.year else ()

    def spelled_in(self, text: str) -> Literal["date", "near"] | None:
        """`date`: the day itself stands here; `near`: without its year, or in two readings."""
        if self._day not in text:
            return None
        near = False
        if not self._year or self._year in text:
            for how, pattern in self._numeric[: None if self._ends_with_year(text) else 1]:
                for match in pattern.finditer(text):
                    if _starts(text, match):
                        if how == "date":
                            return "date"
                        near = True
                        break
        if self._is_named(text):
            for pattern in self._worded:
                for match in pattern.finditer(text):
                    if not _starts(text, match):
                        continue
                    year = match["y"]
                    if year and year == self._year:
                        return "date"
                    near = near or not year or not self._year
        return "near" if near else None

    def may_stand(self, text: str) -> bool:
        """False when a lower-case text, or one whose `date_words` these are, cannot hold it."""
        if self._year in text:
            for _, pattern in self._numeric[: None if self._ends_with_year(text) else 1]:
                if pattern.search(text):
                    return True
        return self._is_named(text)

    def _ends_with_year(self, text: str) -> bool:
        return not self._year or any(mark in text for mark in self._years)

    def _is_named(self, text: str) -> bool:
        return any(name in text for name in self._names)

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Beginning and end of everything in a lower-case text that is the day, or near it."""
        if self._day in text:
            for pattern in (*(p for _, p in self._numeric), *self._worded):
                for match in pattern.finditer(text):
                    if _starts(text, match):
                        yield match.span()


def _starts(text: str, match: re.Match[str]) -> bool:
    """True when the match is not the tail of a longer word or number (but for a leading 0)."""
    at = match.start()
    if at and text[at - 1] == "0" and match.group()[:1] in "123456789":
        at -= 1
    before = text[at - 1] if at else " "
    return not (before.isalnum() or before in "_/.-")


_Numeric = tuple[tuple[Literal["date", "near"], re.Pattern[str]], ...]


@lru_cache(maxsize=1024)
def _patterns(date: Date) -> tuple[tuple[str, ...], tuple[re.Pattern[str], ...], _Numeric]:
    month, day = date.month, date.day
    names = tuple(name for name, i in _MONTHS.items() if i == month)
    short = tuple(name for name in names if len(name) == 3)
    any_name = "(?:" + "|".join(sorted(names, key=len, reverse=True)) + r")\.?"
    year = r"(?:(?:,\s*|\s+)(?P<y>[0-9]{4})(?!\w))?"
    worded = (
        rf"{any_name}\s+0?{day}{_TH}(?!\w){year}",
        rf"{day}{_TH}\s+(?:of\s+)?{any_name}(?!\w){year}",
    )
    full: Literal["date", "near"] = "date" if date.year else "near"
    either: Literal["date", "near"] = "near" if day <= 12 and day != month else full
    y = str(date.year) if date.year else "[0-9]{4}"
    numeric = (
        (full, rf"{y}(?:([-/.])0?{month}\1(?:0)?{day}|{month:02}{day:02}){_END}"),
        (either, rf"(?:0?{month}([-/.])0?{day}\1|0?{day}([-/.])0?{month}\2){y}{_END}"),
    )
    compiled = tuple((how, re.compile(form, re.ASCII)) for how, form in numeric)
    return short, tuple(re.compile(form, re.ASCII) for form in worded), compiled
