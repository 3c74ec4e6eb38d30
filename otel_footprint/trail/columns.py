"""Parts of a composition or an output: columns to rows, strings to the texts of each row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from ..records.roles import meant
from ..records.trail import MediaNote, PieceRow
from ..telemetry import names
from ..text.chunks import unchunk
from . import values

_COLUMNS: Final = (names.PIECE_ROLE, names.PIECE_ID, names.PIECE_REASON, names.PIECE_FRAME)
MOST: Final = 1_000_000
"""Texts of a row, or chunks of a text, above which a record is wrong."""
_HASH: Final = 32
OUTPUT: Final = "assistant"
"""Source of a row in an event without a column of sources: an output's."""


class Run(NamedTuple):
    """Parts that follow one another without a gap: their rows and texts."""

    rows: list[PieceRow]
    texts: list[list[str] | None]
    """Of each row its texts; empty: known before or withheld; None: some of them are missing."""


class Table(NamedTuple):
    """What the parts of one event hold."""

    runs: list[Run]
    """One for each stretch of parts without a gap, in order."""
    first: bool
    """True when part 1 is there."""
    missing: list[int]
    """Numbers of missing parts."""
    of: int
    damaged: list[int]
    """Numbers of parts whose columns do not fit each other."""
    left_out: int
    """Texts that the writer left out because the trace was full."""
    stored: int = 0
    """Texts that it put into its content store instead."""


def table(parts: Mapping[int, values.Attributes], of: int) -> Table:
    """The rows and texts of an event's parts (1-based; `of` is how many there were)."""
    missing = [n for n in range(1, of + 1) if n not in parts]
    runs: list[Run] = []
    damaged: list[int] = []
    left_out = stored = 0
    group: _Group | None = None
    fresh = True
    for number in range(1, of + 1):
        part = parts.get(number)
        if part is None:
            _close(group, runs)
            group, fresh = None, True
            continue
        left_out += values.integer(part, names.TEXT_LEFT_OUT) or 0
        stored += values.integer(part, names.TEXT_STORED) or 0
        rows = rows_of(part)
        if rows is None:
            damaged.append(number)
            _close(group, runs)
            group, fresh = None, True
            continue
        strings = values.texts(part, names.TEXT)
        if not rows:
            if group is not None:
                group.strings += strings or []
            continue
        if fresh:
            runs.append(Run([], []))
            fresh = False
        _close(group, runs)
        group = _Group(
            rows,
            values.integers(part, names.TEXT_STRINGS),
            values.integers(part, names.TEXT_CHUNKS),
            list(strings or []),
            names.TEXT in part and strings is None,
        )
    _close(group, runs)
    return Table(runs, 1 in parts, missing, of, damaged, left_out, stored)


def rows_of(part: values.Attributes) -> list[PieceRow] | None:
    """The rows of a part; empty for one that continues a text; None when columns do not fit."""
    hashes = values.texts(part, names.PIECE_HASH)
    if hashes is None:
        return [] if names.PIECE_HASH not in part else None
    count = len(hashes)
    sizes: list[int] | list[None] | None = values.integers(part, names.PIECE_SIZE)
    if sizes is not None and len(sizes) != count:
        return None
    sources = values.listed(part, names.PIECE_SOURCE) or None
    columns = [sources, *(values.texts(part, name) for name in _COLUMNS)]
    if any(c is not None and len(c) != count for c in columns):
        return None
    blank = [OUTPUT, "", "", "", ""]
    filled = [c if c is not None else [b] * count for c, b in zip(columns, blank, strict=True)]
    media = media_of(part)
    return [
        PieceRow(
            both[:_HASH],
            both[_HASH:],
            size,
            source,
            meant(source, role),
            id_,
            reason,
            frame,
            media.get(i, ()),
        )
        for i, (both, size, source, role, id_, reason, frame) in enumerate(
            zip(hashes, sizes or [None] * count, *filled, strict=True)
        )
    ]


def media_of(part: values.Attributes) -> dict[int, tuple[MediaNote, ...]]:
    """The media of each row that has some: `row type bytes sha256 prefix`, in order."""
    out: dict[int, tuple[MediaNote, ...]] = {}
    for note in values.texts(part, names.PIECE_MEDIA) or ():
        row, _, rest = note.partition(" ")
        fields = rest.split(" ", 3)
        if len(fields) < 3 or not row.isdigit() or not fields[1].isdigit():
            continue
        type_ = "" if fields[0] == "-" else fields[0]
        made = MediaNote(type_, int(fields[1]), fields[2], fields[3] if len(fields) == 4 else "")
        out[int(row)] = (*out.get(int(row), ()), made)
    return out


class _Group:
    """A part with rows, and the strings of the parts that continue it."""

    def __init__(
        self,
        rows: list[PieceRow],
        counts: list[int] | None,
        chunks: list[int] | None,
        strings: list[str],
        cut: bool,
    ) -> None:
        self.rows = rows
        self.counts = counts
        self.chunks = chunks
        self.strings = strings
        self.cut = cut
        """True when the array of strings is no array any more."""

    def texts(self) -> list[list[str] | None]:
        """The texts of each row, None where some are missing."""
        rows = len(self.rows)
        if not self.strings:
            lost = self.cut or any(self.counts or ())
            return [None if lost else [] for _ in range(rows)]
        if self.counts is None:
            alone = len(self.strings if self.chunks is None else self.chunks)
            self.counts = [alone] if rows == 1 else [1] * rows
        if len(self.counts) != rows or any(not 0 <= c <= MOST for c in self.counts):
            return [None] * rows
        total = sum(self.counts)
        chunks = [1] * total if self.chunks is None else self.chunks
        if (
            len(chunks) != total
            or any(not 1 <= c <= MOST for c in chunks)
            or sum(chunks) < len(self.strings)
        ):
            return [[] if c == 0 else None for c in self.counts]
        whole, used = 0, 0
        while whole < total and used + chunks[whole] <= len(self.strings):
            used += chunks[whole]
            whole += 1
        found = unchunk(self.strings[:used], chunks[:whole])
        out: list[list[str] | None] = []
        at = 0
        for count in self.counts:
            out.append(found[at : at + count] if at + count <= whole else None)
            at += count
        return out


def _close(group: _Group | None, runs: list[Run]) -> None:
    if group is not None:
        runs[-1].rows.extend(group.rows)
        runs[-1].texts.extend(group.texts())
