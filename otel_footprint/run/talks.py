"""What the arguments' part remembers of a conversation: answers, notes, who produced what."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict, deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ..arguments import RESERVED, Arguments, AskState, Bindings, Planter
from ..arguments.asking import from_json, to_json
from ..records.plan import AppendToResult, Cause

if TYPE_CHECKING:
    from .batches import Batch
    from .sourcing import Sourcing
    from .turn import Turn

TALKS: Final = 256
"""Conversations that are remembered."""
NOTES: Final = 128
"""Notes behind results that are made again in later requests of a conversation."""
TEXTS: Final = 512
"""Texts behind results that are known to be the library's."""
PRODUCERS: Final = 1024
"""Tool calls of a conversation to which a later one may be linked."""

SpanIds = tuple[int, int]
"""Trace id and span id."""


class Talk:
    """One conversation, or one turn that belongs to none."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.state = AskState()
        self.turns = 0
        """Turns begun."""
        self.waiting: Batch | None = None
        """The batch for which a framework has paused."""
        self.texts: deque[str] = deque(maxlen=TEXTS)
        """What was put behind results, so that it is nobody's word later."""
        self._notes: OrderedDict[tuple[str, str], AppendToResult] = OrderedDict()
        self._producers: OrderedDict[str, SpanIds] = OrderedDict()

    def settle(self, before: AskState, after: AskState) -> None:
        """Takes over what asking left behind; `before` is what it began with."""
        with self.lock:
            if self.state is before:
                self.state = after
                return
            new = tuple(given for given in after.given if given not in before.given)
            self.state = self.state._replace(given=self.state.given + new)

    def wrote(self, text: str) -> None:
        """A text of the library stands behind a result."""
        if text not in self.texts:
            self.texts.append(text)

    def note(self, call_id: str, text: str) -> None:
        """Remembers a text that is to be put behind the result of a call in each request."""
        self.wrote(text)
        if not call_id:
            return
        cause = Cause("arguments", call_id, "an argument was answered or filled in")
        with self.lock:
            self._notes[call_id, text] = AppendToResult(call_id, text, cause)
            if len(self._notes) > NOTES:
                self._notes.popitem(last=False)

    def notes(self) -> tuple[AppendToResult, ...]:
        """The texts behind results, in the order in which they came."""
        with self.lock:
            return tuple(self._notes.values())

    def produced(self, call_id: str, span: SpanIds) -> None:
        """Remembers the span of a tool call, or of the model call that asked for it."""
        if not call_id:
            return
        with self.lock:
            self._producers[call_id] = span
            self._producers.move_to_end(call_id)
            if len(self._producers) > PRODUCERS:
                self._producers.popitem(last=False)

    def saved(self) -> dict[str, Any]:
        """What has to outlive a pause, as JSON."""
        with self.lock:
            return {"answers": to_json(self.state), "turns": self.turns, "texts": list(self.texts)}

    def restore(self, saved: Mapping[str, Any], more: int = 0) -> None:
        """Takes over what was saved; what cannot be read is left out. `more`: turns since."""
        with self.lock:
            if not self.state.given:
                self.state = from_json(saved.get("answers"))
            turns, texts = saved.get("turns"), saved.get("texts")
            if type(turns) is int:
                self.turns = max(self.turns, turns + more)
            for text in texts if isinstance(texts, list) else ():
                if isinstance(text, str):
                    self.wrote(text)

    def producer(self, call_id: str) -> SpanIds | None:
        """The span that produced the result of a tool call."""
        return self._producers.get(call_id)


class Declared:
    """`Arguments` as one Footprint uses them: the rules as bound, and the conversations."""

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments
        self.bindings = Bindings(arguments)
        self.unruled = Bindings(
            Arguments(sources=arguments.sources, message_from=arguments.message_from)
        )
        """For calls that were never run through us: no rule applied to them."""
        self.planter = Planter()
        self.served: dict[str, bool] = {}
        """Tools served with the reserved argument, and whether as nullable."""
        self.turns: weakref.WeakSet[Sourcing] = weakref.WeakSet()
        """Turns that may still run a tool call."""
        self._talks: OrderedDict[str, Talk] = OrderedDict()
        self._lock = threading.Lock()

    def asked_for(self, tool: str, call_id: str, arguments: Any) -> Turn | None:
        """The turn whose model asked for a call that has not been run yet."""
        for sourcing in list(self.turns):
            if sourcing.sources.batches.holds(tool, call_id, arguments):
                return sourcing.turn
        return None

    def bare(self, tool: str, arguments: Any) -> Any:
        """Arguments without the reserved one; the same object when that is not there."""
        if not isinstance(arguments, dict) or RESERVED not in arguments or tool not in self.served:
            return arguments
        return {key: value for key, value in arguments.items() if key != RESERVED}

    def saved(self) -> dict[str, Any]:
        """Tools as they were served, for a process that goes on with their calls."""
        schemas = self.bindings.schemas()
        return {
            tool: {"strict": self.served.get(tool), "schema": schemas.get(tool)}
            for tool in {**self.served, **schemas}
        }

    def restore(self, saved: Any) -> None:
        """Takes over what was saved of tools that are not known yet."""
        for tool, known in saved.items() if isinstance(saved, Mapping) else ():
            if isinstance(tool, str) and isinstance(known, Mapping):
                if isinstance(known.get("strict"), bool):
                    self.served.setdefault(tool, known["strict"])
                if known.get("schema") is not None and tool not in self.bindings.schemas():
                    self.bindings.learn(tool, known["schema"])

    def talk(self, conversation: str | None) -> Talk:
        """The memory of a conversation; one of its own without a name."""
        if not conversation:
            return Talk()
        with self._lock:
            found = self._talks.setdefault(conversation, Talk())
            self._talks.move_to_end(conversation)
            if len(self._talks) > TALKS:
                self._talks.popitem(last=False)
            return found
