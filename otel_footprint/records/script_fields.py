"""The recorded form as flat fields of events, and back. `telemetry.names` gives their names.

Fields hold a string, a whole number, a boolean or an array of one of these; an absent value is an
absent field. In an array what is missing is -1 (of sizes) or an empty string.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ..text.chunks import MAX_BYTES, chunk
from .scripts import CHARS, MAX_ROWS, MAX_SHOWN, Attached

_COLUMNS = ("call", "tool", "label", "why", "digest", "exit_code", "byte_count")


def script_fields(attached: Attached, index: int, limit: int = MAX_BYTES) -> dict[str, Any]:
    """The fields of one attached program; its text in chunks, where the record may hold it."""
    out: dict[str, Any] = {"index": index, **attached.value()["shown"][index]}
    if "text" in out:
        out["text"] = chunk(out["text"], limit)
    return out


def attachment_fields(attached: Attached) -> dict[str, Any]:
    """The fields of one answer, without its programs."""
    out: dict[str, Any] = {
        "which": attached.which,
        "form": attached.form,
        "shown": len(attached.shown),
        "omitted": attached.omitted,
        "without_row": attached.without_row,
        "kept": attached.kept,
    }
    if attached.unshown:
        for name in _COLUMNS:
            column = [getattr(entry, name) for entry in attached.unshown]
            out[f"unshown.{name}"] = [_cell(name, value) for value in column]
    if attached.boundary is not None:
        out["boundary"] = attached.boundary.kind
        out["after"] = attached.after
        if attached.boundary.kind == "closed":
            out["fence.char"] = CHARS[attached.boundary.char]
            out["fence.length"] = attached.boundary.length
    return out


def value_of(answer: Mapping[str, Any], scripts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The recorded value from the fields of events, for `recorded_scripts`.

    A program that is missing, stands twice or has no place becomes an entry that does not read.
    """
    stated = answer.get("shown")
    count = stated if type(stated) is int and stated >= 0 else None
    places: list[Any] = [None] * min(count or 0, MAX_SHOWN)
    strays = 1 if count is None else max(0, min(count, MAX_ROWS) - MAX_SHOWN)
    for fields in scripts:
        entry = dict(fields)
        index = entry.pop("index", None)
        if type(index) is not int or not 0 <= index < len(places) or places[index] is not None:
            strays += 1
            continue
        if "text" in entry:
            entry["text"] = _joined(entry["text"])
        places[index] = entry
    out = {k: answer[k] for k in ("which", "form", "omitted", "without_row", "kept") if k in answer}
    out["shown"] = places + [None] * strays
    unshown = _rows(answer)
    if unshown is not None:
        out["unshown"] = unshown
    if "boundary" in answer:
        out["boundary"] = {"kind": answer["boundary"]}
        for name in ("char", "length"):
            if f"fence.{name}" in answer:
                out["boundary"][name] = answer[f"fence.{name}"]
    if "after" in answer:
        out["after"] = answer["after"]
    return out


def _joined(text: Any) -> Any:
    if isinstance(text, list | tuple) and all(isinstance(t, str) for t in text):
        return "".join(text)
    return text


def _rows(answer: Mapping[str, Any]) -> Any:
    columns = [answer[k] for k in (f"unshown.{name}" for name in _COLUMNS) if k in answer]
    if not columns:
        return None
    if len(columns) < len(_COLUMNS) or not all(isinstance(c, list | tuple) for c in columns):
        return "columns are missing"
    if len({len(c) for c in columns}) > 1:
        return "columns of different length"
    rows = (dict(zip(_COLUMNS, row, strict=True)) for row in zip(*columns, strict=True))
    return [{k: _uncell(k, v) for k, v in row.items() if v not in _MISSING[k]} for row in rows]


_MISSING: Final[dict[str, tuple[Any, ...]]] = {
    **dict.fromkeys(_COLUMNS, ()),
    "digest": ("",),
    "exit_code": ("",),
    "byte_count": (-1,),
}


def _cell(name: str, value: Any) -> Any:
    if value is None:
        return _MISSING[name][0]
    return str(value) if name == "exit_code" else value


def _uncell(name: str, value: Any) -> Any:
    """An exit code is a string in its array, because every number may be one."""
    if name != "exit_code" or type(value) is not str:
        return value
    return int(value) if value.lstrip("-").isascii() and value.lstrip("-").isdigit() else value
