"""A value to look for, and a text to look in, each prepared once.

A text is cheap to make searchable and is read into tokens only when it holds the letters of a
value; what was made of it stays. Nothing here raises.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from .dates import Date, DateSearch, date_of, date_words
from .jsonleaves import NO_FINDING, leaf_text, unbroken
from .marks import Mark, marks_of, stands
from .tokens import BREAK, MAX_TOKENS, fold, read
from .values import group_marks, has_powers, number_of, numbers_in, value_text

How = Literal["verbatim", "tokens", "number", "date", "near"]
"""How a text spells a value, closest first."""
HOWS: Final[tuple[How, ...]] = ("verbatim", "tokens", "number", "date", "near")
EXACT: Final = frozenset(HOWS[:-1])
"""Spellings of the value itself."""


MAX_VALUE: Final = 10_000
"""Tokens of the longest value that is looked for."""
_MAX_RESPELLED: Final = 4_000_000
"""Longest text, in characters, that is searched for other spellings."""
_ASCII_GROUPS: Final = 3
"""Of the marks of a grouped number those in ASCII, which come first."""


class Needle:
    """A value, prepared to be looked for."""

    __slots__ = (
        "date",
        "day",
        "first",
        "grouped",
        "groups",
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
        text = unbroken(self.text)
        strict, wide = read(text, limit=MAX_VALUE), read(text, True, MAX_VALUE)
        whole = strict.whole and wide.whole
        self.tokens = strict.tokens if whole else []
        """Its ASCII tokens; what a claim is judged by. None of a value that is too long."""
        self.wide = wide.tokens if whole else []
        """Its tokens in any script; what the search goes by."""
        self.strict_marks = marks_of(self.tokens)
        self.marks = self.strict_marks
        """By which its tokens are looked for in texts that were not read."""
        if self.wide != self.tokens:
            self.marks = marks_of(self.wide)
        self.number = number_of(value)
        self.grouped = _is_grouped(self.number or "")
        self.day = date_of(value)
        self.date = DateSearch(self.day) if self.day else None
        self.groups = group_marks(self.number or "") if self.grouped else ()
        self.respells = self.grouped or self.day is not None
        self.first = self.wide[0] if self.wide else ""
        self.mark = max((m.marks[0] for m in self.marks if len(m.marks) == 1), key=len, default="")
        """Stands in every lower-case text that holds the tokens; empty: none is certain."""


def _is_grouped(number: str) -> bool:
    """True for a number of four digits and more: other groupings are worth looking for."""
    return len(number.lstrip("-").split(".", 1)[0]) >= 4


_DAYS_KEPT: Final = 256
_LOOKS: Final = 32
"""Searches after which a text that stays in use is read into tokens."""


class Searchable:
    """A text, prepared for search; each form of it is made on first need and once.

    `parts=False` takes the whole as one part even when it is JSON: the words of a person.
    """

    __slots__ = (
        "_ascii",
        "_dated",
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
        self._ascii = False
        """What stands in `_lower` was in ASCII before."""
        self._folded: str | None = None
        self.lowered: str | None = None
        """The text in lower case, once it was needed; None for one that may be too long."""
        self.looks = 0
        """Searches that went by the lower-case text alone."""
        self._strict: _Read | None = None
        self._wide: _Read | None = None
        self._numbers: frozenset[str] | None = None
        self._days: dict[Date, How | None] = {}
        self._dated: str | None = None
        """The words of its dates, once they were needed."""
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
            if not self.is_long:
                text = self._lowered()
                found = _glance(needle.strict_marks, text, self._ascii, self._ascii)
                if found is not None:
                    return found
            made = self._strict = self._prepared(wide=False)
        return _stands(needle.tokens, made)

    def find(self, needle: Needle) -> How | Literal["unread"] | None:
        """How this text spells a value; None: not at all; `unread`: cannot tell."""
        found = self._holds_wide(needle) if needle.wide else False
        if found:
            return "verbatim" if needle.text in self.text else "tokens"
        if found is None:
            return "unread"
        return self.respelled(needle) if needle.respells else None

    def _holds_wide(self, needle: Needle) -> bool | None:
        made = self._wide
        if made is None:
            if not self.is_long:
                text = self._fold()
                found = _glance(needle.marks, text, text.isascii())
                if found is not None:
                    return found
            made = self.prepare()
        if needle.first not in made.known and made.whole:
            return False
        return _stands(needle.wide, made)

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
            self._numbers = numbers_in(self._told())
        if self._dated is None and self.known is not None:
            self._dated = date_words(self.known)

    def respelled(self, needle: Needle) -> How | None:
        """Looks for a number or a date in another spelling than that of its tokens."""
        if len(self.text) > _MAX_RESPELLED:
            return None
        if needle.grouped and needle.number in self._grouped(needle):
            return "number"
        return self._day(needle.day, needle.date) if needle.date and needle.day else None

    def _grouped(self, needle: Needle) -> frozenset[str]:
        """The numbers in other groups of digits; none where it cannot be the needle's."""
        if self._numbers is not None:
            return self._numbers
        text = self._lowered()
        if needle.groups and not has_powers(text):
            for mark in needle.groups[: _ASCII_GROUPS if self._ascii else None]:
                if mark in text:
                    break
            else:
                return frozenset()
        self._numbers = numbers_in(self._told())
        return self._numbers

    def _day(self, day: Date, search: DateSearch) -> How | None:
        if day not in self._days:
            if len(self._days) >= _DAYS_KEPT:
                self._days.clear()
            words = self._dated
            if words is None and "\\" in self.text:
                words = self._lowered()
            may = words is None or (bool(words) and search.may_stand(words))
            self._days[day] = search.spelled_in(self._told()) if may else None
        return self._days[day]

    def _plain(self) -> str:
        """For a first look: as it is written, or as it is read where JSON hides letters or holds
        what is no finding."""
        text = self.text
        hides = BREAK in text or ("\\" in text and ("\\u" in text or "\\/" in text))
        for key in () if hides else NO_FINDING:
            hides = hides or key in text
        return self._leaves() if hides else text

    def _lowered(self) -> str:
        if self._lower is None:
            plain = self._plain()
            self._lower, self._ascii = plain.lower(), plain.isascii()
        return self._lower

    def _told(self) -> str:
        """In lower case, as it is read."""
        return self._lowered() if "\\" not in self.text else self._leaves().lower()

    def _fold(self) -> str:
        if self._folded is None:
            lower = self._lowered()
            self._folded = lower if self._ascii else fold(self._plain())
            self.lowered = self._folded
        return self._folded

    def _leaves(self) -> str:
        if self._seen is not None:
            return self._seen
        seen = leaf_text(self.text) if self.parts else unbroken(self.text)
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


def _glance(marks: list[Mark], text: str, is_ascii: bool, told: bool = True) -> bool | None:
    """Whether tokens stand in a lower-case text, as far as their letters tell; None: read it.

    `told`: what stands beside a mark tells that the token is not there; in a text in ASCII also
    that it is.
    """
    for mark in marks:
        for letters in mark.marks:
            if letters in text:
                break
        else:
            return False
    if not told:
        return None
    for mark in marks:
        found = stands(mark, text)
        if found is False:
            return False
        if found and is_ascii and len(marks) == 1:
            return True
    return None


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
