"""The timeline of a part of the tree: each step where it stood in time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from ...records.trail import CallTrail, Node, Span, ToolTrail, TurnTrail, seconds
from ..plain import duration
from .view import DEEP, Step

MOST: Final = 4_000
"""Steps that are drawn; the rest is counted."""
SCALE: Final = 1_000


def timeline(
    nodes: Iterable[tuple[Node, int]], anchor: Callable[[Node], str]
) -> tuple[list[Step], int]:
    """The steps, and how many are left out. Positions are thousandths of the whole time."""
    found = list(nodes)
    times = [(item.start, item.end) for item in (node.item for node, _ in found)]
    starts = [start for start, _ in times if start is not None]
    first = min(starts, default=0)
    last = max((t for pair in times for t in pair if t is not None), default=first)
    whole = max(last - first, 1)
    out = []
    for (node, depth), (start, end) in zip(found[:MOST], times, strict=False):
        x = width = 0
        if start is not None:
            x = round(SCALE * (start - first) / whole)
            width = round(SCALE * (max(end or start, start) - start) / whole)
        out.append(
            Step(
                kind=_kind(node),
                depth=min(depth, DEEP),
                anchor=anchor(node),
                title=_title(node),
                x=min(x, SCALE - 4),
                width=max(4, min(width, SCALE - x)),
                duration=duration(seconds(start, end)),
                flags=tuple(filter(None, _flags(node))),
            )
        )
    return out, max(0, len(found) - MOST)


def _kind(node: Node) -> str:
    kinds = {TurnTrail: "turn", CallTrail: "call", ToolTrail: "tool", Span: "span"}
    return next((word for kind, word in kinds.items() if isinstance(node.item, kind)), "span")


def _title(node: Node) -> str:
    item = node.item
    if isinstance(item, TurnTrail):
        return f"turn {item.agent}".rstrip()
    if isinstance(item, CallTrail):
        return f"{item.number or '?'} {item.model}".rstrip()
    return item.name or "(no name)"


def _flags(node: Node) -> Iterable[str]:
    item = node.item
    if isinstance(item, Span):
        yield "not ours"
        yield "error" if item.status == "error" else ""
    else:
        yield "error" if item.error else ""
    if isinstance(item, TurnTrail):
        yield "open" if item.open else ""
    if isinstance(item, CallTrail):
        over = any(s.over for s in item.slots.values())
        yield "over" if over or any(p.state == "over" for p in item.pressures) else ""
        yield "" if item.whole else "incomplete"
