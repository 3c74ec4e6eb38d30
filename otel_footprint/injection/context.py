"""What a trigger may look at: the facts of one boundary, read-only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..records.view import MessageView, ToolOutcome
from .vocabulary import actions_remaining


class Position(NamedTuple):
    """Where a procedure stands, by value."""

    skill: str
    step: int
    total: int
    tool: str


@dataclass(frozen=True)
class Context:
    """The facts that a predicate `when=lambda ctx: ...` is asked with.

    The same facts give the same answer at every call with them, as far as it lies with us: nothing
    here changes under a predicate's hands, and it is asked once for each model call.
    """

    action: int = 1
    """Number of the model call that is being prepared, 1-based; each turn begins again."""
    action_budget: Any = None
    """Model calls allowed in this turn; None when nobody said."""
    context_remaining: int | None = None
    """Tokens left in the model's window; None when unknown."""
    text: str = ""
    """The person's words of this turn."""
    messages: Sequence[MessageView] = ()
    """The conversation as it will be sent, before this boundary's deliveries."""
    results: tuple[ToolOutcome, ...] = ()
    """The tool calls that came back since the previous model call, in the model's order."""
    called: Sequence[str] = ()
    """Names of the tools that came back in this turn, in order of first return."""
    skills: tuple[str, ...] = ()
    """Ids of the skills activated in this turn; the last one has the tenure."""
    procedure: Position | None = None
    """The procedure that has the tenure, while steps are left."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Metadata of the turn, as the application handed it in."""

    @property
    def actions_remaining(self) -> int | None:
        """Model calls left after this one; None without a usable budget."""
        return actions_remaining(self)

    def returned(self, tool: str, status: str | None = None) -> bool:
        """True when the tool came back since the previous model call (with this status)."""
        return any(r.name == tool and status in (None, r.status) for r in self.results)
