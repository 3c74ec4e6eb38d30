"""The seam through which what a person declared acts on requests, answers and tool calls.

A turn has `Features` only when something is declared; otherwise `turn.features` is None and every
point here costs one comparison. A feature (injected context, declared sources of arguments,
programs under the answer) is a `Feature` with the points that it needs; `Footprint` hands its
maker to `Core.makers`, in the order in which the features are asked.

An adapter calls, for each model call:

    action = features.plan(request)            or  await features.plan_async(request)
    ... the plan's edits are made on a copy (`adapters.edits`), the copy is sent and recorded ...
    end = features.answered(action, response)  (or `features.failed(action)` when it raised)

and around each tool call that runs through us:

    run = features.before_tool(name, call_id, arguments)    or  await ..._async
    ... `run.instead`, when it is set, stands in place of the tool's result; else the tool is run
        with `run.arguments` ...
    result = features.after_tool(run, "ok", result)

Nothing here raises into the agent, but for what a feature does on purpose while it asks a person.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..records.plan import NOTHING, EndAnswer, Plan
from ..records.view import ToolStatus
from ..slots.copies import copy
from ..slots.lineage import BASES
from ..telemetry.guard import guard
from ..wire.types import Dialect, Part, Response
from .injected import Event
from .request import Known, Request, common

if TYPE_CHECKING:
    from .call import Call
    from .tools import ToolCall
    from .turn import Turn


class Asked(NamedTuple):
    """A tool call that an answer asks for."""

    name: str
    call_id: str
    arguments: str
    """JSON text, as the model wrote it."""


class Action:
    """One model call of the turn and its retries: what was planned, and what came back."""

    __slots__ = ("answer", "call", "failed", "number", "plan", "request", "sent")

    def __init__(self, request: Request) -> None:
        self.request = request
        self.number = request.action
        self.plan: Plan = NOTHING
        self.sent: Mapping[str, Any] = request.body
        """The body that left, with the plan's edits."""
        self.call: Call | None = None
        """Its record; None when nothing records."""
        self.answer: Answer | None = None
        self.failed = False


class Answer(NamedTuple):
    """What a model call came back with."""

    response: Response
    dialect: Dialect
    parts: tuple[Part, ...]
    """Everything it says, in order."""
    asked: tuple[Asked, ...]
    """The tool calls that the application is to run, in the model's order."""
    complete: bool
    """False when the stream was left early or the provider cut it off."""
    editable: bool = False
    """True while a text can still be put under it."""

    @property
    def text(self) -> str:
        """Its last text."""
        return next((p.text for p in reversed(self.parts) if p.kind == "text" and p.text), "")


class ToolRun:
    """One tool call that runs through us."""

    __slots__ = ("arguments", "call_id", "events", "instead", "name", "notes", "record", "status")

    def __init__(
        self, name: str, call_id: str, arguments: Any, record: ToolCall | None = None
    ) -> None:
        self.name = name
        self.call_id = call_id
        self.arguments = arguments
        """What the tool is run with: the very object that came in, unless a feature changed it."""
        self.instead: str | None = None
        """A text that stands in place of the tool's result; the tool is then not run."""
        self.status: ToolStatus = "ok"
        """How the call is judged when nothing raises: set it beside `instead` for a refusal."""
        self.notes: list[str] = []
        """Texts to be put behind a result that is a text."""
        self.record = record
        """Its span's record; None when nothing records."""
        self.events: list[Event] = []
        """To be written on its span when it ends."""


class Feature:
    """One feature of a turn: any of these points, each of which does nothing by itself."""

    def plan(self, request: Request) -> Plan:  # noqa: ARG002
        """What is to be changed in a request; `request.plan` holds what others want already."""
        return NOTHING

    async def plan_async(self, request: Request) -> Plan:
        """The same where the call can await."""
        return self.plan(request)

    ends_answers = False
    """True for a feature that puts texts under answers: of a stream it is asked before its end."""

    def composed(self, action: Action, call: Call) -> None:
        """The request's record begins: slots are composed, events of the call may be added."""

    def began(self, call: Call) -> None:
        """The request is composed (`call.composed`) and is about to leave."""

    def answered(self, action: Action, answer: Answer) -> EndAnswer | None:  # noqa: ARG002
        """The answer is there."""
        return None

    def observed(self, action: Action, answer: Answer) -> None:
        """A model call that was made elsewhere is recorded: nothing of it can be changed."""

    def before_tool(self, run: ToolRun) -> None:
        """A tool call is about to run; may set `instead`, `arguments`, `notes`, `events`."""

    async def before_tool_async(self, run: ToolRun) -> None:
        """The same where it can await."""
        self.before_tool(run)

    def after_tool(self, run: ToolRun, status: ToolStatus, result: Any) -> None:
        """It came back: `result` is what the tool gave, or `run.instead`, or the exception."""

    def unreached(self, call_id: str) -> None:
        """A tool call whose arguments could not be read, so that nothing was run."""

    name = ""
    """Under which it saves what it has to remember over a pause; empty: nothing."""

    def saved(self) -> Any:
        """What it has to remember over a pause, as JSON; `restore` reads it again."""
        return None

    def restore(self, saved: Any, goes_on: bool) -> None:
        """Takes what `saved` gave: `goes_on` in the same turn, else in a later one."""

    def follows(self, earlier: Any) -> None:
        """This turn goes on where an earlier one of the conversation ended."""

    def ended(self, outcome: str) -> None:
        """The turn ends; `turn.event` still takes events."""


Maker = Callable[["Turn"], Feature]


class Features:
    """The features of one turn."""

    def __init__(self, turn: Turn, makers: Sequence[Maker]) -> None:
        self.turn = turn
        self.known = Known()
        self.members: list[Feature] = []
        for make in makers:
            with guard("feature"):
                self.members.append(make(turn))
        self.actions = 0
        """Model calls of this turn so far; retries do not count."""
        self.last: Action | None = None
        self.seen = 0
        """How many messages of the call before stand at the beginning of the last one."""
        self.own: deque[list[Any]] = deque(maxlen=BASES)
        """Copies of the caller's own messages in the last calls, the newest first."""
        self._lock = RLock()
        if turn.fields.resume is not None:
            self.restore(turn.fields.resume, True)

    @property
    def ends_answers(self) -> bool:
        """Whether a feature puts texts under answers."""
        return any(member.ends_answers for member in self.members)

    def get(self, kind: type[Any]) -> Any:
        """The member of a class; None without one."""
        return next((m for m in self.members if isinstance(m, kind)), None)

    # --- model calls -------------------------------------------------------------------------

    def plan(self, request: Request) -> Action:
        """Plans a model call; a retry of one that failed has the plan of its first try."""
        with self._lock:
            action = self._again(request)
            if action is not None:
                return action
            action = self._next(request)
            for member in self.members:
                with guard("plan"):
                    request.plan = request.plan.merged(member.plan(request))
            action.plan = request.plan
            return action

    async def plan_async(self, request: Request) -> Action:
        """The same where the call can await."""
        action = self._again(request)
        if action is not None:
            return action
        action = self._next(request)
        for member in self.members:
            with guard("plan"):
                request.plan = request.plan.merged(await member.plan_async(request))
        action.plan = request.plan
        return action

    def _again(self, request: Request) -> Action | None:
        last = self.last
        if last is None or not last.failed:
            return None
        try:
            same = last.request.layout == request.layout
        except Exception:  # comparing odd objects runs their code: then it is another call
            return None
        if same:
            last.failed = False
        return last if same else None

    def _next(self, request: Request) -> Action:
        messages = request.layout.messages
        before = self.own[0] if self.own else []
        self.seen = common(before, messages)
        self.own.appendleft(before[: self.seen] + [copy(e) for e in messages[self.seen :]])
        self.actions += 1
        request.action = self.actions
        self.last = Action(request)
        return self.last

    def composed(self, action: Action, call: Call) -> None:
        """The call's record begins."""
        action.call = call
        for member in self.members:
            with guard("composed"):
                member.composed(action, call)

    def began(self, call: Call) -> None:
        """The request is about to leave."""
        for member in self.members:
            with guard("began"):
                member.began(call)

    def answered(
        self,
        action: Action,
        response: Response | None,
        complete: bool = True,
        editable: bool = False,
    ) -> EndAnswer | None:
        """The answer is there; what is to be put under its last text, or None.

        `editable`: the adapter can do that. Of a stream it is called once, before its last events
        are handed on, where `ends_answers`, else at its end.
        """
        if response is None:
            return None
        end: EndAnswer | None = None
        with guard("answered"):
            answer = read(action.request.dialect, response, complete, editable)
            action.answer = answer
            for member in self.members:
                with guard("answered"):
                    end = member.answered(action, answer) or end
        return end

    def observed(self, request: Request, call: Call, response: Response) -> None:
        """A model call that was made elsewhere is recorded."""
        with guard("observed"):
            action = Action(request)
            action.call = call
            answer = read(request.dialect, response)
            for member in self.members:
                with guard("observed"):
                    member.observed(action, answer)

    def failed(self, action: Action) -> None:
        """The call raised: the same call made again is a retry."""
        action.failed = True

    # --- tool calls --------------------------------------------------------------------------

    def before_tool(
        self, name: str, call_id: str, arguments: Any, record: ToolCall | None = None
    ) -> ToolRun:
        """A tool call is about to run through us."""
        run = self._run(name, call_id, arguments, record)
        for member in self.members:
            with guard("before_tool"):
                member.before_tool(run)
        return run

    async def before_tool_async(
        self, name: str, call_id: str, arguments: Any, record: ToolCall | None = None
    ) -> ToolRun:
        """The same where it can await."""
        run = self._run(name, call_id, arguments, record)
        for member in self.members:
            with guard("before_tool"):
                await member.before_tool_async(run)
        return run

    def _run(self, name: str, call_id: str, arguments: Any, record: ToolCall | None) -> ToolRun:
        return ToolRun(name, call_id or self._unnamed(name), arguments, record)

    def _unnamed(self, name: str) -> str:
        """Id of the only call of that name that the last answer asks for; else empty."""
        answer = None if self.last is None else self.last.answer
        ids = [a.call_id for a in (answer.asked if answer else ()) if a.name == name]
        return ids[0] if len(ids) == 1 else ""

    def after_tool(self, run: ToolRun, status: ToolStatus, result: Any) -> Any:
        """It came back. The result to hand on: the very same, unless notes go behind a text."""
        for member in self.members:
            with guard("after_tool"):
                member.after_tool(run, status, result)
        if run.record is not None:
            for name, attributes in run.events:
                with guard("tool.event"):
                    run.record.event(name, attributes)
        if run.notes and type(result) is str:
            return "".join((result, *run.notes))
        return result

    def unreached(self, call_id: str) -> None:
        """The arguments of a tool call could not be read."""
        for member in self.members:
            with guard("unreached"):
                member.unreached(call_id)

    # --- the turn ----------------------------------------------------------------------------

    def saved(self) -> dict[str, Any]:
        """What the features have to remember over a pause, as JSON."""
        out: dict[str, Any] = {"actions": self.actions}
        for member in self.members:
            with guard("saved"):
                if member.name:
                    out[member.name] = member.saved()
        return out

    def restore(self, saved: Mapping[str, Any], goes_on: bool) -> None:
        """Takes what `saved` gave."""
        actions = saved.get("actions")
        if goes_on and type(actions) is int:
            self.actions = actions
        for member in self.members:
            with guard("restore"):
                if member.name in saved:
                    member.restore(saved[member.name], goes_on)

    def follows(self, earlier: Features) -> None:
        """This turn goes on where an earlier one of the conversation ended."""
        for mine, theirs in zip(self.members, earlier.members, strict=False):
            with guard("follows"):
                mine.follows(theirs)

    def ended(self, outcome: str) -> None:
        """The turn ends; its span still takes events."""
        for member in self.members:
            with guard("ended"):
                member.ended(outcome)


def read(
    dialect: Dialect, response: Response, complete: bool = True, editable: bool = False
) -> Answer:
    """An answer taken apart. Tools that the provider runs itself are not asked for."""
    parts = tuple(part for item in response.items for part in dialect.parts(item.value))
    theirs = {part.id for part in parts if part.kind == "tool_result"}
    theirs.update(*(_run_by_provider(item.value) for item in response.items))
    asked = tuple(
        Asked(part.name, part.id, part.text)
        for part in parts
        if part.kind == "tool_call" and part.id not in theirs and part.name
    )
    return Answer(response, dialect, parts, asked, complete and response.complete, editable)


_PROVIDERS: Final = frozenset(
    {
        "code_interpreter_call", "file_search_call", "image_generation_call", "mcp_call",
        "mcp_tool_use", "server_tool_use", "web_search_call",
    }
)  # fmt: skip
"""Types of tool calls that a provider runs itself."""


def _run_by_provider(value: Any) -> set[str]:
    held = value.get("content") if isinstance(value, Mapping) else None
    blocks = [value, *held] if isinstance(held, list) else [value]
    return {
        str(block.get("id"))
        for block in blocks
        if isinstance(block, Mapping) and block.get("type") in _PROVIDERS
    }


def arguments_of(value: Any) -> Mapping[str, Any] | None:
    """Arguments as an object: of JSON text, or as they are; None for anything else."""
    if isinstance(value, str):
        try:
            value = json.loads(value or "{}")
        except ValueError:
            return None
    return value if isinstance(value, Mapping) else None
