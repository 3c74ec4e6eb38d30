"""The line patterns of CommonMark's block structure, as far as a boundary depends on them.

All are matched on text whose tabs are spaces (tab stops are columns of the line, so expanding them
first changes no structure) and whose line breaks are single line feeds. `$` stands for the end
that is handed to `match`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

BREAKING: Final = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details"
    "|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5"
    "|h6|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup"
    "|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul"
)
"""Names of the tags that begin an HTML block of kind 6."""

_VALUE = r"""(?:[^"'=<>`\x00-\x20]+|'[^']*'|"[^"]*")"""
_OPEN_TAG = rf"<[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][A-Za-z0-9:._-]*(?:\s*=\s*{_VALUE})?)*\s*/?>"
_CLOSE_TAG = r"</[A-Za-z][A-Za-z0-9-]*\s*>"

HTML: Final = re.compile(
    r"(<(?ai:script|pre|style|textarea)(?=\s|>|$))|(<!--)|(<\?)|(<![A-Za-z])|(<!\[CDATA\[)"
    rf"|(</?(?ai:{BREAKING})(?=\s|/?>|$))|((?:{_OPEN_TAG}|{_CLOSE_TAG})\s*$)"
)
"""The begin of an HTML block; the group that matched is its kind, 1 to 7."""

HTML_END: Final = (
    None,
    re.compile(r"</(?ai:script|pre|style|textarea)>"),
    re.compile(r"-->"),
    re.compile(r"\?>"),
    re.compile(r">"),
    re.compile(r"\]\]>"),
)
"""What ends an HTML block of kind 1 to 5; kinds 6 and 7 end at a blank line."""

TOP: Final = re.compile(
    r"\n( {0,3})(?:(`{3,}|~{3,})|(<(?:!--|\?|![A-Za-z]|!\[CDATA\["
    r"|(?ai:script|pre|style|textarea)(?=[\s>]|\Z)))|(\$\$+|\\\[))"
)
"""A line that may open something which no blank line ends: fence, HTML kind 1 to 5, math."""
LIKELY: Final = re.compile(r"\n {0,3}(?:```|~~~|<[!?PSTpst]|\$\$|\\\[)")
"""A quick look for `TOP`."""
TAG_LINE: Final = re.compile(r"\n {0,3}<")
EMPTY_LINES: Final = re.compile(r"\n{3,}")
PLAIN: Final = re.compile(r"(?:\n(?: {0,3}[^ \n`~>#<=\-_*+\[0-9][^\n]*(?=\n)| *(?=\n))){1,1000}")
"""Whole lines that are blank or plain text, where no container is open."""
BLANK: Final = re.compile(r"\n *(?=\n|\Z)")

SPACES: Final = re.compile(r" *")
QUOTES: Final = re.compile(r"[ >]*")
HEADING: Final = re.compile(r"#{1,6}(?: |$)")
RUN: Final = re.compile(r"`+|~+")
UNDERLINE: Final = re.compile(r"(?:=+|-+) *$")
MARKER: Final = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?= |$)", re.ASCII)

_PAIR = (
    r"(?:\n {0,3}%s(?:\n(?! {0,3}%s{3,} *(?:\n|\Z))[^\n]*){0,4}\n {0,3}%s{3,} *(?=\n|\Z)){1,100}"
)
_BACKTICKS: Final = re.compile(_PAIR % ("```[^`\\n]*", "`", "`"))
_TILDES: Final = re.compile(_PAIR % ("~~~(?!~)[^\\n]*", "~", "~"))
_SHORT: Final = 16


@lru_cache(maxsize=64)
def _closer(char: str, length: int, column: int) -> re.Pattern[str]:
    mark = rf" {{{column},{column + 3}}}({char}{{{length},}}) *(?=\n|\Z)"
    return re.compile(rf"\n(?: {{0,{column - 1}}}[^ \n]|{mark})" if column else rf"\n{mark}")


def fence_end(text: str, at: int, char: str, length: int, column: int) -> tuple[int, bool]:
    """Where an open fence ends whose content begins at `column`, searched from line break `at`.

    The end of the line that closes it and True, or the line break before a line that leaves its
    list item and False; -1: neither. Long fences share one pattern, so that many different
    lengths cost no compilation each.
    """
    pattern = _closer(char, min(length, _SHORT), column)
    if not column:
        mark = text.find(char * length, at)
        if mark < 0:
            return -1, False
        at = text.rfind("\n", at, mark)
    found = pattern.search(text, at)
    while found is not None:
        if found.start(1) < 0:
            return found.start(), False
        if found.end(1) - found.start(1) >= length:
            return found.end(), True
        found = pattern.search(text, found.end())
    return -1, False


def fenced(text: str, at: int) -> int:
    """Behind the short, whole fences that follow one another from line break `at` on."""
    while True:
        found = _BACKTICKS.match(text, at) or _TILDES.match(text, at)
        if found is None:
            return at
        at = found.end()
