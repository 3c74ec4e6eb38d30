"""The nodes of the tree for the page: turns, calls, tool calls, and spans that are not ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ...records.trail import CallTrail, Node, Span, ToolTrail, TurnTrail, Usage, seconds
from ...trail import foreign
from ...trail.content import indented, parts_of
from ...trail.cost import call_cost, total_usage
from .. import programs
from ..arguments import arguments_of
from ..pauses import paused_before, question
from ..plain import chars, duration, money, number, plural
from ..sheet import Sheet
from ..told import told
from ..tree import tokens, turn_cost
from .anchors import Anchors
from .chain import TURNS, Chains, WhyView
from .pieces import Pieces, part_view, readable_json
from .slots import Slots
from .view import DEEP, CallView, OutputView, SpanView, ToolView, TurnView

ATTRIBUTES: Final = 60
"""Attributes of a span that is not ours, and of its events, which are shown."""
VALUE: Final = 4_000
"""Characters of one of them."""
GLANCE: Final = 1_200
"""Characters of an answer that stand at its turn; the call has it whole."""

View = TurnView | CallView | ToolView | SpanView


class Steps:
    """Makes the views of nodes, in the order of the tree."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self.anchors = Anchors(sheet.trail)
        self.chains = Chains(sheet.trail, self.anchors)
        self._pieces = Pieces(sheet, self.anchors)
        self._slots = Slots(sheet, self.anchors, self._pieces)
        self._numbers: dict[int, str] = {}

    def anchor(self, node: Node) -> str:
        """The id of a node on the page."""
        item = node.item
        if isinstance(item, TurnTrail):
            return self.anchors.turn(item.id).anchor
        if isinstance(item, CallTrail):
            link = self.anchors.call(item.id)
            return link.anchor if link is not None else "c0"
        kind = "tool" if isinstance(item, ToolTrail) else "span"
        return self._numbers.setdefault(id(node), f"{kind}{len(self._numbers) + 1}")

    def views(self, root: Node) -> Iterator[View]:
        """The views of a root and all beneath it."""
        for node, depth in walk(root):
            yield self._view(node, min(depth, DEEP))

    def _view(self, node: Node, depth: int) -> View:
        item, anchor = node.item, self.anchor(node)
        if isinstance(item, TurnTrail):
            return self._turn(item, anchor, depth)
        if isinstance(item, CallTrail):
            return self._call(item, anchor, depth)
        if isinstance(item, ToolTrail):
            return self._tool(item, anchor, depth)
        return _span(item, anchor, depth)

    def _turn(self, turn: TurnTrail, anchor: str, depth: int) -> TurnView:
        usage, silent = total_usage(turn.calls)
        budget = f" of {turn.action_budget}" if turn.action_budget else ""
        last = turn.calls[-1] if turn.calls else None
        return TurnView(
            view="turn",
            anchor=anchor,
            depth=depth,
            title=turn.agent or "turn",
            facts=_facts(
                f"turn {turn.id or 'unknown'}",
                turn.conversation and f"conversation {turn.conversation}",
                turn.user and f"user {turn.user}",
                *(f"tag {tag}" for tag in turn.tags),
                duration(turn.duration) if turn.duration is not None else "",
                plural(len(turn.calls), "call") + budget,
                tokens(usage, silent),
                turn_cost(turn),
                f"content {turn.content}" if turn.content not in ("", "full") else "",
            ),
            outcome="open" if turn.open else turn.outcome,
            error=turn.error,
            text=question(turn) or "",
            answer=self._answer(last) if last is not None else "",
            answered=self.anchors.call(last.id) if last is not None else None,
            unwalked=self._unwalked(turn),
            why=self._why(turn),
            verdicts=tuple(
                " ".join(
                    _facts(v.name, "" if v.score is None else f"{v.score:g}", v.label, v.comment)
                )
                for v in turn.verdicts
            ),
            gaps=tuple(told(self._sheet.trail, gap.what) for gap in turn.gaps),
        )

    def _why(self, turn: TurnTrail) -> WhyView | None:
        """The walk from the last call that said something."""
        spoke = self._spoke(turn)
        return self.chains.of(spoke.id) if spoke is not None else None

    def _unwalked(self, turn: TurnTrail) -> str:
        if not self.chains.spent or self._spoke(turn) is None:
            return ""
        return (
            f"This page walks the answers of {TURNS} turns back to where their values come from; "
            f"of this one it is said by: otel-footprint why --from SOURCE {turn.id}"
        )

    def _spoke(self, turn: TurnTrail) -> CallTrail | None:
        return next((c for c in reversed(turn.calls) if self._answer(c)), None)

    def _answer(self, call: CallTrail) -> str:
        """What a call said, for a glance."""
        rows = [row for row in call.output if row is not None]
        found = [parts_of(self._sheet.trail, call, row) or () for row in rows]
        said = "\n".join(p.text for parts in found for p in parts if p.kind == "text")
        return said if len(said) <= GLANCE else said[: GLANCE - 1] + "…"

    def _call(self, call: CallTrail, anchor: str, depth: int) -> CallView:
        cost = call_cost(call)
        model = call.model or "model unknown"
        if call.response_model and not call.response_model.startswith(call.model):
            model += f" → {call.response_model}"
        window = [p for p in call.pressures if p.slot == "window"]
        turn = self._sheet.trail.turn_of(call)
        return CallView(
            view="call",
            anchor=anchor,
            depth=depth,
            title=f"Call {call.number or '?'}",
            facts=_facts(
                model,
                call.provider,
                duration(call.duration) if call.duration is not None else "",
                "" if call.first_token is None else f"first token {duration(call.first_token)}",
                tokens(call.usage),
                "cost unknown" if cost is None else money(cost),
                ", ".join(call.finish_reasons),
                f"{call.attempts} attempts" if call.attempts > 1 else "",
                paused_before(turn, call) if turn is not None else "",
            ),
            error=call.error,
            flags=_facts(
                "" if call.whole else "its own record is missing",
                _cut(call),
                call.completeness and "the provider adds context of its own",
                call.foreign and f"span of {call.foreign}",
                *(
                    f"window {p.state}: {number(p.used)} of {number(p.cap)} {p.unit}"
                    for p in window
                ),
            ),
            output=tuple(self._output(call)),
            slots=self._slots.of(call),
            programs=tuple(line.strip() for line in programs.lines(self._sheet, call, "")),
            gaps=tuple(told(self._sheet.trail, gap.what) for gap in call.gaps),
            span=call.span_id,
        )

    def _output(self, call: CallTrail) -> Iterator[OutputView]:
        for row in call.output:
            if row is None:
                yield OutputView("", (), "a piece of the output is missing")
                continue
            parts = parts_of(self._sheet.trail, call, row)
            if parts is None:
                words = f"{chars(row.size)}, {self._pieces.absent(call)}"
                yield OutputView("", (), words)
                continue
            shown = (part_view(p) for p in parts if p.text or p.kind == "tool_call")
            yield OutputView(self._pieces.claim(row), tuple(shown), "")

    def _tool(self, tool: ToolTrail, anchor: str, depth: int) -> ToolView:
        texts = self._sheet.tools.texts(tool)
        call = self._caller(tool)
        result = texts.result
        return ToolView(
            view="tool",
            anchor=anchor,
            depth=depth,
            title=tool.name,
            facts=_facts(
                duration(tool.duration) if tool.duration is not None else "", tool.call_id
            ),
            error=tool.error,
            arguments=None if texts.arguments is None else readable_json(texts.arguments),
            claims=tuple(
                arguments_of(self._sheet).lines(tool.trace_id, tool.name, tool.call_id, "")
            ),
            result=None if result is None or call is None else self._pieces.view(call, result),
        )

    def _caller(self, tool: ToolTrail) -> CallTrail | None:
        """Some call of the tool's turn: its dialect reads the result."""
        turn = next((t for t in self._sheet.trail.turns if t.id == tool.turn), None)
        return turn.calls[0] if turn is not None and turn.calls else None


def walk(root: Node) -> Iterator[tuple[Node, int]]:
    """A node and all beneath it, in order, each with its depth."""
    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        yield node, depth
        stack += [(child, depth + 1) for child in reversed(node.children)]


def _span(span: Span, anchor: str, depth: int) -> SpanView:
    kind = foreign.kind(span)
    usage = foreign.usage(span.attributes)
    lasted = seconds(span.start, span.end)
    said = [*span.attributes.items()]
    said += [
        (f"{e.name}: {key}", value) for e in span.events for key, value in e.attributes.items()
    ]
    shown = said[:ATTRIBUTES]
    return SpanView(
        view="span",
        anchor=anchor,
        depth=depth,
        title=span.name or "(no name)",
        scope=span.scope or "no scope",
        facts=_facts(
            {"call": "model call", "tool": "tool call", "agent": "agent"}.get(kind, ""),
            foreign.model(span.attributes) if kind == "call" else "",
            tokens(usage) if kind == "call" and usage != Usage() else "",
            duration(lasted) if lasted is not None else "",
        ),
        error=(span.message or "error") if span.status == "error" else "",
        attributes=tuple((key, _value(value)) for key, value in shown),
        more=len(said) - len(shown),
    )


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else str(value)
    if text[:1] in "[{":
        text = indented(text) if len(text) <= VALUE else text
    return text if len(text) <= VALUE else f"{text[:VALUE]} … {number(len(text) - VALUE)} more"


def _facts(*said: str) -> tuple[str, ...]:
    return tuple(filter(None, said))


def _cut(call: CallTrail) -> str:
    """What is said of a stream that was not read to its end."""
    if call.output_state != "cut":
        return ""
    return "its stream broke off" if call.error else "its stream was left early"
