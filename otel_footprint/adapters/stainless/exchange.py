"""One call of an SDK client: the request body before it leaves, the HTTP response when it is there.

The response body of an ordinary call has been read by the SDK: we read the same bytes. The bytes of
a stream are kept as the caller reads them, and read once when it ends, is closed, or is dropped.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from ...run import state
from ...run.call import NO_ORIGINS, UNREAD, Call
from ...run.compose import Origin
from ...run.recorder import Recorder
from ...run.request import Abilities
from ...telemetry.attach import attach, detach
from ...telemetry.context import with_call
from ...telemetry.guard import guard
from ...telemetry.spans import inside
from ...wire import Dialect, dialect_for
from ...wire.eventstream import is_eventstream, parse_eventstream
from ...wire.sse import error_in, parse_sse
from ...wire.types import Response
from .callers import instrumented, validates
from .sdk import Sdk, provider, traces_itself
from .tap import is_streamed, tap

if TYPE_CHECKING:
    from ...records.plan import EndAnswer
    from ...run.features import Action
    from ..edits.answers import BodyEdit, EventEdit

EXCHANGE: ContextVar[Exchange | None] = ContextVar("footprint_exchange", default=None)
_ENDS: Final = ("/chat/completions", "/responses", "/messages")
"""How the paths of model calls end."""
PREPARES: Final = "_copy_and_prepare"
"""Method of newer SDKs that makes plain JSON of the body, inside `request`."""
_ABSENT: Final = ("NotGiven", "Omit")
"""Types of the SDKs' values for what was not given."""
_Start = tuple[Sdk, Recorder, Any, Any]
"""SDK, recorder, client, and the SDK's `request` that was wrapped."""


class Exchange:
    """A call, its context while it runs, and the reading of its answer."""

    __slots__ = (
        "_asynchronous",
        "_entered",
        "_options",
        "_starts",
        "_tokens",
        "action",
        "call",
        "end",
        "origins",
        "read",
        "told",
    )

    def __init__(self, starts: _Start, options: Any, asynchronous: bool) -> None:
        self.call: Call | None = None
        self.action: Action | None = None
        """What the features planned; None where nothing is declared."""
        self.origins = NO_ORIGINS
        """What of ours is in the body that is sent."""
        self.end: EndAnswer | None = None
        """What is to be put under the last text of the answer."""
        self.told = False
        """True once the features know what came back."""
        self.read = False
        """True once its answer was read, or its reading is under way."""
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
        options = options_of(args, kwargs)
        path = options.url.partition("?")[0]
        if options.method.lower() != "post" or not path.endswith(_ENDS):
            return None
        if EXCHANGE.get() is not None or not (recorder.enabled or recorder.core.makers):
            return None
        return cls((sdk, recorder, client, wrapped), options, "Async" in type(client).__name__)

    def prepares(self) -> bool:
        """True when the SDK makes plain JSON of the body later, inside `request`."""
        return self._starts is not None and hasattr(self._starts[2], PREPARES)

    def planned(self, options: Any) -> Any:
        """The options with the edits of what is declared, in a copy; the same without any."""
        asked = self._asked(options)
        if asked is None:
            return options
        with _unrecorded(), guard("request.plan"):
            self.action = asked.turn.features.plan(asked)
        return self._edit(options)

    async def planned_async(self, options: Any) -> Any:
        """The same where the call can await."""
        asked = self._asked(options)
        if asked is None:
            return options
        with _unrecorded(), guard("request.plan"):
            self.action = await asked.turn.features.plan_async(asked)
        return self._edit(options)

    def _asked(self, options: Any) -> Any:
        """The request, where something is declared that may act on it."""
        if self._starts is None or not self._starts[1].core.makers:
            return None
        with guard("request.plan"):
            from ..edits import editor  # here, as below: only what is declared edits

            sdk, recorder, client, _ = self._starts
            body = _body(options)
            dialect = body and dialect_for(sdk.provider, options.url.partition("?")[0], body)
            if not body or not dialect or editor(dialect.name) is None:
                return None
            turn = state.turn()
            dispatch = turn is not None and turn.fields.dispatch
            validated = validates(sdk.package, options)
            abilities = Abilities(dispatch, validated=validated)
            return recorder.request(provider(sdk, client), dialect, body, abilities)
        return None

    def _edit(self, options: Any) -> Any:
        action = self.action
        with guard("request.edit"):
            if action is None or not action.plan:
                return options
            from ..edits import apply

            request = action.request
            edited = apply(request.dialect.name, request.body, request.layout, action.plan)
            self.origins = edited.origins
            action.sent = edited.body
            copied = copy.copy(options)
            copied.json_data = edited.body
            if getattr(copied, "extra_json", None) is not None:
                copied.extra_json = None
            return copied
        self.origins = NO_ORIGINS
        return options

    def prepared(self, options: Any) -> None:
        """The request's body is as it will be sent: the call begins."""
        starts, self._starts = self._starts, None
        self._options = None
        if starts is None or not starts[1].enabled:
            return
        with guard("request.begin"):
            call = _begin(starts, options, self.action, self.origins)
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
            if call is None and self.action is None:
                return
            if call is not None:
                call.attempts = kwargs.get("retries_taken", 0) + 1
                length = response.request.headers.get("content-length", "")
                call.request_bytes = int(length) if length.isdigit() else 0
            if hasattr(response, "_content") and not is_streamed(response):
                if call is not None:
                    call.ended_at = call.core.clock()
                self._whole(response)
                self.read = True
            elif hasattr(response, "iter_bytes"):
                self.read = True
                edit = self._edit_of(response)
                last = self._asks_now if self.action is not None and edit is None else None
                tap(response, call, self._streamed, self._asynchronous, edit, last)

    def _whole(self, response: Any) -> None:
        dialect = self._dialect()
        if response.status_code >= 400 or dialect is None:
            return
        try:
            body = _parsed(response.content)
        except ValueError:  # no JSON: the SDK says what it makes of that
            if self.call is not None:
                self.call.finish(None, UNREAD)
            return
        answer = dialect.response(body)
        if self.action is None:
            if self.call is not None:
                self.call.finish(answer)
            return
        from ..edits import answers

        self._tell(answer, editable=answers.has_place(dialect.name, body))
        if self.call is not None:
            self.call.finish(answer)
        edited = None if self.end is None else answers.put(dialect.name, body, self.end.text)
        if edited is not None:
            response._content = edited  # noqa: SLF001 - the body that the SDK parses
            if "content-encoding" not in response.headers:
                response.headers["content-length"] = str(len(edited))

    def _dialect(self) -> Dialect | None:
        if self.call is not None:
            return self.call.dialect
        return None if self.action is None else self.action.request.dialect

    def _tell(self, answer: Response | None, complete: bool = True, editable: bool = False) -> None:
        """Tells the features, once, what came back."""
        action = self.action
        features = None if action is None else action.request.turn.features
        if action is not None and features is not None and not self.told:
            self.told = True
            self.end = features.answered(action, answer, complete, editable)

    def _edit_of(self, response: Any) -> EventEdit | BodyEdit | None:
        """What edits the bytes of a response, where a feature puts texts under answers."""
        action, dialect = self.action, self._dialect()
        if action is None or dialect is None or response.status_code >= 400:
            return None
        features = action.request.turn.features
        if features is None or not features.ends_answers:
            return None
        from ..edits import answers
        from ..edits.answers import BodyEdit, EventEdit

        if not answers.is_editable(dialect.name):
            return None
        if not is_streamed(response):
            return BodyEdit(dialect.name, self._body_ends)
        kind = response.headers.get("content-type", "")
        return EventEdit(dialect.name, self._ends, framed="text/event-stream" not in kind)

    def _ends(self, data: bytes) -> str:
        """What is to be put under the answer of a stream whose last event is here."""
        dialect = self._dialect()
        if dialect is None:
            return ""
        events = parse_eventstream(data) if is_eventstream(data) else parse_sse(data)
        events.append(("message_stop", {"type": "message_stop"}))  # it follows, in one dialect
        self._tell(dialect.assemble(events), editable=True)
        return "" if self.end is None else self.end.text

    def _asks_now(self, data: list[bytes]) -> bool:
        """The tool calls of a stream may all be here: an application runs them before it reads on
        (it leaves the loop, or is still inside), so the features are told now."""
        dialect = self._dialect()
        if dialect is None or self.told:
            return True
        events = parse_sse(b"".join(data))
        if events and events[-1][0] == "message_delta":
            events.append(("message_stop", {"type": "message_stop"}))  # it follows at once
        answer = dialect.assemble(events)
        if answer.complete:
            self._tell(answer)
        return self.told

    def _body_ends(self, data: bytes) -> str:
        dialect = self._dialect()
        if dialect is None:
            return ""
        self._tell(dialect.response(json.loads(data)), editable=True)
        return "" if self.end is None else self.end.text

    def _streamed(self, data: list[bytes], whole: bool, sse: bool, error: str) -> None:
        """The stream ended; `whole` False when the caller left it early, or by an `error`."""
        call, dialect = self.call, self._dialect()
        if dialect is None:
            return
        with guard("stream.end"):
            text = b"".join(data)
            chunks = 0
            if sse:
                events = parse_eventstream(text) if is_eventstream(text) else parse_sse(text)
                chunks = len(events)
                answer = dialect.assemble(events)
                error = error or error_in(events)
            elif text:
                answer = dialect.response(json.loads(text))
            else:
                answer = None
            done = answer is not None and (answer.complete or (whole and not sse))
            self._tell(answer, done)
            if call is None:
                return
            call.chunks = chunks
            if done:
                call.finish(answer)
            else:
                call.abandon(answer, error)
            return
        with guard("stream.end"):
            if call is not None:
                call.abandon(error=error)

    def returned(self, result: Any) -> Any:
        """The SDK returned: of a stream the reading begins now. What the caller gets."""
        with guard("request.returned"):
            self._leave()
            if self.call is None:
                return result
            if not self.read:
                self.call.abandon()
            self.call.left()
        return result

    def failed(self, error: BaseException) -> None:
        """The SDK raised."""
        with guard("request.failed"):
            if self._starts is not None:
                self.prepared(self._options)
            self._leave()
            if self.action is not None and self.action.request.turn.features is not None:
                self.action.request.turn.features.failed(self.action)
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


@contextmanager
def _unrecorded() -> Iterator[None]:
    """What the application's own predicates and summarisers call inside is not ours."""
    outer, silent = EXCHANGE.set(None), state.SUPPRESSED.set(True)
    try:
        yield
    finally:
        state.reset(state.SUPPRESSED, silent)
        state.reset(EXCHANGE, outer)


def _begin(
    starts: _Start, options: Any, action: Action | None, origins: Mapping[int, Origin]
) -> Call | None:
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
        action=action,
        origins=origins,
    )


def options_of(args: Any, kwargs: Any) -> Any:
    """The options among the arguments of an SDK's `request`."""
    return kwargs["options"] if "options" in kwargs else args[1]


def _parsed(data: bytes) -> Any:
    """The JSON of a response. Raises ValueError."""
    from pydantic_core import from_json  # here: of the SDK, which has it loaded by now

    try:
        return from_json(data)  # a third of the time of `json`, which takes a little more
    except ValueError:
        return json.loads(data)


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
