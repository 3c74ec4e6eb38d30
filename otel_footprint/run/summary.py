"""What a call's span says: request, filling of the slots, window, response, metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..slots.entry import EXACT
from ..slots.tokens import TOOL_PROMPT
from ..telemetry import names
from ..telemetry.sanitize import clean_text
from ..telemetry.spans import annotate, error_status
from ..wire.types import Response

if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from .call import Call

_FACTS: Final = (  # in the order of wire.Facts, from temperature
    names.REQUEST_TEMPERATURE,
    names.REQUEST_TOP_P,
    names.REQUEST_TOP_K,
    names.REQUEST_MAX_TOKENS,
    names.REQUEST_SEED,
    names.REQUEST_CHOICES,
    names.REQUEST_STOP,
    names.REQUEST_FREQUENCY_PENALTY,
    names.REQUEST_PRESENCE_PENALTY,
    names.REQUEST_REASONING,
    names.REQUEST_PREVIOUS,
    names.OUTPUT_TYPE,
    names.COMPLETENESS,
)
_USAGE: Final = (  # in the order of wire.Usage
    names.INPUT_TOKENS,
    names.OUTPUT_TOKENS,
    names.CACHE_READ_TOKENS,
    names.CACHE_WRITE_TOKENS,
    names.REASONING_TOKENS,
)
_NEAR: Final = 1.0


class Window(NamedTuple):
    """How full the model's window is."""

    tokens: int
    estimated: int
    method: str
    size: int | None
    calls_left: float | None

    @property
    def utilization(self) -> float | None:
        """tokens / size; None while the size is unknown."""
        return None if self.size is None else self.tokens / self.size

    @property
    def state(self) -> str | None:
        """over, near (the next call would pass it), or None."""
        if self.size is None:
            return None
        if self.tokens > self.size:
            return "over"
        near = self.calls_left is not None and self.calls_left < _NEAR
        return "near" if near else None


def window(call: Call) -> Window:
    """Estimates the request's tokens and projects the next calls. Under the ledger's lock."""
    estimated = sum(s.tokens for s in call.slots)
    if call.slots[2].pieces:
        estimated += TOOL_PROMPT.get(call.dialect.name, 0)
    tokens, method = call.core.calibration.apply(call.model, estimated)
    size = call.core.settings.window or call.core.windows.size(call.provider, call.model)
    growth = call.ledger.memory.growth
    growth.add(tokens)
    return Window(tokens, estimated, method, size, growth.calls_left(size))


def _slots(call: Call) -> dict[str, Any]:
    budget, slots, used = call.core.settings.budget, call.slots, call.held
    out: dict[str, Any] = {
        names.CALL_ID: call.call_id,
        names.SYSTEM_USED: used[0],
        names.MESSAGES_USED: used[1],
        names.TOOLS_USED: used[2],
        names.SLOT_PIECES: f"{slots[0].pieces},{slots[1].pieces},{slots[2].pieces}",
        names.WINDOW_TOKENS: call.window.tokens,
    }
    if call.planted:
        out[names.TOOLS_PLANTED] = call.planted
    if call.window.method != "calibrated":
        out[names.WINDOW_METHOD] = call.window.method
    if budget.declared:
        out[names.SLOT_CAPS] = budget.shown
        out[names.CAPS_DECLARED] = budget.declared
    if budget.unit == "tokens":
        out[names.BUDGET_UNIT] = budget.unit
    for i in call.over:
        out[names.OVER[i]] = True
    if any(budget.origins[i] == "declared" for i in call.over):
        out[names.OVER_DECLARED] = True  # last: what a span has no room for is what came first
    if call.window.size is not None:
        out[names.WINDOW_SIZE] = call.window.size
        out[names.WINDOW_UTILIZATION] = call.window.tokens / call.window.size
    if call.facts.completeness is not None:
        out[names.COMPLETENESS] = call.facts.completeness
    return out


def _reference(call: Call, out: dict[str, Any]) -> None:
    """Where the slots and the layout of this call were written."""
    short = call.ledger.short
    words = [short(s.composer) if s.composer else s.digest for s in call.slots]
    params, recorder = call.params
    words.append(params[:EXACT] if recorder == call.call_id else short(recorder))
    text = ",".join(words)
    out[names.SLOT_DIGESTS] = text if len(text) <= call.bounds.chunk else tuple(words)


def record(call: Call) -> dict[str, Any]:
    """What of the call's summary stands on a record of ours beside a foreign span."""
    out = _slots(call)
    _reference(call, out)
    if call.turn.said_agent:
        out[names.AGENT] = call.turn.said_agent
    if call.model:
        out[names.REQUEST_MODEL] = call.model
    if call.request_bytes:
        out[names.REQUEST_BYTES] = call.request_bytes
    return out


def request(call: Call) -> dict[str, Any]:
    """What our inference span says when it starts, and samplers look at."""
    turn = call.turn
    out: dict[str, Any] = {names.OPERATION: "chat", names.PROVIDER: call.provider}
    if call.model:
        out[names.REQUEST_MODEL] = call.model
    if turn.said_agent:
        out[names.AGENT] = turn.said_agent
    if turn.said_conversation:
        out[names.CONVERSATION] = turn.said_conversation
    if call.facts.stream:
        out[names.REQUEST_STREAM] = True
    return out


def details(call: Call) -> dict[str, Any]:
    """What else our inference span says of the request."""
    out = _slots(call)
    memory = call.ledger.memory
    asked = memory.asked  # another call of the turn may put its own there at any time
    if asked is None or asked[0] is not call.facts:
        asked = memory.asked = (call.facts, _asked(call))
    out.update(asked[1])
    if call.ledger.recording:
        _reference(call, out)
    return out


def _asked(call: Call) -> dict[str, Any]:
    """What the request asks for."""
    values = zip(_FACTS, call.facts[2:], strict=True)
    return {name: said(call, value) for name, value in values if value is not None}


def said(call: Call, value: Any) -> Any:
    """A value of the application's as it may stand on a span: redacted, and safe to export."""
    if type(value) is str:
        if call.content.redacts:
            value = call.content.redactor.text(value, "attribute")
        return value if value.isascii() and "\0" not in value else clean_text(value)
    if type(value) is tuple:
        return tuple(said(call, v) for v in value)
    return value


def on_foreign(call: Call, span: Span) -> None:
    """Puts the summary on another instrumentation's span: `names.FOREIGN_SPAN`, no tokens."""
    allowed = _slots(call)
    annotate(span, {k: v for k, v in allowed.items() if k in names.FOREIGN_SPAN})


def outcome(call: Call, state: str) -> dict[str, Any]:
    """What a foreign span gets at the end."""
    out: dict[str, Any] = {} if state == "complete" else {names.OUTPUT_STATE: state}
    if call.chunks:
        out[names.CHUNKS] = call.chunks
    return out


def response(call: Call, answer: Response | None, state: str, error: str | None) -> dict[str, Any]:
    """What our inference span says when it ends."""
    out = outcome(call, state)
    if call.attempts > 1:
        out[names.CALL_ATTEMPTS] = call.attempts
    if call.request_bytes:
        out[names.REQUEST_BYTES] = call.request_bytes
    if call.first_chunk is not None:
        out[names.TIME_TO_FIRST_CHUNK] = (call.first_chunk - call.started) / 1e9
    if error is not None:
        out[names.ERROR_TYPE] = error
        out[names.FINISH_REASONS] = ["error"]
    if answer is None:
        return out
    if answer.id:
        out[names.RESPONSE_ID] = said(call, answer.id)
    if answer.model:
        out[names.RESPONSE_MODEL] = said(call, answer.model)
    if answer.finish_reasons:
        out[names.FINISH_REASONS] = said(call, answer.finish_reasons)
    for name, tokens in zip(_USAGE, answer.usage, strict=True):
        if tokens is not None:
            out[name] = tokens
    return out


def mark_error(span: Span) -> None:
    """Sets the error status, without a text: the type is an attribute."""
    span.set_status(error_status())


def measure(call: Call, answer: Response | None, span: Span) -> None:
    """Learns from the reported usage and hands the call's figures to the metrics."""
    reported = answer.usage.input if answer is not None else None
    core, agent, model = call.core, call.turn.said_agent, call.model
    core.calibration.learn(model, call.window.estimated, reported)
    if not core.metrics.enabled:
        return
    context = span.get_span_context()
    core.metrics.call(
        agent,
        model,
        call.counted,
        core.settings.budget.caps,
        core.settings.budget.origins,
        [s.tokens for s in call.slots],
        call.window.utilization,
        call.window.calls_left,
        call.came_in,
        call.spent / 1e9,
        context,
    )
    for (slot, reason), count in call.let_out.items():
        if count > 0:
            core.metrics.evicted(agent, slot, reason, count, context)
    for slot, count in call.went_out.items():
        left = count - sum(n for (s, _), n in call.let_out.items() if s == slot)
        if left > 0:
            core.metrics.evicted(agent, slot, "application", left, context)
