"""What the editors of all dialects share: the order of the edits, and what of ours is where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ...records.plan import (
    AddMessage,
    AppendSystem,
    AppendToResult,
    CacheMark,
    Cause,
    DescribeTool,
    OfferTool,
    Plan,
    PlantArgument,
    ReplaceMessage,
    ReplaceResult,
    ResultEdit,
    ToolEdit,
    WithholdTool,
    rebuilt,
)
from ...run.compose import Origin
from ...wire.types import Layout


class Edited(NamedTuple):
    """A body with edits."""

    body: dict[str, Any]
    origins: Mapping[int, Origin]
    """What of ours is in it, by the id of the element it is in."""


NO_EDITS: Final = Edited({}, {})


class Editor:
    """Makes edits on one dialect's requests. Subclasses say how it spells things."""

    schema_key = "parameters"
    """Key of the schema in a tool's definition."""

    def apply(self, body: Mapping[str, Any], layout: Layout, plan: Plan) -> Edited:
        """See `edits.apply`."""
        out, made = dict(body), Made()
        if plan.history:
            self.set_messages(out, layout, self._history(layout.messages, plan, made))
        if plan.system:
            self.add_system(out, layout, plan.system, made)
        if plan.tools:
            self._set_tools(out, self._tools(layout.tools, plan.tools, forced(out), made))
        for mark in plan.marks:
            self.mark(out, mark, made)
        return Edited(out, made.origins)

    # --- how the dialect spells it -----------------------------------------------------------

    def set_messages(self, out: dict[str, Any], layout: Layout, messages: list[Any]) -> None:
        """Puts other messages behind what stands in front of them in the body."""
        raise NotImplementedError

    def add_system(
        self, out: dict[str, Any], layout: Layout, edits: Sequence[AppendSystem], made: Made
    ) -> None:
        """Puts fragments behind the system prompt."""
        raise NotImplementedError

    def fragment(self, layout: Layout, text: str) -> Any:
        """A fragment of the system prompt."""
        raise NotImplementedError

    def message(self, role: str, text: str) -> Any:
        """A message of ours."""
        return {"role": role, "content": text}

    def reworded(self, element: Any, text: str) -> Any:
        """A copy of a message with another text."""
        if isinstance(element, str):
            return text
        return {**element, "content": text}

    def result(self, element: Any, edits: Mapping[str, list[ResultEdit]]) -> Any:
        """A copy of a message whose tool results are edited; the same without one."""
        raise NotImplementedError

    def result_ids(self, element: Any) -> list[str]:
        """Ids of the tool calls whose results an element holds."""
        raise NotImplementedError

    def tool(self, edit: OfferTool) -> Any:
        """A tool's definition."""
        raise NotImplementedError

    def name_of(self, tool: Any) -> str:
        """The name of a tool's definition; empty for one without."""
        name = tool.get("name") if isinstance(tool, dict) else None
        return name if isinstance(name, str) else ""

    def inner(self, tool: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """A copy of a definition, and within it the copied part with description and schema."""
        copied = dict(tool)
        return copied, copied

    def mark(self, out: dict[str, Any], mark: CacheMark, made: Made) -> None:
        """Sets a cache mark, where the provider knows any."""

    # --- what is done with it ----------------------------------------------------------------

    def fragments(self, layout: Layout, edits: Sequence[AppendSystem], made: Made) -> list[Any]:
        """Fragments of their own."""
        out = []
        for edit in edits:
            element = self.fragment(layout, edit.text)
            made.ours(element, edit.by)
            out.append(element)
        return out

    def _history(self, messages: Sequence[Any], plan: Plan, made: Made) -> list[Any]:
        results: dict[str, list[ResultEdit]] = {}
        for edit in plan.history:
            if isinstance(edit, AppendToResult | ReplaceResult):
                results.setdefault(edit.call_id, []).append(edit)
        elements = list(messages)
        if results:
            elements = [self._edited(element, results, made) for element in elements]
        causes = {e.at.position: e.by for e in plan.history if isinstance(e, ReplaceMessage)}

        def make(edit: AddMessage) -> Any:
            element = self.message(edit.role, edit.text)
            made.ours(element, edit.by, edit.role, edit.key)
            return element

        def reworded(element: Any, text: str) -> Any:
            copied = self.reworded(element, text)
            at = next(i for i, e in enumerate(elements) if e is element)
            if at in causes:
                made.ours(copied, causes[at])
            return copied

        out = rebuilt(elements, plan.history, make, reworded)
        made.placed(out)
        return out

    def _edited(self, element: Any, results: dict[str, list[ResultEdit]], made: Made) -> Any:
        copied = self.result(element, results)
        if copied is not element:
            ids = self.result_ids(element)
            made.within(copied, [e.by for id_ in ids for e in results.get(id_, ())])
        return copied

    def _tools(
        self, tools: Sequence[Any], edits: Sequence[ToolEdit], wanted: str, made: Made
    ) -> list[Any]:
        out = list(tools)
        for edit in edits:
            if isinstance(edit, OfferTool):
                out = [tool for tool in out if self.name_of(tool) != edit.name]
                offered = self.tool(edit)
                made.ours(offered, edit.by, edit.name)
                out.append(offered)
                continue
            name = edit.tool if isinstance(edit, PlantArgument) else edit.name
            at = next((i for i, tool in enumerate(out) if self.name_of(tool) == name), None)
            if at is None:
                continue
            if isinstance(edit, WithholdTool):
                if name != wanted:  # the application's own choice of a tool stands
                    del out[at]
                continue
            before = out[at]
            out[at] = self._changed(before, edit)
            made.moved(before, out[at], edit.by, name)
        return out

    def _changed(self, tool: Mapping[str, Any], edit: DescribeTool | PlantArgument) -> Any:
        copied, inner = self.inner(tool)
        if isinstance(edit, DescribeTool):
            described = inner.get("description")
            inner["description"] = edit.prefix + (described if isinstance(described, str) else "")
            return copied
        schema = inner.get(self.schema_key)
        held: dict[str, Any] = dict(schema) if isinstance(schema, Mapping) else {"type": "object"}
        held["properties"] = {**(held.get("properties") or {}), edit.name: edit.schema}
        if edit.required:
            held["required"] = [*(held.get("required") or ()), edit.name]
        inner[self.schema_key] = held
        return copied

    def _set_tools(self, out: dict[str, Any], tools: list[Any]) -> None:
        """An empty list is refused by providers: then nothing of tools is said at all."""
        if tools:
            out["tools"] = tools
            return
        for key in ("tools", "tool_choice", "parallel_tool_calls"):
            out.pop(key, None)


class Made:
    """What of ours is where."""

    def __init__(self) -> None:
        self.origins: dict[int, Origin] = {}

    def ours(self, element: Any, by: Cause, name: str = "", key: str = "") -> None:
        """An element that is all ours."""
        self.origins[id(element)] = Origin(True, ((by, name, key),))

    def placed(self, elements: Sequence[Any]) -> None:
        """Where those that are all ours stand."""
        for at, element in enumerate(elements):
            held = self.origins.get(id(element))
            if held is not None and held.own:
                self.origins[id(element)] = held._replace(at=at)

    def within(self, element: Any, causes: Iterable[Cause]) -> None:
        """An element in which something of ours is."""
        self.origins[id(element)] = Origin(False, tuple((by, "", "") for by in causes))

    def moved(self, before: Any, after: Any, by: Cause, name: str) -> None:
        """A copy of an element, in which something of ours is now."""
        held = self.origins.pop(id(before), Origin(False, ()))
        self.origins[id(after)] = Origin(held.own, (*held.causes, (by, name, "")))

    def same(self, before: Any, after: Any) -> None:
        """A copy of an element that says the same."""
        held = self.origins.pop(id(before), None)
        if held is not None:
            self.origins[id(after)] = held


def forced(body: Mapping[str, Any]) -> str:
    """Name of the tool that the application wants to be called; empty when it leaves the choice."""
    choice = body.get("tool_choice")
    if not isinstance(choice, Mapping):
        return ""
    function = choice.get("function")
    name = (function if isinstance(function, Mapping) else choice).get("name")
    return name if isinstance(name, str) else ""


def edited_text(text: Any, edits: Sequence[ResultEdit], kind: str) -> Any:
    """A result's content with edits made: of a text, or of a list of parts of this type."""
    for edit in edits:
        if isinstance(edit, ReplaceResult):
            text = edit.text
        elif isinstance(text, list):
            text = [*text, {"type": kind, "text": edit.text}]
        else:
            text = (text if isinstance(text, str) else "") + edit.text
    return text
