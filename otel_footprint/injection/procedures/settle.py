"""What came back from tools: activations, steps done, steps skipped, in the model's own order.

Tools may run in parallel and come back in any order; the position of a procedure depends on the
order in which the model asked. So outcomes are settled in that order, and what a call's result has
to say about the position is said by an edit of that result: at once where the caller runs tools
one after the other through us, at the next boundary elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ...records.injection import DoorRefused, StepAdvanced, StepSkipped
from ...records.plan import AppendToResult, Cause, ReplaceResult, ResultEdit
from ...records.view import ToolOutcome
from .. import doors
from ..blank import bounded, is_blank, trimmed
from ..declared import Declared
from ..library import LIST_SKILLS, READ_SKILL, SKIP_STEP
from ..pieces import Injection
from ..state import State
from .pointer import advanced, current_step, skipped
from .sentences import (
    BLANK_REASON,
    NOTHING_TO_SKIP,
    after_advance,
    after_skip,
    position_intro,
    read_result,
    skill_catalog,
    unknown_skill,
)

MAX_REASON = 500
"""Code points of a skip's reason that are kept."""

StepNote = StepAdvanced | StepSkipped | DoorRefused


class Settled(NamedTuple):
    """The outcome of settling some tool calls."""

    state: State
    edits: tuple[ResultEdit, ...]
    """Edits of their results, in the order of the calls."""
    notes: tuple[StepNote, ...]

    def result(self, call_id: str, text: str) -> str:
        """The text of a result with its edits made, for a loop that changes it at once."""
        for edit in self.edits:
            if edit.call_id == call_id:
                text = text + edit.text if isinstance(edit, AppendToResult) else edit.text
        return text


def settle(declared: Declared, state: State, outcomes: Sequence[ToolOutcome]) -> Settled:
    """Settles tool calls that came back, in the order in which the model asked for them.

    Each call is handed in once: the whole batch, or, where tools run one after the other, each as
    it returns; a call that waits for a person is handed in again when it is answered. Only a clean
    run of the current step's tool advances, so neither does an error, a refusal, nor a tool that
    was called before its turn. An activation takes the tenure at the next call, not within the
    batch.
    """
    edits: list[ResultEdit] = []
    notes: list[StepNote] = []
    called = dict.fromkeys(state.called)
    kept: list[ToolOutcome] = []
    for outcome in outcomes:
        problem = doors.check(outcome.text, "tool result", f"{outcome.name} {outcome.call_id}")
        if problem is not None:
            notes.append(problem)
            outcome = outcome._replace(text="")
        if outcome.status == "paused":
            continue
        kept.append(outcome)
        called[outcome.name] = None
        if outcome.status == "ok":
            state, edit, note = _settle_one(declared, state, outcome)
            if edit is not None:
                edits.append(edit)
            if note is not None:
                notes.append(note)
    state = replace(state, results=(*state.results, *kept), called=tuple(called))
    return Settled(state, tuple(edits), tuple(notes))


def listed_skills(declared: Declared, state: State) -> tuple[Injection, ...]:
    """The skills that `read_skill` may name now; a parked one is never named."""
    return tuple(
        piece
        for piece in declared.skills.values()
        if piece.is_listed and piece.id not in state.parked
    )


_One = tuple[State, ResultEdit | None, StepNote | None]


def _settle_one(declared: Declared, state: State, outcome: ToolOutcome) -> _One:
    if not declared.skills:
        return state, None, None
    if outcome.name == READ_SKILL:
        return _read(declared, state, outcome)
    if outcome.name == LIST_SKILLS:
        menu = [(piece.id, piece.description) for piece in listed_skills(declared, state)]
        return state, _said(outcome, skill_catalog(menu), _SKILLS), None
    if outcome.name == SKIP_STEP and declared.plans:
        return _skip(declared, state, outcome)
    pointer = state.pointer
    plan = declared.plans.get(pointer.skill) if pointer is not None else None
    step = current_step(pointer, plan)
    if pointer is None or plan is None or step is None or step.tool != outcome.name:
        return state, None, None
    number = pointer.step
    note = StepAdvanced(
        plan.skill, number, plan.total, step.tool, step.note, state.action, outcome.call_id,
        number == plan.total,
    )  # fmt: skip
    by = Cause("procedure", plan.skill, f"step {number} of {plan.total} done", "tool return")
    edit = AppendToResult(outcome.call_id, after_advance(plan, number), by)
    return replace(state, pointer=advanced(pointer)), edit, note


def _skip(declared: Declared, state: State, outcome: ToolOutcome) -> _One:
    pointer = state.pointer
    plan = declared.plans.get(pointer.skill) if pointer is not None else None
    step = current_step(pointer, plan)
    if pointer is None or plan is None or step is None:
        return state, _said(outcome, NOTHING_TO_SKIP, _SKILLS), None
    given = (outcome.arguments or {}).get("reason")
    if is_blank(given):
        return state, _said(outcome, BLANK_REASON, _SKILLS), None
    reason = bounded(trimmed(str(given)), MAX_REASON)
    number = pointer.step
    after = skipped(pointer, plan)
    count = len(after.skipped) if isinstance(after.skipped, list | tuple) else 1
    note = StepSkipped(
        plan.skill, number, plan.total, step.tool, step.note, reason, plan.on_skip, state.action,
        outcome.call_id,
    )  # fmt: skip
    by = Cause("procedure", plan.skill, f"step {number} of {plan.total} skipped", SKIP_STEP)
    text = after_skip(plan, number, reason, count)
    return replace(state, pointer=after), _said(outcome, text, by), note


def _read(declared: Declared, state: State, outcome: ToolOutcome) -> _One:
    asked = (outcome.arguments or {}).get("skill")
    listed = listed_skills(declared, state)
    piece = next((piece for piece in listed if piece.id == asked), None)
    if piece is None or piece.skill is None:
        text = unknown_skill(asked if isinstance(asked, str) else "", [p.id for p in listed])
        return state, _said(outcome, text, _SKILLS), None
    in_result = piece.skill.surface != "system"
    text = read_result(piece.id, piece.skill.body if in_result else None)
    plan = declared.plans.get(piece.id)
    if plan is not None:
        pointer = state.pointer
        own = pointer is not None and pointer.skill == piece.id
        text += position_intro(plan, pointer.step if own and pointer is not None else 1)
    by = piece.cause._replace(trigger=READ_SKILL)
    if in_result:
        state = replace(state, bodies={**state.bodies, piece.id: outcome.call_id})
    return activated(state, piece.id), _said(outcome, text, by), None


def activated(state: State, id_: str) -> State:
    """The state with a skill activated last; asked for again, it becomes the last one again."""
    others = tuple(other for other in state.activated if other != id_)
    return replace(state, activated=(*others, id_))


_SKILLS = Cause("skill", "library", "a library tool was called", "library")


def _said(outcome: ToolOutcome, text: str, by: Cause) -> ReplaceResult:
    return ReplaceResult(outcome.call_id, text, by)
