"""The last net: an edit without a text never leaves, and says that a door was passed by."""

from __future__ import annotations

from typing import Any

import otel_footprint as footprint
from otel_footprint.records.plan import AddMessage, AppendSystem, Cause, Place, Plan
from otel_footprint.run.letting import checked
from otel_footprint.telemetry import names
from tests.injecting.kit import Loop
from tests.sdk import chat

BY = Cause("fact", "shop", "why")


def test_an_edit_without_a_text_is_taken_out_and_named() -> None:
    wrong: Any = None
    good = AppendSystem("In Ghent.", BY)
    plan = Plan(
        system=(good, AppendSystem(wrong, BY)), history=(AddMessage(Place(0), "user", wrong, BY),)
    )
    left, refused = checked(plan)
    assert left == Plan(system=(good,))
    assert [(r.door, r.id) for r in refused] == [("slot", "fact shop")] * 2
    assert "a door let it pass" in refused[0].problem
    whole = Plan(system=(good,))
    assert checked(whole) == (whole, [])


def test_what_a_restored_state_holds_without_a_text_is_refused_at_its_door() -> None:
    loop = Loop(chat("Yes."), context=[footprint.fact("shop", "In Ghent.")])
    saved = {"turn": "t", "context": {"state": {"results": [{"name": "look", "text": None}]}}}
    with loop.footprint.turn(resume=saved):
        loop.run("Go.")
    (skipped,) = loop.events(names.EVENT_SKIPPED, "chat")
    assert skipped[names.SKIPPED_DOOR] == "restored state"


def test_a_state_that_is_nonsense_is_as_if_it_were_not_there() -> None:
    for saved in (
        {"turn": "t"},
        {"turn": "t", "context": 7},
        {"turn": "t", "context": {"state": [1], "open": 3}},
        {"span": "x", "actions": "y", "turn": 7, "conversation": []},
    ):
        loop = Loop(chat("Yes."), context=[footprint.fact("shop", "In Ghent.")])
        with loop.footprint.turn(resume=saved):
            loop.run("Go.")
        assert loop.texts() == ["Be brief.", "In Ghent.", "Go."]
