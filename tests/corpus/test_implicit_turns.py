"""Calls outside any turn: those that continue one another join one trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.adapters.conftest import Recorded

from .helpers import KIND_IDS, KINDS, Model, trail_of, user

ANSWER = {"role": "assistant", "content": "hello"}


def traces(recorded: Recorded) -> list[int]:
    """The trace of each call, numbered in the order of appearance."""
    seen: dict[int, int] = {}
    return [seen.setdefault(c.context.trace_id, len(seen)) for c in recorded.calls]


async def steps(model: Model, number: int) -> list[dict[str, Any]]:
    """A loop whose history grows by results, not by a person's words."""
    messages: list[Any] = [user("Hello?")]
    for step in range(number):
        await model.call(messages)
        if model.package == "openai":
            call = {
                "id": f"c{step}",
                "type": "function",
                "function": {"name": "look", "arguments": "{}"},
            }
            messages += [
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": f"c{step}", "content": f"result {step}"},
            ]
        else:
            use = {"type": "tool_use", "id": f"c{step}", "name": "look", "input": {}}
            result = {"type": "tool_result", "tool_use_id": f"c{step}", "content": f"r {step}"}
            messages += [{"role": "assistant", "content": [use]}, user([result])]
    return messages


@pytest.mark.parametrize("kind", KINDS, ids=KIND_IDS)
async def test_a_loop_is_one_turn_until_a_person_speaks_again(
    recorded: Recorded, kind: tuple[str, bool]
) -> None:
    model = Model(kind)
    recorded.footprint.wrap(model.client)
    messages = await steps(model, 4)
    assert traces(recorded) == [0, 0, 0, 0]
    await model.call([*messages, ANSWER, user("And now?")])
    assert traces(recorded) == [0, 0, 0, 0, 1]
    recorded.footprint.flush()
    trail = trail_of(recorded)
    assert [len(t.calls) for t in trail.turns] == [4, 1]
    assert all(t.implicit and not t.gaps for t in trail.turns)
    for body, call in zip(model.server.bodies, trail.calls, strict=True):
        assert (trail.rebuild(call).text or "").encode() == body
    for turn in trail.turns:
        assert trail.check(turn.ledgers[0]).state == "complete"


async def test_two_conversations_on_one_client_keep_apart(recorded: Recorded) -> None:
    model = Model(("openai", False))
    recorded.footprint.wrap(model.client)
    one: list[Any] = [user("One?")]
    two: list[Any] = [user("Two?")]
    for step in range(6):
        for messages in (one, two):
            model.call_now(messages)
            messages += [ANSWER, {"role": "tool", "tool_call_id": str(step), "content": "x"}]
    assert traces(recorded) == [0, 1] * 6


def test_a_conversation_that_rests_too_long_begins_a_new_turn(
    make: Callable[..., Recorded],
) -> None:
    recorded = make(turn_timeout=600.0)
    now = [1000.0]
    recorded.footprint.implicit._now = lambda: now[0]
    model = Model(("openai", False))
    recorded.footprint.wrap(model.client)
    messages = [user("Hello?")]
    for later in (0, 599, 599, 601):
        now[0] += later
        model.call_now(messages)
        messages = [*messages, ANSWER]
    assert traces(recorded) == [0, 0, 0, 1]
    ended = recorded.recording.named("turn ended")
    assert len(ended) == 1


def test_a_call_beneath_an_applications_span_stays_in_its_trace(recorded: Recorded) -> None:
    model = Model(("openai", False))
    recorded.footprint.wrap(model.client)
    tracer = recorded.recording.tracer_provider.get_tracer("application")
    with tracer.start_as_current_span("job") as span:
        model.call_now([user("Hello?")])
        model.call_now([user("Hello?"), ANSWER])
    assert traces(recorded) == [0, 0]
    assert recorded.calls[0].context.trace_id == span.get_span_context().trace_id
    with tracer.start_as_current_span("another job"):
        model.call_now([user("Hello?"), ANSWER])
    assert traces(recorded) == [0, 0, 1]


def test_the_number_of_turns_remembered_is_bounded(recorded: Recorded) -> None:
    model = Model(("openai", False))
    recorded.footprint.wrap(model.client)
    for number in range(100):
        model.call_now([user(f"Question {number}?")])
    assert traces(recorded) == list(range(100))
    assert len(recorded.footprint.implicit._turns) <= 32
    assert len(recorded.recording.named("turn ended")) >= 68
    recorded.footprint.flush()
    trail = trail_of(recorded)
    assert len(trail.turns) == 100
    assert not any(t.open for t in trail.turns)
    assert {t.outcome for t in trail.turns} == {"completed"}


def test_a_turn_that_rests_too_long_ends_when_metrics_are_collected(
    make: Callable[..., Recorded],
) -> None:
    recorded = make(turn_timeout=600.0)
    now = [1000.0]
    recorded.footprint.implicit._now = lambda: now[0]
    model = Model(("openai", False))
    recorded.footprint.wrap(model.client)
    model.call_now([user("Hello?")])
    for later, ended in ((599, 0), (2, 1), (700, 1)):
        now[0] += later
        recorded.recording.reader.get_metrics_data()
        assert len(recorded.recording.named("turn ended")) == ended
