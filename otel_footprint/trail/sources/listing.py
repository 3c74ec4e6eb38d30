"""What a person narrows a list of turns down by."""

from __future__ import annotations

from dataclasses import dataclass


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


EVERY = Filter()
