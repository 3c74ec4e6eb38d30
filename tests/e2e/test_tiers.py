"""One agent and two gateways that sample: all spans of a trace meet at one of them."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from deploy.local import Ports, Stack
from deploy.local.health import get, until
from tests.losses.kit import Agent

from .collectors import Collector
from .kit import Sender, own_metric, sample_values, spans_of
from .test_failures import refused

GATEWAY = ["base.yaml", "gateway.yaml", "sampling.yaml", "export-jaeger.yaml"]
MANY = 30
"""Turns, of which surely some go to either gateway."""
SAMPLING = {"FOOTPRINT_ROOT_WAIT": "1s", "FOOTPRINT_TURN_LIMIT": "1m", "FOOTPRINT_SHARE": "100"}


class Tiers:
    """An agent, two gateways, and a Jaeger behind each of them."""

    def __init__(self, programs, folder, stack: ExitStack) -> None:
        self.jaegers = [
            stack.enter_context(
                Stack(folder / f"jaeger{n}", Ports.free(), programs, services=("jaeger",))
            )
            for n in (1, 2)
        ]
        self.gateways = [
            stack.enter_context(Collector(programs, folder / f"gateway{n}", GATEWAY, env))
            for n, env in enumerate(
                {**SAMPLING, "JAEGER_OTLP": f"127.0.0.1:{j.ports['jaeger_otlp']}"}
                for j in self.jaegers
            )
        ]
        ends = [f"127.0.0.1:{g.ports['otlp_grpc']}" for g in self.gateways]
        self.agent = stack.enter_context(agent(programs, folder / "agent", ends))

    def spans(self, trace: str) -> tuple[int, int]:
        """How many spans of a trace each gateway passed on."""
        one, two = (len(spans_of(j, trace)) for j in self.jaegers)
        return one, two

    def wait(self, expected: dict[str, int]) -> dict[str, tuple[int, int]]:
        """Waits until that many spans of each trace are there, wherever; says where."""

        def ask() -> dict[str, tuple[int, int]] | None:
            found = {trace: self.spans(trace) for trace in expected}
            return found if all(sum(found[t]) >= n for t, n in expected.items()) else None

        return until(ask, 90, "all spans behind the gateways")


def agent(programs, folder, gateways, *more, **env) -> Collector:
    """A collector that routes to these gateways."""
    ports = Ports.free()
    unused = ("jaeger", "jaeger_otlp", "prometheus", "webhook")  # an agent has none of these
    env |= {f"COLLECTOR_LANE_{n}": f"127.0.0.1:{ports[p]}" for n, p in enumerate(unused, 1)}
    env |= {f"COLLECTOR_GATEWAY_{n}": end for n, end in enumerate(gateways, 1)}
    return Collector(programs, folder, ["base.yaml", "agent.yaml", *more], env, ports)


@pytest.fixture(scope="module")
def tiers(programs, tmp_path_factory):
    with ExitStack() as stack:
        yield Tiers(programs, tmp_path_factory.mktemp("tiers"), stack)


def record(sender: Sender, turns: int, calls: int = 3) -> None:
    for _ in range(turns):
        agent = Agent(sender.fp, size=100)
        with sender.fp.turn("x"):
            for _ in range(calls):
                agent.say()
                sender.flush()  # a trace's spans leave in several requests


def counted(sender: Sender) -> dict[str, int]:
    """Spans of each trace that ended."""
    out: dict[str, int] = {}
    for span in sender.seen:
        trace = f"{span.context.trace_id:032x}"
        out[trace] = out.get(trace, 0) + 1
    return out


def split(found: dict[str, tuple[int, int]]) -> set[str]:
    return {trace for trace, (one, two) in found.items() if one and two}


def test_every_span_of_a_trace_meets_its_siblings(tiers):
    with Sender(tiers.agent.url()) as sender:
        record(sender, MANY, calls=2)
        sender.flush()
        expected = counted(sender)
    found = tiers.wait(expected)
    assert split(found) == set()
    assert {t: sum(n) for t, n in found.items()} == expected
    assert any(one for one, _ in found.values())
    assert any(two for _, two in found.values())


def test_also_when_a_gateway_goes_away_and_comes_back(tiers):
    away = tiers.gateways[1]
    with Sender(tiers.agent.url()) as sender:
        record(sender, 6)
        sender.flush()
        before = counted(sender)
        tiers.wait(before)
        away.stop(kill=True)
        record(sender, MANY, calls=2)
        sender.flush()
        during = {t: n for t, n in counted(sender).items() if t not in before}
        until(
            lambda: sum(bool(sum(tiers.spans(t))) for t in during),
            60,
            "the other gateway goes on",
        )
        away.start()
        record(sender, 4)
        sender.flush()
        expected = counted(sender)
    found = tiers.wait(expected)
    assert split(found) == set()
    assert {t: sum(n) for t, n in found.items()} == expected
    assert any(found[t][1] for t in during), "some waited for the gateway that was away"


def test_an_agent_that_is_killed_while_gateways_are_away_loses_nothing(tiers):
    """What it acknowledged waits on disk: it arrives, each span once, and its traces whole."""
    for gateway in tiers.gateways:
        gateway.stop()
    with Sender(tiers.agent.url()) as sender:
        record(sender, MANY, calls=2)
        assert sender.flush()
        tiers.agent.stop(kill=True)
        tiers.agent.start()
        record(sender, 4, calls=2)
        assert sender.flush()
        tiers.agent.stop(kill=True)
        for gateway in tiers.gateways:
            gateway.start()
        tiers.agent.start()
        expected = counted(sender)
        found = tiers.wait(expected)
    assert split(found) == set()
    assert {t: sum(n) for t, n in found.items()} == expected, "each span once"
    assert any(one for one, _ in found.values())
    assert any(two for _, two in found.values())


def test_a_full_lane_is_refused_to_the_sender_and_counted(programs, tmp_path):
    one = tmp_path / "one-consumer.yaml"  # what consumers hold is no longer in the queue
    lanes = "".join(
        f"otlp_grpc/gateway{n}: {{sending_queue: {{num_consumers: 1}}}}, " for n in "1234"
    )
    one.write_text(f"exporters: {{{lanes}}}")
    nowhere = f"127.0.0.1:{Ports.free()['otlp_grpc']}"
    made = agent(programs, tmp_path / "agent", [nowhere], one, COLLECTOR_QUEUE_BYTES="60000")
    with made as full, Sender(full.url(), timeout=1) as sender:
        one_turn = Agent(sender.fp, size=500)
        own = full.url("collector_own")

        def full_and_said() -> bool:
            lost = refused(sender, one_turn)
            return lost and own_metric(own, "otelcol_exporter_enqueue_failed_spans") > 0

        with sender.fp.turn("x"):
            until(full_and_said, 60, "the lane of this trace is full")
        waiting = own_metric(own, "otelcol_exporter_queue_size")
    assert 0 < waiting <= 60_000


def test_the_agent_says_what_waits_for_each_gateway(tiers):
    text = get(f"{tiers.agent.url('collector_own')}/metrics").decode()
    sizes = sample_values(text, "otelcol_exporter_queue_size")
    waiting = {dict(labels)["exporter"]: size for labels, size in sizes.items()}
    assert set(waiting) == {f"otlp_grpc/gateway{n}" for n in (1, 2, 3, 4)}
    assert set(waiting.values()) == {0}
