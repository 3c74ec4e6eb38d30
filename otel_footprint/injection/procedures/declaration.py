"""Checks of declared steps. The first failure wins, in this order:

`on_skip` without steps; an empty list of steps; an unknown `on_skip`; a skill without tools; then,
step by step: its `produces`, its `consumes`, its tool, its note, whether the skill carries
that tool, and whether it says anything else. Steps are counted from 1.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any, Final, Literal, NoReturn

from ...errors import DeclarationError
from ..blank import is_blank

Kind = Literal[
    "on_skip_without_steps",
    "empty_steps",
    "steps_not_a_list",
    "unknown_on_skip",
    "skill_without_tools",
    "vocabulary",
    "step_without_tool",
    "step_without_note",
    "unknown_tool",
    "unknown_key",
]


_KEYS: Final = ("tool", "note", "produces", "consumes")


class StepError(DeclarationError):
    """Declared steps are wrong: says which rule refused them, and at which step."""

    def __init__(
        self, kind: Kind, field: str, value: object, allowed: str, step: int | None = None
    ) -> None:
        self.kind = kind
        self.step = step
        super().__init__(field, value, allowed)


def check_steps(skill: str, tools: Sequence[str], steps: Any, on_skip: Any = None) -> None:
    """StepError for steps that a skill with these tools cannot have; None means not given.

    The same tool may stand in several steps. A step's tool is compared exactly, without trimming.
    """
    field = f"skill {skill!r} steps"
    if steps is None:
        if on_skip is not None:
            raise StepError(
                "on_skip_without_steps",
                f"skill {skill!r} on_skip",
                on_skip,
                "on_skip stands beside steps only",
            )
        return
    if not isinstance(steps, list | tuple):
        raise StepError("steps_not_a_list", field, steps, "a list of steps")
    if not steps:
        raise StepError("empty_steps", field, steps, "one step or more, or no steps at all")
    if on_skip is not None and on_skip not in ("advance", "hold"):
        raise StepError(
            "unknown_on_skip", f"skill {skill!r} on_skip", on_skip, "'advance' or 'hold'"
        )
    if not tools:
        raise StepError(
            "skill_without_tools",
            field,
            steps,
            "tools=[...] beside it: each step's tool is one of them",
        )
    for number, step in enumerate(steps, 1):
        _check_step(f"{field}, step {number}", number, step, tools)


def _check_step(field: str, number: int, step: Any, tools: Container[str]) -> None:
    for name in ("produces", "consumes"):
        _check_vocabulary(f"{field} {name}", number, _read(step, name))
    tool, note = _read(step, "tool"), _read(step, "note")
    if is_blank(tool):
        raise StepError("step_without_tool", field, step, "a step names its tool", number)
    if is_blank(note):
        raise StepError(
            "step_without_note",
            f"{field} note",
            note,
            f"the step of tool {tool!r} has a note that is not blank",
            number,
        )
    if tool not in tools:
        raise StepError(
            "unknown_tool", f"{field} tool", tool, "one of the skill's own tools", number
        )
    for key in step if isinstance(step, Mapping) else ():
        if key not in _KEYS:
            raise StepError("unknown_key", field, key, "the keys " + ", ".join(_KEYS), number)


def _check_vocabulary(field: str, number: int, value: Any) -> None:
    def refuse(allowed: str) -> NoReturn:
        raise StepError("vocabulary", field, value, allowed, number)

    if value is None:
        return
    if not isinstance(value, list | tuple):
        refuse("a list of artifact names")
    if not value:
        refuse("one artifact name or more")
    if any(is_blank(name) for name in value):
        refuse("artifact names that are not blank")
    if len(set(value)) < len(value):
        refuse("each artifact name once")


def _read(step: Any, name: str) -> Any:
    if isinstance(step, Mapping):
        return step.get(name)
    return getattr(step, name, None)
