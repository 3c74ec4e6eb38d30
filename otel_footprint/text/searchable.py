"""A value to look for, and a text to look in, each prepared once.

A text is cheap to make searchable and is read into tokens only when it holds the letters of a
value; what was made of it stays. Nothing here raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, TypeAlias

from .dates import Date, DateSearch, date_of
from .jsonleaves import leaf_text
from .tokens import MAX_TOKENS, fold, read
from .values import number_of, numbers_in, value_text

How = Literal["verbatim", "tokens", "number", "date", "near"]
"""How a text spells a value, closest first."""
HOWS: Final[tuple[How, ...]] = ("verbatim", "tokens", "number", "date", "near")
EXACT: Final = frozenset(HOWS[:-1])
"""Spellings of the value itself."""


MAX_VALUE: Final = 10_000
"""Tokens of the longest value that is looked for."""
_MAX_RESPELLED: Final = 4_000_000
"""Longest text, in characters, that is searched for other spellings."""


class Needle:
    """A value, prepared to be looked for."""

    __slots__ = (
        "date",
        "day",
        "first",
        "grouped",
        "mark",
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
        strict, wide = read(self.text, limit=MAX_VALUE), read(self.text, True, MAX_VALUE)
        whole = strict.whole and wide.whole
        self.tokens = strict.tokens if whole else []
        """Its ASCII tokens; what a claim is judged by. None of a value that is too long."""
        self.wide = wide.tokens if whole else []
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
        self.mark = max((m[0] for m in self.marks if len(m) == 1), key=len, default="")
        """Stands in every lower-case text that holds the tokens; empty: none is certain."""


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
_LOOKS: Final = 16
"""Searches after which a text that stays in use is read into tokens."""


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
        "looks",
        "lowered",
        "parts",
        "text",
    )

    def __init__(self, text: str, parts: bool = True) -> None:
        self.text = text
        self.parts = parts
        self._seen: str | None = None
        self._lower: str | None = None
        self._folded: str | None = None
        self.lowered: str | None = None
        """The text in lower case, once it was needed; None for one that may be too long."""
        self.looks = 0
        """Searches that went by the lower-case text alone."""
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
            made = self.prepare()
        if made is not None and (needle.first in made.known or not made.whole):
            found = _stands(needle.wide, made)
            if found:
                return "verbatim" if needle.text in self.text else "tokens"
        if found is None:
            return "unread"
        return self.respelled(needle) if needle.respells else None

    def prepare(self) -> _Read:
        """Reads the text into tokens, if that was not done yet."""
        made = self._wide
        if made is None:
            made = self._wide = self._prepared(wide=True)
            self.known = made.known if made.whole else None
        return made

    def warm(self) -> None:
        """Reads the text into all forms that a search may need of it, ahead of time."""
        self.prepare()
        self._fold()
        if self._strict is None:
            self._strict = self._prepared(wide=False)
        if self._numbers is None and len(self.text) <= _MAX_RESPELLED:
            self._numbers = numbers_in(self.text)

    def respelled(self, needle: Needle) -> How | None:
        """Looks for a number or a date in another spelling than that of its tokens."""
        if len(self.text) > _MAX_RESPELLED:
            return None
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
            self.lowered = self._folded
        return self._folded

    def _leaves(self) -> str:
        if self._seen is not None:
            return self._seen
        seen = leaf_text(self.text) if self.parts else self.text
        if not self.is_long:
            self._seen = seen
        return seen

    def _prepared(self, wide: bool) -> _Read:
        other = self._strict if wide else self._wide
        leaves = self._leaves()
        if other is not None and leaves.isascii():
            return other
        made = read(leaves, wide)
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


def scan(needle: Needle, texts: Iterable[Searchable]) -> list[tuple[int, How | Literal["unread"]]]:
    """Where a value is found, or cannot be told, in the order of the texts."""
    found = []
    first, mark, respells = needle.first, needle.mark, needle.respells
    for at, text in enumerate(texts):
        if not respells:
            known = text.known
            if known is not None:
                if first not in known:
                    continue
            elif mark and (lowered := text.lowered) is not None and mark not in lowered:
                text.looks += 1
                if text.looks > _LOOKS:
                    text.prepare()
                continue
        how = text.find(needle)
        if how is not None:
            found.append((at, how))
    return found
