"""The reader of the recorded form: what of a value can be relied on, and how much cannot be read.

It takes any value, looks at no more entries than a writer files, and counts whatever no writer of
ours files: only `unread == 0` allows the attached text to be built again (`script_text.rebuild`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, cast

from pydantic import ValidationError

from .scripts import (
    CHARS,
    MAX_ROWS,
    MAX_SHOWN,
    After,
    Attached,
    Boundary,
    Form,
    Script,
    Unshown,
    Which,
)


class Recorded(NamedTuple):
    """What a reader makes of a recorded value."""

    shown: tuple[tuple[int, Script], ...]
    """(index on the record, program) of what could be read."""
    unread: int
    """Whatever no writer of ours files; 0 allows rebuilding."""
    omitted: int | None = None
    boundary: Boundary | None = None
    which: Which | None = None
    form: Form | None = None
    after: After | None = None
    unshown: tuple[Unshown, ...] = ()
    without_row: int | None = None
    kept: bool = True

    def attached(self) -> Attached | None:
        """The record as it was written; None when anything of it is unread."""
        if self.unread or self.which is None or self.form is None:
            return None
        return Attached(
            self.which, self.form, tuple(script for _, script in self.shown), self.omitted or 0,
            self.unshown, self.without_row or 0, self.boundary, self.after, self.kept,
        )  # fmt: skip


def recorded_scripts(value: Any, within: int | None = None) -> Recorded | None:
    """Reads a recorded value; None for None (no scripts were declared).

    `within` is the length of the text that the attached text must be found in: a fence longer
    than that is no boundary. Never raises, never looks past the bounds of a writer.
    """
    if value is None:
        return None
    if type(value) is not dict or type(value.get("shown")) not in (list, tuple):
        return Recorded((), 1)
    reader = _Reader(value)
    shown = reader.entries("shown", Script, MAX_SHOWN)
    recorded = Recorded(
        shown=tuple((i, s) for i, s in shown if s is not None),
        unread=0,
        omitted=reader.whole("omitted"),
        boundary=reader.boundary(within),
        which=reader.word("which", ("last", "all")),
        form=reader.word("form", ("text", "data", "none")),
        after=reader.word("after", ("nothing", "newline", "text")),
        unshown=tuple(u for _, u in reader.entries("unshown", Unshown, MAX_ROWS) if u is not None),
        without_row=reader.whole("without_row"),
        kept=reader.flag("kept"),
    )
    unread = reader.unread + len(value.keys() - _KEYS)
    if not unread and not _is_consistent(recorded):
        unread = 1
    return recorded._replace(unread=unread)


_KEYS: Final = frozenset(Recorded._fields) - {"unread"}


class _Reader:
    def __init__(self, value: dict[Any, Any]) -> None:
        self.value = value
        self.unread = 0

    def entries(self, key: str, kind: type[Any], bound: int) -> list[tuple[int, Any]]:
        found = self.value.get(key, ())
        if type(found) not in (list, tuple):
            self.unread += 1
            return []
        self.unread += max(0, len(found) - bound)
        out = [(i, _read(kind, entry)) for i, entry in enumerate(found[:bound])]
        self.unread += sum(entry is None for _, entry in out)
        return out

    def whole(self, key: str) -> int | None:
        if key not in self.value:
            return None
        found = self.value[key]
        if type(found) is int and found >= 0:
            return found
        self.unread += 1
        return None

    def word(self, key: str, words: tuple[str, ...]) -> Any:
        found = self.value.get(key)
        if key not in self.value or (type(found) is str and found in words):
            return found
        self.unread += 1
        return None

    def flag(self, key: str) -> bool:
        found = self.value.get(key, True)
        if type(found) is not bool:
            self.unread += 1
        return found is not False

    def boundary(self, within: int | None) -> Boundary | None:
        if "boundary" not in self.value:
            return None
        boundary = _boundary(self.value["boundary"])
        if boundary is None or (within is not None and boundary.length > within):
            self.unread += 1
            return None
        return boundary


def _read(kind: type[Any], entry: Any) -> Any:
    if not isinstance(entry, Mapping):
        return None
    try:
        return kind.model_validate(dict(entry))
    except (ValidationError, ValueError, TypeError, RecursionError):
        return None


def _boundary(value: Any) -> Boundary | None:
    if type(value) is not dict:
        return None
    kind = value.get("kind")
    if kind in ("clean", "unsettled") and len(value) == 1:
        return Boundary(cast(Literal["clean", "unsettled"], kind))
    char = {name: char for char, name in CHARS.items()}.get(str(value.get("char")))
    length = value.get("length")
    if kind != "closed" or char is None or type(length) is not int or length < 3 or len(value) != 3:
        return None
    return Boundary("closed", char, length)


def _is_consistent(recorded: Recorded) -> bool:
    """Whether all parts, each of them readable, can have been written together."""
    attached = recorded.attached()
    if attached is None:
        return not recorded.which and not recorded.form
    scripts, boundary = attached.shown, attached.boundary
    withheld = boundary is not None and boundary.kind == "unsettled"
    empty = not scripts and not attached.omitted
    return (
        attached.older >= 0
        and (attached.form == "none") == empty
        and (attached.form == "text") == (boundary is not None)
        and (attached.after is not None) == (boundary is not None)
        and all(script.withheld == withheld for script in scripts)
        and all(script.text is None or attached.kept for script in scripts)
    )
