"""The corpus of a turn, prepared once for all arguments of a batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ..records.arguments import Corpus, Kind, PersonText, Ref, ResultText
from ..text.cache import SHARED, SearchCache
from ..text.carriers import EXACT, Needle, Searchable
from .offers import ToolWords, tool_words

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
        self.results = [PreparedResult(r, tuple(_blocks(r, cache))) for r in corpus.results]
        self.app = [(a, get(a.text, a.key)) for a in corpus.app]
        self.model = [(m, get(m.text, m.key)) for m in corpus.model]
        self.tools: list[ToolWords] = [tool_words(t) for t in corpus.tools]
        self._flat: list[tuple[Ref, Searchable, bool]] | None = None

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
        first, respells = needle.first, needle.respells
        for ref, text, earlier in self._texts():
            if not respells and (known := text.known) is not None and first not in known:
                continue
            how = text.find(needle)
            if how == "unread":
                unread = True
            elif how is not None:
                found.append((ref._replace(how=how), earlier))
        for at, offer in enumerate(self.tools):
            how_offered = offer.find(needle, tool, argument)
            if how_offered:
                key = self.corpus.tools[at].key
                found.append((Ref("tools", at, how_offered, offer.name, key), True))
        return _best(found, unread)

    def _texts(self) -> list[tuple[Ref, Searchable, bool]]:
        if self._flat is None:
            self._flat = list(self._flatten())
        return self._flat

    def _flatten(self) -> Iterator[tuple[Ref, Searchable, bool]]:
        for at, (person, text) in enumerate(self.person):
            if not person.composed:
                yield Ref("person", at, key=person.key), text, person.earlier
        for at, result in enumerate(self.results):
            record = result.record
            for block in result.blocks:
                yield Ref("result", at, id=record.id, key=record.key), block, record.earlier
        for at, (app, text) in enumerate(self.app):
            yield Ref("app", at, id=app.label, key=app.key), text, True

    def by_model(self, needle: Needle) -> Ref | None:
        """The model's own earlier text that holds a value."""
        for at, (record, text) in enumerate(self.model):
            if text.find(needle) in EXACT:
                return Ref("model", at, key=record.key)
        return None


def _blocks(record: ResultText, cache: SearchCache) -> Iterator[Searchable]:
    texts = record.texts or ()
    for i, text in enumerate(texts):
        yield cache.get(text, f"{record.key}#{i}" if record.key and i else record.key)


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
