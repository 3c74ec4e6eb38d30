"""The two drivers, and what a boundary costs and leaves alone when there is nothing to do."""

from __future__ import annotations

import asyncio

import pytest

import otel_footprint.injection as inj
from otel_footprint.records.injection import Skipped, WindowVisit
from otel_footprint.records.plan import NOTHING
from otel_footprint.records.view import MessageView

from .loop import Loop


async def yes(ctx):
    await asyncio.sleep(0)
    return True


async def no(ctx):
    return False


async def fails(ctx):
    raise LookupError("gone")


async def test_an_async_predicate_is_awaited_on_an_async_agent():
    asked = []

    async def counted(ctx):
        asked.append(ctx.action)
        return True

    declared = inj.declare([
        inj.fact("yes", "Y.", when=yes), inj.fact("no", "N.", when=no),
        inj.fact("fails", "F.", when=fails), inj.fact("lambda", "L.", when=lambda c: yes(c)),
        inj.fact("sync", "S.", when=lambda c: True), inj.fact("counted", "C.", when=counted),
    ])  # fmt: skip
    boundary = await inj.before_call_async(declared, inj.State(), inj.CallFacts(1))
    assert [edit.by.id for edit in boundary.plan.system] == ["yes", "lambda", "sync", "counted"]
    assert boundary.notes == (Skipped("fact", "fails", "trigger-raised", "LookupError: gone"),)
    assert asked == [1]


async def test_an_async_auto_activation_is_awaited():
    skill = inj.skill("s", "d", "b", auto_activate=yes)
    declared = inj.declare([skill, inj.skill("t", "d", "b", auto_activate=fails)])
    boundary = await inj.before_call_async(declared, inj.State(), inj.CallFacts(1, dispatch=True))
    assert boundary.state.activated == ("s",)
    assert [note.id for note in boundary.notes] == ["t"]


async def test_an_async_summariser_is_awaited_and_its_failure_recorded():
    async def summary(text):
        return "Short."

    async def broken(text):
        raise OSError("no line")

    views = [MessageView("assistant", "a" * 500, key="1"),
             MessageView("user", "b", person=True, key="2")]  # fmt: skip
    facts = inj.CallFacts(2, messages=views, measured=99, measured_action=1)
    for summariser, count in ((summary, 1), (broken, 0), (lambda text: "Short.", 1)):
        declared = inj.declare([], window=inj.summarise_oldest(10, summariser, keep_rounds=1))
        boundary = await inj.before_call_async(declared, inj.State(), facts)
        (visit,) = [note for note in boundary.notes if isinstance(note, WindowVisit)]
        assert visit.removed == count
        assert count or "no line" in visit.refusals[-1].note


async def test_cancellation_passes_through():
    async def hangs(ctx):
        raise asyncio.CancelledError

    declared = inj.declare([inj.fact("f", "F.", when=hangs)])
    with pytest.raises(asyncio.CancelledError):
        await inj.before_call_async(declared, inj.State(), inj.CallFacts(1))


def test_an_async_predicate_on_a_sync_agent_skips_its_piece():
    loop = Loop(inj.declare([inj.fact("f", "F.", when=yes), inj.fact("g", "G.")]))
    loop.says("Hello.")
    assert loop.call().system == ["You help.", "G."]
    assert [(n.id, n.reason) for n in loop.notes] == [("f", "async-trigger")]


@pytest.mark.parametrize("declared", [inj.NOTHING_DECLARED, inj.declare([])])
async def test_with_nothing_declared_the_plan_is_the_one_that_changes_nothing(declared):
    state, facts = inj.State(), inj.CallFacts(1)
    for boundary in (
        inj.before_call(declared, state, facts),
        await inj.before_call_async(declared, state, facts),
    ):
        assert boundary.plan is NOTHING
        assert boundary.state is state
        assert boundary.notes == ()


def test_with_nothing_active_the_plan_is_the_one_that_changes_nothing():
    declared = inj.declare([inj.fact("f", "F.", when=lambda ctx: False), inj.instruction(
        "t", template="{{actionBudget}}")])  # fmt: skip
    boundary = inj.before_call(declared, inj.State(), inj.CallFacts(1))
    assert boundary.plan is NOTHING
    assert [note.reason for note in boundary.notes] == ["missing-fact"]


def test_turns_side_by_side_do_not_mix():
    declared = inj.declare([inj.skill("s", "d", "b", tools=["a"], steps=[inj.Step("a", "n")])])
    one, two = Loop(declared, ["a"]), Loop(declared, ["a"])
    for loop in (one, two):
        loop.says("Hello.")
    one.step(("read_skill", {"skill": "s"}))
    two.step()
    assert "skip_step" in one.call().tools
    assert "skip_step" not in two.call().tools


def test_the_number_of_actions_left_is_said_at_each_call_and_counted_anew_each_turn():
    template = "Action {{action}} of {{actionBudget}}; {{actionsRemaining}} left."
    loop = Loop(inj.declare([inj.instruction("count", template=template)]), ["look"])
    loop.facts["action_budget"] = 30
    loop.says("Hello.")
    for n in range(1, 32):
        assert loop.step("look").system[1] == f"Action {n} of 30; {max(0, 30 - n)} left."
    loop.says("Again.")
    assert loop.call().system[1] == "Action 1 of 30; 29 left."


def test_without_a_budget_the_instruction_is_skipped_by_name_and_nothing_stands_in():
    loop = Loop(inj.declare([inj.instruction("count", template="{{action}}/{{actionBudget}}")]))
    loop.says("Hello.")
    assert loop.call().system == ["You help."]
    assert loop.notes == [Skipped("instruction", "count", "missing-fact", "{{actionBudget}}")]


def test_a_rule_on_a_status_sees_the_last_batch_only():
    piece = inj.instruction("sorry", "Apologise.", when=inj.on_tool_return(status="error"))
    loop = Loop(inj.declare([piece]), ["look"])
    loop.says("Hello.")
    loop.step(("look", "error"), "look")
    assert loop.step("look").system[-1] == "Apologise."
    assert loop.call().system == ["You help."]


def test_a_predicate_sees_the_facts_of_the_call():
    seen = {}

    def when(ctx):
        seen.update(text=ctx.text, results=[r.name for r in ctx.results], called=ctx.called,
                    skills=ctx.skills, count=len(ctx.messages), metadata=dict(ctx.metadata),
                    left=ctx.actions_remaining)  # fmt: skip
        return False

    loop = Loop(inj.declare([inj.fact("f", "F.", when=when), inj.skill("s", "d", "b")]), ["look"])
    loop.facts.update(metadata={"tier": "gold"}, action_budget=5)
    loop.says("Hello.")
    loop.step("look", ("read_skill", {"skill": "s"}))
    loop.call()
    assert seen == {
        "text": "Hello.", "results": ["look", "read_skill"], "called": ("look", "read_skill"),
        "skills": ("s",), "count": 4, "metadata": {"tier": "gold"}, "left": 3,
    }  # fmt: skip
