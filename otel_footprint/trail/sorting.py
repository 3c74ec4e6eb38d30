"""Spans sorted by what they are to us: of a call, a turn, a tool call, or not ours."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from ..records.trail import Event, Span
from ..telemetry import names
from . import values

Role = Literal[
    "turn", "started", "ended", "call", "foreign call", "record", "compose", "layout", "output",
    "events", "tool", "feedback", "foreign",
]  # fmt: skip
Parts = dict[int, values.Attributes]


class CallBundle:
    """Everything that carries one call id."""

    __slots__ = ("composed", "id", "of", "output", "output_of", "spans")

    def __init__(self, id_: str) -> None:
        self.id = id_
        self.spans: list[tuple[Role, Span]] = []
        self.composed: dict[str, Parts] = {}
        """Parts of each slot that changed."""
        self.of: dict[str, int] = {}
        """How many parts there were, by slot."""
        self.output: Parts = {}
        self.output_of = 0

    @property
    def ledger(self) -> str:
        """Id of the ledger, from the call's id."""
        return self.id.rpartition(".")[0]

    def having(self, role: Role) -> list[Span]:
        """Its spans of one role, in the order of arrival."""
        return [span for found, span in self.spans if found == role]


class TurnBundle:
    """Everything that carries one turn id, but for calls and tool calls."""

    __slots__ = ("ended", "feedback", "id", "spans", "started")

    def __init__(self, id_: str) -> None:
        self.id = id_
        self.spans: list[Span] = []
        self.started: list[Span] = []
        self.ended: list[Span] = []
        self.feedback: list[Span] = []

    @property
    def all(self) -> list[Span]:
        """Beginning, own spans and ends."""
        return [*self.started, *self.spans, *self.ended]


class Sorted:
    """A trail's spans, sorted."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self.calls: dict[str, CallBundle] = {}
        self.turns: dict[str, TurnBundle] = {}
        self.tools: list[Span] = []
        self.layouts: dict[tuple[str, str], Parts] = {}
        """Parts of layouts, by hash and the call that wrote them."""
        self.layout_of: dict[tuple[str, str], int] = {}
        self.roles: list[tuple[Role, Span]] = []
        for span in spans:
            role = role_of(span)
            self.roles.append((role, span))
            self._put(role, span)

    def call(self, id_: str) -> CallBundle:
        """The bundle of a call."""
        return self.calls.setdefault(id_, CallBundle(id_))

    def turn(self, id_: str) -> TurnBundle:
        """The bundle of a turn."""
        return self.turns.setdefault(id_, TurnBundle(id_))

    def _put(self, role: Role, span: Span) -> None:
        turn = values.text(span.attributes, names.TURN_ID)
        if role == "foreign":
            return
        if role == "tool":
            self.tools.append(span)
        elif role == "turn":
            self.turn(turn).spans.append(span)
        elif role == "started":
            self.turn(turn).started.append(span)
        elif role == "ended":
            self.turn(turn).ended.append(span)
        elif role == "feedback":
            self.turn(turn).feedback.append(span)
        else:
            self._put_call(role, span)

    def _put_call(self, role: Role, span: Span) -> None:
        call = self.call(values.text(span.attributes, names.CALL_ID))
        call.spans.append((role, span))
        if role == "compose":
            slot = slot_of(span)
            if slot:
                call.composed.setdefault(slot, {})
                call.of[slot] = max(call.of.get(slot, 1), _part(span.attributes, {})[1])
        for event in span.events:
            self._put_event(call, span, event)

    def _put_event(self, call: CallBundle, span: Span, event: Event) -> None:
        number, of = _part(event.attributes, span.attributes)
        if event.name == names.EVENT_COMPOSED:
            slot = values.text(event.attributes, names.SLOT) or slot_of(span)
            call.composed.setdefault(slot, {}).setdefault(number, event.attributes)
            call.of[slot] = max(call.of.get(slot, 1), of, number)
        elif event.name == names.EVENT_OUTPUT:
            call.output.setdefault(number, event.attributes)
            call.output_of = max(call.output_of, of, number)
        elif event.name == names.EVENT_PARAMS:
            hash_ = values.text(event.attributes, names.PARAMS) or values.text(
                span.attributes, names.PARAMS
            )
            key = (hash_, call.id)
            self.layouts.setdefault(key, {}).setdefault(number, event.attributes)
            self.layout_of[key] = max(self.layout_of.get(key, 1), of, number)


def slot_of(span: Span) -> str:
    """The slot of a `compose` span, by its name; of what stands in for one, by its attribute."""
    named = values.text(span.attributes, names.SLOT)
    return named or span.name.removeprefix(names.SPAN_COMPOSE + " ")


def _part(first: values.Attributes, second: values.Attributes) -> tuple[int, int]:
    """Number of the part and how many there are; 1 of 1 when nothing says so."""
    part = values.integer(first, names.PART) or values.integer(second, names.PART) or 1
    parts = values.integer(first, names.PARTS) or values.integer(second, names.PARTS) or 1
    return max(1, min(part, 100_000)), max(1, min(parts, 100_000))


def role_of(span: Span) -> Role:
    """What a span is to us. By its attributes and events first, since names may be rewritten."""
    attributes = span.attributes
    if values.text(attributes, names.CALL_ID):
        return _role_in_call(span)
    operation: Any = attributes.get(names.OPERATION)
    if not values.text(attributes, names.TURN_ID):
        is_tool = operation == names.SPAN_TOOL or names.TOOL_HASHES in attributes
        return "tool" if is_tool and _is_ours(span) else "foreign"
    if span.name == names.SPAN_TURN_ENDED:
        return "ended"
    if span.name == names.SPAN_TURN_STARTED:
        return "started"
    if operation == names.SPAN_TOOL and _is_ours(span):
        return "tool"
    if names.LEDGER in attributes or operation == names.SPAN_TURN:
        return "turn"
    if any(e.name == names.EVALUATION for e in span.events) or span.name == names.SPAN_FEEDBACK:
        return "feedback"
    return "foreign"


def _is_ours(span: Span) -> bool:
    """By its scope; by what only our records carry where a store lost the scope."""
    return span.scope == names.SCOPE or (not span.scope and names.SEQ in span.attributes)


def _role_in_call(span: Span) -> Role:
    events = {e.name for e in span.events}
    ours = span.scope in (names.SCOPE, "")
    if names.EVENT_PARAMS in events or (ours and span.name == names.SPAN_PARAMETERS):
        return "layout"
    if names.EVENT_COMPOSED in events or (ours and span.name.startswith(names.SPAN_COMPOSE + " ")):
        return "compose"
    if not ours:
        return "foreign call"
    if span.name == names.SPAN_CALL_RECORD:
        return "record"
    if span.name == names.SPAN_EVENTS:
        return "events"
    if span.name == names.SPAN_OUTPUT or not span.name:
        return "output"
    if span.scope == "" and names.SLOT_DIGESTS not in span.attributes:
        return "foreign call"
    return "call"
