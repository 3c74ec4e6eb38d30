"""Prepared texts, kept while they are in use: a text is read once, whatever searches it.

A key is a piece's hash where there is one, else the text itself. The cache is bounded by the
characters it holds; the texts that were not used for longest go first.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Final

from .searchable import Searchable

MAX_CHARS: Final = 8_000_000
"""Characters of text whose tokens are kept, by default."""
_LONG: Final = 2_000_000
"""A longer text counts as this much: no more of it than this is ever read into tokens."""


class SearchCache:
    """A bounded store of `Searchable`s; safe to use from several threads."""

    def __init__(self, max_chars: int = MAX_CHARS) -> None:
        self.max_chars = max_chars
        self.chars = 0
        """Characters held now."""
        self._kept: OrderedDict[Hashable, Searchable] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, text: str, key: str = "", parts: bool = True) -> Searchable:
        """The prepared text; made when it is not at hand. `key` is its hash, if it has one.

        A hash under which another text is kept is not believed: the text at hand is prepared.
        """
        name: Hashable = (key or text, parts)
        with self._lock:
            found = self._kept.get(name)
            if found is not None and (found.text is text or found.text == text):
                self._kept.move_to_end(name)
                return found
            if found is not None:
                self.chars -= _cost(found.text)
            made = self._kept[name] = Searchable(text, parts)
            self.chars += _cost(text)
            while self.chars > self.max_chars and len(self._kept) > 1:
                self.chars -= _cost(self._kept.popitem(last=False)[1].text)
            return made

    def __len__(self) -> int:
        """Texts held."""
        return len(self._kept)

    def clear(self) -> None:
        """Forgets all texts."""
        with self._lock:
            self._kept.clear()
            self.chars = 0


def _cost(text: str) -> int:
    return min(len(text), _LONG) + 64


SHARED: Final = SearchCache()
"""The cache of the process, for whoever has none of its own."""
