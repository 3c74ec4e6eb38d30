"""What a person declares about programs that travel with the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..errors import DeclarationError, known_fields
from ..records.scripts import DEFAULT_SHOWN_BYTES, Which


class Where(NamedTuple):
    """Where a tool takes its program."""

    argument: str
    """Name of the argument that holds the program."""
    language: str | None
    """Declared language; None: what the call itself says under `language`, if it says so."""


@known_fields
@dataclass(frozen=True)
class Scripts:
    """Programs are kept as they are submitted, and the library attaches them under the answer.

    tools: name of a tool -> name of the argument that holds the program, or the pair
    (argument, language). Without tools only code that a provider ran itself is kept.
    which: `last` (the turn's last call that reached its tool) or `all` (the newest eight).
    max_bytes: UTF-8 bytes shown of each program. Wrong values raise DeclarationError.
    """

    tools: Mapping[str, str | tuple[str, str]] = field(default_factory=dict)
    which: Which = "last"
    max_bytes: int = DEFAULT_SHOWN_BYTES
    where: Mapping[str, Where] = field(init=False, repr=False, compare=False)
    """The tools, checked."""

    def __post_init__(self) -> None:
        if type(self.which) is not str or self.which not in ("last", "all"):
            raise DeclarationError("Scripts.which", self.which, "'last' or 'all'")
        if type(self.max_bytes) is not int or self.max_bytes < 1:
            raise DeclarationError(
                "Scripts.max_bytes", self.max_bytes, "a positive whole number of UTF-8 bytes"
            )
        if not isinstance(self.tools, Mapping):
            raise DeclarationError(
                "Scripts.tools", self.tools, "a mapping of tool name to argument name"
            )
        where = {_name("Scripts.tools", tool): _where(tool, at) for tool, at in self.tools.items()}
        object.__setattr__(self, "where", where)
        object.__setattr__(self, "tools", dict(self.tools))


def _where(tool: Any, at: Any) -> Where:
    name = f"Scripts.tools[{tool!r}]"
    if isinstance(at, str):
        return Where(_name(name, at), None)
    if isinstance(at, tuple) and len(at) == 2:
        return Where(_name(name, at[0]), _name(name, at[1]))
    raise DeclarationError(
        name, at, "the name of the argument that holds the program, or (argument, language)"
    )


def _name(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise DeclarationError(name, value, "names are strings that are not blank")
    return value
