"""The edit plan: what is to be changed in one request, and under its answer, as pure data.

Injection, arguments and scripts fill it, `run` merges the parts, and each adapter applies it to
its own request type without touching anything else. A plan that is false changes nothing: the
adapter then hands on the very same object. Each edit says by what it was caused.

Edits of history (`HistoryEdit`) name a place in the *caller's own* list of messages, before any
edit, and are made again at the same place on each later call, because the caller's list comes
back without them. An adapter whose framework keeps edited messages in its own history says so,
gets each of them once, and sees them come back as part of the list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")
Slot: TypeAlias = str
"""system, messages or tools."""


class Cause(NamedTuple):
    """What let a piece in, or what made an edit: the same fields for both."""

    source: str
    """An engineered source (fact, steering, ...), `procedure`, `window`, `arguments`, `scripts`."""
    id: str
    """Id of the injection, the skill or the strategy."""
    reason: str
    """Why, in words of the author or of the library."""
    trigger: str = ""
    """Which trigger let it in, for example `always` or `tool return: lookup`."""
    score: float | None = None
    """Retrieval score as the application handed it in; so are rank and threshold."""
    rank: int | None = None
    threshold: float | None = None


def plain_reason(source: str, id_: str) -> str:
    """The reason of a piece that was declared without one."""
    return f"{source} {id_} active"


class Place(NamedTuple):
    """A place in the caller's own messages."""

    position: int
    """How many of the caller's own messages stand before it."""
    after: str = ""
    """Key of the message just before it; empty at the head, or when keys are not known."""


# --- slot system -----------------------------------------------------------------------------


class AppendSystem(NamedTuple):
    """Puts a text behind the system prompt, as a fragment of its own."""

    text: str
    by: Cause


# --- slot messages: history ------------------------------------------------------------------


class AddMessage(NamedTuple):
    """Puts a message in at a place."""

    at: Place
    role: str
    text: str
    by: Cause
    key: str = ""
    """Key of the delivery; equal for the same declared message."""
    action: int = 0
    """The action at which it was put in."""


class ReplaceMessage(NamedTuple):
    """Gives the message that follows a place another text."""

    at: Place
    text: str
    by: Cause
    key: str = ""
    """Key of the message that is replaced."""


class RemoveMessage(NamedTuple):
    """Leaves out the message that follows a place."""

    at: Place
    by: Cause
    key: str = ""
    """Key of the message that is left out."""


class AppendToResult(NamedTuple):
    """Puts a text behind the result of a tool call."""

    call_id: str
    text: str
    by: Cause


class ReplaceResult(NamedTuple):
    """Gives the result of a tool call another text."""

    call_id: str
    text: str
    by: Cause


ResultEdit: TypeAlias = AppendToResult | ReplaceResult
HistoryEdit: TypeAlias = (
    AddMessage | ReplaceMessage | RemoveMessage | AppendToResult | ReplaceResult
)


# --- slot tools ------------------------------------------------------------------------------


class OfferTool(NamedTuple):
    """Offers a tool; replaces a tool of ours that stands in the request under this name."""

    name: str
    description: str
    schema: Mapping[str, Any] | None
    """JSON schema of its arguments; None: `raw` knows it."""
    by: Cause
    raw: Any = None
    """The tool as the author declared it, in the framework's own type."""


class WithholdTool(NamedTuple):
    """Takes a tool out of the offer of this request; it stays where it is registered."""

    name: str
    by: Cause


class DescribeTool(NamedTuple):
    """Puts a text in front of a tool's description, in a copy of the tool."""

    name: str
    prefix: str
    by: Cause


class PlantArgument(NamedTuple):
    """Adds an argument to a tool's schema, in a copy of the tool."""

    tool: str
    name: str
    schema: Mapping[str, Any]
    by: Cause
    required: bool = False


ToolEdit: TypeAlias = OfferTool | WithholdTool | DescribeTool | PlantArgument


# --- marks and answers -----------------------------------------------------------------------


class CacheMark(NamedTuple):
    """Marks the end of a prefix to be cached; stands beside the piece, outside its hash."""

    slot: Slot
    at: int
    """Index of the piece in the slot as it leaves, after all other edits; -1: the last one."""
    by: Cause


class EndAnswer(NamedTuple):
    """Puts a text under the last text of an answer, in a copy of the same type."""

    text: str
    by: Cause


class Plan(NamedTuple):
    """All edits of one request, in order of application."""

    system: tuple[AppendSystem, ...] = ()
    history: tuple[HistoryEdit, ...] = ()
    tools: tuple[ToolEdit, ...] = ()
    marks: tuple[CacheMark, ...] = ()

    def __bool__(self) -> bool:
        """False for a plan that changes nothing."""
        return any(self)

    def merged(self, other: Plan) -> Plan:
        """This plan and then the other."""
        if not other:
            return self
        return Plan(
            self.system + other.system,
            self.history + other.history,
            self.tools + other.tools,
            self.marks + other.marks,
        )


NOTHING = Plan()
"""The plan that changes nothing."""


def rebuilt(
    elements: Sequence[T],
    edits: Sequence[HistoryEdit],
    make: Callable[[AddMessage], T],
    reworded: Callable[[T, str], T],
) -> list[T]:
    """The caller's messages with the edits of `Plan.history` made; the list itself is untouched.

    `make` gives a message of ours in the request's own type, `reworded` a copy of a message with
    another text. Edits of tool results are left to the caller, who knows where results stand.
    """
    adds: dict[int, list[T]] = {}
    removed: set[int] = set()
    texts: dict[int, str] = {}
    for edit in edits:
        if isinstance(edit, AddMessage):
            adds.setdefault(edit.at.position, []).append(make(edit))
        elif isinstance(edit, RemoveMessage):
            removed.add(edit.at.position)
        elif isinstance(edit, ReplaceMessage):
            texts[edit.at.position] = edit.text
    out: list[T] = []
    for position, element in enumerate(elements):
        out += adds.get(position, ())
        if position not in removed:
            text = texts.get(position)
            out.append(element if text is None else reworded(element, text))
    return out + adds.get(len(elements), [])


def locate(at: Place, keys: Sequence[str]) -> int | None:
    """The index of a place in the caller's messages of a later call, whose keys are given.

    The place is where it was when the message before it is the same. When the caller has dropped
    or added messages before it, it follows the message it stood behind (the last one with that
    key); None when that message is gone. A place at the head, or without a key, stays at its
    index while the list is long enough.
    """
    if not at.after:
        return at.position if at.position <= len(keys) else None
    if 0 < at.position <= len(keys) and keys[at.position - 1] in (at.after, ""):
        return at.position
    for index in range(len(keys), 0, -1):
        if keys[index - 1] == at.after:
            return index
    return None
