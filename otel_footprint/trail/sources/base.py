"""What every source of trails can do."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Protocol

from ...records.listing import Meant, TurnLine
from ...records.trail import Problem
from ..collected import Records
from .listing import Filter


class Source(Protocol):
    """A place that trails come from. All methods raise SourceError when it cannot be read."""

    name: str
    """As a person wrote it."""

    def find(self, which: str) -> Meant:
        """What an id, its beginning or `newest` means. Raises TrailError when it is not there."""

    def traces_of(self, meant: Meant) -> tuple[str, ...]:
        """Ids of the traces that hold it."""

    def read(self, traces: Collection[str]) -> Records:
        """Everything of these traces; one that is not there gives nothing."""

    def turns(self, narrowed: Filter, limit: int | None) -> Iterator[TurnLine | Problem]:
        """The turns that fit, as they are found, and what could not be read. `limit`: at most so
        many (None: of a store its default, of files all)."""

    def everything(self) -> Records | None:
        """All that is there; None for a store that is not read as a whole."""
