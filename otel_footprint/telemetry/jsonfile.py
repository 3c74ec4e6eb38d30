"""Trail files: OTLP/JSON lines, one request a line, which any OTLP reader takes.

Imported when it is used: it needs the SDK.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Sequence
from typing import Any, Final

from opentelemetry.sdk._logs.export import LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from .guard import failed, is_raising
from .otlpjson import dump, logs_json, spans_json

_FLAGS: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
_MAX_TOLD: Final = 100

logger: Final = logging.getLogger("otel_footprint")
_told: Final[set[str]] = set()
"""Files that were named in the log."""


class JsonLines:
    """Appends to a file, a line in a single write, so that several processes may share it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path: Final = os.path.abspath(path)
        self._begun = False

    def append(self, request: dict[str, Any]) -> None:
        """Writes one request. Raises OSError when that is not possible."""
        line = dump(request)
        folder = os.path.dirname(self.path)
        if not self._begun:
            os.makedirs(folder, exist_ok=True)
            if self._is_cut():
                line = b"\n" + line
        file = os.open(self.path, _FLAGS, 0o666)
        try:
            written = os.write(file, line)
            while written < len(line):
                written += os.write(file, line[written:])
        finally:
            os.close(file)
        self._begun = True

    def _is_cut(self) -> bool:
        """Whether the file ends inside a line, and stays so: a process died while it wrote."""
        end = self._end()
        for _ in range(3):
            if end is None:
                return False
            time.sleep(0.02)  # another process may be writing just now
            before, end = end, self._end()
            if end != before:
                return False
        return True

    def _end(self) -> int | None:
        """The size of a file that ends inside a line; else None."""
        try:
            with open(self.path, "rb") as file:
                size = file.seek(0, os.SEEK_END)
                if size == 0:
                    return None
                file.seek(size - 1)
                return None if file.read(1) == b"\n" else size
        except FileNotFoundError:
            return None


class JsonFileExporter(SpanExporter):
    """Writes spans to a trail file. Never raises: what cannot be written is a failed export."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._lines = JsonLines(path)
        self._closed = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Appends one line with these spans."""
        if self._closed or not _append(self._lines, spans_json, spans):
            return SpanExportResult.FAILURE
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        """Writes no more."""
        self._closed = True

    def force_flush(self, timeout_millis: int = 30_000) -> bool:  # noqa: ARG002
        """Nothing is held back."""
        return True


class JsonFileLogExporter(LogRecordExporter):
    """Writes log records to a trail file, beside the spans or alone. Never raises."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._lines = JsonLines(path)
        self._closed = False

    def export(self, batch: Sequence[Any]) -> LogRecordExportResult:
        """Appends one line with these records."""
        if self._closed or not _append(self._lines, logs_json, batch):
            return LogRecordExportResult.FAILURE
        return LogRecordExportResult.SUCCESS

    def shutdown(self) -> None:
        """Writes no more."""
        self._closed = True

    def force_flush(self, timeout_millis: int = 30_000) -> bool:  # noqa: ARG002
        """Nothing is held back."""
        return True


def _append(lines: JsonLines, encode: Any, items: Sequence[Any]) -> bool:
    if not items:
        return True
    try:
        lines.append(encode(items))
    except OSError as error:
        _tell(lines.path, error)
        return False
    except Exception as error:
        if is_raising():
            raise
        failed("jsonfile", type(error))
        return False
    return True


def _tell(path: str, error: OSError) -> None:
    """Names a trail file that cannot be written, once; its spans are counted as lost."""
    if path not in _told and len(_told) < _MAX_TOLD:
        _told.add(path)
        logger.warning(
            "The trail file %s cannot be written, what belongs there is lost: %s",
            path,
            error.strerror or type(error).__name__,
        )
