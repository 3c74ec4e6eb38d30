"""The middleware: records each model call and tool call of an agent, and lets context in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from langchain.agents.middleware import (
    AgentMiddleware,
    AgentState,
    ExtendedModelResponse,
    ModelRequest,
    ModelResponse,
    hook_config,
)
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command
from typing_extensions import NotRequired

from ...run import state as current
from ...run.apart import taken_apart
from ...run.features import Features
from ...run.injecting import Injecting
from ...run.request import Abilities, Request
from ...run.turn import Turn
from ...telemetry.guard import guard
from ...wire import DIALECTS
from ..framework import ModelCall, ToolRunning, unrecorded
from . import convert, stream
from .runs import RUNS

if TYPE_CHECKING:
    from ..footprint import Footprint

_CHAT = DIALECTS["openai.chat"]
_Result = ToolMessage | Command[Any]


class FootprintState(AgentState[Any]):
    """What the middleware keeps in the graph's own state, so that it survives where that does."""

    footprint: NotRequired[Annotated[dict[str, Any], PrivateStateAttr]]


class FootprintMiddleware(AgentMiddleware[FootprintState, Any, Any]):
    """Records, and lets in what its Footprint declares. Last in the list of middleware.

    A run of the agent is a turn: the one that is current around it, else one of its own, whose
    conversation is the graph's thread. What is declared keeps its state in the graph's state.
    """

    state_schema = FootprintState

    def __init__(
        self, footprint: Footprint, agent: str | None = None, action_budget: int | None = None
    ) -> None:
        super().__init__()
        self.footprint = footprint
        self.agent = agent
        self.action_budget = action_budget
        self.tools = tuple(convert.tools_of(footprint.declared))
        self.ours = frozenset(tool.name for tool in self.tools)
        self._turns: WeakValueDictionary[str, Turn] = WeakValueDictionary()
        self._known: WeakKeyDictionary[Turn, convert.Known] = WeakKeyDictionary()

    # --- the turn ----------------------------------------------------------------------------

    def before_agent(self, state: FootprintState, runtime: Any) -> dict[str, Any] | None:  # noqa: ARG002
        """A run begins."""
        saved: dict[str, Any] | None = None
        with guard("langchain.begin"):
            turn = self._begin(dict(state.get("footprint") or {}), goes_on=False)
            saved = None if turn is None else turn.saved()
        return None if saved is None else {"footprint": saved}

    def after_agent(self, state: FootprintState, runtime: Any) -> dict[str, Any] | None:  # noqa: ARG002
        """A run came to its end."""
        with guard("langchain.end"):
            turn = self.turn_of(state)
            if turn is not None:
                RUNS.answered(turn)
        return None

    def _begin(self, saved: dict[str, Any], goes_on: bool) -> Turn | None:
        if current.SUPPRESSED.get() or not (self.footprint.enabled or self.footprint.core.makers):
            return None
        around = current.turn()
        core = self.footprint.core
        if around is not None and around.core is core and not RUNS.busy(around):
            turn, ours = around, False
        else:
            thread = get_config().get("configurable", {}).get("thread_id")
            turn = self.footprint.turn(
                conversation=None if thread is None else str(thread) or None,
                agent=self.agent,
                action_budget=self.action_budget,
                resume=saved if goes_on and "turn" in saved else None,
            ).start()
            ours = True
        if saved and turn.features is not None and not (goes_on and ours):
            turn.features.restore(saved, goes_on)
        RUNS.join(turn, ours)
        self._turns[turn.id] = turn
        self._known[turn] = convert.Known()
        return turn

    def turn_of(self, state: Any) -> Turn | None:
        """The turn that a run of the agent belongs to."""
        saved = state.get("footprint") if isinstance(state, Mapping) else None
        if not saved or current.SUPPRESSED.get():
            return None
        turn = self._turns.get(saved.get("turn", ""))
        if turn is None or not turn.is_open:
            turn = self._begin(dict(saved), goes_on=True)
        return turn

    # --- model calls -------------------------------------------------------------------------

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> Any:
        """Records a model call, with what is let in."""
        made = self._asked(request)
        if made is None:
            return handler(request)
        made.plan()
        try:
            with unrecorded():
                result = handler(made.begin(request, self._edit(made)))
        except BaseException as error:
            made.failed(error)
            raise
        return self._answered(made, result)

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> Any:
        """The same for async runs."""
        made = self._asked(request)
        if made is None:
            return await handler(request)
        await made.plan_async()
        try:
            with unrecorded():
                result = await handler(made.begin(request, self._edit(made)))
        except BaseException as error:
            made.failed(error)
            raise
        return self._answered(made, result)

    def _edit(self, made: ModelCall) -> Any:
        return partial(convert.edited, known=self._known[made.asked.turn])

    def _asked(self, request: ModelRequest[Any]) -> ModelCall | None:
        with guard("langchain.request"):
            turn = self.turn_of(request.state)
            if turn is None:
                return None
            system = convert.blocks(request.system_message)
            found = convert.recorded(request, system, {}, self._known[turn])
            body, layout, facts = taken_apart(_CHAT, found.body)
            abilities = Abilities(True, ours=self.ours, limit=self.action_budget)
            provider = convert.provider_of(request.model)
            asked = Request(turn, provider, _CHAT, body, layout, facts, abilities)
            if turn.features is not None:
                _results(turn.features, request)
            return ModelCall(self.footprint, asked, found, request.response_format is not None)
        return None

    def _answered(self, made: ModelCall, result: Any) -> Any:
        """The answer, with what is to be remembered beside it."""
        with guard("langchain.answered"):
            found = [m for m in getattr(result, "result", ()) if isinstance(m, AIMessage)]
            model = made.asked.facts.model or ""
            read = _CHAT.response(convert.response(found[-1], model)) if found else None
            prose = made.typed is False and isinstance(result, ModelResponse)
            text = made.answered(read, editable=prose)
            if made.features is not None and isinstance(result, ModelResponse):
                saved = {"footprint": made.asked.turn.saved()}
                if text:
                    stream.follow(found[-1].id, text)
                    ended = [convert.under(m, text) if m is found[-1] else m for m in result.result]
                    result = replace(result, result=ended)
                return ExtendedModelResponse(result, Command(update=saved))
        return result

    # --- tool calls --------------------------------------------------------------------------

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], _Result]
    ) -> _Result:
        """Records a tool call."""
        made = self._tool(request)
        if made is None:
            return handler(request)
        made.before()
        with made.inside(GraphBubbleUp):
            result = _instead(made, request) or handler(_changed(made, request))
        return _returned(made, request, result)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[_Result]]
    ) -> _Result:
        """The same for async runs."""
        made = self._tool(request)
        if made is None:
            return await handler(request)
        await made.before_async()
        with made.inside(GraphBubbleUp):
            result = _instead(made, request) or await handler(_changed(made, request))
        return _returned(made, request, result)

    def _tool(self, request: ToolCallRequest) -> ToolRunning | None:
        with guard("langchain.tool"):
            turn, call = self.turn_of(request.state), request.tool_call
            if turn is not None:
                return ToolRunning(turn, call["name"], call["id"] or "", call["args"])
        return None


class NudgingMiddleware(FootprintMiddleware):
    """The same with procedures: a premature answer may be followed by one more model call."""

    @property
    def name(self) -> str:
        """The name of the middleware in the graph."""
        return FootprintMiddleware.__name__

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: FootprintState, runtime: Any) -> dict[str, Any] | None:  # noqa: ARG002
        """An answer is there: with steps left, it is nudged once."""
        with guard("langchain.nudge"):
            turn = self.turn_of(state)
            last = state["messages"][-1] if state["messages"] else None
            if turn is None or turn.features is None or not isinstance(last, AIMessage):
                return None
            feature = turn.features.get(Injecting)
            nudge = feature.nudge() if feature is not None and not last.tool_calls else None
            if nudge is not None:
                message = HumanMessage(content=nudge.text)
                return {"messages": [message], "jump_to": "model", "footprint": turn.saved()}
        return None


def _instead(made: ToolRunning, request: ToolCallRequest) -> ToolMessage | None:
    """What stands in place of the tool's result."""
    run, call = made.run, request.tool_call
    if run.instead is None:
        return None
    return ToolMessage(run.instead, tool_call_id=call["id"], name=call["name"])


def _changed(made: ToolRunning, request: ToolCallRequest) -> ToolCallRequest:
    """The request with the arguments that a feature wants; the very same without a change."""
    run, call = made.run, request.tool_call
    if run.arguments is call["args"]:
        return request
    return request.override(tool_call={**call, "args": run.arguments})


def _returned(made: ToolRunning, request: ToolCallRequest, result: _Result) -> _Result:
    """The result, with what a feature puts behind its text."""
    if not isinstance(result, ToolMessage):
        made.after(False, None)
        return result
    failed = result.status == "error"
    content = made.after(failed, result.content, failed and convert.refuses(request))
    return result if content is result.content else result.model_copy(update={"content": content})


def _results(features: Features, request: ModelRequest[Any]) -> None:
    """Results of calls that ran before this process took the run over."""
    feature = features.get(Injecting)
    missing = feature.missing() if feature is not None else ()
    for message in request.messages if missing else ():
        if isinstance(message, ToolMessage) and message.tool_call_id in missing:
            status = "error" if message.status == "error" else "ok"
            feature.came(message.name or "", message.tool_call_id, status, message.text)
