"""Why an answer says what it says: what a walk from the answer to its causes found.

Plain frozen records. A *carrier* is a piece of context that holds a value; a *suspect* is a carrier
in its place in the order. The order is an order of suspicion: it is made of what is on the trail,
and only a run without the piece can convict it. Quotes are content of the trail and may hold
anything; every other text is the library's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, NamedTuple

from .trail import Gap

ValueKind = Literal["given", "figure", "date", "name", "quote"]
"""given: asked for; the others were taken from the answer."""

FindingWord = Literal["named", "tie", "chance", "none", "unread"]
"""named: one suspect stands before all others. tie: several that nothing on the trail tells apart
stand first. chance: only pieces carry it in which so common a value may stand by chance; the cause
may not be on the trail. none: no piece carries it, the cause is not on the trail. unread: no piece
that can be read carries it, and some cannot be read."""

CONFIDENT: Final[frozenset[FindingWord]] = frozenset({"named", "tie"})
"""Words of findings that name a cause."""

Relation = Literal["origin", "model", "copy", "echo", "chance", "near"]
"""What a carrier seems to be. origin: nothing before it explains it. model: the model wrote it, and
nothing in front of it at that call explains it. copy: it can have been taken over from an earlier
carrier. echo: the model said it after an earlier carrier had stood in front of it. chance: the
value is common and nothing else connects the piece to the answer. near: it does not hold the value
itself."""

HopKind = Literal["answer", "piece", "injection", "output", "tool", "argument"]
"""answer: the value in the answer. piece: a piece in front of the model. injection: what let a
piece in. output: what the model wrote in an earlier call. tool: the tool call behind a result.
argument: an argument of that tool call."""

End = Literal["", "person", "app", "tool", "model", "default", "gap", "shown"]
"""Where a walk ends. Empty: it goes on. person: a person's words. app: the application's text.
tool: what a tool gave back, and no argument explains. model: the model's own choice. default: the
declared default of an argument. gap: the trail does not say. shown: the walk goes on where the same
piece stands already."""


class Ground(NamedTuple):
    """What on the trail a statement stands on."""

    trace_id: str = ""
    span_id: str = ""
    """Empty: no span says it."""
    event: str = ""
    """Name of the event; empty: the span's own attributes."""
    scope: str = ""
    """Instrumentation that wrote it when it is not ours; else empty."""


NO_GROUND: Final = Ground()


class Place(NamedTuple):
    """A piece where it stood in front of the model, or among what the model wrote."""

    call: str
    """Id of the call; of a model call that is not ours: its span id."""
    number: int | None
    """Of the call in its turn, 1-based."""
    slot: str
    """system, messages, tools, or `output`."""
    position: int
    """From 0."""
    source: str = ""
    """user, assistant, tool-result, base, registry; or what let it in: fact, skill, memory, ..."""
    role: str = ""
    id: str = ""
    """Tool call id, tool name or injection id."""
    hash: str = ""
    """Identity of the piece; of a piece that is not ours: of its text."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of a walk, from the answer towards the cause."""

    kind: HopKind
    what: str
    """One sentence, without a full stop."""
    quote: str = ""
    """Words of the trail around the value."""
    value: str = ""
    """What this hop is about: the value, or the value of an argument."""
    how: str = ""
    """How it is spelled there: verbatim, tokens, number, date, unit; near, words, part."""
    place: Place | None = None
    ground: Ground = NO_GROUND
    end: End = ""
    causes: tuple[Hop, ...] = ()
    """What it came from, the first suspect first. Empty when the walk ends here."""

    def walk(self) -> Iterator[tuple[int, Hop]]:
        """This hop and all beneath it, each with its depth."""
        stack: list[tuple[int, Hop]] = [(0, self)]
        while stack:
            depth, hop = stack.pop()
            yield depth, hop
            stack += [(depth + 1, cause) for cause in reversed(hop.causes)]


@dataclass(frozen=True, slots=True)
class Suspect:
    """A carrier in the order of suspicion."""

    rank: int
    """1-based. Suspects of one tie have the same rank."""
    score: float
    """0 to 1; orders suspects and means nothing else."""
    relation: Relation
    place: Place
    """Where it stood first."""
    quote: str
    reasons: tuple[str, ...]
    """Why it stands where it stands."""
    hop: Hop
    """The walk from this piece on."""
    in_front: bool = True
    """False: it was not in front of the model at the call that wrote the answer."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one value of the answer."""

    value: str
    kind: ValueKind
    word: FindingWord
    what: str
    """The finding in one sentence, without a full stop."""
    in_answer: bool
    """False: a value that was asked for and that the answer does not hold."""
    suspects: tuple[Suspect, ...] = ()
    """Pieces that hold the value itself."""
    near: tuple[Suspect, ...] = ()
    """Pieces that hold something near it."""
    searched: int = 0
    """Pieces that were read."""
    unread: int = 0
    """Pieces whose text could not be read."""
    reckoned: str = ""
    """How other figures of the answer give this one, for example `15 % of 129.00`; a hint."""

    @property
    def first(self) -> tuple[Suspect, ...]:
        """The suspects that stand first: one, or those of a tie; none when there is no carrier."""
        return tuple(s for s in self.suspects if s.rank == 1)


@dataclass(frozen=True, slots=True)
class Why:
    """The walk from an answer, or from one value in it, to the pieces that carry it."""

    call: str
    """Id of the call that wrote the answer; of a foreign one its span id; empty: no call."""
    number: int | None
    turn: str
    answer: str | None
    """The answer's text; None when it is not on the trail."""
    ground: Ground
    findings: tuple[Finding, ...]
    gaps: tuple[Gap, ...] = ()
    """What the trail does not hold of what was looked at."""
    foreign: str = ""
    """Instrumentation that recorded the call when it is not ours; else empty."""
    unanswered: str = ""
    """Why there is no answer, in a sentence without a full stop; empty when there is one."""

    @property
    def unread(self) -> bool:
        """True when there was no answer to walk from, and no piece could be read in its place."""
        return self.answer is None and all(f.word == "unread" for f in self.findings)

    def to_json(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        made: dict[str, Any] = _json(asdict(self))
        return made


AbsentKind = Literal[
    "in-front",  # it was in front of the model after all
    "removed",  # it stood there in an earlier call and was taken out
    "left",  # it stood there in an earlier call; nothing says what took it out
    "later",  # it came in only after that call
    "elsewhere",  # another agent or another turn had it
    "returned",  # a tool gave it back, and no piece brought it in front of this call
    "deferred",  # a message that had to wait
    "skipped",  # a piece that was not let in
    "withheld",  # a tool that was not offered
    "dormant",  # a skill or an instruction that was named and did not become active
    "unread",  # pieces that cannot be read
]


@dataclass(frozen=True, slots=True)
class Missing:
    """One way in which a text was available and not in front of the model, or was there."""

    kind: AbsentKind
    what: str
    """One sentence, without a full stop."""
    quote: str = ""
    how: str = ""
    """Spelling, as of a hop."""
    place: Place | None = None
    ground: Ground = NO_GROUND


@dataclass(frozen=True, slots=True)
class Absent:
    """Whether a text was available and not in front of the model, and why."""

    text: str
    call: str
    number: int | None
    turn: str
    what: str
    """The finding in one sentence, without a full stop."""
    found: tuple[Missing, ...]
    near: tuple[Missing, ...] = ()
    gaps: tuple[Gap, ...] = ()
    foreign: str = ""

    @property
    def unread(self) -> bool:
        """True when it cannot be told, since pieces cannot be read."""
        return any(m.kind == "unread" for m in self.found)

    @property
    def in_front(self) -> bool:
        """True when it was in front of the model after all."""
        return any(m.kind == "in-front" for m in self.found)

    def to_json(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        made: dict[str, Any] = _json(asdict(self))
        return made


def _json(value: Any) -> Any:
    """Named tuples as objects, tuples as lists; `asdict` has made dicts of the rest."""
    if isinstance(value, dict):
        return {key: _json(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return _json(value._asdict())
    if isinstance(value, list | tuple):
        return [_json(item) for item in value]
    return value
