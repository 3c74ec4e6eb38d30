"""What is current: turn, call, suppression. Passed explicitly where we can; this is the fallback.

Context variables follow tasks by themselves and threads through `propagate`.
"""

from __future__ import annotations

import contextvars
import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Final, ParamSpec, Protocol, TypeVar

from ..errors import DeclarationError

if TYPE_CHECKING:
    from ..config import ContentMode
    from .call import Call
    from .turn import Turn

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

TURN: contextvars.ContextVar[Turn | None] = contextvars.ContextVar("footprint_turn", default=None)
CALL: contextvars.ContextVar[Call | None] = contextvars.ContextVar("footprint_call", default=None)
SUPPRESSED: contextvars.ContextVar[bool] = contextvars.ContextVar(
    "footprint_suppressed", default=False
)


class _Undeclared:
    mode: ContentMode | None = None


UNDECLARED: Final = _Undeclared()
"""The content mode of Footprints that declare none, while a test captures; None: as they are."""


@contextmanager
def suppress() -> Iterator[None]:
    """Records nothing inside: neither calls nor tools nor turns."""
    token = SUPPRESSED.set(True)
    try:
        yield
    finally:
        reset(SUPPRESSED, token)


def propagate(fn: Callable[P, R]) -> Callable[P, R]:
    """The function, run with the current turn and span as parents, in whatever thread it runs.

    Each run has a copy of its own, so the same propagated function may run in many threads.
    Raises DeclarationError for what is no function.
    """
    if not callable(fn):
        raise DeclarationError("propagate", fn, "a callable")
    context = contextvars.copy_context()

    @wraps(fn)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        return context.copy().run(fn, *args, **kwargs)

    return run


def turn() -> Turn | None:
    """The current turn, as this process may record in it (`Turn.mine`)."""
    found = TURN.get()
    return None if found is None else found.mine()


class Forked(Protocol):
    """What has to be told in a process that was forked."""

    def forked(self) -> None:
        """This process is a child of the one that it was made in."""


_told: Final[weakref.WeakSet[Forked]] = weakref.WeakSet()


def after_fork(owner: Forked) -> None:
    """Tells the owner, while it lives, in each process that is forked from this one."""
    _told.add(owner)


def _tell() -> None:
    for owner in list(_told):
        owner.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_tell)


def reset(var: contextvars.ContextVar[T], token: contextvars.Token[T]) -> None:
    """Resets a variable; silently leaves it when the token belongs to another context.

    A generator closed from another task ends there: nothing of that task is ours to reset.
    """
    try:
        var.reset(token)
    except ValueError:
        return
