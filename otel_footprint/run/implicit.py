"""Turns of calls that stand in no turn: a call that continues an earlier one joins its trace.

Without this each call would be a trace of its own and write its history again.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from ..config import ContentMode
from ..slots.lineage import Composition
from ..telemetry.spans import current
from ..wire.types import Dialect, Facts, Layout
from .core import Core
from .turn import Turn, TurnFields

TURNS: Final = 32
"""Implicit turns that are remembered."""

Monotonic = Callable[[], float]


class ImplicitTurns:
    """The implicit turns of one Footprint."""

    def __init__(self, core: Core, monotonic: Monotonic = time.monotonic) -> None:
        self._core = core
        self._now = monotonic
        self._turns: deque[Turn] = deque()
        self._lock = threading.Lock()

    def find(self, mode: ContentMode, dialect: Dialect, layout: Layout, facts: Facts) -> Turn:
        """The turn that this request continues, else a new one."""
        with self._lock:
            now = self._now()
            self._expire(now)
            for turn in self._turns:
                verdict = self._continues(turn, mode, dialect, layout, facts)
                if verdict is None:
                    continue
                if verdict:
                    turn.last_used = now
                    self._turns.remove(turn)
                    self._turns.appendleft(turn)
                    return turn
                self._turns.remove(turn)
                turn.end()
                break
            turn = Turn(self._core, self._core.name, TurnFields(), mode, implicit=True).start()
            turn.last_used = now
            self._turns.appendleft(turn)
            if len(self._turns) > TURNS:
                self._turns.pop().end()
            return turn

    def close(self) -> None:
        """Ends all of them."""
        with self._lock:
            while self._turns:
                self._turns.pop().end()

    def _expire(self, now: float) -> None:
        limit = now - self._core.settings.turn_timeout
        while self._turns and self._turns[-1].last_used < limit:
            self._turns.pop().end()

    def _continues(
        self, turn: Turn, mode: ContentMode, dialect: Dialect, layout: Layout, facts: Facts
    ) -> bool | None:
        """True: it does; False: the same conversation, but a person spoke again; None: another."""
        if turn.content.mode != mode or not _same_trace(turn):
            return None
        new = _new_elements(turn, layout, facts)
        if new is None:
            return None
        return not any(
            item.source == "user" for element in new for item in dialect.items("messages", element)
        )


def _same_trace(turn: Turn) -> bool:
    """A call under an application's own span joins only a turn of that trace."""
    context = current().get_span_context()
    return not context.is_valid or context.trace_id == turn.trace_id


def _new_elements(turn: Turn, layout: Layout, facts: Facts) -> list[Any] | None:
    """What of the messages is new since the turn's last calls; None when it does not continue."""
    if facts.previous_response is not None and facts.previous_response == turn.last_response:
        return layout.messages
    for composition in turn.ledger.memory.lineages["messages"].recent:
        at = _after(composition, layout.messages)
        if at is not None:
            return layout.messages[at:]
    return None


def _after(composition: Composition, messages: list[Any]) -> int | None:
    """Where the new messages begin, when these continue the composition."""
    olds = composition.elements
    if not olds:
        return None
    try:
        if messages[: len(olds)] == olds:
            return len(olds)
        return messages.index(olds[-1]) + 1
    except Exception:  # not in it, or not comparable
        return None
