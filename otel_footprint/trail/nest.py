"""The tree that a person looks at: what stands beneath what, ours and not ours."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Final

from ..records.trail import CallTrail, Node, Span, ToolTrail, TurnTrail
from .sorting import Sorted

Key = tuple[str, str]
_DEEP: Final = 10_000


def nest(turns: Iterable[TurnTrail], found: Sorted) -> tuple[Node, ...]:
    """The roots of the tree. Every turn, call, tool call and foreign span is in it exactly once.

    A node stands under the nearest span above it that is shown; a call or tool call whose parents
    are missing stands under its turn. Parents in a circle are cut where the circle closes.
    """
    turns = list(turns)
    nodes: dict[Key, Node] = {}
    of_turn: dict[str, Node] = {}
    parent: dict[int, Key] = {}
    fallback: dict[int, Node] = {}
    made: list[Node] = []

    def add(item: TurnTrail | CallTrail | ToolTrail | Span, start: int | None) -> Node:
        node = Node(item, start)
        made.append(node)
        return node

    for turn in turns:
        node = of_turn[turn.id] = add(turn, turn.start)
        for trace in turn.trace_ids or ("",):
            for span_id in turn.span_ids:
                nodes.setdefault((trace, span_id), node)
        if turn.parent_id and turn.trace_ids:
            parent[id(node)] = (turn.trace_ids[0], turn.parent_id)
    for turn in turns:
        items: list[CallTrail | ToolTrail] = [*turn.calls, *turn.tools]
        for item in items:
            node = add(item, item.start)
            fallback[id(node)] = of_turn[turn.id]
            if item.span_id:
                nodes.setdefault((item.trace_id, item.span_id), node)
            parent[id(node)] = (item.trace_id, item.parent_id)
        if turn.parent_turn in of_turn and turn.parent_turn != turn.id:
            fallback[id(of_turn[turn.id])] = of_turn[turn.parent_turn]
    above: dict[Key, Key] = {}
    ours = set(nodes)
    for role, span in found.roles:
        key = (span.trace_id, span.span_id)
        if span.parent_id:
            above.setdefault(key, (span.trace_id, span.parent_id))
        if role == "foreign" or (role == "foreign call" and key not in ours):
            node = add(span, span.start)
            nodes.setdefault(key, node)
            parent[id(node)] = (span.trace_id, span.parent_id)
    return _hang(made, nodes, parent, fallback, above)


def _hang(
    made: list[Node],
    nodes: dict[Key, Node],
    parent: dict[int, Key],
    fallback: dict[int, Node],
    above: dict[Key, Key],
) -> tuple[Node, ...]:
    """Puts every node under the one above it."""
    over: dict[int, Node] = {}
    for node in made:
        found = _shown(parent.get(id(node)), nodes, above, node) or fallback.get(id(node))
        if found is not None and not _circular(found, node, over):
            over[id(node)] = found
    children: dict[int, list[Node]] = {}
    roots: list[Node] = []
    for node in made:
        upper = over.get(id(node))
        if upper is None:
            roots.append(node)
        else:
            children.setdefault(id(upper), []).append(node)
    for node in made:
        node.children = _ordered(children.get(id(node), []))
    return tuple(_by_time(roots))


def _shown(
    key: Key | None, nodes: dict[Key, Node], above: dict[Key, Key], node: Node
) -> Node | None:
    seen: set[Key] = set()
    while key is not None and key[1] and key not in seen:
        seen.add(key)
        found = nodes.get(key)
        if found is not None and found is not node:
            return found
        key = above.get(key)
    return None


def _circular(upper: Node, node: Node, over: dict[int, Node]) -> bool:
    at: Node | None = upper
    for _ in range(_DEEP):
        if at is None:
            return False
        if at is node:
            return True
        at = over.get(id(at))
    return True


def _ordered(nodes: list[Node]) -> list[Node]:
    """Calls and tool calls by ledger and number, everything else among them by time."""
    own = [n for n in nodes if isinstance(n.item, CallTrail | ToolTrail)]
    if not own:
        return _by_time(nodes)
    out = _by_number(own)
    starts: list[int] = []
    latest = 0
    for node in out:
        latest = max(latest, node.start or latest)
        starts.append(latest)
    others = _by_time([n for n in nodes if not isinstance(n.item, CallTrail | ToolTrail)])
    for node in reversed(others):
        out.insert(bisect_right(starts, node.start or 0), node)
    return out


def _by_number(nodes: list[Node]) -> list[Node]:
    """Calls by their number; a tool call behind the last call whose record stands before it."""
    calls = [n for n in nodes if isinstance(n.item, CallTrail)]
    ledgers: dict[str, list[CallTrail]] = {}
    for node in calls:
        if isinstance(node.item, CallTrail):
            ledgers.setdefault(node.item.ledger, []).append(node.item)
    order = {
        ledger: i
        for i, ledger in enumerate(
            sorted(ledgers, key=lambda x: min((c.start or 0 for c in ledgers[x]), default=0))
        )
    }

    def key(node: Node) -> tuple[int, int, int, int]:
        item = node.item
        if isinstance(item, CallTrail):
            return order.get(item.ledger, 0), item.number or 0, 0, item.seq or 0
        if isinstance(item, ToolTrail) and len(ledgers) == 1 and item.seq is not None:
            only = next(iter(ledgers.values()))
            before = [c.number or 0 for c in only if c.seq is not None and c.seq < (item.seq or 0)]
            return 0, max(before, default=0), 1, item.seq
        return len(order), 0, 1, node.start or 0

    if len(ledgers) > 1:
        return _by_time(nodes)
    return sorted(nodes, key=key)


def _by_time(nodes: list[Node]) -> list[Node]:
    return sorted(nodes, key=lambda n: (n.start is None, n.start or 0))
