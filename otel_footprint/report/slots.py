"""The slots of a call: how full they are, and what came in, left, changed or moved."""

from __future__ import annotations

from collections.abc import Iterator

from ..records.trail import SLOT_NAMES, CallTrail, Changed, PieceRow, SlotState
from ..trail import Change
from ..trail.origins import reason_of
from .bases import base_of
from .plain import cells, chars, number, pad, plural
from .sheet import Sheet

BARS = ((90, 20), (74, 12), (0, 6))
"""Cells of a bar, which is full at the cap, from a width on."""
ROWS = 6
"""Pieces of one kind of change that are listed; the rest is counted."""
SIZE = 9
"""Columns of a piece's size, with the blanks before it."""
_SIGNS = {"+": "green", "-": "red", "~": "yellow", "<": "cyan"}


def slot_lines(sheet: Sheet, call: CallTrail, indent: str) -> Iterator[str]:
    """The three slots of a call, each with what the call made of it."""
    states = [call.slots[name] for name in SLOT_NAMES if name in call.slots]
    figures = [figures_of(state) for state in states]
    wide = max((cells(f) for f in figures), default=0)
    for state, figure in zip(states, figures, strict=True):
        change = sheet.trail.change(call, state.slot)
        yield from _slot_line(sheet, call, state, change, indent, pad_left(figure, wide))
        if change is not None and not change.same:
            yield from _change_lines(sheet, call, change, indent + "  ")
    for pressure in call.pressures:
        if pressure.slot not in SLOT_NAMES or pressure.state != "over":
            words = f"{pressure.slot} {pressure.state}: {number(pressure.used)} of "
            words += f"{number(pressure.cap)} {pressure.unit}"
            yield indent + sheet.paint("warn", "! " + sheet.safe(words))


def pad_left(text: str, width: int) -> str:
    """The text with blanks before it."""
    return " " * (width - cells(text)) + text


def figures_of(state: SlotState) -> str:
    """How full a slot is, as its cap counts, and the cap."""
    cap = "no cap" if state.cap == 0 else number(state.cap)
    return f"{number(state.counted)} / {cap}"


def planted_of(state: SlotState) -> str:
    """What the library planted into a slot, and whether the figure holds it; empty: nothing."""
    if not state.planted:
        return ""
    if state.counted == state.used:
        return f"({number(state.planted)} of it planted by Arguments)"
    return f"(+{number(state.planted)} planted by Arguments, not counted)"


def _slot_line(
    sheet: Sheet,
    call: CallTrail,
    state: SlotState,
    change: Change | None,
    indent: str,
    figures: str,
) -> Iterator[str]:
    paint = sheet.paint
    same = change is None and state.composer not in ("", call.id)
    words = []
    if state.share is not None:
        words.append(f"{round(100 * state.share):>4} %")
    style = "dim" if same else ""
    if state.over:
        style = "alarm" if state.origin == "declared" else "warn"
        more = state.more
        by = f" by {number(more)}" if more > 0 else ""
        origin = f", {state.origin} cap" if state.origin else ""
        words.append(paint(style, f"OVER{by}{origin}"))
    elif state.over is None and state.used is None:
        words.append(paint("dim", "no record"))
    if same:
        words.append(paint("dim", _unchanged(sheet, call, state)))
    elif change is not None and change.same:
        base = base_of(sheet, call, change)
        said = "unchanged" if base is None else f"as in {sheet.trail.named(base.call, call)}"
        words.append(paint("dim", sheet.safe(said, 80)))
    elif change is not None:
        words.append(_summary(sheet, change))
    elif state.composer == call.id:
        words.append(paint("warn", "its change is missing"))
    if planted := planted_of(state):
        words.append(paint("dim", planted))
    name = pad(state.slot, 8)
    name = paint(style, name) if style else name
    line = f"{indent}{name}  {_bar(sheet, state, style)}  {figures}"
    for word in words:
        if cells(line) + 2 + cells(word) > sheet.width:
            yield line
            line = indent + " " * 8
        line += "  " + word
    yield line.rstrip()


def _unchanged(sheet: Sheet, call: CallTrail, state: SlotState) -> str:
    """`unchanged` since the call before, or the call that had it like this."""
    before = sheet.before(call)
    if before is not None and before.slots[state.slot].composer == state.composer:
        return "unchanged"
    return sheet.safe(f"as in {sheet.trail.named(state.composer, call)}", 80)


def _summary(sheet: Sheet, change: Change) -> str:
    """How much changed, in figures."""
    said = []
    for sign, count in (
        ("+", len(change.added)), ("-", len(change.removed)), ("~", len(change.changed)),
    ):  # fmt: skip
        if count:
            said.append(sheet.paint(_SIGNS[sign], f"{sign}{count}"))
    if change.moved:
        said.append(sheet.paint("cyan", f"{sheet.glyphs.moved}{len(change.moved)}"))
    if change.unknown:
        said.append(sheet.paint("warn", f"?{change.unknown}"))
    return " ".join(said)


def _bar(sheet: Sheet, state: SlotState, style: str) -> str:
    glyphs = sheet.glyphs
    bar = next(size for least, size in BARS if sheet.width >= least)
    if state.share is None:
        return sheet.paint("dim", glyphs.empty * bar)
    if state.share > 1:
        return sheet.paint(style or "warn", glyphs.full * (bar - 1) + glyphs.over)
    steps = len(glyphs.parts) + 1
    parts = round(state.share * bar * steps)
    if state.used and not parts:
        parts = 1
    whole, part = divmod(parts, steps)
    filled = glyphs.full * whole + (glyphs.parts[part - 1] if part and glyphs.parts else "")
    near = state.share >= 0.9
    color = style or ("yellow" if near else "blue")
    return sheet.paint(color, filled) + sheet.paint("dim", glyphs.empty * (bar - len(filled)))


# --- changes -------------------------------------------------------------------------------


def _change_lines(sheet: Sheet, call: CallTrail, change: Change, indent: str) -> Iterator[str]:
    base = base_of(sheet, call, change)
    if base is not None:
        words = "compared with " + sheet.safe(sheet.trail.named(base.call, call), 80)
        words += ", which ran beside it" if base.beside else ""
        yield indent + sheet.paint("dim", words)
    yield from _listed(sheet, call, "-", change.removed, indent)
    for changed in change.changed[:ROWS]:
        yield from _changed_lines(sheet, call, changed, indent)
    if len(change.changed) > ROWS:
        yield _more(sheet, "~", len(change.changed) - ROWS, None, indent)
    yield from _listed(sheet, call, "+", change.added, indent)
    if change.unknown:
        words = f"? {plural(change.unknown, 'piece')} whose rows are missing"
        yield indent + sheet.paint("warn", words)
    if change.hidden:
        words = f"~ {plural(change.hidden, 'change')} that redaction hides"
        yield indent + sheet.paint("warn", words)


def _listed(
    sheet: Sheet, call: CallTrail, sign: str, rows: tuple[PieceRow | None, ...], indent: str
) -> Iterator[str]:
    shown = rows if len(rows) <= ROWS + 1 else (*rows[: ROWS // 2], *rows[-(ROWS // 2) :])
    left = rows[ROWS // 2 : -(ROWS // 2)] if len(shown) < len(rows) else ()
    for i, row in enumerate(shown):
        if left and i == ROWS // 2:
            yield _more(sheet, sign, len(left), _sizes(left), indent)
        yield piece_line(sheet, call, sign, row, indent)


def _sizes(rows: tuple[PieceRow | None, ...]) -> int | None:
    sizes = [row.size for row in rows if row is not None and row.size is not None]
    return sum(sizes) if len(sizes) == len(rows) else None


def _more(sheet: Sheet, sign: str, count: int, size: int | None, indent: str) -> str:
    what = f"{sign} {sheet.glyphs.ellipsis} {plural(count, 'more piece')}"
    if size is not None:
        what += f", {chars(size)}"
    return indent + sheet.paint(_SIGNS[sign], what)


def piece_line(sheet: Sheet, call: CallTrail, sign: str, row: PieceRow | None, indent: str) -> str:
    """One piece: sign, source, id, reason, what it says, size."""
    paint = sheet.paint
    if row is None:
        return indent + paint(_SIGNS[sign], sign) + paint("warn", " a piece whose row is missing")
    why = sheet.removed_why if sign == "-" else sheet.trail.origins.short
    source = pad(sheet.cut(sheet.safe(row.source) or "?", 11), 11)
    label = _label(sheet, call, row)
    room = sheet.width - cells(indent) - 2 - 12 - cells(label) - SIZE
    reason = sheet.cut(sheet.safe(why(call, row)), min(40, room - 3))
    reason = f"({reason})" if reason else ""
    room -= cells(reason) + 1 if reason else 0
    said = sheet.preview(call, row)
    text = sheet.cut(said, room) if said is not None else _absent(sheet, call, room)
    gap = " " * max(0, room - cells(text))
    text = text if said is not None else paint("dim", text)
    middle = paint("dim", label) + (paint("magenta", reason) + " " if reason else "")
    size = paint("dim", pad_left(number(row.size), SIZE))
    return f"{indent}{paint(_SIGNS[sign], f'{sign} {source}')} {middle}{text}{gap}{size}"


def _label(sheet: Sheet, call: CallTrail, row: PieceRow) -> str:
    label = sheet.cut(sheet.safe(label_words(sheet, call, row)), 28)
    return f"{label}: " if label else ""


def label_words(sheet: Sheet, call: CallTrail, row: PieceRow) -> str:
    """Role where it says more than the source, the tool or the id, the call that said it."""
    words = []
    if row.source == "base" and row.role not in ("", "system"):
        words.append(row.role)
    if row.source == "tool-result":
        words.append(sheet.trail.origins.tool(call, row))
    said_in = sheet.tools.said_in(call, row)
    if said_in:
        words.append(f"(call {said_in})")
    if row.id:
        words.append(row.id)
    return " ".join(filter(None, words))


def _absent(sheet: Sheet, call: CallTrail, room: int) -> str:
    off = sheet.is_content_off(call)
    return sheet.cut("(content is off)" if off else "(text missing)", room)


def _changed_lines(sheet: Sheet, call: CallTrail, changed: Changed, indent: str) -> Iterator[str]:
    before, after = changed.before, changed.after
    if before is not None and before.hash == after.hash:
        words = "spelled otherwise" if before.exact != after.exact else "stands otherwise"
        if (before.source, before.reason) != (after.source, after.reason):
            words = f"was {before.source} {reason_of(before)}".rstrip()
        label = _label(sheet, call, after)
        said = sheet.cut(sheet.safe(f"{label}{words}"), sheet.width - cells(indent) - 16)
        head = pad(sheet.cut(sheet.safe(after.source), 11), 11)
        yield f"{indent}{sheet.paint('yellow', '~ ' + head)} {said}"
        return
    yield piece_line(sheet, call, "~", after, indent)
    if before is not None:
        earlier = sheet.preview(call, before)
        if earlier is not None:
            room = sheet.width - cells(indent) - 14 - SIZE
            was = pad(sheet.cut(earlier, room), room) + pad_left(number(before.size), SIZE)
            yield indent + sheet.paint("dim", f"  {'was':<11} {was}")
