"""Names for lines: two lines of the same name do the same to the structure, in every state.

The name of an ordinary line is its beginning: from some character on it is text, whatever stands
there. Names are found for many lines at once by one pattern, so a text of ever new lines costs
hardly more than one that repeats itself.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from .patterns import TAGS

_BLANK_LINES: Final = re.compile(r"\n[ \n]+\n")
_DIGITS: Final = bytes.maketrans(b"3456789", b"2222222")
"""Digits that mean the same: whether a number is 1 counts, and how long it is."""
_HEADLINES: Final = bytes.maketrans(b"345678", b"222299")
"""The same where tags may stand: there 7 and 8 are others, since headings end at `h6`."""
_HTML: Final = (b"<!", b"<?", b"<script", b"<pre", b"<style", b"<textarea")
_LONGEST: Final = 64
"""Characters of the beginning of a line that may stand before its text."""
_SHORT: Final = 4
"""Mean length of lines that are named by themselves: there are not many of them."""
_REPEATED: Final = 3
"""Lines that repeat themselves so often are named by themselves too."""


def normal(text: str) -> str:
    """The text between two line feeds, as a reader of blocks takes it.

    Line breaks are line feeds, tabs are spaces, blank lines are one and empty, a digit is 0, 1, 2
    or 9, and U+0000 is what a renderer takes it for: nothing of that changes the structure.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\t" in text:
        text = text.expandtabs(4)
    tags = "<" in text and any(tag in text for tag in ("<h", "<H", "</h", "</H"))
    data = text.encode("utf-8", "surrogatepass").translate(_HEADLINES if tags else _DIGITS)
    text = data.replace(b"\0", "\ufffd".encode()).decode("utf-8", "surrogatepass")
    return _BLANK_LINES.sub("\n\n", f"\n{text}\n")


def holds_raw_html(text: str) -> bool:
    """True where something in a text may begin HTML that no blank line ends."""
    if "<" not in text:
        return False
    data = text.encode("utf-8", "surrogatepass").lower()  # of bytes this is far faster
    return any(mark in data for mark in _HTML)


class Names:
    """The names of the lines of a text that is in normal form.

    A name is itself a line: the whole line, or of an ordinary one its beginning, with the first
    character of its text.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        math = ("$" in text and "$$" in text) or ("\\" in text and "\\[" in text)
        self._pattern = _pattern(holds_raw_html(text), math, "]" in text and "]:" in text)

    def between(self, at: int, stop: int) -> list[str]:
        """Names of the lines between two places, at each of which a line begins."""
        lines = self._text[at : stop - 1].split("\n")
        if stop - at < _SHORT * len(lines) or _REPEATED * len(set(lines)) < len(lines):
            return lines
        return self._pattern.findall(self._text, at, stop)


@lru_cache(maxsize=8)
def _pattern(html: bool, math: bool, definitions: bool) -> re.Pattern[str]:
    """Which marks count behind the beginning of a line depends on what the text holds at all."""
    ends = (">" if html else "") + (r"$\\" if math else "")
    other = ends + (r"\[\"'(" if definitions else "")
    begins = (
        rf"[^ >\-+*.)0-9`~#<=_\n{other}]",
        rf"#{{1,6}} [^ \n{ends}]",
        rf"(?:`{{3,16}}|~{{3,16}}) *[^ \n`~{ends}](?=[^`\n{ends}]*\n)",
        rf"<(?![!?]|/?(?:{TAGS})(?:[\s/>]|$))(?=[^\n>]*\n)",
    )
    prefix = rf"[ >\-+*.)0-9]{{0,{_LONGEST}}}"
    return re.compile(rf"({prefix}(?:{'|'.join(begins)})(?=[^\n{ends}]*\n)|[^\n]*)[^\n]*\n")
