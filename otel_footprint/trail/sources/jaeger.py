"""Jaeger's query API: `/api/v3` (OTLP) where it is served, else `/api/traces` (Jaeger's own JSON).

Search by tag exists in `/api/traces` only, and for one service at a time.
"""

from __future__ import annotations

import json
import time
from typing import Any, Final

from ...errors import SourceError
from ...telemetry import names
from ..collected import Records
from .backend import Backend
from .http import Http, NotThereError
from .listing import EVERY, Filter

_DAY: Final = 86_400
_LOOK_BACK: Final = (2 * _DAY, 60 * _DAY, 3650 * _DAY)
"""Seconds, tried in turn: a store that keeps an index for each day is spared the old ones."""


def services(http: Http) -> list[str] | None:
    """The services that a Jaeger knows; None when what answers is no Jaeger."""
    for path, key in (("/api/v3/services", "services"), ("/api/services", "data")):
        try:
            found = http.json(path)
        except NotThereError:
            continue
        if isinstance(found, dict) and key in found:
            return sorted(str(s) for s in found[key] or ())
        if path == "/api/v3/services" and found == {}:  # no service yet: empty fields are left out
            return []
    return None


class Jaeger(Backend):
    """A Jaeger, or anything that serves its query API."""

    def __init__(self, http: Http) -> None:
        super().__init__(http)
        try:
            self._v3 = isinstance(http.json("/api/v3/services"), dict)
        except NotThereError:
            self._v3 = False
        self._services = services(http)
        if self._services is None:
            raise SourceError(f"{self.name} serves neither /api/v3 nor /api/traces of Jaeger")

    def fetch(self, trace: str) -> Records:
        """A trace, with times as they were sent (not adjusted for skew)."""
        if self._v3:
            return self.get(f"/api/v3/traces/{trace}", {"raw_traces": "true"})
        return self.get(f"/api/traces/{trace}", {"raw": "true"})

    def traces_with(self, turn: str) -> list[str]:
        """Ids of the traces in which a turn of this id is recorded."""
        for seconds in _LOOK_BACK:
            found = self._search({names.TURN_ID: turn}, Filter(since=_ago(seconds)), 50)
            if found:
                return found
        return []

    def newest_traces(self, narrowed: Filter, limit: int) -> list[str]:
        """Ids of the newest traces that hold turns, the newest first."""
        tags = {names.FORMAT_VERSION: "1"}
        if narrowed.agent:
            tags[names.AGENT] = narrowed.agent
        if narrowed.conversation:
            tags[names.CONVERSATION] = narrowed.conversation
        if narrowed != EVERY:
            return self._search(tags, narrowed, limit)
        for seconds in _LOOK_BACK:
            found = self._search(tags, Filter(since=_ago(seconds)), limit)
            if found:
                return found
        return []

    def _search(self, tags: dict[str, str], narrowed: Filter, limit: int) -> list[str]:
        """Ids of traces with a span that carries all the tags, by their beginning."""
        begun: dict[str, int] = {}
        query: dict[str, str | int] = {
            "tags": json.dumps(tags),
            "limit": limit,
            "start": (narrowed.since or 1_000) // 1_000,
            "end": (narrowed.until or _ago(-_DAY)) // 1_000,
            "raw": "true",
        }
        for service in self._services or ():
            try:
                found = self.http.json("/api/traces", {**query, "service": service})
            except NotThereError:
                continue
            data: Any = found.get("data") if isinstance(found, dict) else None
            for trace in data if isinstance(data, list) else ():
                if isinstance(trace, dict) and trace.get("traceID"):
                    id_ = str(trace["traceID"]).zfill(32)
                    spans = trace.get("spans") or ()
                    starts = [s.get("startTime") or 0 for s in spans if isinstance(s, dict)]
                    begun[id_] = min(starts, default=0)
        return sorted(begun, key=begun.__getitem__, reverse=True)[:limit]


def _ago(seconds: int) -> int:
    return time.time_ns() - seconds * 1_000_000_000
