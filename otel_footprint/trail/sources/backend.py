"""What the query APIs of backends have in common: a turn is found by search, a trace by its id."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from typing import Final

from ...errors import TrailError
from ...records.listing import NEWEST, Meant, TurnLine
from ...records.trail import Log, Problem, Span
from ..collected import Records
from ..files import read_stream
from ..overview import Overview
from .http import Http, NotThereError
from .listing import EVERY, Filter
from .paths import Begun
from .select import is_trace_id, meant, turn_id

LISTED: Final = 50
"""Newest traces that are listed when nobody says how many."""
LOOKED_AT: Final = 200
"""Newest traces among which the beginning of an id is looked for."""


class Backend(ABC):
    """A store behind an HTTP API. What was fetched once is kept for this command."""

    def __init__(self, http: Http) -> None:
        self.http = http
        self.name = http.base
        self._fetched: dict[str, Records] = {}

    # --- what each backend does its own way ----------------------------------------------

    @abstractmethod
    def fetch(self, trace: str) -> Records:
        """A trace; nothing when it is not there."""

    @abstractmethod
    def traces_with(self, turn: str) -> list[str]:
        """Ids of the traces in which a turn of this id is recorded."""

    @abstractmethod
    def newest_traces(self, narrowed: Filter, limit: int) -> list[str]:
        """Ids of the newest traces that hold turns, the newest first; it may narrow them down."""

    # --- a source ------------------------------------------------------------------------

    def everything(self) -> Records | None:
        """None: a store is not read as a whole."""
        return None

    def find(self, which: str) -> Meant:
        """What an id, its beginning or `newest` means."""
        if which == NEWEST:
            for trace in self.newest_traces(EVERY, 1):
                begun = Begun()
                for span in self.read((trace,)).spans:
                    begun.add(span)
                return begun.newest()
            raise TrailError(f"no turn is in {self.name}")
        if is_trace_id(which) and self.read((which.lower(),)).spans:
            return Meant("", which.lower())
        if self.traces_with(which):
            return Meant(which, "")
        traces = self.newest_traces(EVERY, LOOKED_AT)
        early = [t for t in traces if t.startswith(which.lower())]
        if len(early) == 1:
            return Meant("", early[0])
        turns = {turn_id(s) for t in traces for s in self.read((t,)).spans} - {""}
        try:
            return meant(which, turns, set(traces))
        except TrailError as error:
            hint = f"; the beginning of an id is looked for in the newest {LOOKED_AT} traces"
            raise TrailError(f"{error}{hint if len(traces) >= LOOKED_AT else ''}") from None

    def traces_of(self, meant: Meant) -> tuple[str, ...]:
        """Ids of the traces that hold it."""
        if meant.trace:
            return (meant.trace,)
        known = [
            t for t, r in self._fetched.items() if any(turn_id(s) == meant.turn for s in r.spans)
        ]
        return tuple(dict.fromkeys([*known, *self.traces_with(meant.turn)]))

    def read(self, traces: Collection[str]) -> Records:
        """Everything of these traces."""
        out = Records()
        for trace in traces:
            if trace not in self._fetched:
                self._fetched[trace] = self.fetch(trace)
            out.join(self._fetched[trace])
        return out

    def turns(self, narrowed: Filter, limit: int | None) -> Iterator[TurnLine | Problem]:
        """The turns of the newest traces that fit, trace by trace, the newest first."""
        for trace in self.newest_traces(narrowed, limit or LISTED):
            overview = Overview()
            records = self.fetch(trace)
            yield from records.problems
            arrived: list[Span | Log] = [*records.spans, *records.logs]
            told = [line for found in arrived for line in overview.add(found)]
            yield from (t for t in (*told, *overview.rest()) if narrowed.fits(t))

    # --- helpers -------------------------------------------------------------------------

    def parsed(self, path: str, body: bytes) -> Records:
        """Records out of the body of an answer."""
        records = Records()
        records.take(read_stream(io.BytesIO(body), f"{self.name}{path}"))
        return records

    def get(self, path: str, query: dict[str, str | int] | None = None) -> Records:
        """Records out of an answer; nothing for 404."""
        try:
            return self.parsed(path, self.http.get(path, query))
        except NotThereError:
            return Records()


__all__ = ["Backend"]
