"""The words of tool definitions: an enum word in a schema is a source too.

A definition is looked at in three parts: the values it offers (`choice`: enum, const, default,
examples), the names it gives (`name`: of tools and arguments), and its descriptions (`prose`).
The schema's own vocabulary (`type`, `object`, `required`, ...) is no word of anybody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple

from .jsontext import MAX_DEPTH, dumps
from .searchable import EXACT, Needle, Searchable
from .tokens import words
from .values import leaves, value_text

Part = Literal["own choice", "choice", "name", "prose"]
"""`own choice`: offered by the very argument that has the value."""

_VALUES: Final = frozenset({"enum", "const", "default", "examples", "example"})
_TEXTS: Final = frozenset({"description", "title"})


class _Offered(NamedTuple):
    argument: str
    tokens: tuple[str, ...]


class ToolWords:
    """One definition, ready for search."""

    __slots__ = ("_choices", "_names", "_own", "_prose", "name")

    def __init__(
        self, name: str, definition: Any, is_skipped: Callable[[Any], bool] | None = None
    ) -> None:
        """`is_skipped` says of an argument's schema that it is not the author's."""
        self.name = name
        walk = _Walk(is_skipped)
        walk.visit(definition, "", 0)
        self._choices = {c.tokens for c in walk.choices}
        self._own = set(walk.choices)
        self._names = {tuple(words(text)) for text in (name, *walk.names)} - {()}
        self._prose = Searchable(dumps(walk.prose))

    def find(self, needle: Needle, tool: str = "", argument: str = "") -> Part | None:
        """Which part of the definition holds a value; choices and names are compared whole."""
        wanted = tuple(needle.wide)
        if wanted in self._choices:
            own = tool == self.name and _Offered(_last_name(argument), wanted) in self._own
            return "own choice" if own else "choice"
        if wanted in self._names:
            return "name"
        return "prose" if self._prose.find(needle) in EXACT else None


def _last_name(path: str) -> str:
    """`date` of `flights[0].date`, `tags` of `tags[1]`."""
    name = path.rsplit(".", 1)[-1]
    return name.split("[", 1)[0]


class _Walk:
    def __init__(self, is_skipped: Callable[[Any], bool] | None) -> None:
        self.is_skipped = is_skipped
        self.choices: list[_Offered] = []
        self.names: list[str] = []
        self.prose: list[str] = []
        self._seen: set[tuple[int, str]] = set()

    def visit(self, value: Any, argument: str, depth: int) -> None:
        if depth > MAX_DEPTH or (id(value), argument) in self._seen:
            return
        self._seen.add((id(value), argument))
        if isinstance(value, list | tuple):
            for item in value:
                self.visit(item, argument, depth + 1)
        elif isinstance(value, Mapping):
            for key, item in value.items():
                self._key(key, item, argument, depth)

    def _key(self, key: Any, item: Any, argument: str, depth: int) -> None:
        if key in _VALUES:
            for leaf in leaves(item):
                found = tuple(words(value_text(leaf.value)))
                if found:
                    self.choices.append(_Offered(argument, found))
        elif key in _TEXTS and isinstance(item, str):
            self.prose.append(item)
        elif key == "name" and isinstance(item, str):
            self.names.append(item)
        elif key in ("properties", "$defs", "definitions") and isinstance(item, Mapping):
            for name, inner in item.items():
                if self.is_skipped is not None and self.is_skipped(inner):
                    continue
                if key == "properties" and isinstance(name, str):
                    self.names.append(name)
                self.visit(inner, str(name) if key == "properties" else argument, depth + 1)
        else:
            self.visit(item, argument, depth + 1)
