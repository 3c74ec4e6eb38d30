"""White space as the rules count it: the same set for placeholders, blank ids and trimmed reasons.

Python's own `\\s` and `str.strip` leave out the byte order mark and add control characters; one
set everywhere keeps a declaration valid or refused whatever language it was written for.
"""

from __future__ import annotations

from typing import Final

SPACES: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""Every character that counts as white space."""


def is_blank(value: object) -> bool:
    """True for what is no string, and for a string without anything but white space."""
    return not isinstance(value, str) or not value.strip(SPACES)


def trimmed(text: str) -> str:
    """The text without white space around it."""
    return text.strip(SPACES)


def bounded(text: str, limit: int = 1000) -> str:
    """The text, or its first `limit` - 1 code points and an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
