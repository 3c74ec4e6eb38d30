"""All pieces of one Footprint, compiled once: checked against each other, sorted by what they need.

`declare` refuses what no single factory can see: one id twice, one tool in two hands, a name of
ours. `refuse_unfit` refuses what shows only when an agent is wrapped: an async predicate on a sync
agent, a role its provider cannot carry, a tool of its own under a name of ours.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import DeclarationError
from .factories import instruction
from .library import LIBRARY_TOOLS, SKIP_STEP
from .pieces import Injection
from .procedures.plan import StepPlan
from .procedures.sentences import STEPS_HINT, STEPS_HINT_ID
from .strategies import Strategy
from .triggers import Rule, Trigger, is_async


@dataclass(frozen=True)
class Declared:
    """Pieces in the order of their declaration, and what is looked up at each call."""

    pieces: tuple[Injection, ...] = ()
    skills: Mapping[str, Injection] = field(default_factory=dict)
    plans: Mapping[str, StepPlan] = field(default_factory=dict)
    window: Strategy | None = None
    cache_marks: bool = False
    list_skills: bool = False
    rules: tuple[tuple[str, Trigger], ...] = ()
    """Pieces whose trigger is a predicate, by id."""
    autos: tuple[tuple[str, Trigger], ...] = ()
    """Skills with an auto-activation, by id."""
    has_tools: bool = False

    def __bool__(self) -> bool:
        """False when nothing is declared: nothing of injection is then ever run."""
        return bool(self.pieces) or self.window is not None or self.cache_marks


def declare(
    pieces: Iterable[Injection],
    *,
    window: Strategy | None = None,
    cache_marks: bool = False,
    list_skills: bool = False,
) -> Declared:
    """Compiles pieces; DeclarationError names the first thing that does not go together.

    `cache_marks` sets marks at the end of each stable prefix (providers that want them marked).
    `list_skills` also offers the tool of that name. With a procedure among the skills a hint is
    added last that lets the model know how steps work; a piece of id `steps-hint` replaces it.
    """
    all_pieces = _with_hint(tuple(pieces))
    _refuse_twice(all_pieces)
    skills = {piece.id: piece for piece in all_pieces if piece.skill is not None}
    plans = {
        id_: piece.skill.plan for id_, piece in skills.items() if piece.skill and piece.skill.plan
    }
    _refuse_tools(all_pieces, bool(skills))
    if window is not None and not isinstance(window, Strategy):
        raise DeclarationError(
            "window", window, "sliding_window(), token_budget() or summarise_oldest()"
        )
    return Declared(
        all_pieces,
        skills,
        plans,
        window,
        bool(cache_marks),
        bool(list_skills) and bool(skills),
        tuple((p.id, p.trigger) for p in all_pieces if isinstance(p.trigger, Rule)),
        tuple(
            (p.id, p.skill.auto_activate)
            for p in all_pieces
            if p.skill is not None and p.skill.auto_activate is not None
        ),
        any(piece.tools for piece in all_pieces),
    )


NOTHING_DECLARED = Declared()


def refuse_unfit(
    declared: Declared,
    *,
    is_async: bool | None = None,
    provider: str = "",
    carries: Collection[str] | None = None,
    tools: Collection[str] | None = None,
) -> None:
    """Refuses what the agent that is being wrapped cannot do; None: not known, not judged.

    `is_async` False: its calls cannot await. `carries`: roles that its provider takes among the
    messages. `tools`: names of its own tools.
    """
    if is_async is False:
        _refuse_async(declared)
    if carries is not None:
        for piece in declared.pieces:
            for message in piece.messages:
                if message.role not in carries:
                    raise DeclarationError(
                        f"{piece.source} {piece.id!r} role",
                        message.role,
                        f"{provider or 'the provider'} carries {', '.join(sorted(carries))} "
                        "among its messages",
                    )
    if tools is not None:
        _refuse_agent_tools(declared, tools)


def extended(declared: Declared, pieces: Iterable[Injection]) -> Declared:
    """The same with pieces that one turn hands in (memory, rag), behind the declared ones."""
    more = tuple(pieces)
    if not more:
        return declared
    kept = tuple(piece for piece in declared.pieces if piece is not STEPS_HINT_PIECE)
    return replace(
        declare(
            (*kept, *more),
            window=declared.window,
            cache_marks=declared.cache_marks,
        ),
        list_skills=declared.list_skills,
    )


def _with_hint(pieces: tuple[Injection, ...]) -> tuple[Injection, ...]:
    for piece in pieces:
        if not isinstance(piece, Injection):
            raise DeclarationError("context", piece, "pieces made by fact(), skill(), ...")
    if any(p.skill is not None and p.skill.plan for p in pieces) and all(
        p.id != STEPS_HINT_ID for p in pieces
    ):
        return (*pieces, STEPS_HINT_PIECE)
    return pieces


STEPS_HINT_PIECE = instruction(
    STEPS_HINT_ID,
    STEPS_HINT,
    when=lambda ctx: ctx.procedure is not None,
    description="a procedure has steps left",
)


def _refuse_twice(pieces: tuple[Injection, ...]) -> None:
    seen: set[str] = set()
    for piece in pieces:
        if piece.id in seen:
            raise DeclarationError(f"{piece.source} id", piece.id, "an id that no other piece has")
        seen.add(piece.id)


def _refuse_tools(pieces: tuple[Injection, ...], has_skills: bool) -> None:
    owners: dict[str, tuple[Injection, Any]] = {}
    for piece in pieces:
        held = [(tool.name, tool.raw if tool.raw is not None else tool) for tool in piece.tools]
        held += [(name, None) for name in piece.claims]
        for name, raw in held:
            if has_skills and name in LIBRARY_TOOLS:
                raise DeclarationError(
                    f"{piece.source} {piece.id!r} tools", name, "a name that is not the library's"
                )
            other = owners.setdefault(name, (piece, raw))
            if other[1] is not raw:
                raise DeclarationError(
                    f"{piece.source} {piece.id!r} tools",
                    name,
                    f"the same tool as that of {other[0].source} {other[0].id!r}: two tools under "
                    "one name cannot be told apart when they are called",
                )


def _refuse_agent_tools(declared: Declared, tools: Collection[str]) -> None:
    if declared.plans and SKIP_STEP in tools:
        raise DeclarationError("tools", SKIP_STEP, "a name that is free while a skill has steps")
    for piece in declared.pieces:
        for tool in piece.tools:
            if tool.name in tools:
                raise DeclarationError(
                    f"{piece.source} {piece.id!r} tools",
                    tool.name,
                    "a tool that the agent does not have; to claim the agent's own, give its name",
                )


def _refuse_async(declared: Declared) -> None:
    for id_, trigger in (*declared.rules, *declared.autos):
        if is_async(trigger):
            raise DeclarationError(
                f"{id_!r} when",
                getattr(trigger, "predicate", trigger),
                "a predicate that is not async, because the wrapped agent is sync",
            )
