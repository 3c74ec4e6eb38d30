"""Which attributes hold content: words of a person, an application, a model or a tool."""

from __future__ import annotations

from typing import Final

from . import arguments as a
from . import context as c
from . import scripts as s
from . import trail as t

CONTENT: Final = (
    t.TEXT,
    t.OUTPUT_EXTRA,
    t.TURN_TEXT,
    t.SYSTEM_INSTRUCTIONS,
    t.INPUT_MESSAGES,
    t.OUTPUT_MESSAGES,
    t.EVALUATION_EXPLANATION,
    a.ARGUMENT_VALUE,
    a.ARGUMENT_PROPOSED,
    a.ARGUMENT_QUOTE,
    s.SCRIPT_TEXT,
    c.STEP_REASON,
)
"""Attributes of spans, events and log records that a collector drops or hashes to keep content out.

Hashes, sizes, sources and digests stay, so that a trail without them is still complete. Every name
but the last is absent in content mode `none`; the last is bounded and redacted in every mode.
"""
