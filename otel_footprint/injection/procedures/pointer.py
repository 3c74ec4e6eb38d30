"""The pointer: where a procedure stands. A machine without side effects, by value throughout.

A pointer is never changed; each move makes a new one, so that what was reported about an old
position stays true. A fresh process reads a serialised pointer with `pointer_of`, which trusts
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ...records.injection import Remaining
from .plan import PlanStep, StepPlan


class _Absent:
    def __repr__(self) -> str:
        return "<absent>"


ABSENT: Final = _Absent()
"""A field that is not there at all, in contrast to null."""


@dataclass(frozen=True)
class Pointer:
    """Step `step` (1-based) of `total` is current; `total` + 1 means complete."""

    skill: str
    step: Any
    total: Any = ABSENT
    skipped: Any = ()
    """Numbers of the skipped steps, in order; what a restored pointer holds is passed on unread."""

    @property
    def in_progress(self) -> bool:
        """True while steps are left. A pointer without a total is not in progress."""
        return _is_number(self.total) and self.step <= self.total

    def to_json(self) -> dict[str, Any]:
        """A JSON value that `pointer_of` reads back; absent fields stay absent."""
        skipped = list(self.skipped) if isinstance(self.skipped, tuple) else self.skipped
        fields = {"skill": self.skill, "step": self.step, "total": self.total, "skipped": skipped}
        return {name: value for name, value in fields.items() if value is not ABSENT}


def carrier_of(pointer: Pointer | None) -> list[dict[str, Any]]:
    """The serialised form: a list of no pointer or one."""
    return [] if pointer is None else [pointer.to_json()]


def pointer_of(carrier: object) -> Pointer | None:
    """The pointer of a serialised carrier: the first of its list, else None.

    None for anything that is no list, and for a first member without a text `skill` and a number
    `step`. Never raises.
    """
    first = carrier[0] if isinstance(carrier, list | tuple) and carrier else None
    if not isinstance(first, Mapping):
        return None
    skill, step = first.get("skill"), first.get("step")
    if not isinstance(skill, str) or not _is_number(step):
        return None
    return Pointer(skill, step, first.get("total", ABSENT), first.get("skipped", ABSENT))


def fresh(plan: StepPlan) -> Pointer:
    """The pointer at the first step of a plan."""
    return Pointer(plan.skill, 1, plan.total, ())


def rekey(
    prior: Pointer | None, tenant: str | None, plans: Mapping[str, StepPlan]
) -> Pointer | None:
    """The pointer under a tenant: the skill that has the tenure now, or none.

    The tenant's own pointer is passed through unchanged, complete or not, even when its plan is
    gone; another tenant with a plan starts at its first step; all else has no pointer.
    """
    if tenant is None:
        return None
    if prior is not None and prior.skill == tenant:
        return prior
    plan = plans.get(tenant)
    return None if plan is None else fresh(plan)


def in_progress(pointer: Pointer | None) -> bool:
    """True while a procedure has steps left."""
    return pointer is not None and pointer.in_progress


def current_step(pointer: Pointer | None, plan: StepPlan | None) -> PlanStep | None:
    """The step that is due; None when none is, or when the pointer does not fit the plan."""
    if pointer is None or plan is None or not pointer.in_progress:
        return None
    step = pointer.step
    return plan.steps[step - 1] if type(step) is int and 1 <= step <= plan.total else None


def remaining(pointer: Pointer | None, plan: StepPlan | None) -> tuple[Remaining, ...]:
    """The steps that are not done: the current one and those behind it, with their numbers."""
    if pointer is None or plan is None or not pointer.in_progress:
        return ()
    return tuple(
        Remaining(number, step.tool, step.note)
        for number, step in enumerate(plan.steps, 1)
        if number >= pointer.step
    )


def advanced(pointer: Pointer) -> Pointer:
    """The pointer after its step was done."""
    return replace(pointer, step=pointer.step + 1)


def skipped(pointer: Pointer, plan: StepPlan) -> Pointer:
    """The pointer after its step was skipped: moved on, or, under hold, the very same."""
    if plan.on_skip == "hold":
        return pointer
    before = pointer.skipped if isinstance(pointer.skipped, list | tuple) else ()
    return replace(pointer, step=pointer.step + 1, skipped=(*before, pointer.step))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
