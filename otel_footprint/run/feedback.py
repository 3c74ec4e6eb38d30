"""A verdict on a turn, also later and from another process."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any

from ..telemetry import names
from ..telemetry.guard import refused
from ..telemetry.sanitize import clean_attributes
from . import state
from .said import text_of

if TYPE_CHECKING:
    from .recorder import Recorder


def record(
    recorder: Recorder, turn_id: str, name: str, value: float | str | bool, comment: str | None
) -> None:
    """Writes `gen_ai.evaluation.result` on a span of its own that names the turn.

    A number is the score's value, a string its label, a bool both (1 or 0, and `true`/`false`).
    The comment is cut at 2,000 characters, and left out where no content is written.
    Of anything else nothing is recorded, which the log says.
    """
    if state.SUPPRESSED.get() or not recorder.enabled:
        return
    said = _plain(value)
    if said is None:
        return
    content = recorder.core.content(recorder.mode(None))
    redact = content.redactor.text
    event: dict[str, Any] = {names.EVALUATION_NAME: redact(name, "evaluation")}
    if isinstance(said, bool):
        event[names.EVALUATION_SCORE] = float(said)
        event[names.EVALUATION_LABEL] = str(said).lower()
    elif isinstance(said, float):
        event[names.EVALUATION_SCORE] = said
    else:
        event[names.EVALUATION_LABEL] = redact(said, "evaluation")
    if comment is not None and content.writes:
        event[names.EVALUATION_EXPLANATION] = redact(text_of(comment), "evaluation")[:2000]
    spans = recorder.core.spans
    links = None
    said_id = content.name(turn_id, "turn")
    turn = state.turn()
    if turn is not None and turn.id == turn_id:
        from ..telemetry.spans import link

        links = [link(turn.trace_id, turn.span_id, "evaluates")]
    span = spans.start(names.SPAN_FEEDBACK, None, {names.TURN_ID: said_id}, links=links)
    spans.event(span, names.EVALUATION, clean_attributes(event), None, {names.TURN_ID: said_id})
    span.end()


def _plain(value: Any) -> bool | float | str | None:
    """The verdict as Python's own value; None, and a line in the log, for what is none."""
    made = value.item() if callable(getattr(value, "item", None)) else value  # NumPy's, torch's
    if isinstance(made, bool):
        return made
    if isinstance(made, Real) and math.isfinite(made):
        return float(made)
    if isinstance(made, str):
        return text_of(made)
    refused("feedback", f"the value is a {type(value).__name__}: no finite number, bool or label")
    return None
