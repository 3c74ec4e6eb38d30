"""The pieces that were in front of the model, as the search for sources takes them.

Made of the compositions of a call: each element is read once, however many calls it stays in.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from ..arguments import Passage
from ..records.frames import BASELINE, frame_of
from ..slots.lineage import Composition
from ..wire.types import Dialect, Item, Part
from .batches import Sight

OURS: Final = frozenset({"procedure", "window", "arguments", "scripts"})
"""Sources of what the library itself wrote."""
_SAID: Final = frozenset({"text", "refusal"})
_MODEL: Final = frozenset({"text", "refusal", "reasoning", "tool_call"})
_FOUND: Final = frozenset({"tool_result", "text", "opaque"})


class _Read(NamedTuple):
    """The passages of one element, as of the current request and as of an earlier one."""

    element: Any
    now: tuple[Passage, ...]
    before: tuple[Passage, ...]
    speaks: bool
    """A person says something in it."""


class Passages:
    """Reads compositions into passages; remembers elements while they are in use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._read: dict[int, _Read] = {}
        self._names: dict[str, str] = {}
        """Names of tools by call id."""
        self._anchor: str | None = None
        """The person's words that began the current request."""

    def of(self, dialect: Dialect, slots: Sequence[Composition]) -> Sight:
        """The passages of system, messages and tools, and the number of the person's request."""
        with self._lock:
            return self._of(dialect, slots)

    def _of(self, dialect: Dialect, slots: Sequence[Composition]) -> Sight:
        system, messages, tools = slots
        used: dict[int, _Read] = {}
        out: list[Passage] = []
        for read in self._all("system", dialect, system, used):
            out += read.now
        said = list(self._all("messages", dialect, messages, used))
        begin, number = self._request(said)
        for at, read in enumerate(said):
            out += read.before if at < begin else read.now
        for read in self._all("tools", dialect, tools, used):
            out += read.now
        if len(self._read) > 2 * len(used) + 64:
            self._read = used
        return Sight(out, number)

    def _all(
        self, slot: str, dialect: Dialect, composition: Composition, used: dict[int, _Read]
    ) -> list[_Read]:
        counts, at, out = composition.counts, 0, []
        for i, element in enumerate(composition.elements):
            count = 1 if counts is None else counts[i]
            key = id(element)
            read = self._read.get(key)
            if read is None or read.element is not element:
                now = self._passages(slot, dialect, element, composition.entries[at : at + count])
                before = tuple(p._replace(earlier=True) for p in now)
                read = self._read[key] = _Read(element, now, before, any(map(_speaks, now)))
            used[key] = read
            out.append(read)
            at += count
        return out

    def _passages(
        self, slot: str, dialect: Dialect, element: Any, entries: Sequence[Any]
    ) -> tuple[Passage, ...]:
        items = dialect.items(slot, element)
        out: list[Passage] = []
        for at, item in enumerate(items):
            entry = entries[at] if len(entries) == len(items) else None
            source = entry.source if entry is not None else item.source
            id_ = entry.id if entry is not None and source not in BASELINE else item.id
            key = entry.hash if entry is not None else ""
            if slot == "tools":
                ours = source in OURS
                out.append(
                    Passage(slot, source, key=key, id=item.id, definition=item.value, ours=ours)
                )
            else:
                out += self._texts(slot, source, id_, key, item, dialect.parts(item.value))
        return tuple(out)

    def _texts(
        self, slot: str, source: str, id_: str, key: str, item: Item, parts: tuple[Part, ...]
    ) -> list[Passage]:
        ours = source in OURS
        out: list[Passage] = []
        if source == "tool-result":
            return [self._result(slot, item.id, key, parts)]
        for call in parts:
            if call.kind == "tool_call" and call.id:
                self._names[call.id] = call.name
        if source == "assistant":
            text = "\n".join(p.text for p in parts if p.kind in _MODEL and p.text)
            if text:
                out.append(Passage(slot, source, text, key, ours=ours))
            for result_id in dict.fromkeys(p.id for p in parts if p.kind == "tool_result"):
                own = tuple(p for p in parts if p.kind == "tool_result" and p.id == result_id)
                out.append(self._result(slot, result_id, key, own))
            return out
        kinds = _SAID if source == "user" else _FOUND
        text = "\n".join(p.text for p in parts if p.kind in kinds and p.text)
        return [Passage(slot, source, text, key, id_, ours=ours)] if text else []

    def _result(self, slot: str, id_: str, key: str, parts: tuple[Part, ...]) -> Passage:
        blocks = tuple(p.text for p in parts if p.kind in _FOUND and p.text)
        name = next((p.name for p in parts if p.name), "") or self._names.get(id_, "")
        text = blocks[0] if len(blocks) == 1 else ""
        more = blocks if len(blocks) > 1 else None
        unread = not blocks and any(p.kind == "media" for p in parts)
        return Passage(slot, "tool-result", text, key, id_, name, blocks=more, unread=unread)

    def _request(self, said: list[_Read]) -> tuple[int, int]:
        """Index of the message that began the current request, and its number, 1-based.

        A request is a run of messages in which a person speaks. The one that was the last when
        the turn began stays the current one while its words are there: what a person says later
        in the turn belongs to it.
        """
        starts = [
            at for at, read in enumerate(said) if read.speaks and not (at and said[at - 1].speaks)
        ]
        if not starts:
            return 0, 1
        if self._anchor is None:
            self._anchor = _words(said[starts[-1]])
        for number in range(len(starts), 0, -1):
            if _words(said[starts[number - 1]]) == self._anchor:
                return starts[number - 1], number
        return starts[-1], len(starts)


def _speaks(passage: Passage) -> bool:
    return passage.source == "user" and not passage.ours and frame_of(passage.text) is None


def _words(read: _Read) -> str:
    return next((p.text for p in read.now if _speaks(p)), "")
