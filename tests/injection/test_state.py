"""The state as a value: over a pause, into another process, through odd JSON; doors and places."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import otel_footprint.injection as inj
from otel_footprint.injection import doors
from otel_footprint.injection.history import History
from otel_footprint.records.injection import Removed
from otel_footprint.records.plan import (
    NOTHING,
    AddMessage,
    AppendSystem,
    AppendToResult,
    CacheMark,
    Cause,
    OfferTool,
    Place,
    Plan,
    PlantArgument,
    RemoveMessage,
    ReplaceMessage,
    ReplaceResult,
    locate,
)
from otel_footprint.records.view import MessageView

from .loop import refunding

BY = Cause("fact", "f", "a reason", "always", 0.5, 1, None)


class TestPlan:
    def test_a_plan_that_changes_nothing_is_false(self):
        assert not NOTHING
        assert not Plan()
        assert Plan(system=(AppendSystem("x", BY),))

    def test_plans_are_merged_in_order(self):
        one = Plan(system=(AppendSystem("1", BY),), tools=(OfferTool("a", "", None, BY),))
        two = Plan(system=(AppendSystem("2", BY),),
                   tools=(PlantArgument("a", "source", {"type": "string"}, BY, True),),
                   marks=(CacheMark("system", -1, BY),))  # fmt: skip
        both = one.merged(two)
        assert [e.text for e in both.system] == ["1", "2"]
        assert [type(e).__name__ for e in both.tools] == ["OfferTool", "PlantArgument"]
        assert len(both.marks) == 1
        assert one.merged(NOTHING) is one
        assert NOTHING.merged(one) == one


class TestPlace:
    @pytest.mark.parametrize(
        ("place", "keys", "found"),
        [
            (Place(0), [], 0),
            (Place(0), ["a"], 0),
            (Place(2), ["a"], None),
            (Place(1, "a"), ["a", "b"], 1),
            (Place(1, "a"), ["x", "a", "b"], 2),
            (Place(2, "b"), ["b", "c"], 1),
            (Place(3, "a"), ["a", "a", "a", "b"], 3),
            (Place(5, "a"), ["a", "b", "a"], 3),
            (Place(1, "a"), ["x", "y"], None),
            (Place(1, "a"), [], None),
            (Place(1, "a"), [""], 1),
        ],
    )
    def test_it_is_found_again_behind_the_message_it_stood_behind(self, place, keys, found):
        assert locate(place, keys) == found

    def test_edits_follow_their_messages(self):
        views = [MessageView("user", t, key=t) for t in "abcd"]
        edits = [
            AddMessage(Place(1, "a"), "assistant", "+", BY),
            RemoveMessage(Place(1, "a"), BY, "b"),
            ReplaceMessage(Place(2, "b"), "C", BY, "c"),
            AppendToResult("x", "y", BY),
        ]
        assert [e.view.text for e in History(views, edits).entries] == ["a", "+", "C", "d"]
        shifted = History(views[1:], edits)
        assert [e.view.text for e in shifted.entries] == ["C", "d"]
        assert [type(e).__name__ for e in shifted.lost] == ["AddMessage"]
        assert [e.at for e in shifted.edits if hasattr(e, "at")] == [Place(0, ""), Place(1, "b")]
        again = History(views[1:], shifted.edits)
        assert again.entries == shifted.entries
        assert again.lost == ()

    def test_a_message_that_stood_there_twice_is_not_mistaken_for_the_other(self):
        views = [MessageView("user", t, key=t) for t in ("x", "x")]
        edit = RemoveMessage(Place(5, "gone"), BY, "x")
        assert History(views, [edit]).lost == (edit,)

    def test_without_keys_the_position_counts(self):
        views = [MessageView("user", t) for t in "abc"]
        made = History(views, [RemoveMessage(Place(1), BY), AddMessage(Place(2), "user", "+", BY)])
        assert [e.view.text for e in made.entries] == ["a", "+", "c"]


class TestJson:
    def test_a_state_survives_being_written_and_read(self):
        loop = refunding(inj.fact("told", "Told.", slot="messages", role="assistant"))
        loop.step("lookup", ("skip_step", {"reason": "r"}))
        loop.state = inj.park(loop.state, "told")
        held = json.loads(json.dumps(inj.to_json(loop.state)))
        state, refused = inj.from_json(held)
        assert refused == ()
        assert inj.to_json(state) == held
        request = loop.call()
        loop.state, loop.action = state, loop.action - 1
        again = loop.call()
        assert (again.texts, again.tools, again.system) == (
            request.texts, request.tools, request.system,
        )  # fmt: skip

    @pytest.mark.parametrize("value", [None, [], "x", 3, {}, {"history": 3, "waits": []}])
    def test_what_is_no_state_is_an_empty_one(self, value):
        assert inj.from_json(value) == (inj.State(), ())

    def test_a_text_that_is_none_is_stopped_at_the_door_and_named(self):
        edit = {"edit": "add", "at": {"position": 0, "after": ""}, "role": "user", "key": "",
                "action": 1, "by": {"source": "fact", "id": "f", "reason": "r"}}  # fmt: skip
        good = {**edit, "text": "Told."}
        held = {
            "history": [edit, {**edit, "text": None}, good, {**good, "role": 3}, {"edit": "?"}],
            "results": [{"name": "look", "text": 3}, {"name": "look", "text": "r"}, "x", {}],
        }
        state, refused = inj.from_json(held)
        assert [e.text for e in state.history] == ["Told."]
        assert [r.text for r in state.results] == ["r"]
        assert state.results[0].status == "unknown"
        assert [(r.door, r.id) for r in refused] == [
            ("restored state", "look"), ("restored state", "f"), ("restored state", "f"),
        ]  # fmt: skip
        assert "is missing" in refused[1].problem
        assert "is null" in refused[2].problem
        assert "type int" in refused[0].problem

    @pytest.mark.parametrize(
        "edit",
        [
            AddMessage(Place(1, "a"), "user", "x", BY, "k", 3),
            ReplaceMessage(Place(1, "a"), "x", BY, "k"),
            RemoveMessage(Place(1, "a"), BY, "k"),
            AppendToResult("c", "x", BY),
            ReplaceResult("c", "x", BY),
        ],
    )
    def test_every_edit_of_history_survives(self, edit):
        state = inj.keep(inj.State(), [edit])
        read, refused = inj.from_json(json.loads(json.dumps(inj.to_json(state))))
        assert refused == ()
        assert read.history == (edit,)
        assert type(read.history[0]) is type(edit)

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=5),
            lambda inner: st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["history", "results", "pointer", "window", "waits", "edit", "at",
                                 "by", "text", "name", "bodies", "add", "position", "activated"]),
                inner, max_size=5,
            ),
            max_leaves=20,
        )
    )  # fmt: skip
    def test_reading_never_raises(self, value):
        state, _ = inj.from_json(value)
        inj.to_json(state)


class TestDoors:
    @pytest.mark.parametrize("door", get_args(doors.Door))
    def test_each_door_names_itself(self, door):
        assert doors.check("text", door, "x") is None
        assert doors.check("", door, "x") is None
        found = doors.check(None, door, "x")
        assert (found.door, found.id) == (door, "x")
        assert "null" in found.problem

    def test_the_last_net_says_that_a_door_was_passed_by(self):
        assert "a door let it pass" in doors.check(3, "slot", "message 2 of 3").problem
        assert "a door" not in doors.check(3, "rewrite", "x").problem
        assert "is missing" in doors.check(doors.MISSING, "slot", "x").problem

    def test_a_result_without_a_text_is_named_and_the_step_still_counts(self):
        loop = refunding()
        loop.call()
        outcome = inj.context.ToolOutcome("lookup", "c1", "ok", None)
        settled = inj.settle(loop.declared, loop.state, [outcome])
        assert [type(n).__name__ for n in settled.notes] == ["DoorRefused", "StepAdvanced"]
        assert settled.notes[0].door == "tool result"


def test_a_lost_result_edit_is_no_lost_place():
    loop = refunding()
    loop.step("lookup")
    loop.messages = loop.messages[:1]
    loop.call()
    assert loop.of(Removed) == []
