"""The lines of a text that count for what is open at top level, found by one search.

All patterns are for a text in normal form, and begin at the line feed before a line.
"""

from __future__ import annotations

import re
from typing import Final

from .patterns import BREAKING_TAGS, RAW_TAGS

_FENCE: Final = r"```+[^`\n]*\n|~~~"
_HTML: Final = (
    rf"<(?:!(?:--|[A-Za-z]|\[CDATA\[)|\?|(?=[A-Za-z/])(?:{RAW_TAGS}[\s>]"
    rf"|/?{BREAKING_TAGS}(?:[\s>]|/>)|(?P<tag>/?[A-Za-z][^\n]*>\s*\n)))"
)
_MATH: Final = r"\$\$+(?!\$)(?![^\n]*\$\$)|\\\[(?![^\n]*\\\])"


PLACES: Final = re.compile(rf"\n {{0,3}}(?:{_FENCE}|{_HTML}|{_MATH})")
"""Lines that may open something, if they stand at top level.

The group `tag` has matched where that is HTML that goes on no paragraph.
"""
UNDER_MATH: Final = re.compile(rf"\n {{0,3}}(?:{_FENCE}|{_HTML})")
"""Those of them that do so where display math is open."""

_ITEM: Final = r"(?:[-+*]|[0-9][.)])[ \n]"
ITEM: Final = re.compile(rf"\n ?{_ITEM}")
"""What may begin a list item in which a line behind two or three blanks has room."""
LAST_ITEM: Final = re.compile(
    rf".*\n(?: ?(?P<item>{_ITEM})|(?<=\n\n) ?[^ \n]| ?(?:#{{1,6}}[ \n]|[0-9]{{2,9}}[.)] +[^ \n]))",
    re.DOTALL,
)
"""The last line that may (`item`), or after which no such item is open."""

RESET: Final = re.compile(
    r".*\n(?:(?<=\n\n)(?= ?[^ \n])|(?= ?(?:#{1,6}[ \n]|(?:[-+*]|0{0,8}1[.)]) +[^ \n])))", re.DOTALL
)
"""The last line after which it does not count what was open, unless that was at top level."""

LEAVING: Final = {item: re.compile(rf"\n {{0,{item - 1}}}[^ \n]") for item in (2, 3)}
"""A line that does not stand inside a list item, by the blanks before those that do."""

TEXT: Final = re.compile(
    r" {0,3}(?:(?:[-+*]|[0-9]{1,9}[.)]) {1,4})*"
    r"(?:[^ \n>`~#<+*0-9-]|[-+*](?![ \n])|[0-9](?![0-9.)\n])"
    r"|`(?!``)|~(?!~~)|#(?![# \n])|<(?![A-Za-z/!?]))"
)
"""Lines that are text, perhaps in list items, whatever stands before them at top level."""
