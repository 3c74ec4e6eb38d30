"""Sentences that a model reads: each is registered with its surface and its lifetime.

A *lasting* sentence stays in the history and is read again on later calls: it is in the past
tense, names the call or message it belongs to, promises nothing and denies nothing. A *fleeting*
one is rebuilt for each request and may speak in the present. A test renders all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

Surface = Literal[
    "tool-result", "tool-description", "user-message", "system-text", "answer", "request"
]
"""Where a model meets the sentence."""
Lifetime = Literal["lasting", "fleeting"]


class Sentence(NamedTuple):
    """One registered sentence."""

    name: str
    surface: Surface
    lifetime: Lifetime
    samples: Callable[[], tuple[str, ...]]
    """Renders it in every variant, with values that add no words of their own."""


SENTENCES: dict[str, Sentence] = {}


def register(
    name: str,
    surface: Surface,
    lifetime: Lifetime,
    samples: Callable[[], tuple[str, ...]],
) -> None:
    """Registers a sentence; ValueError for a name that is taken."""
    if name in SENTENCES:
        raise ValueError(f"sentence {name} is registered twice")
    SENTENCES[name] = Sentence(name, surface, lifetime, samples)
