"""The pointer of a procedure: its readings, and the machine against a simple model."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import otel_footprint.injection as inj
from otel_footprint.injection.procedures.plan import make_plan
from otel_footprint.injection.procedures.pointer import (
    ABSENT,
    Pointer,
    advanced,
    carrier_of,
    current_step,
    fresh,
    in_progress,
    pointer_of,
    rekey,
    remaining,
    skipped,
)
from otel_footprint.records.injection import Abandoned, StepAdvanced, StepSkipped
from otel_footprint.records.view import ToolOutcome, ToolView
from tests.quick import examples

STEPS = [inj.Step("find", "find it"), inj.Step("charge", "refund it"), inj.Step("file", "file it")]
PLAN = make_plan("refund", STEPS)
PLANS = {"refund": PLAN}


@pytest.mark.parametrize(
    "carrier",
    [None, ABSENT, [], {}, "x", [None], [{}], [{"skill": "refund"}], [{"step": 1}],
     [{"skill": "refund", "step": "1"}], [{"skill": 1, "step": 1}],
     [{"skill": "refund", "step": True}], [[1]], ["refund"]],
)  # fmt: skip
def test_a_carrier_that_holds_none_gives_none(carrier):
    assert pointer_of(carrier) is None


def test_the_first_of_a_list_counts():
    first, second = Pointer("refund", 2, 3, (1,)), Pointer("other", 1, 1)
    assert pointer_of([*carrier_of(first), *carrier_of(second)]) == Pointer("refund", 2, 3, [1])


def test_a_pointer_without_a_total_is_passed_through_and_not_in_progress():
    pointer = pointer_of([{"skill": "refund", "step": 1}])
    assert pointer.to_json() == {"skill": "refund", "step": 1}
    assert not pointer.in_progress
    assert current_step(pointer, PLAN) is None
    assert remaining(pointer, PLAN) == ()
    assert rekey(pointer, "refund", PLANS) is pointer


@pytest.mark.parametrize(("step", "going"), [(0, True), (1, True), (3, True), (4, False)])
def test_it_is_in_progress_up_to_its_last_step(step, going):
    pointer = Pointer("refund", step, 3)
    assert in_progress(pointer) is going
    assert not in_progress(None)


@pytest.mark.parametrize("step", [0, 4, 1.5, -1])
def test_a_position_that_is_no_step_has_no_current_one(step):
    assert current_step(Pointer("refund", step, 3), PLAN) is None


def test_what_is_left_is_the_current_step_and_those_behind_it():
    assert [r.step for r in remaining(Pointer("refund", 1, 3), PLAN)] == [1, 2, 3]
    assert remaining(Pointer("refund", 3, 3), PLAN) == ((3, "file", "file it"),)
    assert remaining(Pointer("refund", 4, 3), PLAN) == remaining(None, PLAN) == ()


@pytest.mark.parametrize("pointer", [Pointer("refund", 2, 3, (1,)), Pointer("refund", 4, 3)])
def test_the_tenants_own_pointer_is_passed_through_even_without_its_plan(pointer):
    assert rekey(pointer, "refund", PLANS) is pointer
    assert rekey(pointer, "refund", {}) is pointer


def test_another_tenant_starts_at_its_first_step_or_has_none():
    prior = Pointer("other", 2, 3)
    assert rekey(prior, "refund", PLANS) == Pointer("refund", 1, 3, ())
    assert rekey(None, "refund", PLANS) == fresh(PLAN)
    assert rekey(prior, "plain", PLANS) is None
    assert rekey(prior, None, PLANS) is None


def test_a_move_makes_a_new_pointer_and_leaves_the_old_one():
    old = fresh(PLAN)
    assert advanced(old) == Pointer("refund", 2, 3, ())
    assert skipped(old, PLAN) == Pointer("refund", 2, 3, (1,))
    assert old == Pointer("refund", 1, 3, ())
    held = make_plan("refund", STEPS, "hold")
    assert skipped(old, held) is old


@given(st.integers(1, 9), st.integers(0, 9), st.lists(st.integers(1, 9)))
def test_a_pointer_survives_being_written_and_read(step, total, skips):
    pointer = Pointer("refund", step, total, tuple(skips))
    read = pointer_of(json.loads(json.dumps(carrier_of(pointer))))
    assert read.to_json() == pointer.to_json()
    assert read.in_progress == pointer.in_progress


def test_hand_built_metadata_is_read_as_it_is():
    assert make_plan("x", None) is None
    assert make_plan("x", []) is None
    plan = make_plan("x", [{"tool": "a", "note": "n", "more": 1}, {"tool": "a", "note": "m"}])
    assert plan == ("x", (("a", "n"), ("a", "m")), ("a",), "advance")
    assert plan.total == 2


# --- the machine against a model ---------------------------------------------------------------

SKILLS = {
    "refund": (["find", "charge", "file"], "advance"),
    "audit": (["find", "find", "seal"], "hold"),
    "plain": (None, None),
}
TOOLS = ["find", "charge", "file", "seal", "other"]


def declared():
    pieces = []
    for id_, (tools, on_skip) in SKILLS.items():
        steps = tools and [inj.Step(tool, f"note {n}") for n, tool in enumerate(tools, 1)]
        pieces.append(
            inj.skill(id_, "d", "b", tools=sorted(set(tools or ())), steps=steps, on_skip=on_skip)
        )
    return inj.declare(pieces)


DECLARED = declared()
CALLS = st.one_of(
    st.tuples(st.sampled_from(TOOLS), st.sampled_from(["ok", "ok", "ok", "error", "denied"])),
    st.tuples(st.just("skip_step"), st.sampled_from(["why not", "  padded ", "", " ", None, 5])),
    st.tuples(st.just("read_skill"), st.sampled_from([*SKILLS, "nobody", None])),
)


class Machine(RuleBasedStateMachine):
    """The real machine beside a model of three variables: tenant, place, skips."""

    @initialize()
    def start(self):
        self.state = inj.State()
        self.action = 0
        self.read: list[str] = []
        self.owner: str | None = None
        self.place = 0
        self.skips: list[int] = []
        self.events: list[tuple] = []
        self.call()

    @rule()
    def call(self):
        self.action += 1
        before = self.owner, self.place
        tools = [ToolView(tool) for tool in TOOLS]
        facts = inj.CallFacts(self.action, tools=tools, dispatch=True)
        boundary = inj.before_call(DECLARED, self.state, facts)
        self.state = boundary.state
        tenant = self.read[-1] if self.read else None
        if tenant != self.owner:
            steps = SKILLS[tenant][0]
            self.owner, self.place, self.skips = tenant, (1 if steps else 0), []
        abandoned = [note for note in boundary.notes if isinstance(note, Abandoned)]
        owned = before[0] and SKILLS[before[0]][0]
        lost = owned and before[0] != self.owner and before[1] <= len(owned)
        assert bool(abandoned) == bool(lost)
        self.sent = self.offered(boundary.plan)

    def offered(self, plan):
        offer = dict.fromkeys(TOOLS, "")
        for edit in plan.tools:
            kind = type(edit).__name__
            if kind == "WithholdTool":
                del offer[edit.name]
            elif kind == "OfferTool":
                offer[edit.name] = edit.description
            else:
                offer[edit.name] = edit.prefix + offer[edit.name]
        return offer

    @rule(batch=st.lists(CALLS, min_size=1, max_size=5), one_by_one=st.booleans())
    def tools_come_back(self, batch, one_by_one):
        outcomes = []
        expected: list[tuple] = []
        for number, (tool, more) in enumerate(batch):
            call_id = f"c{self.action}-{number}"
            if tool == "skip_step":
                arguments = {} if more is None else {"reason": more}
                outcomes.append(ToolOutcome(tool, call_id, "ok", "", arguments))
                if self.steps_left() and isinstance(more, str) and more.strip():
                    expected.append((StepSkipped, self.place, more.strip(), call_id))
                    if SKILLS[self.owner][1] == "advance":
                        self.skips.append(self.place)
                        self.place += 1
            elif tool == "read_skill":
                outcomes.append(ToolOutcome(tool, call_id, "ok", "", {"skill": more}))
                if more in SKILLS:
                    self.read = [*(s for s in self.read if s != more), more]
            else:
                outcomes.append(ToolOutcome(tool, call_id, more, "result"))
                if more == "ok" and self.steps_left():
                    steps = SKILLS[self.owner][0]
                    if steps[self.place - 1] == tool:
                        expected.append((StepAdvanced, self.place, "", call_id))
                        self.place += 1
        found = []
        for part in [[o] for o in outcomes] if one_by_one else [outcomes]:
            settled = inj.settle(DECLARED, self.state, part)
            self.state = settled.state
            found += [(type(n), n.step, getattr(n, "reason", ""), n.call_id) for n in settled.notes]
        assert found == expected

    @rule()
    def goes_through_json(self):
        restored, refused = inj.from_json(json.loads(json.dumps(inj.to_json(self.state))))
        assert refused == ()
        assert restored.pointer == self.state.pointer or (
            restored.pointer.to_json() == self.state.pointer.to_json()
        )
        self.state = restored

    @precondition(lambda self: self.action > 3)
    @rule()
    def next_turn(self):
        self.state = inj.for_turn(self.state)
        self.read, self.owner, self.place, self.skips = [], None, 0, []
        self.action = 0
        self.call()

    def steps_left(self):
        steps = self.owner and SKILLS[self.owner][0]
        return bool(steps) and self.place <= len(steps)

    @invariant()
    def they_agree(self):
        pointer = self.state.pointer
        if self.owner is None or SKILLS[self.owner][0] is None:
            assert pointer is None
            return
        assert (pointer.skill, pointer.step) == (self.owner, self.place)
        assert pointer.total == len(SKILLS[self.owner][0])
        assert list(pointer.skipped) == self.skips

    @invariant()
    def nothing_but_later_steps_is_held_back(self):
        for tool in ("other", "read_skill"):
            assert tool in self.sent


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=examples(60), stateful_step_count=25, deadline=None)
