"""Identifiers as applications have them: texts, and a database's numbers and UUIDs."""

from __future__ import annotations

from typing import Any
from uuid import UUID


def as_text(value: Any) -> Any:
    """A whole number or a UUID as a text; any other value as it is."""
    if isinstance(value, UUID) or (isinstance(value, int) and not isinstance(value, bool)):
        return str(value)
    return value
