"""The cacheable prefix: what is stable stands first, its end may be marked, a break is recorded.

Pieces behind the system prompt are sent by how long they stay: those that always stay, then those
that stay while something is active, then those that may change at every call, each in the order
of their declaration. The prefix ends in front of the first that is not cacheable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ..records.injection import CacheBroken
from ..records.plan import CacheMark, Cause
from .context import Context
from .evaluate import Active, close, is_awaitable
from .pieces import CachePolicy, Until
from .state import Prefix

MAX_MARKS: Final = 4
"""Marks that a provider takes in one request, the caller's own among them."""


def rank(policy: CachePolicy, ctx: Context) -> int:
    """0 for what always stays, 1 for what stays while it is active, 2 for what is not cacheable.

    A piece with `until` is cacheable while its predicate says no; one that raises, or gives an
    awaitable, is not.
    """
    if isinstance(policy, Until):
        try:
            verdict = policy.predicate(ctx)
            if is_awaitable(verdict):
                close(verdict)
                return 2
            return 2 if verdict else 1
        except Exception:  # the author's predicate; the rule for it is in the docstring
            return 2
    return _RANKS[policy]


_RANKS: Final = {"always": 0, "while-active": 1, "never": 2}


class Ranked(NamedTuple):
    """An active piece with text for slot system, and how stable it is."""

    active: Active
    rank: int


def stable_first(active: Sequence[Active], ctx: Context) -> tuple[Ranked, ...]:
    """Active pieces that have a text for slot system, the most stable ones first."""
    ranked = [Ranked(one, rank(one.piece.cache, ctx)) for one in active if one.text is not None]
    ranked.sort(key=lambda one: one.rank)
    return tuple(ranked)


def prefix_of(base: str, ranked: Sequence[Ranked]) -> Prefix:
    """The cacheable prefix of slot system: the agent's own prompt and the stable pieces."""
    stable = [(one.active.piece.id, one.active.text or "") for one in ranked if one.rank < 2]
    return (("", base), *stable) if base else tuple(stable)


def broken(slot: str, before: Prefix | None, now: Prefix) -> CacheBroken | None:
    """What broke the prefix of the previous call, or None when it is still the beginning.

    What is only added behind the old prefix breaks nothing.
    """
    if not before or before == now[: len(before)]:
        return None
    at = next(
        (i for i, (old, new) in enumerate(zip(before, now, strict=False)) if old != new), len(now)
    )
    old_ids, new_ids = [id_ for id_, _ in before], [id_ for id_, _ in now]
    lost = len(before) - at
    if at == len(now) or before[at][0] not in new_ids:
        return CacheBroken(slot, at, before[at][0], "removed", lost)
    if now[at][0] == before[at][0]:
        return CacheBroken(slot, at, now[at][0], "changed", lost)
    cause = "reordered" if now[at][0] in old_ids else "inserted"
    return CacheBroken(slot, at, now[at][0], cause, lost)  # type: ignore[arg-type]


def marks(
    *,
    system: int,
    system_stable: int,
    tools: int,
    tools_stable: int,
    messages: int,
    left: int = MAX_MARKS,
) -> tuple[CacheMark, ...]:
    """Marks at the ends of the stable prefixes, in the order in which a provider reads the slots.

    Each slot is given as pieces in it and pieces of its stable prefix. What follows a slot with an
    unstable end is not marked, because no cached prefix would ever reach it; of the messages the
    last one is marked. `left` is how many marks the request has room for.
    """
    out: list[CacheMark] = []
    for slot, count, stable in (
        ("tools", tools, tools_stable),
        ("system", system, system_stable),
        ("messages", messages, messages),
    ):
        if stable > 0:
            cause = Cause("cache", slot, "end of the stable prefix", "cache_marks")
            out.append(CacheMark(slot, stable - 1, cause))
        if stable < count:
            break
    return tuple(out[-left:] if left > 0 else ())
