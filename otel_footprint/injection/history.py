"""The history as it will be sent: the caller's messages with the standing edits made again.

Finding the places of the edits costs one look for each edit; the list itself is built only when
something looks at it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, overload

from ..records.plan import (
    AddMessage,
    HistoryEdit,
    Place,
    RemoveMessage,
    ReplaceMessage,
    locate,
    rebuilt,
)
from ..records.view import MessageView


class Entry(NamedTuple):
    """One message as it will be sent."""

    view: MessageView
    own: int | None
    """Its index in the caller's list; None for a message of ours."""
    edit: AddMessage | None = None
    """The edit that puts it in, when it is ours."""


class History(Sequence[MessageView]):
    """The caller's messages with edits made on them; a sequence of what will be sent.

    Edits of tool results change no place and are kept as they are. A message that was to be left
    out or replaced and is not at its place any more is a lost edit: the caller has dropped it.
    """

    def __init__(self, messages: Sequence[MessageView], edits: Sequence[HistoryEdit]) -> None:
        self.messages = messages
        self.edits, self.lost = placed(messages, edits)
        self._entries: list[Entry] | None = None

    @property
    def entries(self) -> list[Entry]:
        """All messages, each with where it comes from."""
        if self._entries is None:
            self._entries = _entries(self.messages, self.edits)
        return self._entries

    def __len__(self) -> int:
        return len(self.entries)

    @overload
    def __getitem__(self, at: int) -> MessageView: ...
    @overload
    def __getitem__(self, at: slice) -> list[MessageView]: ...
    def __getitem__(self, at: int | slice) -> MessageView | list[MessageView]:
        if isinstance(at, slice):
            return [entry.view for entry in self.entries[at]]
        return self.entries[at].view

    def __iter__(self) -> Iterator[MessageView]:
        return (entry.view for entry in self.entries)


def placed(
    messages: Sequence[MessageView], edits: Sequence[HistoryEdit]
) -> tuple[tuple[HistoryEdit, ...], tuple[HistoryEdit, ...]]:
    """The edits at the places where they now are, and those whose place is gone."""
    made: list[HistoryEdit] = []
    lost: list[HistoryEdit] = []
    keys: list[str] | None = None
    for edit in edits:
        if not isinstance(edit, AddMessage | RemoveMessage | ReplaceMessage) or _stands(
            edit, messages
        ):
            made.append(edit)
            continue
        keys = [view.key for view in messages] if keys is None else keys
        index = locate(edit.at, keys)
        if not isinstance(edit, AddMessage):
            index = _target(edit, index, keys)
        if index is None:
            lost.append(edit)
        else:
            made.append(edit._replace(at=place_at(messages, index)))
    return tuple(made), tuple(lost)


def place_at(messages: Sequence[MessageView], index: int) -> Place:
    """The place in front of message `index` of the caller's list."""
    return Place(index, messages[index - 1].key if 0 < index <= len(messages) else "")


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


def _stands(
    edit: AddMessage | RemoveMessage | ReplaceMessage, messages: Sequence[MessageView]
) -> bool:
    position, after = edit.at
    if not isinstance(edit, AddMessage):
        return position < len(messages) and messages[position].key == edit.key
    if not after:
        return position <= len(messages)
    return 0 < position <= len(messages) and messages[position - 1].key in (after, "")


def _target(
    edit: ReplaceMessage | RemoveMessage, index: int | None, keys: Sequence[str]
) -> int | None:
    if index is not None and index < len(keys) and keys[index] == edit.key:
        return index
    return keys.index(edit.key) if edit.key and keys.count(edit.key) == 1 else None


def _entries(messages: Sequence[MessageView], edits: Sequence[HistoryEdit]) -> list[Entry]:
    return rebuilt(
        [Entry(view, index) for index, view in enumerate(messages)],
        edits,
        lambda edit: Entry(shown(edit), None, edit),
        lambda entry, text: entry._replace(view=entry.view._replace(text=text, size=0)),
    )
