"""What injection reports to the trail: one record for each thing that happened, as plain values.

Each docstring names the event it becomes; `telemetry.names` holds the attributes of each field.
What was let in stands on the edits of the plan themselves (`Cause`); these are the other facts.
A record speaks of the boundary at which it was made: the action is that of the call that follows
(or, for steps, of the call whose tools came back).
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from .plan import Cause

SkipReason = Literal[
    "parked",
    "missing-fact",
    "trigger-raised",
    "async-trigger",
    "unknown-trigger",
    "no-text",
]
"""Why a piece was not let in: a person parked it; a fact of its template was unavailable; its
predicate raised; its predicate gave an awaitable where nothing can be awaited; its trigger is of
no known kind; a door refused its text."""


class Skipped(NamedTuple):
    """`footprint.context.skipped`: a piece was not let in, and why.

    A trigger that says no is not a skip; the piece is then simply not active.
    """

    source: str
    id: str
    reason: SkipReason
    error: str = ""
    """The missing facts in braces, or type and text of the exception."""


class Withheld(NamedTuple):
    """`footprint.offer.withheld`: a tool that was not offered, and why."""

    tool: str
    reason: Literal["no-dispatcher", "name-taken", "not-in-request"]
    """No call of it would pass through us; another tool has the name; the current step's tool is
    not among the tools of the request."""
    source: str
    id: str


class Delivered(NamedTuple):
    """A declared message went into the history (`footprint.context.injected`, slot messages)."""

    source: str
    id: str
    role: str
    at: int
    """Its index in the messages of the request that follows."""
    key: str


class Deferred(NamedTuple):
    """`footprint.delivery.deferred`: a declared message has to wait for a later boundary."""

    source: str
    id: str
    role: str
    reason: Literal["unanswered-tool-call", "role-collision", "role-not-carried", "role-not-last"]
    note: str
    """What stood in the way, and what the author may do about it."""
    boundaries: int
    """How many boundaries in a row it has waited, with this one."""


class Stuck(NamedTuple):
    """`footprint.delivery.stuck`: it has waited for three boundaries, or can never be carried.

    We go on trying, and say so once.
    """

    source: str
    id: str
    role: str
    reason: str
    boundaries: int
    note: str


class Removed(NamedTuple):
    """`footprint.context.removed`: a message left the history that is sent."""

    key: str
    """Key of its view, see `MessageView.key`."""
    source: str
    id: str
    reason: Literal["window", "place-lost"]
    """A window strategy took it out; the caller dropped the messages around a piece of ours."""
    survival: int
    """Calls of this turn that it was sent with."""
    survival_ms: float | None
    by: Cause


RefusalReason = Literal[
    "current-request",
    "system-envelope",
    "paused-tool",
    "unresolved-tool-call",
    "last-tool-result",
    "inside-keep-window",
    "only-existing-summary",
    "no-summary",
    "summariser-failed",
    "replacement-not-smaller",
    "roles-collide",
    "unmeasured",
    "stale-reading",
]


class Refusal(NamedTuple):
    """Why one round of the history could not leave (or, with round -1, why nothing could)."""

    reason: RefusalReason
    round: int
    at: int
    """Index of its first message in the history as sent."""
    note: str = ""


class WindowVisit(NamedTuple):
    """A window strategy looked at the history; `footprint.window.refused` when it has refusals."""

    strategy: str
    action: int
    removed: int
    chars_before: int
    chars_after: int
    refusals: tuple[Refusal, ...] = ()
    measured: int | None = None
    """Input tokens of the last call as the provider reported them."""
    threshold: int | None = None
    stood_down: bool = False
    """True when the pins on newest tool results stood down for this visit."""


class CacheBroken(NamedTuple):
    """`footprint.cache.broken`: the cacheable prefix of a slot is not that of the previous call."""

    slot: str
    at: int
    """Index of the first piece that differs."""
    id: str
    """The piece now at that index, or the one that was there when it left."""
    cause: Literal["changed", "inserted", "removed", "reordered"]
    lost: int
    """Cacheable pieces of the previous call from there on, whose cached prefix is of no use now."""


class StepAdvanced(NamedTuple):
    """`footprint.step.advanced`: the current step's tool ran clean."""

    skill: str
    step: int
    total: int
    tool: str
    note: str
    action: int
    call_id: str
    completed: bool
    """True when it was the last step."""


class StepSkipped(NamedTuple):
    """`footprint.step.skipped`: the model skipped a step, with its reason."""

    skill: str
    step: int
    total: int
    tool: str
    note: str
    reason: str
    policy: Literal["advance", "hold"]
    action: int
    call_id: str


class Remaining(NamedTuple):
    """A step that is not done: the current one and those behind it."""

    step: int
    tool: str
    note: str


UnfinishedHow = Literal["nudged", "accepted", "cut-short"]


class StepsUnfinished(NamedTuple):
    """`footprint.steps.unfinished`: an answer was given, or the turn ended, with steps left."""

    skill: str
    total: int
    remaining: tuple[Remaining, ...]
    how: UnfinishedHow
    reason: Literal[
        "answered-early",
        "nudge-spent",
        "cannot-continue",
        "action-budget",
        "loop-limit",
        "unanswered-tool-call",
        "failed",
    ]
    """nudged: answered early. accepted: the one nudge was spent, or no other model call can be
    started from here. cut-short: what ended the turn."""
    action: int


class Abandoned(NamedTuple):
    """`footprint.procedure.abandoned`: a procedure lost the tenure with steps left."""

    skill: str
    step: int
    total: int
    remaining: tuple[Remaining, ...]
    by: str
    """The skill that took over; empty when there is none."""
    action: int


class DoorRefused(NamedTuple):
    """`footprint.context.skipped` with a door: a text that is no text was stopped at a door."""

    door: str
    id: str
    problem: str


Note: TypeAlias = (
    Skipped
    | Withheld
    | Delivered
    | Deferred
    | Stuck
    | Removed
    | WindowVisit
    | CacheBroken
    | StepAdvanced
    | StepSkipped
    | StepsUnfinished
    | Abandoned
    | DoorRefused
)
