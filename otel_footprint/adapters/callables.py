"""Functions as tools and as agent loops: sync, async, generators; signature and kind are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import wrapt

from ..errors import DeclarationError, gives_coroutine
from ..run import state
from ..run.tools import ToolCall, tool_call
from ..run.turn import Turn
from ..telemetry.guard import guard
from .generators import in_tool, in_turn, is_generator

if TYPE_CHECKING:
    from ..run.features import Features, ToolRun
    from .footprint import Footprint

T = TypeVar("T")


def wrap_callable(
    footprint: Footprint, fn: Callable[..., T], kind: str | None = None, **others: Any
) -> Any:
    """A function as a tool inside a turn, as a turn outside one; `kind` fixes which.

    One that we have wrapped already is wrapped anew, where another Footprint did it or a kind is
    asked for.
    """
    if others:
        option, value = next(iter(others.items()))
        raise DeclarationError(
            f"wrap.{option}",
            value,
            "no option, for a function, except kind: its settings are Footprint(...)'s",
        )
    if kind not in (None, "tool", "agent"):
        raise DeclarationError("kind", kind, "'tool', 'agent' or None")
    if kind is None and recorded_by(fn) is footprint:
        return fn
    fn = undecorated(fn)
    name = name_of(fn)

    def as_tool() -> bool:
        return kind == "tool" or (kind is None and state.TURN.get() is not None)

    if is_generator(fn):

        def call_generator(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
            if as_tool():
                return _run_generator(Run(None, name, "", footprint), wrapped, args, kwargs)
            return in_turn(footprint.turn(agent=name), wrapped(*args, **kwargs))

        return _wrapper(fn, call_generator, footprint)

    if gives_coroutine(fn):

        async def call_async(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
            if as_tool():
                return await _run_async(Run(None, name, "", footprint), wrapped, args, kwargs)
            async with footprint.turn(agent=name):
                return await wrapped(*args, **kwargs)

        return _wrapper(fn, call_async, footprint)

    def call(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        if as_tool():
            return _run(Run(None, name, "", footprint), wrapped, args, kwargs)
        with footprint.turn(agent=name):
            return wrapped(*args, **kwargs)

    return _wrapper(fn, call, footprint)


def wrap_tool(
    fn: Callable[..., T],
    name: str,
    call_id: str = "",
    turn: Turn | None = None,
    footprint: Footprint | None = None,
) -> Callable[..., T]:
    """A function as a tool of the given turn, else of the current one.

    With a `footprint` that looks where arguments came from: else of the turn that asked for it, so
    that a tool also belongs to its turn in a thread that does not know of any.
    """
    if is_generator(fn):

        def call_generator(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
            return _run_generator(Run(turn, name, call_id, footprint), wrapped, args, kwargs)

        return _wrapper(fn, call_generator, footprint)

    if gives_coroutine(fn):

        async def call_async(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
            return await _run_async(Run(turn, name, call_id, footprint), wrapped, args, kwargs)

        return _wrapper(fn, call_async, footprint)

    def call(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        return _run(Run(turn, name, call_id, footprint), wrapped, args, kwargs)

    return _wrapper(fn, call, footprint)


if TYPE_CHECKING:
    _Wrapper = wrapt.FunctionWrapper[..., Any]
else:
    _Wrapper = wrapt.FunctionWrapper


class _Recorded(_Wrapper):
    """A function that we wrapped: a type of its own, so that we know it again."""

    def __init__(self, fn: Any, wrapper: Any, footprint: Footprint | None) -> None:
        super().__init__(fn, wrapper)
        self._self_footprint = footprint


def _wrapper(fn: Callable[..., T], wrapper: Any, footprint: Footprint | None) -> Callable[..., T]:
    return cast("Callable[..., T]", _Recorded(fn, wrapper, footprint))


def undecorated(fn: Callable[..., T]) -> Callable[..., T]:
    """The function beneath our wrapper, so that one call is recorded once."""
    return cast("Callable[..., T]", fn.__wrapped__) if type(fn) is _Recorded else fn


def recorded_by(fn: object) -> Footprint | None:
    """The Footprint that a function was wrapped by; None for one that we did not wrap."""
    return fn._self_footprint if type(fn) is _Recorded else None  # noqa: SLF001


def name_of(fn: object) -> str:
    """A function's name; of what has none, or one that is no text, its type's."""
    name = getattr(fn, "__name__", None)
    return name if isinstance(name, str) and name else type(fn).__name__


class Run(NamedTuple):
    """A tool call that is about to run: of this turn, else of the current one."""

    turn: Turn | None
    name: str
    call_id: str
    footprint: Footprint | None = None

    def of(self, args: Any, kwargs: Any) -> Turn | None:
        """The turn that it belongs to."""
        if self.turn is not None or self.footprint is None:
            return self.turn
        turn, core = state.TURN.get(), self.footprint.core
        if core.asked_for is None or (turn is not None and turn.core is core):
            return turn
        with guard("tool.turn"):
            return core.asked_for(self.name, self.call_id, _arguments(args, kwargs)) or turn
        return turn


def _run(run: Run, fn: Any, args: Any, kwargs: Any) -> Any:
    turn = run.of(args, kwargs)
    tool, features = tool_call(turn, run.name, run.call_id), _features(turn)
    if tool is None and features is None:
        return fn(*args, **_bare(run, kwargs))
    if tool is not None:
        tool.start(_arguments(args, kwargs))
    if features is None:
        return _plain(tool, fn, args, _bare(run, kwargs))
    try:
        ours = features.before_tool(run.name, run.call_id, _arguments(args, kwargs), tool)
    except BaseException as error:  # of a person or a framework, while somebody was asked
        if tool is not None:
            tool.fail(error)
        raise
    try:
        if ours.instead is not None:
            result = ours.instead
        else:
            args, kwargs = _changed(ours, args, kwargs)
            result = fn(*args, **_bare(run, kwargs))
    except BaseException as error:
        failed(features, ours, error)
        raise
    return returned(features, ours, result)


def _plain(tool: ToolCall | None, fn: Any, args: Any, kwargs: Any) -> Any:
    try:
        result = fn(*args, **kwargs)
    except BaseException as error:
        if tool is not None:
            tool.fail(error)
        raise
    if tool is not None:
        tool.finish(result)
    return result


async def _run_async(run: Run, fn: Any, args: Any, kwargs: Any) -> Any:
    turn = run.of(args, kwargs)
    tool, features = tool_call(turn, run.name, run.call_id), _features(turn)
    if tool is None and features is None:
        return await fn(*args, **_bare(run, kwargs))
    if tool is not None:
        tool.start(_arguments(args, kwargs))
    if features is None:
        return await _plain_async(tool, fn, args, _bare(run, kwargs))
    said = _arguments(args, kwargs)
    try:
        ours = await features.before_tool_async(run.name, run.call_id, said, tool)
    except BaseException as error:  # of a person or a framework, while somebody was asked
        if tool is not None:
            tool.fail(error)
        raise
    try:
        if ours.instead is not None:
            result = ours.instead
        else:
            args, kwargs = _changed(ours, args, kwargs)
            result = await fn(*args, **_bare(run, kwargs))
    except BaseException as error:
        failed(features, ours, error)
        raise
    return returned(features, ours, result)


async def _plain_async(tool: ToolCall | None, fn: Any, args: Any, kwargs: Any) -> Any:
    try:
        result = await fn(*args, **kwargs)
    except BaseException as error:
        if tool is not None:
            tool.fail(error)
        raise
    if tool is not None:
        tool.finish(result)
    return result


def _run_generator(run: Run, fn: Any, args: Any, kwargs: Any) -> Any:
    turn = run.of(args, kwargs)
    if _features(turn) is not None:  # what is declared decides before it is made
        return _run(run, fn, args, kwargs)
    tool = tool_call(turn, run.name, run.call_id)
    return in_tool(tool, _arguments(args, kwargs), fn(*args, **_bare(run, kwargs)))


def failed(features: Features, run: ToolRun, error: BaseException) -> None:
    """The tool raised."""
    features.after_tool(run, "error", error)
    if run.record is not None:
        run.record.fail(error)


def returned(features: Features, run: ToolRun, result: Any) -> Any:
    """The tool returned, or something stands in its place; the result to hand on."""
    handed = features.after_tool(run, run.status, result)
    if run.record is not None:
        run.record.finish(result, run.status)
    return handed


def _features(turn: Turn | None) -> Features | None:
    turn = state.turn() if turn is None else turn.mine()
    return None if turn is None or state.SUPPRESSED.get() else turn.features


def _bare(run: Run, kwargs: Any) -> Any:
    """The arguments without what the library planted, whoever runs the tool."""
    if run.footprint is None or run.footprint.core.bare is None:
        return kwargs
    return run.footprint.core.bare(run.name, kwargs)


def _changed(run: ToolRun, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The arguments to run with; the very same where no feature changed them."""
    if not args and isinstance(run.arguments, Mapping):
        return (), run.arguments
    return args, kwargs


def _arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return kwargs if not args else [*args, kwargs] if kwargs else list(args)
