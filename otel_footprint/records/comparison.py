"""Two calls compared: pieces and parameters that came, left, changed or moved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from ..errors import TrailError
from .trail import SLOT_NAMES, CallTrail, PieceRow

Kind = Literal["added", "removed", "changed", "moved"]


class Origin(NamedTuple):
    """Who let a piece in, or took it out, and why, as far as the record says."""

    by: str
    """For example `the model, in call 3`; empty when no record says."""
    reason: str = ""
    call: str = ""
    """Id of the call that had it so first; empty when no record says."""


class PieceDiff(NamedTuple):
    """A piece that is not where, or not what, it was."""

    kind: Kind
    before: PieceRow | None
    after: PieceRow | None
    at_before: int | None
    """Its place in the slot before, from 0; None for one that came."""
    at_after: int | None
    """Its place in the slot after, from 0; None for one that left."""
    text_before: str | None
    """What it says, for a person to read; None when the text is not on the trail."""
    text_after: str | None
    origin: Origin


class SlotDiff(NamedTuple):
    """A slot of two calls."""

    slot: str
    """system, messages, tools; or `output`, where two traces are compared."""
    pieces: tuple[PieceDiff, ...]
    """In the order of the later slot; what left stands where it stood."""
    kept: int
    unknown: int
    """Pieces, on either side, of which the records that are there do not tell."""
    hidden: int
    """Changes between the two that redaction hides."""


class KeyDiff(NamedTuple):
    """A parameter of the request, by its path."""

    path: str
    before: str | None
    """JSON; None when the request did not have it."""
    after: str | None


@dataclass(frozen=True, slots=True)
class CallDiff:
    """What differs between the requests of two calls."""

    before: CallTrail
    after: CallTrail
    slots: tuple[SlotDiff, ...]
    parameters: tuple[KeyDiff, ...] | None
    """Everything of the request outside the slots; None when a layout is not on the trail."""
    notes: tuple[str, ...]
    """What the comparison cannot tell, and why; sentences without a full stop."""

    def slot(self, name: str) -> SlotDiff:
        """The slot of this name. Raises TrailError when there is none."""
        return next((s for s in self.slots if s.slot == name), None) or _no_slot(name)

    @property
    def same(self) -> bool:
        """True when nothing differs and nothing is unknown."""
        known = self.parameters is not None and not self.notes
        return known and not self.parameters and not any(s.pieces or s.unknown for s in self.slots)


def _no_slot(name: str) -> SlotDiff:
    raise TrailError(f"no slot {name!r} (there are: {', '.join(SLOT_NAMES)})")
