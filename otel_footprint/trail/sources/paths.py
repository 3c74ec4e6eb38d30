"""Trails in files: one, several that belong together, a folder of them, or standard input."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from typing import Final

from ...errors import SourceError, TrailError
from ...records.listing import NEWEST, Meant, TurnLine
from ...records.trail import Log, Problem, Span
from ...telemetry import names
from ..collected import Records
from ..files import Source as File
from ..files import read
from ..light import light
from ..overview import Overview
from .index import Index, NotLinesError, Progress
from .listing import Filter
from .select import meant, turn_id

_ENDINGS: Final = (".json", ".jsonl", ".ndjson", ".otlp")
MOST_FILES: Final = 10_000
BIG: Final = 16 << 20
"""Bytes from which on a file of lines is read by its index when one trace is asked for."""
_PACKED: Final = 8
"""How many times a packed file counts: text of this kind packs about so much."""


def files_in(sources: Iterable[File]) -> list[File]:
    """The files themselves; of a folder every file in it that can hold OTLP/JSON, by name.

    Raises SourceError for a path that is not there and for a folder without such a file.
    """
    out: list[File] = []
    for source in sources:
        path = Path(source) if isinstance(source, str | PathLike) and source != "-" else None
        if path is None or not path.is_dir():
            if path is not None and not path.exists():
                raise SourceError(f"{fspath(path)}: No such file or directory")
            out.append(source)
            continue
        found = sorted(map(str, _within(path)))
        if not found:
            endings = ", ".join(_ENDINGS)
            raise SourceError(f"{fspath(path)}: no file in it ends in {endings} (also with .gz)")
        out += found[:MOST_FILES]
    return out


def _within(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        name = path.name.lower().removesuffix(".gz")
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if name.endswith(_ENDINGS) and not hidden and path.is_file():
            yield path


class Files:
    """Files that are read as one. Of a big file of lines only those of the trace are read."""

    def __init__(self, sources: Iterable[File], progress: Progress | None = None) -> None:
        self._files = files_in(sources)
        self.name = ", ".join(str(getattr(f, "name", f)) for f in self._files[:3])
        self._progress = progress
        self._everything: Records | None = None
        self._whole: Records | None = None
        self._indexes: list[Index] = []

    def everything(self) -> Records:
        """All that is in the files."""
        if self._everything is None and self._whole is not None and not self._indexes:
            self._everything = self._whole  # standard input is there only once
        if self._everything is None:
            self._everything = _read(self._files)
        return self._everything

    @property
    def big(self) -> bool:
        """Whether a file is so big that it is read by its index."""
        self._opened()
        return bool(self._indexes)

    def traces(self) -> list[str]:
        """Ids of all traces, the one that began first first; empty: spans without one."""
        begun: dict[str, int] = {}
        found = [(s.trace_id, s.start or 0) for s in self._opened().spans]
        for index in self._indexes:
            found += index.begun()[1]
        for trace, start in found:
            begun[trace] = min(start, begun.get(trace, start))
        return sorted(begun, key=begun.__getitem__)

    def turns(self, narrowed: Filter, limit: int | None) -> Iterator[TurnLine | Problem]:
        """The turns that fit, each as soon as its last record was read. Nothing is kept."""
        overview = Overview()
        found = (
            line
            for file in self._files
            for record in _light(file)
            for line in ((record,) if isinstance(record, Problem) else overview.add(record))
        )
        left = limit
        for line in chain(found, overview.rest()):
            if isinstance(line, Problem):
                yield line
            elif narrowed.fits(line):
                yield line
                left = None if left is None else left - 1
                if left == 0:
                    return

    def find(self, which: str) -> Meant:
        """What an id, its beginning or `newest` means."""
        whole = self._opened()
        try:
            return self._found(which, whole)
        except TrailError as error:
            first = next(iter(self.read(()).problems), None)
            if first is None:
                raise
            raise TrailError(f"{error}; {first}") from None

    def _found(self, which: str, whole: Records) -> Meant:
        if which == NEWEST:
            return self._newest(whole)
        turns = {turn_id(s) for s in whole.spans} - {""}
        traces = {s.trace_id for s in whole.spans} - {""}
        for index in self._indexes:
            more = index.like(which.strip())
            turns |= more[0]
            traces |= more[1]
        return meant(which, turns, traces)

    def traces_of(self, meant: Meant) -> tuple[str, ...]:
        """Ids of the traces that hold it."""
        if meant.trace:
            return (meant.trace,)
        found = [s.trace_id for s in self._opened().spans if turn_id(s) == meant.turn]
        for index in self._indexes:
            found += index.traces_of(meant.turn)
        return tuple(dict.fromkeys(found))

    def read(self, traces: Collection[str]) -> Records:
        """Everything of these traces, and every problem: nobody knows whose it was."""
        whole = self._opened()
        out = Records(
            [s for s in whole.spans if s.trace_id in traces],
            [x for x in whole.logs if x.trace_id in traces],
            list(whole.problems),
            whole.more,
        )
        for index in self._indexes:
            try:
                out.take(index.read(traces))
            except OSError as error:
                raise SourceError(_plain(error, index.path)) from error
        return out

    def _opened(self) -> Records:
        """What is in the small files; the big ones have an index from now on."""
        if self._everything is not None:
            return self._everything
        if self._whole is None:
            small: list[File] = []
            for file in self._files:
                index = self._index(file)
                if index is None:
                    small.append(file)
                else:
                    self._indexes.append(index)
            self._whole = _read(small)
        return self._whole

    def _index(self, file: File) -> Index | None:
        if not isinstance(file, str | PathLike) or file == "-":
            return None
        path = fspath(file)
        try:
            size = os.path.getsize(path) * (_PACKED if path.endswith(".gz") else 1)
            if size < BIG or not os.path.isfile(path):
                return None
            return Index(path, self._progress)
        except NotLinesError:
            return None
        except OSError as error:
            raise SourceError(_plain(error, path)) from error

    def _newest(self, whole: Records) -> Meant:
        begun = Begun()
        for span in whole.spans:
            begun.add(span)
        for index in self._indexes:
            turns, traces = index.begun()
            for turn, start, inside in turns:
                begun.add_turn(turn, start, inside)
            for trace, start in traces:
                begun.add_trace(trace, start)
        return begun.newest()


class Begun:
    """When turns and traces began."""

    def __init__(self) -> None:
        self._turns: dict[str, int] = {}
        self._traces: dict[str, int] = {}
        self._inside: set[str] = set()

    def add(self, span: Span) -> None:
        """Takes in a span."""
        start = span.start or 0
        if span.trace_id:
            self.add_trace(span.trace_id, start)
        turn = turn_id(span)
        if turn:
            self.add_turn(turn, start, names.PARENT_TURN in span.attributes)

    def add_turn(self, turn: str, start: int, inside: bool) -> None:
        """Takes in a turn; `inside`: it is part of another."""
        self._turns[turn] = min(start, self._turns.get(turn, start))
        if inside:
            self._inside.add(turn)

    def add_trace(self, trace: str, start: int) -> None:
        """Takes in a trace."""
        self._traces[trace] = min(start, self._traces.get(trace, start))

    def newest(self) -> Meant:
        """The turn that began last and is no part of another; without turns the newest trace.

        Raises TrailError when there is neither.
        """
        turns = [t for t in self._turns if t not in self._inside] or list(self._turns)
        if turns:
            return Meant(max(turns, key=self._turns.__getitem__), "")
        if self._traces:
            return Meant("", max(self._traces, key=self._traces.__getitem__))
        raise TrailError("no span is in this source")


def _read(files: Iterable[File]) -> Records:
    records = Records()
    for file in files:
        try:
            records.take(read(file))
        except OSError as error:
            raise SourceError(_plain(error, str(file))) from error
    return records


def _light(file: File) -> Iterator[Span | Log | Problem]:
    try:
        yield from read(file, light)
    except OSError as error:
        raise SourceError(_plain(error, str(file))) from error


def _plain(error: OSError, name: str) -> str:
    return f"{error.filename or name}: {error.strerror or error}"
