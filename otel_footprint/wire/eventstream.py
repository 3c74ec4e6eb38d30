"""Streams as frames: `application/vnd.amazon.eventstream`, in which Bedrock sends what it streams.

A frame is: its length and that of its headers (4 bytes each), a checksum, the headers, the payload,
a checksum. A payload of an `invoke-with-response-stream` holds the model's own event in `bytes`.
"""

from __future__ import annotations

import base64
import json
from typing import Any, Final

from .sse import Events

_FRAME: Final = 16
"""Bytes of a frame besides headers and payload."""


def is_eventstream(data: bytes) -> bool:
    """Whether bytes are such frames: they begin with a length, which text never does."""
    return data[:1] == b"\0"


def parse_eventstream(data: bytes) -> Events:
    """The events of a stream, also of one that breaks off; those of Anthropic by their `type`.

    Never raises: a payload that cannot be read is counted, and what follows a broken frame is one.
    """
    events, at = Events(), 0
    while at + _FRAME <= len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        headers = int.from_bytes(data[at + 4 : at + 8], "big")
        if size < _FRAME + headers:
            events.skipped += 1
            return events
        if at + size > len(data):
            return events
        try:
            value: Any = json.loads(data[at + 12 + headers : at + size - 4])
            if isinstance(value, dict) and isinstance(value.get("bytes"), str):
                value = json.loads(base64.b64decode(value["bytes"]))
            name = value.get("type", "") if isinstance(value, dict) else ""
            events.append((name if isinstance(name, str) else "", value))
        except (ValueError, RecursionError):
            events.skipped += 1
        at += size
    return events


__all__ = ["is_eventstream", "parse_eventstream"]
