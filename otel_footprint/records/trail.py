"""What is read back from a trail: spans as they arrived, and turns, calls, slots, pieces, gaps.

Plain frozen records, cheap enough for a hundred thousand spans. `None` means that the trail does
not say (or that what says it is missing), which is never the same as 0 or an empty text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from ..errors import TrailError

if TYPE_CHECKING:
    from .seen import Seen

from .script_reader import Recorded

SlotName = Literal["system", "messages", "tools"]
SLOT_NAMES: tuple[SlotName, ...] = ("system", "messages", "tools")

# --- as it arrived -------------------------------------------------------------------------


class Event(NamedTuple):
    """An event of a span, or a log record that belongs to one."""

    name: str
    time: int | None
    """Nanoseconds since the epoch."""
    attributes: Mapping[str, Any]


class Link(NamedTuple):
    """A link of a span."""

    trace_id: str
    span_id: str
    attributes: Mapping[str, Any]


class Span(NamedTuple):
    """A span of anyone, decoded: ids in lower-case hex, attribute values as Python values."""

    trace_id: str
    span_id: str
    parent_id: str
    """Empty for a root."""
    name: str
    kind: str
    """internal, server, client, producer, consumer, or empty."""
    start: int | None
    """Nanoseconds since the epoch."""
    end: int | None
    attributes: Mapping[str, Any]
    events: tuple[Event, ...] = ()
    links: tuple[Link, ...] = ()
    status: str = ""
    """ok, error, or empty (unset)."""
    message: str = ""
    """Of the status."""
    scope: str = ""
    """Name of the instrumentation scope."""
    resource: Mapping[str, Any] = {}


class Log(NamedTuple):
    """A log record: an event that a log-based sink wrote beside its span."""

    trace_id: str
    span_id: str
    name: str
    time: int | None
    attributes: Mapping[str, Any]
    body: Any = None
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be read, and where it stood."""

    file: str
    line: int
    """1-based."""
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}"


# --- gaps ----------------------------------------------------------------------------------

GapKind = Literal[
    "span",  # a span of ours is missing
    "parts",  # parts of a composition or an output are missing
    "base",  # the composition that a delta is to is missing
    "digest",  # what was put together does not give the digest on the record
    "text",  # the text of a piece is missing
    "media",  # the bytes of an image, a sound or a file are not in the trail
    "layout",  # the request outside the slots is missing
    "content",  # the content mode keeps texts off the trail, or the bound left one out
    "key",  # hashes are keyed and no given key makes them
    "columns",  # a record's columns do not fit each other
    "records",  # numbers of a ledger are missing
    "trace",  # an earlier trace of the conversation is not in the source
]


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that the trail does not hold, named."""

    kind: GapKind
    what: str
    """One sentence, without a full stop."""
    call: str = ""
    """Id of the call that lacks it; empty: of a whole ledger."""
    slot: str = ""

    def __str__(self) -> str:
        return self.what


# --- pieces --------------------------------------------------------------------------------


class MediaNote(NamedTuple):
    """An image, a sound or a file of a piece: recorded by size and hash, without its bytes."""

    type: str
    """Media type; empty when the request did not say."""
    size: int
    """Bytes after decoding."""
    sha256: str
    prefix: str
    """What stands before the base64 text in the request, or its spelling (`text/media.py`)."""


class PieceRow(NamedTuple):
    """One piece at one place of a slot, as its row says it. Absent columns are empty texts."""

    hash: str
    """Identity: equal for two spellings of the same piece."""
    exact: str
    """Hash of the exact JSON text."""
    size: int | None
    """Code points of its text."""
    source: str = ""
    role: str = ""
    id: str = ""
    """Tool call id, tool name or injection id."""
    reason: str = ""
    frame: str = ""
    """JSON of the element around several pieces, on the first of them."""
    media: tuple[MediaNote, ...] = ()


class Rows(NamedTuple):
    """A composition of one slot, put together."""

    rows: tuple[PieceRow | None, ...]
    """In order; None for a piece whose row is missing."""
    known: bool
    """True when no row is missing."""
    proven: bool | None
    """True: they give the digest on the record. False: they do not. None: no digest to compare."""
    gaps: tuple[Gap, ...] = ()


class Changed(NamedTuple):
    """Two pieces at the same place: what stood there and what stands there now."""

    before: PieceRow | None
    after: PieceRow


class Change(NamedTuple):
    """What a call made of a slot, compared with an earlier call."""

    slot: str
    base: str
    """Id of the call that it is compared with; empty: with nothing (all of it is new)."""
    added: tuple[PieceRow, ...]
    removed: tuple[PieceRow | None, ...]
    """None for a removed piece whose row is missing."""
    changed: tuple[Changed, ...]
    moved: tuple[PieceRow, ...]
    """Pieces that stand elsewhere now."""
    unknown: int
    """Pieces of which the trail does not say whether they are new."""
    hidden: int = 0
    """Changes that redaction hides."""

    @property
    def same(self) -> bool:
        """True when the slot is as the call had it that it is compared with."""
        return bool(self.base) and not any(
            (self.added, self.removed, self.changed, self.moved, self.unknown, self.hidden)
        )


# --- calls ---------------------------------------------------------------------------------


class Asked(Protocol):
    """What a call asks its trail."""

    def saw(self, call: CallTrail, text: str, slot: str | None, source: str | None) -> Seen:
        """See `CallTrail.saw`."""
        ...


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider reported them. `input` includes those read from a cache."""

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None


@dataclass(frozen=True, slots=True)
class Pressure:
    """A slot, or the model's window, was over its cap or nearly."""

    slot: str
    """system, messages, tools, or `window`."""
    state: str
    """over or near."""
    cap: int | None
    used: int | None
    unit: str
    origin: str
    """default, declared or model; empty when the record does not say."""
    call: str = ""
    """Id of the call."""


@dataclass(frozen=True, slots=True)
class SlotState:
    """A slot of a call, as the call's span sums it up."""

    slot: SlotName
    used: int | None
    """In the unit of the budget."""
    cap: int | None
    """0: no cap."""
    pieces: int | None
    digest: str
    """SHA-256 over its rows, where this call composed it; else empty."""
    composer: str
    """Id of the call that composed the slot as it stands; empty when no record says."""
    over: bool | None
    origin: str
    """Of the cap: declared or default; empty when no record says."""
    planted: int = 0
    """Characters of the slot that the library planted into tools; a default cap does not count
    them."""

    @property
    def share(self) -> float | None:
        """How much of its cap is filled, 1 for all of it; None: no cap, or no record."""
        if self.counted is None or not self.cap:
            return None
        return self.counted / self.cap

    @property
    def more(self) -> int:
        """By how much it is over its cap."""
        return max(0, (self.counted or 0) - (self.cap or 0))

    @property
    def counted(self) -> int | None:
        """What its cap counts: all of `used`, of a default cap without what was planted."""
        if self.used is None or not self.cap or self.origin != "default":
            return self.used
        return max(0, self.used - self.planted)


@dataclass(frozen=True, slots=True, repr=False)
class CallTrail:
    """One model call: everything that carries its call id, merged."""

    id: str
    ledger: str
    turn: str
    """Id of the turn; empty when no record says."""
    trace_id: str
    span_id: str
    """Of the inference span; empty when it is missing."""
    parent_id: str
    start: int | None
    end: int | None
    whole: bool
    """True when the call's own record (its summary) is there."""
    foreign: str
    """Scope of the inference span when it is not ours; else empty."""
    attributes: Mapping[str, Any]
    """Of the inference span and of `record call`, merged; ours win."""
    model: str
    response_model: str
    provider: str
    dialect: str
    agent: str
    completeness: str
    unit: str
    slots: Mapping[SlotName, SlotState]
    pressures: tuple[Pressure, ...]
    usage: Usage
    finish_reasons: tuple[str, ...]
    first_token: float | None
    """Seconds until the first chunk; streams only."""
    chunks: int | None
    attempts: int
    error: str
    output: tuple[PieceRow | None, ...]
    """None in the place of pieces whose rows are missing."""
    output_extra: tuple[str, ...]
    """Of each output piece the null and empty keys that it left out, as JSON; or empty."""
    output_state: str
    """complete, cut or unread; empty when no record says."""
    params: str
    """Hash of the request's layout; empty when its record is missing."""
    params_of: str
    """Id of the call that recorded the layout; empty when no record says."""
    request_bytes: int | None
    seq: int | None
    gaps: tuple[Gap, ...] = ()
    """What is seen to be missing without putting anything together."""
    number: int | None = None
    """Number of the call in its turn, 1-based: the action. Where a turn was paused and went on, it
    counts on over its ledgers in order of their beginning. None where its id says none."""
    trail: Asked | None = field(default=None, compare=False)
    """The trail that it is in."""

    def __repr__(self) -> str:
        of = f" of turn {self.turn}" if self.turn else ""
        return f"<call {self.number or self.id}{of}: {self.model or 'model unknown'}>"

    def saw(self, text: str, slot: str | None = None, source: str | None = None) -> Seen:
        """Whether a text was in front of the model at this call.

        slot: system, messages or tools; None: any. source: `user`, `tool-result`, `fact` and so
        on; None: any. The answer is true or false in a condition, and says where. Asking for its
        truth raises TrailError where pieces could not be read and none of the others holds it.
        """
        if self.trail is None:
            raise TrailError("this call stands alone: its trail was not read with it")
        return self.trail.saw(self, text, slot, source)

    @property
    def duration(self) -> float | None:
        """Seconds; None while one of the times is missing."""
        return seconds(self.start, self.end)


@dataclass(frozen=True, slots=True)
class ToolTrail:
    """One tool call."""

    name: str
    call_id: str
    """The provider's id of the call; empty when it had none."""
    turn: str
    trace_id: str
    span_id: str
    parent_id: str
    start: int | None
    end: int | None
    error: str
    """Class of the error; empty for none."""
    arguments: str
    """Hash."""
    result: str
    """Hash."""
    seq: int | None
    ledger: str = ""
    """Empty when no record says."""

    @property
    def duration(self) -> float | None:
        """Seconds; None while one of the times is missing."""
        return seconds(self.start, self.end)


@dataclass(frozen=True, slots=True)
class AttachedTrail:
    """What stood under the answer of a call, as its record says."""

    call: str
    """Id of the call."""
    recorded: Recorded
    """`unread` counts what is lost of it, or no writer of ours files."""
    text: str | None
    """What was put behind the answer, byte for byte; None when that cannot be proved."""
    seq: int | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a person or a judge said of a turn."""

    name: str
    score: float | None
    label: str
    comment: str


class TurnPart(NamedTuple):
    """A turn from its beginning, or from where it went on, until it ended or was paused."""

    ledger: str
    start: int | None
    end: int | None
    outcome: str
    """`paused` where it was to go on later; empty: no record says."""
    resumes: bool
    """True when its record says that it goes on from an earlier part."""
    text: str | None
    """The person's words that it began with."""


@dataclass(frozen=True, slots=True)
class TurnTrail:
    """One request of a person until the answer."""

    id: str
    ledgers: tuple[str, ...]
    """Ids of its ledgers: one a process."""
    trace_ids: tuple[str, ...]
    span_ids: tuple[str, ...]
    """Of its `invoke_agent` spans, also of those that have not arrived yet."""
    parent_id: str
    parent_turn: str
    agent: str
    conversation: str
    user: str
    text: str | None
    """The person's words, of several parts the last ones; None when they are not on the trail."""
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    content: str
    """none, redacted or full; empty when no record says."""
    redacted: bool
    """True when a hook redacted the content of a turn in mode `full`."""
    store: str
    """URI of the content store that its large texts and media went to; empty: none."""
    key_id: str
    format: int | None
    action_budget: int | None
    started: bool
    """True when the record of its beginning is there."""
    outcome: str
    """Empty: open (still running, or the process died, or the last record is missing)."""
    implicit: bool
    error: str
    start: int | None
    end: int | None
    lost: int | None
    """Records that the writer knows to be lost."""
    calls: tuple[CallTrail, ...]
    tools: tuple[ToolTrail, ...]
    verdicts: tuple[Verdict, ...]
    gaps: tuple[Gap, ...] = ()
    parts: tuple[TurnPart, ...] = ()
    """In order of their beginning: one, and one more for each time that it was paused and went
    on."""

    @property
    def open(self) -> bool:
        """True while no record says how it ended."""
        return not self.outcome

    @property
    def duration(self) -> float | None:
        """Seconds; None while one of the times is missing."""
        return seconds(self.start, self.end)


@dataclass(slots=True)
class Node:
    """A node of the tree that a person looks at."""

    item: TurnTrail | CallTrail | ToolTrail | Span
    """A Span is one that is not ours."""
    start: int | None
    children: list[Node] = field(default_factory=list)


def seconds(start: int | None, end: int | None) -> float | None:
    """Seconds between two times in nanoseconds; None when one is missing or they are reversed."""
    if start is None or end is None or end < start:
        return None
    return (end - start) / 1e9
