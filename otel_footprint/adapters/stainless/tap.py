"""Keeps the bytes of a streamed HTTP response as its reader takes them.

`iter_bytes` and `close` of the one response object are covered until the stream ends; then the
response is as it was. The SDK decodes its events from `iter_bytes`, and `read`, `iter_lines` and
`iter_text` use it too.
"""

from __future__ import annotations

import atexit
import os
import sys
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from ...run.call import Call
from ...telemetry.guard import guard

if TYPE_CHECKING:
    from ..edits.answers import BodyEdit, EventEdit

_LAST: Final = (
    b"response.completed", b"response.incomplete", b"message_stop", b"[DONE]",
    b'stop_reason":"tool_use"', b'stop_reason": "tool_use"',
    b'finish_reason":"tool_calls"', b'finish_reason": "tool_calls"',
)  # fmt: skip
"""What stands in the events with which an answer has all its tool calls."""
_ENDS: Final = (b"\n\n", b"\r\n\r\n", b"\r\r")
"""Ends of an event."""
_TRIES: Final = 16
"""Readings of a stream whose text may hold such words, before its end."""
_LONGEST: Final = max(map(len, _LAST))
Last = Callable[[list[bytes]], bool]
"""Gets the bytes so far; True: the answer is whole."""
Ended = Callable[[list[bytes], bool, bool, str], None]
"""(bytes, read to the end, events rather than one body, type of what was raised or empty)."""


class _Tap:
    """What is known of one stream. Holds its response weakly, so that both can be dropped."""

    __slots__ = (
        "__weakref__",
        "_call",
        "_data",
        "_done",
        "_edit",
        "_ended",
        "_error",
        "_last",
        "_names",
        "_near",
        "_ref",
        "_source",
        "_sse",
        "_tail",
        "_tries",
    )

    def __init__(
        self,
        response: Any,
        call: Call | None,
        ended: Ended,
        names: tuple[str, ...],
        edit: EventEdit | BodyEdit | None,
        last: Last | None,
    ) -> None:
        self._ref = weakref.ref(response)
        self._call = call
        self._ended = ended
        self._names = names
        self._data: list[bytes] = []
        self._sse = is_streamed(response)
        self._done = False
        self._edit = edit
        self._last = last
        self._tail = b""
        self._near = False
        """A last event may be on its way."""
        self._tries = _TRIES
        self._source: Any = None
        self._error = ""
        """Type of what the connection raised."""

    def seen(self, data: bytes) -> None:
        if self._call is not None and self._call.first_chunk is None:
            with guard("stream.chunk"):
                self._call.first_chunk = self._call.core.clock()
        self._data.append(data)
        if self._last is not None:
            with guard("stream.last"):
                self._look(self._last, data)

    def _look(self, last: Last, data: bytes) -> None:
        recent, self._tail = self._tail + data, (self._tail + data)[-_LONGEST:]
        self._near = self._near or any(mark in recent for mark in _LAST)
        if self._near and any(end in recent for end in _ENDS):
            self._tries -= 1
            if last(self._data) or not self._tries:
                self._last = None

    def finish(self, whole: bool = False) -> None:
        if self._done:
            return
        self._done = True
        _OPEN.discard(self)
        if self._call is not None:
            with guard("stream.end"):
                self._call.ended_at = self._call.core.clock()
        response = self._ref()
        if response is not None:
            for name in self._names:
                response.__dict__.pop(name, None)
        data, self._data = self._data, []
        self._ended(data, whole, self._sse, self._error)

    def _closed(self) -> None:
        """The response is closed: where it does so itself, while it is read, reading failed."""
        source = self._source
        if getattr(source, "gi_running", False) or getattr(source, "ag_running", False):
            error = sys.exc_info()[1]
            if isinstance(error, Exception):
                self._error = type(error).__qualname__

    def read(self, iterate: Any) -> Callable[..., Iterator[bytes]]:
        def iter_bytes(chunk_size: int | None = None) -> Iterator[bytes]:
            whole = False
            try:
                self._source = iterate(chunk_size)
                for data in self._source:
                    self.seen(data)
                    handed = data if self._edit is None else self._edit.feed(data)
                    if handed:
                        yield handed
                whole = True
                if self._edit is not None and (rest := self._edit.flush()):
                    yield rest
            finally:
                self.finish(whole)

        return iter_bytes

    def read_async(self, iterate: Any) -> Callable[..., AsyncIterator[bytes]]:
        async def aiter_bytes(chunk_size: int | None = None) -> AsyncIterator[bytes]:
            whole = False
            try:
                self._source = iterate(chunk_size)
                async for data in self._source:
                    self.seen(data)
                    handed = data if self._edit is None else self._edit.feed(data)
                    if handed:
                        yield handed
                whole = True
                if self._edit is not None and (rest := self._edit.flush()):
                    yield rest
            finally:
                self.finish(whole)

        return aiter_bytes

    def close(self, close: Any) -> Callable[[], None]:
        def closing() -> None:
            self._closed()
            try:
                close()
            finally:
                self.finish()

        return closing

    def close_async(self, close: Any) -> Callable[[], Any]:
        async def closing() -> None:
            self._closed()
            try:
                await close()
            finally:
                self.finish()

        return closing


_OPEN: Final[weakref.WeakSet[_Tap]] = weakref.WeakSet()
"""Streams that are held and not read to their end: what came of them is recorded at exit."""
_processes: Final[set[int]] = set()
"""The process that does so, once it has had a stream."""


def _at_exit(process: int) -> None:
    with guard("exit"):
        for tapped in list(_OPEN) if os.getpid() == process else ():
            tapped.finish()


def is_streamed(response: Any) -> bool:
    """Whether a response is a stream of events rather than one body."""
    kind = response.headers.get("content-type", "")
    return "text/event-stream" in kind or "amazon.eventstream" in kind


def tap(
    response: Any,
    call: Call | None,
    ended: Ended,
    asynchronous: bool,
    edit: EventEdit | BodyEdit | None = None,
    last: Last | None = None,
) -> None:
    """Covers a response that is not read yet; `ended` is called once, also when it is dropped.

    With `edit` its reader gets what that makes of the bytes; `ended` gets them as they came. `last`
    is asked before its reader gets an event with which the answer may be whole.
    """
    names = ("aiter_bytes", "aclose") if asynchronous else ("iter_bytes", "close")
    tapped = _Tap(response, call, ended, names, edit, last)
    _OPEN.add(tapped)
    if (process := os.getpid()) not in _processes:
        _processes.add(process)
        # Here, not earlier: what was registered last runs first, so before the provider's.
        atexit.register(_at_exit, process)
    read, close = getattr(response, names[0]), getattr(response, names[1])
    covers = (
        (tapped.read_async(read), tapped.close_async(close))
        if asynchronous
        else (tapped.read(read), tapped.close(close))
    )
    for name, cover in zip(names, covers, strict=True):
        response.__dict__[name] = cover
    weakref.finalize(response, tapped.finish).atexit = False
