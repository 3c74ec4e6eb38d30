"""Attributes as the format says they are, also after a pipeline changed how they are spelled.

Stores return 1.0 as 1 and 1 as 1.0, and some make one string of an array. What is of no use
counts as absent: nothing here raises, nothing is guessed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Attributes = Mapping[str, Any]


def text(attributes: Attributes, name: str) -> str:
    """A text; empty when it is absent."""
    value = attributes.get(name)
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def integer(attributes: Attributes, name: str) -> int | None:
    """A whole number; None when it is absent."""
    return _whole(attributes.get(name))


def number(attributes: Attributes, name: str) -> float | None:
    """A number; None when it is absent."""
    value = attributes.get(name)
    if isinstance(value, str):
        value = _parsed(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if value == value else None


def flag(attributes: Attributes, name: str) -> bool | None:
    """A boolean; None when it is absent."""
    value = attributes.get(name)
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(value.lower()) if isinstance(value, str) else None


def texts(attributes: Attributes, name: str) -> list[str] | None:
    """An array of texts; None when it is absent or no array any more (an array that was cut)."""
    values = _array(attributes.get(name))
    if values is None:
        return None
    return [v if isinstance(v, str) else "" if v is None else _spelled(v) for v in values]


def integers(attributes: Attributes, name: str) -> list[int] | None:
    """An array of whole numbers; None when it is absent or holds anything else."""
    values = _array(attributes.get(name))
    if values is None:
        return None
    if all(type(v) is int for v in values):
        return values
    whole = [_whole(v) for v in values]
    return [v for v in whole if v is not None] if None not in whole else None


def listed(attributes: Attributes, name: str) -> list[str]:
    """Words with commas between them, or an array of them; empty when absent."""
    value = attributes.get(name)
    if isinstance(value, str) and value[:1] != "[":
        return [word.strip() for word in value.split(",")] if value else []
    return texts(attributes, name) or []


def figures(attributes: Attributes, name: str) -> list[int | None]:
    """Whole numbers with commas between them, or an array of them; empty when absent."""
    return [_whole(word) for word in listed(attributes, name)]


def _array(value: Any) -> list[Any] | None:
    if isinstance(value, list):
        return value
    if isinstance(value, str):
        parsed = _parsed(value) if value[:1] == "[" else None
        if isinstance(parsed, list):
            return parsed
        return None if value[:1] == "[" else [value]
    return None if value is None else [value]


def _whole(value: Any) -> int | None:
    if type(value) is int:
        return value
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and len(value) < 32:
        return int(value) if value.isascii() and value.isdigit() else _whole(_parsed(value))
    return None


def _parsed(value: str) -> Any:
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return parsed if not isinstance(parsed, str) else None


def _spelled(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool | dict | list) else str(value)
