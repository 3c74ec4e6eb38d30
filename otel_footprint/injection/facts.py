"""What a boundary has to know of the request that is about to leave."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..records.view import MessageView, ToolView
from .cache import MAX_MARKS
from .declared import Declared
from .delivery import CARRIES
from .vocabulary import REMAINING


@dataclass(frozen=True)
class CallFacts:
    """What has to be known of the request that is about to leave, before any edit of ours."""

    action: int
    """Number of this model call in the turn, 1-based; retries have the number of the first try."""
    action_budget: Any = None
    """The turn's action budget, else a limit read from the framework, else None."""
    context_remaining: int | None = None
    """Tokens left in the model's window; None when unknown."""
    text: str = ""
    """The person's words of this turn."""
    messages: Sequence[MessageView] = ()
    """Slot messages, as the caller's request holds it; may be a sequence that is filled when it is
    first looked at."""
    tools: Sequence[ToolView] = ()
    """Slot tools; may stay empty when nothing declared looks at them (`needs_tools`)."""
    system: str = ""
    """The agent's own system prompt; its pieces, joined."""
    system_pieces: int = 1
    """How many pieces that is."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Metadata of the turn, as the application handed it in."""
    dispatch: bool = False
    """True when calls of the library's tools would pass through us."""
    persists: bool = False
    """True when the framework keeps edited messages in its own history."""
    carries: Collection[str] = CARRIES
    """Roles that the provider takes among its messages."""
    closes: Collection[str] | None = None
    """Roles with which its request may end; None: all it carries."""
    user_first: bool = False
    """True for a provider whose messages begin with the user's."""
    alternates: bool = False
    """True for a provider that takes no two messages of one role in a row."""
    measured: int | None = None
    """Input tokens of the last call as reported; 0: the provider reports none."""
    measured_action: int = 0
    """The action that was measured."""
    paused: Collection[str] = ()
    """Ids of tool calls that wait for a person."""
    marks_left: int = MAX_MARKS
    """Cache marks for which the request has room."""
    now: float | None = None
    """Seconds of the clock of `MessageView.seen_at`."""


def needs_tools(declared: Declared) -> bool:
    """True when `CallFacts.tools` is looked at."""
    return bool(declared.skills) or declared.has_tools or declared.cache_marks


def asks_remaining(declared: Declared) -> bool:
    """True when `CallFacts.context_remaining` is looked at, or may be by a predicate."""
    return bool(declared.rules or declared.autos) or any(
        piece.template is not None and REMAINING in piece.template.names
        for piece in declared.pieces
    )
