"""Whether a text was in front of the model: every piece of the call's slots is read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..records.seen import Seen, SeenAt
from ..records.trail import SLOT_NAMES, CallTrail
from .content import readable

if TYPE_CHECKING:
    from .reader import Trail

_BLANKS = re.compile(r"\s+")


def seen(trail: Trail, call: CallTrail, text: str, slot: str | None, source: str | None) -> Seen:
    """The pieces of a call that hold a text; blanks of any kind and number count as one."""
    if slot is not None and slot not in SLOT_NAMES:
        raise ValueError(f"slot={slot!r} is not allowed; expected: {', '.join(SLOT_NAMES)} or None")
    wanted = _even(text)
    if not wanted:
        raise ValueError("text is empty: every piece would hold it")
    turn = trail.turn_of(call)
    off = turn is not None and turn.content == "none"
    why = "content is off (mode none)" if off else "their text is not on the trail"
    at: list[SeenAt] = []
    unread: list[str] = []
    searched = 0
    for name in SLOT_NAMES if slot is None else (slot,):
        rows = trail.rows(call, name)
        if not rows.known:
            unread += [gap.what for gap in rows.gaps] or [f"rows of {name} are missing"]
        for position, row in enumerate(rows.rows):
            if row is None or (source is not None and row.source != source):
                continue
            found = readable(trail, call, row)
            if found is None:
                unread.append(why)
                continue
            searched += 1
            if wanted in _even(found):
                at.append(SeenAt(name, position, row))
    return Seen(text, trail.named(call.id), tuple(at), searched, tuple(unread))


def _even(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()
