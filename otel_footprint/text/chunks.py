"""Long texts as arrays of short strings, cut at code points, joined by a reader.

Tempo cuts each longer *string* silently at 2,048 bytes by default (arrays are left alone), so no
string of ours is longer than `MAX_BYTES`; an SDK that is told to cut at fewer characters gets
shorter chunks still.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from .jsontext import encode

MAX_BYTES: Final = 2000
"""UTF-8 bytes of the longest string value on the record."""


def chunk(text: str, limit: int = MAX_BYTES) -> list[str]:
    """The text in strings of at most `limit` UTF-8 bytes; at least one string, possibly empty.

    A character is never cut; `limit` below 4 still carries one character per string.
    """
    ascii_ = text.isascii()
    if len(text) <= limit and (ascii_ or len(text) * 4 <= limit):
        return [text]
    if ascii_:
        return [text[i : i + limit] for i in range(0, len(text), limit)]
    return _by_bytes(text, limit)


def _by_bytes(text: str, limit: int) -> list[str]:
    out: list[str] = []
    at = 0
    while at < len(text):
        end = min(len(text), at + limit)
        piece = text[at:end]
        size = len(encode(piece))
        while size > limit and len(piece) > 1:
            keep = max(1, len(piece) * limit // size)
            piece = piece[: keep if keep < len(piece) else len(piece) - 1]
            size = len(encode(piece))
        out.append(piece)
        at += len(piece)
    return out or [""]


def size_of(strings: Iterable[str]) -> int:
    """UTF-8 bytes of all strings together (a lone surrogate counts three)."""
    text = "".join(strings)
    return len(text) if text.isascii() else len(encode(text))


def unchunk(strings: Sequence[str], counts: Sequence[int]) -> list[str]:
    """Joins consecutive strings: `counts[i]` strings make text i.

    Raises ValueError when the counts do not add up to the strings.
    """
    if sum(counts) != len(strings):
        raise ValueError(f"{len(strings)} strings do not fit the counts {list(counts)}")
    out, at = [], 0
    for count in counts:
        out.append("".join(strings[at : at + count]))
        at += count
    return out
