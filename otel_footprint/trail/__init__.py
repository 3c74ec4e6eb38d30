"""The reading side: trail files back into turns, calls, pieces, and what is missing of them.

    from otel_footprint.trail import load

    trail = load("trail.jsonl")
    for call in trail.calls:
        print(call.model, trail.rebuild(call).text)

Needs neither the OpenTelemetry SDK nor any agent framework.
"""

from __future__ import annotations

from ..records.rebuilt import Proof, Rebuilt
from ..records.trail import (
    CallTrail,
    Change,
    Changed,
    Event,
    Gap,
    Link,
    Log,
    MediaNote,
    Node,
    PieceRow,
    Pressure,
    Problem,
    Rows,
    SlotState,
    Span,
    ToolTrail,
    TurnTrail,
    Usage,
    Verdict,
)
from .files import Source, read
from .ledger import LedgerCheck
from .reader import Trail, load
from .store import ContentStore
from .texts import MediaBytes

__all__ = [
    "CallTrail", "Change", "Changed", "ContentStore", "Event", "Gap", "LedgerCheck", "Link",
    "Log", "MediaBytes", "MediaNote", "Node", "PieceRow", "Pressure", "Problem", "Proof",
    "Rebuilt", "Rows", "SlotState", "Source", "Span", "ToolTrail", "Trail", "TurnTrail",
    "Usage", "Verdict", "load", "read",
]  # fmt: skip
