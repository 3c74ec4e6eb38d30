"""Turns in a list, and what an id that a person gave means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

NEWEST = "newest"
"""Stands for the id of the turn that began last."""


class Meant(NamedTuple):
    """What an id that a person gave turned out to mean."""

    turn: str
    """Id of the turn; empty when a trace is meant."""
    trace: str
    """Id of the trace; empty when a turn is meant."""

    @property
    def id(self) -> str:
        """The whole id."""
        return self.turn or self.trace


@dataclass(frozen=True, slots=True)
class TurnLine:
    """A turn in a list: what is told of it without reading all of it. Of a trace without a turn
    of ours (`foreign`): what its spans say."""

    turn: str
    """Empty when no record says, and for a foreign trace."""
    traces: tuple[str, ...]
    agent: str
    conversation: str
    text: str | None
    """The beginning of the person's words."""
    parent_turn: str
    start: int | None
    """Nanoseconds since the epoch."""
    end: int | None
    outcome: str
    """Empty: open."""
    calls: int
    errors: tuple[str, ...]
    """Kinds of errors of the turn, its calls and its tools."""
    pressure: tuple[str, ...]
    """`messages over`, `window near` and the like."""
    missing: int
    """Records that have not arrived, as far as their numbers say."""
    foreign: bool
