"""Two calls compared, of one trail or of two: piece by piece, and key by key."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..records.comparison import CallDiff, KeyDiff, Origin, PieceDiff, SlotDiff
from ..records.trail import SLOT_NAMES, CallTrail, Change, Changed, PieceRow, Rows
from ..text.skeleton import expand
from .changes import stayed
from .content import readable

if TYPE_CHECKING:
    from .origins import Origins
    from .reader import Trail

ALIKE: Final = 0.5
"""Two texts at least this alike (0 to 1) are one piece that changed."""
LOOKED_AT: Final = 2_000
"""Characters of a text that decide whether it is alike."""
GAP: Final = 40
"""Pieces between two that stayed which are compared with one another, on either side."""

Row = PieceRow | None


class Side(NamedTuple):
    """A call and the trail that it is in."""

    trail: Trail
    call: CallTrail


class Paired(NamedTuple):
    """Places of two lists that belong together; None: on one side only."""

    old: int | None
    new: int | None
    moved: bool = False


def compare(before: Side, after: Side) -> CallDiff:
    """What differs between the requests of two calls; their outputs too, where the traces differ.

    Nothing is guessed: what cannot be compared is named in `notes`.
    """
    apart = before.trail is not after.trail
    origins = after.trail.origins
    slots = []
    for slot in SLOT_NAMES:
        old, new = (side.trail.rows(side.call, slot) for side in (before, after))
        slots.append(_slot(slot, before, after, old, new, origins))
    if apart:
        old, new = (
            Rows(rows, None not in rows, None) for rows in (before.call.output, after.call.output)
        )
        slots.append(_slot("output", before, after, old, new, origins))
    notes = _notes(before, after)
    return CallDiff(before.call, after.call, tuple(slots), _parameters(before, after), notes)


def _notes(before: Side, after: Side) -> tuple[str, ...]:
    out = []
    keys = [_key(side) for side in (before, after)]
    if keys[0] != keys[1]:
        out.append("the hashes of the two are made with different keys: no piece can be compared")
    for side in (before, after):
        if not side.call.whole:
            out.append(f"the own record of call {side.call.id} is missing")
        for slot in SLOT_NAMES:
            out += [gap.what for gap in side.trail.rows(side.call, slot).gaps]
    return tuple(dict.fromkeys(out))


def _key(side: Side) -> str:
    turn = side.trail.turn_of(side.call)
    return turn.key_id if turn is not None else ""


# --- slots ---------------------------------------------------------------------------------


def _slot(
    slot: str,
    before: Side,
    after: Side,
    before_rows: Rows,
    after_rows: Rows,
    origins: Origins,
) -> SlotDiff:
    between = _between(before, after)
    old, new = before_rows.rows, after_rows.rows
    texts = _Texts(before, old), _Texts(after, new)
    pieces: list[PieceDiff] = []
    kept = unknown = 0
    for pair in paired(old, new, *texts):
        was = old[pair.old] if pair.old is not None else None
        now = new[pair.new] if pair.new is not None else None
        if was is None and now is None:
            unknown += 1
            continue
        if was == now and not pair.moved:
            kept += 1
            continue
        origin = Origin("")
        if now is not None:
            origin = origins.entered(after.call, now) if slot != "output" else origin
        elif was is not None:
            origin = origins.left(between, was)
        # what only one side has may be among the other's missing rows, unless a record says more
        if (was is None and not before_rows.known and origin.call not in between) or (
            now is None and not after_rows.known and not origin.by
        ):
            unknown += 1
            continue
        pieces.append(
            PieceDiff(
                "moved" if pair.moved else _kind(was, now),
                was,
                now,
                pair.old,
                pair.new,
                texts[0](pair.old),
                texts[1](pair.new),
                origin,
            )
        )
    composed = [after.trail.compositions.get(call, slot) for call in between]
    return SlotDiff(slot, tuple(pieces), kept, unknown, sum(c.hidden for c in composed if c))


def _kind(was: Row, now: Row) -> Any:
    return "added" if was is None else "removed" if now is None else "changed"


class _Texts:
    """The texts of a list of rows, each read once."""

    def __init__(self, side: Side, rows: Sequence[Row]) -> None:
        self._side = side
        self._rows = rows
        self._read: dict[int, str | None] = {}

    def __call__(self, at: int | None) -> str | None:
        row = self._rows[at] if at is not None else None
        if at is None or row is None:
            return None
        if at not in self._read:
            self._read[at] = readable(self._side.trail, self._side.call, row)
        return self._read[at]


def _between(before: Side, after: Side) -> list[str]:
    """Ids of the calls of the turn after the one and up to the other."""
    turn = after.trail.turn_of(after.call)
    if turn is None or before.trail is not after.trail:
        return [after.call.id]
    own = [c.id for c in turn.calls]
    first = own.index(before.call.id) + 1 if before.call.id in own else 0
    return own[first : own.index(after.call.id) + 1] or [after.call.id]


def paired(old: Sequence[Row], new: Sequence[Row], old_text: Any, new_text: Any) -> list[Paired]:
    """What belongs together in two lists of pieces, in the order of the new list.

    The longest run of equal rows in one order stays; equal rows elsewhere moved; of the others
    those of one identity, of one id, or of alike text between the same two that stayed, changed.
    """
    kept = stayed(old, new)
    partner: dict[int, int] = {n: o for n, o in enumerate(kept) if o is not None}
    there = set(partner.values())
    free_old = [o for o in range(len(old)) if o not in there]
    free_new = [n for n in range(len(new)) if n not in partner]
    moved: set[int] = set()
    for key in (_equal, _identity, _named):
        _match(old, new, key, free_old, free_new, partner, moved if key is _equal else None)
    held = [(o, n) for n, o in enumerate(kept) if o is not None]
    gaps: dict[int, tuple[list[int], list[int]]] = {}
    for side, free in enumerate((free_old, free_new)):
        for at in free:
            gap = bisect_left(held, at, key=lambda pair: pair[side])
            gaps.setdefault(gap, ([], []))[side].append(at)
    for olds, news in gaps.values():
        partner.update((n, o) for o, n in _alike(old, new, olds, news, old_text, new_text, True))
    out = [(float(n), Paired(partner.get(n), n, n in moved)) for n in range(len(new))]
    after = {o: n for n, o in enumerate(kept) if o is not None}
    place = -0.5
    lost = set(free_old) - set(partner.values())
    for o in range(len(old)):
        place = after[o] + 0.5 if o in after else place
        if o in lost:
            out.append((place, Paired(o, None)))
    return [pair for _, pair in sorted(out, key=lambda found: found[0])]


def _equal(row: PieceRow) -> Any:
    return row


def _identity(row: PieceRow) -> Any:
    return row.hash


def _named(row: PieceRow) -> Any:
    return (row.source, row.id) if row.id else None


def _match(
    old: Sequence[Row],
    new: Sequence[Row],
    key: Any,
    free_old: list[int],
    free_new: list[int],
    partner: dict[int, int],
    moved: set[int] | None,
) -> None:
    where: dict[Any, list[int]] = {}
    for o in reversed(free_old):
        row = old[o]
        if row is not None and (named := key(row)) is not None:
            where.setdefault(named, []).append(o)
    taken: set[int] = set()
    for n in free_new:
        row = new[n]
        found = where.get(key(row)) if row is not None else None
        if found:
            partner[n] = found.pop()
            taken.add(partner[n])
            if moved is not None:
                moved.add(n)
    free_old[:] = [o for o in free_old if o not in taken]
    free_new[:] = [n for n in free_new if n not in partner]


def _alike(
    old: Sequence[Row],
    new: Sequence[Row],
    olds: list[int],
    news: list[int],
    old_text: Any,
    new_text: Any,
    alone: bool = False,
) -> list[tuple[int, int]]:
    """Pairs of one source and alike text; `alone`: one on each side need not be alike."""
    if not olds or not news or len(olds) > GAP or len(news) > GAP:
        return []
    alone = alone and len(olds) == len(news) == 1
    found = []
    for n in news:
        for o in olds:
            was, now = old[o], new[n]
            if was is None or now is None or (was.source, was.role) != (now.source, now.role):
                continue
            score = 1.0 if alone else _likeness(old_text(o), new_text(n))
            if score >= ALIKE:
                found.append((-score, abs(n - o), o, n))
    out: list[tuple[int, int]] = []
    for _, _, o, n in sorted(found):
        if all(o != a and n != b for a, b in out):
            out.append((o, n))
    return out


def _likeness(a: str | None, b: str | None) -> float:
    if a is None or b is None:
        return 0.0
    matcher = SequenceMatcher(None, a[:LOOKED_AT].split(), b[:LOOKED_AT].split(), False)
    return matcher.ratio() if matcher.quick_ratio() >= ALIKE else 0.0


def refined(trail: Trail, call: CallTrail, change: Change) -> Change:
    """A change in which pieces that left and pieces that came with alike texts changed instead."""
    pairs = _alike(
        change.removed,
        change.added,
        list(range(len(change.removed))),
        list(range(len(change.added))),
        _Texts(Side(trail, call), change.removed),
        _Texts(Side(trail, call), change.added),
    )
    if not pairs:
        return change
    olds, news = {o for o, _ in pairs}, {n for _, n in pairs}
    more = [Changed(change.removed[o], change.added[n]) for o, n in pairs]
    return change._replace(
        removed=tuple(row for o, row in enumerate(change.removed) if o not in olds),
        added=tuple(row for n, row in enumerate(change.added) if n not in news),
        changed=(*change.changed, *more),
    )


# --- parameters ----------------------------------------------------------------------------


def _parameters(before: Side, after: Side) -> tuple[KeyDiff, ...] | None:
    old, new = (keys(side.trail, side.call) for side in (before, after))
    if old is None or new is None:
        same = bool(before.call.params) and before.call.params == after.call.params
        return () if same else None
    out = []
    for path in dict.fromkeys([*old, *new]):
        if old.get(path) != new.get(path):
            out.append(KeyDiff(path, old.get(path), new.get(path)))
    return tuple(out)


def keys(trail: Trail, call: CallTrail) -> dict[str, str] | None:
    """Everything of a call's request outside the slots: JSON by path; None: not on the trail."""
    found = trail.texts.layout(call.params) if call.params else None
    if found is None or found.text is None:
        return None
    try:
        value = json.loads(expand(found.text, _hole))
    except (ValueError, RecursionError):
        return None
    out: dict[str, str] = {}
    for key, inner in value.items() if isinstance(value, dict) else ():
        _flatten(key, inner, out)
    return out


def _hole(slot: str, number: int | None) -> list[str]:  # noqa: ARG001
    return [json.dumps({"s": "system", "m": "messages", "t": "tools"}.get(slot, ""))]


def _flatten(path: str, value: Any, out: dict[str, str], deep: int = 4) -> None:
    if isinstance(value, dict) and value and deep:
        for key, inner in value.items():
            _flatten(f"{path}.{key}", inner, out, deep - 1)
        return
    out[path] = json.dumps(value, ensure_ascii=False)
