"""What an application says of context that it placed itself, and how it is found again.

The mark is an attribute of the text or message and is never sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .frames import CREDIT_MARK
from .plan import Cause


class Credit(NamedTuple):
    """Where a piece of context came from, in the words of the application."""

    cause: Cause
    text: str
    """The text that is credited; of a message all its texts, joined by line breaks."""


def credit_of(value: Any) -> Credit | None:
    """The credit of a text or message: its own mark, or that of a text in its content."""
    found = getattr(value, CREDIT_MARK, None)
    if isinstance(found, Credit):
        return found
    for text in texts_of(value):
        found = getattr(text, CREDIT_MARK, None)
        if isinstance(found, Credit):
            return found
    return None


def texts_of(value: Any) -> list[str]:
    """The texts of a text or message."""
    if isinstance(value, str):
        return [value]
    content = (
        value.get("content") if isinstance(value, Mapping) else getattr(value, "content", None)
    )
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list | tuple):
        return []
    texts = (part.get("text") if isinstance(part, Mapping) else part for part in content)
    return [text for text in texts if isinstance(text, str)]
