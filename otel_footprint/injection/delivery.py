"""Delivery: a declared message enters the history once, at a place where a provider takes it.

A message is known by its injection's id and its content. It is put at the end of the history,
never between a tool call and its result, and never in front of anything that is there already.
What cannot be put in now waits, with the reason on the record, and is tried again at each
boundary; the other messages of the same injection wait behind it, those of others do not. What
has waited for three boundaries in a row, or can never be carried, is said to be stuck, once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from ..records.injection import Deferred, Delivered, Stuck
from ..records.plan import AddMessage, Place
from ..records.view import MessageView
from .history import side, side_of
from .pieces import Injection

STUCK_AFTER: Final = 3
"""Boundaries in a row after which a waiting message is said to be stuck."""
CARRIES: Final = frozenset({"user", "assistant"})
"""Roles that a provider takes among its messages when nobody knows better."""

Why = Literal["unanswered-tool-call", "role-collision", "role-not-carried", "role-not-last"]


class Delivery(NamedTuple):
    """What a boundary did with the active messages."""

    edits: tuple[AddMessage, ...]
    notes: tuple[Delivered | Deferred | Stuck, ...]
    delivered: frozenset[str]
    """Keys of all that is in the history now."""
    waits: Mapping[str, int]
    """Boundaries in a row that each waiting message has waited."""


def deliver(
    active: Sequence[Injection],
    history: Sequence[MessageView],
    end: Place,
    *,
    delivered: frozenset[str] = frozenset(),
    waits: Mapping[str, int] | None = None,
    carries: Collection[str] = CARRIES,
    closes: Collection[str] | None = None,
    action: int = 0,
) -> Delivery:
    """Lets the messages of active pieces in, in the order of their declaration.

    `history` is what will be sent, `end` the place behind the caller's last message. `carries` are
    the roles that the provider takes among its messages, `closes` those with which a request may
    end (None: all it carries). A message that `history` already holds under its source and id (a
    restored conversation, a framework that keeps our messages) counts as delivered.
    """
    pending = [p for p in active if any(m.key not in delivered for m in p.messages)]
    if not pending:
        return Delivery((), (), delivered, {})
    before = waits or {}
    found = delivered | _recovered(pending, history)
    edits: list[AddMessage] = []
    notes: list[Delivered | Deferred | Stuck] = []
    waiting: dict[str, int] = {}
    tail = side(history[-1]) if history else ""
    blocked = has_unanswered(history)
    for piece in pending:
        for message in piece.messages:
            key = message.key
            if key in found:
                continue
            why = _obstacle(message.role, tail, blocked, carries, closes)
            if why is not None:
                count = before.get(key, 0) + 1
                waiting[key] = count
                notes += _deferred(piece, message.role, why, count)
                break
            index = len(history) + len(edits)
            edits.append(AddMessage(end, message.role, message.text, piece.cause, key, action))
            notes.append(Delivered(piece.source, piece.id, message.role, index, key))
            found |= {key}
            tail = side_of(message.role)
    return Delivery(tuple(edits), tuple(notes), found, waiting)


def has_unanswered(history: Sequence[MessageView]) -> bool:
    """True while a tool call in the history has no result there."""
    asked: set[str] = set()
    for view in history:
        if view.call_ids:
            asked.update(view.call_ids)
        if view.answers:
            asked.difference_update(view.answers)
    return bool(asked)


def _recovered(pieces: Sequence[Injection], history: Sequence[MessageView]) -> frozenset[str]:
    held = {(view.source, view.id, view.role, view.text) for view in history if view.id}
    if not held:
        return frozenset()
    return frozenset(
        message.key
        for piece in pieces
        for message in piece.messages
        if (piece.source, piece.id, message.role, message.text) in held
    )


def _obstacle(
    role: str, tail: str, blocked: bool, carries: Collection[str], closes: Collection[str] | None
) -> Why | None:
    if role not in carries:
        return "role-not-carried"
    if closes is not None and role not in closes:
        return "role-not-last"
    if blocked:
        return "unanswered-tool-call"
    return "role-collision" if tail == side_of(role) else None


def _deferred(piece: Injection, role: str, why: Why, count: int) -> tuple[Deferred | Stuck, ...]:
    note = _NOTES[why].format(role=role, other="assistant" if role == "user" else "user")
    waits = Deferred(piece.source, piece.id, role, why, note, count)
    never = why in ("role-not-carried", "role-not-last")
    if count == STUCK_AFTER or (never and count == 1):
        return waits, Stuck(piece.source, piece.id, role, why, count, note)
    return (waits,)


_NOTES: Final[Mapping[Why, str]] = {
    "unanswered-tool-call": "a tool call in the history has no result yet",
    "role-collision": "the history ends with role {role}; in a loop that always does, role "
    "{other} or slot system gets it in",
    "role-not-carried": "the provider does not carry role {role} among its messages; slot system "
    "gets it in",
    "role-not-last": "the provider takes no request that ends with role {role}; slot system gets "
    "it in",
}
