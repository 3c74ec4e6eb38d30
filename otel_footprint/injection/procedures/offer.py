"""The offer: which tools a request shows while pieces are active and a procedure has steps left.

A sequence is kept by not offering, never by refusing. While a procedure has the tenure, the tools
of its other steps are held back, and nothing else is: tools of the agent that are no step, the
skill's own tools that are no step, tools supplied while running, tools of other active pieces and
the library's own stay. The current step's tool says in its description where the procedure
stands; `skip_step` stands last. Everything held back can still be run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...records.injection import Withheld
from ...records.plan import Cause, DescribeTool, OfferTool, ToolEdit, WithholdTool
from ...records.view import ToolView
from ..declared import Declared
from ..evaluate import Active
from ..library import LIST_SKILLS, READ_SKILL, SKIP_STEP
from ..pieces import Injection
from .plan import StepPlan
from .pointer import Pointer, current_step
from .sentences import (
    LIST_DESCRIPTION,
    LIST_SCHEMA,
    SKIP_SCHEMA,
    banner,
    read_skill_description,
    read_skill_schema,
    skip_description,
)

_LIBRARY = Cause("skill", "library", "skills are declared", "library")


class Offer(NamedTuple):
    """Edits of slot tools, and what could not be offered."""

    edits: tuple[ToolEdit, ...]
    withheld: tuple[Withheld, ...]


NO_OFFER = Offer((), ())


def offer(
    declared: Declared,
    active: Sequence[Active],
    pointer: Pointer | None,
    tools: Sequence[ToolView],
    *,
    dispatch: bool,
    listed: Sequence[Injection],
) -> Offer:
    """The edits of the tools of a request.

    `tools` are those of the request before any edit; `listed` the skills that `read_skill` may
    name now. Without `dispatch` (no call would pass through us) nothing of ours is offered and
    nothing held back, because the way out, `skip_step`, could not be run.
    """
    if not declared.skills and not declared.has_tools:
        return NO_OFFER
    if not dispatch:
        return Offer((), tuple(_undispatched(declared, active, listed)))
    maker = _Maker(tools)
    plan = declared.plans.get(pointer.skill) if pointer is not None else None
    step = current_step(pointer, plan)
    held: frozenset[str] = frozenset()
    if pointer is not None and plan is not None and step is not None:
        held = _held(plan, step.tool, active, tools)
        maker.narrow(plan, pointer.step, held)
    maker.bring(active, held, None if plan is None or step is None else (plan, pointer))
    maker.library(declared, listed)
    if pointer is not None and plan is not None and step is not None:
        maker.skip(plan, pointer.step)
    maker.hide_unused()
    return Offer(tuple(maker.edits), tuple(maker.withheld))


class _Maker:
    def __init__(self, tools: Sequence[ToolView]) -> None:
        self.names = {tool.name for tool in tools if not tool.ours}
        self.ours = [tool.name for tool in tools if tool.ours]
        self.offered: set[str] = set()
        self.edits: list[ToolEdit] = []
        self.withheld: list[Withheld] = []

    def narrow(self, plan: StepPlan, number: int, held: frozenset[str]) -> None:
        step = plan.steps[number - 1]
        by = _step_cause(plan, number)
        for name in plan.tools:
            if name in held and name in self.names:
                self.edits.append(WithholdTool(name, by))
        if step.tool in self.names:
            self.edits.append(DescribeTool(step.tool, banner(number, plan.total, step.note), by))

    def bring(
        self,
        active: Sequence[Active],
        held: frozenset[str],
        position: tuple[StepPlan, Pointer | None] | None,
    ) -> None:
        due = None
        if position is not None and position[1] is not None:
            plan, number = position[0], position[1].step
            due = plan.steps[number - 1]
        for one in active:
            for tool in one.piece.tools:
                if tool.name in held or tool.name in self.offered:
                    continue
                if tool.name in self.names:
                    self._taken(tool.name, one.by)
                    continue
                self.edits.append(
                    OfferTool(tool.name, tool.description, tool.schema, one.by, tool.raw)
                )
                self.offered.add(tool.name)
                if due is not None and tool.name == due.tool:
                    text = banner(number, plan.total, due.note)
                    self.edits.append(DescribeTool(tool.name, text, _step_cause(plan, number)))
        if due is not None and due.tool not in self.names and due.tool not in self.offered:
            self.withheld.append(Withheld(due.tool, "not-in-request", "procedure", plan.skill))

    def library(self, declared: Declared, listed: Sequence[Injection]) -> None:
        if not listed:
            return
        menu = [(piece.id, piece.description) for piece in listed]
        ids = [piece.id for piece in listed]
        self._offer(READ_SKILL, read_skill_description(menu), read_skill_schema(ids), _LIBRARY)
        if declared.list_skills:
            self._offer(LIST_SKILLS, LIST_DESCRIPTION, LIST_SCHEMA, _LIBRARY)

    def skip(self, plan: StepPlan, number: int) -> None:
        by = _step_cause(plan, number)
        self._offer(SKIP_STEP, skip_description(plan, number), SKIP_SCHEMA, by)

    def hide_unused(self) -> None:
        for name in self.ours:
            if name not in self.offered:
                by = _LIBRARY._replace(reason="what it belongs to is not active")
                self.edits.append(WithholdTool(name, by))

    def _offer(self, name: str, text: str, schema: dict[str, object], by: Cause) -> None:
        if name in self.names:
            self._taken(name, by)
            return
        self.edits.append(OfferTool(name, text, schema, by))
        self.offered.add(name)

    def _taken(self, name: str, by: Cause) -> None:
        self.withheld.append(Withheld(name, "name-taken", by.source, by.id))


def _held(
    plan: StepPlan, current: str, active: Sequence[Active], tools: Sequence[ToolView]
) -> frozenset[str]:
    kept = {tool.name for tool in tools if tool.runtime}
    for one in active:
        if one.piece.id != plan.skill:
            kept.update(one.piece.tool_names)
    return frozenset(name for name in plan.tools if name != current and name not in kept)


def _step_cause(plan: StepPlan, number: int) -> Cause:
    return Cause("procedure", plan.skill, f"step {number} of {plan.total}", "tenure")


def _undispatched(
    declared: Declared, active: Sequence[Active], listed: Sequence[Injection]
) -> list[Withheld]:
    out = []
    if listed:
        out.append(Withheld(READ_SKILL, "no-dispatcher", "skill", "library"))
    if declared.plans:
        out.append(Withheld(SKIP_STEP, "no-dispatcher", "procedure", "library"))
    for one in active:
        out += [
            Withheld(tool.name, "no-dispatcher", one.piece.source, one.piece.id)
            for tool in one.piece.tools
        ]
    return out
