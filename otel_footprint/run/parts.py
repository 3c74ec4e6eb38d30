"""Rows and texts of an event, in parts that no limit can cut.

A part holds at most `Bounds.span` bytes; strings of at most `Bounds.chunk`. A text that does not
fit goes on in parts that have no rows of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import add
from typing import Any, NamedTuple

from ..records.roles import shown
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


class Part:
    """The columns of one event."""

    __slots__ = (
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
        entry = f.entry
        key = text_key(entry)
        holder = texts.where(key)
        write = content and (key not in restated if again else not holder)
        leaves = None if again else texts.leaves(entry.hash)
        texts_of, media = _texts(f, leaves, write, find_media)
        size = size_of(texts_of)
        left_out = stored = 0
        if media and write:
            texts.put_media(key, media)
        if texts_of and texts.take(size):
            texts.write(key, trace_id, entry.hash, () if leaves else f.split.leaves)  # type: ignore[union-attr]
            restated.add(key)
            holder = trace_id
        elif (
            texts_of
            and f.split is not None
            and texts.put_away(key, [texts_of[0], *(leaves or f.split.leaves)])
        ):
            texts.write(key, trace_id)
            restated.add(key)
            holder, texts_of, size, stored = trace_id, [], 0, 1
        elif texts_of:
            texts_of, size, left_out = [], 0, 1
        cost = ROW_BYTES + len(entry.id) + len(entry.reason) + len(entry.frame)
        if part.rows and part.size + cost + size > bounds.span:
            part = Part()
            parts.append(part)
        part.rows.append(entry)
        part.left_out += left_out
        part.stored += stored
        if holder and holder != trace_id:
            part.traces.add(holder)
        part.size += cost
        part.media += [_media(len(part.rows) - 1, m) for m in media]
        part.strings.append(len(texts_of))
        if texts_of:
            part.exacts.append(key)
            part = _write(parts, part, texts_of, bounds)
    return parts


def _texts(
    fresh: Fresh, leaves: tuple[str, ...] | None, write: bool, find_media: FindMedia | None
) -> tuple[list[str], Sequence[Any]]:
    """The texts to write for a row, and its media; `leaves` are on the trail already."""
    split = fresh.split
    if split is None:
        return [], ()
    if not write:
        return [], split.media
    return strings(fresh, leaves, find_media), split.media


def text_key(entry: Entry) -> str:
    """The name of an exact text: identity and exact hash."""
    return entry.hash + entry.exact


def _write(parts: list[Part], part: Part, texts_of: list[str], bounds: Bounds) -> Part:
    """Adds the chunks of a row's texts, going on in further parts; returns the part in use."""
    chunks = [chunk(text, bounds.chunk) for text in texts_of]
    part.chunks += [len(c) for c in chunks]
    for piece in chain.from_iterable(chunks):
        size = len(piece) if piece.isascii() else size_of((piece,))
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
    rows = part.rows
    out: dict[str, Any] = {}
    if rows:
        hashes, exacts, sizes, _, origins, roles, ids, reasons, frames = zip(*rows, strict=True)
        out[names.PIECE_HASH] = tuple(map(add, hashes, exacts))
        out[names.PIECE_SIZE] = sizes
        if sources:
            words = ",".join(origins)
            out[names.PIECE_SOURCE] = words if len(words) <= limit else origins
        _some(out, names.PIECE_ROLE, tuple(map(shown, origins, roles)))
        _some(out, names.PIECE_ID, ids)
        _some(out, names.PIECE_REASON, reasons)
        _some(out, names.PIECE_FRAME, frames)
    if part.media:
        out[names.PIECE_MEDIA] = part.media
    if part.left_out:
        out[names.TEXT_LEFT_OUT] = part.left_out
    if part.stored:
        out[names.TEXT_STORED] = part.stored
    if part.text:
        if rows:
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


def _some(out: dict[str, Any], name: str, values: tuple[str, ...]) -> None:
    if any(values):
        out[name] = values


def digest_columns(part: Part) -> list[list[Any]]:
    """The columns that a digest covers, absent ones empty."""
    if not part.rows:
        return [[], [], [], [], [], [], [], []]
    hashes, exacts, sizes, _tokens, sources, *said = zip(*part.rows, strict=True)
    return [
        list(hashes),
        list(exacts),
        list(sizes),
        list(sources),
        *(list(column) if any(column) else [] for column in said),
    ]


__all__ = ["Bounds", "Part", "build", "columns", "digest_columns", "text_key", "trim"]
