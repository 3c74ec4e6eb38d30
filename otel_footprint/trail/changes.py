"""What a call made of a slot: what came in, left, changed its spelling, or moved."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ..records.trail import CallTrail, Change, Changed, PieceRow
from .compositions import Composition

if TYPE_CHECKING:
    from .reader import Trail

LOOK_BACK: Final = 8
"""Earlier calls that a keyframe is compared with."""

Row = PieceRow | None


def change(trail: Trail, call: CallTrail, slot: str) -> Change | None:
    """The change against the base that the record names; of a keyframe against the nearest call.

    None when the slot is as it was in an earlier call, or when no record says.
    """
    own = trail.compositions.get(call.id, slot)
    if own is None:
        return None
    trail.compositions.settle()
    if own.keyframe:
        base, rows = _nearest(trail, call, slot, own)
        inserted = own.inserted or []
        return compared(slot, base, rows, inserted, own.hidden)
    if own.splices is None or own.inserted is None:
        return Change(slot, own.base_call, (), (), (), (), own.after or 0, own.hidden)
    removed: list[Row] = []
    added: list[Row] = []
    changed: list[Changed] = []
    before = trail.compositions.put(own.base).rows if own.base is not None else ()
    new = 0
    for at, gone, came in own.splices:
        old = [*before[at : at + gone]]
        old += [None] * (gone - len(old))
        _align(old, own.inserted[new : new + came], added, removed, changed)
        new += came
    return _moved(slot, own.base_call, added, removed, changed, own.hidden)


def compared(
    slot: str, base: str, old: Sequence[Row], new: Sequence[Row], hidden: int = 0
) -> Change:
    """The change from one list of rows to another."""
    removed: list[Row] = []
    added: list[Row] = []
    changed: list[Changed] = []
    _align(old, new, added, removed, changed)
    return _moved(slot, base, added, removed, changed, hidden)


def _align(
    old: Sequence[Row],
    new: Sequence[Row],
    added: list[Row],
    removed: list[Row],
    changed: list[Changed],
) -> None:
    """Leaves out what stayed, in order, and pairs what lies between."""
    start = 0
    while start < min(len(old), len(new)) and _same(old[start], new[start]):
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and _same(old[-1 - end], new[-1 - end]):
        end += 1
    olds, news = old[start : len(old) - end], new[start : len(new) - end]
    at = 0
    pending: list[Row] = []
    for row, found in zip(news, stayed(olds, news), strict=True):
        if found is None:
            pending.append(row)
            continue
        _pair(olds[at:found], pending, added, removed, changed)
        pending, at = [], found + 1
    _pair(olds[at:], pending, added, removed, changed)


def stayed(olds: Sequence[Row], news: Sequence[Row]) -> list[int | None]:
    """For each new row the old place it stayed at: the longest rising run of equal rows."""
    where: dict[PieceRow, list[int]] = {}
    for i in reversed(range(len(olds))):
        row = olds[i]
        if row is not None:
            where.setdefault(row, []).append(i)
    places = [where[row].pop() if row is not None and where.get(row) else None for row in news]
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = [-1] * len(places)
    for i, place in enumerate(places):
        if place is None:
            continue
        length = bisect_left(tops, place)
        before[i] = ends[length - 1] if length else -1
        tops[length : length + 1] = [place]
        ends[length : length + 1] = [i]
    out: list[int | None] = [None] * len(places)
    at = ends[-1] if ends else -1
    while at >= 0:
        out[at] = places[at]
        at = before[at]
    return out


def _nearest(
    trail: Trail, call: CallTrail, slot: str, own: Composition
) -> tuple[str, Sequence[Row]]:
    """The earlier call of the ledger whose slot begins like this one the longest.

    The first call of a ledger is compared with calls of the part before, where the turn was paused
    and went on; those count only when something of them stayed.
    """
    turn = trail.turn_of(call)
    calls = turn.calls if turn is not None else ()
    at = next((i for i, c in enumerate(calls) if c.id == call.id), 0)
    earlier = [c for c in calls[:at] if c.ledger == call.ledger]
    rows: Sequence[Row] = ()
    best, longest = "", -1
    if not earlier and call.turn:
        earlier, longest = [*calls[:at]], 0
    for other in reversed(earlier[-LOOK_BACK:]):
        found = trail.rows(other, slot)
        if not found.rows and not found.known:
            continue
        common = _common(found.rows, own.inserted or ())
        if common > longest:
            best, rows, longest = other.id, found.rows, common
    return best, rows


def _common(old: Sequence[Row], new: Sequence[Row]) -> int:
    number = 0
    for a, b in zip(old, new, strict=False):
        if not _same(a, b):
            break
        number += 1
    return number


def _same(a: Row, b: Row) -> bool:
    return a is not None and a == b


def _pair(
    old: Sequence[Row],
    new: Sequence[Row],
    added: list[Row],
    removed: list[Row],
    changed: list[Changed],
) -> None:
    """Pairs what left with what came in its place; the rest was added or removed."""
    left = list(old)
    rest: list[Row] = []
    for row in new:
        match = _partner(left, row) if row is not None else None
        if match is None or row is None:
            rest.append(row)
        else:
            changed.append(Changed(left.pop(match), row))
    for row in list(rest):
        if len(old) == len(new) == 1 and row is not None and left and _alike(left[0], row):
            changed.append(Changed(left.pop(0), row))
            rest.remove(row)
    added += rest
    removed += left


def _partner(left: list[Row], row: PieceRow) -> int | None:
    """A piece of the same identity, else of the same id and source."""
    for i, other in enumerate(left):
        if other is not None and other.hash == row.hash:
            return i
    if not row.id:
        return None
    for i, other in enumerate(left):
        if other is not None and (other.id, other.source) == (row.id, row.source):
            return i
    return None


def _alike(other: Row, row: PieceRow) -> bool:
    return other is not None and (other.source, other.role) == (row.source, row.role)


def _moved(
    slot: str, base: str, added: list[Row], removed: list[Row], changed: list[Changed], hidden: int
) -> Change:
    gone = Counter(row for row in removed if row is not None)
    moved: list[PieceRow] = []
    came: list[PieceRow] = []
    unknown = 0
    for row in added:
        if row is None:
            unknown += 1
        elif gone[row] > 0:
            gone[row] -= 1
            moved.append(row)
        else:
            came.append(row)
    left: list[Row] = []
    back = Counter(moved)
    for row in removed:
        if row is not None and back[row] > 0:
            back[row] -= 1
        else:
            left.append(row)
    return Change(
        slot, base, tuple(came), tuple(left), tuple(changed), tuple(moved), unknown, hidden
    )
