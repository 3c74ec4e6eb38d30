"""Spans that do not arrive: what is there is rebuilt, what is missing is named, losses heal."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.telemetry import names

from . import kit
from .kit import Agent, Session


@pytest.fixture
def own() -> Iterator[Session]:
    session = Session(own=True)
    yield session
    session.close()


@pytest.fixture
def foreign() -> Iterator[Session]:
    session = Session(own=False)
    yield session
    session.close()


def bodies_by_call(trail: Any, *agents: Agent) -> dict[str, bytes]:
    """Of each call the body that left, found by the number of calls that its agent had made."""
    out: dict[str, bytes] = {}
    for agent in agents:
        calls = [c for c in trail.calls if c.attributes.get("gen_ai.agent.name") == agent.name]
        calls.sort(key=lambda c: c.start)
        assert len(calls) == len(agent.bodies)
        out.update({c.id: body for c, body in zip(calls, agent.bodies, strict=True)})
    return out


def two_agents(session: Session, rounds: int) -> tuple[Agent, Agent]:
    """Two sub-agents that alternate on one client, in one turn of their parent."""
    fp = session.footprint
    one, two = Agent(fp, "one"), Agent(fp, "two")
    two.client = one.client
    with fp.turn("Compare."):
        for _ in range(rounds):
            one.say()
            two.say()
    return one, two


# --- each span dropped in turn -------------------------------------------------------------


def test_each_single_span_dropped_in_turn_two_ledgers(own: Session) -> None:
    """Two sub-agents, each a turn of its own in a thread of its own, on one client."""
    fp = own.footprint
    one, two = Agent(fp, "one"), Agent(fp, "two")

    def run(agent: Agent) -> None:
        with fp.turn(agent=agent.name):
            for _ in range(5):
                agent.say()

    with fp.turn("Compare."), ThreadPoolExecutor(2) as pool:
        list(pool.map(footprint.propagate(run), (one, two)))
    drop_each(own, bodies_by_call(own.trail(), one, two))


def test_each_single_span_dropped_in_turn_one_client(own: Session) -> None:
    """Both sub-agents on one client and one ledger: their compositions interleave."""
    one, _ = two_agents(own, 6)
    trail = own.trail()
    drop_each(own, {call.id: one.bodies[call.number - 1] for call in trail.calls})


def drop_each(session: Session, bodies: dict[str, bytes]) -> None:
    spans = session.spans
    whole = kit.trail_of(spans)
    assert len(bodies) == len(whole.calls) > 6
    for call in whole.calls:
        kit.assert_rebuilt(whole, call, bodies[call.id])
    needs = {call.id: needed(whole, call) for call in whole.calls}
    for i, span in enumerate(spans):
        trail = kit.trail_of([*spans[:i], *spans[i + 1 :]])
        of, part = str((span.attributes or {}).get(names.CALL_ID, "")), span.name
        named = (
            trail.gaps
            or any(turn.open for turn in trail.turns)
            or any(trail.rebuild(c).gaps for c in trail.calls)
        )
        assert named, f"{span.name} is missing and nothing says so"
        found = {call.id: call for call in trail.calls}
        for id_, body in bodies.items():
            call = found.get(id_)
            if call is None:
                assert of == id_
                continue
            done = kit.assert_whole_or_named(trail, call, body)
            if (of, part) not in needs[id_] and (of, "any") not in needs[id_]:
                assert done, (span.name, of, id_, [str(g) for g in trail.rebuild(call).gaps])


def needed(trail: Any, call: Any) -> set[tuple[str, str]]:
    """(call, span name) of everything a call stands on: its own, base chains, layout, texts."""
    out = {(call.id, "any"), (call.params_of, "compose parameters")}
    for slot, state in call.slots.items():
        at = state.composer
        while at:
            node = trail.compositions.get(at, slot)
            out.add((at, f"compose {slot}"))
            at = "" if node is None or node.keyframe else node.base_call
    # an output that came back stands on the span of the call that wrote it
    there = {row.hash for slot in call.slots for row in trail.rows(call, slot).rows if row}
    for other in trail.calls:
        if any(row is not None and row.hash in there for row in other.output):
            out.add((other.id, f"chat {other.model}"))
    return out


# --- losses that we are told of heal -------------------------------------------------------


def test_after_a_loss_the_next_call_is_whole(own: Session) -> None:
    agent = Agent(own.footprint)
    with own.footprint.turn():
        for _ in range(5):
            agent.say()
        own.store.away = True
        for _ in range(5):
            agent.say()
        own.store.away = False
        for _ in range(5):
            agent.say()
    trail = own.trail()
    by_number = {c.number: c for c in trail.calls}
    for number in (*range(1, 6), *range(11, 16)):
        kit.assert_rebuilt(trail, by_number[number], agent.bodies[number - 1])
    (turn,) = trail.turns
    assert turn.lost == len(own.store.lost)
    assert [g.kind for g in turn.gaps] == ["records"]
    assert len(trail.missing_records(turn.ledgers[0])) > 5


@pytest.mark.parametrize("name", ["compose system", "compose tools", "compose parameters", "chat"])
def test_any_lost_span_is_written_again(own: Session, name: str) -> None:
    agent = Agent(own.footprint)
    with own.footprint.turn():
        agent.say()
        own.store.late = True
        agent.say()
        lost = [s for s in own.spans if s.name.startswith(name)]
        assert lost
        for span in lost:
            own.spans.remove(span)
            own.store._untold.append((span.context.trace_id, span.context.span_id))
        # acknowledged spans are forgotten: lose them while they are still pending
        memory = footprint_memory(own)
        for span in lost:
            memory.handed_over(span.context.span_id, pending_of(span))
        own.store.report()
        for _ in range(3):
            agent.say()
    trail = own.trail()
    by_number = {c.number: c for c in trail.calls}
    for number in (3, 4, 5):
        kit.assert_rebuilt(trail, by_number[number], agent.bodies[number - 1])


def footprint_memory(session: Session) -> Any:
    from otel_footprint.run import state

    turn = state.TURN.get()
    assert turn is not None
    return turn.ledger.memory.texts


def pending_of(span: Any) -> list[str]:
    """The texts that a span carries, as the writer names them."""
    out = []
    for event in span.events:
        a = event.attributes
        if names.PARAMS in a:
            out.append(a[names.PARAMS])
        out += a.get(names.PIECE_HASH, ())
    return out


def test_a_loss_heals_every_agent_on_the_client(own: Session) -> None:
    """Two agents alternate; one loss hits both, and both are whole again at their next call."""
    fp = own.footprint
    one, two = Agent(fp, "one"), Agent(fp, "two")
    with fp.turn():
        for _ in range(3):
            one.say()
            two.say()
        own.store.away = True
        own.store.late = True
        for _ in range(2):
            one.say()
            two.say()
        own.store.away = False
        own.store.report()
        for _ in range(3):
            one.say()
            two.say()
    trail = own.trail()
    by_number = {c.number: c for c in trail.calls}
    for number in range(11, 17):
        agent = one if number % 2 else two
        kit.assert_rebuilt(trail, by_number[number], agent.bodies[(number - 1) // 2])


def test_losses_that_are_known_late_heal_when_they_are_known(own: Session) -> None:
    agent = Agent(own.footprint)
    own.store.late = True
    with own.footprint.turn():
        agent.say()
        own.store.away = True
        agent.say()
        own.store.away = False
        agent.say()  # a change to a call that is lost
        own.store.report()
        agent.say()
        agent.say()
    trail = own.trail()
    by_number = {c.number: c for c in trail.calls}
    kit.assert_rebuilt(trail, by_number[1], agent.bodies[0])
    assert not kit.assert_whole_or_named(trail, by_number[3], agent.bodies[2])
    for number in (4, 5):
        kit.assert_rebuilt(trail, by_number[number], agent.bodies[number - 1])


def test_losses_of_more_spans_than_are_remembered_heal(
    own: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("otel_footprint.run.texts.MAX_PENDING", 4)
    agent = Agent(own.footprint)
    own.store.late = own.store.away = True
    with own.footprint.turn():
        for _ in range(6):
            agent.say()
        own.store.away = False
        own.store._untold = own.store._untold[:-8]  # the oldest went, as a full queue drops them
        own.store.report()
        agent.say()
    trail = own.trail()
    (call,) = [c for c in trail.calls if c.number == 7]
    kit.assert_rebuilt(trail, call, agent.bodies[6])


# --- an exporter that is not ours: nobody tells ---------------------------------------------


@pytest.mark.slow
def test_any_lost_prefix_heals_at_the_next_keyframe(foreign: Session) -> None:
    agent = Agent(foreign.footprint, size=600)
    with foreign.footprint.turn():
        for _ in range(70):
            agent.say()
    spans = foreign.spans
    keyframes = [
        i
        for i, span in enumerate(spans)
        if span.name == "compose messages"
        and any((e.attributes or {}).get(names.KEYFRAME) for e in span.events)
    ]
    assert 3 <= len(keyframes) <= 6
    for at in keyframes[1:]:
        number = int(str(spans[at].attributes[names.CALL_ID]).rpartition(".")[2])
        first = min(
            i
            for i, s in enumerate(spans)
            if (s.attributes or {}).get(names.CALL_ID) == spans[at].attributes[names.CALL_ID]
        )
        trail = kit.trail_of(spans[first:])
        by_number = {c.number: c for c in trail.calls}
        for later in {*range(number, min(number + 4, 71)), 70}:
            kit.assert_rebuilt(trail, by_number[later], agent.bodies[later - 1])


def test_every_restated_call_is_followed_by_whole_ones_in_all_slots(foreign: Session) -> None:
    """A short dialogue repeated in a sliding window keeps its system prompt and tools findable."""
    agent = Agent(foreign.footprint, size=100)
    with foreign.footprint.turn():
        for _ in range(60):
            agent.say()
            del agent.messages[1 : max(1, len(agent.messages) - 6)]
    trail = kit.trail_of(foreign.spans[len(foreign.spans) // 2 :])
    calls = {c.number: c for c in trail.calls}
    whole = [
        n for n, c in calls.items() if kit.assert_whole_or_named(trail, c, agent.bodies[n - 1])
    ]
    assert whole
    assert whole == list(range(whole[0], 61))
