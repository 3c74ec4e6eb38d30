"""One call of an SDK client: the request body before it leaves, the HTTP response when it is there.

The response body of an ordinary call has been read by the SDK: we read the same bytes. The bytes of
a stream are kept as the caller reads them, and read once when it ends, is closed, or is dropped.
"""

from __future__ import annotations

import json
from contextvars import ContextVar
from typing import Any, Final

from ...run import state
from ...run.call import Call
from ...run.recorder import Recorder
from ...telemetry.attach import attach, detach
from ...telemetry.context import with_call
from ...telemetry.guard import guard
from ...telemetry.spans import inside
from ...wire import dialect_for
from ...wire.sse import parse_sse
from .sdk import Sdk, provider, traces_itself
from .tap import tap

EXCHANGE: ContextVar[Exchange | None] = ContextVar("footprint_exchange", default=None)
_ENDS: Final = ("/chat/completions", "/responses", "/messages")


class Exchange:
    """A call, its context while it runs, and the reading of its answer."""

    __slots__ = ("_asynchronous", "_tokens", "call", "read")

    def __init__(self, call: Call, asynchronous: bool) -> None:
        self.call = call
        self.read = False
        self._asynchronous = asynchronous
        context = call.parent if call.own is None else inside(call.own, call.parent)
        self._tokens = (attach(with_call(call, context)), EXCHANGE.set(self), state.CALL.set(call))

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
        body = _body(options)
        if body is None:
            return None
        dialect = dialect_for(sdk.provider, path, body)
        if dialect is None:
            return None
        inner = hasattr(wrapped, "__wrapped__") or traces_itself(client)
        call = recorder.begin(provider(sdk, client), dialect, body, inner=inner)
        return None if call is None else cls(call, "Async" in type(client).__name__)

    def answered(self, kwargs: dict[str, Any]) -> None:
        """The HTTP response is there, before the SDK makes its result of it."""
        with guard("request.answered"):
            response = kwargs["response"]
            call = self.call
            call.attempts = kwargs.get("retries_taken", 0) + 1
            length = response.request.headers.get("content-length", "")
            call.request_bytes = int(length) if length.isdigit() else 0
            if hasattr(response, "_content") and not _is_sse(response):
                self.read = True
                call.ended_at = call.core.clock()
                self._whole(response)
            elif hasattr(response, "iter_bytes"):
                self.read = True
                tap(response, call, self._streamed, self._asynchronous)

    def _whole(self, response: Any) -> None:
        if response.status_code >= 400:
            return
        body = json.loads(response.content)
        self.call.finish(self.call.dialect.response(body))

    def _streamed(self, data: list[bytes], whole: bool, sse: bool) -> None:
        """The stream ended; `whole` False when the caller left it early."""
        call = self.call
        with guard("stream.end"):
            text = b"".join(data)
            if sse:
                events = parse_sse(text)
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
            if not self.read:
                self.call.abandon()

    def failed(self, error: BaseException) -> None:
        """The SDK raised."""
        with guard("request.failed"):
            self._leave()
            self.call.fail(error)

    def _leave(self) -> None:
        token, exchange, call = self._tokens
        detach(token)
        state.reset(EXCHANGE, exchange)
        state.reset(state.CALL, call)


def _is_sse(response: Any) -> bool:
    return "text/event-stream" in response.headers.get("content-type", "")


def _body(options: Any) -> dict[str, Any] | None:
    body = options.json_data
    extra = getattr(options, "extra_json", None)
    if type(body) is not dict:
        return None
    return {**body, **extra} if type(extra) is dict else body
