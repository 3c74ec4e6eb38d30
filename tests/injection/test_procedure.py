"""A procedure from its activation to its end (rows SS47 to SS93, where they are ours)."""

from __future__ import annotations

import json

import pytest

import otel_footprint.injection as inj
from otel_footprint.injection.procedures.pointer import Pointer
from otel_footprint.injection.procedures.sentences import skip_description
from otel_footprint.records.injection import (
    StepAdvanced,
    StepSkipped,
    Withheld,
)
from otel_footprint.records.plan import OfferTool
from otel_footprint.records.view import ToolOutcome, ToolView

from .loop import TOOLS, Loop, applied, refund, refunding


class TestOffer:
    def test_before_the_activation_the_offer_is_full(self):
        loop = Loop(inj.declare([refund()]), list(TOOLS))
        loop.says("Hello.")
        request = loop.call()
        assert list(request.tools) == [*TOOLS, "read_skill"]
        assert all("Step" not in text for text in request.tools.values())
        assert "How to refund." not in request.system

    def test_while_steps_are_left_only_the_current_steps_tool_of_the_plan_is_shown(self):
        request = refunding().call()
        assert list(request.tools) == ["lookup", "extra", "baseline", "read_skill", "skip_step"]
        assert request.tools["lookup"] == "[Step 1 of 3 — find it] The lookup tool."
        assert request.tools["baseline"] == "The baseline tool."

    def test_the_way_out_says_where_the_procedure_stands(self):
        text = refunding().call().tools["skip_step"]
        for word in ("step 1 of 3", "refund", "`lookup`", "find it", "left with it: 3", "advance"):
            assert word in text
        held = refunding(on_skip="hold")
        held.step("lookup")
        text = held.call().tools["skip_step"]
        assert "until its tool is run or the turn ends" in text
        assert skip_description(held.declared.plans["refund"], 3).count("left with it: 1") == 1

    def test_after_the_last_step_the_offer_is_full_again(self):
        loop = refunding()
        loop.step("lookup", "charge", "export")
        request = loop.call()
        assert list(request.tools) == [*TOOLS, "read_skill"]
        assert loop.state.pointer == Pointer("refund", 4, 3, ())

    def test_the_hint_is_there_from_the_call_at_which_steps_are_left(self):
        loop = Loop(inj.declare([refund()]), list(TOOLS))
        loop.says("Hello.")
        assert not any("steps in a fixed order" in text for text in loop.call().system)
        loop.run(("read_skill", {"skill": "refund"}))
        assert "steps in a fixed order" in loop.call().system[-1]
        loop.run("lookup", "charge", "export")
        assert not any("steps in a fixed order" in text for text in loop.call().system)

    def test_a_tool_of_another_active_skill_stays_and_of_an_inactive_one_does_not(self):
        other = inj.skill("other", "d", "b", tools=["charge"])
        assert "charge" not in refunding(other).call().tools
        loop = Loop(inj.declare([refund(), other]), list(TOOLS))
        loop.says("Hello.")
        loop.step(("read_skill", {"skill": "other"}), ("read_skill", {"skill": "refund"}))
        offered = loop.call().tools
        assert "charge" in offered
        assert "export" not in offered

    def test_a_tool_supplied_while_running_stays(self):
        loop = refunding()
        tools = [ToolView("lookup"), ToolView("charge", runtime=True), ToolView("export")]
        facts = inj.CallFacts(2, tools=tools, dispatch=True)
        plan = inj.before_call(loop.declared, loop.state, facts).plan
        assert {edit.name for edit in plan.tools if type(edit).__name__ == "WithholdTool"} == {
            "export"
        }

    def test_a_tool_brought_along_is_offered_while_its_skill_is_active_and_by_its_step(self):
        definition = {"name": "seal", "description": "Seals.", "parameters": {"type": "object"}}
        skill = inj.skill("s", "d", "b", tools=["find", definition],
                          steps=[inj.Step("find", "f"), inj.Step("seal", "g")])  # fmt: skip
        loop = Loop(inj.declare([skill]), ["find"])
        loop.says("Hello.")
        assert "seal" not in loop.step(("read_skill", {"skill": "s"})).tools
        assert "seal" not in loop.step("find").tools
        request = loop.call()
        assert request.tools["seal"] == "[Step 2 of 2 — g] Seals."
        assert "find" not in request.tools
        (offer,) = [
            e for e in loop.plans[-1].tools if isinstance(e, OfferTool) and e.name == "seal"
        ]
        assert offer.raw is definition
        assert offer.by.source == "skill"

    def test_a_step_whose_tool_is_not_in_the_request_is_named(self):
        loop = refunding()
        loop.tools.remove("lookup")
        assert "skip_step" in loop.call().tools
        assert loop.of(Withheld) == [Withheld("lookup", "not-in-request", "procedure", "refund")]

    def test_a_name_that_is_taken_is_withheld_and_said_once_a_turn(self):
        loop = Loop(inj.declare([refund()]), [*TOOLS, "read_skill"])
        loop.says("Hello.")
        assert loop.call().tools["read_skill"] == "The read_skill tool."
        loop.call()
        assert loop.of(Withheld) == [Withheld("read_skill", "name-taken", "skill", "library")]

    def test_without_a_dispatcher_nothing_of_ours_is_offered_and_nothing_held_back(self):
        loop = Loop(inj.declare([refund(auto_activate=lambda ctx: True)]), list(TOOLS))
        loop.facts["dispatch"] = False
        loop.says("Hello.")
        assert list(loop.call().tools) == TOOLS
        assert list(loop.call().tools) == TOOLS
        assert [(n.tool, n.reason) for n in loop.of(Withheld)] == [
            ("read_skill", "no-dispatcher"),
            ("skip_step", "no-dispatcher"),
        ]
        assert loop.state.pointer is None

    def test_tools_that_a_framework_was_given_beforehand_are_shown_only_when_they_are_of_use(self):
        declared = inj.declare([refund()])
        tools = [
            ToolView("lookup", "L"),
            ToolView("charge", "C"),
            ToolView("export", "E"),
            ToolView("read_skill", "raw", ours=True),
            ToolView("skip_step", "raw", ours=True),
        ]
        facts = inj.CallFacts(1, tools=tools, dispatch=True)
        boundary = inj.before_call(declared, inj.State(), facts)
        sent = applied(boundary.plan, "", [], tools).tools
        assert list(sent) == ["lookup", "charge", "export", "read_skill"]
        assert sent["read_skill"].startswith("Activates a skill")
        outcome = ToolOutcome("read_skill", "c", "ok", "", {"skill": "refund"})
        state = inj.settle(declared, boundary.state, [outcome]).state
        sent = applied(inj.before_call(declared, state, facts).plan, "", [], tools).tools
        assert list(sent) == ["lookup", "read_skill", "skip_step"]
        assert sent["skip_step"].startswith("Skips the current step")

    def test_list_skills_is_offered_when_asked_for(self):
        loop = Loop(inj.declare([refund()], list_skills=True), list(TOOLS))
        loop.says("Hello.")
        assert "list_skills" in loop.step("list_skills").tools
        assert json.loads(loop.call().texts[-1]) == [
            {"id": "refund", "description": "Refunds a payment."}
        ]


class TestReadSkill:
    def test_its_result_holds_the_body_and_where_the_procedure_stood(self):
        loop = refunding()
        loop.call()
        text = loop.sent_texts()
        assert "How to refund." in text
        assert "step 1 of 3 stood next: find it (`lookup`)" in text
        assert "came back" not in text

    def test_read_again_it_says_the_actual_position(self):
        loop = refunding()
        loop.step("lookup")
        loop.step(("read_skill", {"skill": "refund"}))
        loop.call()
        assert "step 2 of 3 stood next: refund it" in loop.requests[-1].texts[-1]
        assert loop.state.pointer.step == 2

    def test_read_again_when_complete_it_says_so(self):
        loop = refunding()
        loop.step("lookup", "charge", "export")
        loop.step(("read_skill", {"skill": "refund"}))
        assert "all 3 steps were already complete" in loop.call().texts[-1]

    @pytest.mark.parametrize("asked", ["nobody", None, 3])
    def test_an_unknown_skill_activates_nothing_and_the_offered_ones_are_named(self, asked):
        loop = Loop(inj.declare([refund()]), list(TOOLS))
        loop.says("Hello.")
        loop.step(("read_skill", {"skill": asked}))
        assert "were: refund." in loop.call().texts[-1]
        assert loop.state.activated == ()

    def test_a_parked_skill_is_not_named_and_cannot_be_asked_for(self):
        declared = inj.declare([refund(), inj.skill("secret", "Hush.", "b")])
        loop = Loop(declared, list(TOOLS))
        loop.says("Hello.")
        loop.state = inj.park(loop.state, "secret")
        text = loop.step(("read_skill", {"skill": "secret"})).tools["read_skill"]
        assert "secret" not in text
        assert loop.state.activated == ()
        assert "refund" in loop.call().texts[-1]
        loop.state = inj.unpark(loop.state, "secret")
        assert "secret" in loop.call().tools["read_skill"]

    def test_a_skill_with_a_rule_is_let_in_by_it_and_not_listed(self):
        piece = inj.skill("s", "d", "The body.", when=inj.on_tool_return(status="error"))
        loop = Loop(inj.declare([piece]), ["look"])
        loop.says("Hello.")
        assert list(loop.step(("look", "error")).tools) == ["look"]
        assert "The body." in loop.call().system
        assert "The body." not in loop.call().system

    @pytest.mark.parametrize(
        ("surface", "in_result", "in_system"),
        [("auto", 1, 0), ("tool", 1, 0), ("system", 0, 1), ("both", 1, 1)],
    )
    def test_the_body_goes_where_the_surface_says(self, surface, in_result, in_system):
        loop = Loop(inj.declare([inj.skill("s", "d", "The body.", surface=surface)]), [])
        loop.says("Hello.")
        loop.step(("read_skill", {"skill": "s"}))
        request = loop.call()
        assert sum("The body." in text for text in request.texts) == in_result
        assert sum("The body." in text for text in request.system) == in_system

    def test_an_auto_activated_skill_stands_behind_the_prompt_and_has_the_tenure(self):
        loop = Loop(inj.declare([refund(auto_activate=inj.after_tool("baseline"))]), list(TOOLS))
        loop.says("Hello.")
        loop.step("baseline")
        request = loop.call()
        assert "How to refund." in request.system
        assert "skip_step" in request.tools
        loop.run("extra")
        assert "How to refund." in loop.call().system

    def test_an_auto_activation_that_raises_is_on_the_record(self):
        loop = Loop(inj.declare([refund(auto_activate=lambda ctx: 1 / 0)]), list(TOOLS))
        loop.says("Hello.")
        loop.call()
        assert [(n.id, n.reason) for n in loop.notes] == [("refund", "trigger-raised")]

    def test_a_new_turn_begins_without_activations(self):
        loop = refunding()
        loop.answers("Done.", can_continue=False)
        loop.says("And now?")
        assert "skip_step" not in loop.call().tools


class TestAdvance:
    def test_a_batch_may_do_several_steps_in_the_models_order(self):
        loop = refunding()
        loop.step("lookup")
        loop.step("charge", "export")
        advanced = loop.of(StepAdvanced)
        assert [(n.step, n.tool, n.completed) for n in advanced] == [
            (1, "lookup", False), (2, "charge", False), (3, "export", True),
        ]  # fmt: skip
        assert len({n.call_id for n in advanced}) == 3
        assert [n.action for n in advanced] == [2, 3, 3]

    def test_the_result_says_where_the_procedure_stood_when_it_returned(self):
        loop = refunding()
        loop.step("lookup")
        text = loop.call().texts[-1]
        assert text.startswith("lookup came back\n\n[refund: step 1 of 3 was done")
        assert "step 2 of 3 stood next: refund it (`charge`)" in text
        loop.run("charge", "export")
        assert "all 3 steps were complete" in loop.call().texts[-1]

    def test_it_says_so_at_the_same_place_in_every_later_request(self):
        loop = refunding()
        loop.step("lookup")
        first = loop.call().texts
        loop.run("extra")
        assert loop.call().texts[: len(first)] == first

    def test_the_same_tool_twice_does_two_adjacent_steps(self):
        skill = inj.skill("s", "d", "b", tools=["probe", "seal"],
                          steps=[inj.Step("probe", "a"), inj.Step("probe", "b"),
                                 inj.Step("seal", "c")])  # fmt: skip
        loop = Loop(inj.declare([skill]), ["probe", "seal"])
        loop.says("Hello.")
        loop.step(("read_skill", {"skill": "s"}))
        loop.step("probe", "probe")
        assert [n.step for n in loop.of(StepAdvanced)] == [1, 2]

    @pytest.mark.parametrize("status", ["error", "denied", "refused", "unknown"])
    def test_only_a_clean_run_advances(self, status):
        loop = refunding()
        loop.step(("lookup", status))
        assert loop.of(StepAdvanced) == []
        assert "lookup" in loop.step("lookup").tools
        assert [n.step for n in loop.of(StepAdvanced)] == [1]

    def test_a_tool_called_before_its_turn_runs_and_does_not_advance(self):
        loop = refunding()
        loop.step("export", "lookup")
        assert [(n.step, n.tool) for n in loop.of(StepAdvanced)] == [(1, "lookup")]

    def test_the_tenure_begins_at_the_next_call_not_in_the_batch(self):
        loop = Loop(inj.declare([refund()]), list(TOOLS))
        loop.says("Hello.")
        loop.step(("read_skill", {"skill": "refund"}), "lookup")
        assert loop.of(StepAdvanced) == []
        loop.call()
        assert loop.state.pointer.step == 1

    def test_a_pause_keeps_the_position_and_the_answer_to_it_advances(self):
        loop = refunding()
        loop.step(("lookup", "paused"))
        assert loop.of(StepAdvanced) == []
        state, refused = inj.from_json(json.loads(json.dumps(inj.to_json(loop.state))))
        assert refused == ()
        loop.state = state
        call = loop.messages[-1].call_ids[0]
        loop.put("tool", "approved", answers=(call,), tools=("lookup",))
        loop.settle([ToolOutcome("lookup", call, "ok", "approved")])
        assert [(n.step, n.call_id) for n in loop.of(StepAdvanced)] == [(1, call)]
        assert "step 1 of 3 was done" in loop.call().texts[-1]

    def test_a_loop_that_runs_tools_one_by_one_may_change_each_result_at_once(self):
        loop = refunding()
        loop.call()
        settled = inj.settle(
            loop.declared, loop.state, [ToolOutcome("lookup", "a", "ok", "Found.")]
        )
        assert settled.result("a", "Found.").startswith("Found.\n\n[refund: step 1 of 3 was done")
        assert settled.result("other", "Found.") == "Found."
        skip = ToolOutcome("skip_step", "b", "ok", "raw", {"reason": "r"})
        settled = inj.settle(loop.declared, settled.state, [skip])
        assert settled.result("b", "raw").startswith("Step 2 of 3 of refund was skipped")

    def test_without_steps_nothing_of_it_exists(self):
        loop = Loop(inj.declare([inj.skill("s", "d", "b")]), ["lookup"])
        loop.says("Hello.")
        loop.step(("read_skill", {"skill": "s"}), "lookup", "skip_step")
        request = loop.call()
        assert list(request.tools) == ["lookup", "read_skill"]
        assert request.texts[-1] == "skip_step came back"
        assert loop.state.pointer is None
        assert loop.notes == []


class TestSkip:
    def test_a_skip_moves_on_with_its_reason_on_the_record(self):
        loop = refunding()
        loop.step("lookup", ("skip_step", {"reason": "  paid back already  "}), "export")
        (skip,) = loop.of(StepSkipped)
        assert (skip.step, skip.tool, skip.reason, skip.policy) == (
            2, "charge", "paid back already", "advance",
        )  # fmt: skip
        assert [n.step for n in loop.of(StepAdvanced)] == [1, 3]
        loop.call()
        assert loop.state.pointer == Pointer("refund", 4, 3, (2,))
        assert "recorded reason: paid back already." in loop.requests[-1].texts[-2]

    def test_the_last_skip_says_complete_with_the_number_of_skips(self):
        loop = refunding()
        reason = {"reason": "r"}
        loop.step(*[("skip_step", reason)] * 4)
        texts = loop.call().texts
        assert "2 of 3 steps skipped" not in texts[-2]
        assert "3 of 3 steps skipped" in texts[-2]
        assert "changed nothing" in texts[-1]
        assert [n.step for n in loop.of(StepSkipped)] == [1, 2, 3]
        assert loop.state.pointer == Pointer("refund", 4, 3, (1, 2, 3))

    def test_under_hold_the_step_stays_and_both_ways_are_named(self):
        loop = refunding(on_skip="hold")
        before = loop.state
        loop.step(("skip_step", {"reason": "r"}), ("skip_step", {"reason": "again"}))
        assert [n.reason for n in loop.of(StepSkipped)] == ["r", "again"]
        text = loop.call().texts[-1]
        assert loop.state.pointer == Pointer("refund", 1, 3, ())
        assert before.pointer is None
        assert "running `lookup`" in text
        assert "why it was not run" in text
        assert "hold" in text

    @pytest.mark.parametrize("arguments", [{"reason": " \n"}, {"reason": 5}, {}, {"reason": None}])
    def test_a_skip_without_a_reason_is_not_applied(self, arguments):
        loop = refunding()
        loop.step(("skip_step", arguments))
        assert loop.of(StepSkipped) == []
        assert "was not applied" in loop.call().texts[-1]
        assert loop.state.pointer.step == 1

    def test_a_skip_that_a_person_denied_is_not_applied(self):
        loop = refunding()
        loop.run(("skip_step", "denied"))
        loop.call()
        assert loop.state.pointer.step == 1
        assert loop.requests[-1].texts[-1] == "skip_step came back"

    def test_a_skip_without_a_procedure_changes_nothing(self):
        loop = Loop(inj.declare([refund()]), list(TOOLS))
        loop.says("Hello.")
        loop.step(("skip_step", {"reason": "r"}))
        assert "changed nothing" in loop.call().texts[-1]
        assert loop.notes == []

    def test_a_long_reason_is_bounded(self):
        loop = refunding()
        loop.step(("skip_step", {"reason": "x" * 10_000}))
        assert len(loop.of(StepSkipped)[0].reason) == 500
