"""Content modes: what of a text may leave the process."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import Final, Literal

from ..errors import DeclarationError

ContentMode = Literal["none", "redacted", "full"]
CONTENT_MODES: Final[tuple[ContentMode, ...]] = ("none", "redacted", "full")

CONTENT_VARIABLE: Final = "OTEL_FOOTPRINT_CONTENT"
"""Our own setting: none, redacted or full. It wins over the standard variable."""
STANDARD_VARIABLE: Final = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

STANDARD_VALUES: Final[dict[str, ContentMode]] = {
    "": "none",
    "no_content": "none",
    "false": "none",
    "span_only": "full",
    "event_only": "full",
    "span_and_event": "full",
    "true": "full",
}
"""The standard capture variable's values (case is ignored) as our modes; any other means none."""


def is_stricter(one: ContentMode, other: ContentMode) -> bool:
    """Whether less may leave the process in the first mode than in the other."""
    return CONTENT_MODES.index(one) < CONTENT_MODES.index(other)


_LOG: Final = logging.getLogger("otel_footprint")
_warned: Final[set[str]] = set()


def content_mode(declared: str | None = None, env: Mapping[str, str] = os.environ) -> ContentMode:
    """The mode in force: what was declared, else our variable, else the standard one, else none.

    Raises DeclarationError for an unknown declared mode. A wrong value in the environment is not
    a declaration in code: it falls back to `none`, the mode that gives nothing away, and the log
    says so once.
    """
    if declared is not None:
        if declared not in CONTENT_MODES:
            raise DeclarationError("content", declared, "'none', 'redacted' or 'full'")
        return declared
    ours = env.get(CONTENT_VARIABLE, "").strip().lower()
    if ours in CONTENT_MODES:
        return ours
    if ours:
        if ours not in _warned:
            _warned.add(ours)
            _LOG.warning(
                "%s=%.40s is no mode (none, redacted or full): no text is recorded",
                CONTENT_VARIABLE, ours,
            )  # fmt: skip
        return "none"
    return STANDARD_VALUES.get(env.get(STANDARD_VARIABLE, "").strip().lower(), "none")
