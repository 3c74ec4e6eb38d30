"""Texts made safe and short for a terminal: nothing of a trail can move the cursor.

Control characters, terminal escapes, characters that turn the direction of text and lone
surrogates are shown escaped; widths are those of the cells that a character takes.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime, timezone
from decimal import Decimal
from typing import Final

_JOINER: Final = "\u200d"
_COLOR: Final = re.compile(r"\x1b\[[0-9;]*m")
_SPACE: Final = re.compile(
    r"[\t\r\n\f\v\u2028\u2029][ \t\r\n\f\v\u2028\u2029]*| [ \t\r\n\f\v\u2028\u2029]+"
)
"""Blanks that are not one blank."""
_NARROW: Final = re.compile("[ -\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u259f]*\\Z")
"""Characters of one column each: Latin, punctuation, arrows, lines and blocks."""
_SHORT: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\x1b"}
ELLIPSIS: Final = "…"


def clean(text: str) -> str:
    """The text with every character that a terminal might act on, or not show, escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def in_ascii(text: str) -> str:
    """The text with every character outside ASCII escaped."""
    return text.encode("ascii", "backslashreplace").decode("ascii")


def _escaped(char: str) -> str:
    if char == _JOINER or unicodedata.category(char) == "Zs":
        return char
    code = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def one_line(text: str, most: int = 2_000) -> str:
    """The beginning of a text in one line: blanks and line ends are one blank each, safe."""
    return clean(_SPACE.sub(" ", text[: 2 * most]).strip()[:most])


def cells(text: str) -> int:
    """Columns that a safe text takes on a terminal; our own colours take none."""
    if "\x1b" in text:
        text = _COLOR.sub("", text)
    if text.isascii() or _NARROW.match(text):
        return len(text)
    return sum(map(_cell, text))


def _cell(char: str) -> int:
    if char < "\u0300":
        return 1
    if char == _JOINER or unicodedata.combining(char) or "\ufe00" <= char <= "\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cut(text: str, width: int, ellipsis: str = ELLIPSIS) -> str:
    """The text in at most `width` columns, with an ellipsis where it was cut."""
    if width <= 0:
        return ""
    if len(text) <= width and cells(text) <= width:
        return text
    room = width - len(ellipsis)
    out, used = [], 0
    for char in text:
        wide = _cell(char)
        if used + wide > room:
            break
        out.append(char)
        used += wide
    return "".join(out).rstrip() + ellipsis if room >= 0 else ellipsis[:width]


def pad(text: str, width: int) -> str:
    """The text filled with blanks to a width."""
    return text + " " * (width - cells(text))


def number(value: int | None) -> str:
    """A whole number with separators; `?` when it is unknown."""
    return "?" if value is None else f"{value:,}"


def duration(seconds: float | None) -> str:
    """A duration with its unit; `?` when it is unknown."""
    if seconds is None:
        return "?"
    if seconds < 0.0995:
        return f"{seconds * 1000:.1f} ms" if seconds < 0.01 else f"{seconds * 1000:.0f} ms"
    if seconds < 99.95:
        return f"{seconds:.1f} s" if seconds >= 9.995 else f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def utc(nanoseconds: int | None) -> str:
    """A time since the epoch as `2026-01-31 12:00:00` in UTC; empty when it is unknown."""
    if nanoseconds is None:
        return ""
    try:
        found = datetime.fromtimestamp(nanoseconds / 1e9, timezone.utc)
    except (ValueError, OverflowError, OSError):
        return ""
    return f"{found:%Y-%m-%d %H:%M:%S}"


def money(dollars: Decimal | None) -> str:
    """US dollars with three significant digits; `unknown` when they are."""
    if dollars is None:
        return "unknown"
    if dollars == 0:
        return "$0"
    if dollars >= 1:
        return f"${dollars:,.2f}"
    text = f"{dollars:.{min(12, max(2, 2 - dollars.adjusted()))}f}"
    while text[-1] == "0" and len(text.partition(".")[2]) > 2:
        text = text[:-1]
    return f"${text}"


def chars(count: int | None) -> str:
    """`1 char`, `2 chars`; `?` where it is unknown."""
    return "? chars" if count is None else plural(count, "char")


def plural(count: int, noun: str) -> str:
    """`1 call`, `2 calls`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
