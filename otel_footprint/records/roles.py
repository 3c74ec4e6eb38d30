"""The usual role of each source, so that a column of roles is written only where it says more."""

from __future__ import annotations

from typing import Final

USUAL: Final = {
    "user": "user",
    "assistant": "assistant",
    "tool-result": "tool",
    "base": "system",
    "registry": "",
}
NO_ROLE: Final = "-"
"""Stands for an empty role where the usual one is not empty."""


def shown(source: str, role: str) -> str:
    """What the column holds: empty for the usual role."""
    if role == USUAL.get(source, ""):
        return ""
    return role or NO_ROLE


def meant(source: str, column: str) -> str:
    """The role that a column's value means."""
    if not column:
        return USUAL.get(source, "")
    return "" if column == NO_ROLE else column
