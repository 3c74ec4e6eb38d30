"""Whether a trail is whole: its ledgers, and what became of its texts on the way.

The numbers and digests of ledgers cover our own fields and the hashes of texts. So a pipeline
that withholds or shortens texts leaves a ledger complete; such texts are told apart here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..records.trail import CallTrail, PieceRow, TurnTrail
from .ledger import LedgerCheck
from .texts import Found

if TYPE_CHECKING:
    from .reader import Trail

State = Literal["complete", "inconsistent", "incomplete", "open", "unreadable"]
_WORST: tuple[State, ...] = ("inconsistent", "incomplete", "open")


@dataclass(frozen=True, slots=True)
class Texts:
    """What became of the texts that a trail's hashes stand for."""

    proven: int = 0
    """That give their hash."""
    unproven: int = 0
    """That are there while no hash function is at hand (a key that was not given)."""
    shortened: tuple[str, ...] = ()
    """Hashes of those that do not give their hash: shortened or rewritten on the way."""
    withheld: tuple[str, ...] = ()
    """Hashes of those that are not there although their record is and the content mode is not
    `none`: left out on the way."""
    lost: tuple[str, ...] = ()
    """Hashes of those whose record is missing."""
    left_out: tuple[str, ...] = ()
    """Hashes of those that the writer left out or put into a content store, and media."""
    off: int = 0
    """That were never recorded (content mode none)."""


@dataclass(frozen=True, slots=True)
class Verified:
    """The verdict on a trail.

    state: the worst of its ledgers; `incomplete` also where parts of its files could not be read;
    `unreadable` without any record of ours.
    """

    state: State
    ledgers: tuple[LedgerCheck, ...]
    altered: bool
    """True for an inconsistent trail whose hashes a given key makes: whoever changed it did not
    have the key."""
    texts: Texts
    unread: int
    """Places that could not be read."""


def verify(trail: Trail) -> Verified:
    """Checks the ledgers and texts of the turns that were asked for."""
    ledgers = [trail.check(ledger) for turn in trail.asked for ledger in turn.ledgers if ledger]
    checks = tuple(c for c in ledgers if c.records)
    found = {check.state for check in checks}
    state: State = next((s for s in _WORST if s in found), "complete")
    wrong = _wrong_digests(trail)
    if wrong:
        state = "inconsistent"
    unread = len(trail.problems)
    if not checks:
        state = "unreadable"
    elif state == "complete" and unread:
        state = "incomplete"
    texts = _texts(trail)
    keyed = any(turn.key_id for turn in trail.asked) and trail.texts.hashes.fitted
    return Verified(state, checks, state == "inconsistent" and keyed, texts, unread)


def _wrong_digests(trail: Trail) -> bool:
    """True when the rows of a slot do not give the digest on the record."""
    return any(
        trail.rows(call, slot).proven is False
        for turn in trail.asked
        for call in turn.calls
        for slot in call.slots
    )


def _texts(trail: Trail) -> Texts:
    found: dict[str, str] = {}
    for turn in trail.asked:
        for call in turn.calls:
            for key, text in _of_call(trail, call):
                if key not in found:
                    found[key] = _fate(trail, turn, call, text)
    fates = {fate: tuple(k for k, f in found.items() if f == fate) for fate in set(found.values())}
    return Texts(
        proven=len(fates.get("proven", ())),
        unproven=len(fates.get("unproven", ())),
        shortened=fates.get("shortened", ()),
        withheld=fates.get("withheld", ()),
        lost=fates.get("lost", ()),
        left_out=fates.get("left out", ()),
        off=len(fates.get("off", ())),
    )


def _of_call(trail: Trail, call: CallTrail) -> Iterator[tuple[str, Found]]:
    """The texts that a call's own records name."""
    rows: list[PieceRow | None] = list(call.output)
    for slot in call.slots:
        own = trail.compositions.get(call.id, slot)
        rows += (own.inserted or ()) if own is not None else ()
    for row in rows:
        if row is not None:
            yield row.hash + row.exact, trail.texts.piece(row)
    if call.params:
        yield call.params, trail.texts.layout(call.params)


def _fate(trail: Trail, turn: TurnTrail, call: CallTrail, found: Found) -> str:
    if found.proven:
        return "proven"
    if turn.content == "none" and found.text is None:
        return "off"
    if found.text is not None:
        known = trail.texts.hashes.fitted or (not turn.key_id and turn.started)
        return "shortened" if known else "unproven"
    if found.gap in ("content", "media"):
        return "left out"
    if trail.missing_records(call.ledger) or trail.linked_traces(call):
        return "lost"
    return "withheld"
