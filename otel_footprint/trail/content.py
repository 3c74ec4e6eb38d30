"""What pieces say, for a person to read: their parts, and the texts around a tool call."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..records.trail import CallTrail, PieceRow, ToolTrail
from ..telemetry import names
from ..wire import DIALECTS, Part
from . import values

if TYPE_CHECKING:
    from .reader import Trail


_Place = tuple[int, int]
"""Of a record in its turn: which ledger, and its number there."""


class ToolTexts(NamedTuple):
    """What a tool call was given and what came back, as the calls around it hold it."""

    arguments: str | None
    """As the model wrote them; None when no output on the trail holds them."""
    result: PieceRow | None
    """The piece that carried the result into a later call; None when none did."""


def parts_of(trail: Trail, call: CallTrail, row: PieceRow) -> tuple[Part, ...] | None:
    """The parts of a piece; None when its text is not on the trail.

    Media stand as parts of their type. A piece of an unknown dialect is one opaque part.
    """
    text = trail.texts.shown(row)
    if text is None:
        return None
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return (Part("opaque", text),)
    dialect = DIALECTS.get(call.dialect)
    if dialect is None:
        return (Part("opaque", text),)
    try:
        return dialect.parts(value)
    except Exception:  # a piece that no dialect wrote: what is on the trail may be anything
        return (Part("opaque", text),)


def readable(trail: Trail, call: CallTrail, row: PieceRow) -> str | None:
    """What a piece says, as one text for a person to read; None when it is not on the trail.

    Tool calls stand as name and arguments, definitions as indented JSON, media as a note.
    """
    parts = parts_of(trail, call, row)
    return None if parts is None else "\n".join(filter(None, map(part_text, parts)))


def part_text(part: Part) -> str:
    """What one part says."""
    if part.kind == "tool_call":
        return f"{part.name}({part.text})"
    if part.kind == "media":
        return f"[{part.name or 'media'}]"
    if part.kind in ("definition", "opaque"):
        return indented(part.text)
    return part.text


def indented(text: str) -> str:
    """JSON with a line for each value; anything else as it is."""
    try:
        value = json.loads(text)
        is_container = isinstance(value, dict | list)
        return json.dumps(value, ensure_ascii=False, indent=2) if is_container else text
    except (ValueError, RecursionError):
        return text


class ToolIndex:
    """The tool calls that outputs ask for and the results that later calls carry, by id.

    Providers use an id twice: the output next before a tool call counts, and the result next
    after it.
    """

    def __init__(self, trail: Trail) -> None:
        self._asked: dict[tuple[str, str], list[tuple[_Place, str]]] = {}
        self._came: dict[tuple[str, str], list[tuple[_Place, PieceRow]]] = {}
        self._names: dict[tuple[str, str], list[tuple[_Place, str]]] = {}
        self._ran: dict[tuple[str, str], list[tuple[_Place, str]]] = {}
        self._ledgers = {x: i for turn in trail.turns for i, x in enumerate(turn.ledgers)}
        self._said: dict[tuple[str, str], int] = {}
        self._trail = trail
        self._under = _with_programs(trail)
        for call in trail.calls:
            place = self._place(call)
            for row in call.output:
                if row is not None and call.number is not None:
                    self._said.setdefault((call.turn, row.hash), call.number)
            for part in _calls_in(trail, call):
                key = (call.turn, part.id)
                self._asked.setdefault(key, []).append((place, part.text))
                self._names.setdefault(key, []).append((place, part.name))
            own = trail.compositions.get(call.id, "messages")
            for row in (own.inserted or ()) if own is not None else ():
                if row is not None and row.id and row.source == "tool-result":
                    key = (call.turn, row.id)
                    self._came.setdefault(key, []).append((place, row))
        for turn in trail.turns:
            for tool in turn.tools:
                if tool.call_id and tool.name:
                    key = (turn.id, tool.call_id)
                    self._ran.setdefault(key, []).append((self._place(tool), tool.name))

    def name(self, call: CallTrail, id_: str) -> str:
        """The tool that an earlier output asked for under this id, or that ran under it where no
        output can be read; empty when the trail does not say."""
        place, key = self._place(call), (call.turn, id_)
        for named in (self._names.get(key, ()), self._ran.get(key, ())):
            found = [n for at, n in named if at <= place or call.seq is None]
            if found:
                return found[-1]
        return ""

    def said_in(self, call: CallTrail, row: PieceRow) -> int | None:
        """Number of the earlier call of the turn whose output this piece is, as it was or with the
        programs that the library put under it."""
        number = self._said.get((call.turn, row.hash))
        if number is None:
            number = self._with(call, row)
        return number if number is not None and number < (call.number or 0) else None

    def has_programs(self, call: CallTrail, row: PieceRow) -> bool:
        """Whether programs that the library put under an answer stand in this piece too."""
        return (call.turn, row.hash) not in self._said and self._with(call, row) is not None

    def _with(self, call: CallTrail, row: PieceRow) -> int | None:
        if not self._under or row.source != "assistant":
            return None
        return self._under.get((call.turn, _texts(self._trail, call, row)))

    def texts(self, tool: ToolTrail) -> ToolTexts:
        """What the calls around a tool call say of it."""
        if not tool.call_id:
            return ToolTexts(None, None)
        key, place = (tool.turn, tool.call_id), self._place(tool)
        before = [text for at, text in self._asked.get(key, ()) if at <= place or not tool.seq]
        after = [row for at, row in self._came.get(key, ()) if at >= place]
        return ToolTexts(before[-1] if before else None, after[0] if after else None)

    def _place(self, item: CallTrail | ToolTrail) -> _Place:
        return self._ledgers.get(item.ledger, 0), item.seq or 0


def _with_programs(trail: Trail) -> dict[tuple[str, str], int]:
    """The calls under whose answers a text was put, by turn and the whole text."""
    out: dict[tuple[str, str], int] = {}
    for call in trail.calls:
        attached = trail.attached.get(call.id)
        if attached is not None and attached.text and call.number is not None:
            said = "".join(_texts(trail, call, row) for row in call.output if row is not None)
            out.setdefault((call.turn, said + attached.text), call.number)
    return out


def _texts(trail: Trail, call: CallTrail, row: PieceRow) -> str:
    """The texts of a piece; empty where they are not on the trail."""
    return "".join(p.text for p in parts_of(trail, call, row) or () if p.kind == "text")


def removals(trail: Trail) -> dict[tuple[str, str], str]:
    """What took pieces out, and why: by call id and identity hash, as events say it."""
    out: dict[tuple[str, str], str] = {}
    for span in trail.spans:
        for event in span.events:
            if event.name == names.EVENT_REMOVED:
                call = values.text(span.attributes, names.CALL_ID)
                said = (
                    values.text(event.attributes, names.REMOVED_BY),
                    values.text(event.attributes, names.REMOVED_REASON),
                )
                hash_ = values.text(event.attributes, names.REMOVED_KEY)[:32]
                out[call, hash_] = ": ".join(filter(None, said))
    return out


def _calls_in(trail: Trail, call: CallTrail) -> Iterator[Part]:
    for row in call.output:
        for part in (parts_of(trail, call, row) or ()) if row is not None else ():
            if part.kind == "tool_call" and part.id:
                yield part
