"""The boundary in front of a model call: everything above, in order, as one pure step.

The order: the caller's history with the edits that stand; the window; auto-activations; the tenure
of a procedure; evaluation; delivery; the offer of tools; the cacheable prefix; the plan.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..records.injection import Abandoned, CacheBroken, Note, Removed
from ..records.plan import (
    NOTHING,
    AddMessage,
    AppendSystem,
    AppendToResult,
    HistoryEdit,
    Plan,
    ReplaceResult,
)
from ..records.view import MessageView
from . import cache, sent
from .context import Context, Position
from .declared import Declared
from .delivery import Delivery, deliver
from .evaluate import Active, Evaluation, ask, evaluate, is_awaitable, judge, raised
from .facts import CallFacts, needs_tools
from .history import Entry, History, place_at
from .procedures.offer import NO_OFFER, Offer, offer
from .procedures.pointer import current_step, rekey, remaining
from .procedures.settle import activated, listed_skills
from .state import State
from .strategies import Strategy
from .window import Look, Summary, Visit, visit, wants_summary


class Boundary(NamedTuple):
    """What a boundary decided."""

    state: State
    plan: Plan
    notes: tuple[Note, ...] = ()
    active: tuple[Active, ...] = ()


class Await(NamedTuple):
    """Asks the driver to await a predicate's answer and to send it (or the exception) back."""

    awaitable: Awaitable[Any]


class Summarise(NamedTuple):
    """Asks the driver to call the application's summariser and to send a `Summary` back."""

    summariser: Callable[..., Any]
    text: str


Need = Await | Summarise
Steps = Generator[Need, Any, Boundary]


def is_idle(declared: Declared, state: State) -> bool:
    """True when nothing is declared and no edit stands: the request goes on as it is."""
    return not declared and not state.history


def keep(state: State, edits: Iterable[HistoryEdit]) -> State:
    """The state in which edits of history stand: they are made at each boundary from now on.

    For the edits that `settle` made and that the caller could not put into the results at once.
    """
    more = tuple(edits)
    return replace(state, history=(*state.history, *more)) if more else state


def nudge_edits(
    messages: Sequence[MessageView], answer: str, nudge: str, by: Any, action: int
) -> tuple[AddMessage, AddMessage]:
    """The premature answer and the nudge behind the caller's history, for a loop without its own.

    `messages` are those of the request that the answer answers.
    """
    at = place_at(messages, len(messages))
    return (
        AddMessage(at, "assistant", answer, by._replace(reason="the premature answer"), "", action),
        AddMessage(at, "user", nudge, by, "", action),
    )


def steps(declared: Declared, state: State, facts: CallFacts) -> Steps:
    """The boundary, as steps that a sync or an async driver walks (see `drive`)."""
    if is_idle(declared, state):
        return Boundary(state, NOTHING)
    notes: list[Note] = []
    state = replace(state, action=facts.action)
    history = History(facts.messages, state.history)
    notes += [_lost(edit, facts) for edit in history.lost if isinstance(edit, AddMessage)]
    state = replace(state, history=history.edits)
    if declared.window is not None:
        seen = yield from _window(declared.window, state, facts, history.entries)
        if seen is not None:
            notes += seen.notes
            if seen.removed:
                notes.append(_broken_by_window(seen, history.entries))
                state, history = _after_visit(state, facts, seen)
            state = replace(state, window=seen.state)
    views: Sequence[MessageView] = history if history.edits else facts.messages
    state = yield from _activate(declared, state, _context(state, facts, views), notes)
    state = _tenure(declared, state, facts, notes)
    ctx = _context(state, facts, views, declared)
    found = yield from _evaluated(declared, state, ctx)
    notes += found.skipped
    delivery = _delivered(found.active, state, facts, views)
    notes += delivery.notes
    offered = offer(
        declared, found.active, state.pointer, facts.tools,
        dispatch=facts.dispatch, listed=listed_skills(declared, state),
    ) if needs_tools(declared) else NO_OFFER  # fmt: skip
    state = _told(state, offered, notes)
    ranked = cache.stable_first(found.active, ctx)
    now = sent.prefixes(declared, facts, ranked, offered)
    notes += sent.breaks(state.prefixes, now)
    history_edits = (*state.history, *delivery.edits)
    state = replace(
        state,
        results=(),
        delivered=delivery.delivered,
        waits=delivery.waits,
        history=() if facts.persists else history_edits,
        prefixes=now,
    )
    plan = Plan(
        tuple(AppendSystem(one.active.text or "", one.active.by) for one in ranked),
        history_edits,
        offered.edits,
        sent.marks_of(declared, facts, ranked, offered, views, len(delivery.edits)),
    )
    return Boundary(state, plan if plan else NOTHING, tuple(notes), found.active)


# --- history and window ------------------------------------------------------------------------


def _window(
    strategy: Strategy, state: State, facts: CallFacts, entries: Sequence[Entry]
) -> Generator[Need, Any, Visit | None]:
    look = Look(
        facts.action, facts.text, facts.measured, facts.measured_action, facts.paused,
        facts.user_first, facts.alternates, facts.now,
    )  # fmt: skip
    summary: Summary | None = None
    text = wants_summary(strategy, entries, state.window, look)
    if text is not None and strategy.summariser is not None:
        summary = yield Summarise(strategy.summariser, text)
    return visit(strategy, entries, state.window, look, facts.messages, summary)


def _after_visit(state: State, facts: CallFacts, seen: Visit) -> tuple[State, History]:
    gone = {id(entry.edit) for entry in seen.removed if entry.edit is not None}
    calls = {call for entry in seen.removed for call in entry.view.answers}
    kept = tuple(
        edit
        for edit in state.history
        if id(edit) not in gone
        and not (isinstance(edit, AppendToResult | ReplaceResult) and edit.call_id in calls)
    )
    bodies = {skill: call for skill, call in state.bodies.items() if call not in calls}
    history = History(facts.messages, (*kept, *seen.edits))
    return replace(state, history=history.edits, bodies=bodies), history


def _lost(edit: AddMessage, facts: CallFacts) -> Removed:
    survival = max(0, facts.action - max(1, edit.action))
    return Removed(edit.key, edit.by.source, edit.by.id, "place-lost", survival, None, edit.by)


def _broken_by_window(seen: Visit, entries: Sequence[Entry]) -> CacheBroken:
    first = entries.index(seen.removed[0])
    return CacheBroken("messages", first, "window", "removed", len(entries) - first)


# --- skills and procedures ---------------------------------------------------------------------


def _activate(
    declared: Declared, state: State, ctx: Context, notes: list[Note]
) -> Generator[Need, Any, State]:
    for id_, trigger in declared.autos:
        if id_ in state.activated or id_ in state.parked:
            continue
        answer = ask(trigger, ctx)
        if is_awaitable(answer):
            answer = yield Await(answer)
        verdict = judge(answer)
        if verdict is True:
            state = activated(state, id_)
        elif verdict is not False:
            notes.append(raised(declared.skills[id_], verdict))
    return state


def _tenure(declared: Declared, state: State, facts: CallFacts, notes: list[Note]) -> State:
    if not declared.plans:
        return state
    tenant = None
    if facts.dispatch:
        tenant = next((i for i in reversed(state.activated) if i not in state.parked), None)
    prior = state.pointer
    pointer = rekey(prior, tenant, declared.plans)
    if pointer is prior:
        return state
    if prior is not None:
        left = remaining(prior, declared.plans.get(prior.skill))
        if left:
            notes.append(
                Abandoned(prior.skill, prior.step, prior.total, left, tenant or "", facts.action)
            )
    return replace(state, pointer=pointer, concluded=False)


def _context(
    state: State,
    facts: CallFacts,
    views: Sequence[MessageView],
    declared: Declared | None = None,
) -> Context:
    position = None
    pointer = state.pointer
    if declared is not None and pointer is not None:
        plan = declared.plans.get(pointer.skill)
        step = current_step(pointer, plan)
        if plan is not None and step is not None:
            position = Position(plan.skill, pointer.step, plan.total, step.tool)
    return Context(
        facts.action, facts.action_budget, facts.context_remaining, facts.text, views,
        state.results, state.called, state.activated, position, facts.metadata,
    )  # fmt: skip


def _evaluated(declared: Declared, state: State, ctx: Context) -> Generator[Need, Any, Evaluation]:
    verdicts: dict[str, Any] = {}
    for id_, trigger in declared.rules:
        if id_ not in state.parked:
            answer = ask(trigger, ctx)
            verdicts[id_] = (yield Await(answer)) if is_awaitable(answer) else answer
    return evaluate(declared, ctx, parked=state.parked, told=state.bodies, verdicts=verdicts)


def _delivered(
    active: Sequence[Active], state: State, facts: CallFacts, views: Sequence[MessageView]
) -> Delivery:
    pieces = [one.piece for one in active if one.piece.messages]
    if all(message.key in state.delivered for piece in pieces for message in piece.messages):
        return Delivery((), (), state.delivered, {})
    return deliver(
        pieces, views, place_at(facts.messages, len(facts.messages)),
        delivered=state.delivered, waits=state.waits, carries=facts.carries,
        closes=facts.closes, action=facts.action,
    )  # fmt: skip


def _told(state: State, offered: Offer, notes: list[Note]) -> State:
    new = [one for one in offered.withheld if f"{one.tool} {one.reason}" not in state.withheld]
    if not new:
        return state
    notes += new
    return replace(state, withheld=state.withheld | {f"{one.tool} {one.reason}" for one in new})
