"""Trails in files: one, several that belong together, a folder of them, or standard input."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from typing import Final

from ...errors import SourceError, TrailError
from ...records.trail import NEWEST, Log, Meant, Problem, Span, TurnLine
from ...telemetry import names
from ..collected import Records
from ..files import Source as File
from ..files import read
from ..light import light
from ..overview import Overview
from .listing import Filter
from .select import meant, turn_id

_ENDINGS: Final = (".json", ".jsonl", ".ndjson", ".otlp")
MOST_FILES: Final = 10_000


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
    """Files that are read whole. Their spans stay in memory."""

    def __init__(self, sources: Iterable[File]) -> None:
        self._files = files_in(sources)
        self.name = ", ".join(str(getattr(f, "name", f)) for f in self._files[:3])
        self._records: Records | None = None

    def everything(self) -> Records:
        """All that is in the files."""
        if self._records is None:
            self._records = Records()
            for file in self._files:
                try:
                    self._records.take(read(file))
                except OSError as error:
                    raise SourceError(_plain(error, str(file))) from error
        return self._records

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
        spans = self.everything().spans
        if which == NEWEST:
            return newest(spans)
        turns = {turn_id(s) for s in spans} - {""}
        return meant(which, turns, {s.trace_id for s in spans} - {""})

    def traces_of(self, meant: Meant) -> tuple[str, ...]:
        """Ids of the traces that hold it."""
        if meant.trace:
            return (meant.trace,)
        spans = self.everything().spans
        return tuple(dict.fromkeys(s.trace_id for s in spans if turn_id(s) == meant.turn))

    def read(self, traces: Collection[str]) -> Records:
        """Everything of these traces, and every problem: nobody knows whose it was."""
        all_ = self.everything()
        return Records(
            [s for s in all_.spans if s.trace_id in traces],
            [x for x in all_.logs if x.trace_id in traces],
            all_.problems,
            all_.more,
        )


def _light(file: File) -> Iterator[Span | Log | Problem]:
    try:
        yield from read(file, light)
    except OSError as error:
        raise SourceError(_plain(error, str(file))) from error


def newest(spans: Iterable[Span]) -> Meant:
    """The turn that began last and is no part of another; without turns the newest trace.

    Raises TrailError when there is no span.
    """
    turns: dict[str, int] = {}
    traces: dict[str, int] = {}
    inner: set[str] = set()
    for span in spans:
        start = span.start or 0
        if span.trace_id:
            traces[span.trace_id] = min(start, traces.get(span.trace_id, start))
        turn = turn_id(span)
        if turn:
            turns[turn] = min(start, turns.get(turn, start))
            if names.PARENT_TURN in span.attributes:
                inner.add(turn)
    outer = [t for t in turns if t not in inner] or list(turns)
    if outer:
        return Meant(max(outer, key=turns.__getitem__), "")
    if traces:
        return Meant("", max(traces, key=traces.__getitem__))
    raise TrailError("no span is in this source")


def _plain(error: OSError, name: str) -> str:
    return f"{error.filename or name}: {error.strerror or error}"
