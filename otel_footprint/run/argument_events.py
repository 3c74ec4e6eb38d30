"""Rows of arguments as events: through redaction, bounded, values and quotes in `full` only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ..arguments import RESERVED
from ..records.arguments import CONTENT_FIELDS, ArgumentRow, Standing
from ..telemetry import names
from ..telemetry.sanitize import clean_attributes
from .core import Content
from .injected import Event

EVENTS: Final = 96
"""Rows of one tool call that are written; further ones are counted (an SDK keeps 128 events)."""
_REDACTED: Final = ("tool", "call_id", "argument", "result", "app_source", *sorted(CONTENT_FIELDS))
"""Fields that may hold content: a nested value's path names keys that the model wrote."""


def event_of(row: ArgumentRow, content: Content) -> Event:
    """The event of one row."""
    said: dict[str, Any] = dict(row.fields(content=content.mode == "full"))
    if content.redacts:
        redact = content.redactor.text
        for field in _REDACTED:
            if field in said:
                said[field] = redact(said[field], "argument")
        if "carrier_ids" in said:
            said["carrier_ids"] = [redact(text, "argument") for text in said["carrier_ids"]]
    name = names.EVENT_ARGUMENT if row.asked is None else names.EVENT_ARGUMENT_ASKED
    return name, clean_attributes({names.ARGUMENT_FIELDS[k]: v for k, v in said.items()})


def events_of(rows: Iterable[ArgumentRow], content: Content) -> tuple[list[Event], int]:
    """The events of a call's rows, and how many are over the bound."""
    made = [event_of(row, content) for row in rows]
    return made[:EVENTS], max(0, len(made) - EVENTS)


def standing_event(standing: Standing, content: Content) -> Event:
    """The event of a turn's standing."""
    reasons = [content.redactor.text(reason, "argument") for reason in standing.reasons]
    said: dict[str, Any] = {
        names.STANDING_WORD: standing.word,
        names.STANDING_ASSESSED: standing.assessed,
        names.STANDING_OF: standing.of,
    }
    if reasons:
        said[names.STANDING_REASONS] = reasons
    return names.EVENT_STANDING, clean_attributes(said)


def withheld_event(tool: str, reason: str, content: Content) -> Event:
    """`footprint.offer.withheld`: a tool is served without the reserved argument."""
    said = {
        names.OFFER_TOOL: content.redactor.text(tool, "tool name"),
        names.OFFER_REASON: content.redactor.text(reason, "argument"),
        names.INJECTION_SOURCE: "arguments",
        names.INJECTION_ID: RESERVED,
    }
    return names.EVENT_WITHHELD, clean_attributes(said)


def counts(rows: Iterable[ArgumentRow], malformed: int, left_out: int) -> dict[str, int]:
    """Attributes of a tool call's span: refuted claims, what was dropped, what got no event."""
    out: dict[str, int] = {}
    if any(row.failed not in (None, "uncheckable") for row in rows):
        out[names.ARGUMENT_REFUTED] = True
    if malformed:
        out[names.ARGUMENT_MALFORMED] = malformed
    if left_out:
        out[names.ARGUMENT_LEFT_OUT] = left_out
    return out
