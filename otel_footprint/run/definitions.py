"""Tool definitions that were made before: an agent sends the same ones in each turn."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Final

from ..slots.entry import Fresh

MOST: Final = 256
"""Definitions that are remembered."""
LONGEST: Final = 16_000
"""Characters of a definition that is remembered, as compact JSON."""


class Definitions:
    """The entries of definitions by what they were made of; bounded, the oldest goes first.

    Threads may share it: at worst a definition is made twice.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[Hashable, Fresh] = OrderedDict()
        self.get: Final = self._known.get
        """The entry, without the application's own object; None where it is not known."""

    def add(self, key: Hashable, fresh: Fresh) -> None:
        """Remembers an entry."""
        self._known[key] = fresh._replace(value=None)
        if len(self._known) > MOST:
            self._known.popitem(last=False)


__all__ = ["LONGEST", "MOST", "Definitions"]
