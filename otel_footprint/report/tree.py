"""The tree of a trail: turns, calls, slots, pieces, tools, and what is missing of them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from ..records.trail import (
    CallTrail,
    Gap,
    Node,
    Problem,
    Span,
    ToolTrail,
    TurnTrail,
    Usage,
    seconds,
)
from ..trail import Trail, foreign
from ..trail.content import parts_of
from ..trail.cost import call_cost, installed, total_cost, total_usage
from . import programs
from .arguments import arguments_of
from .pauses import Pause, pause_lines, question, with_pauses
from .plain import cells, chars, duration, money, number, plural
from .sheet import Sheet
from .slots import slot_lines
from .style import OUTCOMES
from .told import told

GAPS = 20
"""Gaps that are listed; the rest is counted."""


def render(
    trail: Trail, width: int = 100, color: bool = False, ascii_only: bool = False
) -> Iterator[str]:
    """The lines of the tree. No line holds a control character but our own colours.

    `ascii_only`: nothing outside ASCII either, in texts of the trail neither.
    """
    sheet = Sheet(trail, width, color, ascii_only)
    first = True
    for root in trail.roots:
        if not first:
            yield ""
        first = False
        yield from _node(sheet, root, "", "", 0)
    if not trail.roots:
        yield sheet.paint("dim", "No span is in this trail.")
    yield from _ending(sheet)


# --- nodes ---------------------------------------------------------------------------------


def _node(sheet: Sheet, node: Node, lead: str, below: str, depth: int) -> Iterator[str]:
    """A node and what stands beneath it; `lead` before its first line, `below` before the rest."""
    glyphs, paint = sheet.glyphs, sheet.paint
    item = node.item
    beneath = with_pauses(item, node.children) if isinstance(item, TurnTrail) else node.children
    inside = below + (paint("dim", glyphs.line) if beneath else glyphs.blank)
    if isinstance(item, TurnTrail):
        yield from _turn(sheet, item, lead, inside)
    elif isinstance(item, CallTrail):
        yield from _call(sheet, item, lead, inside)
    elif isinstance(item, ToolTrail):
        yield from _tool(sheet, item, lead, inside)
    else:
        yield from _span(sheet, item, lead, inside)
    if depth > 60:
        return
    for i, child in enumerate(beneath):
        last = i == len(beneath) - 1
        first = below + paint("dim", glyphs.last if last else glyphs.branch)
        under = below + paint("dim", glyphs.blank if last else glyphs.line)
        if isinstance(child, Pause):
            yield from pause_lines(sheet, child, first, under)
        else:
            yield from _node(sheet, child, first, under, depth + 1)


def _turn(sheet: Sheet, turn: TurnTrail, lead: str, inside: str) -> Iterator[str]:
    paint = sheet.paint
    usage, silent = total_usage(turn.calls)
    said = [
        paint("title", "turn " + (sheet.safe(turn.id, 40) or "unknown")),
        sheet.safe(turn.agent, 60) and paint("bold", sheet.safe(turn.agent, 60)),
        turn.conversation and f"conversation {sheet.safe(turn.conversation, 60)}",
        _outcome(sheet, turn),
        duration(turn.duration) if turn.duration is not None else "",
        plural(len(turn.calls), "call")
        + (f" of {turn.action_budget}" if turn.action_budget else ""),
        tokens(usage, silent),
        turn_cost(turn),
        turn.error and paint("alarm", sheet.safe(turn.error, 80)),
        turn.content and paint("dim", f"content {sheet.safe(turn.content, 40)}")
        if turn.content != "full"
        else "",
    ]
    yield from sheet.flow(said, lead, inside)
    words = question(turn)
    if words:
        room = sheet.width - cells(inside) - 2
        yield inside + paint("cyan", sheet.quoted(words, room))
    for verdict in turn.verdicts:
        yes_or_no = verdict.label in ("true", "false")  # then the score, 1 or 0, says the same
        score = "" if verdict.score is None or yes_or_no else f" {verdict.score:g}"
        words = f"{verdict.name}{score} {verdict.label} {verdict.comment}"
        yield (
            inside
            + paint("magenta", "verdict: ")
            + sheet.cut(sheet.safe(words), sheet.width - cells(inside) - 9)
        )


def _outcome(sheet: Sheet, turn: TurnTrail) -> str:
    if turn.open:
        return sheet.paint("warn", "open")
    return sheet.paint(OUTCOMES.get(turn.outcome, "bold"), sheet.safe(turn.outcome, 40))


def tokens(usage: Usage, silent: int = 0) -> str:
    """Tokens in and out, in words; `silent`: how many calls did not say theirs."""
    if usage.input is None and usage.output is None:
        return "tokens unknown"
    said = f"{number(usage.input)} in"
    if usage.cache_read:
        said += f" ({number(usage.cache_read)} cached)"
    said += f", {number(usage.output)} out"
    if usage.reasoning:
        said += f" ({number(usage.reasoning)} reasoning)"
    return said + (f", {plural(silent, 'call')} unknown" if silent else "")


def turn_cost(turn: TurnTrail) -> str:
    """What the calls of a turn cost, as far as it is known; empty without a call."""
    if not turn.calls:
        return ""
    cost = total_cost(turn.calls)
    if cost.total is not None:
        return money(cost.total)
    if cost.unknown == cost.calls:
        return "cost unknown"
    return f"{money(cost.known)} + {plural(cost.unknown, 'call')} unknown"


def _call(sheet: Sheet, call: CallTrail, lead: str, inside: str) -> Iterator[str]:
    paint = sheet.paint
    model = sheet.safe(call.model, 60) or "model unknown"
    if call.response_model and not call.response_model.startswith(call.model):
        model += f" {sheet.glyphs.asks} {sheet.safe(call.response_model, 60)}"
    cost = call_cost(call)
    first = "" if call.first_token is None else f"first token {duration(call.first_token)}"
    said = [
        paint("title", f"{call.number or '?'}") + "  " + paint("bold", model),
        duration(call.duration) if call.duration is not None else "",
        first,
        tokens(call.usage),
        sheet.safe(", ".join(call.finish_reasons), 60) if not call.error else "",
        _cost(sheet, cost),
        f"{call.attempts} attempts" if call.attempts > 1 else "",
        call.error and paint("alarm", "error " + sheet.safe(call.error, 80)),
        _state(sheet, call),
        paint("dim", "the provider adds context of its own") if call.completeness else "",
        paint("dim", f"span of {sheet.safe(call.foreign, 60)}") if call.foreign else "",
    ]
    yield from sheet.flow(said, lead, inside + "  ")
    yield from slot_lines(sheet, call, inside)
    yield from _output(sheet, call, inside)
    yield from programs.lines(sheet, call, inside)


def call_lines(sheet: Sheet, call: CallTrail) -> Iterator[str]:
    """A call's summary, slots and output, as they stand in the tree."""
    yield from _call(sheet, call, "", "")


def _cost(sheet: Sheet, cost: Decimal | None) -> str:
    return sheet.paint("dim", "cost unknown") if cost is None else money(cost)


def _state(sheet: Sheet, call: CallTrail) -> str:
    if not call.whole:
        return sheet.paint("warn", "its own record is missing")
    if call.output_state == "cut":
        said = "its stream broke off" if call.error else "its stream was left early"
        return sheet.paint("warn", said)
    return ""


def _output(sheet: Sheet, call: CallTrail, indent: str) -> Iterator[str]:
    """What the model said and which tools it asked for."""
    says, asks = sheet.glyphs.says, sheet.glyphs.asks
    for row in call.output[:8]:
        if row is None:
            yield indent + sheet.paint("warn", f"{says} output missing")
            continue
        parts = parts_of(sheet.trail, call, row)
        if parts is None:
            yield indent + sheet.paint("dim", f"{says} {chars(row.size)}")
            continue
        for part in parts[:12]:
            room = sheet.width - cells(indent) - len(says) - 1
            if part.kind == "tool_call":
                name = sheet.safe(part.name, 60)
                room -= cells(name) + len(asks)
                yield (
                    f"{indent}{sheet.paint('cyan', asks)} {sheet.paint('bold', name)} "
                    f"{sheet.cut(sheet.safe(part.text), room)}"
                )
                yield from arguments_of(sheet).lines(
                    call.trace_id, part.name, part.id, indent + "    "
                )
            elif part.kind == "reasoning":
                if part.text:
                    said = sheet.cut("(thinks) " + sheet.safe(part.text), room)
                    yield indent + sheet.paint("dim", f"{says} {said}")
            elif part.text:
                said = sheet.quoted(part.text, room)
                yield f"{indent}{sheet.paint('cyan', says)} {said}"
    if len(call.output) > 8:
        yield indent + sheet.paint("dim", f"{says} {len(call.output) - 8} more pieces")


def _tool(sheet: Sheet, tool: ToolTrail, lead: str, inside: str) -> Iterator[str]:
    paint = sheet.paint
    texts = sheet.tools.texts(tool)
    sizes = []
    if texts.arguments is not None:
        sizes.append(f"{chars(len(texts.arguments))} in")
    if texts.result is not None:
        sizes.append(f"{chars(texts.result.size)} out")
    said = [
        f"{paint('cyan', sheet.glyphs.tool)} {paint('bold', sheet.safe(tool.name, 60))}",
        duration(tool.duration) if tool.duration is not None else "",
        *sizes,
        tool.error and paint("alarm", "error " + sheet.safe(tool.error, 80)),
        paint("dim", sheet.safe(tool.call_id, 40)) if tool.call_id else "",
    ]
    yield from sheet.flow(said, lead, inside + "  ")


def _span(sheet: Sheet, span: Span, lead: str, inside: str) -> Iterator[str]:
    """A span that is not ours."""
    paint = sheet.paint
    kind = foreign.kind(span)
    lasted = seconds(span.start, span.end)
    said = [paint("dim", f"{sheet.glyphs.foreign} ") + (sheet.safe(span.name, 80) or "(no name)")]
    if kind == "call":
        model = sheet.safe(foreign.model(span.attributes), 60)
        said.append("" if model in said[0] else model)
        usage = foreign.usage(span.attributes)
        said.append(tokens(usage) if usage != Usage() else "")
    elif kind == "tool":
        tool = sheet.safe(foreign.tool(span.attributes), 60)
        said.append("" if tool in said[0] else tool)
    said.append(duration(lasted) if lasted is not None else "")
    if span.status == "error":
        said.append(paint("alarm", "error " + sheet.safe(span.message, 80)).rstrip())
    said.append(paint("dim", sheet.safe(span.scope, 60) or "no scope"))
    yield from sheet.flow(said, lead, inside + "  ")


# --- the end -------------------------------------------------------------------------------


def _ending(sheet: Sheet) -> Iterator[str]:
    trail = sheet.trail
    others = foreign_spans(trail)
    notes = []
    if others:
        what = plural(others, "span")
        notes.append(f"{sheet.glyphs.foreign} {what} of other instrumentations")
    if trail.calls and not installed():
        notes.append("costs: install the extra `prices`")
    if notes:
        yield ""
        yield sheet.paint("dim", sheet.glyphs.dot.join(notes))
    gaps = trail.gaps
    if gaps:
        yield ""
        yield sheet.paint("warn", f"Missing: {plural(len(gaps), 'gap')}")
        yield from _gaps(sheet, gaps)
    if trail.problems:
        yield ""
        yield sheet.paint("alarm", f"Not read: {plural(len(trail.problems), 'place')}")
        yield from _problems(sheet, trail.problems)


def _gaps(sheet: Sheet, gaps: tuple[Gap, ...]) -> Iterator[str]:
    for gap in gaps[:GAPS]:
        yield "  " + sheet.safe(told(sheet.trail, gap.what))
    if len(gaps) > GAPS:
        yield sheet.paint("dim", f"  {sheet.glyphs.ellipsis} and {len(gaps) - GAPS} more")


def _problems(sheet: Sheet, problems: tuple[Problem, ...]) -> Iterator[str]:
    for problem in problems[:GAPS]:
        where = sheet.safe(f"{problem.file}, line {problem.line}")
        yield f"  {where}: {sheet.safe(problem.what)}"
    if len(problems) > GAPS:
        yield sheet.paint("dim", f"  {sheet.glyphs.ellipsis} and {len(problems) - GAPS} more")


def foreign_spans(trail: Trail) -> int:
    """How many nodes of the tree are spans of other instrumentations."""
    count, stack = 0, list(trail.roots)
    while stack:
        node = stack.pop()
        count += isinstance(node.item, Span)
        stack += node.children
    return count
