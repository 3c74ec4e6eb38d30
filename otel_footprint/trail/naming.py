"""How a person names a call: by its number; by its turn and number where several turns have the
number; by its id."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ..errors import TrailError
from ..records.trail import CallTrail, TurnTrail

_TYPED: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_@%+=:.-]*\Z")
"""Turn ids that a shell takes as they stand."""


def find(
    which: str,
    calls: Mapping[str, CallTrail],
    asked: Sequence[TurnTrail],
    every: Sequence[TurnTrail],
) -> CallTrail:
    """The call of this id; of this number in the turns that were asked for; or, by `TURN.NUMBER`,
    of a turn, whose id may be cut short.

    `calls`: by id. Raises TrailError, with names that this takes, when there is none or several.
    """
    if which in calls:
        return calls[which]
    there = [call for turn in asked for call in turn.calls]
    found = [call for call in there if str(call.number or "") == which]
    turn, _, number = which.rpartition(".")
    of_turn = _begun(turn, every) if number.isdecimal() else []
    if not found and of_turn:
        there = [call for each in of_turn for call in each.calls]
        found = [call for call in there if str(call.number or "") == number]
    if len(found) == 1:
        return found[0]
    if found:
        agents = {turn.id: turn.agent for turn in every}
        names = listed([_told(name_of(c), agents.get(c.turn, "")) for c in found])
        raise TrailError(f"call {which} is in several turns: name one as {names}")
    if not there:
        raise TrailError(f"no call {which} in this trail: none of ours is there")
    raise TrailError(f"no call {which} in this trail (there are: {names_of(there, not of_turn)})")


def names_of(calls: Sequence[CallTrail], alone: bool = True) -> str:
    """Names of these calls for a message; their numbers where one turn has them all, and `alone`
    says that no other turn is meant."""
    one = alone and len({call.turn for call in calls}) == 1
    return listed([str(c.number or c.id) if one else name_of(c) for c in calls]) or "none"


def name_of(call: CallTrail) -> str:
    """A name that means this call among all turns: `TURN.NUMBER`, else its id."""
    if call.number is None or not _TYPED.match(call.turn):
        return call.id
    return f"{call.turn}.{call.number}"


def _begun(id_: str, turns: Iterable[TurnTrail]) -> list[TurnTrail]:
    """The turn of this id, else those whose ids begin so."""
    turns = [turn for turn in turns if id_ and turn.id.startswith(id_)]
    return [turn for turn in turns if turn.id == id_] or turns


def _told(name: str, agent: str) -> str:
    return f"{name} ({agent})" if agent else name


def listed(names: Sequence[str]) -> str:
    """For a message: all names, or the first ones and the last."""
    return ", ".join(names if len(names) < 9 else [*names[:6], "...", names[-1]])
