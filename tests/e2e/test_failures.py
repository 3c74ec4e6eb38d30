"""What was acknowledged arrives once; what was lost is counted, by `verify` and by a metric."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from deploy.local import Ports, Stack
from deploy.local.health import until
from otel_footprint.telemetry import names
from otel_footprint.trail import Trail
from tests.losses.kit import Agent

from .collectors import Collector
from .kit import PATIENCE, Sender, own_metric, spans_of, trail_in


@pytest.fixture
def jaeger(programs, tmp_path):
    services = ("jaeger",)
    with Stack(tmp_path / "jaeger", Ports.free(), programs, services=services) as made:
        yield made


@pytest.fixture
def collector(programs, jaeger, tmp_path):
    env = {"JAEGER_OTLP": f"127.0.0.1:{jaeger.ports['jaeger_otlp']}"}
    layers = ["base.yaml", "export-jaeger.yaml"]
    with Collector(programs, tmp_path / "collector", layers, env) as made:
        yield made


def once(stack: Stack, sender: Sender, trace: str) -> None:
    """Every span that ended is in Jaeger, once."""
    ended = Counter(s.context.span_id for s in sender.seen if s.context)
    there = until(
        lambda: found if len(found := spans_of(stack, trace)) >= len(ended) else None,
        PATIENCE,
        "all spans",
    )
    assert len({s["spanId"] for s in there}) == len(there) == len(ended)


def counted(lost: int, dropped: Any, trail: Trail) -> None:
    """All that is missing was counted by the metric, and on the turn what was known at its end.

    A request whose answer did not come in time counts as lost, although it may have arrived.
    """
    assert 0 < lost <= sum(p.value for p in dropped)
    assert 0 < trail.turns[0].lost <= sum(p.value for p in dropped)


def states(trail) -> list[str]:
    return [trail.check(x).state for turn in trail.turns for x in turn.ledgers]


def test_a_collector_killed_in_mid_run_loses_nothing_that_it_acknowledged(collector, jaeger):
    with Sender(collector.url()) as sender:
        agent = Agent(sender.fp)
        with sender.fp.turn("x") as turn:
            for number in range(9):
                agent.say()
                assert sender.flush()
                if number in (2, 5):
                    collector.stop(kill=True)
                    collector.start()
        sender.flush()
        trace = f"{turn.trace_id:032x}"
        trail = trail_in(jaeger, trace)
        assert states(trail) == ["complete"]
        once(jaeger, sender, trace)
    assert [trail.rebuild(c).text.encode() for c in trail.calls] == agent.bodies


def test_a_jaeger_that_is_away_gets_everything_when_it_is_back(collector, jaeger):
    with Sender(collector.url()) as sender:
        agent = Agent(sender.fp)
        with sender.fp.turn("x") as turn:
            agent.say()
            sender.flush()
            until(lambda: spans_of(jaeger, f"{turn.trace_id:032x}"), PATIENCE, "the first call")
            before = spans_of(jaeger, f"{turn.trace_id:032x}")
            jaeger.stop("jaeger", kill=True)  # and its memory with it
            for _ in range(5):
                agent.say()
                assert sender.flush()
            until(
                lambda: own_metric_of(collector, "otelcol_exporter_queue_size"),
                PATIENCE,
                "the queue fills",
            )
            jaeger.start("jaeger")
            agent.say()
        sender.flush()
        trace = f"{turn.trace_id:032x}"
        ended = len(sender.seen)
        there = until(
            lambda: found if len(found := spans_of(jaeger, trace)) >= ended - len(before) else None,
            PATIENCE,
            "what was acknowledged while it was away",
        )
        assert len({s["spanId"] for s in there}) == len(there) == ended - len(before)


def test_a_collector_that_is_away_costs_records_that_are_counted(collector, jaeger):
    """The SDK gives up after its time-out: metric, the turn's own count, and the check agree."""
    with Sender(collector.url(), timeout=1) as sender:
        agent = Agent(sender.fp)
        with sender.fp.turn("x") as turn:
            agent.say()
            sender.flush()
            collector.stop()
            agent.say()
            sender.flush()
            collector.start()
            agent.say()
        sender.flush()
        trail = trail_in(jaeger, f"{turn.trace_id:032x}")
        dropped = sender.metrics_kept()[names.METRIC_DROPPED]
        there = spans_of(jaeger, f"{turn.trace_id:032x}")
        lost = len(sender.seen) - len(there)
    assert {p.attributes[names.LABEL_REASON] for p in dropped} == {"export_failed"}
    counted(lost, dropped, trail)
    assert states(trail) == ["incomplete"]
    assert trail.rebuild(trail.calls[-1]).text.encode() == agent.bodies[-1]


def test_a_full_queue_of_the_sdk_is_counted(collector, jaeger):
    with Sender(collector.url(), queue=16, timeout=1) as sender:
        collector.stop()
        agent = Agent(sender.fp, size=50)
        with sender.fp.turn("x") as turn:
            for _ in range(40):
                agent.say()
            sender.flush()
            collector.start()
            agent.say()
        sender.flush()
        trail = trail_in(jaeger, f"{turn.trace_id:032x}")
        dropped = sender.metrics_kept()[names.METRIC_DROPPED]
        there = spans_of(jaeger, f"{turn.trace_id:032x}")
        lost = len(sender.seen) - len(there)
    assert "queue_full" in {p.attributes[names.LABEL_REASON] for p in dropped}
    counted(lost, dropped, trail)
    assert states(trail) == ["incomplete"]


def test_a_full_queue_of_the_collector_is_refused_and_counted(programs, jaeger, tmp_path):
    env = {
        "JAEGER_OTLP": f"127.0.0.1:{jaeger.ports['jaeger_otlp']}",
        "COLLECTOR_QUEUE_BYTES": "60000",
    }
    one = tmp_path / "one-consumer.yaml"  # what consumers hold is no longer in the queue
    one.write_text("exporters: {otlp_grpc/jaeger: {sending_queue: {num_consumers: 1}}}")
    layers = ["base.yaml", "export-jaeger.yaml", one]
    with (
        Collector(programs, tmp_path / "small", layers, env) as collector,
        Sender(collector.url(), timeout=1) as filler,
        Sender(collector.url(), timeout=1) as sender,
    ):
        jaeger.stop("jaeger")
        other = Agent(filler.fp, size=5000)
        agent = Agent(sender.fp, size=500)
        with filler.fp.turn("x"):
            until(lambda: refused(filler, other), PATIENCE, "the queue is full")
        with sender.fp.turn("x") as turn:
            until(lambda: refused(sender, agent), PATIENCE, "no room for a short call either")
            assert own_metric_of(collector, "otelcol_exporter_enqueue_failed_spans") > 0
            jaeger.start("jaeger")
            until(
                lambda: not own_metric_of(collector, "otelcol_exporter_queue_size"),
                PATIENCE,
                "the queue is empty again",
            )
            agent.say()
        sender.flush()
        trail = trail_in(jaeger, f"{turn.trace_id:032x}")
        dropped = sender.metrics_kept()[names.METRIC_DROPPED]
        there = spans_of(jaeger, f"{turn.trace_id:032x}")
        lost = len(sender.seen) - len(there)
    counted(lost, dropped, trail)
    assert states(trail) == ["incomplete"]
    assert trail.rebuild(trail.calls[-1]).text.encode() == agent.bodies[-1]


def refused(sender: Sender, agent: Agent) -> bool:
    """One more call; whether spans of this sender were refused for good."""
    agent.say()
    sender.flush()
    return names.METRIC_DROPPED in sender.metrics_kept()


def test_turns_of_many_megabytes_pass_limits_of_four(collector, jaeger):
    """Long texts in one turn, more than one message may hold: in bounded requests, both ways."""
    grpc = f"127.0.0.1:{collector.ports['otlp_grpc']}"
    with Sender(grpc, max_content_bytes=12_000_000) as sender:
        agent = Agent(sender.fp)
        with sender.fp.turn("x") as turn:
            for _ in range(4):
                agent.say("a long text of some words " * 60_000)
        assert sender.flush()
        trail = trail_in(jaeger, f"{turn.trace_id:032x}")
    assert sum(map(len, agent.bodies)) > 12_000_000
    assert states(trail) == ["complete"]
    assert trail.rebuild(trail.calls[-1]).text.encode() == agent.bodies[-1]


def own_metric_of(collector: Collector, name: str) -> float:
    return own_metric(collector.url("collector_own"), name)
