"""An index beside a big file of lines: which lines hold which trace, which turns are in it.

It is a SQLite file, made by the first command that asks for one trace or turn. It belongs to a
file of one size, time and content (its beginning and the end of what was indexed are hashed); a
file that only grew is indexed on from there. Where the file's folder cannot be written, the index
goes to the user's cache folder, else into memory.
"""

from __future__ import annotations

import json
import os
import sqlite3
import weakref
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from ...records.trail import Problem
from .. import otlp
from ..files import Read, chunks_of, decoded, document_of, line_records, lines_of
from ..light import Ids, ids, ids_of

Progress = Callable[[str, float], None]
"""Takes what is being done and how much of it is done, 0 to 1."""

ENDING: Final = ".footprint-index"
FORMAT: Final = 1
_ENDS: Final = 1 << 16
"""Bytes of the beginning and the end that are hashed."""
_PEEK: Final = 256
"""Lines among which the first whole document is looked for."""
_RUN: Final = 1 << 20
"""Bytes of lines of the same traces that are one entry."""
_BATCH: Final = 1_000
_SCHEMA: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE runs (trace TEXT, line INTEGER, lines INTEGER, at INTEGER, size INTEGER,
                   PRIMARY KEY (trace, line)) WITHOUT ROWID;
CREATE TABLE turns (turn TEXT, trace TEXT, start INTEGER, inside INTEGER,
                    PRIMARY KEY (turn, trace)) WITHOUT ROWID;
CREATE TABLE begun (trace TEXT PRIMARY KEY, start INTEGER) WITHOUT ROWID;
CREATE TABLE problems (line INTEGER, what TEXT);
"""
_TURN: Final = """
INSERT INTO turns VALUES (?1, ?2, ?3, ?4) ON CONFLICT (turn, trace) DO UPDATE SET
start = min(coalesce(start, ?3), coalesce(?3, start)), inside = max(inside, ?4)
"""
_BEGUN: Final = """
INSERT INTO begun VALUES (?1, ?2) ON CONFLICT (trace) DO UPDATE SET
start = min(coalesce(start, ?2), coalesce(?2, start))
"""


class NotLinesError(Exception):
    """The file is no file of lines; it can only be read whole."""


class State(NamedTuple):
    """What an index belongs to."""

    size: int
    time: int
    head: str
    """Hash of the beginning of the file."""
    tail: str
    """Hash of what stands before `end`."""
    end: int
    """Bytes of the file that are indexed: whole lines."""
    lines: int


class Index:
    """The index of one file."""

    def __init__(self, path: str, progress: Progress | None = None) -> None:
        """Opens the index of a file, or makes it.

        Raises OSError when the file cannot be read, NotLinesError when it is no file of lines.
        """
        self.path = path
        self._progress = progress or (lambda _what, _done: None)
        self._packed = path.endswith(".gz") or _is_gzip(path)
        self._held = [self._open()]
        weakref.finalize(self, lambda held: held[0].close(), self._held)

    # --- asking --------------------------------------------------------------------------

    def like(self, which: str) -> tuple[set[str], set[str]]:
        """Ids of turns and of traces that are this or begin so."""
        turns = self._ask("SELECT DISTINCT turn FROM turns WHERE substr(turn, 1, ?) = ?", which)
        traces = self._ask("SELECT trace FROM begun WHERE substr(trace, 1, ?) = ?", which.lower())
        return turns, traces

    def traces_of(self, turn: str) -> list[str]:
        """Ids of the traces that name a turn."""
        found = self._rows("SELECT trace FROM turns WHERE turn = ? ORDER BY start", turn)
        return [row[0] for row in found]

    def begun(self) -> tuple[list[tuple[str, int, bool]], list[tuple[str, int]]]:
        """Turns with their beginning and whether they are part of another; traces with theirs."""
        turns = self._rows(
            "SELECT turn, min(coalesce(start, 0)), max(inside) FROM turns GROUP BY turn"
        )
        traces = self._rows("SELECT trace, coalesce(start, 0) FROM begun")
        return [(t, s, bool(i)) for t, s, i in turns], [(t, s) for t, s in traces]

    def read(self, traces: Collection[str]) -> Iterator[Read]:
        """The records of these traces, and everything in the file that could not be read."""
        wanted: dict[int, _Run] = {}
        for trace in traces:
            rows = self._rows("SELECT line, lines, at, size FROM runs WHERE trace = ?", trace)
            wanted.update({row[0]: _Run(*row) for row in rows})
        said: set[tuple[int, str]] = set()
        for number, raw in self._lines([wanted[line] for line in sorted(wanted)]):
            text, note = decoded(raw, self.path, number)
            for found in line_records(text, number, self.path, otlp.records):
                if isinstance(found, Problem):
                    said.add((found.line, found.what))
                    yield found
                elif found.trace_id in traces:
                    yield found
            if note is not None:
                said.add((note.line, note.what))
                yield note
        for line, what in self._rows("SELECT line, what FROM problems ORDER BY line"):
            if (line, what) not in said:
                yield Problem(self.path, line, what)

    def _ask(self, question: str, start: str) -> set[str]:
        return {row[0] for row in self._rows(question, len(start), start)}

    def _rows(self, question: str, *values: str | int) -> list[Any]:
        """What the index answers; an index that turns out to be damaged is made again."""
        try:
            return self._held[0].execute(question, values).fetchall()
        except sqlite3.Error:
            self._held[0].close()
            self._held[0] = self._new()
            return self._held[0].execute(question, values).fetchall()

    def _lines(self, runs: list[_Run]) -> Iterator[tuple[int, bytes]]:
        """The lines of runs, with their numbers, in the order of the file."""
        with open(self.path, "rb") as stream:
            if not self._packed:
                for run in runs:
                    stream.seek(run.at)
                    yield from enumerate(stream.read(run.size).split(b"\n"), run.line)
                return
            wanted = {n for run in runs for n in range(run.line, run.line + run.lines)}
            last = max(wanted, default=0)
            for number, raw in enumerate(lines_of(chunks_of(stream, self.path, [])), 1):
                if number in wanted:
                    yield number, raw
                if number >= last:
                    return

    # --- opening and making --------------------------------------------------------------

    def _open(self) -> sqlite3.Connection:
        for place in _places(self.path):
            if place.exists():
                with suppress(sqlite3.Error, OSError, ValueError, KeyError):
                    return self._usable(place)
        return self._new()

    def _new(self) -> sqlite3.Connection:
        for place in _places(self.path):
            with suppress(sqlite3.Error, _NoPlaceError):
                return self._make(place)
        db = sqlite3.connect(":memory:")
        self._fill(db, None)
        return db

    def _usable(self, place: Path) -> sqlite3.Connection:
        """An index that fits the file, brought up to date when the file grew. Raises ValueError
        for one that does not fit."""
        db = sqlite3.connect(place, timeout=5)
        try:
            known = _state_of(db)
            now = os.stat(self.path)
            if known is None or now.st_size < known.end:
                raise ValueError("another file")
            with open(self.path, "rb") as stream:
                if (known.head, known.tail) != _ends(stream, known.end):
                    raise ValueError("another content")
            if (now.st_size, now.st_mtime_ns) != (known.size, known.time):
                if self._packed:
                    raise ValueError("a changed gzip file")
                self._fill(db, known)
        except BaseException:
            db.close()
            raise
        return db

    def _make(self, place: Path) -> sqlite3.Connection:
        """A new index; it appears at its place when it is whole."""
        draft = place.with_name(f"{place.name}.{os.getpid()}")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            draft.touch(mode=0o600)
        except OSError as error:
            raise _NoPlaceError from error
        try:
            with closing(sqlite3.connect(draft)) as db:
                db.execute("PRAGMA journal_mode = OFF")
                db.execute("PRAGMA synchronous = OFF")
                self._fill(db, None)
            _put(draft, place)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
        return sqlite3.connect(place, timeout=5)

    def _fill(self, db: sqlite3.Connection, known: State | None) -> None:
        """Writes everything behind what is known into the index."""
        with db, open(self.path, "rb") as stream:
            if known is None:
                for statement in _SCHEMA.strip().split(";\n"):
                    db.execute(statement)
            now = os.fstat(stream.fileno())
            start, lines = (known.end, known.lines) if known is not None else (0, 0)
            stream.seek(start)
            filling = _Filling(db, self.path, lines)
            filling.since = (start, lines)
            notes: list[Problem] = []
            end = start
            told = 0.0
            for raw in _in_lines(lines_of(chunks_of(stream, self.path, notes)), self.path, lines):
                filling.add(raw, end)
                end += len(raw) + 1
                done = stream.tell() / max(1, now.st_size)
                if done >= told + 0.01:
                    told = done
                    self._progress(f"indexing {self.path}", min(done, 1.0))
            filling.finish(notes)
            self._progress(f"indexing {self.path}", 1.0)
            self._remember(db, stream, now, end, filling)

    def _remember(
        self, db: sqlite3.Connection, stream: IO[bytes], now: os.stat_result, end: int, of: _Filling
    ) -> None:
        size = now.st_size
        end = size if self._packed else end
        lines = of.number
        if end > size:  # the last line has no end: it may be written on
            end, lines = of.since
        head, tail = _ends(stream, end)
        state = State(size, now.st_mtime_ns, head, tail, end, lines)
        meta = [("format", str(FORMAT)), *((k, str(v)) for k, v in state._asdict().items())]
        db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta)


class _NoPlaceError(Exception):
    """An index cannot be written there."""


def _put(draft: Path, place: Path) -> None:
    try:
        os.replace(draft, place)
    except OSError as error:
        raise _NoPlaceError from error


class _Run(NamedTuple):
    """Lines that follow one another and hold the same traces."""

    line: int
    """Number of the first."""
    lines: int
    at: int
    size: int
    """Bytes, without the end of the last line."""


class _Filling:
    """Lines on their way into an index."""

    def __init__(self, db: sqlite3.Connection, path: str, number: int) -> None:
        self._db = db
        self._path = path
        self.number = number
        self.since = (0, 0)
        """Where the last run begins: bytes and lines before it."""
        self._here: set[str] = set()
        """Traces of the run that goes on."""
        self._end = 0
        self._runs: list[tuple[str, int, int, int, int]] = []
        self._begun: dict[str, int | None] = {}
        self._turns: dict[tuple[str, str], tuple[int | None, bool]] = {}
        self._problems: list[tuple[int, str]] = []
        db.execute("DELETE FROM runs WHERE line > ?", (number,))
        db.execute("DELETE FROM problems WHERE line > ?", (number,))

    def add(self, raw: bytes, at: int) -> None:
        """Takes in a line."""
        self.number += 1
        traces: set[str] = set()
        for trace, start, turn, inside in _plainly(raw) or self._slowly(raw):
            if not trace:
                continue
            traces.add(trace)
            begun = self._begun.get(trace)
            if begun is None or (start is not None and start < begun):
                self._begun[trace] = start
            if turn:
                before, was = self._turns.get((turn, trace), (None, False))
                self._turns[turn, trace] = (_least(before, start), inside or was)
        if traces != self._here or at - self.since[0] > _RUN:
            self._close(at)
            self._here = traces
        self._end = at + len(raw)

    def _close(self, at: int) -> None:
        """Ends the run before the present line, which begins at `at`."""
        start, before = self.since
        row = (before + 1, self.number - 1 - before, start, self._end - start)
        self._runs += [(trace, *row) for trace in self._here]
        self.since = (at, self.number - 1)
        if len(self._runs) >= _BATCH:
            self._write()

    def _slowly(self, raw: bytes) -> Iterator[Ids]:
        """The same of a line of any spelling or damage; what cannot be read of it is noted."""
        text, note = decoded(raw, self._path, self.number)
        if note is not None:
            self._problems.append((note.line, note.what))
        for found in line_records(text, self.number, self._path, otlp.records):
            if isinstance(found, Problem):
                self._problems.append((found.line, found.what))
            else:
                yield ids_of(found)

    def finish(self, notes: list[Problem]) -> None:
        """Takes in what could not be read of the file as a whole."""
        self._problems += [(n.line, n.what) for n in notes]
        since, self.number = self.since, self.number + 1
        self._close(self._end)
        self.since, self.number = since, self.number - 1
        self._write()

    def _write(self) -> None:
        db = self._db
        db.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?)", self._runs)
        db.executemany(_BEGUN, self._begun.items())
        rows: list[tuple[Any, ...]] = [(*k, *v) for k, v in self._turns.items()]
        db.executemany(_TURN, rows)
        db.executemany("INSERT INTO problems VALUES (?, ?)", self._problems)
        for held in (self._runs, self._begun, self._turns, self._problems):
            held.clear()


def _plainly(raw: bytes) -> list[Ids] | None:
    """What is kept of a line that is spelled as usual; None: look again."""
    try:
        return ids(json.loads(raw.decode()))
    except (ValueError, RecursionError):
        return None


def _in_lines(lines: Iterator[bytes], path: str, known: int) -> Iterator[bytes]:
    """The lines themselves. Raises NotLinesError when none of the first is a document."""
    held: list[bytes] = []
    for number, raw in enumerate(lines, known + 1):
        held.append(raw)
        bare = decoded(raw, path, number)[0].strip().strip(",").strip()
        if known or document_of(bare) is not None:
            yield from held
            yield from lines
            return
        if len(held) >= _PEEK:
            raise NotLinesError(path)
    if held:
        raise NotLinesError(path)


def _places(path: str) -> Iterator[Path]:
    """Where an index may be: beside the file, then in the user's cache folder."""
    real = Path(os.path.realpath(path))
    yield real.with_name(real.name + ENDING)
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if os.path.isabs(cache):
        name = sha256(os.fsencode(real)).hexdigest()[:32]
        yield Path(cache) / "otel-footprint" / f"{name}{ENDING}"


def _state_of(db: sqlite3.Connection) -> State | None:
    meta = dict(db.execute("SELECT key, value FROM meta"))
    if meta.get("format") != str(FORMAT):
        return None
    return State(
        int(meta["size"]), int(meta["time"]), meta["head"], meta["tail"], int(meta["end"]),
        int(meta["lines"]),
    )  # fmt: skip


def _ends(stream: IO[bytes], end: int) -> tuple[str, str]:
    """Hashes of the first bytes of a file and of those before a place."""
    stream.seek(0)
    head = stream.read(min(_ENDS, end))
    stream.seek(max(0, end - _ENDS))
    tail = stream.read(min(_ENDS, end))
    return sha256(head).hexdigest(), sha256(tail).hexdigest()


def _is_gzip(path: str) -> bool:
    with open(path, "rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def _least(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else min(a, b)
