"""Tail sampling keeps what it must, whole, and of the rest the share that was asked for: none."""

from __future__ import annotations

import time
from contextlib import ExitStack
from functools import partial

import pytest
from opentelemetry import trace

from otel_footprint import Budget
from otel_footprint.telemetry import names
from tests.losses.kit import Agent

from . import runs
from .collectors import Collector
from .kit import Sender, spans_of, trail_in

LIMIT = 9
"""Seconds a turn may last here."""
ENV = {"FOOTPRINT_TURN_LIMIT": f"{LIMIT}s", "FOOTPRINT_ROOT_WAIT": "1s", "FOOTPRINT_SHARE": "0"}


@pytest.fixture(scope="module")
def collector(backends, tmp_path_factory):
    env = {**ENV, "JAEGER_OTLP": f"127.0.0.1:{backends.ports['jaeger_otlp']}"}
    layers = ["base.yaml", "sampling.yaml", "export-jaeger.yaml"]
    folder = tmp_path_factory.mktemp("sampling")
    with Collector(backends.programs, folder, layers, env) as made:
        yield made


@pytest.fixture
def sender(collector):
    with Sender(collector.url()) as made:
        yield made


def event(name, **attributes):
    """A turn on whose span an event stands."""

    def act(_fp, _agent):
        trace.get_current_span().add_event(name, attributes)

    return act


def attribute(name, value):
    def act(_fp, _agent):
        trace.get_current_span().set_attribute(name, value)

    return act


def nothing(_fp, _agent):
    """A turn like most."""


def tool_fails(fp, _agent):
    @fp.tool
    def broken() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        broken()


def long_text(_fp, agent):
    agent.say("a long question " * 1000)


def refuted(why):
    return event(names.EVENT_ARGUMENT, **{names.ARGUMENT_FAILED: why})


KEPT = {
    "refuted": refuted("quote-not-found"),
    "steps": event(names.EVENT_STEPS_UNFINISHED),
    "lost": attribute(names.TURN_LOST, 3),
    "error": tool_fails,
    "stuck": event(names.EVENT_STUCK),
    "verdict": event(names.EVALUATION, **{names.EVALUATION_NAME: "right"}),
}
LEFT = {
    "healthy": nothing,
    "uncheckable": refuted("uncheckable"),
    "claim that held": event(names.EVENT_ARGUMENT, **{names.ARGUMENT_VERDICT: "said"}),
    "over a default cap": long_text,
    "nearly over the model's window": event(
        names.EVENT_PRESSURE,
        **{names.PRESSURE_STATE: "near", names.PRESSURE_ORIGIN: "model"},
    ),
}


def turn(sender, act=nothing, calls=1):
    """A turn of that kind; its trace id."""
    agent = Agent(sender.fp)
    with sender.fp.turn("x") as made:
        for _ in range(calls):
            agent.say()
        act(sender.fp, agent)
    return f"{made.trace_id:032x}"


def kept_marker(sender, backends):
    """A kept turn, seen in Jaeger: whatever was sent before it is decided."""
    sender.flush()
    trail_in(backends, turn(sender, KEPT["steps"]))


def test_what_must_be_kept_is_kept_whole_and_the_rest_is_not(sender, backends):
    left = {name: turn(sender, act) for name, act in LEFT.items()}
    kept = {name: turn(sender, act) for name, act in KEPT.items()}
    sender.flush()
    for name, id_ in kept.items():
        found = trail_in(backends, id_)
        assert [found.check(x).state for x in found.turns[0].ledgers] == ["complete"], name
    kept_marker(sender, backends)
    assert {name: len(spans_of(backends, id_)) for name, id_ in left.items()} == dict.fromkeys(
        left, 0
    )


def test_real_runs_with_something_wrong_are_kept_and_healthy_ones_are_not(collector, backends):
    wrong = (runs.over_budget, runs.refuted_source, runs.unfinished_steps, runs.stuck_delivery)
    with ExitStack() as stack:

        def ran(run):
            sender = stack.enter_context(Sender(collector.url()))
            run(sender.make)
            sender.flush()
            (id_,) = sender.trace_ids
            return id_

        left = {run.__name__: ran(run) for run in (runs.healthy, runs.over_default)}
        for run in wrong:
            assert trail_in(backends, ran(run)).turns[0].calls, run.__name__
        kept_marker(stack.enter_context(Sender(collector.url())), backends)
    assert {name: len(spans_of(backends, id_)) for name, id_ in left.items()} == dict.fromkeys(
        left, 0
    )


def test_what_must_be_kept_is_seen_when_events_go_to_the_log(collector, backends):
    """Plain attributes of spans say it; sampled are traces, not logs."""
    wrong = (runs.over_budget, runs.full_window, runs.refuted_source, runs.unfinished_steps)
    with ExitStack() as stack:

        def ran(run):
            sender = stack.enter_context(Sender(collector.url()))
            run(partial(sender.make, sink="log"))
            sender.flush()
            assert not any(span.events for span in sender.seen)
            return sender.trace_ids[0]

        left = ran(runs.healthy)
        for run in wrong:
            assert trail_in(backends, ran(run)).turns, run.__name__
        kept_marker(stack.enter_context(Sender(collector.url())), backends)
    assert spans_of(backends, left) == []


def test_a_declared_cap_that_is_passed_keeps_the_turn(collector, backends):
    with Sender(collector.url(), budget=Budget(messages=200)) as sender:
        under, over = turn(sender), turn(sender, calls=6)
        sender.flush()
        assert trail_in(backends, over).turns[0].calls
        kept_marker(sender, backends)
        assert spans_of(backends, under) == []


def test_a_turn_that_raises_is_kept(sender, backends):
    made = sender.fp.turn("x")

    def fails():
        with made:
            Agent(sender.fp).say()
            raise KeyError("application")

    with pytest.raises(KeyError):
        fails()
    sender.flush()
    found = trail_in(backends, f"{made.trace_id:032x}")
    assert found.turns[0].outcome == "error"


def test_a_turn_longer_than_the_short_wait_is_decided_when_it_is_over(sender, backends):
    """Its first spans are ten times older than the short wait when its root comes."""
    agent = Agent(sender.fp)
    with sender.fp.turn("x") as made:
        trace.get_current_span().add_event(names.EVENT_STEPS_UNFINISHED)
        agent.say()
        sender.flush()
        time.sleep(4)  # the promise is about the time between two spans of one turn
        id_ = f"{made.trace_id:032x}"
        assert spans_of(backends, id_) == []
        agent.say()
    sender.flush()
    found = trail_in(backends, id_)
    assert len(found.calls) == 2
    assert found.check(found.turns[0].ledgers[0]).state == "complete"


def test_a_trace_whose_root_never_comes_is_decided_after_the_limit(sender, backends):
    agent = Agent(sender.fp, size=50)
    made = sender.fp.turn("x", id="rootless")
    made.__enter__()
    try:
        tool_fails(sender.fp, agent)
        agent.say()
        sender.flush()
        found = trail_in(backends, f"{made.trace_id:032x}", lambda t: bool(t.calls))
        assert [t.open for t in found.turns] == [True]
    finally:
        made.__exit__(None, None, None)
    sender.flush()
    whole = trail_in(backends, f"{made.trace_id:032x}")
    assert whole.check(whole.turns[0].ledgers[0]).state == "complete"


def test_calls_without_a_turn_are_decided_at_the_end_not_after_their_first_span(
    collector, backends
):
    """Their turn's span is exported at its beginning, and is the root."""
    with Sender(collector.url(), budget=Budget(messages=300)) as sender:
        agent = Agent(sender.fp, size=100)
        agent.say()
        sender.flush()
        time.sleep(3)  # longer than the short wait after a root
        agent.messages.append({"role": "tool", "content": "a long result " * 60})
        agent.call()
        sender.flush()
        (id_,) = sender.trace_ids
        found = trail_in(backends, id_, lambda trail: len(trail.calls) == 2)
    assert [c.slots["messages"].over for c in found.calls] == [False, True]
    root = [s for s in spans_of(backends, id_) if s["name"].startswith("invoke_agent")]
    assert [s.get("parentSpanId", "") for s in root] == [""]
