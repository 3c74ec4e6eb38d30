"""The plan of a procedure: a skill's ordered steps as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, cast

Policy = Literal["advance", "hold"]
"""What a skip does: move on to the next step, or stay at the current one."""


class Step(NamedTuple):
    """One step as an author declares it: the tool to run and why, in a few words.

    `produces` and `consumes` name artifacts; they are validated and nothing else.
    """

    tool: str
    note: str
    produces: tuple[str, ...] | None = None
    consumes: tuple[str, ...] | None = None


class PlanStep(NamedTuple):
    """One step of a plan."""

    tool: str
    note: str


class StepPlan(NamedTuple):
    """The steps of one skill, in order."""

    skill: str
    steps: tuple[PlanStep, ...]
    tools: tuple[str, ...]
    """The tools of the steps, once each, in order."""
    on_skip: Policy

    @property
    def total(self) -> int:
        """How many steps there are."""
        return len(self.steps)


def make_plan(skill: str, steps: Any, on_skip: Any = None) -> StepPlan | None:
    """The plan of declared steps; None when there are none.

    Reads hand-built metadata too: empty or absent steps give no plan, an absent `on_skip` reads as
    advance, further fields of a step are dropped. It validates nothing; `declaration` does.
    """
    if not steps:
        return None
    plain = tuple(PlanStep(_read(step, "tool"), _read(step, "note")) for step in steps)
    tools = tuple(dict.fromkeys(step.tool for step in plain))
    policy = cast(Policy, on_skip if on_skip == "hold" else "advance")
    return StepPlan(skill, plain, tools, policy)


def _read(step: Any, name: str) -> str:
    value = step.get(name) if isinstance(step, Mapping) else getattr(step, name, None)
    return value if isinstance(value, str) else ""
