"""Where arguments of tool calls came from: what the record says, and hints for any other trace.

    recorded(trail)        the rows that were written while the agent ran: claimed, and found
    hints_of(trail, call)  hints for the tool calls of a call that we recorded with its texts
    foreign_hints(span)    hints for a call that another instrumentation recorded with its messages
    hints(calls, front)    the same from plain parts

A hint says which pieces in front of the model carry a value, as whole tokens; it is never a
source. A text that is not on the trail carries nothing: where one is missing, a value that stands
nowhere else is `uncheckable`, never `nowhere`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..records.arguments import ArgumentRow, Kind, ToolText, VerdictWord
from ..records.frames import frame_of
from ..records.hints import Held, Hint, hint, tool_words
from ..records.trail import SLOT_NAMES, CallTrail, Span
from ..telemetry import names
from ..text.cache import SearchCache
from ..text.definitions import ToolWords
from ..text.searchable import Needle, Searchable
from ..text.values import is_common, leaves, value_text
from ..wire.types import Part
from ..wire.values import json_or_text
from .argument_rows import row_of
from .content import parts_of
from .messages import messages_of

if TYPE_CHECKING:
    from .reader import Trail

MAX_VALUES: Final = 1_000
"""Values of one tool call that get a row."""
_SAID: Final = frozenset({"text", "refusal"})
_FOUND: Final = frozenset({"text", "tool_result", "opaque"})


class Recorded(NamedTuple):
    """One row as it was written, and the span that it stands on."""

    row: ArgumentRow
    span: Span
    asked: bool
    """It says that a person was asked."""


def recorded(trail: Trail) -> list[Recorded]:
    """All rows of a trail, span by span, in the order in which they were written."""
    out = []
    for span in trail.spans:
        for event in span.events:
            if event.name in (names.EVENT_ARGUMENT, names.EVENT_ARGUMENT_ASKED):
                asked = event.name == names.EVENT_ARGUMENT_ASKED
                out.append(Recorded(row_of(event.attributes), span, asked))
    return out


# --- hints -----------------------------------------------------------------------------------


class Seen(NamedTuple):
    """One piece in front of the model, of whatever trace."""

    slot: str
    """system, messages or tools."""
    source: str
    """user, assistant, tool-result, base, registry, or what let it in."""
    parts: tuple[Part, ...] | None
    """None: its text is not on the trail."""
    key: str = ""
    id: str = ""
    """Tool call id of a result."""


def hints_of(trail: Trail, call: CallTrail) -> list[ArgumentRow]:
    """Hints for the tool calls that a recorded call asked for."""
    asked = [
        part
        for row in call.output
        for part in (parts_of(trail, call, row) or () if row is not None else ())
        if part.kind == "tool_call"
    ]
    if not asked:
        return []
    front: list[Seen] = []
    for slot in SLOT_NAMES:
        rows = trail.rows(call, slot)
        for row in rows.rows:
            if row is None:
                front.append(Seen(slot, "", None))
            else:
                parts = parts_of(trail, call, row)
                front.append(Seen(slot, row.source, parts, row.hash, row.id))
        if not rows.known:
            front.append(Seen(slot, "", None))
    return hints(asked, front)


def foreign_hints(span: Span) -> list[ArgumentRow]:
    """Hints for the tool calls of a model call that another instrumentation recorded.

    Empty for a span that holds no messages. Where it does not hold the tools that were offered, a
    value that stands nowhere else is `uncheckable`.
    """
    said = messages_of(span)
    asked = [p for piece in said if piece.slot == "output" for p in piece.parts]
    asked = [part for part in asked if part.kind == "tool_call"]
    front = [Seen(s.slot, s.source, s.parts, "", s.id) for s in said if s.slot != "output"]
    for slot in ("messages", "tools"):
        if not any(piece.slot == slot for piece in front):
            front.append(Seen(slot, "", None))
    return hints(asked, front)


def hints(calls: Iterable[Part], front: Iterable[Seen]) -> list[ArgumentRow]:
    """Hints for every value of these tool calls (parts of kind `tool_call`).

    A value inside a container has a row of its own, named by its path; at most 1,000 a call.
    """
    haystack = _Haystack(front)
    out = []
    for call in calls:
        found = leaves(json_or_text(call.text))
        out += [
            haystack.row(call.name, call.id, leaf.path, leaf.value)
            for leaf in islice(found, MAX_VALUES)
        ]
    return out


class _Haystack:
    """What stood in front of the model, ready for search."""

    def __init__(self, front: Iterable[Seen]) -> None:
        self.missing = False
        self.held: list[Held] = []
        self.tools: list[tuple[ToolWords, str]] = []
        self._places: dict[Kind, int] = {}
        cache = SearchCache()
        for piece in front:
            if piece.parts is None:
                self.missing = True
            elif piece.slot == "tools" or piece.source == "registry":
                self._offered(piece)
            else:
                self._said(piece, cache)
        self.texts: list[Searchable] = [held.text for held in self.held]

    def _offered(self, piece: Seen) -> None:
        for part in piece.parts or ():
            if part.kind in ("definition", "opaque"):
                definition = ToolText(part.name, json_or_text(part.text), piece.key)
                self.tools.append((tool_words(definition), piece.key))

    def _said(self, piece: Seen, cache: SearchCache) -> None:
        kind: Kind
        parts = piece.parts or ()
        if piece.source == "assistant":
            parts = tuple(p for p in parts if p.kind == "tool_result")
        if not parts:
            return
        results = piece.source in ("tool-result", "assistant")
        if results:
            kind, wanted = "result", _FOUND
        elif piece.source == "user":
            kind, wanted = "person", _SAID
        else:
            kind, wanted = "app", _FOUND
        at = self._places[kind] = self._places.get(kind, -1) + 1
        for part in parts:
            if part.kind not in wanted or not part.text or frame_of(part.text) is not None:
                continue
            text = cache.get(part.text, parts=kind != "person")
            id_ = (part.id or piece.id) if results else ""
            self.held.append(Held(kind, at, text, id_, piece.key))

    def row(self, tool: str, call_id: str, argument: str, value: Any) -> ArgumentRow:
        found = hint(Needle(value), self.held, self.texts, self.tools, tool, argument)
        text = value_text(value)
        return ArgumentRow(
            tool,
            call_id,
            argument,
            self._word(found),
            coincides=found.coincides,
            size=len(text),
            common=is_common(value),
            carriers=found.carriers,
            more_carriers=found.more,
            value=text,
        )

    def _word(self, found: Hint) -> VerdictWord:
        if found.coincides:
            return "hint"
        return "uncheckable" if found.unread or self.missing or not found.checkable else "nowhere"
