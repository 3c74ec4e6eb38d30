"""What a call gave, described so that two calls can be compared: value, type, exception, chunks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Outcome(NamedTuple):
    """What came back from a call."""

    value: Any
    chunks: list[Any] | None
    """Of a stream what it gave, in order."""
    error: Any


def outcome(run: Callable[[], Any]) -> Outcome:
    """Runs a call, reads its stream to the end, and describes what came."""
    try:
        value = run()
    except Exception as error:
        return Outcome(None, None, described_error(error))
    if not hasattr(value, "__next__"):
        return Outcome(described(value), None, None)
    chunks: list[Any] = []
    try:
        for chunk in value:
            chunks.append(described(chunk))
    except Exception as error:
        return Outcome(_kind(value), chunks, described_error(error))
    return Outcome(_kind(value), chunks, None)


def described(value: Any) -> Any:
    """A value with its types, all the way down."""
    fields = getattr(type(value), "model_fields", None)
    if fields is not None:
        return (
            _kind(value),
            sorted(value.model_fields_set),
            {k: described(v) for k, v in value},
            {k: described(v) for k, v in (value.model_extra or {}).items()},
        )
    if isinstance(value, dict):
        return (_kind(value), [(k, described(v)) for k, v in value.items()])
    if isinstance(value, list | tuple):
        return (_kind(value), [described(v) for v in value])
    if isinstance(value, str | int | float | bool | None):
        return (_kind(value), value)
    return (_kind(value), repr(value) if " at 0x" not in repr(value) else "")


def described_error(error: BaseException) -> Any:
    """An exception: class, text, status and body, and what caused it."""
    return (
        _kind(error),
        str(error),
        getattr(error, "status_code", None),
        described(getattr(error, "body", None)),
        None if error.__cause__ is None else _kind(error.__cause__),
    )


def _kind(value: Any) -> str:
    kind = type(value)
    return f"{kind.__module__}.{kind.__qualname__}"
