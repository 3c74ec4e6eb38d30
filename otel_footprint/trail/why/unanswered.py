"""Why there is no answer to walk from: it cannot be read, or the call gave none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...records.trail import CallTrail
from .. import foreign
from ..content import parts_of
from ..rebuild import untold

if TYPE_CHECKING:
    from ..reader import Trail
    from .view import Moment


def no_moment(trail: Trail) -> str:
    """Why there is no call to walk from."""
    if any(foreign.kind(span) == "call" for span in trail.spans):
        return (
            "no model call of this trail holds messages: none were recorded, or they stand in log "
            "records that were not read with it"
        )
    return "no model call is in this trail"


def no_answer(trail: Trail, moment: Moment) -> str:
    """One sentence, without a full stop, of a call without a text of an answer."""
    if moment.foreign:
        asked = [
            p.name for s in moment.output for p in s.piece.parts or () if p.kind == "tool_call"
        ]
        return _asked(asked) if asked else "no answer can be read: its text is not on the trail"
    call = trail.call(moment.id)
    for row in call.output:
        if row is None:
            return "no answer can be read: a record of its output is missing"
        if parts_of(trail, call, row) is None:
            return f"no answer can be read: its text {untold(trail, call, row)}"
    return _given(trail, call)


def _given(trail: Trail, call: CallTrail) -> str:
    """What a call gave in place of an answer, all of whose records can be read."""
    asked = [
        part.name
        for row in call.output
        if row is not None
        for part in parts_of(trail, call, row) or ()
        if part.kind == "tool_call"
    ]
    if asked:
        return _asked(asked)
    if not call.whole:
        return "no answer can be read: the call's own record is missing"
    if call.error:
        return f"it gave no answer: error {call.error}"
    if call.output_state == "unread":
        return "no answer can be read: what the model gave back was not read when it was recorded"
    return "it gave no answer"


def _asked(tools: list[str]) -> str:
    names = ", ".join(dict.fromkeys(name or "?" for name in tools))
    return f"it gave no answer: it asked for {'tools' if len(tools) > 1 else 'tool'} {names}"
