"""The lines of a list of turns."""

from __future__ import annotations

from ..records.listing import TurnLine
from ..records.trail import seconds
from .plain import cells, cut, duration, in_ascii, one_line, pad, plural, utc
from .style import ASCII, OUTCOMES, UNICODE, Paint

_ID, _TIME = 32, 20


def heading(color: bool = False) -> str:
    """What stands in the first columns."""
    return Paint(color)("dim", f"{pad('turn', _ID)}  {pad('began (UTC)', _TIME)}")


def line(turn: TurnLine, width: int = 120, color: bool = False, ascii_only: bool = False) -> str:
    """A turn in one line: its id whole, then when, who, how it ended and what went wrong.

    No control character is in it but our own colours.
    """
    paint, glyphs = Paint(color), ASCII if ascii_only else UNICODE

    def safe(text: str, most: int) -> str:
        clean = one_line(text, 2_000)
        return cut(in_ascii(clean) if ascii_only else clean, most, glyphs.ellipsis)

    id_ = one_line(turn.turn or next(iter(turn.traces), "?"), 400)
    lasted = seconds(turn.start, turn.end)
    outcome = turn.outcome or ("" if turn.foreign else "open")
    said = [
        paint("dim", "trace, not ours") if turn.foreign else "",
        safe(turn.agent, 40),
        paint(OUTCOMES.get(outcome, "warn"), safe(outcome, 20)),
        plural(turn.calls, "call"),
        "" if lasted is None else duration(lasted),
        paint("alarm", "error " + safe(_errors(turn), 60)).rstrip() if turn.errors else "",
        paint("warn", safe(", ".join(turn.pressure), 80)) if turn.pressure else "",
        paint("warn", f"{plural(turn.missing, 'record')} missing") if turn.missing else "",
        turn.conversation and f"conversation {safe(turn.conversation, 40)}",
        turn.parent_turn and f"part of {safe(turn.parent_turn, 40)}",
    ]
    head = f"{pad(paint('title', id_), _ID)}  {pad(utc(turn.start) or '?', _TIME)}  "
    out = head + glyphs.dot.join(filter(None, said))
    room = width - cells(out) - len(glyphs.dot) - 2
    if turn.text and room >= 12:
        left, right = glyphs.quotes
        out += glyphs.dot + left + safe(turn.text, room) + right
    return out


def _errors(turn: TurnLine) -> str:
    return ", ".join(e for e in turn.errors if e != "error")
