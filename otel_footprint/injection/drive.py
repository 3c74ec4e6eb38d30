"""Drivers of a boundary: one for agents that cannot await, one for those that can.

A boundary asks its driver for two things only: the answer of an async predicate, and the text of
the application's summariser. What either raises is handed back as a value, so that the boundary
can record it; cancellation and the like pass through.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from ..records.plan import NOTHING
from .boundary import Await, Boundary, Need, Steps, Summarise, is_idle, steps
from .declared import Declared
from .evaluate import close, is_awaitable
from .facts import CallFacts
from .state import State
from .window import Summary


def before_call(declared: Declared, state: State, facts: CallFacts) -> Boundary:
    """The boundary in front of a model call of a sync agent.

    An awaitable from a predicate or a summariser is not waited for: the piece is skipped, the
    window removes nothing, and both are on the record.
    """
    if is_idle(declared, state):
        return Boundary(state, NOTHING)
    walk = steps(declared, state, facts)
    answer: Any = None
    while True:
        need = _next(walk, answer)
        if isinstance(need, Boundary):
            return need
        answer = need.awaitable if isinstance(need, Await) else _summarised(need)
        if isinstance(need, Summarise) and is_awaitable(answer):
            close(answer)
            answer = Summary(None, "the summariser is async, and the agent is sync")


async def before_call_async(declared: Declared, state: State, facts: CallFacts) -> Boundary:
    """The boundary in front of a model call of an async agent."""
    if is_idle(declared, state):
        return Boundary(state, NOTHING)
    walk = steps(declared, state, facts)
    answer: Any = None
    while True:
        need = _next(walk, answer)
        if isinstance(need, Boundary):
            return need
        if isinstance(need, Await):
            answer = await _settled(need.awaitable)
            continue
        answer = _summarised(need)
        if is_awaitable(answer):
            answer = _summary(await _settled(answer))


def _next(walk: Steps, answer: Any) -> Need | Boundary:
    try:
        return walk.send(answer)
    except StopIteration as end:
        boundary: Boundary = end.value
        return boundary


def _summarised(need: Summarise) -> Any:
    try:
        written = need.summariser(need.text)
    except Exception as error:  # the application's summariser: recorded as a failed one
        written = error
    return written if is_awaitable(written) else _summary(written)


def _summary(written: Any) -> Summary:
    if isinstance(written, str):
        return Summary(written)
    if isinstance(written, Exception):
        return Summary(None, f"{type(written).__name__}: {written}")
    return Summary(None, f"it returned a value of type {type(written).__name__}, not a text")


async def _settled(awaitable: Awaitable[Any]) -> Any:
    try:
        return await awaitable
    except Exception as error:  # the author's predicate or summariser: recorded by the boundary
        return error
