"""`credit`: marks context that the application places itself, so that it stands on the record.

The mark is an attribute of the returned value and nothing else: the text or message is equal to
the one handed in, and what serialises it writes the same bytes, so the mark never reaches a
provider. A copy that a framework makes of a text may lose the mark; whoever keeps the credits of
a turn (`run`) can then still recognise the text itself by `Credit.text`.
"""

from __future__ import annotations

import copy
from typing import Any, TypeVar, cast
from uuid import UUID

from ..errors import DeclarationError
from ..records.credit import Credit, credit_of, texts_of
from ..records.frames import CREDIT_MARK
from ..records.plan import Cause
from ..text.identifiers import as_text
from .blank import is_blank
from .factories import number
from .pieces import SOURCES

T = TypeVar("T")


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
    id: str | int | UUID,  # noqa: A002  the word of the record
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
    named: str = as_text(id)
    if is_blank(named):
        raise DeclarationError(f"{label} id", id, "a text that is not blank")
    if reason is not None and not isinstance(reason, str):
        raise DeclarationError(f"{label} reason", reason, "a text or None")
    score = number(f"{label} score", score)
    said = reason or f"{source} {named} placed by the application"
    cause = Cause(source, named, said, "application", score)
    marked = _marked(message_or_text)
    try:
        object.__setattr__(marked, CREDIT_MARK, Credit(cause, "\n".join(texts_of(message_or_text))))
    except (AttributeError, TypeError):
        raise DeclarationError(
            label, message_or_text, "a text, a dict or a message object"
        ) from None
    return cast(T, marked)


def _marked(value: Any) -> Any:
    if isinstance(value, str):
        return CreditedText(value)
    if type(value) is dict or isinstance(value, CreditedMessage):
        return CreditedMessage(value)
    try:
        return copy.copy(value)
    except Exception:  # what a foreign __copy__ raises; the declaration is refused below
        return None


__all__ = ["Credit", "CreditedMessage", "CreditedText", "credit", "credit_of"]
