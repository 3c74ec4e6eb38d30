"""How a procedure with steps left ends: one nudge, an accepted answer, or a turn cut short."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from ...records.injection import StepsUnfinished
from ...records.plan import Cause
from ...records.view import MessageView
from ..declared import Declared
from ..delivery import has_unanswered
from ..state import State
from ..vocabulary import whole
from .pointer import remaining
from .sentences import nudge

Limit = Literal["action-budget", "loop-limit", "unanswered-tool-call", "failed"]
"""What cut a turn short."""


class Nudge(NamedTuple):
    """A user message to be put behind the premature answer before the model is called again."""

    text: str
    by: Cause


class Ending(NamedTuple):
    """What is to be done about an answer or an end; nothing when both are None."""

    state: State
    nudge: Nudge | None = None
    note: StepsUnfinished | None = None


def at_answer(
    declared: Declared,
    state: State,
    *,
    can_continue: bool,
    action_budget: Any = None,
    limit: Limit | None = None,
) -> Ending:
    """Judges an answer that asks for no tool and was not denied.

    With steps left: when a limit ended the turn (or the action budget is spent) it was cut short;
    else, where another model call can be started from here and the turn's one nudge is unspent, a
    nudge is to be sent; else the answer is accepted, with the reason.
    """
    left = _left(declared, state)
    if left is None:
        return Ending(state)
    budget = whole(action_budget)
    if limit is None and budget is not None and state.action >= budget:
        limit = "action-budget"
    if limit is not None:
        return _concluded(state, left._replace(how="cut-short", reason=limit))
    if state.nudged:
        return _concluded(state, left._replace(how="accepted", reason="nudge-spent"))
    if not can_continue:
        return _concluded(state, left._replace(how="accepted", reason="cannot-continue"))
    plan = declared.plans[left.skill]
    text = nudge(plan, left.remaining)
    by = Cause("procedure", left.skill, "answered with steps left", "answer")
    return Ending(replace(state, nudged=True), Nudge(text, by), left)


def at_end(
    declared: Declared,
    state: State,
    *,
    limit: Limit | None = None,
    action_budget: Any = None,
    history: Sequence[MessageView] = (),
) -> Ending:
    """Judges the end of a turn; what `at_answer` concluded is not said again.

    Without a stated limit: the action budget when it is spent, a tool call in `history` without a
    result, else the loop's own limit (the turn ended on no answer that we saw).
    """
    left = None if state.concluded else _left(declared, state)
    if left is None:
        return Ending(state)
    if limit is None:
        budget = whole(action_budget)
        if budget is not None and state.action >= budget:
            limit = "action-budget"
        else:
            limit = "unanswered-tool-call" if has_unanswered(history) else "loop-limit"
    return _concluded(state, left._replace(how="cut-short", reason=limit))


def _left(declared: Declared, state: State) -> StepsUnfinished | None:
    pointer = state.pointer
    plan = declared.plans.get(pointer.skill) if pointer is not None else None
    left = remaining(pointer, plan)
    if plan is None or not left or plan.skill in state.parked:
        return None
    return StepsUnfinished(plan.skill, plan.total, left, "nudged", "answered-early", state.action)


def _concluded(state: State, note: StepsUnfinished) -> Ending:
    return Ending(replace(state, concluded=True), None, note)
