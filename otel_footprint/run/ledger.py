"""The ledger: the numbered, chained records of one turn in this process.

Also the memory that compositions are compared with: of one turn, or of a conversation when texts
are written once a conversation.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from typing import Any, Final

from ..config import SLOTS
from ..records import digest
from ..slots.copies import in_order
from ..slots.entry import Fresh
from ..slots.lineage import Lineage
from ..slots.window import Growth
from ..wire.types import Facts
from .texts import Texts

OUTPUTS: Final = 8
"""Outputs that are remembered until they come back."""
PARAMS: Final = 8
"""Layouts that are remembered, so that agents that alternate do not write theirs again."""


class Memory:
    """What later calls are compared with."""

    __slots__ = (
        "asked", "extra", "growth", "lineages", "lock", "outputs", "params", "roots", "texts",
    )  # fmt: skip

    def __init__(self, texts: Texts) -> None:
        self.lock = threading.RLock()
        """Guards all of it: the turns of a conversation share it."""
        self.texts = texts
        self.lineages = {slot: Lineage() for slot in SLOTS}
        self.params: OrderedDict[str, tuple[list[tuple[str, Any]], str, bool]] = OrderedDict()
        """Layouts by hash: their items, for comparing, the call that recorded them, and whether
        there are objects in them."""
        self.outputs: deque[tuple[Any, Fresh]] = deque(maxlen=OUTPUTS)
        """The last outputs, which come back in the next request: value, entry."""
        self.extra: list[str] = []
        """Null and empty keys of the last output."""
        self.growth = Growth()
        self.asked: tuple[Facts, dict[str, Any]] | None = None
        """What the last call asked for, and the attributes that say it."""
        self.roots: OrderedDict[int, int] = OrderedDict()
        """Of a conversation: the span id of each trace's turn, for links."""

    def distrust(self) -> None:
        """After a loss: nothing that was composed so far is known to be on the trail."""
        for lineage in self.lineages.values():
            for composition in lineage.recent:
                composition.trace_id = 0
        self.extra = ["lost"]

    def layout(self, items: list[tuple[str, Any]]) -> tuple[str, str] | None:
        """Hash and call of an equal layout (same keys in the same order); None: it is new."""
        try:
            for hash_, (known, call_id, nested) in self.params.items():
                if len(known) != len(items) or known != items:
                    continue
                if not nested or in_order(known, items):
                    self.params.move_to_end(hash_)
                    return hash_, call_id
        except Exception:  # comparing odd objects runs their code: then it is a new one
            return None
        return None

    def add_layout(self, hash_: str, items: list[tuple[str, Any]], call_id: str) -> None:
        """Remembers a layout and the call that recorded it."""
        values = [v for _, value in items for v in (value if type(value) is list else (value,))]
        nested = any(type(v) is dict or type(v) is list for v in values)
        self.params[hash_] = (items, call_id, nested)
        if len(self.params) > PARAMS:
            self.params.popitem(last=False)

    def add_root(self, trace_id: int, span_id: int) -> None:
        """Remembers where a trace of the conversation begins."""
        with self.lock:  # another turn of the conversation may be looking for its links
            self.roots[trace_id] = span_id
            if len(self.roots) > 256:
                self.roots.popitem(last=False)


class Ledger:
    """Numbers and chains the records of a turn. `lock` guards everything in it and its memory."""

    __slots__ = ("calls", "digest", "id", "lock", "memory", "recording", "records")

    def __init__(self, id_: str, memory: Memory, recording: bool) -> None:
        self.id = id_
        self.memory = memory
        self.recording = recording
        """False: the trace is sampled out, so calls are measured only."""
        self.lock = memory.lock
        self.records = 0
        self.calls = 0
        self.digest = ""

    def next_record(self) -> int:
        """The number of a new record, from 1."""
        self.records += 1
        return self.records

    def next_call(self) -> tuple[str, int]:
        """Id and number of a new call, from 1."""
        self.calls += 1
        return f"{self.id}.{self.calls}", self.calls

    def short(self, call_id: str) -> str:
        """A call's id as the records of this ledger name it: its number when it is one of ours."""
        return call_id[len(self.id) + 1 :] if call_id.startswith(self.id) else call_id

    def seal(self, lines: list[str]) -> str:
        """Chains the lines of a call or record; what it says of that (`names.DIGEST`)."""
        previous = self.digest[: digest.PREVIOUS]
        self.digest = digest.chain(previous, lines)
        return digest.seal(self.digest, previous)


__all__ = ["PARAMS", "Ledger", "Memory"]
