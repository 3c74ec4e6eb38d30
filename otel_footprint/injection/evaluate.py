"""Evaluation: which pieces are let in at one call, and why the others were skipped.

Pieces are asked in the order of their declaration. A parked piece is skipped; then its trigger is
asked; then, of those let in, a template whose facts are not all available is skipped as a whole.
A trigger that says no is neither. What raises is skipped with the exception on the record, and the
others go on.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from ..records.injection import Skipped
from ..records.plan import Cause
from .blank import bounded
from .context import Context
from .declared import Declared
from .pieces import Injection, Surface
from .template import braced
from .triggers import Always, Trigger

Verdicts = Mapping[str, Any]
"""Answers of predicates by id (see `Declared.rules`): a truth, or the exception it raised."""


class Active(NamedTuple):
    """A piece that is let in."""

    piece: Injection
    text: str | None
    """What it says in slot system, rendered; None when it says nothing there."""

    @property
    def by(self) -> Cause:
        """What stands on the record."""
        return self.piece.cause


class Evaluation(NamedTuple):
    """Who is in, and who was skipped."""

    active: tuple[Active, ...]
    skipped: tuple[Skipped, ...]


class AsyncTriggerError(TypeError):
    """A predicate gave an awaitable where nothing can be awaited. Never leaves this package."""


def ask(trigger: Trigger, ctx: Context) -> Any:
    """What a trigger answers: a truth, an awaitable of one, or the exception that it raised."""
    try:
        return trigger.holds(ctx)
    except Exception as error:  # the author's predicate: the piece is skipped, the run goes on
        return error


def judge(answer: Any) -> bool | Exception:
    """The truth of an answer, or the exception that stands for it.

    An awaitable is no truth: it is closed, and the answer is an AsyncTriggerError.
    """
    if answer is True or answer is False or isinstance(answer, Exception):
        return answer
    try:
        if is_awaitable(answer):
            close(answer)
            return AsyncTriggerError("the predicate gave an awaitable, and the agent is sync")
        return bool(answer)
    except Exception as error:  # a truth that cannot be told, such as that of an array
        return error


def is_awaitable(value: object) -> bool:
    """True for what `await` takes."""
    return hasattr(type(value), "__await__")


def close(awaitable: Any) -> None:
    """Closes an awaitable that nothing will await, where that can be done."""
    closing = getattr(awaitable, "close", None)
    if closing is not None:
        closing()


def evaluate(
    declared: Declared,
    ctx: Context,
    *,
    parked: Collection[str] = (),
    told: Collection[str] = (),
    verdicts: Verdicts | None = None,
) -> Evaluation:
    """Who is let in with these facts. The same facts and verdicts give the same answer.

    `told` are skills whose body stands in a result of `read_skill`. `verdicts` are answers of
    predicates that were asked before; all others are asked here.
    """
    active: list[Active] = []
    skipped: list[Skipped] = []
    for piece in declared.pieces:
        if parked and piece.id in parked:
            skipped.append(Skipped(piece.source, piece.id, "parked"))
            continue
        trigger = piece.trigger
        if type(trigger) is not Always:
            if verdicts is not None and piece.id in verdicts:
                answer = verdicts[piece.id]
            else:
                answer = ask(trigger, ctx)
            answer = judge(answer)
            if answer is False:
                continue
            if answer is not True:
                skipped.append(raised(piece, answer))
                continue
        template = piece.template
        if template is None:
            text = piece.system
            if piece.skill is not None and _is_told(piece.skill.surface, piece.id in told):
                text = None
            active.append(Active(piece, text))
            continue
        text = template.render(ctx)
        if text is None:
            missing = braced(template.missing(ctx))
            skipped.append(Skipped(piece.source, piece.id, "missing-fact", missing))
        else:
            active.append(Active(piece, text))
    return Evaluation(tuple(active), tuple(skipped))


def raised(piece: Injection, error: Exception) -> Skipped:
    """The record of a piece whose trigger raised."""
    reason = "async-trigger" if isinstance(error, AsyncTriggerError) else "trigger-raised"
    shown = bounded(f"{type(error).__name__}: {_message(error)}")
    return Skipped(piece.source, piece.id, reason, shown)  # type: ignore[arg-type]


def _message(error: Exception) -> str:
    try:
        return str(error)
    except Exception:  # a hostile __str__
        return ""


def _is_told(surface: Surface, in_result: bool) -> bool:
    return surface == "tool" or (surface == "auto" and in_result)
