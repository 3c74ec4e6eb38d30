"""The core of a Footprint: settings, and everything that its turns and calls share."""

from __future__ import annotations

import os
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final

from ..config import ContentMode, Settings
from ..slots.entry import Hash, keyed_hash, plain_hash
from ..slots.tokens import Calibration
from ..slots.window import WINDOWS
from ..telemetry.delivery import SpanId, deliveries
from ..telemetry.guard import guard
from ..telemetry.limits import limits_of
from ..telemetry.metrics import Metrics
from ..telemetry.redact import Redactor
from ..telemetry.sanitize import clean_text
from ..telemetry.spans import Spans
from ..telemetry.store import Store
from ..wire.media import find_media
from .definitions import Definitions
from .ledger import Memory
from .parts import Bounds
from .state import after_fork
from .texts import Texts

if TYPE_CHECKING:
    from .features import Maker
    from .turn import Turn

MEMORIES: Final = 256
"""Conversations, and traces, whose texts are remembered."""
FOREIGN_SPAN_BYTES: Final = 6_000
"""Text a span carries when its exporter is not ours (512 such spans stay below 4 MB)."""
OWN_SPAN_BYTES: Final = 11_000
"""Text a span carries when our exporter, which bounds requests by bytes, sends it."""
CALIBRATION: Final = Calibration()
"""The process's token factors: what one Footprint learns of a model holds for all."""

Ids = Callable[[], str]
Clock = Callable[[], int]


def new_id() -> str:
    """16 random hex digits."""
    return os.urandom(8).hex()


def package_version() -> str:
    """The installed version of this package; `0` in a bare checkout."""
    try:
        return version("otel-footprint")
    except PackageNotFoundError:
        return "0"


class Core:
    """What calls, turns and tools of one Footprint share. Made once; holds bounded state only."""

    def __init__(
        self,
        name: str | None,
        settings: Settings,
        *,
        tracer_provider: Any = None,
        meter_provider: Any = None,
        logger_provider: Any = None,
        ids: Ids = new_id,
        clock: Clock = time.time_ns,
    ) -> None:
        self.name = name
        self.settings = settings
        self._ids = ids
        self.clock = clock
        self.spans = Spans(settings.sink, package_version(), tracer_provider, logger_provider)
        self.metrics = Metrics(meter_provider)
        self.store = None if settings.store is None else Store(os.fspath(settings.store))
        if self.store is not None:
            self.store.dropped = partial(self.metrics.dropped, "store")
        self.calibration = CALIBRATION
        self.windows = WINDOWS
        self.makers: list[Maker] = []
        """What makes the features of a turn, in the order in which they are asked."""
        self.asked_for: Callable[[str, str, Any], Turn | None] | None = None
        """The turn whose model asked for a tool call (name, id, arguments), where one is known."""
        self.bare: Callable[[str, Any], Any] | None = None
        """The arguments of a tool without what the library planted."""
        self.find_media = find_media
        self.definitions = Definitions()
        self.warned: set[str] = set()
        """Slots over a declared cap that the log has named."""
        self.forks = 0
        """Forks that lead to this process: what began before the last one is another process's."""
        self._conversations: OrderedDict[tuple[str, str], Memory] = OrderedDict()
        self._bounds: tuple[Any, Bounds, int] | None = None
        after_fork(self)

    def forked(self) -> None:
        """This process is a child of the one before: what began there is not its own."""
        self.forks += 1
        self._conversations.clear()  # a thread that is not here may hold the lock of one

    def new_id(self) -> str:
        """A new id of a turn or ledger; a random one where the application's own ids fail."""
        with guard("ids"):
            made = self._ids()
            if isinstance(made, str) and made:
                return made
            raise TypeError("an id is a text that is not empty")
        return new_id()

    def content(self, mode: ContentMode) -> Content:
        """What a turn in this mode may say, and how it hashes."""
        return Content(self.settings, mode)

    def bounds(self) -> Bounds:
        """Bytes of text a span and a string may carry with the provider in force."""
        provider = self.spans.provider
        known = self._bounds
        if known is None or known[0] is not provider or known[2] != deliveries.opened:
            limits = limits_of(provider)
            lengths = [n for n in (limits.value_length, limits.event_value_length) if n is not None]
            own = deliveries.tracks(provider)
            chunk = max(1, min(2_000, *lengths)) if lengths else 2_000
            span = OWN_SPAN_BYTES if own else FOREIGN_SPAN_BYTES
            self._bounds = known = (provider, Bounds(span, chunk, own), deliveries.opened)
        return known[1]

    def memory(
        self, conversation: str | None, mode: str, trace_id: int, recording: bool = True
    ) -> Memory:
        """A new memory, or the conversation's when texts are written once a conversation.

        A turn that is sampled out has one of its own: what it composes is on no trail.
        """
        limit = self.settings.max_content_bytes
        if self.settings.once == "trace" or not conversation or not recording:
            memory = Memory(self._texts_of(mode))
            LOSSES.watch(trace_id, memory.texts)
            return memory
        key = (conversation, mode)
        found = self._conversations.get(key)
        if found is None:
            found = self._conversations[key] = Memory(self._texts_of(mode))
            if len(self._conversations) > MEMORIES:
                self._conversations.popitem(last=False)
        self._conversations.move_to_end(key)
        found.texts.new_trace(limit)
        LOSSES.watch(trace_id, found.texts)
        return found

    def _texts_of(self, mode: str) -> Texts:
        return Texts(self.settings.max_content_bytes, self.store, media=mode == "full")


class Content:
    """The content mode of a turn: whether text is written, redaction, and the hash function."""

    __slots__ = ("_tell", "hash", "mode", "redactor", "redacts", "writes")

    def __init__(self, settings: Settings, mode: ContentMode) -> None:
        self.mode = mode
        self.writes = mode != "none"
        self.redactor = Redactor(mode, settings.redact)
        self.redacts = mode != "full" or settings.redact is not None
        key = settings.hash_key(mode)
        self.hash: Hash = plain_hash if key is None else keyed_hash(key)
        self._tell = keyed_hash(settings.hash_key("none") or b"")

    def name(self, text: str, where: str) -> str:
        """An identifier (agent, conversation, turn, prompt) as it may be recorded.

        What redaction hides is followed by eight digits of a keyed hash, so that two conversations
        named by two telephone numbers stay two. The key is the deployment's, else the process's.
        """
        if not self.redacts:
            return clean_text(text)
        shown = self.redactor.text(text, where)
        return clean_text(shown if shown == text else f"{shown}#{self._tell(text)[:8]}")


class Losses:
    """Tells the memories of a trace which of its spans arrived and which did not."""

    def __init__(self) -> None:
        self._watched: OrderedDict[int, list[weakref.ref[Texts]]] = OrderedDict()

    def watch(self, trace_id: int, texts: Texts) -> None:
        """Reports losses in this trace to these texts, while they live."""
        refs = self._watched.setdefault(trace_id, [])
        if len(refs) >= 64:
            refs[:] = [ref for ref in refs if ref() is not None]
        if not any(ref() is texts for ref in refs):
            refs.append(weakref.ref(texts))
        if len(self._watched) > 4 * MEMORIES:
            self._watched.popitem(last=False)

    def acknowledged(self, spans: Sequence[SpanId]) -> None:
        """Spans (trace id, span id) arrived."""
        for trace_id, span_id in spans:
            for texts in self._texts(trace_id):
                texts.acknowledged(span_id)

    def lost(self, spans: Sequence[SpanId], reason: str) -> None:  # noqa: ARG002
        """Spans were dropped, by a full queue or by a failed export."""
        for trace_id, span_id in spans:
            for texts in self._texts(trace_id):
                texts.lose(span_id)

    def _texts(self, trace_id: int) -> list[Texts]:
        found = (ref() for ref in list(self._watched.get(trace_id, ())))
        return [texts for texts in found if texts is not None]


LOSSES: Final = Losses()
"""The process's losses; our exporter reports to it."""
deliveries.subscribe(LOSSES)
