"""Window strategies: how the history is kept short. Declared values; `window` carries them out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from ..errors import DeclarationError, known_options, takes

KEEP_TOOL_RESULTS: Final = 2
"""Rounds that the newest result of each tool may keep in the history."""
KEEP_ROUNDS: Final = 4
"""Rounds that a strategy by tokens keeps when nobody says."""

Kind = Literal["sliding", "token-budget", "summarise-oldest"]


@dataclass(frozen=True)
class Strategy:
    """How a window is kept. A *round* is a message and the tool results that follow it."""

    kind: Kind
    keep_rounds: int
    """The newest rounds, which are never touched."""
    threshold: int | None
    """Input tokens of the last call above which it engages; None: by the number of rounds."""
    keep_tool_results: int
    """How many rounds the newest result of each tool may pin; 0: none."""
    summariser: Callable[..., Any] | None


@known_options("sliding_window")
def sliding_window(keep_rounds: int, *, keep_tool_results: int = KEEP_TOOL_RESULTS) -> Strategy:
    """Keeps the newest rounds; engages as soon as there are more."""
    return _make("sliding", keep_rounds, None, keep_tool_results, None)


@known_options("token_budget")
def token_budget(
    threshold: int,
    *,
    keep_rounds: int = KEEP_ROUNDS,
    keep_tool_results: int = KEEP_TOOL_RESULTS,
) -> Strategy:
    """Drops the oldest rounds when the last call's reported input tokens were over `threshold`.

    Never before a call was measured, and once for each measurement.
    """
    _whole("token_budget.threshold", threshold, 1)
    return _make("token-budget", keep_rounds, threshold, keep_tool_results, None)


@known_options("summarise_oldest")
def summarise_oldest(
    threshold: int,
    summariser: Callable[..., Any],
    *,
    keep_rounds: int = KEEP_ROUNDS,
    keep_tool_results: int = KEEP_TOOL_RESULTS,
) -> Strategy:
    """Replaces the oldest rounds by a summary that the application's `summariser` writes.

    It is called with the text of those rounds and returns a text (or an awaitable of one, on async
    agents). One that raises, or returns no text, removes nothing.
    """
    _whole("summarise_oldest.threshold", threshold, 1)
    if not takes(summariser, 1):
        raise DeclarationError(
            "summarise_oldest.summariser", summariser, "a callable (text) -> text"
        )
    return _make("summarise-oldest", keep_rounds, threshold, keep_tool_results, summariser)


def _make(
    kind: Kind, keep: int, threshold: int | None, pins: int,
    summariser: Callable[..., Any] | None,
) -> Strategy:  # fmt: skip
    _whole(f"{kind} keep_rounds", keep, 1)
    _whole(f"{kind} keep_tool_results", pins, 0)
    return Strategy(kind, keep, threshold, pins, summariser)


def _whole(field: str, value: object, least: int) -> None:
    if type(value) is not int or value < least:
        raise DeclarationError(field, value, f"a whole number from {least} on")
