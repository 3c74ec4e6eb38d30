"""`credit`: marks context that the application places itself, so that it stands on the record.

The mark is an attribute of the returned value and nothing else: the text or message is equal to
the one handed in, and what serialises it writes the same bytes, so the mark never reaches a
provider. A copy that a framework makes of a text may lose the mark; whoever keeps the credits of
a turn (`run`) can then still recognise the text itself by `Credit.text`.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar, cast

from ..errors import DeclarationError
from ..records.frames import CREDIT_MARK
from ..records.plan import Cause
from .blank import is_blank
from .factories import check_number
from .pieces import SOURCES

T = TypeVar("T")


class Credit(NamedTuple):
    """Where a piece of context came from, in the words of the application."""

    cause: Cause
    text: str
    """The text that is credited; of a message all its texts, joined by line breaks."""


class CreditedText(str):
    """A text with a mark."""

    footprint_credit: Credit


class CreditedMessage(dict[str, Any]):
    """A provider's message with a mark."""

    footprint_credit: Credit


def credit(
    message_or_text: T,
    *,
    source: str = "custom",
    id: str,  # noqa: A002  the word of the record
    reason: str | None = None,
    score: float | None = None,
) -> T:
    """The same text or message, marked with where it came from.

    Texts and dicts become an equal text or dict; of any other message object a shallow copy is
    marked. The record is then the same as for a piece that the library let in. A piece that is
    credited is not a person's words. DeclarationError for an unknown source, a blank id, a score
    that is no finite number, or a value that cannot carry a mark.
    """
    label = "credit"
    if source not in SOURCES:
        raise DeclarationError(f"{label} source", source, "one of " + ", ".join(SOURCES))
    if is_blank(id):
        raise DeclarationError(f"{label} id", id, "a text that is not blank")
    if reason is not None and not isinstance(reason, str):
        raise DeclarationError(f"{label} reason", reason, "a text or None")
    check_number(f"{label} score", score)
    cause = Cause(source, id, reason or f"{source} {id} placed by the application", "application",
                  score)  # fmt: skip
    marked = _marked(message_or_text)
    try:
        object.__setattr__(marked, CREDIT_MARK, Credit(cause, "\n".join(_texts(message_or_text))))
    except (AttributeError, TypeError):
        raise DeclarationError(
            label, message_or_text, "a text, a dict or a message object"
        ) from None
    return cast(T, marked)


def credit_of(value: Any) -> Credit | None:
    """The credit of a text or message: its own mark, or that of a text in its content."""
    found = getattr(value, CREDIT_MARK, None)
    if isinstance(found, Credit):
        return found
    for text in _texts(value):
        found = getattr(text, CREDIT_MARK, None)
        if isinstance(found, Credit):
            return found
    return None


def _marked(value: Any) -> Any:
    if isinstance(value, str):
        return CreditedText(value)
    if type(value) is dict or isinstance(value, CreditedMessage):
        return CreditedMessage(value)
    try:
        return copy.copy(value)
    except Exception:  # what a foreign __copy__ raises; the declaration is refused below
        return None


def _texts(value: Any) -> list[str]:
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
