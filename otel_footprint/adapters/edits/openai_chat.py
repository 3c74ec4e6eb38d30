"""Edits of OpenAI chat completions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...records.plan import AppendSystem, OfferTool, ResultEdit
from ...wire.types import Layout
from .editor import Editor, Made, edited_text


class ChatEditor(Editor):
    """A fragment is a message of its own behind the leading ones, in their role."""

    def set_messages(self, out: dict[str, Any], layout: Layout, messages: list[Any]) -> None:
        """See `Editor`."""
        out["messages"] = [*layout.system, *messages]

    def add_system(
        self, out: dict[str, Any], layout: Layout, edits: Sequence[AppendSystem], made: Made
    ) -> None:
        """See `Editor`."""
        held = out.get("messages") or []
        n = len(layout.system)
        out["messages"] = [*held[:n], *self.fragments(layout, edits, made), *held[n:]]

    def fragment(self, layout: Layout, text: str) -> Any:
        """See `Editor`."""
        role = layout.system[-1].get("role") if layout.system else "system"
        return {"role": role, "content": text}

    def result(self, element: Any, edits: Mapping[str, list[ResultEdit]]) -> Any:
        """See `Editor`."""
        found = [edit for id_ in self.result_ids(element) for edit in edits.get(id_, ())]
        if not found:
            return element
        return {**element, "content": edited_text(element.get("content"), found, "text")}

    def result_ids(self, element: Any) -> list[str]:
        """See `Editor`."""
        held = isinstance(element, dict) and element.get("role") == "tool"
        return [str(element.get("tool_call_id"))] if held else []

    def tool(self, edit: OfferTool) -> Any:
        """See `Editor`."""
        raw = edit.raw
        if isinstance(raw, Mapping) and isinstance(raw.get("function"), Mapping):
            return dict(raw)
        function = {
            "name": edit.name,
            "description": edit.description,
            "parameters": edit.schema or {"type": "object", "properties": {}},
        }
        return {"type": "function", "function": function}

    def name_of(self, tool: Any) -> str:
        """See `Editor`."""
        function = tool.get("function") if isinstance(tool, dict) else None
        return super().name_of(function if isinstance(function, dict) else tool)

    def inner(self, tool: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """See `Editor`."""
        copied = dict(tool)
        if not isinstance(copied.get("function"), Mapping):
            return copied, copied
        function = copied["function"] = dict(copied["function"])
        return copied, function


EDITOR = ChatEditor()
