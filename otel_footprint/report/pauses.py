"""Where a turn was paused, and where it went on, between what stands beneath it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ..records.trail import CallTrail, Node, ToolTrail, TurnPart, TurnTrail, seconds
from .plain import cells, duration
from .sheet import Sheet


class Pause(NamedTuple):
    """A turn that was paused, between two of its parts."""

    before: TurnPart
    after: TurnPart | None
    """None: no record of the trail goes on from there."""


def pauses(turn: TurnTrail) -> list[Pause]:
    """Of a turn, in order. Where the end of a part is missing, the next one may say it."""
    out = [
        Pause(before, after)
        for before, after in pairwise(turn.parts)
        if before.outcome == "paused" or (after.resumes and not before.outcome)
    ]
    last = turn.parts[-1] if turn.parts else None
    return [*out, Pause(last, None)] if last is not None and last.outcome == "paused" else out


def question(turn: TurnTrail) -> str | None:
    """The person's words that a turn began with."""
    return turn.parts[0].text if pauses(turn) else turn.text


def paused_before(turn: TurnTrail, call: CallTrail) -> str:
    """That a call is the first one after a pause, in words; empty: it is not."""
    pause = next((p for p in pauses(turn) if p.after and p.after.ledger == call.ledger), None)
    first = next((c for c in turn.calls if c.ledger == call.ledger), None)
    if pause is None or first is not call:
        return ""
    return f"the turn was paused before this call, and {_went_on(pause)}"


def with_pauses(turn: TurnTrail, nodes: Sequence[Node]) -> list[Node | Pause]:
    """What stands beneath a turn, with its pauses between."""
    place = {ledger: i for i, ledger in enumerate(turn.ledgers)}
    left = pauses(turn)
    out: list[Node | Pause] = []
    for node in nodes:
        while left and _behind(node, left[0], place):
            out.append(left.pop(0))
        out.append(node)
    return out + left


def _behind(node: Node, pause: Pause, place: dict[str, int]) -> bool:
    item = node.item
    ledger = item.ledger if isinstance(item, CallTrail | ToolTrail) else ""
    if ledger in place:
        return place[ledger] > place[pause.before.ledger]
    end = pause.before.end
    return end is not None and node.start is not None and node.start >= end


def pause_lines(sheet: Sheet, pause: Pause, lead: str, inside: str) -> Iterator[str]:
    """That a turn was paused here, how long, and what it went on with."""
    after = pause.after
    said = [sheet.paint("cyan", f"{sheet.glyphs.paused} paused here")]
    if after is None:
        said.append("nothing on this trail says that it went on")
    else:
        said.append(_went_on(pause))
        if after.text:
            room = sheet.width - cells(inside) - 2
            said.append(sheet.paint("cyan", sheet.quoted(after.text, room)))
    yield from sheet.flow(said, lead, inside + "  ")


def _went_on(pause: Pause) -> str:
    waited = seconds(pause.before.end, pause.after.start) if pause.after is not None else None
    return "went on" + (f" after {duration(waited)}" if waited is not None else "")
