"""The slots of a call for the page: bar, what changed, and the list of all pieces.

A list that stands on the page already is referred to: what an earlier call had in front of it, and
this one too, is one entry. The page thereby grows with what is new.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...records.trail import SLOT_NAMES, CallTrail, Change, PieceRow, SlotState
from ...trail.compare import refined
from ..bases import base_of
from ..plain import chars, number, plural
from ..sheet import Sheet
from ..slots import figures_of, planted_of
from ..told import told
from .anchors import Anchors
from .pieces import Pieces, kind_of
from .view import Bar, PieceView, RunView, Segment, SlotView

DIRECT: Final = 3_000
"""Rows up to which every list stands there whole."""
CHANGES: Final = 400
"""Pieces of one kind of change that are shown one by one."""
SCALE: Final = 1_000

Row = PieceRow | None


class Slots:
    """Makes the views of slots, call by call."""

    def __init__(self, sheet: Sheet, anchors: Anchors, pieces: Pieces) -> None:
        self._sheet = sheet
        self._anchors = anchors
        self._pieces = pieces
        self._direct = _rows_composed(sheet) <= DIRECT
        self._listed: dict[tuple[str, str], tuple[str, Sequence[Row]]] = {}
        """Of each ledger and slot the last list on the page: its id and its rows."""
        self._of_call: dict[tuple[str, str], str] = {}

    def of(self, call: CallTrail) -> tuple[SlotView, ...]:
        """The slots of a call."""
        return tuple(self._slot(call, call.slots[n]) for n in SLOT_NAMES if n in call.slots)

    def _slot(self, call: CallTrail, state: SlotState) -> SlotView:
        here = self._anchors.call(call.id)
        anchor = f"{here.anchor if here else 'c0'}-{state.slot}"
        rows = self._sheet.trail.rows(call, state.slot)
        change = self._sheet.trail.change(call, state.slot)
        notes = [told(self._sheet.trail, gap.what) for gap in rows.gaps]
        changes: list[PieceView] = []
        base = None
        if change is not None:
            change = refined(self._sheet.trail, call, change)
            changes, more = self._changes(call, change)
            notes += more
            base = base_of(self._sheet, call, change)
        list_id = anchor + "-all"
        same = None
        listed: tuple[PieceView | RunView, ...] | None = None
        known = self._of_call.get((state.composer, state.slot), "")
        if known and state.composer != call.id:
            same, list_id = self._anchors.call(state.composer), known
        elif rows.rows:
            listed = self._list(call, state.slot, list_id, rows.rows)
        self._of_call[call.id, state.slot] = list_id
        if planted := planted_of(state):
            notes.append(f"tools {_figures(state, call.unit)} {planted}")
        pressed = state.over or any(p.slot == state.slot for p in call.pressures)
        return SlotView(
            name=state.slot,
            anchor=anchor,
            figures=_figures(state, call.unit),
            percent=_percent(state),
            bar=_bar(state, rows.rows, call.unit),
            pressure=_pressure(call, state) if pressed else "",
            alarm=bool(state.over) and state.origin == "declared",
            state=self._state(call, state, change),
            same=same,
            base=self._anchors.call(base.call) if base is not None else None,
            beside=base is not None and base.beside,
            changes=tuple(changes),
            notes=tuple(notes),
            listed=listed,
            many=len(rows.rows),
        )

    def _changes(self, call: CallTrail, change: Change) -> tuple[list[PieceView], list[str]]:
        views, notes = [], []
        for sign, rows in (("-", change.removed), ("+", change.added), ("<", change.moved)):
            views += [self._pieces.view(call, row, sign) for row in rows[:CHANGES]]
            if len(rows) > CHANGES:
                notes.append(f"{sign} {plural(len(rows) - CHANGES, 'more piece')}")
        changed = [self._pieces.changed(call, each) for each in change.changed[:CHANGES]]
        views[len(change.removed[:CHANGES]) : len(change.removed[:CHANGES])] = changed
        if len(change.changed) > CHANGES:
            notes.append(f"~ {plural(len(change.changed) - CHANGES, 'more piece')}")
        if change.unknown:
            notes.append(f"? {plural(change.unknown, 'piece')} whose rows are missing")
        if change.hidden:
            notes.append(f"~ {plural(change.hidden, 'change')} that redaction hides")
        return views, notes

    def _list(
        self, call: CallTrail, slot: str, list_id: str, rows: Sequence[Row]
    ) -> tuple[PieceView | RunView, ...]:
        key = (call.ledger, slot)
        known = self._listed.get(key)
        self._listed[key] = (list_id, rows)
        out: list[PieceView | RunView] = []
        start = 0
        if known is not None and not self._direct:
            earlier = self._anchors.named(known[0].partition("-")[0])
            start = _common(known[1], rows) if earlier is not None else 0
            if earlier is not None and start:
                out.append(RunView(start, known[0], earlier))
        out += [self._pieces.view(call, row, "", start + i) for i, row in enumerate(rows[start:])]
        return tuple(out)

    def _state(self, call: CallTrail, state: SlotState, change: Change | None) -> str:
        if change is not None and change.same:
            return "unchanged" if base_of(self._sheet, call, change) is None else "as before"
        if change is not None:
            counts = (
                ("+", len(change.added)), ("-", len(change.removed)), ("~", len(change.changed)),
                ("moved ", len(change.moved)), ("?", change.unknown),
            )  # fmt: skip
            return " ".join(f"{sign}{count}" for sign, count in counts if count)
        if state.composer == call.id:
            return "its change is missing"
        if state.used is None and not state.composer:
            return "no record"
        before = self._sheet.before(call)
        if before is not None and before.slots[state.slot].composer == state.composer:
            return "unchanged"
        return "as before"


def _rows_composed(sheet: Sheet) -> int:
    """Rows of all lists that the calls composed, also of those whose summary is missing."""
    compositions = sheet.trail.compositions
    own = (compositions.get(call.id, slot) for call in sheet.trail.calls for slot in call.slots)
    return sum(max(c.after or 0, len(c.inserted or ())) for c in own if c is not None)


def _common(old: Sequence[Row], new: Sequence[Row]) -> int:
    count = 0
    for a, b in zip(old, new, strict=False):
        if a is None or a != b:
            break
        count += 1
    return count


def _figures(state: SlotState, unit: str) -> str:
    return f"{figures_of(state)} {unit}".rstrip()


def _percent(state: SlotState) -> str:
    return "" if state.share is None else f"{round(100 * state.share)} %"


def _pressure(call: CallTrail, state: SlotState) -> str:
    if state.over:
        more = state.more
        by = f" by {number(more)}" if more > 0 else ""
        return f"over{by}" + (f", {state.origin} cap" if state.origin else "")
    found = next((p for p in call.pressures if p.slot == state.slot), None)
    return found.state if found is not None else ""


def _bar(state: SlotState, rows: Sequence[Row], unit: str) -> Bar | None:
    """The pieces by source, over the cap; of a slot without a cap over what it holds."""
    used = state.counted
    if used is None:
        return None
    whole = max(used, state.cap or 0, 1)
    sizes: dict[str, tuple[str, int]] = {}
    for row in rows:
        if row is not None and row.size:
            kind, size = sizes.get(row.source, (kind_of(row), 0))
            sizes[row.source] = (kind, size + row.size)
    total = sum(size for _, size in sizes.values())
    segments = []
    x = 0.0
    for source, (kind, size) in sizes.items():
        width = SCALE * used / whole * size / total
        title = f"{source or 'unknown'}: {chars(size)}"
        segments.append(Segment(kind, round(x), max(1, round(x + width) - round(x)), title))
        x += width
    if not segments and used:
        segments.append(Segment("base", 0, round(SCALE * used / whole), "of unknown source"))
    cap = round(SCALE * state.cap / whole) if state.cap and used > state.cap else None
    said = ", ".join(s.title for s in segments) or "empty"
    return Bar(tuple(segments), cap, f"{state.slot}: {_figures(state, unit)}; {said}")
