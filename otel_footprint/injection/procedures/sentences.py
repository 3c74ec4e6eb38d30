"""All that the model reads about procedures and skills, and the register of those sentences.

What goes into a tool result or a message stays in the history: it says where the procedure stood
*when that call returned*, in the past tense, and never what will come; a skill that is read again
says where its procedure stood, not how it begins. Descriptions of tools and the hint in the system
prompt are made anew for each request and may speak of now. Names and notes are the author's words.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from ...records.frames import STEPS_UNRUN, framed
from ...records.injection import Remaining
from ...records.sentence import register
from ..blank import bounded
from ..library import READ_SKILL, SKIP_STEP
from .plan import PlanStep, StepPlan, make_plan

STEPS_HINT_ID: Final = "steps-hint"
STEPS_HINT: Final = (
    "An active skill has steps in a fixed order. The tool of the current step is offered, and its "
    "description opens with the position. A step is done by running that tool, or passed over with "
    f"{SKIP_STEP} and a reason that goes on the record; an answer may be given at any time, and "
    "then says why the remaining steps were not run."
)
"""Rebuilt for each request while steps are left."""

PLACEHOLDER_RESULT: Final = "The library received that call."
"""What a library tool returns when it is run raw; the settled text replaces it."""


# --- fleeting: descriptions of tools -----------------------------------------------------------


def banner(number: int, total: int, note: str) -> str:
    """What stands in front of the description of the current step's tool."""
    return f"[Step {number} of {total} — {note}] "


def skip_description(plan: StepPlan, number: int) -> str:
    """Description of `skip_step` while step `number` is current."""
    step = plan.steps[number - 1]
    left = plan.total - number + 1
    effect = (
        "a skip moves on to the next step"
        if plan.on_skip == "advance"
        else "a skip is recorded and the step stays current until its tool is run or the turn ends"
    )
    return (
        "Skips the current step with a recorded reason, for a step that cannot or should not run "
        f"on this input. Current: step {number} of {plan.total} of {plan.skill}, `{step.tool}` "
        f"({step.note}); steps left with it: {left}. Policy {plan.on_skip}: {effect}."
    )


SKIP_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "reason": {
            "type": "string",
            "description": "Why this step is skipped; it goes on the record.",
        }
    },
    "required": ["reason"],
    "additionalProperties": False,
}


def read_skill_description(skills: Sequence[tuple[str, str]]) -> str:
    """Description of `read_skill`: the skills that may be asked for, one a line."""
    listed = "".join(f"\n- {id_}: {description}" for id_, description in skills)
    return (
        "Activates a skill, that is, instructions and tools for one kind of task, for the rest of "
        f"this turn. Skills:{listed}"
    )


def read_skill_schema(ids: Sequence[str]) -> dict[str, Any]:
    """Schema of the arguments of `read_skill`."""
    return {
        "type": "object",
        "properties": {
            "skill": {"type": "string", "enum": list(ids), "description": "Id of the skill."}
        },
        "required": ["skill"],
        "additionalProperties": False,
    }


LIST_DESCRIPTION: Final = f"Lists the skills that {READ_SKILL} takes, as JSON."
LIST_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {},
    "additionalProperties": False,
}


# --- lasting: results of tools -----------------------------------------------------------------


def after_advance(plan: StepPlan, number: int) -> str:
    """What joins the result of the tool that did step `number`."""
    done = f"[{plan.skill}: step {number} of {plan.total} was done by that `{_tool(plan, number)}` "
    if number == plan.total:
        return f"\n\n{done}call; with it all {plan.total} steps were complete.]"
    return f"\n\n{done}call. {_stood(plan, number + 1, 'that call')}]"


def after_skip(plan: StepPlan, number: int, reason: str, skipped: int) -> str:
    """The result of `skip_step` for step `number`; `skipped` counts the skips with this one."""
    head = f"Step {number} of {plan.total} of {plan.skill}"
    if plan.on_skip == "hold":
        return (
            f"{head} was not run; the skip was recorded with the reason: {reason}. Under policy "
            f"hold, step {number} of {plan.total} was still current when that {SKIP_STEP} call "
            f"returned. Two ways were open then: running `{_tool(plan, number)}`, or stating in "
            "the answer why it was not run."
        )
    head += f" was skipped by that {SKIP_STEP} call; recorded reason: {reason}."
    if number == plan.total:
        return (
            f"{head} It was the last step: with it the procedure {plan.skill} was complete, "
            f"{skipped} of {plan.total} steps skipped."
        )
    return f"{head} {_stood(plan, number + 1, 'it')}"


BLANK_REASON: Final = (
    f"That {SKIP_STEP} call was not applied: its reason was blank. A skip needed a reason, which "
    f"went on the record; calling {SKIP_STEP} again with one was open."
)
NOTHING_TO_SKIP: Final = (
    f"That {SKIP_STEP} call changed nothing: when it was made, no procedure was active or the "
    "active one was already complete. Going on with other tools, or finishing, was open."
)


def read_result(id_: str, body: str | None) -> str:
    """The result of an accepted `read_skill`: the skill's body, or a confirmation."""
    if body is None:
        return f"The skill {id_} was activated by that {READ_SKILL} call."
    return f"The skill {id_} was activated by that {READ_SKILL} call. Its text:\n\n{body}"


def position_intro(plan: StepPlan, number: int) -> str:
    """What joins that result for a skill with steps: where it stood."""
    if number > plan.total:
        return (
            f"\n\n[{plan.skill}: all {plan.total} steps were already complete when that "
            f"{READ_SKILL} call returned.]"
        )
    return f"\n\n[{plan.skill}: {_stood(plan, number, f'that {READ_SKILL} call')}]"


def unknown_skill(asked: str, ids: Sequence[str]) -> str:
    """The result of `read_skill` for an id that was not among those offered."""
    head = f"That {READ_SKILL} call activated nothing: it asked for {bounded(asked, 80)!r}"
    if not ids:
        return head + "."
    return f"{head}, and the skills offered with it were: {', '.join(ids)}."


def skill_catalog(skills: Sequence[tuple[str, str]]) -> str:
    """The result of `list_skills`: a JSON array."""
    return json.dumps(
        [{"id": id_, "description": description} for id_, description in skills],
        ensure_ascii=False,
    )


# --- lasting: the nudge ------------------------------------------------------------------------


def nudge(plan: StepPlan, left: Sequence[Remaining]) -> str:
    """The one message that follows an answer given with steps left; `left` is not empty."""
    first, last = left[0].step, left[-1].step
    span = f"Step {first}" if first == last else f"Steps {first}–{last}"
    was = "was" if first == last else "were"
    each = "; ".join(f"{step.step}: {step.note} (`{step.tool}`)" for step in left)
    return framed(
        STEPS_UNRUN,
        f"{span} of {plan.skill} {was} unrun when the preceding answer was given. {each}. This "
        f"message asked for one of two things: that step {first} be run, or that an answer state "
        "why it was not run.",
    )


def _stood(plan: StepPlan, number: int, call: str) -> str:
    step: PlanStep = plan.steps[number - 1]
    return (
        f"When {call} returned, step {number} of {plan.total} stood next: {step.note} "
        f"(`{step.tool}`)."
    )


def _tool(plan: StepPlan, number: int) -> str:
    return plan.steps[number - 1].tool


# --- the register ------------------------------------------------------------------------------


def _sample(policy: str) -> StepPlan:
    steps = [{"tool": f"tool_{n}", "note": f"note {n}"} for n in (1, 2, 3)]
    plan = make_plan("sample", steps, policy)
    assert plan is not None
    return plan


def _left(first: int) -> tuple[Remaining, ...]:
    return tuple(Remaining(n, f"tool_{n}", f"note {n}") for n in range(first, 4))


def _register() -> None:
    move, hold = _sample("advance"), _sample("hold")
    register("steps.hint", "system-text", "fleeting", lambda: (STEPS_HINT,))
    register("steps.banner", "tool-description", "fleeting", lambda: (banner(3, 3, "note"),))
    register(
        "steps.skip_description",
        "tool-description",
        "fleeting",
        lambda: (skip_description(move, 1), skip_description(hold, 3)),
    )
    register(
        "skills.read_description",
        "tool-description",
        "fleeting",
        lambda: (read_skill_description([("sample", "note")]),),
    )
    register("skills.list_description", "tool-description", "fleeting", lambda: (LIST_DESCRIPTION,))
    register(
        "steps.advance",
        "tool-result",
        "lasting",
        lambda: (after_advance(move, 1), after_advance(move, 3)),
    )
    register(
        "steps.skip",
        "tool-result",
        "lasting",
        lambda: (
            after_skip(move, 1, "reason", 1),
            after_skip(move, 3, "reason", 2),
            after_skip(hold, 2, "reason", 1),
        ),
    )
    register("steps.blank_reason", "tool-result", "lasting", lambda: (BLANK_REASON,))
    register("steps.nothing_to_skip", "tool-result", "lasting", lambda: (NOTHING_TO_SKIP,))
    register("skills.placeholder", "tool-result", "lasting", lambda: (PLACEHOLDER_RESULT,))
    register(
        "skills.read",
        "tool-result",
        "lasting",
        lambda: (read_result("sample", None), read_result("sample", "note")),
    )
    register(
        "skills.position",
        "tool-result",
        "lasting",
        lambda: (position_intro(move, 1), position_intro(move, 4)),
    )
    register(
        "skills.unknown",
        "tool-result",
        "lasting",
        lambda: (unknown_skill("other", ["sample"]), unknown_skill("other", [])),
    )
    register(
        "skills.catalog", "tool-result", "lasting", lambda: (skill_catalog([("sample", "note")]),)
    )
    register(
        "steps.nudge",
        "user-message",
        "lasting",
        lambda: (nudge(move, _left(2)), nudge(move, _left(3))),
    )


_register()
