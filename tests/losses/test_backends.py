"""Backends that cut strings, sort keys and lose spans: what arrives is read, the rest is named."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from otel_footprint.telemetry import names
from tests.sdk import Server, chat, client

from . import backend, kit
from .kit import Agent, Session


@pytest.fixture(params=[True, False], ids=["own exporter", "foreign exporter"])
def session(request: pytest.FixtureRequest) -> Iterator[Session]:
    made = Session(own=request.param)
    yield made
    made.close()


def dialogue(session: Session, calls: int) -> Agent:
    """A turn with long and short texts, tool calls and texts of more than one byte a letter."""
    fp = session.footprint

    @fp.tool
    def look_up_order(order: str) -> str:
        return kit.prose(f"Bestellung für {order} → ", 5_000)

    agent = Agent(fp, size=3_000, stop=["###"], logit_bias={"50256": -100})
    with fp.turn(kit.prose("What?", 3_000), conversation="c", tags=["a", "b"]):
        for i in range(calls):
            agent.say(kit.prose(f"Größe {i} \U0001f4e6", 2_500) if i % 3 else f"short {i}")
            agent.messages.append({"role": "user", "content": look_up_order(str(i))})
    return agent


def test_cut_strings_and_sorted_keys_change_nothing(session: Session) -> None:
    agent = dialogue(session, 12)
    found = backend.sort_keys(backend.cut(kit.as_json(session.spans)))
    trail = kit.trail_of(found)
    for call, body in zip(trail.calls, agent.bodies, strict=True):
        kit.assert_rebuilt(trail, call, body)
        assert trail.rebuild(call).text == body.decode()
    (turn,) = trail.turns
    assert trail.check(turn.ledgers[0]).state == "complete"
    assert trail.gaps == ()


def test_no_string_of_ours_is_long_enough_to_be_cut(session: Session) -> None:
    dialogue(session, 6)
    request = kit.as_json(session.spans)
    assert backend.cut(request) == request


@pytest.mark.parametrize("seed", range(4))
def test_one_span_in_twenty_is_lost(session: Session, seed: int) -> None:
    agent = dialogue(session, 16)
    bodies = {c.id: b for c, b in zip(session.trail().calls, agent.bodies, strict=True)}
    chance = random.Random(seed)
    request = backend.sort_keys(backend.cut(kit.as_json(session.spans)))
    gone = {i for i in range(len(session.spans)) if chance.random() < 0.05} or {seed}
    trail = kit.trail_of(backend.drop(request, gone.__contains__))
    done = [kit.assert_whole_or_named(trail, c, bodies[c.id]) for c in trail.calls]
    assert any(done) or min(gone) < 8
    for turn in trail.turns:
        for ledger in turn.ledgers:
            numbered = trail.check(ledger)
            assert numbered.state in ("incomplete", "open", "complete")
    said = trail.gaps or any(trail.rebuild(c).gaps for c in trail.calls)
    assert said or any(turn.open for turn in trail.turns)


@pytest.mark.parametrize("limit", [1_000, 200, 70])
def test_texts_that_are_cut_are_called_so_and_never_taken_for_whole(
    session: Session, limit: int
) -> None:
    """A store that cuts inside arrays too: nothing is taken for what it is not."""
    agent = dialogue(session, 6)
    trail = kit.trail_of(backend.cut_arrays_too(kit.as_json(session.spans), limit))
    assert len(trail.calls) == 6
    done = [
        kit.assert_whole_or_named(trail, call, body)
        for call, body in zip(trail.calls, agent.bodies, strict=True)
    ]
    assert not any(done[1:]), "every call but the first holds a long text"


def test_losing_any_event_attribute_is_named(session: Session) -> None:
    """A pipeline that drops one key of ours everywhere: read, and never something else."""
    agent = dialogue(session, 5)
    request = kit.as_json(session.spans)
    keys = {
        pair["key"]
        for _, span in backend.each_span(request)
        for event in span.get("events", ())
        for pair in event.get("attributes", ())
    }
    assert names.TEXT in keys
    for key in sorted(keys):
        trail = kit.trail_of(
            backend.changed(request, lambda pairs, key=key: [p for p in pairs if p["key"] != key])
        )
        for call in trail.calls:
            body = agent.bodies[(call.number or 0) - 1]
            kit.assert_whole_or_named(trail, call, body)


def test_media_and_odd_values_survive_a_backend(session: Session) -> None:
    server = Server(chat())
    wrapped = session.footprint.wrap(client("openai", "OpenAI", server))
    messages: list[Any] = [
        {"role": "user", "content": "\ud800 half \0 nul"},
        {"role": "user", "content": [{"type": "text", "text": kit.prose("part", 9_000)}]},
        {"role": "user", "content": "", "name": None},
        {"role": "user", "content": "1e400", "x": [1.0, 1, True, None, {}, []]},
    ]
    with session.footprint.turn():
        wrapped.chat.completions.create(model="m", messages=messages[1:])
        wrapped.chat.completions.create(model="m", messages=messages[1:] * 2)
    trail = kit.trail_of(backend.sort_keys(backend.cut(kit.as_json(session.spans))))
    for call, body in zip(trail.calls, server.bodies, strict=True):
        kit.assert_rebuilt(trail, call, body)
