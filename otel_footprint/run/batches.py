"""Batches of tool calls: what one answer asked for, and which of it has been run.

A tool call that is run is found in its batch by id and name (ids may be empty or equal, so the
arguments decide between those), the newest batch first.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from ..arguments import AskState, Decided, Decision, ToolCall, peel
from ..arguments.corpus import Passage
from ..records.arguments import ArgumentRow, Corpus

BATCHES: Final = 16
"""Batches of a turn that are remembered."""


class Found(NamedTuple):
    """A tool call that is about to run, in its batch."""

    batch: Batch
    at: int
    first: bool
    """False when it was run before."""


class Sight(NamedTuple):
    """What was in front of the model."""

    passages: Sequence[Passage]
    number: int = 1
    """Number of the person's request in them."""
    missing: frozenset[str] = frozenset()
    """Kinds of pieces that are not at hand."""


See = Callable[[], Sight]


class Batch:
    """The tool calls of one answer."""

    __slots__ = (
        "asked",
        "at",
        "began",
        "calls",
        "context",
        "corpus",
        "decision",
        "lock",
        "see",
        "state",
        "taken",
        "time",
        "waiting",
    )

    def __init__(
        self, calls: Sequence[ToolCall], see: See | None, at: str, context: Any, time: int
    ) -> None:
        self.calls = tuple(calls)
        self.see = see
        """None: no request is known that led to these calls."""
        self.at = at
        """Id of the model call that asked for them."""
        self.context = context
        """Where a record of calls stands that are not run through us."""
        self.time = time
        self.taken: set[int] = set()
        self.decision: Decision | None = None
        """Once it is final."""
        self.corpus: Corpus | None = None
        """What its claims may rest on; dropped when all is settled."""
        self.began: AskState | None = None
        """What asking began with."""
        self.state: AskState | None = None
        self.asked: list[tuple[int, ArgumentRow, int]] = []
        """What a person was asked: place of the call, row, time; each is written once."""
        self.waiting: Any = None
        """An asyncio lock, while a person is asked."""
        self.lock = threading.RLock()

    def decided(self, at: int) -> Decided | None:
        """What becomes of one call; None before that is settled."""
        return self.decision.calls[at] if self.decision is not None else None

    def take_asked(self, at: int) -> list[tuple[ArgumentRow, int]]:
        """What a person was asked about one call, to be written now."""
        own = [(row, time) for place, row, time in self.asked if place == at]
        self.asked = [entry for entry in self.asked if entry[0] != at]
        return own


class Batches:
    """The batches of a turn, newest first."""

    def __init__(self) -> None:
        self._kept: deque[Batch] = deque()
        self._lock = threading.Lock()

    def add(self, batch: Batch) -> list[Batch]:
        """Keeps a batch; gives those that are forgotten for it."""
        gone = []
        with self._lock:
            self._kept.appendleft(batch)
            while len(self._kept) > BATCHES:
                gone.append(self._kept.pop())
        return gone

    def open(self) -> bool:
        """True while some call has not been run through us."""
        return any(len(batch.taken) < len(batch.calls) for batch in list(self._kept))

    def take_open(self) -> Batch | None:
        """Hands the newest batch over that has calls which have not been run."""
        with self._lock:
            for batch in self._kept:
                if len(batch.taken) < len(batch.calls):
                    self._kept.remove(batch)
                    return batch
        return None

    def all(self) -> list[Batch]:
        """Oldest first."""
        return list(reversed(self._kept))

    def holds(self, tool: str, call_id: str, arguments: Any) -> bool:
        """True for a call that was asked for and has not been run yet."""
        with self._lock:
            return any(
                _best(batch, tool, call_id, arguments, again=False) is not None
                for batch in self._kept
            )

    def find(self, tool: str, call_id: str, arguments: Any) -> Found | None:
        """The call that is about to run, which is marked as run; None when nobody asked for it.

        Where all that fit have been run, the last of them is run again.
        """
        with self._lock:
            for again in (False, True):
                for batch in self._kept:
                    at = _best(batch, tool, call_id, arguments, again)
                    if at is not None:
                        batch.taken.add(at)
                        return Found(batch, at, not again)
        return None


def _best(batch: Batch, tool: str, call_id: str, arguments: Any, again: bool) -> int | None:
    scores = [
        (_score(call, tool, call_id, arguments), -at)
        for at, call in enumerate(batch.calls)
        if (at in batch.taken) == again
    ]
    score, at = max(scores, default=(0, 0))
    return -at if score else None


def _score(call: ToolCall, tool: str, call_id: str, arguments: Any) -> int:
    """How well a call fits; 0: it is another one.

    Without an id the arguments decide: all of them, or some (an application may hand on only
    those that its function takes).
    """
    if call.tool != tool or (call_id and call.id != call_id):
        return 0
    if _equal(call.arguments, arguments):
        return 3
    if call_id:
        return 1
    own = peel(call.arguments, call.planted).arguments
    if _equal(own, arguments):
        return 2
    if not isinstance(own, dict) or not isinstance(arguments, dict) or not arguments:
        return 0
    return int(all(name in own and _equal(own[name], v) for name, v in arguments.items()))


def _equal(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except Exception:  # comparing odd objects runs their code
        return False


def parsed(text: str) -> Any:
    """Arguments as an object; the text itself where they are none."""
    if not text:
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


__all__ = ["Batch", "Batches", "Found", "parsed"]
