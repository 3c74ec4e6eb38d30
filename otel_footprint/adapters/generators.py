"""Generator functions as agent loops and as tools: what is recorded lasts as long as they run.

Their turn or tool call is current in each step, from one value to the next, and never around a
`yield`: between two values other code runs, and the next one may be taken in another task, or
never. Values, what is sent and thrown in, and what is returned or raised pass through.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from ..run import state
from ..telemetry.attach import attach, detach
from ..telemetry.guard import guard

if TYPE_CHECKING:
    from ..run.tools import ToolCall
    from ..run.turn import Turn


def is_generator(fn: Any) -> bool:
    """Whether calling the function gives a generator, or an asynchronous one."""
    return any(_makes_one(one) for one in (fn, getattr(type(fn), "__call__", None)))  # noqa: B004


def _makes_one(fn: Any) -> bool:
    """True for a Python function that is sure to give one.

    A decorator's object (wrapt's) or a mock may look like the generator function that is in it and
    give something else; what `types.coroutine` made is awaited.
    """
    while type(fn) in (partial, MethodType):
        fn = fn.func if type(fn) is partial else fn.__func__
    if type(fn) is not FunctionType or fn.__code__.co_flags & inspect.CO_ITERABLE_COROUTINE:
        return False
    return inspect.isgeneratorfunction(fn) or inspect.isasyncgenfunction(fn)


class _Turn:
    """A turn that begins with the first step."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._started = False

    def start(self) -> None:
        if not state.SUPPRESSED.get():
            self._turn.start()
            self._started = True

    @contextmanager
    def step(self) -> Iterator[None]:
        if not self._started:
            yield
            return
        mine, token = state.TURN.set(self._turn), attach(self._turn.context)
        try:
            yield
        finally:
            detach(token)
            state.reset(state.TURN, mine)

    def end(self, error: BaseException | None) -> None:
        self._turn.end(error)


class _Tool:
    """A tool call that begins with the first step. Its result is the generator: nothing is kept."""

    def __init__(self, tool: ToolCall, arguments: Any, generator: object) -> None:
        self._tool = tool
        self._arguments = arguments
        self._generator = generator

    def start(self) -> None:
        self._tool.start(self._arguments, current=False)

    @contextmanager
    def step(self) -> Iterator[None]:
        token = attach(self._tool.context)
        try:
            yield
        finally:
            detach(token)

    def end(self, error: BaseException | None) -> None:
        if error is None:
            self._tool.finish(self._generator)
        else:
            self._tool.fail(error)


def in_turn(turn: Turn, generator: Any) -> Any:
    """The generator, run in a turn that begins and ends with it."""
    return _driven(_Turn(turn), generator)


def in_tool(tool: ToolCall | None, arguments: Any, generator: Any) -> Any:
    """The generator, recorded as a tool call that lasts as long; the same one without a record."""
    return generator if tool is None else _driven(_Tool(tool, arguments, generator), generator)


def _driven(what: _Turn | _Tool, generator: Any) -> Any:
    drive: Any = _async if inspect.isasyncgen(generator) else _sync
    driven = drive(what, generator)
    driven.__name__, driven.__qualname__ = generator.__name__, generator.__qualname__
    return driven


def _sync(what: _Turn | _Tool, generator: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
    with guard("generator.start"):
        what.start()
    take: Any = generator.send
    given: Any = None
    try:
        while True:
            with what.step():
                value = take(given)
            try:
                given = yield value
                take = generator.send
            except BaseException as thrown:  # GeneratorExit too, which it may not heed
                take, given = generator.throw, thrown
    except StopIteration as done:
        _end(what, None)
        return done.value
    except BaseException as error:
        _end(what, error)
        raise


async def _async(what: _Turn | _Tool, generator: AsyncGenerator[Any, Any]) -> Any:
    with guard("generator.start"):
        what.start()
    take: Any = generator.asend
    given: Any = None
    try:
        while True:
            with what.step():
                value = await take(given)
            try:
                given = yield value
                take = generator.asend
            except BaseException as thrown:  # as above
                take, given = generator.athrow, thrown
    except StopAsyncIteration:
        _end(what, None)
    except BaseException as error:
        _end(what, error)
        raise


def _end(what: _Turn | _Tool, error: BaseException | None) -> None:
    with guard("generator.end"):
        what.end(error)
