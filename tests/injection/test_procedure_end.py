"""How a procedure ends: tenure lost, answers that come too early, turns that end."""

from __future__ import annotations

import otel_footprint.injection as inj
from otel_footprint.injection.procedures.pointer import Pointer
from otel_footprint.injection.procedures.sentences import nudge
from otel_footprint.records.frames import is_said_by_person
from otel_footprint.records.injection import (
    Abandoned,
    Remaining,
    StepsUnfinished,
)
from otel_footprint.records.view import MessageView

from .loop import refunding


class TestTenure:
    def test_a_procedure_that_loses_the_tenure_is_on_the_record(self):
        loop = refunding(inj.skill("other", "d", "b"))
        loop.step("lookup")
        loop.step(("read_skill", {"skill": "other"}))
        assert "charge" in loop.call().tools
        (note,) = loop.of(Abandoned)
        assert (note.skill, note.step, note.total, note.by) == ("refund", 2, 3, "other")
        assert [left.step for left in note.remaining] == [2, 3]
        assert loop.of(StepsUnfinished) == []

    def test_a_complete_procedure_is_not_abandoned(self):
        loop = refunding(inj.skill("other", "d", "b"))
        loop.step("lookup", "charge", "export")
        loop.step(("read_skill", {"skill": "other"}))
        loop.call()
        assert loop.of(Abandoned) == []

    def test_a_parked_skill_loses_the_tenure(self):
        loop = refunding()
        loop.call()
        loop.state = inj.park(loop.state, "refund")
        assert "skip_step" not in loop.call().tools
        assert loop.of(Abandoned)[0].by == ""

    def test_a_procedure_taken_up_again_starts_over(self):
        loop = refunding(inj.skill("other", "d", "b"))
        loop.step("lookup")
        loop.step(("read_skill", {"skill": "other"}))
        loop.step(("read_skill", {"skill": "refund"}))
        loop.call()
        assert loop.state.pointer == Pointer("refund", 1, 3, ())
        assert "step 1 of 3 stood next" in loop.requests[-1].texts[-1]


class TestEnding:
    def test_a_premature_answer_is_nudged_once(self):
        loop = refunding()
        loop.step("lookup")
        loop.call()
        ending = loop.answers("It is done.")
        assert (ending.note.how, ending.note.reason) == ("nudged", "answered-early")
        assert [left.step for left in ending.note.remaining] == [2, 3]
        request = loop.call()
        assert request.texts[-2] == "It is done."
        assert request.messages[-2].role == "assistant"
        assert request.messages[-1].role == "user"
        assert request.texts[-1].startswith("[steps unrun — Steps 2–3 of refund were unrun")
        assert "2: refund it (`charge`); 3: file it (`export`)" in request.texts[-1]
        assert not is_said_by_person(MessageView("user", request.texts[-1]))
        second = loop.answers("Really done.")
        assert second.nudge is None
        assert (second.note.how, second.note.reason) == ("accepted", "nudge-spent")
        loop.ends()
        assert [n.how for n in loop.of(StepsUnfinished)] == ["nudged", "accepted"]

    def test_the_nudge_for_one_step_is_in_the_singular(self):
        plan = refunding().declared.plans["refund"]
        text = nudge(plan, [Remaining(3, "export", "file it")])
        assert text.startswith("[steps unrun — Step 3 of refund was unrun")

    def test_where_the_model_cannot_be_called_again_the_answer_is_accepted_with_the_reason(self):
        loop = refunding()
        loop.call()
        ending = loop.answers("Done.", can_continue=False)
        assert (ending.note.how, ending.note.reason) == ("accepted", "cannot-continue")
        assert ending.nudge is None

    def test_a_spent_budget_or_a_limit_cuts_it_short_without_a_nudge(self):
        for kwargs, reason in (
            ({"action_budget": 2}, "action-budget"),
            ({"limit": "loop-limit"}, "loop-limit"),
        ):
            loop = refunding()
            loop.call()
            ending = loop.answers("Done.", **kwargs)
            assert ending.nudge is None
            assert (ending.note.how, ending.note.reason) == ("cut-short", reason)

    def test_a_turn_that_ends_without_an_answer_says_what_cut_it_short(self):
        loop = refunding()
        loop.call()
        open_call = [MessageView("assistant", call_ids=("c9",))]
        for kwargs, reason in (
            ({"action_budget": 2}, "action-budget"),
            ({"history": open_call}, "unanswered-tool-call"),
            ({"limit": "failed"}, "failed"),
            ({"action_budget": -1}, "loop-limit"),
        ):
            note = inj.at_end(loop.declared, loop.state, **kwargs).note
            assert (note.how, note.reason) == ("cut-short", reason)

    def test_a_complete_procedure_ends_without_a_word(self):
        loop = refunding()
        loop.step("lookup", "charge", "export")
        loop.call()
        assert loop.answers("Done.").note is None
        loop.ends()
        assert loop.of(StepsUnfinished) == []

    def test_a_held_step_is_left_and_a_skipped_one_is_not(self):
        for on_skip, left in (("advance", [2, 3]), ("hold", [1, 2, 3])):
            loop = refunding(on_skip=on_skip)
            loop.step(("skip_step", {"reason": "r"}))
            loop.call()
            assert [s.step for s in loop.answers("Done.").note.remaining] == left

    def test_a_parked_procedure_is_not_named_by_a_nudge(self):
        loop = refunding()
        loop.call()
        loop.state = inj.park(loop.state, "refund")
        assert loop.answers("Done.").note is None

    def test_each_turn_has_its_own_nudge(self):
        loop = refunding()
        loop.call()
        assert loop.answers("Done.").nudge is not None
        loop.call()
        loop.answers("Done.")
        loop.says("Again.")
        loop.step(("read_skill", {"skill": "refund"}))
        loop.call()
        assert loop.answers("Done.").nudge is not None
