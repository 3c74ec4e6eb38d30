"""Credits: which texts an application said it placed itself, until they show up in a request.

A client's SDK may copy a marked text or message on its way, and the copy has no mark. So a text
is known by its mark, else by being one that was credited, whole, in the current turn (or, outside
any turn, in this process lately).
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from ..errors import known_options
from ..records.credit import Credit, credit_of
from ..records.frames import FRAMES, frame_of
from ..records.plan import Cause
from . import state

if TYPE_CHECKING:
    from .turn import Turn

MOST: Final = 512
"""Credits remembered of a turn, and outside turns."""

_outside: OrderedDict[str, Credit] = OrderedDict()
_used: list[bool] = []


@known_options("credit")
def credit(
    message_or_text: Any,
    *,
    source: str = "custom",
    id: str,  # noqa: A002  the word of the record
    reason: str | None = None,
    score: float | None = None,
) -> Any:
    """See `injection.credits.credit`; also remembers the text for the current turn."""
    from ..injection.credits import credit as mark

    marked = mark(message_or_text, source=source, id=id, reason=reason, score=score)
    found = credit_of(marked)
    if found is not None and found.text:
        turn = state.turn()
        held = _outside if turn is None else turn.credits
        held[found.text] = found
        held.move_to_end(found.text)
        if len(held) > MOST:
            held.popitem(last=False)
    if not _used:
        _used.append(True)
    return marked


def note(turn: Turn, cause: Cause, text: str) -> None:
    """Remembers a text that a framework keeps in its own history for us."""
    turn.credits[text] = Credit(cause, text)
    if not _used:
        _used.append(True)


def of(element: Any, turn: Turn | None) -> Credit | None:
    """What let an element of a request in, when its application or a framework placed it.

    Texts that the library wrote itself are known by their frame, also in a later turn.
    """
    if not _used and (type(element) is not dict or element.get("role") != "user"):
        return None
    found = credit_of(element) if _used else None
    if found is not None:
        return found
    text = element if type(element) is str else None
    if type(element) is dict:
        text = element.get("content", element.get("text"))
        if type(text) is list and len(text) == 1 and type(text[0]) is dict:
            text = text[0].get("text")
    if type(text) is not str:
        return None
    if _used:
        found = (None if turn is None else turn.credits.get(text)) or _outside.get(text)
    if (
        found is None
        and text[:1] == "["
        and type(element) is dict
        and element.get("role") == "user"
    ):
        found = _framed(text)
    return found


def _framed(text: str) -> Credit | None:
    prefix = frame_of(text)
    if prefix is None:
        return None
    writer = next(frame.writer for frame in FRAMES if frame.prefix == prefix)
    source = _WRITERS.get(writer, "custom")
    return Credit(Cause(source, writer, f"written by the library: {prefix[1:]}", "frame"), text)


_WRITERS: Final = {"injection.window": "window", "injection.procedures": "procedure",
                   "arguments": "arguments"}  # fmt: skip


def cause_of(element: Any, turn: Turn | None) -> Cause | None:
    """What let such an element in."""
    found = of(element, turn)
    return None if found is None else found.cause
