"""`footprint.context.injected`, and how a text of a declaration may stand on the record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..records.plan import Cause
from ..telemetry import names
from ..telemetry.sanitize import clean_attributes, clean_text
from ..text.chunks import chunk

if TYPE_CHECKING:
    from .core import Content

Event = tuple[str, dict[str, Any]]
"""Name and attributes of an event; what they hold has passed redaction."""


def injected(
    cause: Cause, slot: str, content: Content, name: str = "", key: str = "", at: int = -1
) -> Event:
    """`footprint.context.injected`: something was let into a slot.

    `name`: of a tool its name, of a message its role. `key`, `at`: of a delivery.
    """
    out: dict[str, Any] = {
        names.SLOT: slot,
        names.INJECTION_SOURCE: cause.source,
        names.INJECTION_ID: said(cause.id, content),
        names.INJECTION_REASON: said(cause.reason, content),
    }
    for attribute, value in (
        (names.INJECTION_TRIGGER, said(cause.trigger, content)),
        (names.INJECTION_NAME, said(name, content)),
        (names.INJECTION_SCORE, cause.score),
        (names.INJECTION_RANK, cause.rank),
        (names.INJECTION_THRESHOLD, cause.threshold),
        (names.DELIVERY_KEY, key),
        (names.DELIVERY_AT, at if at >= 0 else None),
    ):
        if value is not None and value != "":
            out[attribute] = value
    return names.EVENT_INJECTED, clean_attributes(out)


def said(value: Any, content: Content) -> Any:
    """A value as it may stand on the record: a text is redacted, clean and bounded."""
    if not isinstance(value, str):
        return value
    text = clean_text(content.redactor.text(value, "injection"))
    return text if len(text) <= 500 else chunk(text)[0]
