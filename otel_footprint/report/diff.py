"""Two calls compared, printed: what came, left, changed and moved, by whom and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..records.comparison import CallDiff, KeyDiff, PieceDiff, SlotDiff
from ..records.trail import CallTrail, PieceRow, SlotState
from ..text.difference import Run, difference, shortened
from ..trail import Trail
from ..trail.naming import names_of
from .plain import cells, chars, number, pad, plural
from .sheet import Sheet
from .told import told

AROUND = 60
"""Characters that stayed which are shown on each side of a change."""
SIGNS = {"added": "+", "removed": "-", "changed": "~", "moved": "<"}
_STYLES = {"added": "green", "removed": "red", "changed": "yellow", "moved": "cyan"}
_WORDS = {"added": "came", "removed": "left", "changed": "changed", "moved": "moved"}
_INSIDE = " " * 6


def render(
    trail: Trail, diff: CallDiff, width: int = 100, color: bool = False, ascii_only: bool = False
) -> Iterator[str]:
    """The lines of a comparison. Signs say what colours say; texts that changed stand with
    `[-what left-]` and `{+what came+}`."""
    sheet = Sheet(trail, width, color, ascii_only)
    yield from _head(sheet, diff)
    for slot in diff.slots:
        yield ""
        yield from _slot(sheet, diff, slot)
    yield ""
    yield from _parameters(sheet, diff.parameters)
    if diff.notes:
        yield ""
        yield sheet.paint("warn", "Not compared:")
        for note in diff.notes:
            yield from sheet.wrapped([("", told(trail, note))], "  ")


def pairs(
    first: Trail,
    second: Trail,
    diffs: Sequence[CallDiff],
    width: int = 100,
    color: bool = False,
    ascii_only: bool = False,
) -> Iterator[str]:
    """The lines of two trails compared call by call: each pair in a line, then the first that
    differs, whole."""
    sheet = Sheet(second, width, color, ascii_only)
    counts = [len([c for t in trail.asked for c in t.calls]) for trail in (first, second)]
    for diff in diffs:
        numbers = [
            names_of([call], alone=len(trail.asked) == 1)
            for trail, call in ((first, diff.before), (second, diff.after))
        ]
        name = f"call {f' {sheet.glyphs.asks} '.join(dict.fromkeys(numbers))}"
        yield from sheet.flow(
            [sheet.paint("title", sheet.safe(name)), *_counted(sheet, diff)], "", "  "
        )
    if counts[0] != counts[1]:
        more = f"{plural(abs(counts[0] - counts[1]), 'call')} more in the "
        yield sheet.paint("warn", more + ("first" if counts[0] > counts[1] else "second"))
    differs = next((diff for diff in diffs if not diff.same), None)
    if differs is not None:
        yield ""
        yield sheet.paint("title", "The first that differs:")
        yield from render(second, differs, width, color, ascii_only)


def _counted(sheet: Sheet, diff: CallDiff) -> list[str]:
    """What differs, in figures."""
    if diff.same:
        return ["the same"]
    out = []
    for slot in diff.slots:
        said = [
            sheet.paint(_STYLES[kind], f"{sign}{count}")
            for kind, sign in SIGNS.items()
            if (count := sum(p.kind == kind for p in slot.pieces))
        ]
        said += [sheet.paint("warn", f"?{slot.unknown}")] if slot.unknown else []
        out += [f"{slot.slot} {' '.join(said)}"] if said else []
    if diff.parameters:
        out.append(f"parameters {sheet.paint('yellow', f'~{len(diff.parameters)}')}")
    return out or [sheet.paint("warn", "not all of it can be compared")]


def _head(sheet: Sheet, diff: CallDiff) -> Iterator[str]:
    arrow = sheet.glyphs.asks
    names = [f"call {c.number or c.id}" for c in (diff.before, diff.after)]
    same_turn = diff.before.turn == diff.after.turn
    said = [sheet.paint("title", sheet.safe(f"{names[0]} {arrow} {names[1]}"))]
    models = list(dict.fromkeys(filter(None, (diff.before.model, diff.after.model))))
    said.append(sheet.paint("bold", sheet.safe(f" {arrow} ".join(models))))
    turns = [diff.after.turn] if same_turn else [diff.before.turn, diff.after.turn]
    said.append(sheet.safe("turn " + f" {arrow} ".join(t or "unknown" for t in turns)))
    if diff.same:
        said.append("nothing differs")
    yield from sheet.flow(said, "", "  ")


def _slot(sheet: Sheet, diff: CallDiff, slot: SlotDiff) -> Iterator[str]:
    paint = sheet.paint
    said = [_filling(sheet, diff, slot.slot)]
    counts = {kind: sum(p.kind == kind for p in slot.pieces) for kind in SIGNS}
    for kind, count in counts.items():
        if count:
            said.append(paint(_STYLES[kind], f"{count} {_WORDS[kind]}"))
    said.append(f"{slot.kept} stayed" if slot.kept else "")
    if slot.unknown:
        said.append(paint("warn", f"{slot.unknown} cannot be told"))
    if slot.hidden:
        said.append(paint("warn", f"{plural(slot.hidden, 'change')} that redaction hides"))
    yield from sheet.flow(said, paint("title", pad(slot.slot, 8)) + "  ", "  ")
    for piece in slot.pieces:
        yield from _piece(sheet, diff, piece)


def _filling(sheet: Sheet, diff: CallDiff, slot: str) -> str:
    states = [_state(call, slot) for call in (diff.before, diff.after)]
    if states[0] is None or states[1] is None:
        return ""
    figures = [number(state.counted) for state in states if state is not None]
    cap = f" of {number(states[1].cap)}" if states[1].cap else ""
    if figures[0] == figures[1]:
        return figures[1] + cap
    return f"{figures[0]} {sheet.glyphs.asks} {figures[1]}{cap}"


def _state(call: CallTrail, slot: str) -> SlotState | None:
    return next((s for name, s in call.slots.items() if name == slot), None)


def _piece(sheet: Sheet, diff: CallDiff, piece: PieceDiff) -> Iterator[str]:
    paint, style = sheet.paint, _STYLES[piece.kind]
    row = piece.after or piece.before
    assert row is not None
    origin = piece.origin
    since = sheet.trail.named(origin.call, diff.after) if origin.call else ""
    said = [
        paint(style, f"  {SIGNS[piece.kind]} {_place(sheet, piece)}")
        + f" {sheet.safe(row.source)}",
        sheet.safe(row.id, 60),
        sheet.safe(_by(piece, row, origin.by), 80),
        paint("magenta", sheet.safe(origin.reason, 120)),
        sheet.safe(f"first in {since}", 80) if since and piece.after is not None else "",
        paint("dim", _size(sheet, piece)),
    ]
    yield from sheet.flow(said, "", _INSIDE)
    yield from _texts(sheet, piece)


def _by(piece: PieceDiff, row: PieceRow, by: str) -> str:
    if by in ("", f"{row.source} {row.id}"):  # its source and id stand before it
        return ""
    return f"taken out by {by}" if piece.kind == "removed" else f"by {by}"


def _place(sheet: Sheet, piece: PieceDiff) -> str:
    """Places counted from 1, as a person does."""
    places = [str(at + 1) for at in (piece.at_before, piece.at_after) if at is not None]
    return f" {sheet.glyphs.asks} ".join(dict.fromkeys(places))


def _size(sheet: Sheet, piece: PieceDiff) -> str:
    rows = [row for row in (piece.before, piece.after) if row is not None]
    first, last = rows[0].size, rows[-1].size
    before = "" if first == last else f"{number(first)} {sheet.glyphs.asks} "
    return before + chars(last)


def _texts(sheet: Sheet, piece: PieceDiff) -> Iterator[str]:
    before, after = piece.text_before, piece.text_after
    if piece.kind == "moved":
        yield _INSIDE + sheet.paint("dim", sheet.cut(sheet.safe(after or ""), sheet.width - 6))
    elif piece.kind != "changed":
        text = after if piece.before is None else before
        if text is None:
            yield from _hashes(sheet, piece)
        else:
            yield from sheet.paragraphs(text, _INSIDE)
    elif before is None or after is None:
        yield from _hashes(sheet, piece)
    elif before == after:
        yield _INSIDE + sheet.paint("dim", _otherwise(piece))
    else:
        yield from run_lines(sheet, difference(before, after), _INSIDE)


def _otherwise(piece: PieceDiff) -> str:
    """What differs where the texts are equal."""
    was, now = piece.before, piece.after
    assert was is not None
    assert now is not None
    fields = [f for f in ("source", "role", "id", "reason") if getattr(was, f) != getattr(now, f)]
    if fields:
        return "the same text; other " + ", ".join(fields)
    return "the same text, spelled otherwise in the request"


def _hashes(sheet: Sheet, piece: PieceDiff) -> Iterator[str]:
    """Pieces whose texts are not there, by hash and size."""
    for sign, row in (("-", piece.before), ("+", piece.after)):
        if row is not None:
            words = f"{sign} {row.hash[:12]}, {chars(row.size)} (its text is not here)"
            yield _INSIDE + sheet.paint("dim", words)


def run_lines(sheet: Sheet, runs: list[Run], indent: str) -> Iterator[str]:
    """A text that changed, what left and what came marked in it."""
    ellipsis = f" {sheet.glyphs.ellipsis} "
    line: list[tuple[str, str]] = []
    for run in shortened(runs, AROUND, ellipsis):
        left, right = {"=": ("", ""), "-": ("[-", "-]"), "+": ("{+", "+}")}[run.sign]
        style = {"=": "", "-": "red", "+": "green"}[run.sign]
        *whole, last = run.text.split("\n")
        for part in whole:
            line.append((style, f"{left}{part}{right}" if part else ""))
            yield from sheet.wrapped(line, indent)
            line = []
        line.append((style, f"{left}{last}{right}" if last else ""))
    if any(text for _, text in line):
        yield from sheet.wrapped(line, indent)


def _parameters(sheet: Sheet, keys: tuple[KeyDiff, ...] | None) -> Iterator[str]:
    title = sheet.paint("title", "parameters")
    if keys is None:
        yield title + sheet.paint("warn", "  not on the trail")
        return
    yield title + ("" if keys else "  the same")
    for key in keys:
        sign = "+" if key.before is None else "-" if key.after is None else "~"
        style = {"+": "green", "-": "red", "~": "yellow"}[sign]
        values = [v for v in (key.before, key.after) if v is not None]
        head = f"  {sheet.paint(style, sign)} {sheet.safe(key.path, 80)}: "
        said = f" {sheet.glyphs.asks} ".join(sheet.safe(v, 400) for v in values)
        if cells(head) + cells(said) <= sheet.width:
            yield head + said
        else:
            yield head.rstrip()
            yield from sheet.wrapped([("", said)], _INSIDE)
