"""Edits of Anthropic Messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...records.plan import AppendSystem, CacheMark, OfferTool, ResultEdit
from ...wire.types import Layout
from .editor import Editor, Made, edited_text

_MARK: Final = {"type": "ephemeral"}


class AnthropicEditor(Editor):
    """A fragment is a block of `system` of its own."""

    schema_key = "input_schema"

    def set_messages(self, out: dict[str, Any], layout: Layout, messages: list[Any]) -> None:
        """See `Editor`."""
        held = out.get("messages") or []
        n = len(held) - len(layout.messages)
        out["messages"] = [*held[:n], *messages]

    def add_system(
        self, out: dict[str, Any], layout: Layout, edits: Sequence[AppendSystem], made: Made
    ) -> None:
        """See `Editor`."""
        held = out.get("system")
        if isinstance(held, str):
            held = [{"type": "text", "text": held}] if held else []
        out["system"] = [*(held or ()), *self.fragments(layout, edits, made)]

    def fragment(self, layout: Layout, text: str) -> Any:  # noqa: ARG002
        """See `Editor`."""
        return {"type": "text", "text": text}

    def result(self, element: Any, edits: Mapping[str, list[ResultEdit]]) -> Any:
        """See `Editor`."""
        if not any(id_ in edits for id_ in self.result_ids(element)):
            return element
        blocks = [_block(block, edits) for block in element["content"]]
        return {**element, "content": blocks}

    def result_ids(self, element: Any) -> list[str]:
        """See `Editor`."""
        content = element.get("content") if isinstance(element, dict) else None
        return [
            str(block.get("tool_use_id"))
            for block in (content if isinstance(content, list) else ())
            if isinstance(block, dict) and block.get("type") == "tool_result"
        ]

    def tool(self, edit: OfferTool) -> Any:
        """See `Editor`."""
        raw = edit.raw
        if isinstance(raw, Mapping) and "name" in raw and "parameters" not in raw:
            return dict(raw)
        return {
            "name": edit.name,
            "description": edit.description,
            "input_schema": edit.schema or {"type": "object", "properties": {}},
        }

    def mark(self, out: dict[str, Any], mark: CacheMark, made: Made) -> None:
        """See `Editor`: on the block or tool, or on the last block of the message."""
        held = out.get(mark.slot)
        if mark.slot == "system" and isinstance(held, str):
            held = [{"type": "text", "text": held}]
        if not isinstance(held, list) or not -1 <= mark.at < len(held):
            return
        elements = out[mark.slot] = list(held)
        before = elements[mark.at]
        after = _marked(before, mark.slot)
        if after is not before:
            elements[mark.at] = after
            made.same(before, after)


def _marked(element: Any, slot: str) -> Any:
    if not isinstance(element, dict):
        return element
    if slot != "messages":
        return {"cache_control": _MARK, **element, **_already(element)}
    content = element.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}] if content else []
    if not content or not isinstance(content[-1], dict) or content[-1].get("type") == "thinking":
        return element
    return {**element, "content": [*content[:-1], {**content[-1], "cache_control": _MARK}]}


def _already(element: dict[str, Any]) -> dict[str, Any]:
    mark = element.get("cache_control")
    return {"cache_control": _MARK if mark is None else mark}


def _block(block: Any, edits: Mapping[str, list[ResultEdit]]) -> Any:
    if not isinstance(block, dict) or block.get("type") != "tool_result":
        return block
    found = edits.get(str(block.get("tool_use_id")), ())
    if not found:
        return block
    return {**block, "content": edited_text(block.get("content"), found, "text")}


EDITOR = AnthropicEditor()
