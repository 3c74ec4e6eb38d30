"""Trail files: lines of OTLP/JSON, one document, or a list; plain or gzip; a path or a stream.

A file of lines is read line by line, so memory is bounded by its longest line. A damaged file
gives what can be read of it, and a `Problem` with the line's number for the rest.
"""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from os import PathLike, fspath
from typing import IO, Any, Final

from ..records.trail import Log, Problem, Span
from . import otlp
from .jaegerjson import is_answer, is_trace
from .salvage import salvage

Source = str | PathLike[str] | IO[bytes]
"""A path, `-` for standard input, or an open binary file."""
Read = Span | Log | Problem
Decode = Callable[[Any, otlp.Complain], Iterator[Span | Log]]

_CHUNK: Final = 1 << 18
_GZIP: Final = b"\x1f\x8b\x08"
_MARK: Final = "\ufeff"
_TOP: Final = (
    "resourceSpans", "resource_spans", "batches", "resourceLogs", "resource_logs",
    "resourceMetrics", "resource_metrics", "spanId", "span_id", "result",
)  # fmt: skip
"""Keys by which an object on a line of its own is told from a line of an indented document."""


def read(source: Source, decode: Decode = otlp.records) -> Iterator[Read]:
    """The spans, log records and problems of one file, in the order in which they stand.

    `decode` makes the records of a decoded document. Raises OSError when the file cannot be
    opened; nothing else, whatever is in it.
    """
    if source == "-":
        yield from read_stream(sys.stdin.buffer, "-", decode)
    elif isinstance(source, str | PathLike):
        with open(source, "rb") as stream:
            yield from read_stream(stream, fspath(source), decode)
    else:
        yield from read_stream(source, str(getattr(source, "name", "-")), decode)


def read_stream(stream: IO[bytes], name: str, decode: Decode = otlp.records) -> Iterator[Read]:
    """The same of an open binary stream."""
    notes: list[Problem] = []
    lines = lines_of(chunks_of(stream, name, notes))
    yield from _read_lines(lines, name, decode)
    yield from notes


# --- bytes to lines ------------------------------------------------------------------------


def chunks_of(stream: IO[bytes], name: str, notes: list[Problem]) -> Iterator[bytes]:
    """The bytes of a stream, unpacked when they are gzip; also of a gzip file that is cut."""
    first = stream.read(_CHUNK)
    if first[:3] != _GZIP or not _unpacks(first):
        while first:
            yield first
            first = stream.read(_CHUNK)
        return
    unzip = zlib.decompressobj(zlib.MAX_WBITS | 16)
    while first:
        try:
            yield unzip.decompress(first)
        except zlib.error:
            notes.append(Problem(name, 1, "the gzip data is damaged; what stands before was read"))
            return
        if unzip.eof:
            first = unzip.unused_data
            unzip = zlib.decompressobj(zlib.MAX_WBITS | 16)
            first = first.lstrip(b"\0") or stream.read(_CHUNK)
        else:
            first = stream.read(_CHUNK)
            if not first:
                notes.append(Problem(name, 1, "the gzip data is cut; what stands before was read"))


def _unpacks(first: bytes) -> bool:
    """False for a text that only begins like a gzip file."""
    try:
        zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(first[:512])
    except zlib.error:
        return False
    return True


def lines_of(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a stream of bytes, without their ends."""
    rest: list[bytes] = []
    for chunk in chunks:
        parts = chunk.split(b"\n")
        if len(parts) == 1:
            rest.append(chunk)
            continue
        yield b"".join([*rest, parts[0]])
        yield from parts[1:-1]
        rest = [parts[-1]]
    last = b"".join(rest)
    if last:
        yield last


# --- lines to records ----------------------------------------------------------------------


def _read_lines(lines: Iterable[bytes], name: str, decode: Decode) -> Iterator[Read]:
    held: list[tuple[int, str]] = []
    streaming = False
    for number, raw in enumerate(lines, 1):
        text, note = decoded(raw, name, number)
        if note is not None:
            yield note
        bare = text.strip().strip(",") if len(text) < 100_000_000 else text
        if streaming:
            yield from line_records(text, number, name, decode)
            continue
        if not held and not bare:
            continue
        document = document_of(bare)
        if document is None:
            held.append((number, text))
            continue
        streaming = True
        for earlier, before in held:
            yield from line_records(before, earlier, name, decode)
        held.clear()
        yield from _records(document, name, number, decode)
    if held:
        yield from _whole(held, name, decode)


def decoded(raw: bytes, name: str, number: int) -> tuple[str, Problem | None]:
    """The text of a line, and what had to be replaced in it."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        note = Problem(name, number, "bytes that are not UTF-8; each was replaced by U+FFFD")
        return raw.decode("utf-8", "replace"), note
    return (text[1:] if number == 1 and text[:1] == _MARK else text), None


def document_of(text: str) -> Any:
    """The decoded line when it is a document of its own, else None."""
    if text[:1] not in ("{", "["):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list):
        return value if any(isinstance(v, dict) and _is_top(v) for v in value) else None
    return value if _is_top(value) else None


def _is_top(value: dict[str, Any]) -> bool:
    return any(key in value for key in _TOP) or is_trace(value) or is_answer(value)


def line_records(text: str, number: int, name: str, decode: Decode) -> Iterator[Read]:
    """The records of a line of a file of lines, and what cannot be read of it."""
    bare = text.strip().strip(",").strip()
    if bare in ("", "[", "]"):
        return
    try:
        value = json.loads(bare)
    except (ValueError, RecursionError) as error:
        yield from _damaged(bare, number, name, error)
        return
    yield from _records(value, name, number, decode)


def _whole(held: list[tuple[int, str]], name: str, decode: Decode) -> Iterator[Read]:
    """A file that is one document over many lines, or in which no line is whole."""
    text = "\n".join(line for _, line in held)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        at = held[0][0] + getattr(error, "lineno", 1) - 1
        yield from _damaged(text, at, name, error)
        return
    yield from _records(value, name, held[0][0], decode)


def _damaged(text: str, number: int, name: str, error: Exception) -> Iterator[Read]:
    count = 0
    problems: list[Problem] = []
    for found in salvage(text, lambda what: problems.append(Problem(name, number, what))):
        count += 1
        yield found
    why = error.msg if isinstance(error, json.JSONDecodeError) else type(error).__name__
    rest = f"; {count} spans or log records of it were read" if count else ""
    yield Problem(name, number, f"not JSON ({why}){rest}")
    yield from problems


def _records(value: Any, name: str, number: int, decode: Decode) -> Iterator[Read]:
    problems: list[Problem] = []

    def complain(what: str) -> None:
        problems.append(Problem(name, number, what))

    for record in decode(value, complain):
        yield record
        if problems:
            yield from problems
            problems.clear()
    yield from problems
