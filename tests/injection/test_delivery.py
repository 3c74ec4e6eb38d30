"""Declared messages enter the history once, where a provider takes them (rows MS56 to MS65)."""

from __future__ import annotations

import json

import pytest

import otel_footprint.injection as inj
from otel_footprint.injection.delivery import deliver
from otel_footprint.records.injection import Deferred, Delivered, Removed, Stuck
from otel_footprint.records.plan import Place
from otel_footprint.records.view import MessageView

from .loop import Loop


def telling(role: str, text: str = "Told.", **more) -> inj.Injection:
    return inj.fact("told", text, slot="messages", role=role, **more)


def loop_of(*pieces, **facts) -> Loop:
    loop = Loop(inj.declare(pieces), ["look"])
    loop.facts.update(facts)
    loop.says("Hello.")
    return loop


def test_a_message_is_put_behind_the_request_once_and_stays_at_its_place():
    loop = loop_of(telling("assistant"))
    for _ in range(4):
        loop.step("look")
    for request in loop.requests:
        assert request.texts.count("Told.") == 1
        assert request.texts[1] == "Told."
    (delivered,) = loop.of(Delivered)
    assert (delivered.id, delivered.role, delivered.at) == ("told", "assistant", 1)


def test_the_edit_says_what_let_it_in():
    loop = loop_of(telling("assistant", description="the policy", when=inj.on_action(1)))
    loop.call()
    (edit,) = loop.plans[0].history
    assert edit.by == ("fact", "told", "the policy", "action 1", None, None, None)
    loop.run("look")
    assert "Told." in loop.call().texts


def test_a_user_message_in_a_tool_loop_waits_at_every_boundary_and_says_so_after_three():
    loop = loop_of(telling("user"))
    for _ in range(5):
        loop.step("look")
    assert all("Told." not in request.texts for request in loop.requests)
    deferred = loop.of(Deferred)
    assert [(n.reason, n.boundaries) for n in deferred] == [
        ("role-collision", n) for n in (1, 2, 3, 4, 5)
    ]
    assert "assistant" in deferred[0].note
    assert [(n.id, n.reason, n.boundaries) for n in loop.of(Stuck)] == [
        ("told", "role-collision", 3)
    ]


def test_what_waited_is_delivered_as_soon_as_the_place_is_right():
    loop = loop_of(telling("user"))
    loop.step("look")
    loop.put("assistant", "Looking further.")
    assert loop.call().texts[-1] == "Told."
    assert loop.of(Delivered)[0].at == 4
    assert loop.state.waits == {}


def test_nothing_lands_between_a_tool_call_and_its_result():
    loop = loop_of(telling("user"))
    loop.put("assistant", "", call_ids=("open",), tools=("look",))
    boundary = inj.before_call(
        loop.declared, loop.state, inj.CallFacts(2, messages=loop.messages, dispatch=True)
    )
    assert not boundary.plan
    assert [n.reason for n in boundary.notes] == ["unanswered-tool-call"]


def test_the_rest_of_an_injection_waits_behind_its_first_and_others_do_not():
    several = inj.injection("several", messages=[("user", "One."), ("assistant", "Two.")])
    loop = loop_of(several, telling("assistant"))
    assert loop.call().texts == ["Hello.", "Told."]
    loop.put("assistant", "Hm.")
    assert loop.call().texts == ["Hello.", "Told.", "Hm.", "One.", "Two."]


def test_two_of_one_injection_go_in_together_in_order():
    several = inj.injection("several", messages=[("assistant", "One."), ("user", "Two.")])
    assert loop_of(several).call().texts == ["Hello.", "One.", "Two."]


def test_a_role_that_the_provider_does_not_carry_is_stuck_at_once():
    loop = loop_of(telling("system"))
    loop.call()
    loop.call()
    assert [n.reason for n in loop.of(Deferred)] == ["role-not-carried"] * 2
    assert len(loop.of(Stuck)) == 1
    carrying = loop_of(telling("system"), carries={"user", "assistant", "system"})
    assert carrying.call().texts == ["Hello.", "Told."]


def test_a_role_with_which_no_request_may_end_is_stuck_at_once():
    loop = loop_of(telling("assistant"), closes={"user"})
    loop.call()
    assert [n.reason for n in loop.of(Stuck)] == ["role-not-last"]


def test_a_changed_text_is_another_message():
    loop = loop_of(telling("assistant"))
    loop.call()
    loop.declared = inj.declare([telling("assistant", "Told anew.")])
    loop.put("assistant", "Hm.")
    loop.put("user", "And?")
    assert loop.call().texts == ["Hello.", "Told.", "Hm.", "And?", "Told anew."]


def test_it_is_delivered_once_for_a_conversation_not_once_a_turn():
    loop = loop_of(telling("assistant"))
    loop.call()
    loop.put("assistant", "Hi.")
    loop.says("Next.")
    assert loop.call().texts == ["Hello.", "Told.", "Hi.", "Next."]
    assert len(loop.of(Delivered)) == 1


def test_a_restored_state_delivers_it_not_again_and_keeps_its_place():
    loop = loop_of(telling("assistant"))
    loop.call()
    loop.state, refused = inj.from_json(json.loads(json.dumps(inj.to_json(loop.state))))
    assert refused == ()
    loop.run("look")
    assert loop.call().texts == ["Hello.", "Told.", "", "look came back"]


def test_a_message_that_the_history_holds_already_counts_as_delivered():
    loop = loop_of(telling("assistant"))
    loop.messages.append(MessageView("assistant", "Told.", "fact", "told", key="x"))
    assert loop.call().texts == ["Hello.", "Told."]
    assert loop.notes == []


def test_a_framework_that_keeps_our_messages_gets_each_once():
    loop = loop_of(telling("assistant"), persists=True)
    assert len(loop.call().messages) == 2
    edit = loop.plans[0].history[0]
    loop.messages.append(MessageView(edit.role, edit.text, edit.by.source, edit.by.id, key="kept"))
    loop.run("look")
    assert loop.call().texts == ["Hello.", "Told.", "", "look came back"]
    assert not loop.plans[-1]


def test_a_place_is_found_again_when_the_caller_drops_old_messages():
    loop = loop_of(telling("assistant"))
    loop.step("look")
    loop.put("assistant", "Hi.")
    loop.says("Next.")
    loop.messages.insert(0, MessageView("system", "Be brief.", key="k0"))
    assert loop.call().texts[:3] == ["Be brief.", "Hello.", "Told."]
    del loop.messages[0:4]
    assert [m.text for m in loop.messages] == ["Hi.", "Next."]
    assert loop.call().texts == ["Hi.", "Next."]
    (lost,) = loop.of(Removed)
    assert (lost.id, lost.reason) == ("told", "place-lost")
    assert loop.call().texts == ["Hi.", "Next."]
    loop.put("assistant", "Yes.")
    loop.says("And now?")
    assert loop.call().texts == ["Hi.", "Next.", "Yes.", "And now?"]
    assert len(loop.of(Removed)) == 1


@pytest.mark.parametrize(
    ("tail", "role", "why"),
    [
        (MessageView("tool", "r", answers=("c",)), "user", "role-collision"),
        (MessageView("user", "r", answers=("c",)), "user", "role-collision"),
        (MessageView("model", "x"), "assistant", "role-collision"),
        (MessageView("model", "x"), "user", None),
        (MessageView("developer", "x"), "system", "role-collision"),
        (None, "user", None),
    ],
)
def test_the_side_on_which_the_history_ends_decides(tail, role, why):
    history = []
    if tail is not None:
        history = [MessageView("assistant", "", call_ids=tail.answers), tail]
    found = deliver([telling(role)], history, Place(0), carries={"user", "assistant", "system"})
    assert [n.reason for n in found.notes if isinstance(n, Deferred)] == ([why] if why else [])
    assert bool(found.edits) == (why is None)


def test_with_no_piece_that_declares_a_message_the_history_is_not_looked_at():
    class Untouchable(list):
        def __iter__(self):
            raise AssertionError

    declared = inj.declare([inj.fact("f", "A.")])
    boundary = inj.before_call(
        declared, inj.State(), inj.CallFacts(1, messages=Untouchable([MessageView("user")]))
    )
    assert [edit.text for edit in boundary.plan.system] == ["A."]
    assert not inj.needs_tools(declared)
