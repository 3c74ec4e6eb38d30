"""The closed vocabulary of prompt templates: one table.

A word is added by one entry: its name, its type, what it says, and the rule that gives its value
or None when the fact is unavailable. Nothing else knows the words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol


class Facts(Protocol):
    """The run-time facts that words may state. A budget may be anything; the rules judge it."""

    @property
    def action(self) -> int:
        """Number of the model call that is being prepared, 1-based."""
        ...

    @property
    def action_budget(self) -> Any:
        """Model calls allowed in this turn, as declared or as read from the framework."""
        ...

    @property
    def context_remaining(self) -> Any:
        """Tokens left in the model's window after this request, or None when unknown."""
        ...


class Word(NamedTuple):
    """One word of the vocabulary."""

    name: str
    type: type
    doc: str
    """What it says, for an author."""
    value: Callable[[Facts], int | None]
    """The fact; None when it is unavailable, never a stand-in."""


def whole(value: object) -> int | None:
    """The value when it is a whole number from 0 on; else None.

    A missing, null, negative or non-integer budget (a bool, a float, a text) counts as
    unavailable.
    """
    return value if type(value) is int and value >= 0 else None


def actions_remaining(facts: Facts) -> int | None:
    """Actions left after this one, never below 0; None without a budget."""
    budget = whole(facts.action_budget)
    return None if budget is None else max(0, budget - facts.action)


REMAINING: Final = "contextRemaining"

WORDS: Final[dict[str, Word]] = {
    word.name: word
    for word in (
        Word("action", int, "The number of this model call in the turn.", lambda f: f.action),
        Word(
            "actionBudget",
            int,
            "How many model calls the turn may take; unavailable without a budget.",
            lambda f: whole(f.action_budget),
        ),
        Word(
            "actionsRemaining",
            int,
            "How many model calls are left after this one; unavailable without a budget.",
            actions_remaining,
        ),
        Word(
            REMAINING,
            int,
            "How many tokens are left in the model's window; unavailable when the window or the "
            "size of the request is unknown.",
            lambda f: whole(f.context_remaining),
        ),
    )
}
"""The vocabulary, in the order in which it is listed to an author."""
