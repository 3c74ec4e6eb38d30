"""Programs that stood under an answer: a line each in the tree, whole in the view of one call."""

from __future__ import annotations

from collections.abc import Iterator

from ..records.scripts import Script, Unshown
from ..records.trail import AttachedTrail, CallTrail
from .plain import number, plural
from .sheet import Sheet

_WHY = {
    "over_size": "over the size that is kept",
    "unreadable": "no text among its arguments",
    "unprintable": "no text that can be printed",
    "withheld": "withheld by redaction",
}


def lines(sheet: Sheet, call: CallTrail, indent: str) -> Iterator[str]:
    """What stood under the answer of a call; nothing when no program was recorded."""
    attached = sheet.trail.attached.get(call.id)
    if attached is None:
        return
    recorded = attached.recorded
    mark = sheet.paint("cyan", sheet.glyphs.tool)
    for _, script in recorded.shown:
        yield from sheet.flow(_script(sheet, script, f"{indent}{mark} "), "", indent + "  ")
    for entry in recorded.unshown:
        said = [f"{indent}{mark} {_call(sheet, entry)}", _WHY[entry.why], _bytes(entry.byte_count)]
        yield from sheet.flow(said, "", indent + "  ")
    yield from _omitted(sheet, attached, indent)


def whole(sheet: Sheet, call: CallTrail) -> Iterator[str]:
    """The same with the programs."""
    attached = sheet.trail.attached.get(call.id)
    if attached is None:
        return
    recorded = attached.recorded
    yield ""
    yield sheet.paint("title", f"under the answer: {plural(len(recorded.shown), 'program')}")
    yield "  " + sheet.paint("dim", _how(attached))
    for index, script in recorded.shown:
        yield from sheet.flow(_script(sheet, script, f"{index + 1:>5}  "), "", " " * 7)
        if script.text is None:
            yield " " * 9 + sheet.paint("dim", "(content is off)")
        else:
            yield from sheet.paragraphs(script.text, " " * 9)
    for entry in recorded.unshown:
        said = [f"       {_call(sheet, entry)}", _WHY[entry.why], _bytes(entry.byte_count)]
        yield from sheet.flow(said, "", " " * 7)
    yield from _omitted(sheet, attached, "  ")


def _script(sheet: Sheet, script: Script, lead: str) -> list[str]:
    size = _bytes(script.byte_count)
    if script.shown_bytes is not None:
        size = f"{number(script.shown_bytes)} of {size}"
    withheld = "data only" if script.withheld else ""
    return [lead + _call(sheet, script), size, sheet.safe(script.language or "", 32), withheld]


def _call(sheet: Sheet, call: Script | Unshown) -> str:
    label = call.label.replace("_", " ")
    style = "green" if call.label == "completed" and not call.exit_code else "warn"
    if call.exit_code is not None:
        label += f" with exit code {call.exit_code}"
    name = sheet.paint("bold", sheet.safe(call.tool, 60))
    id_ = " " + sheet.paint("dim", sheet.safe(call.call, 40)) if call.call else ""
    return f"program of {name}{id_} {sheet.paint(style, label)}"


def _how(attached: AttachedTrail) -> str:
    recorded = attached.recorded
    if recorded.form == "none":
        return "none was submitted that reached its tool"
    if recorded.form == "data":
        return "in the data only: the answer's own bytes were not to be touched"
    if recorded.boundary is not None and recorded.boundary.kind == "unsettled":
        return "label lines only: what the answer left open is ended by no line"
    if attached.text is None:
        return "put under the answer; its text cannot be built again from this record"
    return f"put under the answer: {number(len(attached.text))} characters, built again here"


def _omitted(sheet: Sheet, attached: AttachedTrail, indent: str) -> Iterator[str]:
    recorded = attached.recorded
    left = (recorded.omitted or 0) - len(recorded.unshown)
    if left > 0:
        yield indent + sheet.paint("dim", f"{plural(left, 'earlier program')} left out")
    if recorded.unread:
        what = plural(recorded.unread, "record")
        yield indent + sheet.paint("warn", f"{what} of programs cannot be read")


def _bytes(count: int | None) -> str:
    return "" if count is None else f"{number(count)} bytes"
