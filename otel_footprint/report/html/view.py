"""What the templates show: plain records, all words in place, nothing escaped yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ...text.difference import Run

if TYPE_CHECKING:
    from .chain import WhyView

DEEP: Final = 6
"""Levels that are indented; what stands deeper is indented as much."""


class Link(NamedTuple):
    """A place on the page."""

    anchor: str
    text: str


class PartView(NamedTuple):
    """A part of a text."""

    kind: str
    """As of `wire.types.PartKind`."""
    title: str
    """What kind of part it is; empty for plain text."""
    text: str
    more: int
    """Characters that are left out."""


class PieceView(NamedTuple):
    """A piece of a slot."""

    sign: str
    """+ it came, - it left, ~ it changed, < it moved; empty: it stands in a list."""
    word: str
    """The same as a word."""
    place: str
    source: str
    kind: str
    """Class of its colour."""
    label: str
    preview: str
    size: str
    id: str
    """Of its text on the page; empty when the text is not on the trail."""
    parts: tuple[PartView, ...] | None
    """The text; None: it stands elsewhere on the page, or is not on the trail."""
    absent: str
    """Why there is no text."""
    by: str
    reason: str
    first: Link | None
    """The call that had it first."""
    runs: tuple[Run, ...]
    """Of a piece that changed: what stayed, left and came."""
    hash: str


class RunView(NamedTuple):
    """Pieces that stand in the list of an earlier call."""

    many: int
    target: str
    """Id of that list."""
    link: Link


class Segment(NamedTuple):
    """A part of a bar, in thousandths of its length."""

    kind: str
    x: int
    width: int
    title: str


class Bar(NamedTuple):
    """How full a slot is."""

    segments: tuple[Segment, ...]
    cap: int | None
    """Where the cap stands, when it was exceeded."""
    label: str


class SlotView(NamedTuple):
    """A slot of a call."""

    name: str
    anchor: str
    figures: str
    percent: str
    bar: Bar | None
    pressure: str
    """What was over its cap or nearly; empty for nothing."""
    alarm: bool
    state: str
    """unchanged, +2, and so on."""
    same: Link | None
    """The call whose list it is."""
    base: Link | None
    """The call that it is compared with, where that is not the one before."""
    beside: bool
    """True when that one ran at the same time."""
    changes: tuple[PieceView, ...]
    notes: tuple[str, ...]
    listed: tuple[PieceView | RunView, ...] | None
    many: int


class OutputView(NamedTuple):
    """A piece of what the model answered."""

    id: str
    """Of its text on the page; empty when it stands elsewhere already, or is not there."""
    parts: tuple[PartView, ...]
    absent: str


class CallView(NamedTuple):
    """A model call."""

    view: str
    anchor: str
    depth: int
    title: str
    facts: tuple[str, ...]
    error: str
    flags: tuple[str, ...]
    output: tuple[OutputView, ...]
    slots: tuple[SlotView, ...]
    programs: tuple[str, ...]
    """What stands under the answer."""
    gaps: tuple[str, ...]
    span: str


class ToolView(NamedTuple):
    """A tool call."""

    view: str
    anchor: str
    depth: int
    title: str
    facts: tuple[str, ...]
    error: str
    arguments: str | None
    claims: tuple[str, ...]
    """Of each argument what was claimed and what was found."""
    result: PieceView | None


class SpanView(NamedTuple):
    """A span that is not ours."""

    view: str
    anchor: str
    depth: int
    title: str
    scope: str
    facts: tuple[str, ...]
    error: str
    attributes: tuple[tuple[str, str], ...]
    more: int


class TurnView(NamedTuple):
    """The head of a turn."""

    view: str
    anchor: str
    depth: int
    title: str
    facts: tuple[str, ...]
    outcome: str
    error: str
    text: str
    answer: str
    """What its last call said."""
    answered: Link | None
    why: WhyView | None
    unwalked: str
    """Said instead of the walk where the page holds no more of them."""
    verdicts: tuple[str, ...]
    gaps: tuple[str, ...]


class Step(NamedTuple):
    """A row of the timeline."""

    kind: str
    """turn, call, tool or span."""
    depth: int
    anchor: str
    title: str
    x: int
    width: int
    """In thousandths of the whole."""
    duration: str
    flags: tuple[str, ...]
