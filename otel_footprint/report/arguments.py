"""Beneath a tool call: of each argument what was claimed and what was found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..records.arguments import ArgumentRow
from ..trail.arguments import recorded
from .plain import cells
from .sheet import Sheet

MOST: Final = 40
"""Arguments of one tool call that have a line; the rest is counted."""
_HELD: Final = {
    "said": "the person's words",
    "answered": "a person's answer when asked",
    "app": "the application's text",
    "default": "the declared default",
}
_CARRIES: Final = {
    "person": "the person's words",
    "result": "a tool's result",
    "app": "the application's text",
    "tools": "the tools slot",
}
_CLAIMS: Final = {
    "user": "the person's words",
    "result": "a tool's result",
    "turn": "a person's earlier answer",
    "app": "the application's text",
    "assumed": "its own choice",
}


class Arguments:
    """The rows of a trail by the tool call that they are of."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self._rows: dict[tuple[str, str, str], list[tuple[ArgumentRow, bool]]] = {}
        self._traces = {trace: t.trace_ids for t in sheet.trail.turns for trace in t.trace_ids
                        if len(t.trace_ids) > 1}  # fmt: skip
        """The traces of a turn that was paused, by each of them: its calls end in a later one."""
        for found in recorded(sheet.trail):
            key = (found.span.trace_id, found.row.tool, found.row.call_id)
            self._rows.setdefault(key, []).append((found.row, found.asked))

    def lines(self, trace_id: str, tool: str, call_id: str, indent: str) -> Iterator[str]:
        """The lines of one tool call; none without rows."""
        sheet, traces = self.sheet, self._traces.get(trace_id, (trace_id,))
        rows = [row for trace in traces for row in self._rows.get((trace, tool, call_id), ())]
        for row, asked in rows[:MOST]:
            name = sheet.paint("bold", sheet.safe(row.argument, 60) or "(all of it)")
            value = f" = {sheet.quoted(row.value, 40)}" if row.value else ""
            style = "warn" if is_doubtful(row) else "dim"
            line = f"{indent}{name}{value}"
            for words in sheet.safe(verdict(row, asked), 200).replace("; ", ";\n").split("\n"):
                if cells(line) + 1 + cells(words) > sheet.width:
                    yield line
                    line = f"{indent}   "
                line += " " + sheet.paint(style, words)
            yield line
        if len(rows) > MOST:
            yield indent + sheet.paint("dim", f"{len(rows) - MOST} more")


def arguments_of(sheet: Sheet) -> Arguments:
    """The rows of a sheet's trail, read once."""
    found = sheet.kept.get("arguments")
    if not isinstance(found, Arguments):
        found = sheet.kept["arguments"] = Arguments(sheet)
    return found


def is_doubtful(row: ArgumentRow) -> bool:
    """True for a claim that did not hold, and for a value that stands nowhere."""
    return bool(row.failed) or row.verdict == "nowhere" or bool(row.asked)


def verdict(row: ArgumentRow, asked: bool = False) -> str:
    """What a row says, in words."""
    if asked:
        why = {"missing": "it was missing", "unverified": "it could not be traced"}
        return f"a person was asked: {why.get(row.asked or '', 'the answer did not fit')}"
    if row.verdict in ("hint", "nowhere", "uncheckable"):
        return _hint(row)
    if row.verdict == "result":
        said = f"from the result of {row.result}"
    elif row.verdict in _HELD:
        said = f"from {_HELD[row.verdict]}"
    else:
        said = "the model's own choice"
    if row.reading:
        said += ", as the model reads them"
    if row.earlier:
        said += ", from before the request"
    if row.set_aside:
        said += f", which was set aside ({row.set_aside})"
    if row.verdict == "model" or row.failed:
        said += _claimed(row)
    return said


def _claimed(row: ArgumentRow) -> str:
    said = ""
    if row.claimed in _CLAIMS and row.failed:
        said = f"; claimed: {_CLAIMS[row.claimed]} ({row.failed})"
    elif row.claimed == "none":
        said = "; nothing was claimed"
    if row.coincides in _CARRIES:
        said += f"; it also stands in {_CARRIES[row.coincides]}"
    return said


def _hint(row: ArgumentRow) -> str:
    if row.verdict == "nowhere":
        return "stands nowhere in front of the model"
    if row.verdict == "uncheckable":
        return "cannot be told"
    also = len(row.carriers) + row.more_carriers - 1
    more = f" and {also} more" if also > 0 else ""
    common = ", a usual value" if row.common else ""
    return f"hint: stands in {_CARRIES.get(row.coincides or '', '?')}{more}{common}"
