"""Server-sent events as they are handed on: split at their ends, read when they matter, made."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

_END: Final = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LONGEST_END: Final = 4


class Splitter:
    """Cuts bytes into whole events, each with its blank line."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def events(self, data: bytes) -> list[Event]:
        """The events that are whole now."""
        look = max(0, len(self._rest) - _LONGEST_END + 1)
        self._rest += data
        out, at = [], 0
        for end in _END.finditer(self._rest, look):
            out.append(Event(bytes(self._rest[at : end.end()])))
            at = end.end()
        del self._rest[:at]
        return out

    def bytes_of(self, event: Event) -> bytes:
        """An event as it is sent."""
        return event.raw

    def rest(self) -> bytes:
        """What is no whole event, which is handed over."""
        rest = bytes(self._rest)
        self._rest.clear()
        return rest


class Event:
    """One event as it came: its bytes, and its JSON when somebody asks."""

    __slots__ = ("_value", "raw")

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self._value: Any = None

    @property
    def value(self) -> dict[str, Any]:
        """The JSON object; empty for anything else."""
        if self._value is None:
            self._value = _parsed(self.raw)
        found: dict[str, Any] = self._value
        return found

    def changed(self, value: dict[str, Any]) -> Event:
        """The event with another JSON object."""
        return made(value, self.name)

    @property
    def name(self) -> str:
        """What stands behind `event:`; empty without one."""
        for line in self.raw.splitlines():
            if line.startswith(b"event:"):
                return line[6:].strip().decode("utf-8", "replace")
        return ""


def made(value: dict[str, Any], name: str = "") -> Event:
    """A new event."""
    head = f"event: {name}\n" if name else ""
    return Event(f"{head}data: {json.dumps(value)}\n\n".encode())


def _parsed(raw: bytes) -> dict[str, Any]:
    lines = [line[5:].strip() for line in raw.splitlines() if line.startswith(b"data:")]
    try:
        value = json.loads(b"\n".join(lines))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


class AnswerStream:
    """The events of one answer on their way; `ask` gives the text to be put under it, once."""

    def __init__(self, ask: Callable[[], str]) -> None:
        self.ask = ask
        self.held: list[Event] = []
        """Events that wait until it is known whether the answer ends with them."""

    def feed(self, event: Event) -> list[Event]:
        """What is to be handed on after this event."""
        raise NotImplementedError

    def passed(self, event: Event) -> list[Event]:
        """An event that is of no interest; one that only keeps the connection alive waits too."""
        if self.held and (not event.value or event.value.get("type") == "ping"):
            self.held.append(event)
            return []
        return self.release(event)

    def release(self, *more: Event) -> list[Event]:
        """All that waits, and then more."""
        held, self.held = self.held, []
        return [*held, *more]
