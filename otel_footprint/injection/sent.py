"""The slots as they will leave: their cacheable prefixes, what broke them, and their marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..records.injection import CacheBroken
from ..records.plan import CacheMark, DescribeTool, OfferTool, WithholdTool
from ..records.view import MessageView, ToolView
from . import cache
from .declared import Declared
from .facts import CallFacts, needs_tools
from .procedures.offer import Offer
from .state import Prefix


def prefixes(
    declared: Declared, facts: CallFacts, ranked: Sequence[cache.Ranked], offered: Offer
) -> dict[str, Prefix]:
    """The cacheable prefix of each slot that we change."""
    found = {"system": cache.prefix_of(facts.system, ranked)}
    if needs_tools(declared):
        found["tools"] = tools_sent(facts.tools, offered)
    return found


def tools_sent(tools: Sequence[ToolView], offered: Offer) -> Prefix:
    """Name and description of each tool that will be sent, in order."""
    out = {tool.name: tool.description for tool in tools}
    for edit in offered.edits:
        if isinstance(edit, OfferTool):
            out[edit.name] = edit.description
        elif isinstance(edit, WithholdTool):
            out.pop(edit.name, None)
        elif isinstance(edit, DescribeTool) and edit.name in out:
            out[edit.name] = edit.prefix + out[edit.name]
    return tuple(out.items())


def breaks(before: Mapping[str, Prefix], now: Mapping[str, Prefix]) -> list[CacheBroken]:
    """What broke the prefixes of the previous call, slot by slot."""
    found = [cache.broken(slot, before.get(slot), prefix) for slot, prefix in now.items()]
    return [one for one in found if one is not None]


def marks_of(
    declared: Declared, facts: CallFacts, ranked: Sequence[cache.Ranked], offered: Offer,
    messages: Sequence[MessageView], added: int,
) -> tuple[CacheMark, ...]:  # fmt: skip
    """The cache marks of the request, when they are asked for."""
    if not declared.cache_marks:
        return ()
    base = facts.system_pieces if facts.system else 0
    tools = len(tools_sent(facts.tools, offered))
    stable = sum(1 for one in ranked if one.rank < 2)
    return cache.marks(
        system=base + len(ranked), system_stable=base + stable,
        tools=tools, tools_stable=tools, messages=len(messages) + added, left=facts.marks_left,
    )  # fmt: skip
