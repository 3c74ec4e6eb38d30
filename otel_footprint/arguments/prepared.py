"""The corpus of a turn, prepared once for all arguments of a batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..records.arguments import Corpus, PersonText, Ref, ResultText
from ..records.hints import Held, Hint, hint, tool_words
from ..text.cache import SHARED, SearchCache
from ..text.searchable import EXACT, Needle, Searchable


class PreparedResult(NamedTuple):
    """One result and its blocks, ready for search."""

    record: ResultText
    blocks: tuple[Searchable, ...]


class Prepared:
    """A corpus with its texts ready for search; cheap to make while the texts are known."""

    def __init__(self, corpus: Corpus, cache: SearchCache = SHARED) -> None:
        self.corpus = corpus
        get = cache.get
        self.person = [(p, get(p.text, p.key, parts=False)) for p in corpus.person]
        self.results = [PreparedResult(r, _blocks(r, cache)) for r in corpus.results]
        self.app = [(a, get(a.text, a.key)) for a in corpus.app]
        self.model = [(m, get(m.text, m.key)) for m in corpus.model]
        self.tools = [(tool_words(t), t.key) for t in corpus.tools]
        self._held: list[Held] | None = None
        self._searchables: list[Searchable] = []

    def warm(self) -> Iterator[None]:
        """Reads every text into tokens, one a step, so that no later search has to."""
        for held in self._texts():
            held.text.warm()
            yield

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
        """Looks for a value everywhere, see `records.hints`."""
        held = self._texts()
        return hint(needle, held, self._searchables, self.tools, tool, argument)

    def _texts(self) -> list[Held]:
        if self._held is not None:
            return self._held
        made: list[Held] = []
        for at, (person, text) in enumerate(self.person):
            if not person.composed:
                made.append(Held("person", at, text, "", person.key, person.earlier))
        for at, (result, blocks) in enumerate(self.results):
            made += [
                Held("result", at, text, result.id, result.key, result.earlier) for text in blocks
            ]
        for at, (app, text) in enumerate(self.app):
            made.append(Held("app", at, text, app.label, app.key, True))
        self._held, self._searchables = made, [held.text for held in made]
        return made

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
