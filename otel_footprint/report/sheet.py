"""What the parts of a report share: the trail, the width, glyphs, colours, and lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from ..records.trail import CallTrail, PieceRow
from ..trail import Trail
from ..trail.content import parts_of, removals
from .plain import cells, clean, cut, in_ascii, number, one_line
from .style import ASCII, UNICODE, Paint

MOST = 4_000
"""Characters of one text that are printed; the rest is counted."""
LEAST_WIDTH = 60
"""Columns below which lines are no longer made narrower."""


class Sheet:
    """One report under way."""

    def __init__(self, trail: Trail, width: int, color: bool, ascii_only: bool) -> None:
        self.trail = trail
        self.width = max(LEAST_WIDTH, width)
        self.glyphs = ASCII if ascii_only else UNICODE
        self.paint = Paint(color)
        self.ascii_only = ascii_only
        self.tools = trail.origins.tools
        self.kept: dict[str, object] = {}
        """What further parts of the report keep, by their own names."""
        self._calls: dict[str, CallTrail] | None = None
        self._before: dict[str, CallTrail | None] | None = None
        self._removed: dict[tuple[str, str], str] | None = None

    def call(self, id_: str) -> CallTrail | None:
        """A call of the trail by its id."""
        if self._calls is None:
            self._calls = {call.id: call for call in self.trail.calls}
        return self._calls.get(id_)

    def before(self, call: CallTrail) -> CallTrail | None:
        """The call of the turn that stands before this one, as the tree has them: model calls
        within a tool call stand beneath it."""
        if self._before is None:
            self._before = {}
            last: dict[str, CallTrail] = {}
            stack = list(reversed(self.trail.roots))
            while stack:
                node = stack.pop()
                stack += reversed(node.children)
                if isinstance(node.item, CallTrail):
                    self._before[node.item.id] = last.get(node.item.turn)
                    last[node.item.turn] = node.item
        return self._before.get(call.id)

    def removed_why(self, call: CallTrail, row: PieceRow) -> str:
        """What took a piece out, and why, where an event of the call says so."""
        if self._removed is None:
            self._removed = removals(self.trail)
        return self._removed.get((call.id, row.hash), "")

    def is_content_off(self, call: CallTrail) -> bool:
        """True when the turn of a call recorded no text at all."""
        turn = self.trail.turn_of(call)
        return turn is not None and turn.content == "none"

    def safe(self, text: str, most: int = 2_000) -> str:
        """A text of the trail in one line, with nothing in it that a terminal acts on."""
        line = one_line(text, most)
        return in_ascii(line) if self.ascii_only else line

    def cut(self, text: str, width: int) -> str:
        """A safe text in at most `width` columns."""
        return cut(text, width, self.glyphs.ellipsis)

    def quoted(self, text: str, width: int) -> str:
        """A text of the trail, cut, between quotes."""
        left, right = self.glyphs.quotes
        return left + self.cut(self.safe(text), width - 2) + right

    def preview(self, call: CallTrail, row: PieceRow) -> str | None:
        """What a piece says, in one line that is not cut yet; None when its text is not there."""
        parts = parts_of(self.trail, call, row)
        if parts is None:
            return None
        said = []
        for part in parts[:20]:
            if part.kind == "tool_call":
                said.append(f"{self.glyphs.asks} {part.name} {part.text[:1_000]}")
            elif part.kind == "media":
                said.append(f"[{part.name or 'media'}]")
            elif part.kind == "reasoning":
                said.append(f"(thinks) {part.text[:1_000]}")
            elif part.kind == "definition":
                said.append(described(part.text))
            else:
                said.append(part.text[:2_000])
        return self.safe(" ".join(filter(None, said)))

    def paragraphs(self, text: str, indent: str) -> Iterator[str]:
        """A text of the trail as it stands, its lines wrapped to the width."""
        for line in text[:MOST].splitlines():
            yield from self.wrapped([("", line)], indent)
        if len(text) > MOST:
            more = f"{self.glyphs.ellipsis} {number(len(text) - MOST)} more characters"
            yield indent + self.paint("dim", more)

    def wrapped(self, pieces: Iterable[tuple[str, str]], indent: str) -> Iterator[str]:
        """One line of a text, in pieces of a style each, wrapped to the width."""
        room = self.width - len(indent)
        line, used = "", 0
        for style, text in pieces:
            safe = clean(text)
            if self.ascii_only:
                safe = in_ascii(safe)
            while used + cells(safe) > room:
                head = cut(safe, room - used, "")
                at = head.rfind(" ", (room - used) // 2)
                head = head[: at + 1] if at > 0 else head if not used or len(head) > 20 else ""
                if not head and not used:
                    break
                yield (indent + line + self.paint(style, head.rstrip())).rstrip()
                line, used, safe = "", 0, safe[len(head) :].lstrip(" ")
            line += self.paint(style, safe)
            used += cells(safe)
        yield indent + line

    def flow(self, segments: Iterable[str], indent: str, hang: str) -> list[str]:
        """Segments joined by dots, in as many lines as they need."""
        lines: list[str] = []
        line, used = indent, cells(indent)
        first = True
        for segment in filter(None, segments):
            size = cells(segment) + (0 if first else cells(self.glyphs.dot))
            if not first and used + size > self.width:
                lines.append(line)
                line, used, first = hang, cells(hang), True
                size = cells(segment)
            line += ("" if first else self.paint("dim", self.glyphs.dot)) + segment
            used += size
            first = False
        return [*lines, line]


def described(definition: str) -> str:
    """The description of a tool, where its definition has one; else the definition."""
    try:
        value = json.loads(definition)
    except (ValueError, RecursionError):
        return definition
    for _ in range(3):
        if not isinstance(value, dict):
            break
        if isinstance(value.get("description"), str):
            return str(value["description"])
        value = value.get("function") or value.get("toolSpec")
    return definition
