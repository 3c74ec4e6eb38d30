"""The history as it will be sent: the caller's messages with the standing edits made again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..records.plan import (
    AddMessage,
    AppendToResult,
    HistoryEdit,
    Place,
    RemoveMessage,
    ReplaceMessage,
    ReplaceResult,
    locate,
)
from ..records.view import MessageView


class Entry(NamedTuple):
    """One message as it will be sent."""

    view: MessageView
    own: int | None
    """Its index in the caller's list; None for a message of ours."""
    edit: AddMessage | None = None
    """The edit that puts it in, when it is ours."""


class History(NamedTuple):
    """The result of making the standing edits."""

    entries: list[Entry]
    edits: tuple[HistoryEdit, ...]
    """The edits that could be made, at the places where they now are."""
    lost: tuple[HistoryEdit, ...]
    """Edits whose place is gone from the caller's list; they stand no longer."""


def arrange(messages: Sequence[MessageView], edits: Sequence[HistoryEdit]) -> History:
    """Makes the edits on the caller's messages. One pass over both.

    Edits of tool results change no place and are passed through. A message that was to be left out
    or replaced and is not at its place any more is a lost edit: the caller has dropped it himself.
    """
    if not edits:
        return History([Entry(view, i) for i, view in enumerate(messages)], (), ())
    keys = [view.key for view in messages]
    adds: dict[int, list[AddMessage]] = {}
    removed: set[int] = set()
    texts: dict[int, str] = {}
    made: list[HistoryEdit] = []
    lost: list[HistoryEdit] = []
    for edit in edits:
        if isinstance(edit, AppendToResult | ReplaceResult):
            made.append(edit)
            continue
        index = locate(edit.at, keys)
        if isinstance(edit, AddMessage):
            if index is None:
                lost.append(edit)
                continue
            placed = edit._replace(at=place_at(keys, index))
            adds.setdefault(index, []).append(placed)
            made.append(placed)
            continue
        index = _target(edit, index, keys)
        if index is None:
            lost.append(edit)
        else:
            made.append(edit._replace(at=place_at(keys, index)))
            if isinstance(edit, RemoveMessage):
                removed.add(index)
            else:
                texts[index] = edit.text
    entries = _entries(messages, adds, removed, texts)
    return History(entries, tuple(made), tuple(lost))


def place_at(keys: Sequence[str], index: int) -> Place:
    """The place in front of message `index` of the caller's list."""
    return Place(index, keys[index - 1] if 0 < index <= len(keys) else "")


def shown(edit: AddMessage) -> MessageView:
    """The view of a message of ours."""
    by = edit.by
    return MessageView(edit.role, edit.text, by.source, by.id, key=edit.key, since=edit.action)


def side(view: MessageView) -> str:
    """Which side of the conversation a message stands on; tool results stand on the user's."""
    return "user" if view.is_result else side_of(view.role)


def side_of(role: str) -> str:
    """The side of a role."""
    return _SIDES.get(role, role)


_SIDES = {"tool": "user", "function": "user", "model": "assistant", "developer": "system"}
"""The side of a role where it is not its name."""


def _target(
    edit: ReplaceMessage | RemoveMessage, index: int | None, keys: Sequence[str]
) -> int | None:
    if index is not None and index < len(keys) and keys[index] == edit.key:
        return index
    if edit.key:
        return keys.index(edit.key) if keys.count(edit.key) == 1 else None
    return index if index is not None and index < len(keys) else None


def _entries(
    messages: Sequence[MessageView],
    adds: dict[int, list[AddMessage]],
    removed: set[int],
    texts: dict[int, str],
) -> list[Entry]:
    out: list[Entry] = []
    for index, view in enumerate(messages):
        for edit in adds.get(index, ()):
            out.append(Entry(shown(edit), None, edit))
        if index not in removed:
            text = texts.get(index)
            out.append(Entry(view if text is None else view._replace(text=text, size=0), index))
    for edit in adds.get(len(messages), ()):
        out.append(Entry(shown(edit), None, edit))
    return out
