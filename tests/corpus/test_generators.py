"""Generator functions as agent loops and as tools: same protocol, one turn or tool call each."""

from __future__ import annotations

import asyncio
import gc
import inspect
import types
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any

import pytest
import wrapt

from otel_footprint.adapters.callables import name_of
from otel_footprint.run import state
from tests.adapters.conftest import Recorded

from .helpers import Logged, Model, trail_of, user

STEPS = [
    ["next", "next", "next", "next"],
    ["next", ("send", 7), "next", "next"],
    ["next", ("throw", ValueError), "next", "next", "next"],
    ["next", ("throw", KeyError), "next"],
    ["next", ("throw", StopIteration)],
    ["next", "close", "next"],
    ["close", "next"],
    [("send", 7)],
    [("throw", ValueError)],
    ["next", ("send", "stubborn"), "close", "next"],
]


def steps(log: list[Any]) -> Generator[Any, Any, str]:
    """Says what reaches it."""
    given: Any = None
    for number in range(3):
        try:
            given = yield (number, given)
            if given == "stubborn":
                try:
                    yield "left?"
                except GeneratorExit:
                    yield "no"
        except ValueError as error:
            log.append(type(error))
        finally:
            log.append(("after", number))
    return "returned"


async def steps_async(log: list[Any]) -> AsyncGenerator[Any, Any]:
    """The same."""
    given: Any = None
    for number in range(3):
        try:
            given = yield (number, given)
            await asyncio.sleep(0)
            if given == "stubborn":
                try:
                    yield "left?"
                except GeneratorExit:
                    yield "no"
        except ValueError as error:
            log.append(type(error))
        finally:
            log.append(("after", number))


async def driven(fn: Callable[..., Any], script: list[Any]) -> list[Any]:
    """What each step of a script gives or raises, and what the generator says of it."""
    log: list[Any] = []
    generator = fn(log)
    log.append((type(generator), generator.__name__))
    suffix = "a" if inspect.isasyncgen(generator) else ""
    for step in script:
        name, *values = (step,) if isinstance(step, str) else step
        if name == "next":
            step_taken: Any = generator.__anext__ if suffix else generator.__next__
        else:
            step_taken = getattr(generator, f"{suffix}{name}")
        try:
            found = step_taken(*values)
            if inspect.isawaitable(found):
                found = await found
            log.append(("gave", found))
        except BaseException as error:
            log.append((type(error), getattr(error, "value", None)))
    return log


@pytest.mark.parametrize("fn", [steps, steps_async])
@pytest.mark.parametrize("script", STEPS, ids=str)
@pytest.mark.parametrize("kind", ["agent", "tool"])
async def test_a_wrapped_generator_gives_and_takes_the_same(
    recorded: Recorded, fn: Callable[..., Any], script: list[Any], kind: str
) -> None:
    wrapped = recorded.footprint.wrap(fn, kind=kind)
    assert inspect.isgeneratorfunction(wrapped) == inspect.isgeneratorfunction(fn)
    assert inspect.isasyncgenfunction(wrapped) == inspect.isasyncgenfunction(fn)
    with recorded.footprint.turn("t"):
        around = state.TURN.get()
        assert await driven(wrapped, script) == await driven(fn, script)
        assert state.TURN.get() is around
    with pytest.raises(TypeError, match="argument"):
        wrapped()


def test_an_agent_loop_that_yields_is_one_turn_with_all_its_calls(recorded: Recorded) -> None:
    model = Model(("openai", False))
    recorded.footprint.wrap(model.client)

    def loop(question: str) -> Generator[str, None, None]:
        for number in range(3):
            model.call_now([user(question), user(str(number))])
            yield str(number)

    wrapped = recorded.footprint.wrap(loop)
    for left in (4, 2):
        for _ in zip(range(left), wrapped("Hello?"), strict=False):
            model.call_now([user("between two values")])
    gc.collect()
    trail = trail_of(recorded)
    found = [(t.outcome, len(t.calls)) for t in trail.turns if t.agent == "loop"]
    assert found == [("completed", 3), ("cancelled", 2)]


async def test_steps_in_other_tasks_belong_to_the_turn(recorded: Recorded, logged: Logged) -> None:
    model = Model(("openai", True))
    recorded.footprint.wrap(model.client)

    async def loop() -> AsyncGenerator[int, None]:
        for number in range(3):
            await model.call([user(str(number))])
            yield number

    generator = recorded.footprint.wrap(loop)()
    for _ in range(2):
        await asyncio.create_task(generator.__anext__())
    await asyncio.create_task(generator.aclose())
    assert state.TURN.get() is None
    (turn,) = trail_of(recorded).turns
    assert (turn.agent, turn.outcome, len(turn.calls)) == ("loop", "cancelled", 2)
    assert logged.messages == []


def test_a_tool_that_yields_lasts_until_its_end(recorded: Recorded) -> None:
    @recorded.footprint.tool
    def pages(fails: bool) -> Generator[int, None, None]:
        yield 1
        if fails:
            raise LookupError

    with recorded.footprint.turn("t"):
        assert list(pages(False)) == [1]
        with pytest.raises(LookupError):
            list(pages(True))
    (turn,) = trail_of(recorded).turns
    assert [(t.name, t.error) for t in turn.tools] == [("pages", ""), ("pages", "LookupError")]


@wrapt.decorator
def gathered(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
    """Gives no generator, though what it decorates does, and it looks like that."""
    return list(wrapped(*args, **kwargs))


@wrapt.decorator
async def gathered_async(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
    return [value async for value in wrapped(*args, **kwargs)]


@gathered
def counted(most: int) -> Any:
    yield from range(most)


@gathered_async
async def counted_async(most: int) -> Any:
    for number in range(most):
        yield number


@types.coroutine
def waited(most: int) -> Any:
    yield
    return list(range(most))


class Gathering:
    @gathered
    def __call__(self, most: int) -> Any:
        yield from range(most)


@pytest.mark.parametrize("fn", [counted, counted_async, waited, Gathering()], ids=name_of)
@pytest.mark.parametrize("kind", ["agent", "tool"])
async def test_what_only_looks_like_a_generator_function_gives_what_it_gives(
    recorded: Recorded, fn: Callable[..., Any], kind: str
) -> None:
    with recorded.footprint.turn("t") as turn:
        found = recorded.footprint.wrap(fn, kind=kind)(3)
        assert (await found if inspect.isawaitable(found) else found) == [0, 1, 2]
        found = turn.tool({"id": "c1", "name": "t", "input": {"most": 3}}, fn)
        assert (await found if inspect.isawaitable(found) else found) == [0, 1, 2]
