"""Where trails come from: files, folders, standard input, Jaeger, Tempo.

from otel_footprint.trail.sources import open_source

trail = open_source("http://localhost:16686", "0af7651916cd43dd8448eb211c80319c")
for turn in trail.asked:
    print(turn.agent, turn.text)
"""

from __future__ import annotations

from ...records.listing import NEWEST
from .opening import open_source, source_of

__all__ = ["NEWEST", "open_source", "source_of"]
