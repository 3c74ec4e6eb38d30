"""Turns of calls that stand in no turn: a call that continues an earlier one joins its trace.

Without this each call would be a trace of its own and write its history again.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from collections import deque
from typing import Any, Final

from ..config import ContentMode
from ..telemetry.guard import guard
from ..telemetry.spans import current
from ..wire.types import Dialect, Facts, Layout
from .core import Core
from .state import after_fork
from .turn import Turn, TurnFields

TURNS: Final = 32
"""Implicit turns that are remembered."""


_ALL: Final[weakref.WeakSet[ImplicitTurns]] = weakref.WeakSet()


def close_all() -> None:
    """Ends the implicit turns of every Footprint of this process."""
    with guard("close_all"):
        for turns in list(_ALL):
            turns.close()


class ImplicitTurns:
    """The implicit turns of one Footprint."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._now = time.monotonic
        self._turns: deque[Turn] = deque()
        self._lock = threading.Lock()
        self._process = 0
        """The process that ends them when it exits; 0 before the first one."""
        core.metrics.each_collection(self.expire)
        after_fork(self)
        _ALL.add(self)

    def find(self, mode: ContentMode, dialect: Dialect, layout: Layout, facts: Facts) -> Turn:
        """The turn that this request continues, else a new one."""
        with self._lock:
            now = self._now()
            self._expire(now)
            found, new = self._continued(mode, layout, facts)
            if found is not None:
                self._turns.remove(found)
                if not _person_speaks(dialect, new):
                    found.last_used = now
                    self._turns.appendleft(found)
                    return found
                found.end()
            turn = Turn(self._core, self._core.name, TurnFields(), mode, implicit=True).start()
            turn.last_used = now
            if turn.features is not None and found is not None and found.features is not None:
                turn.features.follows(found.features)
            if not self._process:
                self._process = os.getpid()
                # Here, not earlier: what was registered last runs first, so before the provider's.
                atexit.register(_at_exit, weakref.ref(self), self._process)
            self._turns.appendleft(turn)
            if len(self._turns) > TURNS:
                self._turns.pop().end()
            return turn

    def forked(self) -> None:
        """They are the other process's to end; a thread that is not here may hold the lock."""
        self._turns.clear()
        self._lock = threading.Lock()
        self._process = 0

    def expire(self) -> None:
        """Ends those past their time limit: also when no further call comes to notice it."""
        with self._lock:
            self._expire(self._now())

    def close(self) -> None:
        """Ends all of them."""
        with self._lock:
            while self._turns:
                self._turns.pop().end()

    def _expire(self, now: float) -> None:
        limit = now - self._core.settings.turn_timeout
        while self._turns and self._turns[-1].last_used < limit:
            self._turns.pop().end()

    def _continued(
        self, mode: ContentMode, layout: Layout, facts: Facts
    ) -> tuple[Turn | None, list[Any]]:
        """The turn whose conversation goes on here, and the messages that are new in it.

        One that goes on without a change comes before one of which only the last message is known.
        """
        turns = [t for t in self._turns if t.content.mode == mode and _same_trace(t)]
        for after in (_appended, _moved):
            for turn in turns:
                if facts.previous_response and facts.previous_response == turn.last_response:
                    return turn, layout.messages
                for olds in _sent(turn):
                    at = after(olds, layout.messages)
                    if at is not None:
                        return turn, layout.messages[at:]
        return None, []


def _person_speaks(dialect: Dialect, elements: list[Any]) -> bool:
    return any(
        item.source == "user" for element in elements for item in dialect.items("messages", element)
    )


def _at_exit(ref: weakref.ref[ImplicitTurns], process: int) -> None:
    turns = ref()
    if turns is not None and os.getpid() == process:
        with guard("exit"):
            turns.close()


def _same_trace(turn: Turn) -> bool:
    """A call under an application's own span joins only a turn of that trace."""
    context = current().get_span_context()
    return not context.is_valid or context.trace_id == turn.trace_id


def _sent(turn: Turn) -> list[list[Any]]:
    """The messages of the turn's last calls as the caller gave them, before any edit of ours."""
    if turn.features is not None:
        return list(turn.features.own)
    return [one.elements for one in list(turn.ledger.memory.lineages["messages"].recent)]


def _appended(olds: list[Any], messages: list[Any]) -> int | None:
    """Where the new messages begin, when all of the old ones stand before them."""
    try:
        return len(olds) if olds and messages[: len(olds)] == olds else None
    except Exception:  # not comparable
        return None


def _moved(olds: list[Any], messages: list[Any]) -> int | None:
    """Where the new messages begin, when the last one of the old ones stands before them."""
    try:
        return messages.index(olds[-1]) + 1 if olds else None
    except Exception:  # not in it, or not comparable
        return None
