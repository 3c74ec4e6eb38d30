"""A trail as a walk needs it: moments, in causal order, and the pieces in front of each.

A moment is one model call, ours or not. A piece is one text in front of the model or among what it
wrote; it is the same piece wherever its identity is the same, also as output and as later input.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from ...records.arguments import ArgumentRow
from ...records.trail import Gap
from ...records.why import Ground, Place
from ...text.searchable import Searchable
from ...wire.types import Part

Parts = tuple[Part, ...] | None
KEPT: Final = 128
"""Moments whose pieces in front are kept put together."""


class Piece:
    """One piece, wherever it stands. Its text is read when it is needed."""

    __slots__ = (
        "_load", "_parts", "_texts", "begins", "begun", "id", "key", "reason", "role", "source",
        "writes", "written",
    )  # fmt: skip

    def __init__(
        self,
        key: str,
        source: str,
        role: str,
        id_: str,
        reason: str,
        load: Callable[[], Parts],
    ) -> None:
        self.key = key
        self.source = source
        self.role = role
        self.id = id_
        self.reason = reason
        self.begun: int | None = None
        """The moment in front of which it stood first, of those around the answer where any is."""
        self.begins: list[int] = []
        """The moments whose own records bring it in: another conversation may hold the same."""
        self.written: int | None = None
        """The moment that wrote it, of those around the answer where any did; None: no call on the
        trail did."""
        self.writes: list[int] = []
        """All the moments that wrote it."""
        self._load = load
        self._parts: Parts = None
        self._texts: tuple[Searchable, ...] | None = None

    @property
    def parts(self) -> Parts:
        """Its parts; None: its text is not on the trail."""
        if self._texts is None:
            self._parts = self._load()
            self._texts = ready(self._parts)
        return self._parts

    @property
    def texts(self) -> tuple[Searchable, ...]:
        """The parts, ready for search."""
        if self._texts is None:
            self._texts = ready(self.parts)
        return self._texts


@dataclass(frozen=True, slots=True)
class Sight:
    """A piece at its place in front of a moment's model, or among what it wrote."""

    piece: Piece
    moment: int
    slot: str
    position: int
    ground: Ground


@dataclass(slots=True, eq=False)
class ToolRun:
    """A tool call as its span tells it."""

    name: str
    call_id: str
    ground: Ground
    seq: int = 0
    arguments: tuple[ArgumentRow, ...] = ()
    """What was recorded of where each argument came from."""
    argument_text: str | None = None
    """As a span that is not ours holds them."""
    result_text: str | None = None
    """The same of its result."""
    above: frozenset[str] = frozenset()
    """Ids of the spans above it, where they are known."""
    child: int | None = None
    """The moment that wrote a sub-agent's answer; None: no turn ran beneath it."""


@dataclass(slots=True, eq=False)
class Moment:
    """One model call."""

    index: int
    """Place in causal order, as far as it is known."""
    id: str
    number: int | None
    turn: str
    ledger: str
    ground: Ground
    make: Callable[[Moment], tuple[Sight, ...]] | None = None
    """Puts together what stood in front of it."""
    output: tuple[Sight, ...] = ()
    ask: str = ""
    """The person's words, where the turn's own record holds them."""
    foreign: str = ""
    start: int = 0
    gaps: tuple[Gap, ...] = ()
    missing: int = 0
    """Places in front whose piece is not known."""
    _front: tuple[Sight, ...] | None = None
    _pieces: frozenset[Piece] | None = None

    @property
    def front(self) -> tuple[Sight, ...]:
        """The pieces in front of the model, each at its place."""
        if self._front is None:
            self._front = self.make(self) if self.make is not None else ()
        return self._front

    @property
    def pieces(self) -> frozenset[Piece]:
        """The pieces in front."""
        if self._pieces is None:
            self._pieces = frozenset(s.piece for s in self.front)
        return self._pieces

    def forget(self) -> None:
        """Lets go of what can be put together again."""
        self._front = self._pieces = None


@dataclass(slots=True)
class View:
    """All moments that may have had a part in an answer."""

    moments: list[Moment] = field(default_factory=list)
    tools: dict[tuple[str, str], list[ToolRun]] = field(default_factory=dict)
    """By turn and tool call id."""
    nested: bool = False
    """True when the spans above tool calls are known."""
    injected: dict[tuple[str, str, str], tuple[Ground, dict[str, object]]] = field(
        default_factory=dict
    )
    """`footprint.context.injected` by call, source and injection id."""
    removed: dict[tuple[str, str], tuple[Ground, str]] = field(default_factory=dict)
    """What took a piece out, by call and identity."""
    gaps: list[Gap] = field(default_factory=list)
    handed: dict[Piece, int | None] = field(default_factory=dict)
    """Of messages in a person's place that were looked into the moment whose words they hand on;
    None: a person may have said it."""
    _firsts: dict[Piece, Sight | None] = field(default_factory=dict)

    def first(self, piece: Piece) -> Sight | None:
        """Where a piece stood first in front of a model; None when no record says."""
        if piece not in self._firsts:
            front = self.moments[piece.begun].front if piece.begun is not None else ()
            self._firsts[piece] = next((s for s in front if s.piece is piece), None)
        return self._firsts[piece]

    def wrote(self, moment: int, piece: Piece) -> bool:
        """Whether a piece is among what a moment wrote."""
        return any(sight.piece is piece for sight in self.moments[moment].output)

    def place(self, sight: Sight) -> Place:
        """The public form of a place."""
        moment, piece = self.moments[sight.moment], sight.piece
        return Place(
            moment.id, moment.number, sight.slot, sight.position, piece.source, piece.role,
            piece.id, piece.key,
        )  # fmt: skip

    def tool(self, turn: str, call_id: str, seq: int | None = None) -> ToolRun | None:
        """The tool call of a result; of several with one id the last before `seq`."""
        found = self.tools.get((turn, call_id), []) if call_id else []
        before = [t for t in found if seq is None or not t.seq or t.seq <= seq]
        last = before or found
        return last[-1] if last else None

    def tool_by_text(self, turn: str, name: str, text: str) -> ToolRun | None:
        """A tool call without an id on its span, by its name and what it gave back."""
        named = [t for (of, _), found in self.tools.items() if of == turn for t in found]
        named = [t for t in named if not name or t.name == name]
        said = [t for t in named if t.result_text and text and text.strip() in t.result_text]
        if not said and name and len(named) == 1:
            said = named
        return said[0] if said else None


def ready(parts: Parts) -> tuple[Searchable, ...]:
    """The texts of a piece's parts, ready for search; media and empty ones have none."""
    return tuple(Searchable(p.text, parts=p.kind != "text") for p in parts or ())


__all__ = ["KEPT", "Moment", "Piece", "Sight", "ToolRun", "View", "ready"]
