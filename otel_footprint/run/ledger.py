"""The ledger: the numbered, chained records of one turn in this process.

Also the memory that compositions are compared with: of one turn, or of a conversation when texts
are written once a conversation.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any, Final

from ..config import SLOTS
from ..records import digest
from ..slots.lineage import Lineage
from ..slots.window import Growth
from .texts import Texts

PARAMS: Final = 8
"""Layouts that are remembered, so that agents that alternate do not write theirs again."""


class Memory:
    """What later calls are compared with."""

    __slots__ = ("growth", "lineages", "params", "roots", "texts")

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.lineages = {slot: Lineage() for slot in SLOTS}
        self.params: OrderedDict[str, list[tuple[str, Any]]] = OrderedDict()
        """Layouts by hash, as items, for comparing."""
        self.growth = Growth()
        self.roots: OrderedDict[int, int] = OrderedDict()
        """Of a conversation: the span id of each trace's turn, for links."""

    def layout(self, items: list[tuple[str, Any]]) -> str | None:
        """The hash of an equal layout (same keys in the same order); None: it is new."""
        for hash_, known in self.params.items():
            if len(known) == len(items) and known == items:
                self.params.move_to_end(hash_)
                return hash_
        return None

    def add_layout(self, hash_: str, items: list[tuple[str, Any]]) -> None:
        """Remembers a layout."""
        self.params[hash_] = items
        if len(self.params) > PARAMS:
            self.params.popitem(last=False)

    def add_root(self, trace_id: int, span_id: int) -> None:
        """Remembers where a trace of the conversation begins."""
        self.roots[trace_id] = span_id
        if len(self.roots) > 256:
            self.roots.popitem(last=False)


class Ledger:
    """Numbers and chains the records of a turn. `lock` guards everything in it and its memory."""

    __slots__ = ("calls", "digest", "id", "lock", "memory", "records", "recording")

    def __init__(self, id_: str, memory: Memory, recording: bool) -> None:
        self.id = id_
        self.memory = memory
        self.recording = recording
        """False: the trace is sampled out, so calls are measured only."""
        self.lock = threading.RLock()
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

    def seal(self, lines: list[str]) -> tuple[str, str]:
        """Chains the lines of a call or record: (start of the previous digest, new digest)."""
        previous = self.digest[: digest.PREVIOUS]
        self.digest = digest.chain(previous, lines)
        return previous, self.digest


__all__ = ["PARAMS", "Ledger", "Memory"]
