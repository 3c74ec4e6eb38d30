"""What an application's values say. They are data: whatever they are, nothing here raises."""

from __future__ import annotations

import logging
from typing import Any, Final

from ..wire import content
from ..wire.values import compact

_LOG: Final = logging.getLogger("otel_footprint")


def words(text: Any, warned: set[str]) -> str:
    """A person's words: a text, or the texts of the parts of a content, a line each.

    Of any other value what `str` says of it, which the log says once (`warned` remembers it).
    """
    kind = type(text)  # asked in place of the object, whose own methods may raise
    if issubclass(kind, list | tuple | dict):
        parts = content.read([text] if issubclass(kind, dict) else text)
        return "\n".join(part.text or f"[{part.name or part.kind}]" for part in parts)
    if not issubclass(kind, str) and "turn.text" not in warned:
        warned.add("turn.text")
        _LOG.warning(
            "The text of a turn (a person's words) was given as %s: what str() says of it is taken",
            kind.__qualname__,
        )
    return text_of(text)


def text_of(value: Any) -> str:
    """The value as a text; of an object whose own methods raise, its type."""
    try:
        return str.__str__(value) if issubclass(type(value), str) else str(value)
    except Exception:
        return compact(value)
