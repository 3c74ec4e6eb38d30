"""Values of a request or a response, taken only when they are of the right type."""

from __future__ import annotations

import json
import math
from typing import Any, Final

from ..text.jsontext import dumps, plain
from .types import Usage

_LEAST: Final = -(2**63)
_MOST: Final = 2**63 - 1


def compact(value: Any) -> str:
    """Compact JSON of any value; what JSON cannot hold stands as an opaque marker."""
    try:
        return dumps(value)
    except Exception:  # no JSON, or an object whose own methods raise
        return dumps(plain(value))


def text(value: Any) -> str | None:
    """The value when it is a text that is not empty."""
    return value if isinstance(value, str) and value else None


def word(value: Any) -> str:
    """The value when it is a text, else an empty one; of an enumeration's text the text itself."""
    if type(value) is str:
        return value
    return str.__str__(value) if isinstance(value, str) else ""


def flag(value: Any) -> bool | None:
    """The value when it is true or false."""
    return value if isinstance(value, bool) else None


def whole(value: Any) -> int | None:
    """A whole number of at most 64 bits, also one that JSON spells `40.0`; never a bool."""
    if type(value) is float and math.isfinite(value) and value.is_integer():
        value = int(value)
    return value if type(value) is int and _LEAST <= value <= _MOST else None


def real(value: Any) -> float | None:
    """A finite number; never a bool."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if type(value) is int and abs(value) < 2**53:
        return float(value)
    return None


def texts(value: Any) -> tuple[str, ...] | None:
    """A text or a list of texts; other elements of the list are left out."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list | tuple):
        return tuple(v for v in value if isinstance(v, str)) or None
    return None


def count(value: Any) -> int | None:
    """A number of tokens; None for a negative number and for everything that is none."""
    if type(value) is not int:
        value = whole(value)
    return value if value is not None and 0 <= value <= _MOST else None


def total(*values: Any) -> int | None:
    """The sum of those numbers of tokens that were reported; None when the first was not."""
    first = count(values[0])
    return None if first is None else first + sum(count(v) or 0 for v in values[1:])


def obj(value: Any) -> dict[str, Any]:
    """The value when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items_of(value: Any) -> list[Any]:
    """The value when it is a list, else an empty one."""
    return value if isinstance(value, list) else list(value) if isinstance(value, tuple) else []


def json_or_text(text: str) -> Any:
    """The JSON value that a text holds, else the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def merged(first: Usage, second: Usage) -> Usage:
    """The second report of usage, with what only the first one says."""
    return Usage(*(b if b is not None else a for a, b in zip(first, second, strict=True)))


CUT = frozenset(
    {
        "length", "max_tokens", "max_output_tokens", "model_length", "content_filter",
        "content_filtered", "guardrail_intervened", "model_context_window_exceeded", "safety",
        "recitation", "blocklist", "prohibited_content", "spii", "language", "error", "error_toxic",
        "error_limit", "incomplete", "failed", "cancelled", "malformed_function_call",
    }
)  # fmt: skip
"""Finish reasons, in lower case, of an output that the provider ended before the model did."""


def is_cut(reasons: tuple[str, ...]) -> bool:
    """True when one of the finish reasons says that the provider cut the output off."""
    return not CUT.isdisjoint(map(str.lower, reasons))
