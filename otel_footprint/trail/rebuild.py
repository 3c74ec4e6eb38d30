"""The request of a call, from the records of its pieces alone, proven by hash."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ..records.rebuilt import Proof, ProofLevel, Rebuilt
from ..records.trail import (
    SLOT_NAMES,
    CallTrail,
    Gap,
    GapKind,
    PieceRow,
    TurnTrail,
)
from ..text.jsontext import encode
from ..wire.layout import rebuild as put_together
from .texts import STORED, Found, MediaBytes

if TYPE_CHECKING:
    from .reader import Trail


class _Slot(NamedTuple):
    texts: list[str]
    frames: list[str]
    whole: bool
    digest: bool
    pieces: int
    proven: int


_INSTEAD: Final = ('"$opaque":', "[redacted:")
"""What stands on the record in place of something that left: an object, a secret."""


def rebuild(trail: Trail, call: CallTrail, media: MediaBytes | None = None) -> Rebuilt:
    """The request, or what is missing of it.

    Each piece's text must give its hash, each slot's rows their digest and the layout its hash. A
    text that does not, although the hash function is at hand, counts as missing: shortened or
    changed on the way. Where no hash can be compared (a key that was not given) the request is
    given as it was recorded, and called unproven.
    """
    if media is None and trail.store is not None:
        media = trail.store.media
    gaps: list[Gap] = [g for g in call.gaps if g.kind == "span" and not g.slot]
    turn = trail.turn_of(call)
    slots = [_slot(trail, turn, call, name, gaps, media) for name in SLOT_NAMES]
    layout, layout_proven = _layout(trail, turn, call, gaps)
    pieces, proven = sum(s.pieces for s in slots), sum(s.proven for s in slots)
    text: str | None = None
    if layout is not None and all(s.whole for s in slots):
        frames: dict[str, list[str]] = {n: s.frames for n, s in zip(SLOT_NAMES, slots, strict=True)}
        try:
            text = put_together(layout, slots[0].texts, slots[1].texts, slots[2].texts, frames)
        except (ValueError, LookupError) as error:
            what = f"call {call.id}: its pieces do not fit its layout ({error})"
            gaps.append(Gap("columns", what, call.id))
    digests = tuple(n for n, s in zip(SLOT_NAMES, slots, strict=True) if s.digest)
    fits = proven == pieces and layout_proven and len(digests) == len(slots)
    level = _level(text, fits, call, turn)
    proof = Proof(level, pieces, proven, digests, layout_proven, call.request_bytes)
    return Rebuilt(call.id, text, proof, _distinct(gaps))


def _level(text: str | None, fits: bool, call: CallTrail, turn: TurnTrail | None) -> ProofLevel:
    if text is None:
        return "none"
    if not fits:
        return "unproven"
    if len(encode(text)) == call.request_bytes:
        return "body"
    redacted = turn is not None and (turn.content == "redacted" or turn.redacted)
    redacted = redacted or any(mark in text for mark in _INSTEAD)
    return "recorded" if redacted or call.request_bytes is not None else "json"


def _slot(
    trail: Trail,
    turn: TurnTrail | None,
    call: CallTrail,
    slot: str,
    gaps: list[Gap],
    media: MediaBytes | None,
) -> _Slot:
    rows = trail.rows(call, slot)
    gaps += rows.gaps
    whole = rows.known and rows.proven is not False
    texts: list[str] = []
    proven = 0
    for row in rows.rows:
        if row is None:
            continue
        found = trail.texts.piece(row, media)
        text = _accepted(trail, turn, found)
        if text is None:
            whole = False
            gaps.append(_text_gap(trail, turn, call, slot, row, found))
            continue
        texts.append(text)
        proven += found.proven
    frames = [row.frame for row in rows.rows if row is not None]
    return _Slot(texts, frames, whole, bool(rows.proven), len(rows.rows), proven)


def _accepted(trail: Trail, turn: TurnTrail | None, found: Found) -> str | None:
    """The text when it is proven, or when nothing is at hand to prove or disprove it with."""
    return found.text if found.proven or not _checkable(trail, turn) else None


def _checkable(trail: Trail, turn: TurnTrail | None) -> bool:
    """True when the trail's hash function is at hand: a text that misses its hash is damaged."""
    named = turn is not None and bool(turn.key_id)
    return trail.texts.hashes.fitted or (not named and turn is not None and turn.started)


def _layout(
    trail: Trail, turn: TurnTrail | None, call: CallTrail, gaps: list[Gap]
) -> tuple[str | None, bool]:
    if not call.params:
        if call.params_of:
            by = "" if call.params_of == call.id else f" (that of call {call.params_of})"
            what = f"call {call.id}: the record of its request's layout{by} is missing"
            gaps.append(Gap("layout", what, call.id))
        return None, False
    found = trail.texts.layout(call.params)
    text = _accepted(trail, turn, found)
    if text is None:
        what = f"{found.what}{_at(turn, found)}" if found.what else _why(trail, turn, call, found)
        off = turn is not None and turn.content == "none" and found.text is None
        gaps.append(
            Gap(
                "content" if off else found.gap or "text",
                f"call {call.id}: the layout of its request ({call.params}) {what}",
                call.id,
            )
        )
    return text, found.proven


def _text_gap(
    trail: Trail,
    turn: TurnTrail | None,
    call: CallTrail,
    slot: str,
    row: PieceRow,
    found: Found,
) -> Gap:
    kind: GapKind = found.gap or "text"
    name = f"{slot} of call {call.id}: text of piece {row.hash}"
    if kind == "media":
        what = f"{slot} of call {call.id}: piece {row.hash} holds media whose bytes are not here"
        return Gap("media", f"{what} ({found.what})", call.id, slot)
    if found.what:
        return Gap(kind, f"{name} {found.what}{_at(turn, found)}", call.id, slot)
    if turn is not None and turn.content == "none":
        return Gap("content", f"{name} was not recorded (content mode none)", call.id, slot)
    if found.text is None:
        first = trail.first_seen(row)
        where = f", first there in call {first}" if first else ""
        why = _why(trail, turn, call, found)
        return Gap(kind, f"{name}{where}, {why}", call.id, slot)
    return Gap(kind, f"{name} {_why(trail, turn, call, found)}", call.id, slot)


def untold(trail: Trail, call: CallTrail, row: PieceRow) -> str:
    """Why a piece's text is not there: the end of a sentence."""
    turn = trail.turn_of(call)
    found = trail.texts.piece(row)
    return f"{found.what}{_at(turn, found)}" if found.what else _why(trail, turn, call, found)


def _at(turn: TurnTrail | None, found: Found) -> str:
    """Where the content store is that holds a text, as the trail says."""
    return f" {turn.store}" if found.what == STORED and turn is not None and turn.store else ""


def _why(trail: Trail, turn: TurnTrail | None, call: CallTrail, found: Found) -> str:
    """Why a text is not there, as far as the trail says."""
    if found.text is not None:
        return "does not give its hash: shortened or changed on the way"
    if turn is not None and turn.content == "none":
        return "was not recorded (content mode none)"
    missing = trail.missing_records(call.ledger)
    if missing:
        return f"is missing; records {said(missing)} of ledger {call.ledger} have not arrived"
    earlier = trail.linked_traces(call)
    if earlier:
        return f"is missing; it may stand in trace {', '.join(earlier)}, which is not here"
    if found.gap == "layout":
        return "is missing: the span that carried it has not arrived"
    return "is missing, and no record is: it was withheld on the way"


def said(numbers: tuple[int, ...], most: int = 8) -> str:
    """Numbers as a person reads them: `3, 5 to 9`."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    words = [str(a) if a == b else f"{a} to {b}" for a, b in spans[:most]]
    return ", ".join(words) + (", ..." if len(spans) > most else "")


def _distinct(gaps: list[Gap]) -> tuple[Gap, ...]:
    return tuple(dict.fromkeys(gaps))
