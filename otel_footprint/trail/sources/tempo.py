"""Tempo's query API, as its documentation describes it: `/api/v2/traces`, `/api/traces`, search."""

from __future__ import annotations

import json
import time
from typing import Any, Final

from ...records.trail import Problem
from ...telemetry import names
from ..collected import Records
from .backend import Backend
from .http import Http, NotThereError
from .listing import Filter

_WINDOW: Final = 7 * 86_400
"""Seconds that a search looks back when no time is given; Tempo limits its length (168 h)."""


def is_tempo(http: Http) -> bool:
    """True when the server answers as a Tempo does."""
    try:
        return http.get("/api/echo").strip() == b"echo"
    except NotThereError:
        return False


class Tempo(Backend):
    """A Tempo, or anything that serves its query API."""

    def fetch(self, trace: str) -> Records:
        """A trace; what Tempo held back of it is named as a problem."""
        path = f"/api/v2/traces/{trace}"
        try:
            body = self.http.get(path)
        except NotThereError:
            return self.get(f"/api/traces/{trace}")
        records = self.parsed(path, body)
        try:
            said = json.loads(body)
        except (ValueError, RecursionError):
            return records
        if isinstance(said, dict) and str(said.get("status", "")).upper() in ("PARTIAL", "1"):
            what = (
                f"Tempo gave a part of the trace only: {said.get('message') or 'no reason given'}"
            )
            records.add(Problem(f"{self.name}{path}", 1, what))
        return records

    def traces_with(self, turn: str) -> list[str]:
        """Ids of the traces in which a turn of this id is recorded, in the time Tempo searches."""
        return self._search([_equal(names.TURN_ID, turn)], Filter(), 50)

    def newest_traces(self, narrowed: Filter, limit: int) -> list[str]:
        """Ids of the newest traces that hold turns, the newest first."""
        conditions = [f"span.{names.FORMAT_VERSION} >= 1"]
        if narrowed.agent:
            conditions.append(_equal(names.AGENT, narrowed.agent))
        if narrowed.conversation:
            conditions.append(_equal(names.CONVERSATION, narrowed.conversation))
        return self._search(conditions, narrowed, limit)

    def _search(self, conditions: list[str], narrowed: Filter, limit: int) -> list[str]:
        now = int(time.time()) + 60
        until = now if narrowed.until is None else narrowed.until // 1_000_000_000 + 1
        since = until - _WINDOW if narrowed.since is None else narrowed.since // 1_000_000_000
        query: dict[str, str | int] = {
            "q": "{ " + " && ".join(conditions) + " }",
            "limit": limit,
            "start": since,
            "end": until,
        }
        try:
            found = self.http.json("/api/search", query)
        except NotThereError:
            return []
        traces: Any = found.get("traces") if isinstance(found, dict) else None
        begun: dict[str, int] = {}
        for trace in traces if isinstance(traces, list) else ():
            if isinstance(trace, dict) and trace.get("traceID"):
                start = str(trace.get("startTimeUnixNano") or 0)
                id_ = str(trace["traceID"]).lower().zfill(32)
                begun[id_] = int(start) if start.isdigit() else 0
        return sorted(begun, key=begun.__getitem__, reverse=True)[:limit]


def _equal(name: str, value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'span.{name} = "{escaped}"'
