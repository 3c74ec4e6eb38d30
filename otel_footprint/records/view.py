"""What the rules of injection, arguments and scripts see of a request: small neutral views.

`run` fills them from the items and parts of a dialect; nothing here knows a provider.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

ToolStatus = Literal["ok", "error", "denied", "refused", "paused", "unknown"]
"""How a tool call came out: it ran clean; it raised or said so; a person or a policy said no; one
of our own rules refused it; it waits for a person; it ran where we could not see it."""


class MessageView(NamedTuple):
    """One message of a request: one element of slot `messages` as the request holds it."""

    role: str
    """Role on the wire."""
    text: str = ""
    """What it says; several texts are joined by line breaks."""
    source: str = ""
    """Baseline source, or the source of what let it in (also of context that was credited)."""
    id: str = ""
    """Id of the injection that let it in; else empty."""
    call_ids: tuple[str, ...] = ()
    """Ids of the tool calls it asks for, in order."""
    answers: tuple[str, ...] = ()
    """Ids of the tool calls it answers, in order."""
    tools: tuple[str, ...] = ()
    """Names of the tools it calls or whose results it holds, in order."""
    person: bool = False
    """True when a person said (a part of) it, see `records.frames.is_said_by_person`."""
    key: str = ""
    """Identity: equal for the same message in every later request, for example its hash."""
    size: int = 0
    """Code points of the whole message; 0: those of `text`."""
    since: int = 0
    """The action at which it was first seen in this turn; 0: before, or unknown."""
    seen_at: float | None = None
    """Seconds of the clock that is handed in as `now`, when it was first seen."""

    @property
    def chars(self) -> int:
        """Code points of the message."""
        return self.size or len(self.text)

    @property
    def is_result(self) -> bool:
        """True for a message that holds tool results and no words of a person."""
        return self.role == "tool" or (bool(self.answers) and not self.person)


class ToolView(NamedTuple):
    """One tool of a request before anything of ours is put in."""

    name: str
    description: str = ""
    runtime: bool = False
    """True for a tool supplied while running (an MCP server, a provider's own tool)."""
    ours: bool = False
    """True for a tool of ours that the framework was given beforehand, to be able to run it."""


class ToolOutcome(NamedTuple):
    """A tool call that came back, in the order in which the model asked for it."""

    name: str
    call_id: str = ""
    status: ToolStatus = "ok"
    text: str = ""
    """The result's own text, before anything of ours."""
    arguments: Mapping[str, Any] | None = None
    """The call's arguments; needed for the library's own tools only."""
