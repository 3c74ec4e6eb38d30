"""A verdict on a turn, also later and from another process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..telemetry import names
from ..telemetry.sanitize import clean_attributes
from . import state

if TYPE_CHECKING:
    from .recorder import Recorder


def record(
    recorder: Recorder, turn_id: str, name: str, value: float | str | bool, comment: str | None
) -> None:
    """Writes `gen_ai.evaluation.result` on a span of its own that names the turn.

    A number is the score's value, a string its label, a bool both (1 or 0, and `true`/`false`).
    The comment is cut at 2,000 characters, and left out where no content is written.
    """
    if state.SUPPRESSED.get() or not recorder.enabled:
        return
    content = recorder.core.content(recorder.mode(None))
    redact = content.redactor.text
    event: dict[str, Any] = {names.EVALUATION_NAME: redact(name, "evaluation")}
    if isinstance(value, bool):
        event[names.EVALUATION_SCORE] = float(value)
        event[names.EVALUATION_LABEL] = str(value).lower()
    elif isinstance(value, int | float):
        event[names.EVALUATION_SCORE] = float(value)
    else:
        event[names.EVALUATION_LABEL] = redact(str(value), "evaluation")
    if comment is not None and content.writes:
        event[names.EVALUATION_EXPLANATION] = redact(comment, "evaluation")[:2000]
    spans = recorder.core.spans
    links = None
    said_id = content.name(turn_id, "turn")
    turn = state.TURN.get()
    if turn is not None and turn.id == turn_id:
        from ..telemetry.spans import link

        links = [link(turn.trace_id, turn.span_id, "evaluates")]
    span = spans.start(names.SPAN_FEEDBACK, None, {names.TURN_ID: said_id}, links=links)
    spans.event(span, names.EVALUATION, clean_attributes(event), None, {names.TURN_ID: said_id})
    span.end()
