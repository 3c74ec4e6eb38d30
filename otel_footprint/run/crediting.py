"""Credits: which texts an application said it placed itself, until they show up in a request.

A client's SDK may copy a marked text or message on its way, and the copy has no mark. So a text
is known by its mark, else by being one that was credited, whole, in the current turn (or, outside
any turn, in this process lately).
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Final

from ..injection.credit import Credit, credit_of
from ..injection.credit import credit as mark
from ..records.plan import Cause
from . import state

MOST: Final = 512
"""Credits remembered of a turn, and outside turns."""

_outside: OrderedDict[str, Credit] = OrderedDict()
_used: list[bool] = []


def credit(
    message_or_text: Any,
    *,
    source: str = "custom",
    id: str,  # noqa: A002  the word of the record
    reason: str | None = None,
    score: float | None = None,
) -> Any:
    """See `injection.credit`; also remembers the text for the current turn."""
    marked = mark(message_or_text, source=source, id=id, reason=reason, score=score)
    found = credit_of(marked)
    if found is not None and found.text:
        turn = state.TURN.get()
        held = _outside if turn is None else turn.credits
        held[found.text] = found
        held.move_to_end(found.text)
        if len(held) > MOST:
            held.popitem(last=False)
    if not _used:
        _used.append(True)
    return marked


def of(element: Any) -> Credit | None:
    """The credit of an element of a request; None at once while nothing was ever credited."""
    if not _used:
        return None
    found = credit_of(element)
    if found is not None:
        return found
    text = element if type(element) is str else None
    if type(element) is dict:
        text = element.get("content", element.get("text"))
        if type(text) is list and len(text) == 1 and type(text[0]) is dict:
            text = text[0].get("text")
    if type(text) is not str:
        return None
    turn = state.TURN.get()
    return (None if turn is None else turn.credits.get(text)) or _outside.get(text)


def cause_of(element: Any) -> Cause | None:
    """What let a credited element in."""
    found = of(element)
    return None if found is None else found.cause
