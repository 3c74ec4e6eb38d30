"""Link reference definitions: paragraphs that are none.

A definition ends at the end of a line without a blank line, and what follows it directly begins
a new block where a paragraph would have gone on. So a reader of blocks has to notice that it is
complete. (Renderers that keep such a paragraph open differ here; we follow markdown-it.)
"""

from __future__ import annotations

import re
from typing import Final

LABEL, TARGET, TITLE, DONE, NONE = range(5)

_LABEL: Final = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]:", re.DOTALL)
_UNFINISHED: Final = re.compile(r"\[(?:[^\[\]\\]|\\.)*\\?\Z", re.DOTALL)
_BLANKS: Final = re.compile(r"[ \n]*")
_SPACES: Final = re.compile(r" *")
_ANGLED: Final = re.compile(r"<(?:[^<>\\\n]|\\[^\n])*>")
_BARE: Final = re.compile(r"(?:[^\x00-\x20\x7f\\]|\\(?! )[^\n]?)+")
_TITLES: Final = {
    '"': re.compile(r'"(?:[^"\\]|\\.)*("?)', re.DOTALL),
    "'": re.compile(r"'(?:[^'\\]|\\.)*('?)", re.DOTALL),
    "(": re.compile(r"\((?:[^()\\]|\\.)*(\)?)", re.DOTALL),
}
_DEEPEST: Final = 32
"""Parentheses inside one another in a destination, as many as are followed."""
_LONGEST: Final = 4000
_LINES: Final = 8
"""Characters and lines after which a definition that is not complete is taken for a paragraph."""


class Definition:
    """A paragraph that began with `[`, as long as it may be a definition."""

    __slots__ = ("lines", "state", "text", "title")

    def __init__(self, line: str) -> None:
        self.text = ""
        self.lines = 0
        self.state = LABEL
        self.title = -1
        """Where the title begins; -1 while there is none."""
        self.add(line)

    @property
    def over(self) -> bool:
        """True when it turned out to be an ordinary paragraph."""
        return self.state == NONE

    @property
    def ends(self) -> bool:
        """True when it is complete, and ends with the next line unless that is a title."""
        return self.state == DONE or (self.state == TITLE and self.title < 0)

    def ended_before(self, text: str, first: int) -> bool:
        """True when it is complete and the line that begins at `first` does not belong to it."""
        if self.state != TITLE or self.title >= 0:
            return self.state == DONE
        pattern = _TITLES.get(text[first])
        if pattern is None:
            return True
        blank = text.find("\n\n", first, first + _LONGEST)
        found = pattern.match(text, first, blank if blank >= 0 else first + _LONGEST)
        return found is None or not found.group(1) or not _ends_line(text, found.end())

    def add(self, line: str) -> None:
        """Takes a further line, without the line break, without blanks before it."""
        if self.state == TITLE and self.title < 0:
            self.title = len(self.text)
        self.text += line + "\n"
        self.lines += 1
        fits = self.lines <= _LINES and len(self.text) <= _LONGEST
        self.state = self._read() if fits else NONE

    def _read(self) -> int:
        text = self.text
        label = _LABEL.match(text)
        if label is None:
            return LABEL if _UNFINISHED.match(text) else NONE
        if not label.group(1).strip():
            return NONE
        start = _end(_BLANKS, text, label.end())
        if start == len(text):
            return TARGET
        end = _target(text, start)
        if end < 0:
            return NONE
        title = _end(_BLANKS, text, end)
        if title == len(text):
            return TITLE
        if title == end:
            return NONE
        return self._read_title(title)

    def _read_title(self, at: int) -> int:
        """Whether a title at `at` completes the definition, goes on, or spoils it."""
        pattern = _TITLES.get(self.text[at])
        found = pattern.match(self.text, at) if pattern else None
        if found is None:
            return NONE
        if not found.group(1):
            self.title = at
            return TITLE if found.end() >= len(self.text) else NONE
        return DONE if _ends_line(self.text, found.end()) else NONE


def _ends_line(text: str, at: int) -> bool:
    """True when nothing but blanks follows on the line."""
    end = _end(_SPACES, text, at)
    return end >= len(text) or text[end] == "\n"


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()


def _target(text: str, at: int) -> int:
    """Where the destination ends; -1 when there is none."""
    if text[at] == "<":
        angled = _ANGLED.match(text, at)
        return -1 if angled is None else angled.end()
    bare = _BARE.match(text, at)
    if bare is None:
        return -1
    level, escaped = 0, False
    for index in range(at, bare.end()):
        char = text[index]
        if escaped or char not in "()\\":
            escaped = False
        elif char == "\\":
            escaped = True
        elif char == "(":
            level += 1
            if level > _DEEPEST:
                return -1
        elif level == 0:
            return index
        else:
            level -= 1
    return -1 if level else bare.end()
