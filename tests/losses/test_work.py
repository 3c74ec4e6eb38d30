"""Work and memory per call, counted: nothing is done again for what was seen before."""

from __future__ import annotations

import copy
import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF

import otel_footprint as footprint
from otel_footprint.run import compose, core, definitions, texts
from otel_footprint.run import ledger as ledgers
from otel_footprint.slots import entry
from otel_footprint.text import jsontext
from tests.sdk import chat

from . import kit
from .kit import Session

BODY: dict[str, Any] = {"model": "gpt-4o-mini", "tools": kit.TOOLS}


class Counted:
    """Counts what is made and hashed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made = self.hashes = 0
        make, plain = compose.make, entry.plain_hash

        def counting_make(*args: Any, **more: Any) -> Any:
            self.made += 1
            return make(*args, **more)

        def counting_hash(text: str) -> str:
            self.hashes += 1
            return plain(text)

        monkeypatch.setattr(compose, "make", counting_make)
        monkeypatch.setattr(core, "plain_hash", counting_hash)

    def take(self) -> tuple[int, int]:
        found = self.made, self.hashes
        self.made = self.hashes = 0
        return found


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session()
    yield made
    made.close()


def history(count: int) -> list[dict[str, Any]]:
    return [
        {"role": ("user", "assistant")[i % 2], "content": kit.prose(f"message {i}", 200)}
        for i in range(count)
    ]


def record(fp: Any, messages: list[Any], answer: str) -> None:
    fp.record("openai", "/v1/chat/completions", {**BODY, "messages": messages}, chat(answer))


def test_a_long_history_is_hashed_once(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted(monkeypatch)
    messages = history(2_000)
    with session.footprint.turn():
        record(session.footprint, messages, "first")
        made, hashes = counted.take()
        assert 2_000 <= made <= 2_010
        assert hashes <= 2 * made + 4
        for i in range(20):
            messages.append({"role": "user", "content": kit.prose(f"new {i}", 200)})
            record(session.footprint, messages, f"answer {i}")
            made, hashes = counted.take()
            assert made <= 2, "the new message and the answer"
            assert hashes <= 4


def test_a_call_that_is_repeated_hashes_its_answer_only(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(monkeypatch)
    messages = history(100)
    with session.footprint.turn():
        record(session.footprint, messages, "first")
        counted.take()
        record(session.footprint, messages, "second")
        assert counted.take() == (1, 2)


def test_an_edit_in_the_middle_costs_its_own_entries(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages = history(2_000)
    with session.footprint.turn():
        record(session.footprint, messages, "first")
        counted = Counted(monkeypatch)
        messages[1_000] = {"role": "user", "content": "edited"}
        record(session.footprint, messages, "second")
        assert counted.take()[0] == 2
        messages[500]["content"] = "edited in place"
        record(session.footprint, messages, "third")
        assert counted.take()[0] == 2
    trail = session.trail()
    assert [c.slots["messages"].pieces for c in trail.calls] == [2_000] * 3
    assert all(trail.rows(c, "messages").proven for c in trail.calls)


def test_two_agents_on_one_client_do_not_make_each_other_new(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = history(200), [{"role": "user", "content": "other"}, *history(200)]
    with session.footprint.turn():
        record(session.footprint, one, "a")
        record(session.footprint, two, "b")
        counted = Counted(monkeypatch)
        for i in range(10):
            for messages in (one, two):
                messages.append({"role": "user", "content": f"new {i}"})
                record(session.footprint, messages, f"answer {i} {len(messages)}")
        assert counted.take()[0] <= 2 * 2 * 10


def test_tools_are_made_once_in_a_process_and_anew_when_one_is_edited(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools: list[Any] = copy.deepcopy(kit.TOOLS)
    sent = []

    def ask(content: str = "full") -> None:
        body = {**BODY, "messages": history(1), "tools": copy.deepcopy(tools)}
        sent.append(body)
        with session.footprint.turn(content=content):
            session.footprint.record("openai", "/v1/chat/completions", body, chat("answer"))

    ask()
    counted = Counted(monkeypatch)
    ask()
    assert counted.take()[0] == 2, "the message and the answer"
    tools[0]["function"]["description"] = "Edited in place."
    ask()
    assert counted.take()[0] == 3
    ask("none")
    assert counted.take()[0] == 4, "other hashes: under a key of the process"
    trail = session.trail()
    for call, body in zip(trail.calls[:3], sent[:3], strict=True):
        assert trail.rebuild(call).text == jsontext.dumps(body)
    hashes = [[row.hash for row in trail.rows(call, "tools").rows] for call in trail.calls]
    assert hashes[0] == hashes[1]
    assert hashes[1][0] != hashes[2][0]
    assert hashes[1][1] == hashes[2][1]
    assert set(hashes[3]).isdisjoint(hashes[2])


def test_a_turn_that_is_sampled_out_hashes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from opentelemetry.sdk.metrics import MeterProvider

    counted = Counted(monkeypatch)
    fp = footprint.Footprint(
        "agent",
        content="full",
        tracer_provider=TracerProvider(sampler=ALWAYS_OFF),
        meter_provider=MeterProvider(),
    )
    with fp.turn():
        for _ in range(3):
            record(fp, history(50), "answer")
    assert counted.take() == (0, 0)


def test_state_is_bounded_whatever_the_number_of_calls(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With small bounds: after many calls each store holds no more than its bound."""
    monkeypatch.setattr(texts, "MAX_TEXTS", 50)
    monkeypatch.setattr(texts, "MAX_PENDING", 40)
    monkeypatch.setattr(texts, "MAX_LEAVES", 10)
    monkeypatch.setattr(definitions, "MOST", 5)
    session.store.late = session.store.away = True  # nothing is acknowledged
    with session.footprint.turn() as turn:
        for i in range(300):
            fresh = [{"role": "user", "content": kit.prose(f"one {i}", 300)}]
            tool = {"type": "function", "function": {"name": f"tool_{i}"}}
            body = {**BODY, "messages": [*history(6), *fresh], "tools": [tool]}
            answer = chat(kit.prose(f"answer {i}", 300))
            session.footprint.record("openai", "/v1/chat/completions", body, answer)
            session.footprint.core.bounds()
    memory = turn.ledger.memory
    assert len(memory.texts._written) <= 51
    assert len(memory.texts._pending) <= 41
    assert len(memory.texts._leaves) <= 11
    assert len(memory.params) <= ledgers.PARAMS
    assert all(len(lineage.recent) <= 8 for lineage in memory.lineages.values())
    assert len(memory.outputs) <= 8
    assert len(session.footprint.core.definitions._known) == 5


def test_an_answer_that_the_application_edits_in_place_is_another_piece(session: Session) -> None:
    """What is remembered of an answer is a copy: the caller's own object may change under it."""
    answer = {"role": "assistant", "content": "first"}
    whole = {"id": "r", "model": "m", "choices": [{"index": 0, "message": answer}]}
    body = {"model": "m", "messages": [{"role": "user", "content": "?"}]}
    with session.footprint.turn():
        session.footprint.record("openai", "/v1/chat/completions", body, whole)
        answer["content"] = "second"
        again = {"model": "m", "messages": [*body["messages"], answer]}
        session.footprint.record("openai", "/v1/chat/completions", again, whole)
    trail = session.trail()
    assert trail.rebuild(trail.calls[1]).text == jsontext.dumps(again)


def test_what_a_turn_remembered_dies_with_it(session: Session) -> None:
    remembered = []
    for i in range(30):
        with session.footprint.turn() as turn:
            record(session.footprint, history(5), f"answer {i}")
        remembered.append(weakref.ref(turn.ledger.memory.texts))
    del turn
    gc.collect()
    assert [ref() for ref in remembered] == [None] * 30
