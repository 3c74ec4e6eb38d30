"""The longest stable prefix stands first, its end is marked when asked, a break is recorded."""

from __future__ import annotations

import itertools

import pytest

import otel_footprint.injection as inj
from otel_footprint.injection.cache import broken, marks, rank
from otel_footprint.injection.context import Context
from otel_footprint.records.injection import CacheBroken

from .loop import Loop, refunding


def mixed() -> list[inj.Injection]:
    return [
        inj.instruction("count", template="Action {{action}}."),
        inj.fact("fact", "Fact."),
        inj.skill("s", "d", "Body.", when=inj.from_action(2)),
        inj.steering("steer", "Steer."),
    ]


def test_what_stays_longest_stands_first():
    loop = Loop(inj.declare(mixed()))
    loop.says("Hello.")
    loop.call()
    assert loop.call().system == ["You help.", "Fact.", "Steer.", "Body.", "Action 2."]


def test_a_piece_behind_the_stable_ones_breaks_nothing():
    loop = Loop(inj.declare(mixed()))
    loop.says("Hello.")
    for _ in range(4):
        loop.call()
    assert loop.of(CacheBroken) == []


def test_a_piece_that_breaks_the_prefix_is_named():
    pieces = [inj.fact("odd", "Odd.", when=lambda ctx: ctx.action % 2 == 1), inj.fact("f", "F.")]
    loop = Loop(inj.declare(pieces))
    loop.says("Hello.")
    for _ in range(3):
        loop.call()
    assert loop.of(CacheBroken) == [
        CacheBroken("system", 1, "odd", "removed", 2),
        CacheBroken("system", 1, "odd", "inserted", 1),
    ]


def test_a_system_prompt_of_the_agent_that_changes_is_named_by_an_empty_id():
    loop = Loop(inj.declare([inj.fact("f", "F.")]))
    loop.says("Hello.")
    loop.call()
    loop.system = "You help at noon."
    loop.call()
    assert loop.of(CacheBroken) == [CacheBroken("system", 0, "", "changed", 2)]


def test_a_procedure_that_rewrites_the_tools_says_what_broke():
    loop = refunding()
    loop.step("lookup")
    loop.call()
    found = [n for n in loop.of(CacheBroken) if n.slot == "tools"]
    assert [(n.at, n.id, n.cause) for n in found] == [
        (0, "lookup", "changed"), (0, "lookup", "removed"),
    ]  # fmt: skip


PIECES = [("a", "1"), ("b", "2"), ("c", "3")]


@pytest.mark.parametrize(
    ("before", "now", "found"),
    [
        (None, PIECES, None),
        ([], PIECES, None),
        (PIECES, PIECES, None),
        (PIECES[:2], PIECES, None),
        (PIECES, PIECES[:2], (2, "c", "removed", 1)),
        (PIECES, PIECES[1:], (0, "a", "removed", 3)),
        (PIECES, [], (0, "a", "removed", 3)),
        (PIECES, [("a", "1"), ("b", "x"), ("c", "3")], (1, "b", "changed", 2)),
        (PIECES[1:], PIECES, (0, "a", "inserted", 2)),
        (PIECES, [("c", "3"), ("a", "1"), ("b", "2")], (0, "c", "reordered", 3)),
    ],
)
def test_the_first_difference_says_what_broke(before, now, found):
    note = broken("system", before and tuple(before), tuple(now))
    assert (note and note[1:]) == found


def test_a_break_is_found_exactly_when_the_old_prefix_is_none_any_more():
    for size in range(4):
        for before in itertools.permutations(PIECES, size):
            for now in itertools.permutations(PIECES):
                note = broken("tools", before, now)
                assert (note is None) == (now[: len(before)] == before)


@pytest.mark.parametrize(
    ("policy", "value"),
    [
        ("always", 0),
        ("while-active", 1),
        ("never", 2),
        (inj.until(lambda ctx: ctx.action > 3), 1),
        (inj.until(lambda ctx: True), 2),
        (inj.until(lambda ctx: 1 / 0), 2),
    ],
)
def test_a_policy_says_how_long_a_piece_stays(policy, value):
    assert rank(policy, Context()) == value


def test_an_async_until_is_not_cacheable():
    async def later(ctx):
        return False

    assert rank(inj.until(later), Context()) == 2


class TestMarks:
    def found(self, **kwargs):
        held = {"system": 2, "system_stable": 2, "tools": 3, "tools_stable": 3, "messages": 4}
        return [(m.slot, m.at) for m in marks(**{**held, **kwargs})]

    def test_each_stable_slot_is_marked_at_its_end(self):
        assert self.found() == [("tools", 2), ("system", 1), ("messages", 3)]

    def test_nothing_behind_an_unstable_end_is_marked(self):
        assert self.found(system_stable=1) == [("tools", 2), ("system", 0)]
        assert self.found(tools_stable=0) == []

    def test_an_empty_slot_has_no_mark(self):
        assert self.found(tools=0, tools_stable=0) == [("system", 1), ("messages", 3)]

    def test_the_longest_prefixes_come_first_when_there_is_little_room(self):
        assert self.found(left=1) == [("messages", 3)]
        assert self.found(left=0) == []

    def test_they_are_set_only_when_asked_for(self):
        loop = Loop(inj.declare(mixed()), ["look"])
        loop.says("Hello.")
        loop.call()
        assert loop.plans[-1].marks == ()
        loop = Loop(inj.declare(mixed(), cache_marks=True), ["look"])
        loop.says("Hello.")
        loop.call(system_pieces=2)
        assert [(m.slot, m.at) for m in loop.plans[-1].marks] == [("tools", 0), ("system", 3)]
        loop = Loop(inj.declare([], cache_marks=True), ["look"])
        loop.says("Hello.")
        loop.call()
        assert [m[:2] for m in loop.plans[-1].marks] == [("tools", 0), ("system", 0),
                                                         ("messages", 0)]  # fmt: skip
