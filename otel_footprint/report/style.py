"""Glyphs and colours: a terminal's own sixteen colours, or none; box drawing, or plain ASCII."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any, Final, Literal

ColorChoice = Literal["auto", "always", "never"]
COLORS: Final[tuple[ColorChoice, ...]] = ("auto", "always", "never")

_CODES: Final = {
    "bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34",
    "magenta": "35", "cyan": "36", "alarm": "1;31", "title": "1", "warn": "33",
}  # fmt: skip
OUTCOMES: Final = {
    "completed": "green",
    "paused": "cyan",
    "cancelled": "yellow",
    "error": "alarm",
}
"""Style of the outcome of a turn; of another outcome the printer chooses."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters that the tree is drawn with."""

    branch: str
    last: str
    line: str
    blank: str
    full: str
    parts: str
    """Parts of a cell, from the smallest; empty for none."""
    empty: str
    over: str
    tool: str
    foreign: str
    asks: str
    says: str
    moved: str
    paused: str
    ellipsis: str
    dot: str
    quotes: tuple[str, str]


UNICODE: Final = Glyphs(
    "├─ ", "└─ ", "│  ", "   ", "█", "▏▎▍▌▋▊▉", "░", "▶", "⚙", "◦", "→", "⇒", "⇄", "‖", "…", " · ",
    ("“", "”"),
)  # fmt: skip
ASCII: Final = Glyphs(
    "|- ", "`- ", "|  ", "   ", "#", "", ".", ">", "*", "o", "->", "=>", "<>", "||", "...", " - ",
    ('"', '"'),
)  # fmt: skip


class Paint:
    """Colours texts, or leaves them as they are."""

    def __init__(self, color: bool) -> None:
        self.color = color

    def __call__(self, style: str, text: str) -> str:
        """The text in a style: a colour's name, bold, dim, title, warn, alarm; empty: none."""
        if not self.color or not text or not style:
            return text
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m"


def wants_color(choice: str, out: IO[Any], env: Mapping[str, str] = os.environ) -> bool:
    """Whether to colour: as chosen; `auto` on a terminal, unless NO_COLOR or TERM=dumb say no."""
    if choice != "auto":
        return choice == "always"
    if env.get("NO_COLOR") or env.get("TERM") == "dumb":
        return False
    if env.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    try:
        return out.isatty()
    except (AttributeError, ValueError):
        return False


def takes_unicode(out: IO[Any]) -> bool:
    """False for an output whose encoding has no box drawing."""
    try:
        "├█⚙“".encode(getattr(out, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
