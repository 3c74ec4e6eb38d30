"""Events in frames (`application/vnd.amazon.eventstream`), as Bedrock sends those of Anthropic.

A frame is handed on as it came; one for a new event has the headers of the frame before it. Its
layout: `wire.eventstream`.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any, Final

from .answers_stream import Event, Splitter

_PRELUDE: Final = 12
_LEAST: Final = 16
_MOST: Final = 1 << 26
"""Bytes of a frame; what says it has more is none."""


class Frame(Event):
    """An event and its frame."""

    __slots__ = ("frame",)

    def __init__(self, frame: bytes) -> None:
        inner = _inner(frame)
        super().__init__(b"data: " + inner + b"\n\n" if inner else frame)
        self.frame = frame


class FrameSplitter(Splitter):
    """Cuts bytes into whole frames; what is none is handed on with all that follows it."""

    def __init__(self) -> None:
        super().__init__()
        self._head = b""
        self._broken = False

    def events(self, data: bytes) -> list[Event]:
        """The events of the frames that are whole now."""
        rest = self._rest
        rest += data
        out: list[Event] = []
        at = 0
        while not self._broken and at + _PRELUDE <= len(rest):
            size = int.from_bytes(rest[at : at + 4], "big")
            self._broken = not _LEAST <= size <= _MOST
            if self._broken or at + size > len(rest):
                break
            frame = Frame(bytes(rest[at : at + size]))
            if frame.value:
                headers = int.from_bytes(frame.frame[4:8], "big")
                self._head = frame.frame[_PRELUDE : _PRELUDE + headers]
            out.append(frame)
            at += size
        if self._broken and at < len(rest):
            out.append(Frame(bytes(rest[at:])))
            at = len(rest)
        del rest[:at]
        return out

    def bytes_of(self, event: Event) -> bytes:
        """The frame of an event."""
        if isinstance(event, Frame):
            return event.frame
        inner = base64.b64encode(json.dumps(event.value).encode()).decode()
        payload = json.dumps({"bytes": inner}).encode()
        size = _LEAST + len(self._head) + len(payload)
        prelude = size.to_bytes(4, "big") + len(self._head).to_bytes(4, "big")
        out = prelude + _checksum(prelude) + self._head + payload
        return out + _checksum(out)


def _checksum(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(4, "big")


def _inner(frame: bytes) -> bytes:
    """The JSON of the model's own event; empty when the frame holds none."""
    headers = int.from_bytes(frame[4:8], "big")
    try:
        payload: Any = json.loads(frame[_PRELUDE + headers : -4])
        return base64.b64decode(payload["bytes"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return b""
