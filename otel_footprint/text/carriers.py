"""The one search for carriers: which texts hold a value, and in which spelling.

    found = carriers("2024-05-20", ["fly on May 20", "departs 2024-05-20", '{"date":"20240520"}'])
    found.carriers     # (Carrier(0, "near"), Carrier(1, "verbatim"), Carrier(2, "date"))

A value is found as whole tokens, one after the other, inside one part of a text; never as a
substring of a token. `verbatim`, `tokens` (other case or punctuation, another spelling of a
number), `number` and `date` are the value itself; `near` is a date without its year or with two
readings. A text that is too long to be read answers "cannot tell" (`unread`), never "no", and so
does a value without any token (`checkable`).

Each text is prepared on first need and once (`Searchable`), and kept in a bounded cache. Cold, a
text is read only when it holds the value's letters at all. Nothing here raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, TypeAlias

from .dates import Date, DateSearch, date_of
from .jsonleaves import leaf_text
from .tokens import BREAK, MAX_TOKENS, fold, read, tokens, words
from .values import number_of, numbers_in, value_text

How = Literal["verbatim", "tokens", "number", "date", "near"]
"""How a text spells a value, closest first."""
HOWS: Final[tuple[How, ...]] = ("verbatim", "tokens", "number", "date", "near")
EXACT: Final = frozenset(HOWS[:-1])
"""Spellings of the value itself."""


class Needle:
    """A value, prepared to be looked for."""

    __slots__ = (
        "date",
        "day",
        "first",
        "grouped",
        "marks",
        "number",
        "respells",
        "strict_marks",
        "text",
        "tokens",
        "wide",
    )

    def __init__(self, value: object) -> None:
        self.text = value_text(value)
        """The value as text."""
        self.tokens = tokens(self.text)
        """Its ASCII tokens; what a claim is judged by."""
        self.wide = words(self.text)
        """Its tokens in any script; what the search goes by."""
        self.strict_marks = _marks(self.tokens)
        self.marks = self.strict_marks if self.wide == self.tokens else _marks(self.wide)
        """Of each group one string stands in every lower-case text that holds the tokens."""
        self.number = number_of(value)
        self.grouped = _is_grouped(self.number or "")
        self.day = date_of(value)
        self.date = DateSearch(self.day) if self.day else None
        self.respells = self.grouped or self.day is not None
        self.first = self.wide[0] if self.wide else ""


_Marks: TypeAlias = list[tuple[str, ...]]


def _marks(found: list[str]) -> _Marks:
    return [_mark(token) for token in found]


_NUMERIC: Final = re.compile(r"-?([0-9]+)(?:\.[0-9]+)?(?:e[+-][0-9]+)?[a-z]*", re.ASCII)


def _mark(token: str) -> tuple[str, ...]:
    match = _NUMERIC.fullmatch(token)
    if match is None:
        return (token,)
    digits = match[1]
    if "e+" in token or "e-" in token:
        return (digits[:1],)
    return (digits, _grouped(digits, ",")) if len(digits) > 3 else (digits,)


def _grouped(digits: str, by: str) -> str:
    first = len(digits) % 3 or 3
    return by.join([digits[:first], *(digits[i : i + 3] for i in range(first, len(digits), 3))])


def _is_grouped(number: str) -> bool:
    """True for a number of four digits and more: other groupings are worth looking for."""
    return len(number.lstrip("-").split(".", 1)[0]) >= 4


_DAYS_KEPT: Final = 256


class Searchable:
    """A text, prepared for search; each form of it is made on first need and once.

    `parts=False` takes the whole as one part even when it is JSON: the words of a person.
    """

    __slots__ = (
        "_days",
        "_folded",
        "_lower",
        "_numbers",
        "_seen",
        "_strict",
        "_wide",
        "known",
        "parts",
        "text",
    )

    def __init__(self, text: str, parts: bool = True) -> None:
        self.text = text
        self.parts = parts
        self._seen: str | None = None
        self._lower: str | None = None
        self._folded: str | None = None
        self._strict: _Read | None = None
        self._wide: _Read | None = None
        self._numbers: frozenset[str] | None = None
        self._days: dict[Date, How | None] = {}
        self.known: frozenset[str] | None = None
        """All tokens in any script, once they were needed; None for a text not read whole."""

    @property
    def is_long(self) -> bool:
        """True when the text could hold more tokens than are read."""
        return len(self.text) > 2 * MAX_TOKENS

    def holds(self, needle: Needle) -> bool | None:
        """Whether the ASCII tokens of a value stand here; None: cannot tell.

        This is membership as claims are judged by it: no other spelling than that of tokens.
        """
        if not needle.tokens:
            return None
        made = self._strict
        if made is None:
            if not self.is_long and not _has_all(needle.strict_marks, self._lowered()):
                return False
            made = self._strict = self._prepared(wide=False)
        return _stands(needle.tokens, made)

    def find(self, needle: Needle) -> How | Literal["unread"] | None:
        """How this text spells a value; None: not at all; `unread`: cannot tell."""
        found: bool | None = False
        made = self._wide
        if made is None and needle.wide and (self.is_long or _has_all(needle.marks, self._fold())):
            made = self._wide = self._prepared(wide=True)
            self.known = made.known if made.whole else None
        if made is not None and (needle.first in made.known or not made.whole):
            found = _stands(needle.wide, made)
            if found:
                return "verbatim" if needle.text in self.text else "tokens"
        if found is None:
            return "unread"
        return self.respelled(needle) if needle.respells else None

    def respelled(self, needle: Needle) -> How | None:
        """Looks for a number or a date in another spelling than that of its tokens."""
        if needle.grouped:
            if self._numbers is None:
                self._numbers = numbers_in(self.text)
            if needle.number in self._numbers:
                return "number"
        return self._day(needle.day, needle.date) if needle.date and needle.day else None

    def _day(self, day: Date, search: DateSearch) -> How | None:
        if day not in self._days:
            if len(self._days) >= _DAYS_KEPT:
                self._days.clear()
            self._days[day] = search.spelled_in(self._lowered())
        return self._days[day]

    def _lowered(self) -> str:
        if self._lower is None:
            raw = "\\u" not in self.text and "\\/" not in self.text
            self._lower = (self.text if raw else self._leaves()).lower()
        return self._lower

    def _fold(self) -> str:
        if self._folded is None:
            lower = self._lowered()
            self._folded = lower if lower.isascii() else fold(self._leaves())
        return self._folded

    def _leaves(self) -> str:
        if self._seen is None:
            self._seen = leaf_text(self.text) if self.parts else self.text
        return self._seen

    def _prepared(self, wide: bool) -> _Read:
        other = self._strict if wide else self._wide
        if other is not None and self._leaves().isascii():
            return other
        made = read(self._leaves(), wide)
        return _Read(made.tokens, frozenset(made.tokens), made.whole)


class _Read(NamedTuple):
    tokens: list[str]
    known: frozenset[str]
    whole: bool


def _has_all(marks: Iterable[tuple[str, ...]], text: str) -> bool:
    return all(any(mark in text for mark in group) for group in marks)


def _stands(needle: list[str], text: _Read) -> bool | None:
    """Whether the tokens stand one after the other; None when the text was not read whole."""
    absent = False if text.whole else None
    if not text.known.issuperset(needle):
        return absent
    size = len(needle)
    if size == 1:
        return True
    all_tokens, at, head = text.tokens, -1, needle[:8]
    try:
        while True:
            at = all_tokens.index(needle[0], at + 1)
            if all_tokens[at + 1] != needle[1] or all_tokens[at : at + len(head)] != head:
                continue
            if size <= len(head) or all_tokens[at : at + size] == needle:
                return True
    except (ValueError, IndexError):
        return absent


class Carrier(NamedTuple):
    """One text that holds the value."""

    at: int
    """Its place among the texts that were searched."""
    how: How


class Search(NamedTuple):
    """What a search found."""

    carriers: tuple[Carrier, ...]
    """In the order of the texts."""
    unread: tuple[int, ...] = ()
    """Places of texts that are too long to say no."""
    checkable: bool = True
    """False: the value holds no token, nothing can be said."""

    @property
    def exact(self) -> tuple[Carrier, ...]:
        """Carriers of the value itself, closest spelling first."""
        found = [c for c in self.carriers if c.how in EXACT]
        return tuple(sorted(found, key=lambda c: (HOWS.index(c.how), c.at)))

    @property
    def near(self) -> tuple[Carrier, ...]:
        """Carriers of something near the value."""
        return tuple(c for c in self.carriers if c.how not in EXACT)


def carriers(value: object, texts: Iterable[str | Searchable]) -> Search:
    """Which of the texts hold a value, and how each spells it.

    A text that is searched often is best handed in as a `Searchable` (see `SearchCache`).
    """
    needle = value if isinstance(value, Needle) else Needle(value)
    if not needle.wide:
        return Search((), checkable=False)
    found: list[Carrier] = []
    unread: list[int] = []
    first, respells = needle.first, needle.respells
    for at, text in enumerate(texts):
        if isinstance(text, str):
            text = Searchable(text)
        if not respells and (known := text.known) is not None and first not in known:
            continue
        how = text.find(needle)
        if how == "unread":
            unread.append(at)
        elif how is not None:
            found.append(Carrier(at, how))
    return Search(tuple(found), tuple(unread))


__all__ = [
    "BREAK",
    "EXACT",
    "HOWS",
    "MAX_TOKENS",
    "Carrier",
    "How",
    "Needle",
    "Search",
    "Searchable",
    "carriers",
]
