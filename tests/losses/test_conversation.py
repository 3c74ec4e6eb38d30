"""Chats whose turns are traces of their own: what is written again, linked to, or named."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, Sampler

import otel_footprint as footprint
from otel_footprint.telemetry import names
from tests.sdk import chat

from . import kit
from .kit import Agent, Session


@pytest.fixture
def sessions() -> Iterator[list[Session]]:
    made: list[Session] = []
    yield made
    for session in made:
        session.close()


def chatting(turns: int, size: int = 400, **options: Any) -> tuple[Session, dict[int, int]]:
    """A chat, a turn a trace, a call a turn; and the bytes after each turn."""
    made = Session(**options)
    messages: list[Any] = [{"role": "system", "content": kit.SYSTEM}]
    body = {"model": "gpt-4o-mini", "tools": kit.TOOLS}
    at = []
    for i in range(1, turns + 1):
        messages.append({"role": "user", "content": kit.prose(f"question {i}", size)})
        answer = kit.prose(f"answer {i}", size)
        with made.footprint.turn(conversation="chat"):
            made.footprint.record(
                "openai", "/v1/chat/completions", {**body, "messages": messages}, chat(answer)
            )
        messages.append({"role": "assistant", "content": answer})
        at.append(len(made.spans))
    sizes = kit.sizes(made.spans)
    return made, {n: sum(sizes[:stop]) for n, stop in enumerate(at, 1)}


def exponent(found: dict[int, int], low: int, high: int) -> float:
    return math.log(found[high] / found[low]) / math.log(high / low)


def test_once_a_conversation_bytes_stay_linear(sessions: list[Session]) -> None:
    made, found = chatting(100, once="conversation")
    sessions.append(made)
    assert max(exponent(found, a, b) for a, b in ((12, 25), (25, 50), (50, 100), (10, 100))) <= 1.1
    trail = made.trail()
    assert len(trail.calls) == 100
    assert all(trail.rebuild(c).proof.level == "json" for c in trail.calls)


def test_once_a_trace_each_turn_stands_alone(sessions: list[Session]) -> None:
    made, found = chatting(40)
    sessions.append(made)
    assert found[40] > 2 * chatting_bytes(40, once="conversation")
    by_trace: dict[int, list[Any]] = {}
    for span in made.spans:
        by_trace.setdefault(span.context.trace_id, []).append(span)
    assert len(by_trace) == 40
    for spans in by_trace.values():
        trail = kit.trail_of(spans)
        (call,) = trail.calls
        assert trail.rebuild(call).proof.level == "json"


def chatting_bytes(turns: int, **options: Any) -> int:
    made, found = chatting(turns, **options)
    made.close()
    return found[turns]


def test_with_content_off_a_turn_is_a_manifest_of_hashes(sessions: list[Session]) -> None:
    """Rows of about a hundred bytes, whatever the texts weigh."""
    small, few = chatting(40, content="none")
    large, many = chatting(40, size=4_000, content="none")
    sessions += [small, large]
    assert many[40] < 1.05 * few[40]
    for span in large.spans:
        for event in span.events:
            assert names.TEXT not in (event.attributes or {})
    last = few[40] - few[39]
    assert last < 81 * 100 + 6_000
    trail = large.trail()
    gaps = trail.rebuild(trail.calls[-1]).gaps
    assert {g.kind for g in gaps} == {"content"}


# --- what is gone ----------------------------------------------------------------------------


def talk(session: Session, turns: int, agent: Agent | None = None) -> Agent:
    agent = agent or Agent(session.footprint)
    for _ in range(turns):
        with session.footprint.turn(conversation="c"):
            agent.say()
    return agent


def test_when_the_earlier_trace_is_gone_the_reader_says_where_the_texts_were_written(
    sessions: list[Session],
) -> None:
    made = Session(once="conversation")
    sessions.append(made)
    agent = talk(made, 3)
    traces = list(dict.fromkeys(s.context.trace_id for s in made.spans))
    trail = kit.trail_of([s for s in made.spans if s.context.trace_id != traces[0]])
    first = f"{traces[0]:032x}"
    assert len(trail.calls) == 2
    for call, body in zip(trail.calls, agent.bodies[1:], strict=True):
        assert not kit.assert_whole_or_named(trail, call, body)
        said = " ".join(str(g) for g in trail.rebuild(call).gaps)
        assert first in said or traces[0] in (int(t, 16) for t in trail.linked_traces(call))
    assert first in " ".join(str(g) for g in trail.gaps)


def test_a_keyframe_links_to_every_trace_that_holds_its_texts(sessions: list[Session]) -> None:
    made = Session(once="conversation")
    sessions.append(made)
    agent = talk(made, 14)
    traces = list(dict.fromkeys(s.context.trace_id for s in made.spans))
    by_trace = {t: [s for s in made.spans if s.context.trace_id == t] for t in traces}
    keyframes = [
        t
        for t in traces[1:]
        if any(
            s.name == "compose messages" and (s.events[0].attributes or {}).get(names.KEYFRAME)
            for s in by_trace[t]
        )
    ]
    assert keyframes
    trail = kit.trail_of(by_trace[keyframes[0]])
    (call,) = trail.calls
    earlier = traces[: traces.index(keyframes[0])]
    assert {f"{t:032x}" for t in earlier} <= set(trail.linked_traces(call))
    rebuilt = trail.rebuild(call)
    assert rebuilt.text is None
    texts = [g for g in rebuilt.gaps if g.kind == "text" and g.slot == "messages"]
    assert len(texts) == 2 * len(earlier)
    assert all(f"{earlier[0]:032x}" in g.what for g in texts)
    whole = made.trail()
    for each, body in zip(whole.calls, agent.bodies, strict=True):
        kit.assert_rebuilt(whole, each, body)


def test_after_a_restart_a_conversation_is_written_anew(sessions: list[Session]) -> None:
    before, after = Session(once="conversation"), Session(once="conversation")
    sessions += [before, after]
    agent = talk(before, 3)
    restarted = Agent(after.footprint)
    restarted.messages = agent.messages
    talk(after, 3, restarted)
    trail = after.trail()
    for call, body in zip(trail.calls, restarted.bodies, strict=True):
        kit.assert_rebuilt(trail, call, body)


def test_content_modes_of_one_conversation_do_not_mix(sessions: list[Session]) -> None:
    """A text that one turn may not write is written by the next one that may."""
    made = Session(once="conversation")
    sessions.append(made)
    agent = Agent(made.footprint)
    for mode in ("none", "full", "redacted", "none", "full"):
        with made.footprint.turn(conversation="c", content=mode):
            agent.say()
    trail = made.trail()
    whole = [c for c in trail.calls if trail.turn_of(c).content == "full"]
    assert len(whole) == 2
    bodies = {c.id: b for c, b in zip(trail.calls, agent.bodies, strict=True)}
    for call in whole:
        kit.assert_rebuilt(trail, call, bodies[call.id])


class Every(Sampler):
    """Samples each second trace."""

    def __init__(self) -> None:
        self.seen: dict[int, bool] = {}

    def should_sample(
        self, parent_context: Any, trace_id: int, name: str, *args: Any, **more: Any
    ) -> Any:
        from opentelemetry.sdk.trace.sampling import ALWAYS_ON

        keep = self.seen.setdefault(trace_id, len(self.seen) % 2 == 1)
        return (ALWAYS_ON if keep else ALWAYS_OFF).should_sample(
            parent_context, trace_id, name, *args, **more
        )

    def get_description(self) -> str:
        return "each second"


def test_turns_that_are_sampled_out_hold_no_texts(sessions: list[Session]) -> None:
    made = Session()
    made.close()
    made.store = kit.Store()
    made.provider = TracerProvider(sampler=Every())
    made.store.watch(made.provider)
    from opentelemetry.sdk.metrics import MeterProvider

    made.footprint = footprint.Footprint(
        "agent",
        tracer_provider=made.provider,
        meter_provider=MeterProvider(),
        content="full",
        once="conversation",
    )
    sessions.append(made)
    agent = talk(made, 8)
    trail = made.trail()
    assert len(trail.calls) == 4
    for call, body in zip(trail.calls, agent.bodies[1::2], strict=True):
        kit.assert_rebuilt(trail, call, body)


# --- threads ---------------------------------------------------------------------------------


def test_threads_that_call_at_the_same_time_in_one_turn(sessions: list[Session]) -> None:
    made = Session()
    sessions.append(made)
    fp = made.footprint
    agents = [Agent(fp, f"agent {i}", size=120) for i in range(5)]
    gate = threading.Barrier(len(agents))

    def work(agent: Agent) -> None:
        gate.wait(10)
        for _ in range(12):
            agent.say()

    with fp.turn(), ThreadPoolExecutor(len(agents)) as pool:
        list(pool.map(footprint.propagate(work), agents))
    expect_all(made, agents)


def test_threads_in_turns_of_one_conversation(sessions: list[Session]) -> None:
    """Each thread a trace of its own; all share what the conversation has written."""
    made = Session(once="conversation")
    sessions.append(made)
    fp = made.footprint
    agents = [Agent(fp, f"agent {i}", size=120) for i in range(4)]
    gate = threading.Barrier(len(agents))

    def work(agent: Agent) -> None:
        gate.wait(10)
        for _ in range(10):
            with fp.turn(conversation="c"):
                agent.say()

    with ThreadPoolExecutor(len(agents)) as pool:
        list(pool.map(work, agents))
    expect_all(made, agents)


def expect_all(session: Session, agents: list[Agent]) -> None:
    trail = session.trail()
    bodies = sorted(body for agent in agents for body in agent.bodies)
    rebuilt = [trail.rebuild(call) for call in trail.calls]
    assert not [g for r in rebuilt for g in r.gaps]
    assert all(r.proof.level == "body" for r in rebuilt)
    assert sorted((r.text or "").encode() for r in rebuilt) == bodies
    for turn in trail.turns:
        for ledger in turn.ledgers:
            assert trail.check(ledger).state == "complete"
