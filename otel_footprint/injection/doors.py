"""The doors through which a message comes in, and the check at each of them.

A text that is no text (missing, null, of another type) is stopped where it comes in, and the door
names itself; nothing is coerced to an empty string. The check in the slot is the last net: what
it stops has passed a door without its check, and says so.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from ..records.injection import DoorRefused

Door = Literal[
    "declared piece", "tool result", "resumed pause", "rewrite", "restored state", "slot"
]

MISSING: Final = object()
"""Stands for a text that is not there at all."""


def check(text: Any, door: Door, origin: str) -> DoorRefused | None:
    """What is wrong with a text at a door, or None. `origin` names what brings it."""
    if isinstance(text, str):
        return None
    if text is MISSING:
        problem = "is missing"
    elif text is None:
        problem = "is null"
    else:
        problem = f"is of type {type(text).__name__}"
    net = "; a door let it pass without its check" if door == "slot" else ""
    return DoorRefused(door, origin, f"the text of {origin} {problem}{net}")
