"""Triggers: when a piece is let in. Each is a small frozen value; asking one changes nothing.

    always()                        at every model call
    a callable of the context       when it says so (`rule`)
    on_tool_return("search")        at the call after that tool came back
    on_tool_return(status="error")  at the call after any tool came back so
    after_tool("search")            from then on, for the rest of the turn
    on_action(3), on_action(3, 5)   at that call, or at those from the first to the last
    from_action(8)                  from that call on

A tool is named by its exact name or by a compiled pattern, which is searched in the name. A
pattern keeps no position between two questions, so identical facts give identical answers.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, get_args

from ..errors import DeclarationError, gives_coroutine, known_options, takes
from ..records.view import ToolStatus
from .blank import is_blank
from .context import Context

Predicate = Callable[[Context], Any]
"""A rule of the author: what it returns counts by its truth; an awaitable is awaited where the
agent is async, and refused where it is not (it never counts as true by itself)."""
ToolPattern = str | re.Pattern[str]

STATUSES: Final = frozenset(get_args(ToolStatus))


class Trigger(Protocol):
    """Anything that can be asked whether a piece is to be let in."""

    @property
    def name(self) -> str:
        """How it is called on the record."""
        ...

    def holds(self, ctx: Context) -> Any:
        """The answer, counted by its truth. May raise: the piece is then skipped."""
        ...


@dataclass(frozen=True)
class Always:
    """At every model call."""

    name: str = "always"

    def holds(self, ctx: Context) -> bool:  # noqa: ARG002  a trigger is asked with the facts
        """True."""
        return True


@dataclass(frozen=True)
class Rule:
    """When a predicate says so."""

    predicate: Predicate
    name: str = "rule"
    is_async: bool = field(init=False)
    """True when the predicate is known to give an awaitable."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_async", gives_coroutine(self.predicate))

    def holds(self, ctx: Context) -> Any:
        """What the predicate returns."""
        return self.predicate(ctx)


@dataclass(frozen=True)
class OnToolReturn:
    """At the call after a tool came back, optionally only with one status."""

    tool: ToolPattern | None
    status: ToolStatus | None
    name: str

    def holds(self, ctx: Context) -> bool:
        """True when any result of the previous batch fits."""
        for result in ctx.results:
            if self.status is not None and result.status != self.status:
                continue
            if self.tool is None or _fits(self.tool, result.name):
                return True
        return False


@dataclass(frozen=True)
class AfterTool:
    """From the call after a tool came back, for the rest of the turn."""

    tool: ToolPattern
    name: str

    def holds(self, ctx: Context) -> bool:
        """True when the tool came back in this turn, however it came out."""
        if isinstance(self.tool, str):
            return self.tool in ctx.called
        search = self.tool.search
        return any(search(name) is not None for name in ctx.called)


@dataclass(frozen=True)
class OnAction:
    """At the model calls from `first` to `last` of a turn (None: without end)."""

    first: int
    last: int | None
    name: str

    def holds(self, ctx: Context) -> bool:
        """True when the call's number lies in the range."""
        return self.first <= ctx.action and (self.last is None or ctx.action <= self.last)


@dataclass(frozen=True)
class ReadSkill:
    """When the skill was activated: by the model (`read_skill`) or by its auto-activation."""

    skill: str
    name: str = "read_skill"

    def holds(self, ctx: Context) -> bool:
        """True from the call after the activation to the end of the turn."""
        return self.skill in ctx.skills


ALWAYS: Final = Always()


def always() -> Trigger:
    """At every model call."""
    return ALWAYS


@known_options("on_tool_return")
def on_tool_return(tool: ToolPattern | None = None, *, status: ToolStatus | None = None) -> Trigger:
    """At the call after a tool came back: one tool, one status, or both."""
    if tool is None and status is None:
        raise DeclarationError("on_tool_return", None, "a tool, a status, or both")
    if status is not None and (not isinstance(status, str) or status not in STATUSES):
        raise DeclarationError(
            "on_tool_return.status", status, "one of " + ", ".join(sorted(STATUSES))
        )
    shown = [] if tool is None else [_shown(_tool("on_tool_return.tool", tool))]
    return OnToolReturn(tool, status, "tool return: " + " ".join([*shown, *filter(None, [status])]))


@known_options("after_tool")
def after_tool(tool: ToolPattern) -> Trigger:
    """From the call after the tool came back, for the rest of the turn."""
    return AfterTool(_tool("after_tool.tool", tool), f"after tool: {_shown(tool)}")


@known_options("on_action")
def on_action(first: int, last: int | None = None) -> Trigger:
    """At model call `first` of each turn, or at those from `first` to `last`."""
    _number("on_action.first", first, 1)
    if last is None:
        return OnAction(first, first, f"action {first}")
    _number("on_action.last", last, first)
    return OnAction(first, last, f"action {first} to {last}")


@known_options("from_action")
def from_action(first: int) -> Trigger:
    """From model call `first` of each turn on."""
    _number("from_action.first", first, 1)
    return OnAction(first, None, f"from action {first}")


def as_trigger(value: Trigger | Predicate | None, field: str) -> Trigger:
    """The trigger of `when=`: None is always, a callable is a rule; else DeclarationError."""
    if value is None:
        return ALWAYS
    if isinstance(value, Always | Rule | OnToolReturn | AfterTool | OnAction):
        return value
    ours = getattr(value, "__module__", None) == __name__  # `when=on_action`, without a call
    if callable(value) and not ours and not inspect.isclass(value) and takes(value, 1):
        return Rule(value)
    raise DeclarationError(
        field, value, "a callable (context) -> bool, always(), on_tool_return(), after_tool(), "
        "on_action() or from_action()"
    )  # fmt: skip


def is_async(trigger: Trigger) -> bool:
    """True for a rule whose predicate is known to give an awaitable."""
    return isinstance(trigger, Rule) and trigger.is_async


def _tool(field: str, tool: ToolPattern) -> ToolPattern:
    if isinstance(tool, re.Pattern) and isinstance(tool.pattern, str):
        return tool
    if not isinstance(tool, str) or is_blank(tool):
        raise DeclarationError(field, tool, "a tool's name, or a compiled pattern of text")
    return tool


def _number(field: str, value: object, least: int) -> None:
    if type(value) is not int or value < least:
        raise DeclarationError(field, value, f"a whole number from {least} on")


def _fits(tool: ToolPattern, name: str) -> bool:
    return tool == name or (not isinstance(tool, str) and tool.search(name) is not None)


def _shown(tool: ToolPattern) -> str:
    return tool if isinstance(tool, str) else f"/{tool.pattern}/"
