"""Pieces for the page: each text stands once, where it is first shown, and is referred to after."""

from __future__ import annotations

from typing import Final

from ...records.trail import CallTrail, Changed, PieceRow
from ...text.difference import Run, difference, shortened
from ...trail.content import indented, parts_of, readable
from ...trail.origins import reason_of
from ...wire import Part
from ..plain import number
from ..sheet import Sheet
from ..slots import label_words
from .anchors import Anchors
from .safe import text_id
from .view import Link, PartView, PieceView

PART_MOST: Final = 200_000
"""Characters of one part that stand on the page."""
PREVIEW: Final = 140
SHORT: Final = 100
AROUND: Final = 160
"""Characters that stayed which are shown on each side of a change."""
KINDS: Final = {
    "user": "user",
    "assistant": "assistant",
    "tool-result": "result",
    "base": "base",
    "registry": "registry",
    "custom": "base",
}
"""Class of a source's colour; any other source let a piece in."""
WORDS: Final = {"+": "new", "-": "left", "~": "changed", "<": "moved", "": ""}
_PART_WORDS: Final = {"text": "", "tool_result": "", "tool_call": "asks for", "definition": ""}


class Pieces:
    """Makes the views of pieces, in the order in which the page shows them."""

    def __init__(self, sheet: Sheet, anchors: Anchors) -> None:
        self._sheet = sheet
        self._anchors = anchors
        self._origins = sheet.trail.origins
        self._shown: set[str] = set()

    def view(
        self, call: CallTrail, row: PieceRow | None, sign: str = "", place: int | None = None
    ) -> PieceView:
        """A piece of a call; its text when the page does not have it yet."""
        if row is None:
            return _missing(sign)
        id_ = text_id(row.hash)
        parts = None
        absent = ""
        if id_ not in self._shown:
            found = parts_of(self._sheet.trail, call, row)
            if found is None:
                id_, absent = "", self.absent(call)
            else:
                self._shown.add(id_)
                parts = tuple(map(part_view, found))
        by, reason, first = self._origin(call, row, sign)
        return PieceView(
            sign=sign,
            word=WORDS[sign],
            place="" if place is None else str(place + 1),
            source=row.source or "?",
            kind=kind_of(row),
            label=label_words(self._sheet, call, row),
            preview=(self._sheet.preview(call, row) or "")[:PREVIEW],
            size=number(row.size),
            id=id_,
            parts=parts,
            absent=absent,
            by=by,
            reason=reason,
            first=first,
            runs=(),
            hash=row.hash[:12],
        )

    def changed(self, call: CallTrail, change: Changed) -> PieceView:
        """A piece that stands in the place of another one."""
        view = self.view(call, change.after, "~")
        before, after = change.before, change.after
        if before is None:
            return view
        if before.hash == after.hash:
            words = "spelled otherwise" if before.exact != after.exact else "stands otherwise"
            if (before.source, before.reason) != (after.source, after.reason):
                words = f"was {before.source} {reason_of(before)}".rstrip()
            return view._replace(reason=", ".join(filter(None, (view.reason, words))))
        texts = [readable(self._sheet.trail, call, row) for row in (before, after)]
        if texts[0] is None or texts[1] is None:
            return view
        runs: list[Run] = shortened(difference(texts[0], texts[1]), AROUND, " … ")
        return view._replace(runs=tuple(runs))

    def claim(self, row: PieceRow) -> str:
        """The id under which the page shows a text here; empty when it is there already."""
        id_ = text_id(row.hash)
        if id_ in self._shown:
            return ""
        self._shown.add(id_)
        return id_

    def absent(self, call: CallTrail) -> str:
        """Why a text is not there."""
        off = self._sheet.is_content_off(call)
        return "content is off: hash and size only" if off else "its text is not on the trail"

    def _origin(self, call: CallTrail, row: PieceRow, sign: str) -> tuple[str, str, Link | None]:
        if sign == "-":
            origin = self._origins.left([call.id], row)
            return origin.by and f"taken out by {origin.by}", origin.reason, None
        origin = self._origins.entered(call, row)
        elsewhere = origin.call not in ("", call.id)
        named = f"{row.source} {row.id}"  # the piece's own line says that
        by = f"by {origin.by}" if origin.by not in ("", named) else ""
        return by, origin.reason, self._anchors.call(origin.call) if elsewhere else None


def part_view(part: Part) -> PartView:
    """A part of a text, bounded."""
    is_json = part.kind in ("tool_call", "definition", "opaque")
    text = readable_json(part.text) if is_json else part.text
    word = _PART_WORDS.get(part.kind, part.kind)
    title = " ".join(filter(None, (word, part.name if part.kind != "definition" else "")))
    return PartView(part.kind, title, text[:PART_MOST], max(0, len(text) - PART_MOST))


def readable_json(text: str) -> str:
    """JSON with a line for each value, where it is longer than a line."""
    return text if len(text) <= SHORT else indented(text)


def kind_of(row: PieceRow) -> str:
    """Class of the colour of a piece."""
    return KINDS.get(row.source, "injected" if row.source else "base")


def _missing(sign: str) -> PieceView:
    what = "a piece whose row is missing"
    return PieceView(
        sign, WORDS[sign], "", "?", "base", "", what, "?", "", None, what, "", "", None, (), ""
    )
