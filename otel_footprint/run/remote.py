"""Turns that go on in another process of ours: what is handed over, and what is taken up there.

    headers = footprint.inject({})            # in a turn, for a request to our own service
    with footprint.extract(request.headers):  # there
        with fp.turn("...") as turn: ...

The remote turn has an id and a ledger of its own. It is a child of the span that called it, or
(where a server's instrumentation began a trace of its own) linked to it, and names the calling turn
and call; it takes over the conversation unless it is given another.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any, NamedTuple, TypeVar

from ..telemetry import carrier as w3c
from ..telemetry import names
from ..telemetry.attach import attach, detach
from ..telemetry.guard import guard
from ..telemetry.spans import current
from . import state

C = TypeVar("C", bound=MutableMapping[str, str])


class Remote(NamedTuple):
    """The turn and call of another process that the work here belongs to."""

    trace_id: int
    span_id: int
    turn: str
    call: str
    conversation: str


REMOTE: ContextVar[Remote | None] = ContextVar("footprint_remote", default=None)


def inject(carrier: C) -> C:
    """Writes the current turn into a carrier, for another process of ours; returns the carrier.

    carrier: a mapping of strings, for example the headers of a request to a service of one's own.
    Never use it for a request to a model's provider. Writes `traceparent`, `tracestate` and
    `baggage` (W3C) with turn, call and conversation as they stand on the record. Outside a turn
    only what is current anyway is written. Never raises.
    """
    with guard("inject"):
        turn = state.turn()
        entries: dict[str, str] = {}
        if turn is not None and turn.active:
            entries[names.TURN_ID] = turn.said_id
            call = state.CALL.get()
            if call is not None:
                entries[names.CALL_ID] = call.call_id
            if turn.said_conversation:
                entries[names.CONVERSATION] = turn.said_conversation
        context = turn.here() if turn is not None and turn.active else None
        w3c.write(carrier, context, entries)
    return carrier


class extract:  # noqa: N801 - used like a function, `with extract(headers):`
    """Takes up what `inject` wrote, for the block: `with footprint.extract(headers): ...`.

    carrier: a mapping of headers, or pairs of them, also of bytes (ASGI); names in any case. Turns
    that begin in the block belong to the calling turn. A carrier without our entries does no harm.
    Sync and async; never raises.
    """

    def __init__(self, carrier: Any) -> None:
        self._carrier = carrier
        self._tokens: tuple[Any, Token[Remote | None]] | None = None

    def __enter__(self) -> None:
        with guard("extract"):
            wanted = (names.TURN_ID, names.CALL_ID, names.CONVERSATION)
            found = w3c.read(self._carrier, wanted)
            remote = None
            if found.span.is_valid:
                said = (found.entries.get(name, "") for name in wanted)
                remote = Remote(found.span.trace_id, found.span.span_id, *said)
            context = w3c.with_current_span(found.context)
            self._tokens = (attach(context), REMOTE.set(remote))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with guard("extract.exit"):
            tokens, self._tokens = self._tokens, None
            if tokens is not None:
                state.reset(REMOTE, tokens[1])
                detach(tokens[0])

    async def __aenter__(self) -> None:
        self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.__exit__(kind, error, trace)


def is_elsewhere(remote: Remote) -> bool:
    """True when a span that begins here would be in another trace than the caller's."""
    return bool(current().get_span_context().trace_id != remote.trace_id)


__all__ = ["REMOTE", "Remote", "extract", "inject", "is_elsewhere"]
