"""Standing edits of history as JSON, and back. Reading trusts nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..records.injection import DoorRefused
from ..records.plan import (
    AddMessage,
    AppendToResult,
    Cause,
    HistoryEdit,
    Place,
    RemoveMessage,
    ReplaceMessage,
    ReplaceResult,
)
from . import doors

_KINDS: dict[str, type[HistoryEdit]] = {
    "add": AddMessage,
    "replace": ReplaceMessage,
    "remove": RemoveMessage,
    "append_result": AppendToResult,
    "replace_result": ReplaceResult,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def edit_to_json(edit: HistoryEdit) -> dict[str, Any]:
    """One edit as a JSON object."""
    out: dict[str, Any] = {"edit": _NAMES[type(edit)]}
    for name, value in zip(edit._fields, edit, strict=True):
        out[name] = dict(value._asdict()) if isinstance(value, Cause | Place) else value
    return out


def edit_from_json(value: Any) -> HistoryEdit | DoorRefused | None:
    """The edit of a JSON object; DoorRefused when its text is none; None for anything else."""
    name = value.get("edit") if isinstance(value, Mapping) else None
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        return None
    fields: dict[str, Any] = {}
    for name in kind._fields:
        held: Any = value.get(name, doors.MISSING)
        if name == "text":
            problem = doors.check(held, "restored state", _origin(value))
            if problem is not None:
                return problem
        elif name == "by":
            held = _cause(held)
        elif name == "at":
            held = _place(held)
        elif name == "action":
            held = held if type(held) is int else None
        elif not isinstance(held, str):
            held = None
        if held is None:
            return None
        fields[name] = held
    return kind(**fields)


def _origin(value: Mapping[str, Any]) -> str:
    by = value.get("by")
    id_ = by.get("id") if isinstance(by, Mapping) else None
    return id_ if isinstance(id_, str) else "an edit of history"


def _cause(value: Any) -> Cause | None:
    if not isinstance(value, Mapping):
        return None
    texts = [value.get(name, "") for name in ("source", "id", "reason", "trigger")]
    if not all(isinstance(text, str) for text in texts):
        return None
    numbers = [value.get(name) for name in ("score", "rank", "threshold")]
    if not all(number is None or isinstance(number, int | float) for number in numbers):
        return None
    return Cause(*texts, *numbers)


def _place(value: Any) -> Place | None:
    if not isinstance(value, Mapping):
        return None
    index, after = value.get("position"), value.get("after", "")
    if type(index) is not int or index < 0 or not isinstance(after, str):
        return None
    return Place(index, after)
