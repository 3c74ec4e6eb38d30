"""The messages that stand in the history for what left it, and their registration."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ..records.frames import COMPACTED, DROPPED, framed
from ..records.sentence import register
from .strategies import Kind

MAX_TOOLS: Final = 4
"""Tool names a notice gives."""
_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,47}")
_NAMES: Final[dict[Kind, str]] = {
    "sliding": "sliding window",
    "token-budget": "token budget",
    "summarise-oldest": "summary of the oldest",
}


def dropped_notice(count: int, action: int, kind: Kind, tools: Iterable[str] = ()) -> str:
    """Stands for `count` messages that were left out at one action."""
    head = (
        f"{count} earlier {_messages(count)} left out of the request of action {action} by the "
        f"{_NAMES[kind]}."
    )
    return framed(DROPPED, head + _tools(tools))


def compacted_notice(count: int, action: int, summary: str) -> str:
    """Stands for `count` messages whose summary the application's summariser wrote."""
    return framed(
        COMPACTED,
        f"{count} earlier {_messages(count)} replaced at action {action} by a summary. Summary: "
        f"{summary}",
    )


def _messages(count: int) -> str:
    return "message was" if count == 1 else "messages were"


def _tools(tools: Iterable[str]) -> str:
    names = [name for name in dict.fromkeys(tools) if _PLAIN.fullmatch(name)]
    if not names:
        return ""
    more = ", …" if len(names) > MAX_TOOLS else ""
    listed = ", ".join(f"`{name}`" for name in names[:MAX_TOOLS])
    return f" Results of these tools were among them: {listed}{more}."


register(
    "window.dropped",
    "user-message",
    "lasting",
    lambda: (
        dropped_notice(1, 3, "sliding"),
        dropped_notice(4, 5, "token-budget", ["tool_1", "tool_2"]),
    ),
)
register(
    "window.compacted",
    "user-message",
    "lasting",
    lambda: (compacted_notice(1, 3, "note"), compacted_notice(4, 5, "note")),
)
