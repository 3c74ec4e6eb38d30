"""One call of an SDK client: the request body before it leaves, the HTTP response when it is there.

The response body of an ordinary call has been read by the SDK: we read the same bytes. The bytes of
a stream are kept as the caller reads them, and read once when it ends, is closed, or is dropped.
"""

from __future__ import annotations

import json
from contextvars import ContextVar
from typing import Any, Final

from ...run import state
from ...run.call import UNREAD, Call
from ...run.recorder import Recorder
from ...telemetry.attach import attach, detach
from ...telemetry.context import with_call
from ...telemetry.guard import guard
from ...telemetry.spans import inside
from ...wire import dialect_for
from ...wire.eventstream import is_eventstream, parse_eventstream
from ...wire.sse import parse_sse
from .callers import instrumented
from .sdk import Sdk, provider, traces_itself
from .tap import is_streamed, tap

EXCHANGE: ContextVar[Exchange | None] = ContextVar("footprint_exchange", default=None)
_ENDS: Final = ("/chat/completions", "/responses", "/messages")
PREPARES: Final = "_copy_and_prepare"
"""Method of newer SDKs that makes plain JSON of the body, inside `request`."""
_ABSENT: Final = ("NotGiven", "Omit")
_Start = tuple[Sdk, Recorder, Any, Any]


class Exchange:
    """A call, its context while it runs, and the reading of its answer."""

    __slots__ = ("_asynchronous", "_entered", "_options", "_starts", "_tokens", "call", "read")

    def __init__(self, starts: _Start, options: Any, asynchronous: bool) -> None:
        self.call: Call | None = None
        self.read = False
        self._starts: _Start | None = starts
        self._options = options
        self._asynchronous = asynchronous
        self._entered = EXCHANGE.set(self)
        self._tokens: tuple[Any, Any] | None = None

    @staticmethod
    def current() -> Exchange | None:
        """The exchange whose `request` is running here."""
        return EXCHANGE.get()

    @classmethod
    def begin(
        cls, sdk: Sdk, recorder: Recorder, client: Any, wrapped: Any, args: Any, kwargs: Any
    ) -> Exchange | None:
        """Begins a recorded call; None when this request is no model call, or nothing records."""
        options = kwargs["options"] if "options" in kwargs else args[1]
        path = options.url.partition("?")[0]
        if options.method.lower() != "post" or not path.endswith(_ENDS):
            return None
        if EXCHANGE.get() is not None or not recorder.enabled:
            return None
        made = cls((sdk, recorder, client, wrapped), options, "Async" in type(client).__name__)
        if not hasattr(client, PREPARES):
            try:
                made.prepared(options)
            except BaseException:
                made._leave()
                raise
        return made

    def prepared(self, options: Any) -> None:
        """The request's body is as it will be sent: the call begins."""
        starts, self._starts = self._starts, None
        self._options = None
        if starts is None:
            return
        with guard("request.begin"):
            call = _begin(starts, options)
            if call is None:
                return
            self.call = call
            context = call.parent if call.own is None else inside(call.own, call.parent)
            self._tokens = (attach(with_call(call, context)), state.CALL.set(call))

    def answered(self, kwargs: dict[str, Any]) -> None:
        """The HTTP response is there, before the SDK makes its result of it."""
        with guard("request.answered"):
            response = kwargs["response"]
            call = self.call
            if call is None:
                return
            call.attempts = kwargs.get("retries_taken", 0) + 1
            length = response.request.headers.get("content-length", "")
            call.request_bytes = int(length) if length.isdigit() else 0
            if hasattr(response, "_content") and not is_streamed(response):
                call.ended_at = call.core.clock()
                self._whole(response)
                self.read = True
            elif hasattr(response, "iter_bytes"):
                self.read = True
                tap(response, call, self._streamed, self._asynchronous)

    def _whole(self, response: Any) -> None:
        if response.status_code >= 400 or self.call is None:
            return
        try:
            body = json.loads(response.content)
        except ValueError:  # no JSON: the SDK says what it makes of that
            self.call.finish(None, UNREAD)
            return
        self.call.finish(self.call.dialect.response(body))

    def _streamed(self, data: list[bytes], whole: bool, sse: bool) -> None:
        """The stream ended; `whole` False when the caller left it early."""
        call = self.call
        if call is None:
            return
        with guard("stream.end"):
            text = b"".join(data)
            if sse:
                events = parse_eventstream(text) if is_eventstream(text) else parse_sse(text)
                call.chunks = len(events)
                answer = call.dialect.assemble(events)
            elif text:
                answer = call.dialect.response(json.loads(text))
            else:
                answer = None
            if answer is not None and (answer.complete or (whole and not sse)):
                call.finish(answer)
            else:
                call.abandon(answer)
            return
        call.abandon()

    def returned(self, _result: Any) -> None:
        """The SDK returned: of a stream the reading begins now."""
        with guard("request.returned"):
            self._leave()
            if self.call is None:
                return
            if not self.read:
                self.call.abandon()
            self.call.left()

    def failed(self, error: BaseException) -> None:
        """The SDK raised."""
        with guard("request.failed"):
            if self._starts is not None:
                self.prepared(self._options)
            self._leave()
            if self.call is None:
                return
            self.call.fail(error)
            self.call.left()

    def _leave(self) -> None:
        tokens, self._tokens = self._tokens, None
        if tokens is not None:
            state.reset(state.CALL, tokens[1])
            detach(tokens[0])
        state.reset(EXCHANGE, self._entered)


def _begin(starts: _Start, options: Any) -> Call | None:
    sdk, recorder, client, wrapped = starts
    body = _body(options)
    if body is None:
        return None
    dialect = dialect_for(sdk.provider, options.url.partition("?")[0], body)
    if dialect is None:
        return None
    inner = hasattr(wrapped, "__wrapped__") or traces_itself(client)
    return recorder.begin(
        provider(sdk, client),
        dialect,
        body,
        inner=inner,
        by_another=instrumented(sdk.package),
    )


def _body(options: Any) -> dict[str, Any] | None:
    body = options.json_data
    extra = getattr(options, "extra_json", None)
    if type(body) is not dict:
        return None
    if type(extra) is dict:
        body = {**body, **extra}
    if any(type(v).__name__ in _ABSENT for v in body.values()):
        return {k: v for k, v in body.items() if type(v).__name__ not in _ABSENT}
    return body
