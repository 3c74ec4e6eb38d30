"""Edits of OpenAI Responses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...records.plan import AppendSystem, OfferTool, ResultEdit
from ...wire.types import Layout
from .editor import Editor, Made, edited_text

_KEPT: Final = ("previous_response_id", "conversation")
"""Where the provider keeps the input items, what is added to them would be added at each call."""


class ResponsesEditor(Editor):
    """A fragment is a developer item at the head of the input.

    Where the provider keeps the input itself, the fragments stand at the end of `instructions`,
    which it does not keep.
    """

    def set_messages(self, out: dict[str, Any], layout: Layout, messages: list[Any]) -> None:
        """See `Editor`."""
        before = layout.system[1:] if isinstance(out.get("instructions"), str) else layout.system
        out["input"] = [*before, *(_item(element) for element in messages)]

    def add_system(
        self, out: dict[str, Any], layout: Layout, edits: Sequence[AppendSystem], made: Made
    ) -> None:
        """See `Editor`."""
        instructions = out.get("instructions")
        told = isinstance(instructions, str)
        if any(out.get(key) for key in _KEPT):
            texts = [str(instructions)] if told else []
            text = out["instructions"] = "\n\n".join([*texts, *(edit.text for edit in edits)])
            made.within(text, [edit.by for edit in edits])
            return
        n = len(layout.system) - told
        held = out.get("input")
        held = [_item(held)] if isinstance(held, str) else list(held or [])
        out["input"] = [*held[:n], *self.fragments(layout, edits, made), *held[n:]]

    def fragment(self, layout: Layout, text: str) -> Any:
        """See `Editor`."""
        last = layout.system[-1] if layout.system else None
        role = last.get("role") if isinstance(last, dict) else "developer"
        return {"role": role, "content": text}

    def result(self, element: Any, edits: Mapping[str, list[ResultEdit]]) -> Any:
        """See `Editor`."""
        found = [edit for id_ in self.result_ids(element) for edit in edits.get(id_, ())]
        if not found:
            return element
        return {**element, "output": edited_text(element.get("output"), found, "input_text")}

    def result_ids(self, element: Any) -> list[str]:
        """See `Editor`."""
        kind = element.get("type") if isinstance(element, dict) else None
        held = kind in ("function_call_output", "custom_tool_call_output")
        return [str(element.get("call_id"))] if held else []

    def tool(self, edit: OfferTool) -> Any:
        """See `Editor`."""
        raw = edit.raw
        if isinstance(raw, Mapping) and "type" in raw and "name" in raw:
            return dict(raw)
        return {
            "type": "function",
            "name": edit.name,
            "description": edit.description,
            "parameters": edit.schema or {"type": "object", "properties": {}},
            "strict": False,
        }


def _item(element: Any) -> Any:
    return {"role": "user", "content": element} if isinstance(element, str) else element


EDITOR = ResponsesEditor()
