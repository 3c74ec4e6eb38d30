"""Pieces: what may be let in. Frozen values that the factories make and check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, Literal, NamedTuple

from ..records.plan import Cause
from ..text.jsontext import encode
from .context import Context
from .procedures.plan import StepPlan
from .template import Template
from .triggers import Trigger

SOURCES: Final = (
    "fact", "steering", "instruction", "skill", "memory", "rag", "custom",
)  # fmt: skip
"""Sources of what is let in, in contrast to baseline flow."""

Surface = Literal["auto", "system", "tool", "both"]
"""Where the body of a skill goes: behind the system prompt while it is active, into the result of
`read_skill`, or both. auto: into the result when the model asked for it, else behind the prompt."""


@dataclass(frozen=True)
class Until:
    """Cacheable until a predicate says true; one that raises means not cacheable."""

    predicate: Callable[[Context], Any]


CachePolicy = Literal["always", "while-active", "never"] | Until


class DeclaredMessage(NamedTuple):
    """A message that is to enter the history once."""

    role: str
    text: str
    key: str
    """Equal for the same id, role and text: what makes it one message, delivered once."""


def declared_message(id_: str, role: str, text: str) -> DeclaredMessage:
    """A message of the piece of that id."""
    key = sha256(encode("\0".join((id_, role, text)))).hexdigest()[:32]
    return DeclaredMessage(role, text, key)


class ToolSpec(NamedTuple):
    """A tool that a piece brings along and that is offered while the piece is active."""

    name: str
    description: str
    schema: Mapping[str, Any] | None
    """JSON schema of its arguments; None when `raw`, the author's own object, knows it."""
    raw: Any


@dataclass(frozen=True)
class SkillPart:
    """What only a skill has."""

    body: str
    surface: Surface
    auto_activate: Trigger | None
    plan: StepPlan | None


@dataclass(frozen=True, eq=False)
class Injection:
    """One declared piece: which slots it goes to, when, and how long it may be cached.

    Equal only to itself; its id names it on the record.
    """

    id: str
    source: str
    trigger: Trigger
    system: str | None
    """Its text for slot system; of a template the text as declared."""
    messages: tuple[DeclaredMessage, ...]
    tools: tuple[ToolSpec, ...]
    """Tools it brings along."""
    claims: tuple[str, ...]
    """Names of tools that the agent has already and that belong to this piece."""
    cache: CachePolicy
    cause: Cause
    """What stands on the record for everything it lets in."""
    description: str
    template: Template | None
    skill: SkillPart | None

    @property
    def tool_names(self) -> tuple[str, ...]:
        """Names of all its tools, brought along and claimed."""
        return (*(tool.name for tool in self.tools), *self.claims)

    @property
    def is_listed(self) -> bool:
        """True for a skill that the model may ask for through `read_skill`."""
        return self.skill is not None and self.trigger.name == "read_skill"
