"""Rules that ask, through LangGraph's own interrupt: once a batch, before anything of it runs.

After the model has answered, the batch is settled in a node of its own, so that one interrupt
pauses all of it and resuming makes no further model call. A graph without a checkpointer cannot
pause: there a declared handler asks, or the call is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from langchain.agents.middleware import hook_config
from langchain_core.messages import AIMessage
from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp
from langgraph.types import interrupt

from ...arguments import ToolCall
from ...run.batches import Batch, Sight
from ...run.passages import Passages
from ...run.sourcing import Sourcing
from ...slots.lineage import Composition
from ...telemetry.guard import guard
from ...wire import DIALECTS
from . import convert
from .middleware import FootprintMiddleware, FootprintState, NudgingMiddleware

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...run.turn import Turn

_CHAT: Final = DIALECTS["openai.chat"]
_CHECKPOINTER: Final = "__pregel_checkpointer"
_UNSEEN: Final = frozenset({"app", "tools"})
"""What the graph's own state does not hold."""


class AskingMiddleware(FootprintMiddleware):
    """The middleware of a Footprint whose rules ask."""

    @property
    def name(self) -> str:
        """The name of the middleware in the graph."""
        return FootprintMiddleware.__name__

    def after_model(self, state: FootprintState, runtime: Any) -> dict[str, Any] | None:  # noqa: ARG002
        """An answer is there: what its tool calls need of a person is asked now."""
        return settle(self, state)


class AskingNudgingMiddleware(NudgingMiddleware):
    """The same with procedures."""

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: FootprintState, runtime: Any) -> dict[str, Any] | None:
        """An answer is there: it asks for tools, or it may be premature."""
        return settle(self, state) or super().after_model(state, runtime)


def settle(middleware: FootprintMiddleware, state: FootprintState) -> dict[str, Any] | None:
    """Asks until the batch of the last answer is settled; raises LangGraph's interrupt."""
    turn: Turn | None = None
    sourcing: Sourcing | None = None
    batch: Batch | None = None
    with guard("langchain.ask"):
        messages = state["messages"]
        turn = middleware.turn_of(state)
        last = messages[-1] if messages else None
        if turn is None or turn.features is None or not isinstance(last, AIMessage):
            return None
        sourcing = turn.features.get(Sourcing)
        calls = [ToolCall(c["id"] or "", c["name"], c["args"]) for c in last.tool_calls]
        if sourcing is None or not calls or not _can_pause():
            return None
        batch = sourcing.pending(calls, lambda: _sight(messages[:-1]))
    while turn is not None and sourcing is not None and batch is not None:
        payload: dict[str, Any] | None = None
        with guard("langchain.ask"):
            payload = sourcing.question(batch)
        if payload is None:
            return {"footprint": turn.saved()}
        try:
            replies = interrupt(payload)
        except GraphBubbleUp:
            with guard("langchain.ask"):
                sourcing.waits(batch)
            raise
        with guard("langchain.ask"):
            sourcing.replied(batch, replies)
    return None


def _can_pause() -> bool:
    return bool(get_config().get("configurable", {}).get(_CHECKPOINTER))


def _sight(messages: Sequence[Any]) -> Sight:
    """What a process that goes on with a paused run can see: the messages alone."""
    elements = [convert.as_dict(message) for message in messages]
    layout = _CHAT.layout({"messages": elements})
    slots = [Composition(list(e), [], None) for e in (layout.system, layout.messages, [])]
    return Passages().of(_CHAT, slots)._replace(missing=_UNSEEN)
