"""What a person narrows a list of turns down by."""

from __future__ import annotations

from dataclasses import dataclass

from ...records.listing import TurnLine


@dataclass(frozen=True, slots=True)
class Filter:
    """Only turns that fit. Times are nanoseconds since the epoch; None and "" mean any."""

    since: int | None = None
    until: int | None = None
    agent: str = ""
    conversation: str = ""
    error: bool = False
    """Only turns in which a call, a tool or the turn itself failed."""
    pressure: bool = False
    """Only turns in which a slot or the window was over its cap, or nearly."""

    def fits(self, turn: TurnLine) -> bool:
        """True for a turn that is wanted. One without a time fits no time."""
        if self.since is not None and (turn.end or turn.start or -1) < self.since:
            return False
        if self.until is not None and (turn.start is None or turn.start > self.until):
            return False
        if self.agent and turn.agent != self.agent:
            return False
        if self.conversation and turn.conversation != self.conversation:
            return False
        return not (self.error and not turn.errors) and not (self.pressure and not turn.pressure)


EVERY = Filter()
