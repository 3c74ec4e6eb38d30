"""Sentences that a model reads: each is registered with its surface and its lifetime.

A *lasting* sentence stays in the history and is read again on later calls: it is in the past
tense, names the call or message it belongs to, promises nothing and denies nothing. A *fleeting*
one is rebuilt for each request and may speak in the present. A test renders all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple

Surface = Literal[
    "tool-result", "tool-description", "user-message", "system-text", "answer", "request"
]
"""Where a model meets the sentence."""
Lifetime = Literal["lasting", "fleeting"]
Rule = Literal["present", "promise", "denial", "bare"]
"""What a lasting sentence must not do: speak of now, of what comes, of what is not, or say `this
call` where a later reader would take another call for it."""


class Sentence(NamedTuple):
    """One registered sentence."""

    name: str
    surface: Surface
    lifetime: Lifetime
    samples: Callable[[], tuple[str, ...]]
    """Renders it in every variant, with values that add no words of their own."""
    exempt: Mapping[Rule, str]
    """Rules it may break, each with the reason."""


SENTENCES: dict[str, Sentence] = {}


def register(
    name: str,
    surface: Surface,
    lifetime: Lifetime,
    samples: Callable[[], tuple[str, ...]],
    exempt: Mapping[Rule, str] | None = None,
) -> None:
    """Registers a sentence; ValueError for a name that is taken."""
    if name in SENTENCES:
        raise ValueError(f"sentence {name} is registered twice")
    SENTENCES[name] = Sentence(name, surface, lifetime, samples, exempt or _NONE)


_NONE: Final[Mapping[Rule, str]] = {}
