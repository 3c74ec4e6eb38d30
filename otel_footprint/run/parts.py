"""Rows and texts of an event, in parts that no limit can cut.

A part holds at most `Bounds.span` bytes; strings of at most `Bounds.chunk`. A text that does not
fit goes on in parts that have no rows of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import add
from typing import Any, Final, NamedTuple

from ..records.roles import USUAL, shown
from ..slots.entry import Entry, Fresh, strings
from ..telemetry import names
from ..text.chunks import chunk, size_of
from ..text.skeleton import FindMedia
from .texts import Texts

ROW_BYTES = 120
"""About what a row costs beside its text."""


class Bounds(NamedTuple):
    """Bytes of text a span may carry, and of one string."""

    span: int = 12_000
    chunk: int = 2_000
    own_exporter: bool = False
    """True when losses are reported to us, so that nothing has to be said twice."""


class Part:
    """The columns of one event."""

    __slots__ = (
        "_columns",
        "chunks",
        "exacts",
        "left_out",
        "media",
        "rows",
        "size",
        "stored",
        "strings",
        "text",
        "traces",
    )

    def __init__(self) -> None:
        self.rows: list[Entry] = []
        self.strings: list[int] = []
        self.chunks: list[int] = []
        self.text: list[str] = []
        self.media: list[str] = []
        self.exacts: list[str] = []
        self.left_out = 0
        self.stored = 0
        """Rows whose texts are in the content store."""
        self.size = 0
        self.traces: set[int] = set()
        """Traces that hold the texts of rows whose text is not written here."""
        self._columns: tuple[tuple[Any, ...], ...] = ()

    def columns(self) -> tuple[tuple[Any, ...], ...]:
        """The fields of the rows (see `Entry`), each as a column; once the part is whole."""
        if not self._columns:
            self._columns = tuple(zip(*self.rows, strict=True))
        return self._columns


def build(
    fresh: Sequence[Fresh],
    texts: Texts,
    content: bool,
    bounds: Bounds,
    find_media: FindMedia | None,
    trace_id: int,
    again: bool = False,
) -> list[Part]:
    """The parts of an event's rows; at least one. `again` writes known texts once more."""
    part = Part()
    parts = [part]
    restated: set[str] = set()
    for f in fresh:
        entry, _, split = f
        key = text_key(entry)
        holder = texts.where(key)
        cost = ROW_BYTES + len(entry.id) + len(entry.reason) + len(entry.frame)
        if split is None and part.size + cost <= bounds.span:
            part.rows.append(entry)
            part.size += cost
            part.strings.append(0)
            if holder and holder != trace_id:
                part.traces.add(holder)
            continue
        written = _NOT_WRITTEN
        if split is not None and content and (key not in restated if again else not holder):
            written = _place(f, key, texts, find_media, trace_id, again)
            if split.media:
                texts.put_media(key, split.media)
            if not written.left_out:
                restated.add(key)
                holder = trace_id
        if part.size + cost + written.size > bounds.span and part.rows:
            part = Part()
            parts.append(part)
        part.rows.append(entry)
        part.size += cost
        part.strings.append(len(written.texts))
        if split is not None and split.media:
            part.media += [_media(len(part.rows) - 1, m) for m in split.media]
        if written.texts:
            part.exacts.append(key)
            part = _write(parts, part, written, bounds)
        else:
            part.left_out += written.left_out
            part.stored += written.stored
            if holder and holder != trace_id:
                part.traces.add(holder)
    return parts


class _Written(NamedTuple):
    """What became of a row's texts."""

    texts: list[str]
    """To be written beside the row."""
    size: int = 0
    left_out: int = 0
    stored: int = 0


_NOT_WRITTEN: Final = _Written([])


def _place(
    fresh: Fresh, key: str, texts: Texts, find_media: FindMedia | None, trace_id: int, again: bool
) -> _Written:
    """Finds room for the texts of a row: in the trace, else in the content store."""
    entry, split = fresh.entry, fresh.split
    if split is None:
        return _NOT_WRITTEN
    leaves = None if again else texts.leaves(entry.hash)
    texts_of = strings(fresh, leaves, find_media)
    size = size_of(texts_of)
    if texts.take(size):
        texts.write(key, trace_id, entry.hash, () if leaves else split.leaves)
        return _Written(texts_of, size)
    if texts.put_away(key, [texts_of[0], *(leaves or split.leaves)]):
        texts.write(key, trace_id)
        return _Written([], stored=1)
    return _Written([], left_out=1)


def text_key(entry: Entry) -> str:
    """The name of an exact text: identity and exact hash."""
    return entry.hash + entry.exact


def _write(parts: list[Part], part: Part, written: _Written, bounds: Bounds) -> Part:
    """Adds the chunks of a row's texts, going on in further parts; returns the part in use."""
    chunks = [chunk(text, bounds.chunk) for text in written.texts]
    part.chunks += map(len, chunks)
    if part.size + written.size <= bounds.span:
        for of_text in chunks:
            part.text += of_text
        part.size += written.size
        return part
    for piece in chain.from_iterable(chunks):
        size = size_of((piece,))
        if part.text and part.size + size > bounds.span:
            carried = part.exacts[-1]
            part = Part()
            part.exacts.append(carried)
            parts.append(part)
        part.text.append(piece)
        part.size += size
    if not part.rows:
        part = Part()
        parts.append(part)
    return part


def trim(parts: list[Part]) -> list[Part]:
    """Without a last part that stayed empty."""
    if len(parts) > 1 and not parts[-1].rows and not parts[-1].text:
        return parts[:-1]
    return parts


def _media(row: int, media: Any) -> str:
    return f"{row} {media.type or '-'} {media.size} {media.sha256} {media.prefix}"


def columns(part: Part, limit: int, sources: bool = True) -> dict[str, Any]:
    """The event attributes of a part: a column only where some row has a value.

    Words stand in one string with commas, unless it would be longer than `limit`. Without
    `sources` the rows are an output: all of source and role `assistant`.
    """
    out: dict[str, Any] = {}
    if part.rows:
        hashes, exacts, sizes, _, origins, roles, ids, reasons, frames = part.columns()
        out[names.PIECE_HASH] = tuple(map(add, hashes, exacts))
        out[names.PIECE_SIZE] = sizes
        if sources:
            words = ",".join(origins)
            out[names.PIECE_SOURCE] = words if len(words) <= limit else origins
        usual = list(map(USUAL.get, origins))
        if usual != list(roles):
            said = tuple(map(shown, origins, roles))
            if any(said):
                out[names.PIECE_ROLE] = said
        if any(ids):
            out[names.PIECE_ID] = ids
        if any(reasons):
            out[names.PIECE_REASON] = reasons
        if any(frames):
            out[names.PIECE_FRAME] = frames
    if part.media:
        out[names.PIECE_MEDIA] = part.media
    if part.left_out:
        out[names.TEXT_LEFT_OUT] = part.left_out
    if part.stored:
        out[names.TEXT_STORED] = part.stored
    if part.text:
        if part.rows:
            chunked = part.chunks.count(1) != len(part.chunks)
            if not _plain_counts(part, chunked):
                out[names.TEXT_STRINGS] = part.strings
            if chunked:
                out[names.TEXT_CHUNKS] = part.chunks
        out[names.TEXT] = part.text
    return out


def _plain_counts(part: Part, chunked: bool) -> bool:
    """Whether a reader knows how many texts each row has: one each, or all are the one row's."""
    if len(part.strings) == 1:
        return chunked or part.strings[0] == len(part.text)
    return part.strings.count(1) == len(part.strings)


def digest_columns(part: Part) -> list[Sequence[Any]]:
    """The columns that a digest covers, absent ones empty."""
    if not part.rows:
        return [(), (), (), (), (), (), (), ()]
    hashes, exacts, sizes, _tokens, sources, *said = part.columns()
    return [hashes, exacts, sizes, sources, *[column if any(column) else () for column in said]]


__all__ = ["Bounds", "Part", "build", "columns", "digest_columns", "text_key", "trim"]
