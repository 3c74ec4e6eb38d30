"""Reading commands against a real Jaeger: by any id, over both of its APIs, lists, failures."""

from __future__ import annotations

import uuid

import pytest

from deploy.local.health import until
from otel_footprint.cli.main import main
from otel_footprint.errors import TrailError
from otel_footprint.trail.sources import NEWEST, open_source
from otel_footprint.trail.sources.jaeger import Jaeger
from otel_footprint.trail.sources.listing import Filter
from otel_footprint.trail.sources.opening import open_from, source_of
from otel_footprint.trail.verify import verify
from tests.losses.kit import Agent

from .kit import PATIENCE, Sender, trail_in

CALLS = 4


@pytest.fixture(scope="module")
def turns(backends):
    """Three turns of an agent, each a trace of its own: (turn id, trace id, bodies)."""
    made = []
    agent_name = f"agent-{uuid.uuid4().hex[:8]}"
    with Sender(backends.url("otlp_http"), name=agent_name) as sender:
        for n in range(3):
            agent = Agent(sender.fp)
            with sender.fp.turn(f"Why {n}? <b>&\x1b[2J", conversation=f"{agent_name}-c{n}") as turn:
                for _ in range(CALLS):
                    agent.say()
            made.append((turn.id, f"{turn.trace_id:032x}", agent.bodies))
        assert sender.flush()
    for _, trace, _ in made:
        trail_in(backends, trace)
    return agent_name, made


class Own(Jaeger):
    """A Jaeger that serves its own JSON only."""

    def __init__(self, http):
        super().__init__(http)
        self._v3 = False


@pytest.fixture(params=["v3", "own JSON"])
def source(request, backends):
    made = source_of(backends.url("jaeger"))
    assert isinstance(made, Jaeger)
    return made if request.param == "v3" else Own(made.http)


def test_a_turn_is_found_by_any_id_and_comes_back_whole(source, turns):
    for turn, trace, bodies in turns[1]:
        for which in (turn, trace, trace.upper(), turn[:12], trace[:12]):
            trail = open_from(source, which)
            assert [t.id for t in trail.asked] == [turn]
            assert [trail.rebuild(c).text.encode() for c in trail.calls] == bodies
            assert {trail.rebuild(c).proof.level for c in trail.calls} == {"body"}
            assert not trail.gaps
            assert not trail.problems
        assert verify(trail).state == "complete"


def test_what_is_not_there_is_said(source):
    for which in ("0" * 31 + "f", "no-such-turn"):
        with pytest.raises(TrailError, match="no turn or trace"):
            open_from(source, which)


def test_turns_are_listed_and_narrowed_down(source, turns):
    name, made = turns
    found = list(source.turns(Filter(agent=name), 10))
    assert [t.turn for t in found] == [turn for turn, _, _ in reversed(made)]
    assert all((t.agent, t.calls, t.missing) == (name, CALLS, 0) for t in found)
    one = list(source.turns(Filter(agent=name, conversation=f"{name}-c1"), None))
    assert [t.turn for t in one] == [made[1][0]]
    assert list(source.turns(Filter(agent=name, error=True), None)) == []


def test_the_newest_turn_is_the_last(backends, turns):
    def newest():
        (turn,) = open_source(backends.url("jaeger"), NEWEST).asked
        return turn.start is not None

    assert until(newest, PATIENCE, "the newest turn")


def test_the_commands_read_a_jaeger(backends, turns, capfd):
    _, made = turns
    turn, _, bodies = made[0]
    url = backends.url("jaeger")
    assert main(["show", "--from", url, turn]) == 0
    out = capfd.readouterr().out
    assert turn in out
    assert "\x1b" not in out
    assert main(["verify", "--from", url, turn]) == 0
    assert capfd.readouterr().out.startswith("complete")
    assert main(["rebuild", "--from", url, turn, "--call", "2", "--provider", "json"]) == 0
    assert capfd.readouterr().out.encode() == bodies[1]
    assert main(["show", "--list", "--from", url, "--since", "1h"]) == 0
    assert turn in capfd.readouterr().out
    assert main(["show", "--from", url + "/nowhere", turn]) == 2
    assert "answers neither as Jaeger" in capfd.readouterr().err


def test_texts_of_an_earlier_trace_come_along(source, backends):
    """A conversation that writes each text once: the later trace names what the first holds."""
    with Sender(backends.url("otlp_http"), once="conversation") as sender:
        agent = Agent(sender.fp)
        traces = []
        for n in range(2):
            with sender.fp.turn(f"Why {n}?", conversation=f"c-{sender.service}") as turn:
                agent.say()
            traces.append(f"{turn.trace_id:032x}")
        assert sender.flush()
    for trace in traces:
        trail_in(backends, trace)
    trail = open_from(source, traces[1])
    assert [t.trace_ids for t in trail.asked] == [(traces[1],)]
    assert {s.trace_id for s in trail.spans} == set(traces)
    assert trail.rebuild(1).text.encode() == agent.bodies[1]
    assert not trail.gaps
