"""Functions as tools and as agent loops: sync, async, generators; signature and kind are kept."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

import wrapt

from ..errors import DeclarationError
from ..run import state
from ..run.tools import ToolCall, tool_call
from ..run.turn import Turn

if TYPE_CHECKING:
    from .footprint import Footprint

T = TypeVar("T")


def wrap_callable(footprint: Footprint, fn: Callable[..., T], kind: str | None = None) -> Any:
    """A function as a tool inside a turn, as a turn outside one; `kind` fixes which."""
    if kind not in (None, "tool", "agent"):
        raise DeclarationError("kind", kind, "'tool', 'agent' or None")
    name = getattr(fn, "__name__", type(fn).__name__)

    def as_tool() -> bool:
        return kind == "tool" or (kind is None and state.TURN.get() is not None)

    if _is_async(fn):

        async def call_async(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
            if as_tool():
                return await _run_async(tool_call(None, name), wrapped, args, kwargs)
            async with footprint.turn(agent=name):
                return await wrapped(*args, **kwargs)

        return _wrapper(fn, call_async)

    def call(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        if as_tool():
            return _run(tool_call(None, name), wrapped, args, kwargs)
        with footprint.turn(agent=name):
            return wrapped(*args, **kwargs)

    return _wrapper(fn, call)


def wrap_tool(
    fn: Callable[..., T],
    name: str,
    call_id: str = "",
    turn: Turn | None = None,
) -> Callable[..., T]:
    """A function as a tool of the given turn, else of the current one."""
    if _is_async(fn):

        async def call_async(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
            return await _run_async(tool_call(turn, name, call_id), wrapped, args, kwargs)

        return _wrapper(fn, call_async)

    def call(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        return _run(tool_call(turn, name, call_id), wrapped, args, kwargs)

    return _wrapper(fn, call)


if TYPE_CHECKING:
    _Wrapper = wrapt.FunctionWrapper[..., Any]
else:
    _Wrapper = wrapt.FunctionWrapper


class _Recorded(_Wrapper):
    """A function that we wrapped: a type of its own, so that we know it again."""


def _wrapper(fn: Callable[..., T], wrapper: Any) -> Callable[..., T]:
    return cast("Callable[..., T]", _Recorded(fn, wrapper))


def undecorated(fn: Callable[..., T]) -> Callable[..., T]:
    """The function beneath our wrapper, so that one call is recorded once."""
    return cast("Callable[..., T]", fn.__wrapped__) if type(fn) is _Recorded else fn


def is_recorded(fn: object) -> bool:
    """True for a function that we wrapped."""
    return type(fn) is _Recorded


def _is_async(fn: Any) -> bool:
    return inspect.iscoroutinefunction(fn) or inspect.iscoroutinefunction(
        getattr(type(fn), "__call__", None)  # noqa: B004
    )


def _run(tool: ToolCall | None, fn: Any, args: Any, kwargs: Any) -> Any:
    if tool is None:
        return fn(*args, **kwargs)
    tool.start(_arguments(args, kwargs))
    try:
        result = fn(*args, **kwargs)
    except BaseException as error:
        tool.fail(error)
        raise
    tool.finish(result)
    return result


async def _run_async(tool: ToolCall | None, fn: Any, args: Any, kwargs: Any) -> Any:
    if tool is None:
        return await fn(*args, **kwargs)
    tool.start(_arguments(args, kwargs))
    try:
        result = await fn(*args, **kwargs)
    except BaseException as error:
        tool.fail(error)
        raise
    tool.finish(result)
    return result


def _arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return kwargs if not args else [*args, kwargs] if kwargs else list(args)
