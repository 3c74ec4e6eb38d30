"""The corpus of a turn, prepared once for all arguments of a batch."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from ..records.arguments import Corpus, Kind, PersonText, Ref, ResultText, ToolText
from ..text.cache import SHARED, SearchCache
from ..text.definitions import ToolWords
from ..text.searchable import EXACT, Needle, Searchable, scan
from .plant import is_ours

MAX_CARRIERS: Final = 16
"""Carriers that one record lists; the rest is counted."""


class PreparedResult(NamedTuple):
    """One result and its blocks, ready for search."""

    record: ResultText
    blocks: tuple[Searchable, ...]


class Hint(NamedTuple):
    """What carries a value, as the library found by itself."""

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


class Prepared:
    """A corpus with its texts ready for search; cheap to make while the texts are known."""

    def __init__(self, corpus: Corpus, cache: SearchCache = SHARED) -> None:
        self.corpus = corpus
        get = cache.get
        self.person = [(p, get(p.text, p.key, parts=False)) for p in corpus.person]
        self.results = [PreparedResult(r, _blocks(r, cache)) for r in corpus.results]
        self.app = [(a, get(a.text, a.key)) for a in corpus.app]
        self.model = [(m, get(m.text, m.key)) for m in corpus.model]
        self.tools: list[ToolWords] = [tool_words(t) for t in corpus.tools]
        self._flat: list[tuple[Kind, int, str, str, bool]] | None = None
        self._searchables: list[Searchable] = []

    def said(self, needle: Needle) -> tuple[list[tuple[int, PersonText]], bool]:
        """The person texts that hold tokens, and whether some text could not be read."""
        found, unread = [], False
        for at, (record, text) in enumerate(self.person):
            held = text.holds(needle)
            if held:
                found.append((at, record))
            unread = unread or held is None
        return found, unread

    def hint(self, needle: Needle, tool: str = "", argument: str = "") -> Hint:
        """Looks for a value everywhere: an exact carrier before a near one, by kind."""
        if not needle.wide:
            return Hint(None, checkable=False)
        found: list[tuple[Ref, bool]] = []
        unread = False
        flat = self._texts()
        for i, how in scan(needle, self._searchables):
            if how == "unread":
                unread = True
            else:
                kind, place, ref_id, key, earlier = flat[i]
                found.append((Ref(kind, place, how, ref_id, key), earlier))
        for at, offer in enumerate(self.tools):
            how_offered = offer.find(needle, tool, argument)
            if how_offered:
                key = self.corpus.tools[at].key
                found.append((Ref("tools", at, how_offered, offer.name, key), True))
        return _best(found, unread)

    def _texts(self) -> list[tuple[Kind, int, str, str, bool]]:
        """Kind, place, id, hash, and whether it stood there before, of each `_searchables`."""
        if self._flat is not None:
            return self._flat
        flat: list[tuple[Kind, int, str, str, bool]] = []
        texts: list[Searchable] = []
        for at, (person, text) in enumerate(self.person):
            if not person.composed:
                flat.append(("person", at, "", person.key, person.earlier))
                texts.append(text)
        for at, (result, blocks) in enumerate(self.results):
            for text in blocks:
                flat.append(("result", at, result.id, result.key, result.earlier))
                texts.append(text)
        for at, (app, text) in enumerate(self.app):
            flat.append(("app", at, app.label, app.key, True))
            texts.append(text)
        self._flat, self._searchables = flat, texts
        return flat

    def by_model(self, needle: Needle) -> Ref | None:
        """The model's own earlier text that holds a value."""
        for at, (record, text) in enumerate(self.model):
            if text.find(needle) in EXACT:
                return Ref("model", at, key=record.key)
        return None


def _blocks(record: ResultText, cache: SearchCache) -> tuple[Searchable, ...]:
    texts = record.texts or ()
    if len(texts) == 1:
        return (cache.get(texts[0], record.key),)
    keys = (f"{record.key}#{i}" if record.key else "" for i in range(len(texts)))
    return tuple(cache.get(text, key) for text, key in zip(texts, keys, strict=True))


def _best(found: list[tuple[Ref, bool]], unread: bool) -> Hint:
    """The kind that counts, its carriers first and each piece once."""
    best: Kind | None = None
    strong = {r.kind for r, _ in found if r.how not in _WEAK}
    for kinds in (strong, {r.kind for r, _ in found}):
        best = next((kind for kind in _ORDER if kind in kinds), None)
        if best is not None:
            break
    once = {(ref.kind, ref.at): (ref, earlier) for ref, earlier in reversed(found)}
    ordered = sorted(
        once.values(), key=lambda f: (f[0].kind != best, _ORDER.index(f[0].kind), f[0].at)
    )
    refs = tuple(ref for ref, _ in ordered)
    earlier = any(e and ref.kind != "tools" for ref, e in ordered)
    return Hint(
        best, refs[:MAX_CARRIERS], max(0, len(refs) - MAX_CARRIERS), unread, earlier=earlier
    )


_ORDER: Final[tuple[Kind, ...]] = ("person", "result", "app", "tools")
_WEAK: Final = frozenset({"near", "prose", "name"})
"""Carriers that only count where no text holds the value itself."""

_kept: dict[Any, tuple[Any, ToolWords]] = {}
_KEPT: Final = 2048


def tool_words(tool: ToolText) -> ToolWords:
    """The words of a definition, made once per hash, or while the same object is served."""
    name = tool.key or id(tool.definition)
    found = _kept.get(name)
    if found is not None and (tool.key or found[0] is tool.definition):
        return found[1]
    made = ToolWords(tool.name, tool.definition, is_ours)
    if len(_kept) >= _KEPT:
        _kept.clear()
    _kept[name] = (tool.definition, made)
    return made
