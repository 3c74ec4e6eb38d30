"""With which call a change is compared, where that is not the call that stands before it."""

from __future__ import annotations

from typing import NamedTuple

from ..records.trail import CallTrail, Change
from .sheet import Sheet


class Base(NamedTuple):
    """The call that a change is compared with."""

    call: str
    """Its id."""
    beside: bool
    """True when both ran at the same time, so that neither followed the other."""


def base_of(sheet: Sheet, call: CallTrail, change: Change) -> Base | None:
    """The call to be named beside a change; None where it goes without saying: the call printed
    before had the slot as the base had it, and both had ended."""
    if not change.base:
        return None
    before, base = sheet.before(call), sheet.call(change.base)
    composer = composer_of(base, change.slot) if base is not None else ""
    beside = base is not None and _beside(base, call)
    if (
        before is not None
        and composer_of(before, change.slot) == (composer or change.base)
        and not (beside or _beside(before, call))
    ):
        return None
    return Base(change.base, beside)


def composer_of(call: CallTrail, slot: str) -> str:
    """Id of the call that composed a slot as this one had it; empty when no record says."""
    return next((s.composer for s in call.slots.values() if s.slot == slot), "")


def _beside(one: CallTrail, other: CallTrail) -> bool:
    """True when each began before the other ended, as far as their times are known."""
    times = one.start, one.end, other.start, other.end
    if None in times:
        return False
    begun, ended, start, end = (t or 0 for t in times)
    return begun < end and start < ended
