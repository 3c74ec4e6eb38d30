"""Context across tasks, threads and generators: parents are right, and nothing is logged."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from opentelemetry import trace

import otel_footprint as footprint
from otel_footprint.run import state
from otel_footprint.telemetry import names
from tests.adapters.conftest import Recorded

from .helpers import (
    KIND_IDS,
    KINDS,
    PACKAGES,
    Logged,
    Model,
    of,
    parent,
    read,
    settle,
    trail_of,
    user,
)

QUESTION = [user("Hello?")]


def turns(recorded: Recorded) -> dict[str, Any]:
    """The turns' own spans, by agent."""
    return {
        of(s, names.AGENT): s
        for s in recorded.recording.named(names.SPAN_TURN)
        if of(s, names.OPERATION) == names.SPAN_TURN
    }


def answers(model: Model, recorded: Recorded) -> Any:
    """An async generator that yields inside a turn, as a streaming agent does."""

    async def agent() -> AsyncIterator[Any]:
        async with recorded.footprint.turn("Hello?", agent="streaming"):
            async for event in await model.call(QUESTION, stream=True):
                yield event

    return agent()


def streaming(package: str, recorded: Recorded) -> Model:
    model = Model((package, True))
    model.server.answers = [model.sse(*["word "] * 20)]
    recorded.footprint.wrap(model.client)
    return model


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("how", ["aclose", "break", "drop", "tasks", "end"])
async def test_a_generator_left_anywhere_ends_its_turn_without_a_word(
    recorded: Recorded, logged: Logged, package: str, how: str
) -> None:
    agent = answers(streaming(package, recorded), recorded)
    if how == "aclose":
        await asyncio.create_task(anext(agent))
        await asyncio.create_task(agent.aclose())
    elif how == "break":
        async for _ in agent:
            break
        await agent.aclose()
    elif how == "drop":
        await asyncio.create_task(anext(agent))
        del agent
    elif how == "tasks":
        while await asyncio.create_task(anext(agent, None)) is not None:
            pass
    else:
        assert len(await read(agent)) > 20
    await settle()
    assert logged.messages == []
    turn = turns(recorded)["streaming"]
    (call,) = recorded.calls
    assert parent(call) == turn.context.span_id
    cut = how not in ("tasks", "end")
    assert of(call, names.OUTPUT_STATE) == ("cut" if cut else None)
    assert of(turn, names.TURN_OUTCOME) == ("cancelled" if cut else "completed")
    assert trace.get_current_span() is trace.INVALID_SPAN
    assert state.TURN.get() is None


def test_a_generator_that_is_dropped_ends_its_turn(recorded: Recorded, logged: Logged) -> None:
    model = Model(("openai", False))
    recorded.footprint.wrap(model.client)

    def agent() -> Iterator[str]:
        with recorded.footprint.turn("Hello?", agent="dropped"):
            for _ in range(3):
                yield model.call_now(QUESTION).choices[0].message.content

    def start() -> str:
        return next(agent())

    assert start() == "hello"
    gc.collect()
    assert of(turns(recorded)["dropped"], names.TURN_OUTCOME) == "cancelled"
    assert logged.messages == []


@pytest.mark.parametrize("kind", KINDS, ids=KIND_IDS)
async def test_a_stream_read_after_its_turn_belongs_to_it(
    recorded: Recorded, kind: tuple[str, bool]
) -> None:
    model = Model(kind)
    model.server.answers = [model.sse("one ", "two")]
    recorded.footprint.wrap(model.client)
    with recorded.footprint.turn("Hello?", agent="early"):
        stream = await model.call(QUESTION, stream=True)
    assert await asyncio.create_task(read(stream))
    (call,) = recorded.calls
    assert parent(call) == turns(recorded)["early"].context.span_id
    assert of(call, names.OUTPUT_STATE) is None
    trail = trail_of(recorded)
    (found,) = trail.calls
    assert found.output
    assert trail.check(trail.turns[0].ledgers[0]).state == "complete"


def tool_runs(how: str, tool: Any) -> Any:
    """Runs a tool in some other thread or task."""
    if how == "thread":
        thread = threading.Thread(target=footprint.propagate(tool), args=(1,))
        thread.start()
        return thread.join()
    if how == "pool":
        with ThreadPoolExecutor(8) as pool:
            assert sorted(pool.map(footprint.propagate(tool), range(8))) == list(range(8))
        return None

    async def run() -> None:
        loop = asyncio.get_running_loop()
        if how == "executor":
            assert await loop.run_in_executor(None, footprint.propagate(tool), 1) == 1
        elif how == "to_thread":
            assert await asyncio.to_thread(tool, 1) == 1
        else:
            async with asyncio.TaskGroup() as group:
                for number in range(8):
                    group.create_task(asyncio.to_thread(tool, number))

    return asyncio.run(run())


@pytest.mark.parametrize("how", ["thread", "pool", "executor", "to_thread", "group"])
def test_a_tool_in_a_thread_or_task_keeps_its_parent(recorded: Recorded, how: str) -> None:
    model = Model(("openai", False))
    recorded.footprint.wrap(model.client)

    @recorded.footprint.tool
    def work(number: int) -> int:
        model.call_now([user(f"Work {number}.")])
        return number

    with recorded.footprint.turn("Hello?", agent="threads"):
        tool_runs(how, work)
    turn = turns(recorded)["threads"]
    tools = recorded.recording.named(names.SPAN_TOOL)
    number = 8 if how in ("pool", "group") else 1
    assert [parent(t) for t in tools] == [turn.context.span_id] * number
    ids = {t.context.span_id for t in tools}
    assert {parent(c) for c in recorded.calls} == ids
    (found,) = trail_of(recorded).turns
    assert len(found.calls) == len(found.tools) == number
    assert trail_of(recorded).check(found.ledgers[0]).state == "complete"


@pytest.mark.parametrize("package", PACKAGES)
async def test_fifty_interleaved_agents_keep_apart(recorded: Recorded, package: str) -> None:
    model = Model((package, True))
    recorded.footprint.wrap(model.client)

    @recorded.footprint.tool
    async def look(name: str) -> str:
        await asyncio.sleep(0)
        return name

    async def agent(number: int) -> None:
        name = f"agent {number}"
        async with recorded.footprint.turn(f"Question {number}?", agent=name, id=name):
            messages = [user(f"Question {number}?")]
            for _ in range(3):
                await model.call(messages)
                messages += [{"role": "assistant", "content": "hello"}, user(await look(name))]

    await asyncio.gather(*(agent(n) for n in range(50)))
    spans = turns(recorded)
    assert len(spans) == 50
    for call in recorded.calls:
        assert parent(call) == spans[of(call, names.AGENT)].context.span_id
    trail = trail_of(recorded)
    assert len(trail.turns) == 50
    for turn in trail.turns:
        assert (len(turn.calls), len(turn.tools), len(turn.ledgers)) == (3, 3, 1)
        assert trail.check(turn.ledgers[0]).state == "complete"
        number = turn.id.removeprefix("agent ")
        for call in turn.calls:
            text = trail.rebuild(call).text or ""
            assert f"Question {number}?" in text
            assert text.count("Question") == 1


def test_nested_turns_are_children_with_ledgers_of_their_own(recorded: Recorded) -> None:
    model = Model(("openai", False))
    recorded.footprint.wrap(model.client)
    with recorded.footprint.turn("Outer?", agent="outer", id="o"):
        model.call_now([user("Outer?")])
        with recorded.footprint.turn("Inner?", agent="inner", id="i"):
            model.call_now([user("Inner?")])
        model.call_now([user("Outer?"), user("Again?")])
    spans = turns(recorded)
    assert parent(spans["inner"]) == spans["outer"].context.span_id
    outer, inner = sorted(trail_of(recorded).turns, key=lambda t: t.agent, reverse=True)
    assert [c.turn for c in outer.calls] == ["o", "o"]
    assert [c.turn for c in inner.calls] == ["i"]
    assert inner.parent_turn == "o"
    assert set(outer.ledgers).isdisjoint(inner.ledgers)


def test_a_turn_that_raises_says_so_and_raises_the_same(recorded: Recorded) -> None:
    error = KeyError("secret")
    with pytest.raises(KeyError) as raised, recorded.footprint.turn("Hello?", agent="failing"):
        raise error
    assert raised.value is error
    turn = turns(recorded)["failing"]
    assert of(turn, names.ERROR_TYPE) == "KeyError"
    assert turn.status.description is None
    assert turn.events == ()
