"""All of a source, a part at a time, so that a big file needs no more memory than a part of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ..collected import Records
from ..memory import few_collections
from ..reader import Trail
from ..store import ContentStore
from .opening import follow
from .paths import Files

SPANS = 10_000
"""Spans of one part; a larger trace is a part of its own."""


def parts_of(
    source: Files, *, keys: Sequence[bytes] = (), store: ContentStore | None = None
) -> Iterator[tuple[Trail, Collection[str] | None]]:
    """Trails that together hold all traces of files, and the traces that each holds for itself
    (None: all that is in it); traces of the same conversation before them come along."""
    if not source.big:
        yield _part(source.everything(), {}, keys, store), None
        return
    records, traces = Records(), set[str]()
    for trace in source.traces():
        records.join(source.read((trace,)))
        traces.add(trace)
        if len(records.spans) >= SPANS:
            yield _part(records, follow(source, records, set(traces)), keys, store), traces
            records, traces = Records(), set()
    if traces:
        yield _part(records, follow(source, records, set(traces)), keys, store), traces


@few_collections()
def _part(
    records: Records, absent: dict[str, str], keys: Sequence[bytes], store: ContentStore | None
) -> Trail:
    return Trail(records.spans, records.logs, keys, records.told(), None, absent, store)
