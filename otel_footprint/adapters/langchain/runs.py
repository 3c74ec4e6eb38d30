"""Which turn an agent's run belongs to, from its beginning to its end.

Hooks of a middleware see neither that a run failed nor that it paused. So each run of a graph is
watched by one callback handler of ours, which LangChain hands to every run.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextvars import ContextVar
from typing import Any, Final
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.tracers.context import register_configure_hook
from langgraph.config import get_config

from ...run.turn import PAUSED, Turn
from ...telemetry.guard import guard

MOST: Final = 10_000
"""Nodes under way that are remembered."""
LIMIT: Final = "limit"
"""Outcome of a turn that the framework's own limit ended."""


class Runs(BaseCallbackHandler):
    """The turns of the graph runs that are under way."""

    run_inline = True

    def __init__(self) -> None:
        self._graphs: OrderedDict[UUID, UUID] = OrderedDict()
        self._turns: dict[UUID, tuple[Turn, bool]] = {}
        self._answered: set[int] = set()
        self._lock = threading.Lock()

    def join(self, turn: Turn, ours: bool) -> None:
        """The graph run that is current belongs to this turn, and ends it when it is `ours`."""
        node = getattr(get_config().get("callbacks"), "parent_run_id", None)
        with self._lock:
            run = self._graphs.get(node) if node is not None else None
            if run is not None:
                self._turns[run] = (turn, ours)

    def answered(self, turn: Turn) -> None:
        """The agent of this turn came to its end."""
        with self._lock:
            self._answered.add(id(turn))

    def busy(self, turn: Turn) -> bool:
        """True while a run belongs to this turn."""
        with self._lock:
            return any(held is turn for held, _ in self._turns.values())

    def on_chain_start(
        self, *_: Any, run_id: UUID, parent_run_id: UUID | None = None, **__: Any
    ) -> None:
        """A node of a graph starts."""
        if parent_run_id is not None:
            with self._lock:
                self._graphs[run_id] = parent_run_id
                if len(self._graphs) > MOST:
                    self._graphs.popitem(last=False)

    def on_chain_end(self, *_: Any, run_id: UUID, **__: Any) -> None:
        """A node, or a whole graph, ended; a graph also when it was interrupted."""
        self._over(run_id, None)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """A node, or a whole graph, failed."""
        self._over(run_id, error)

    def _over(self, run_id: UUID, error: BaseException | None) -> None:
        with self._lock:
            self._graphs.pop(run_id, None)
            turn, ours = self._turns.pop(run_id, (None, False))
            answered = id(turn) in self._answered
            self._answered.discard(id(turn))
        if turn is None:
            return
        with guard("langchain.end"):
            if type(error).__name__ == "GraphRecursionError":
                turn.outcome(LIMIT)
            elif error is None and not answered:
                turn.outcome(PAUSED)
            if ours:
                turn.end(error)


RUNS: Final = Runs()
_EVERYWHERE: Final[ContextVar[Any]] = ContextVar("footprint_langchain", default=RUNS)
register_configure_hook(_EVERYWHERE, inheritable=True)
