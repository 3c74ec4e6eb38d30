"""Rounds of a history, and why one of them may not leave."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from ..records.injection import Refusal, RefusalReason
from .history import Entry


class Round(NamedTuple):
    """A message and the tool results after it: entries `start` to `end` (not included).

    Consecutive messages of the assistant are one round, because some providers write each tool
    call as a message of its own.
    """

    start: int
    end: int


def rounds_of(entries: Sequence[Entry]) -> list[Round]:
    """The history in rounds. A leading tool result is a round of its own."""
    starts: list[int] = []
    previous = ""
    for at, entry in enumerate(entries):
        view = entry.view
        kind = "result" if view.is_result else view.role
        joins = kind == "result" or (kind == previous == "assistant")
        if not joins or not starts:
            starts.append(at)
        previous = kind
    bounds = [*starts, len(entries)]
    return [Round(start, end) for start, end in pairwise(bounds)]


class Guards(NamedTuple):
    """What must stay, found in one pass over the history."""

    request: int | None
    """Index of the current request: what the person asked for last."""
    asked: dict[str, int]
    """Round of each tool call, by its id."""
    answered: dict[str, int]
    """Round of each tool result, by the id of its call."""
    pinned: frozenset[int]
    """Rounds that hold the newest result of a tool."""


def guards_of(
    entries: Sequence[Entry], rounds: Sequence[Round], text: str, pins: int, limit: int
) -> Guards:
    """Finds what must stay.

    `text` is the person's words of this turn: the last message of a person that is equal to it is
    the current request, else the last message of a person. `pins` newest tool results are pinned,
    counted in rounds, among those behind the request and before round `limit`.
    """
    asked: dict[str, int] = {}
    answered: dict[str, int] = {}
    newest: dict[str, int] = {}
    request = said = None
    for number, (start, end) in enumerate(rounds):
        for at in range(start, end):
            view = entries[at].view
            if view.person:
                said = at
                if text and view.text == text:
                    request = at
            for call in view.call_ids:
                asked[call] = number
            for call in view.answers:
                answered[call] = number
            if view.is_result:
                for tool in view.tools:
                    newest[tool] = number
    request = said if request is None else request
    after = -1 if request is None else request
    held = sorted({n for n in newest.values() if n < limit and rounds[n].start > after})
    return Guards(request, asked, answered, frozenset(held[-pins:] if pins else ()))


def refusal_of(
    number: int,
    round_: Round,
    entries: Sequence[Entry],
    guards: Guards,
    paused: Collection[str] = (),
) -> Refusal | None:
    """Why a round may not leave: the first reason that applies; None when it may."""
    reason = _reason(number, round_, entries, guards, paused)
    return None if reason is None else Refusal(reason, number, round_.start)


def _reason(
    number: int, round_: Round, entries: Sequence[Entry], guards: Guards, paused: Collection[str]
) -> RefusalReason | None:
    views = [entries[at].view for at in range(round_.start, round_.end)]
    if guards.request is not None and round_.start <= guards.request < round_.end:
        return "current-request"
    if any(view.role in ("system", "developer") for view in views):
        return "system-envelope"
    calls = [call for view in views for call in view.call_ids]
    if any(call in paused for call in calls):
        return "paused-tool"
    if any(guards.answered.get(call) != number for call in calls):
        return "unresolved-tool-call"
    if any(guards.asked.get(call, number) != number for view in views for call in view.answers):
        return "unresolved-tool-call"
    return "last-tool-result" if number in guards.pinned else None


def leaving(
    entries: Sequence[Entry],
    rounds: Sequence[Round],
    limit: int,
    guards: Guards,
    paused: Collection[str] = (),
) -> tuple[Round | None, tuple[Refusal, ...]]:
    """What may leave: the oldest round that may, and those that follow it without a gap.

    Never one from round `limit` on. Also says why the rounds before it, and the one that ends it,
    stay.
    """
    refusals: list[Refusal] = []
    start = end = None
    for number in range(limit):
        refusal = refusal_of(number, rounds[number], entries, guards, paused)
        if refusal is None:
            start = rounds[number].start if start is None else start
            end = rounds[number].end
            continue
        refusals.append(refusal)
        if start is not None:
            break
    if start is None or end is None:
        return None, tuple(refusals)
    return Round(start, end), tuple(refusals)
