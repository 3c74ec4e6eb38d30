"""The recorder: what adapters speak to. It finds the turn of a call and begins the call."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

from ..config import ContentMode, Settings, content_mode, is_stricter
from ..slots.copies import copy
from ..telemetry.guard import guard, refused
from ..telemetry.redact import Redactor
from ..telemetry.setup import install_processor
from ..text.jsontext import plain
from ..wire import Dialect, dialect_for, model_in_path
from ..wire.types import Response
from . import state
from .apart import taken_apart
from .call import NO_ORIGINS, Call
from .compose import Origin
from .core import Core
from .implicit import ImplicitTurns
from .request import Abilities, Request
from .turn import Turn
from .unread import unknown_format, unreadable_response

if TYPE_CHECKING:
    from .features import Action

LOG: Final = logging.getLogger("otel_footprint")
QUIET: Final = "FOOTPRINT_QUIET"
"""Variable that silences the warning that nothing is recorded."""
T = TypeVar("T")


class Recorder:
    """Finds the turn of each call: the current one, else the implicit one that it continues."""

    _warned: ClassVar[bool] = False

    def __init__(self, name: str | None, settings: Settings, **providers: Any) -> None:
        self.name = name
        self.settings = settings
        self.core = Core(name, settings, **providers)
        self.implicit = ImplicitTurns(self.core)
        self.content_declared = True
        """False where no content mode was declared in code."""
        self._environment: ContentMode | None = None
        """The mode that the environment declares, once it was asked."""
        self._provider: Any = None
        self._recording = False

    @property
    def enabled(self) -> bool:
        """False when nothing records: no SDK provider and no metrics. Cheap."""
        provider = self.core.spans.provider
        if provider is not self._provider:
            self._recording = install_processor(provider)
            self._provider = provider  # last: another thread may be asking
        if not self._recording:
            self._warn()
        return self._recording or self.core.metrics.enabled

    def prepare(self) -> None:
        """Adds our span processor to the provider, where there is one already.

        An instrumentation around the first call opens its span before that call reaches us.
        """
        install_processor(self.core.spans.provider)

    def _warn(self) -> None:
        """Once a process: some applications make a Footprint for each request."""
        if Recorder._warned:
            return
        Recorder._warned = True
        if os.environ.get(QUIET, "") not in ("", "0"):
            return
        if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
            return  # nothing is recorded on purpose
        LOG.warning(
            "No tracer provider is set, so nothing is recorded. Call footprint.configure() or set "
            "one of your own before the first call; `otel-footprint doctor` says what is missing "
            "(%s=1 silences this).",
            QUIET,
        )

    def begin(
        self,
        provider: str,
        dialect: Dialect,
        body: dict[str, Any],
        *,
        inner: bool = False,
        by_another: bool = False,
        model: str | None = None,
        action: Action | None = None,
        origins: Mapping[int, Origin] = NO_ORIGINS,
    ) -> Call | None:
        """Begins a call: its turn, its compositions, its span. None when nothing records.

        `inner`: another instrumentation will open the inference span beneath us; `by_another`:
        one has called us, and opens it around us or after us. Then `Call.left` says when we leave.
        `action`: what the features planned for it; `origins`: what of ours is in `body`.
        """
        turn = state.turn() if action is None else action.request.turn
        if turn is not None and not turn.active:
            return None
        body, layout, facts = taken_apart(dialect, body)
        if turn is None or (turn.core is not self.core and self._is_stricter(turn)):
            turn = self.implicit.find(self._mode_in(turn), dialect, layout, facts)
        if not turn.active:
            return None
        call = Call(turn, dialect, provider, turn.here())
        call.inner, call.by_another, call.origins = inner, by_another, origins
        if action is not None and turn.features is not None:
            turn.features.composed(action, call)
        call.begin(body, layout, facts, model)
        if action is not None and turn.features is not None:
            turn.features.began(call)
        return call

    def request(
        self, provider: str, dialect: Dialect, body: dict[str, Any], abilities: Abilities
    ) -> Request | None:
        """A model call that is about to leave, for `Features.plan`; None where nothing is declared.

        The turn is the current one, else the implicit one that the call continues; it is found
        here also where nothing records, because what is declared does not depend on that.
        """
        if not self.core.makers:
            return None
        apart, layout, facts = taken_apart(dialect, body)
        if apart is not body:  # markers stand in it, which are never sent
            return None
        turn = state.turn()
        if turn is None or turn.core is not self.core:  # another Footprint's turn is around us
            turn = self.implicit.find(self._mode_in(turn), dialect, layout, facts)
        if turn.features is None:
            return None
        return Request(turn, provider, dialect, body, layout, facts, abilities)

    def record(
        self,
        provider: str,
        path: str,
        body: dict[str, Any],
        response: Any = None,
        *,
        error: BaseException | None = None,
    ) -> None:
        """Records a model call that was made elsewhere: its request and its response, as JSON.

        `provider` is a name of the conventions (`openai`, `gcp.gemini`, ...; `wire.provider_of`
        tells that of a URL) or one of your own. `path` is the API's path (for example
        `/v1/chat/completions`), from which, and from the body, the format is told; `wire.FORMATS`
        has the known ones, each with a path. What is in none of them is not recorded, which the
        log says once and `footprint.records.dropped` counts. `response` is the response's JSON, or
        the list of a stream's `(event, JSON)`, or None. With `Arguments` the tool calls that it
        asks for get hints (no claims: nothing could be planted). Never raises.
        """
        with guard("record"):
            if state.SUPPRESSED.get() or not self.enabled:
                return
            known = isinstance(path, str) and isinstance(body, dict)
            dialect = dialect_for(provider, path, body) if known else None
            if dialect is None:
                refused("record", unknown_format(self._shown(), provider, path, body))
                return
            model = None if "model" in body else model_in_path(path) or None
            call = self.begin(provider, dialect, body, model=model)
            if call is None:
                return
            if error is not None:
                call.fail(error)
            elif isinstance(response, list):
                call.chunks = len(response)
                answer = _read(dialect.assemble, copy(response))
                self._observed(call, body, answer)
                (call.finish if answer.complete else call.abandon)(answer)
            elif isinstance(response, dict):
                answer = _read(dialect.response, copy(response))
                self._observed(call, body, answer)
                call.finish(answer)
            else:
                call.abandon()
                if response is not None:
                    refused("record", unreadable_response(self._shown(), provider, response))

    def _shown(self) -> Redactor:
        """What names go through that are logged: at least the built-in rules."""
        return Redactor("redacted", self.settings.redact)

    def _observed(self, call: Call, body: dict[str, Any], answer: Response) -> None:
        """Tells the features of a call that was made elsewhere."""
        features = call.turn.features
        if features is None:
            return
        with guard("record.observed"):
            apart = taken_apart(call.dialect, body)
            request = Request(call.turn, call.provider, call.dialect, *apart, Abilities())
            features.observed(request, call, answer)

    def mode(self, content: str | None) -> ContentMode:
        """The content mode of a turn that may name its own.

        What declares none takes what the environment says when the first turn or call begins.
        """
        if content is not None:
            return content_mode(content)
        if self.content_declared:
            return self.settings.content
        if state.UNDECLARED.mode is not None:
            return state.UNDECLARED.mode
        if self._environment is None:
            self._environment = content_mode()
        return self._environment

    def _mode_in(self, around: Turn | None) -> ContentMode:
        """The mode of a turn of our own: inside another Footprint's turn the stricter of both."""
        ours = self.mode(None)
        if around is None or is_stricter(ours, around.content.mode):
            return ours
        return around.content.mode

    def _is_stricter(self, turn: Turn) -> bool:
        """Whether less may leave the process than in this turn of another Footprint."""
        redact = self.settings.redact
        if redact is not None and redact is not turn.core.settings.redact:
            return True
        return self.content_declared and is_stricter(self.settings.content, turn.content.mode)


def _read(read: Callable[[Any], T], value: Any) -> T:
    """What a dialect reads; with markers in place of objects whose own methods raise."""
    try:
        return read(value)
    except Exception:
        return read(plain(value))


__all__ = ["Recorder"]
