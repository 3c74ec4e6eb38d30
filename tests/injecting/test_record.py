"""What the record says: where pieces come from, what is hidden, and turns that nobody opened."""

from __future__ import annotations

import json
from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.telemetry import names
from tests.injecting.kit import Loop, call, calls, tool
from tests.sdk import chat

CANARY = "canary-4417"


class TestCredit:
    def test_context_that_the_application_places_is_on_the_record_with_its_source(self) -> None:
        loop = Loop(chat("Yes."), chat("Yes."))
        text = footprint.credit(
            "Likes tea.", source="memory", id="likes", reason="asked", score=0.8
        )
        with loop.footprint.turn("Tea?"):
            loop.messages.append({"role": "user", "content": text})
            loop.run("Tea?")
            loop.run("More?")
        assert json.dumps(loop.sent[0]["messages"][1]) == (
            '{"role": "user", "content": "Likes tea."}'
        )
        assert loop.rows("messages")[0] == ("memory", "likes", "asked")
        (injected,) = loop.events(names.EVENT_INJECTED)
        assert injected[names.INJECTION_SCORE] == 0.8
        assert injected[names.INJECTION_TRIGGER] == "application"

    def test_a_message_may_carry_the_mark_and_a_system_prompt_too(self) -> None:
        loop = Loop(chat("Yes."))
        system = footprint.credit(
            {"role": "system", "content": "Rules."}, source="steering", id="r"
        )
        loop.messages = [system]
        with loop.footprint.turn("Tea?"):
            loop.run("Tea?")
        assert loop.rows("system")[0][:2] == ("steering", "r")

    def test_a_credit_of_one_turn_is_none_of_another(self) -> None:
        loop = Loop(chat("Yes."), chat("Yes."))
        with loop.footprint.turn("Tea?"):
            footprint.credit("Tea?", source="memory", id="likes")
            loop.run("Tea?")
        loop.messages = []
        with loop.footprint.turn("Tea?"):
            loop.run("Tea?")
        assert [row[0] for row in loop.rows("messages")] == ["memory", "user"]

    def test_it_stands_beside_what_is_declared_and_is_no_persons_words(self) -> None:
        loop = Loop(
            chat("Yes."),
            context=[footprint.instruction("t", "Said.", when=lambda ctx: ctx.text == "Tea?")],
        )
        with loop.footprint.turn():
            loop.messages.append({"role": "user", "content": "Tea?"})
            placed = footprint.credit("Likes tea.", source="memory", id="likes")
            loop.messages.append({"role": "user", "content": placed})
            loop.go_on()
        assert loop.texts()[1] == "Said."


class TestContent:
    def declared(self) -> list[Any]:
        return [
            footprint.fact("mail", f"Mail {CANARY}@example.org.", description=f"{CANARY}@x.org"),
            footprint.skill(
                "two", "Two.", "Body.", tools=["one", "other"],
                steps=[footprint.Step("one", "first"), footprint.Step("other", "second")],
                auto_activate=footprint.always(),
            ),
            footprint.instruction("bad", "x", when=_raising),
        ]  # fmt: skip

    def ran(self, content: str) -> Loop:
        loop = Loop(
            calls(call("c1", "skip_step", reason=f"write to {CANARY}@example.org")),
            chat("Done."),
            content=content,
            context=self.declared(),
            dispatch=True,
        )
        loop.tools = [tool("one"), tool("other")]
        with loop.footprint.turn("Go.") as turn:
            loop.run("Go.", turn)
        return loop

    @pytest.mark.parametrize("content", ["none", "redacted"])
    def test_reasons_errors_and_texts_are_redacted_in_every_event(self, content: str) -> None:
        loop = self.ran(content)
        assert f"Mail {CANARY}@example.org." in loop.texts(0)
        exported = "\n".join(span.to_json() for span in loop.recording.spans)
        assert CANARY not in exported
        (skipped,) = loop.events(names.EVENT_STEP_SKIPPED)
        assert skipped[names.STEP_REASON] == "write to [redacted:email]"
        errors = {e[names.SKIPPED_ERROR] for e in loop.events(names.EVENT_SKIPPED)}
        assert errors == {"ValueError: [redacted:email]"}

    def test_in_full_they_are_as_they_are(self) -> None:
        loop = self.ran("full")
        (skipped,) = loop.events(names.EVENT_STEP_SKIPPED)
        assert skipped[names.STEP_REASON] == f"write to {CANARY}@example.org"


def _raising(ctx: Any) -> bool:
    raise ValueError(f"{CANARY}@example.org")


class TestCache:
    def test_what_breaks_the_cacheable_prefix_is_on_the_record(self) -> None:
        context = [
            footprint.fact("early", "Early.", when=footprint.on_action(2)),
            footprint.fact("late", "Late."),
            footprint.instruction("n", template="Call {{action}}."),
        ]
        loop = Loop(calls(call("c1", "look")), chat("Done."), context=context)
        loop.functions = {"look": lambda: "found"}
        with loop.footprint.turn("Go.") as turn:
            loop.run("Go.", turn)
        assert loop.texts(0)[1:3] == ["Late.", "Call 1."]
        assert loop.texts(1)[1:4] == ["Early.", "Late.", "Call 2."]
        (broken,) = loop.events(names.EVENT_CACHE_BROKEN)
        assert broken[names.SLOT] == "system"
        assert broken[names.CACHE_CAUSE] == "inserted"
        assert broken[names.INJECTION_ID] == "early"


class TestManyPieces:
    def test_no_event_is_lost_to_the_limits_of_a_span(self) -> None:
        context = [footprint.fact(f"f{n}", f"Fact {n}.") for n in range(260)]
        loop = Loop(chat("Yes."), context=context)
        with loop.footprint.turn("Go."):
            loop.run("Go.")
        ids = {e[names.INJECTION_ID] for e in loop.events(names.EVENT_INJECTED)}
        assert len(ids) == 260


class TestNoTurn:
    LEFT = footprint.instruction("n", template="Call {{action}}.")
    NOTE = footprint.fact("note", "Seen.", slot="messages", role="assistant")

    def looped(self, *answers: Any, **options: Any) -> Loop:
        loop = Loop(*answers, context=[self.LEFT, self.NOTE], **options)
        loop.functions = {"look": lambda: "found"}
        return loop

    def test_calls_that_continue_one_another_share_one_state(self) -> None:
        loop = self.looped(calls(call("c1", "look")), calls(call("c2", "look")), chat("Done."))
        loop.run("Go.")
        assert [loop.texts(at)[1] for at in range(3)] == ["Call 1.", "Call 2.", "Call 3."]
        assert loop.texts(2)[2:4] == ["Go.", "Seen."]
        assert len({s.context.trace_id for s in loop.recording.spans}) == 1

    def test_a_persons_next_message_begins_a_turn_that_keeps_the_history(self) -> None:
        loop = self.looped(chat("One."), chat("Two."))
        loop.run("Go.")
        loop.run("More.")
        assert loop.texts(1) == ["Be brief.", "Call 1.", "Go.", "Seen.", "One.", "More."]
        assert len({s.context.trace_id for s in loop.recording.spans}) == 2

    def test_other_histories_have_a_state_of_their_own(self) -> None:
        loop = self.looped(chat("One."), chat("Two."))
        loop.run("Go.")
        loop.messages = []
        loop.run("Another.")
        assert loop.texts(1) == ["Call 1.", "Another.", "Seen."]

    def test_what_ends_such_a_turn_is_on_its_last_record(self) -> None:
        piece = footprint.skill(
            "two", "Two.", "Body.", tools=["one", "other"],
            steps=[footprint.Step("one", "first"), footprint.Step("other", "second")],
            auto_activate=footprint.always(),
        )  # fmt: skip
        loop = Loop(chat("Done."), context=[piece])
        loop.run("Go.")
        loop.footprint.flush()
        assert loop.events(names.EVENT_STEPS_UNFINISHED) == []  # no dispatcher, no tenure


def test_the_clients_of_two_footprints_let_in_what_is_theirs() -> None:
    outer = Loop(calls(call("c1", "ask")), chat("Done."), context=[footprint.fact("a", "Outer.")])
    inner = Loop(chat("Inner."), context=[footprint.fact("b", "Inner fact.")])
    outer.functions = {"ask": lambda: inner.run("Sub?")}
    with outer.footprint.turn("Go.") as turn:
        outer.run("Go.", turn)
    assert outer.texts(1)[1] == "Outer."
    assert inner.texts(0)[1:] == ["Inner fact.", "Sub?"]


def test_nothing_is_let_in_while_suppressed() -> None:
    loop = Loop(chat("Yes."), context=[footprint.fact("a", "A fact.")])
    with footprint.suppress():
        loop.run("Go.")
    assert loop.texts() == ["Be brief.", "Go."]
