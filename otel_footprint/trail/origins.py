"""Who let a piece in, or took it out: what rows and events say, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..records.comparison import Origin
from ..records.trail import CallTrail, PieceRow
from ..telemetry import names
from . import values
from .content import ToolIndex, removals

if TYPE_CHECKING:
    from .reader import Trail

_BASELINE = {
    "user": "the person",
    "base": "the application",
    "registry": "the application",
    "custom": "the application",
}


class Origins:
    """The origins of the pieces of one trail."""

    def __init__(self, trail: Trail) -> None:
        self._trail = trail
        self._tools = ToolIndex(trail)
        self._removed = removals(trail)
        self._triggers = triggers(trail)

    def entered(self, call: CallTrail, row: PieceRow) -> Origin:
        """Who let in a piece that a call had in front of it."""
        first = self._trail.first_seen(row)
        return Origin(self._who(call, row), self._why(first or call.id, row), first)

    def left(self, calls: list[str], row: PieceRow) -> Origin:
        """Who took a piece out on the way over these calls; empty when no record says."""
        for call in calls:
            why = self._removed.get((call, row.hash), "")
            if why:
                by, _, reason = why.partition(": ")
                return Origin(by, reason, call)
        return Origin("")

    def _who(self, call: CallTrail, row: PieceRow) -> str:
        if row.source == "assistant":
            said_in = self._tools.said_in(call, row)
            return f"the model, in call {said_in}" if said_in else "the application, as the model's"
        if row.source == "tool-result":
            name = self._tools.name(call, row.id)
            return f"tool {name}" if name else "a tool"
        return _BASELINE.get(row.source) or " ".join(filter(None, (row.source, row.id)))

    def _why(self, call: str, row: PieceRow) -> str:
        trigger = self._triggers.get((call, row.id), "") if row.id else ""
        return ", ".join(dict.fromkeys(filter(None, (trigger, row.reason))))


def triggers(trail: Trail) -> dict[tuple[str, str], str]:
    """What let each injected piece in, by call id and the piece's id, as events say it."""
    out: dict[tuple[str, str], str] = {}
    for span in trail.spans:
        for event in span.events:
            if event.name == names.EVENT_INJECTED:
                call = values.text(span.attributes, names.CALL_ID)
                id_ = values.text(event.attributes, names.INJECTION_ID)
                trigger = values.text(event.attributes, names.INJECTION_TRIGGER)
                if id_ and trigger:
                    out.setdefault((call, id_), trigger)
    return out
