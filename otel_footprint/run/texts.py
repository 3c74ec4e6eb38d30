"""Which texts a trace (or a conversation) holds already: each is written once, and not lost once.

A text counts as written when its span is handed over; a span that was dropped or failed un-marks
its texts, and the next composition writes them again. Bounded.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..telemetry.store import Store

MAX_TEXTS: Final = 20_000
"""Hashes remembered as written; an older one is written again when it comes back."""
MAX_LEAVES: Final = 128
"""Pieces whose long strings are remembered, so that another spelling refers to them."""
MAX_PENDING: Final = 4_096
LARGE: Final = 64_000
"""UTF-8 bytes of a piece's texts above which they go to the content store, where there is one."""


class Texts:
    """The written texts of one trace or conversation."""

    def __init__(self, max_bytes: int, store: Store | None = None, media: bool = False) -> None:
        self._store = store
        self._media = media
        """Whether the bytes of media go to the store."""
        self._written: OrderedDict[str, int] = OrderedDict()
        """Texts by name, each with the trace that it was written in."""
        self.where: Final = self._written.get
        """The trace that a known text was written in; None for one that is not known."""
        self._left_out: set[str] = set()
        """Layouts that this trace had no room for, so that it is said once."""
        self._leaves: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._pending: OrderedDict[int, list[str]] = OrderedDict()
        self._room = max_bytes
        self._forgot = False
        """True once spans had to be forgotten before anybody told what became of them."""
        self.broken = False
        """True after a loss: what was composed before may not be on the trail."""
        self.lost = 0
        """Spans known to be lost."""

    def new_trace(self, max_bytes: int) -> None:
        """A further trace of the conversation begins: it has the whole room again."""
        self._room = max_bytes
        self._left_out.clear()

    def know(self, exacts: Iterable[str]) -> bool:
        """True when all of these texts are on the trail."""
        return self._written.keys() >= set(exacts)

    def said(self, exact: str) -> bool:
        """True when the trail holds the text, or says that there was no room for it."""
        return exact in self._written or exact in self._left_out

    def leave_out(self, exact: str) -> None:
        """Remembers that this trace had no room for a text."""
        if len(self._left_out) >= MAX_PENDING:
            self._left_out.clear()
        self._left_out.add(exact)

    def leaves(self, hash_: str) -> tuple[str, ...] | None:
        """The long strings recorded first for a piece, while they are remembered."""
        return self._leaves.get(hash_)

    def take(self, size: int) -> bool:
        """Takes room for a text in the trace; False: none is left, or the text is for the store."""
        if size > self._room or (size > LARGE and self._store is not None):
            return False
        self._room -= size
        return True

    def put_away(self, key: str, texts: Sequence[str]) -> bool:
        """Puts a text into the content store; False without one, and when it cannot take it now."""
        if self._store is None:
            return False
        return self._store.put_text(key, texts, self._losing(key))

    def put_media(self, key: str, media: Sequence[Any]) -> None:
        """Puts the bytes of a piece's media into the content store, where there is one."""
        if self._store is not None and self._media:
            for each in media:
                self._store.put_media(each.sha256, each.data, self._losing(key))

    def _losing(self, key: str) -> Callable[[], None]:
        """What a store calls when it lost a content; it does not keep these texts alive."""
        here = weakref.ref(self)

        def lost() -> None:
            texts = here()
            if texts is not None:
                texts.forget(key)

        return lost

    def forget(self, key: str) -> None:
        """A content that was put away is lost: it has to be written again."""
        self._written.pop(key, None)
        self._left_out.discard(key)
        self._leaves.clear()
        self.broken = True

    def write(
        self, exact: str, trace_id: int, hash_: str = "", leaves: tuple[str, ...] = ()
    ) -> None:
        """Marks a text as written; `leaves` are the long strings that stand beside it."""
        self._written[exact] = trace_id
        if len(self._written) > MAX_TEXTS:
            self._written.popitem(last=False)
        if leaves:
            self._leaves[hash_] = leaves
            if len(self._leaves) > MAX_LEAVES:
                self._leaves.popitem(last=False)

    def handed_over(self, span_id: int, exacts: list[str]) -> None:
        """The texts that a span carries, until the span is acknowledged."""
        self._pending[span_id] = exacts
        if len(self._pending) > MAX_PENDING:
            self._pending.popitem(last=False)
            self._forgot = True

    def acknowledged(self, span_id: int) -> None:
        """A span arrived: its texts stay written."""
        self._pending.pop(span_id, None)

    def lose(self, span_id: int) -> None:
        """A span was dropped: its texts have to be written again."""
        exacts = self._pending.pop(span_id, None)
        if exacts is None:
            if not self._forgot:
                return
            self._written.clear()  # it may have carried any of them
            self._left_out.clear()
        for exact in exacts or ():
            self._written.pop(exact, None)
            self._left_out.discard(exact)
        self._leaves.clear()
        self.broken = True
        self.lost += 1
