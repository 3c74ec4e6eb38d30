"""What carries a value, as the library finds by itself: one search for both sides.

Texts of persons, results and the application, and tool definitions, each with its kind. What is
found is a hint, never called a source.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from ..text.definitions import ToolWords
from ..text.searchable import Needle, Searchable, scan
from .arguments import Kind, Ref, ToolText, is_planted

MAX_CARRIERS: Final = 16
"""Carriers that one record lists; the rest is counted."""
ORDER: Final[tuple[Kind, ...]] = ("person", "result", "app", "tools")
"""Which kind is named first."""
WEAK: Final = frozenset({"near", "prose", "name"})
"""Carriers that only count where no text holds the value itself."""


class Held(NamedTuple):
    """One text, and what piece it is of."""

    kind: Kind
    at: int
    """Place of the piece among those of its kind."""
    text: Searchable
    id: str = ""
    key: str = ""
    earlier: bool = False
    """It stood there before the current request of the person."""


class Hint(NamedTuple):
    """What carries a value."""

    coincides: Kind | None
    """The first kind of piece that carries it: person, result, app, tools."""
    carriers: tuple[Ref, ...] = ()
    more: int = 0
    unread: bool = False
    """Some text was too long to say no."""
    checkable: bool = True
    earlier: bool = False
    """Words of a person, a result or the application's text that stood there before the current
    request carry it."""


def hint(
    needle: Needle,
    held: Sequence[Held],
    texts: Sequence[Searchable],
    tools: Sequence[tuple[ToolWords, str]] = (),
    tool: str = "",
    argument: str = "",
) -> Hint:
    """Looks for a value everywhere: an exact carrier before a near one, by kind.

    `texts` are those of `held`, in the same order; `tools` each with its hash; `tool` and
    `argument` are those that have the value.
    """
    if not needle.wide:
        return Hint(None, checkable=False)
    found: list[tuple[Ref, bool]] = []
    unread = False
    for i, how in scan(needle, texts):
        if how == "unread":
            unread = True
        else:
            kind, place, _, ref_id, key, earlier = held[i]
            found.append((Ref(kind, place, how, ref_id, key), earlier))
    for at, (offer, key) in enumerate(tools):
        how_offered = offer.find(needle, tool, argument)
        if how_offered:
            found.append((Ref("tools", at, how_offered, offer.name, key), True))
    return _best(found, unread)


def _best(found: Iterable[tuple[Ref, bool]], unread: bool) -> Hint:
    """The kind that counts, its carriers first and each piece once."""
    found = list(found)
    best: Kind | None = None
    strong = {r.kind for r, _ in found if r.how not in WEAK}
    for kinds in (strong, {r.kind for r, _ in found}):
        best = next((kind for kind in ORDER if kind in kinds), None)
        if best is not None:
            break
    once = {(ref.kind, ref.at): (ref, earlier) for ref, earlier in reversed(found)}
    ordered = sorted(
        once.values(), key=lambda f: (f[0].kind != best, ORDER.index(f[0].kind), f[0].at)
    )
    refs = tuple(ref for ref, _ in ordered)
    earlier = any(e and ref.kind != "tools" for ref, e in ordered)
    return Hint(
        best, refs[:MAX_CARRIERS], max(0, len(refs) - MAX_CARRIERS), unread, earlier=earlier
    )


_kept: dict[Any, tuple[Any, ToolWords]] = {}
_KEPT: Final = 2048


def tool_words(tool: ToolText) -> ToolWords:
    """The words of a definition, made once per hash, or while the same object is served."""
    name = tool.key or id(tool.definition)
    found = _kept.get(name)
    if found is not None and (tool.key or found[0] is tool.definition):
        return found[1]
    made = ToolWords(tool.name, tool.definition, is_planted)
    if len(_kept) >= _KEPT:
        _kept.clear()
    _kept[name] = (tool.definition, made)
    return made
