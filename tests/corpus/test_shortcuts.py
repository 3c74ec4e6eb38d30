"""What is remembered from call to call for speed never shows on a later call's record."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import pytest
from opentelemetry.sdk.trace import SpanLimits

import otel_footprint as footprint
from otel_footprint.run.apart import taken_apart
from otel_footprint.run.ledger import Memory
from otel_footprint.run.parts import Bounds, build, columns
from otel_footprint.run.texts import Texts
from otel_footprint.slots.entry import Piece, make, plain_hash
from otel_footprint.telemetry import names
from otel_footprint.wire import dialect_for, find_media
from tests.adapters.conftest import Recorded
from tests.corpus.odd import Hostile
from tests.sdk import Recording, chat

MESSAGES: list[Any] = [{"role": "user", "content": "hi"}]
GEMINI = "/v1beta/models/g:generateContent"
CONVERSE = "/model/m/converse"
CHAT = "/v1/chat/completions"
TRUE_K: Any = {"generationConfig": {"topK": True}}
MOST: Any = {"inferenceConfig": {"maxTokens": 1}}
TRUE_MOST: Any = {"inferenceConfig": {"maxTokens": True}}
BEDROCK: Any = {"messages": [{"role": "user", "content": [{"text": "hi"}]}]}


@pytest.mark.parametrize(
    ("provider", "path", "one", "other"),
    [
        ("openai", CHAT, {"temperature": 1}, {"temperature": True}),
        ("openai", CHAT, {"seed": 1, "stream": True}, {"stream": 1, "seed": True}),
        ("openai", CHAT, {"reasoning": {"effort": "low"}}, {"reasoning": {"effort": "high"}}),
        ("gcp.gemini", GEMINI, {"generationConfig": {"topK": 1}}, TRUE_K),
        ("aws.bedrock", CONVERSE, MOST, TRUE_MOST),
        ("ollama", "/api/chat", {"options": {"seed": 0}}, {"options": {"seed": False}}),
    ],
)
def test_a_request_has_its_own_facts_after_one_that_compares_equal(
    provider: str, path: str, one: Any, other: Any
) -> None:
    for more in (one, other, one):
        body = {**(BEDROCK if provider == "aws.bedrock" else {"messages": MESSAGES}), **more}
        dialect = dialect_for(provider, path, body)
        assert dialect is not None
        _, _, facts = taken_apart(dialect, body)
        assert repr(facts) == repr(dialect.facts(body))


def test_facts_of_a_body_that_is_edited_in_place_are_those_of_its_last_state() -> None:
    body: dict[str, Any] = {"messages": MESSAGES, "stop": ["a"], "reasoning": {"effort": "low"}}
    dialect = dialect_for("openai", CHAT, body)
    assert dialect is not None
    taken_apart(dialect, body)
    body["stop"].append("b")
    body["reasoning"]["effort"] = "high"
    _, _, facts = taken_apart(dialect, body)
    assert (facts.stop, facts.reasoning) == (("a", "b"), "high")


class Stops(list[str]):
    """A list of the application's."""


def test_facts_of_an_object_of_the_applications_are_read_each_time_and_it_is_let_go() -> None:
    stops = Stops(["a"])
    body: dict[str, Any] = {"messages": MESSAGES, "stop": stops, "more": {"deep": [stops]}}
    dialect = dialect_for("openai", CHAT, body)
    assert dialect is not None
    taken_apart(dialect, body)
    stops.append("b")
    assert taken_apart(dialect, body)[2].stop == ("a", "b")
    left = weakref.ref(stops)
    del stops, body
    gc.collect()
    assert left() is None


def test_a_request_whose_values_cannot_be_compared_stays_itself() -> None:
    dialect = dialect_for("openai", CHAT, {"messages": MESSAGES})
    assert dialect is not None
    for inner in (1, Hostile()):
        body = {"messages": MESSAGES, "extra": {"a": [inner]}}
        assert taken_apart(dialect, body)[0] is body


class Overtaken(Memory):
    """The memory of a turn in which another call always asks in between."""

    __slots__ = ()
    others: Any = ((), {names.REQUEST_TEMPERATURE: 2.0})

    @property
    def asked(self) -> Any:  # type: ignore[override]
        return self.others

    @asked.setter
    def asked(self, _: Any) -> None:
        pass


def test_a_call_says_what_it_asked_for_while_others_of_its_turn_run(recorded: Recorded) -> None:
    fp = recorded.footprint
    with fp.turn("hi") as turn:
        turn.ledger.memory.__class__ = Overtaken
        body = {"model": "gpt-4o", "messages": MESSAGES, "temperature": 0.5}
        fp.record("openai", CHAT, body, chat("hello"))
    (call,) = recorded.calls
    assert call.attributes[names.REQUEST_TEMPERATURE] == 0.5


def test_calls_at_once_in_one_turn_keep_their_own_facts(recorded: Recorded) -> None:
    fp = recorded.footprint
    with fp.turn("hi"):
        go = footprint.propagate(_calls)
        threads = [threading.Thread(target=go, args=(fp, n)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for call in recorded.calls:
        assert (
            call.attributes["gen_ai.request.model"] == f"m{call.attributes['gen_ai.request.seed']}"
        )


def _calls(fp: Any, number: int) -> None:
    body = {"model": f"m{number}", "seed": number, "messages": MESSAGES}
    for _ in range(20):
        fp.record("openai", CHAT, body, chat("hello"))


def test_a_text_that_is_not_restated_for_want_of_room_counts_as_left_out() -> None:
    texts = Texts(200)
    message = {"role": "user", "content": "what was said " * 6}
    piece = Piece(message, "user", "user", "", "", "", message["content"], 84, 20)
    fresh = [make(piece, plain_hash)]
    (first,) = build(fresh, texts, True, Bounds(), find_media, 1)
    (again,) = build(fresh, texts, True, Bounds(), find_media, 1, again=True)
    assert first.text
    assert not again.text
    assert columns(again, 2_000)[names.TEXT_LEFT_OUT] == 1


@pytest.mark.parametrize("room", range(6, 22))
def test_a_span_with_little_room_says_of_declared_caps_last_what_is_searched(room: int) -> None:
    recording = Recording(span_limits=SpanLimits(max_span_attributes=room))
    budget = footprint.Budget(system=1, messages=1, tools=1)
    fp = footprint.Footprint("agent", content="full", budget=budget, **recording.providers)
    tools = [{"type": "function", "function": {"name": "f"}}]
    system = {"role": "system", "content": "Be brief."}
    body = {"model": "gpt-4o", "messages": [system, *MESSAGES], "tools": tools}
    with fp.turn("hi"):
        fp.record("openai", CHAT, body, None)
    (call,) = recording.named("chat")
    said = set(call.attributes or {})
    assert names.OVER_DECLARED in said or said.isdisjoint(names.OVER)
    recording.tracer_provider.shutdown()
    recording.meter_provider.shutdown()
