"""The request of a call put together again, and how far it is proven."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .trail import Gap

ProofLevel = Literal["body", "json", "recorded", "unproven", "none"]


@dataclass(frozen=True, slots=True)
class Proof:
    """How far a rebuilt request is proven.

    level: `body`: every hash and digest fits, and so does the length of the HTTP body that left;
    `json`: every hash and digest fits, and no body was seen; `recorded`: they fit, but what was
    recorded need not be what left (redaction was on, or the body had another length); `unproven`:
    the texts are there and nothing to check them with is; `none`: something is missing or wrong.
    """

    level: ProofLevel
    pieces: int
    """Pieces of the request."""
    proven: int
    """Pieces whose text gives its hash."""
    slots: tuple[str, ...]
    """Slots whose rows give their digest."""
    layout: bool
    """True when the layout gives its hash."""
    request_bytes: int | None
    """Length of the HTTP body on the record."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The request of a call, from the records of its pieces alone."""

    call: str
    text: str | None
    """Compact JSON; None when something of it is missing."""
    proof: Proof
    gaps: tuple[Gap, ...]
