"""Delivery and window: what enters the history, what leaves it, and what is said about both."""

from __future__ import annotations

from typing import Any

import otel_footprint as footprint
from otel_footprint.telemetry import names
from tests.injecting.kit import Loop, call
from tests.sdk import chat

TRUST = footprint.fact("trust", "The card is mine.", slot="messages", role="user")
NOTE = footprint.fact("note", "Seen.", slot="messages", role="assistant")


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def model(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


class TestDelivery:
    def test_a_message_enters_once_and_stays_at_its_place(self) -> None:
        loop = Loop(chat("One."), chat("Two."), chat("Three."), context=[NOTE])
        with loop.footprint.turn("Hello?"):
            for text in ("Hello?", "And?", "More?"):
                loop.run(text)
        assert loop.texts(0) == ["Be brief.", "Hello?", "Seen."]
        assert loop.texts(2) == [
            "Be brief.", "Hello?", "Seen.", "One.", "And?", "Two.", "More?",
        ]  # fmt: skip
        assert loop.messages[2] == {"role": "assistant", "content": "One.", **_rest(loop, 2)}
        (injected,) = loop.events(names.EVENT_INJECTED, "compose messages")
        assert injected[names.INJECTION_NAME] == "assistant"
        assert injected[names.INJECTION_ID] == "note"
        assert injected[names.DELIVERY_KEY]
        assert loop.rows("messages").count(("fact", "note", "fact note active")) == 1

    def test_it_is_never_put_between_a_tool_call_and_its_result(self) -> None:
        loop = Loop(chat("Done."), context=[NOTE])
        loop.messages += [
            user("Look."),
            {"role": "assistant", "tool_calls": [call("c1", "look"), call("c2", "look")]},
            {"role": "tool", "tool_call_id": "c1", "content": "found"},
        ]
        with loop.footprint.turn("Look."):
            loop.client.chat.completions.create(model="gpt-4o-mini", messages=loop.messages)  # type: ignore[arg-type]
            loop.messages.append({"role": "tool", "tool_call_id": "c2", "content": "found"})
            loop.client.chat.completions.create(model="gpt-4o-mini", messages=loop.messages)  # type: ignore[arg-type]
        assert loop.texts(0)[-1] == "found"
        assert loop.texts(1)[-2:] == ["found", "Seen."]
        (waits,) = loop.events(names.EVENT_DEFERRED, "chat")
        assert waits[names.DELIVERY_REASON] == "unanswered-tool-call"

    def test_what_waits_for_three_boundaries_is_said_to_be_stuck_once(self) -> None:
        loop = Loop(*[chat("One.")] * 5, context=[TRUST])
        with loop.footprint.turn("Hello?"):
            for text in "abcde":
                loop.run(text)
        waits = loop.events(names.EVENT_DEFERRED, "chat")
        assert [w[names.DELIVERY_BOUNDARIES] for w in waits] == [1, 2, 3, 4, 5]
        assert waits[0][names.DELIVERY_REASON] == "role-collision"
        (stuck,) = loop.events(names.EVENT_STUCK, "chat")
        assert stuck[names.DELIVERY_BOUNDARIES] == 3
        assert "slot system" in stuck[names.DELIVERY_NOTE]
        loop.footprint.core.metrics.flush()
        assert _counted(loop, names.METRIC_DEFERRED) == {"role-collision": 5}

    def test_a_conversation_keeps_what_was_delivered_in_an_earlier_turn(self) -> None:
        loop = Loop(chat("One."), chat("Two."), context=[NOTE])
        for text in ("Hello?", "And?"):
            with loop.footprint.turn(text, conversation="c-1"):
                loop.run(text)
        assert loop.texts(1) == ["Be brief.", "Hello?", "Seen.", "One.", "And?"]
        assert len(loop.events(names.EVENT_INJECTED)) == 2  # each trace stands alone

    def test_other_conversations_and_turns_in_none_begin_anew(self) -> None:
        loop = Loop(*[chat("One.")] * 3, context=[NOTE])
        for conversation in ("a", "b", None):
            loop.messages = [user("Hello?")]
            with loop.footprint.turn("Hello?", conversation=conversation):
                loop.go_on()
            assert loop.texts() == ["Hello?", "Seen."]


class TestWindow:
    def history(self, loop: Loop) -> None:
        for n in range(4):
            loop.messages += [user(f"Question {n}"), model(f"Answer {n}")]
        loop.messages.append(user("Now?"))

    def test_a_sliding_window_removes_the_oldest_and_says_what_left(self) -> None:
        loop = Loop(chat("Yes."), chat("Yes."), window=footprint.sliding_window(2))
        self.history(loop)
        before = [dict(m) for m in loop.messages]
        with loop.footprint.turn("Now?"):
            loop.go_on()
            loop.run("And?")
        assert loop.messages[: len(before)] == before
        assert loop.texts(0)[0] == "Be brief."
        assert "Question 0" not in loop.texts(0)
        assert loop.texts(0)[-1] == "Now?"
        removed = loop.events(names.EVENT_REMOVED)
        assert {r[names.REMOVED_REASON] for r in removed} == {"window"}
        assert removed[0][names.INJECTION_SOURCE] == "user"
        assert removed[0][names.REMOVED_SURVIVAL] == 0
        sent = {e for c in loop.events(names.EVENT_COMPOSED) for e in c.get(names.PIECE_HASH, ())}
        assert all(len(r[names.REMOVED_KEY]) == 32 for r in removed)
        assert not any(h.startswith(r[names.REMOVED_KEY]) for r in removed[:1] for h in sent)
        loop.footprint.core.metrics.flush()
        assert _counted(loop, names.METRIC_EVICTED)["window"] == len(removed)

    def test_the_current_request_and_open_tool_calls_stay_and_it_is_said_why(self) -> None:
        loop = Loop(chat("Yes."), window=footprint.token_budget(1, keep_rounds=1))
        loop.messages += [
            user("Look."),
            {"role": "assistant", "tool_calls": [call("c1", "look")]},
            {"role": "tool", "tool_call_id": "c1", "content": "found"},
        ]
        with loop.footprint.turn("Look."):
            loop.go_on()
            loop.go_on()
        assert "Look." in loop.texts(1)
        refused = loop.events(names.EVENT_WINDOW_REFUSED, "chat")
        assert refused
        assert refused[-1][names.VISIT_REMOVED] == 0
        assert refused[-1][names.VISIT_REASONS]

    def test_the_oldest_is_summarised_by_the_applications_own_summariser(self) -> None:
        asked: list[str] = []

        def summarise(text: str) -> str:
            asked.append(text)
            return "They asked things."

        window = footprint.summarise_oldest(5, summarise, keep_rounds=1)
        loop = Loop(chat("Yes."), chat("Yes."), window=window)
        for n in range(4):
            loop.messages += [user(f"Question {n}. " + "word " * 60), model("Answer " * 40)]
        loop.messages.append(user("Now?"))
        with loop.footprint.turn("Now?"):
            loop.go_on()
            loop.run("And?")
        assert len(asked) == 1
        summary = loop.texts(1)[1]
        assert summary.startswith("[compacted history — ")
        assert "They asked things." in summary
        assert not footprint.is_said_by_person(user(summary))
        assert any(source == "window" for source, _, _ in loop.rows("messages"))

    def test_a_summariser_that_fails_removes_nothing(self) -> None:
        def broken(text: str) -> str:
            raise RuntimeError("down")

        loop = Loop(
            chat("Yes."), chat("Yes."), window=footprint.summarise_oldest(5, broken, keep_rounds=1)
        )
        self.history(loop)
        with loop.footprint.turn("Now?"):
            loop.go_on()
            loop.run("And?")
        assert "Question 0" in loop.texts(1)
        (refused,) = loop.events(names.EVENT_WINDOW_REFUSED, "chat")
        assert "summariser-failed" in refused[names.VISIT_REASONS]

    def test_what_a_summariser_calls_is_not_taken_for_a_call_of_the_turn(self) -> None:
        loop = Loop(chat("Yes."), chat("Short."), chat("Yes."))

        def summarise(text: str) -> str:
            answer = loop.client.chat.completions.create(
                model="gpt-4o-mini",
                messages=[{"role": "user", "content": text}],  # type: ignore[list-item]
            )
            return str(answer.choices[0].message.content)

        other = footprint.Footprint(
            "agent", window=footprint.summarise_oldest(5, summarise, keep_rounds=1),
            **loop.recording.providers,
        )  # fmt: skip
        other.wrap(loop.client)
        for n in range(4):
            loop.messages += [user(f"Question {n}. " + "word " * 60), model("Answer " * 40)]
        loop.messages.append(user("Now?"))
        with other.turn("Now?"):
            loop.go_on()
            loop.run("And?")
        assert len(loop.sent) == 3
        assert len(loop.recording.named("chat")) == 2


def _rest(loop: Loop, at: int) -> dict[str, Any]:
    return {k: v for k, v in loop.messages[at].items() if k not in ("role", "content")}


def _counted(loop: Loop, metric: str) -> dict[str, Any]:
    data = loop.recording.reader.get_metrics_data()
    assert data is not None
    return {
        str((point.attributes or {})[names.LABEL_REASON]): point.value  # type: ignore[union-attr]
        for r in data.resource_metrics
        for s in r.scope_metrics
        for m in s.metrics
        if m.name == metric
        for point in m.data.data_points
    }
