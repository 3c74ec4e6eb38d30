"""Whether a trail is whole: its ledgers, and what became of its texts on the way.

The numbers and digests of ledgers cover our own fields and the hashes of texts. So a pipeline
that withholds or shortens texts leaves a ledger complete; such texts are told apart here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..records.trail import CallTrail, PieceRow, Problem, ToolTrail, TurnTrail
from .ledger import LedgerCheck
from .texts import Found

if TYPE_CHECKING:
    from .reader import Trail

State = Literal["complete", "inconsistent", "incomplete", "open", "unreadable"]
_WORST: tuple[State, ...] = ("inconsistent", "incomplete", "open")
_FATES = ("shortened", "withheld", "lost", "left_out")
"""Fields of `Texts` that name hashes."""


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

    state: the worst of its turns; `incomplete` also where parts of its files could not be read;
    `unreadable` without any record of ours.
    """

    state: State
    ledgers: tuple[LedgerCheck, ...]
    altered: bool
    """True for an inconsistent trail whose hashes a given key makes: whoever changed it did not
    have the key."""
    texts: Texts
    problems: tuple[Problem, ...]
    """What could not be read."""
    turns: Mapping[str, str]
    """Of each ledger the id of its turn."""
    wrong: bool
    """The rows of a slot do not give the digest on the record."""
    named: Mapping[tuple[str, int], str]
    """What the inconsistent records are, by ledger and number."""
    gaps: tuple[str, ...]
    """Sentences on digests and on traces that are missing."""


def verify(trail: Trail, traces: Collection[str] | None = None) -> Verified:
    """Checks the ledgers and texts of the turns that were asked for.

    traces: of all its turns, those that are in these traces.
    """
    turns = trail.asked
    if traces is not None:
        turns = tuple(t for t in trail.turns if not set(traces).isdisjoint(t.trace_ids))
    of = {ledger: turn.id for turn in turns for ledger in turn.ledgers if ledger}
    checks = tuple(c for c in map(trail.check, of) if c.records)
    wrong = _wrong_digests(trail, turns)
    texts = _texts(trail, turns)  # first: it finds out which key fits
    keyed = any(turn.key_id for turn in turns) and trail.texts.hashes.fitted
    state = _state(checks, wrong, bool(trail.problems))
    return Verified(
        state,
        checks,
        state == "inconsistent" and keyed,
        texts,
        trail.problems,
        of,
        wrong,
        _named(turns, checks),
        tuple(g.what for g in trail.gaps if g.kind in ("digest", "trace")),
    )


def joined(parts: Iterable[Verified]) -> Verified:
    """The verdict on all parts of a trail; of a ledger that stands in several the fullest."""
    checks: dict[str, LedgerCheck] = {}
    fates: dict[str, list[str]] = {name: [] for name in _FATES}
    proven = unproven = off = 0
    altered = wrong = False
    turns: dict[str, str] = {}
    named: dict[tuple[str, int], str] = {}
    problems: list[Problem] = []
    gaps: list[str] = []
    for part in parts:
        for check in part.ledgers:
            known = checks.get(check.ledger)
            if known is None or known.records < check.records:
                checks[check.ledger] = check
        for name in _FATES:
            fates[name] += getattr(part.texts, name)
        proven += part.texts.proven
        unproven += part.texts.unproven
        off += part.texts.off
        altered = altered or part.altered
        turns.update(part.turns)
        named.update(part.named)
        wrong = wrong or part.wrong
        problems += part.problems
        gaps += part.gaps
    once = {name: tuple(dict.fromkeys(hashes)) for name, hashes in fates.items()}
    found = tuple(checks.values())
    return Verified(
        _state(found, wrong, bool(problems)),
        found,
        altered,
        Texts(proven=proven, unproven=unproven, off=off, **once),
        tuple(dict.fromkeys(problems)),
        turns,
        wrong,
        named,
        tuple(dict.fromkeys(gaps)),
    )


def _state(checks: tuple[LedgerCheck, ...], wrong: bool, unread: bool) -> State:
    found = {check.state for check in checks}
    if not checks:
        return "unreadable"
    if wrong:
        return "inconsistent"
    return next((s for s in _WORST if s in found), "incomplete" if unread else "complete")


def _wrong_digests(trail: Trail, turns: tuple[TurnTrail, ...]) -> bool:
    """True when the rows of a slot do not give the digest on the record."""
    return any(
        trail.rows(call, slot).proven is False
        for turn in turns
        for call in turn.calls
        for slot in call.slots
    )


def _named(
    turns: tuple[TurnTrail, ...], checks: tuple[LedgerCheck, ...]
) -> dict[tuple[str, int], str]:
    """What each inconsistent record is."""
    wanted = {(check.ledger, number) for check in checks for number in check.inconsistent}
    if not wanted:
        return {}
    out: dict[tuple[str, int], str] = {}
    for turn in turns:
        items: list[CallTrail | ToolTrail] = [*turn.calls, *turn.tools]
        for item in items:
            if item.seq is None:
                continue
            if isinstance(item, CallTrail):
                out[item.ledger, item.seq] = f"call {item.id}"
            elif item.ledger:
                out[item.ledger, item.seq] = f"tool call {item.name} {item.call_id}".rstrip()
    return {key: what for key, what in out.items() if key in wanted}


def _texts(trail: Trail, turns: tuple[TurnTrail, ...]) -> Texts:
    found: dict[str, str] = {}
    for turn in turns:
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
    media = trail.store.media if trail.store is not None else None
    for row in rows:
        if row is not None:
            yield row.hash + row.exact, trail.texts.piece(row, media)
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
