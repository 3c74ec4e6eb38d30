"""Who let a piece in, or took it out: what rows and events say, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..records.comparison import Origin
from ..records.plan import plain_reason
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
        self.tools = ToolIndex(trail)
        self._removed = removals(trail)
        self._triggers = triggers(trail)

    def entered(self, call: CallTrail, row: PieceRow) -> Origin:
        """Who let in a piece that a call had in front of it."""
        first = self._trail.first_seen(row)
        return Origin(self._who(call, row), self.why(call, row), first)

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
            said_in = self.tools.said_in(call, row)
            if not said_in:
                return "the application, as the model's"
            more = ", and the library under it" if self.tools.has_programs(call, row) else ""
            return f"the model, in call {said_in}{more}"
        if row.source == "tool-result":
            name = self.tool(call, row)
            return f"tool {name}" if name else "a tool"
        return _BASELINE.get(row.source) or " ".join(filter(None, (row.source, row.id)))

    def tool(self, call: CallTrail, row: PieceRow) -> str:
        """Name of the tool that a result is of, as the call knew it that had it first: an id may
        be used again. Empty where the trail does not say."""
        first = self._trail.first_seen(row)
        return self.tools.name(self._trail.call(first) if first else call, row.id)

    def why(self, call: CallTrail, row: PieceRow) -> str:
        """What let a piece in that a call had in front of it: its trigger, and the reason that was
        declared."""
        return ", ".join(dict.fromkeys(filter(None, (self._trigger(call, row), reason_of(row)))))

    def short(self, call: CallTrail, row: PieceRow) -> str:
        """The same in one thing: the reason, where none was declared the trigger."""
        return reason_of(row) or self._trigger(call, row) or (row.reason and "active")

    def _trigger(self, call: CallTrail, row: PieceRow) -> str:
        if not row.id or not row.reason:
            return ""
        own = self._triggers.get((call.id, row.id))
        found = own or self._triggers.get((self._trail.first_seen(row), row.id), "")
        return "" if found == row.id else found  # `library` says no more than the id does


def reason_of(row: PieceRow) -> str:
    """The reason of a piece; empty where it says no more than that it is active."""
    return "" if row.reason == plain_reason(row.source, row.id) else row.reason


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
