"""Responses events put together into items, for a stream that did not bring its response."""

from __future__ import annotations

from typing import Any

from .values import items_of, obj, whole, word

_LAST = ("response.completed", "response.incomplete", "response.failed", "response.done")
_FIELDS = {
    "response.function_call_arguments": "arguments",
    "response.mcp_call_arguments": "arguments",
    "response.custom_tool_call_input": "input",
    "response.code_interpreter_call_code": "code",
}
"""Events that carry one text of an item, and the key it stands under."""
_PARTS = {
    "response.output_text": ("content", "content_index", "output_text", "text"),
    "response.refusal": ("content", "content_index", "refusal", "refusal"),
    "response.reasoning_text": ("content", "content_index", "reasoning_text", "text"),
    "response.reasoning_summary_text": ("summary", "summary_index", "summary_text", "text"),
}
"""Events that carry a text of a part: where the part stands, its index, its type, its key."""


class Items:
    """The state of a stream of events; takes anything, keeps what it understands."""

    def __init__(self) -> None:
        self.response: dict[str, Any] = {}
        """The latest response object that came."""
        self.ended = False
        """True when the event that ends a response came."""
        self._items: dict[int, dict[str, Any]] = {}

    def add(self, event: Any) -> None:
        """Takes the next event."""
        if not isinstance(event, dict):
            return
        kind = word(event.get("type"))
        if isinstance(event.get("response"), dict):
            if not self.ended:
                self.response = event["response"]
            self.ended = self.ended or kind in _LAST
            return
        if kind in ("response.output_item.added", "response.output_item.done"):
            if isinstance(event.get("item"), dict):
                self._items[self._index(event)] = _copy(event["item"])
            return
        name, _, step = kind.rpartition(".")
        if step in ("delta", "done"):
            self._grow(name, step, event)

    def items(self) -> list[dict[str, Any]]:
        """The items in their order, as far as they came."""
        return [self._items[index] for index in sorted(self._items)]

    def _index(self, event: dict[str, Any]) -> int:
        index = whole(event.get("output_index"))
        if index is not None:
            return index
        wanted = event.get("item_id") or obj(event.get("item")).get("id")
        for known, item in self._items.items():
            if wanted and item.get("id") == wanted:
                return known
        return max(self._items, default=-1) + (0 if "item_id" in event and self._items else 1)

    def _grow(self, name: str, step: str, event: dict[str, Any]) -> None:
        item = self._items.setdefault(self._index(event), {})
        if name in _FIELDS:
            _put(item, _FIELDS[name], step, event)
        elif name in _PARTS:
            where, index, type_, key = _PARTS[name]
            item.setdefault(
                "type", "message" if type_ in ("output_text", "refusal") else "reasoning"
            )
            if item["type"] == "message":
                item.setdefault("role", "assistant")
            part = _part(item, where, whole(event.get(index)) or 0, type_)
            _put(part, key, step, event)
        elif isinstance(item.get("operation"), dict) and name.endswith("_diff"):
            _put(item["operation"], "diff", step, event)


def _put(into: dict[str, Any], key: str, step: str, event: dict[str, Any]) -> None:
    if step == "done":
        if isinstance(event.get(key), str):
            into[key] = event[key]
    elif isinstance(event.get("delta"), str):
        into[key] = word(into.get(key)) + event["delta"]


def _part(item: dict[str, Any], where: str, index: int, type_: str) -> dict[str, Any]:
    parts = item.get(where)
    if not isinstance(parts, list):
        parts = item[where] = []
    index = min(max(index, 0), 4096)
    while len(parts) <= index:
        parts.append({"type": type_})
    if not isinstance(parts[index], dict):
        parts[index] = {"type": type_}
    found: dict[str, Any] = parts[index]
    return found


def _copy(item: dict[str, Any]) -> dict[str, Any]:
    """A copy that can grow without changing the event."""
    copy = dict(item)
    for key in ("content", "summary"):
        if isinstance(copy.get(key), list):
            copy[key] = [dict(p) if isinstance(p, dict) else p for p in items_of(copy[key])]
    if isinstance(copy.get("operation"), dict):
        copy["operation"] = dict(copy["operation"])
    return copy
