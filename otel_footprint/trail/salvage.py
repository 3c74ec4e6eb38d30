"""What can still be read of a damaged document: every whole span and log record in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from ..records.trail import Log, Span
from . import jaegerjson, otlp

_ARRAY: Final = re.compile(r'"(spans|logRecords|log_records)"\s*:\s*\[')
_AROUND: Final = re.compile(r'"(resource|scope|instrumentationLibrary)"\s*:\s*(?=\{)')
_NEXT_SPAN: Final = re.compile(r'\{\s*"(?:traceId|trace_id|traceID)"\s*:')
_NEXT_LOG: Final = re.compile(r'\{\s*"(?:timeUnixNano|time_unix_nano)"\s*:')
_SPAN_KEYS: Final = ("startTimeUnixNano", "start_time_unix_nano", "name", "operationName")
_GLUE: Final = re.compile(r"[\s,]*")
_DECODER: Final = json.JSONDecoder()
_BROKEN: Final = (ValueError, RecursionError)


class _Found(NamedTuple):
    value: dict[str, Any] | None
    at: int
    """Where to go on."""
    inside: bool
    """False: this array has nothing more that can be told."""


def salvage(text: str, complain: otlp.Complain) -> Iterator[Span | Log]:
    """The spans and log records that stand whole in a text that is not whole itself.

    Resource and scope are those that stand before them. A damaged one is left out, and reading
    goes on with the next that can be told by its beginning.
    """
    at = 0
    resource: dict[str, Any] = {}
    scope = ""
    while found := _ARRAY.search(text, at):
        resource, scope = _around(text, at, found.start(), resource, scope)
        logs = found.group(1) != "spans"
        for value, end in _elements(text, found.end(), logs):
            at = end
            if value is None:
                continue
            if logs:
                yield otlp.log(value, scope, complain)
            elif jaegerjson.is_span(value):
                yield jaegerjson.span(value, resource)
            else:
                yield otlp.span(value, scope, resource, complain)
        at = max(at, found.end())


def _elements(text: str, at: int, logs: bool) -> Iterator[tuple[dict[str, Any] | None, int]]:
    """The whole elements of an array, with the place behind each."""
    while True:
        glue = _GLUE.match(text, at)
        at = glue.end() if glue else at
        if at >= len(text) or text[at] != "{":
            return
        found = _element(text, at, logs)
        at = found.at
        yield found.value, at
        if not found.inside:
            return


def _element(text: str, at: int, logs: bool) -> _Found:
    try:
        value, end = _DECODER.raw_decode(text, at)
    except _BROKEN:
        return _skip(text, at + 1, logs)
    return _Found(value if isinstance(value, dict) else None, end, True)


def _skip(text: str, at: int, logs: bool) -> _Found:
    """Behind a damaged element: where the next one of the array begins, else the next array."""
    for later in (_NEXT_LOG if logs else _NEXT_SPAN).finditer(text, at):
        array = _ARRAY.search(text, at, later.start())
        if array is not None:
            return _Found(None, array.start(), False)
        if logs or _is_whole_span(text, later.start()):
            return _Found(None, later.start(), True)
        at = later.end()
    array = _ARRAY.search(text, at)
    return _Found(None, len(text) if array is None else array.start(), False)


def _is_whole_span(text: str, at: int) -> bool:
    """True for a span, and not for a link inside a damaged one."""
    try:
        value, _ = _DECODER.raw_decode(text, at)
    except _BROKEN:
        return False
    return isinstance(value, dict) and any(key in value for key in _SPAN_KEYS)


def _around(
    text: str, start: int, end: int, resource: dict[str, Any], scope: str
) -> tuple[dict[str, Any], str]:
    """Resource and scope as they stand last in a stretch of text."""
    for found in _AROUND.finditer(text, start, end):
        try:
            value, _ = _DECODER.raw_decode(text, found.end())
        except _BROKEN:
            continue
        if found.group(1) == "resource":
            resource = otlp.attributes_of(value)
        else:
            scope = otlp.scope_name({"scope": value})
    return resource, scope
