"""The factory of skills: a body of instruction, tools that belong to it, and perhaps steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, get_args

from ..errors import DeclarationError, known_options
from .blank import is_blank
from .factories import When, make
from .library import LIBRARY_TOOLS
from .pieces import CachePolicy, Injection, SkillPart, Surface
from .procedures.declaration import check_steps
from .procedures.plan import Policy, Step, make_plan
from .toolspecs import read_tools
from .triggers import ReadSkill, as_trigger

SURFACES: Final = get_args(Surface)


@known_options("skill")
def skill(
    id: str,  # noqa: A002  the word of the record
    description: str,
    body: str,
    *,
    tools: Iterable[Any] = (),
    steps: Iterable[Step | Mapping[str, Any]] | None = None,
    on_skip: Policy | None = None,
    when: When = None,
    auto_activate: When = None,
    surface: Surface = "auto",
    cache: CachePolicy = "while-active",
) -> Injection:
    """What the model may ask for through `read_skill`, which lists id and description.

    With `when` a trigger lets the body in instead, and the skill is not listed. With
    `auto_activate` the library activates it at the first call at which that trigger says so, as if
    the model had asked; it stays active for the rest of the turn either way.

    `tools`: a name (or a plain function) claims a tool that the agent has already; a definition or
    a tool object is brought along and offered only while the skill is active. `steps` make it a
    procedure over its own tools, see `procedures`; `on_skip` is `advance` (default) or `hold`.

    The first wrong thing is refused, with DeclarationError (StepError for steps).
    """
    label = f"skill {id!r}"
    if is_blank(id):
        raise DeclarationError("skill id", id, "a text that is not blank")
    for name, value in (("description", description), ("body", body)):
        if is_blank(value):
            raise DeclarationError(f"{label} {name}", value, "a text that is not blank")
    specs, claims = read_tools(label, tools)
    names = (*(spec.name for spec in specs), *claims)
    for name in names:
        if name in LIBRARY_TOOLS:
            raise DeclarationError(
                f"{label} tools", name, "names other than the library's own: "
                + ", ".join(LIBRARY_TOOLS)
            )  # fmt: skip
    check_steps(id, names, steps, on_skip)
    if surface not in SURFACES:
        raise DeclarationError(
            f"{label} surface", surface, ", ".join(repr(name) for name in SURFACES)
        )
    if when is not None and auto_activate is not None:
        raise DeclarationError(f"{label} when", when, "when or auto_activate, not both")
    if when is not None and steps is not None:
        raise DeclarationError(
            f"{label} when", when,
            "a skill with steps is activated (read_skill or auto_activate), because its procedure "
            "needs a tenure that lasts",
        )  # fmt: skip
    if when is not None and surface in ("tool", "both"):
        raise DeclarationError(
            f"{label} surface", surface,
            "'auto' or 'system' beside when: no result of read_skill carries its body",
        )  # fmt: skip
    if auto_activate is not None and surface == "tool":
        raise DeclarationError(
            f"{label} surface", surface,
            "'auto', 'system' or 'both' beside auto_activate: no result carries its body then",
        )  # fmt: skip
    trigger = ReadSkill(id) if when is None else as_trigger(when, f"{label} when")
    auto = None if auto_activate is None else as_trigger(auto_activate, f"{label} auto_activate")
    part = SkillPart(body, surface, auto, make_plan(id, steps, on_skip))
    return make(label, id, "skill", trigger, body, (), cache=cache, description=description,
                tools=specs, claims=claims, skill=part)  # fmt: skip
