"""A text put under an answer: in a copy of its JSON, or in the events of its stream.

Each dialect has `put` and a `Stream`; a dialect without them gets no edit. What is not edited is
handed on byte for byte.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final

from ...telemetry.guard import guard
from . import answers_anthropic_messages as anthropic
from . import answers_openai_chat as chat
from . import answers_openai_responses as responses
from .answers_frames import FrameSplitter
from .answers_stream import AnswerStream, Event, Splitter

Ends = Callable[[bytes], str]
"""Asked once, with all bytes so far: the text to be put under the answer; empty for none."""

_PUTS: Final[Mapping[str, Callable[[dict[str, Any], str], dict[str, Any] | None]]] = {
    "openai.chat": chat.put,
    "openai.responses": responses.put,
    "anthropic.messages": anthropic.put,
}
_STREAMS: Final[Mapping[str, Callable[[Callable[[], str]], AnswerStream]]] = {
    "openai.chat": chat.Stream,
    "openai.responses": responses.Stream,
    "anthropic.messages": anthropic.Stream,
}


def is_editable(dialect: str) -> bool:
    """Whether a text can be put under answers of this dialect."""
    return dialect in _PUTS


def has_place(dialect: str, body: Any) -> bool:
    """Whether there is a place for a text in an answer's JSON."""
    found = _PUTS.get(dialect)
    return found is not None and isinstance(body, dict) and found(body, "") is not None


def put(dialect: str, body: Any, text: str) -> bytes | None:
    """The answer's JSON with the text behind its last text; None when there is no place for it."""
    found = _PUTS.get(dialect)
    edited = None if found is None or not isinstance(body, dict) else found(body, text)
    return None if edited is None else json.dumps(edited).encode()


class EventEdit:
    """Edits the bytes of a stream of events on their way to their reader.

    `framed`: the events stand in frames, else they are server-sent events.
    """

    def __init__(self, dialect: str, ends: Ends, framed: bool = False) -> None:
        self._data: list[bytes] = []
        self._split = FrameSplitter() if framed else Splitter()
        self._ends = ends
        self._asked = False
        self._stream: AnswerStream | None = _STREAMS[dialect](self._ask)

    def feed(self, data: bytes) -> bytes:
        """What is to be handed on now; an event that is not whole waits for its end."""
        if self._stream is None:
            return data
        if not self._asked:
            self._data.append(data)
        out: list[bytes] = []
        events = deque(self._split.events(data))
        with guard("answer.edit"):
            while events:
                out += map(self._split.bytes_of, self._stream.feed(events[0]))
                events.popleft()
            return b"".join(out)
        held = self._held()
        out += map(self._split.bytes_of, (*held, *events))
        return b"".join([*out, self._split.rest()])

    def flush(self) -> bytes:
        """What waits still, as it came; from here on nothing is edited."""
        return b"".join([*map(self._split.bytes_of, self._held()), self._split.rest()])

    def _held(self) -> list[Event]:
        stream, self._stream = self._stream, None
        self._data = []
        return [] if stream is None else stream.held

    def _ask(self) -> str:
        data, self._data = b"".join(self._data), []
        self._asked = True
        return self._ends(data)


class BodyEdit:
    """Edits a body that is one JSON value; hands it on when it is whole."""

    def __init__(self, dialect: str, ends: Ends) -> None:
        self._dialect = dialect
        self._ends = ends
        self._data: list[bytes] = []

    def feed(self, data: bytes) -> bytes:
        """Nothing yet."""
        self._data.append(data)
        return b""

    def flush(self) -> bytes:
        """The body."""
        data, self._data = b"".join(self._data), []
        try:
            body = json.loads(data)
        except (ValueError, RecursionError):  # no JSON: the SDK says what it makes of that
            return data
        with guard("answer.edit"):
            text = self._ends(data) if has_place(self._dialect, body) else ""
            edited = put(self._dialect, body, text) if text else None
            return data if edited is None else edited
        return data
