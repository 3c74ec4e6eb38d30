"""SDK -> collector -> Jaeger: the trail that comes back is the one that was written."""

from __future__ import annotations

import json

import pytest

from otel_footprint import Budget
from otel_footprint.cli import demo
from otel_footprint.trail import load
from tests.losses.kit import Agent
from tests.replay import cassettes
from tests.replay.check import check
from tests.replay.drive import drive

from .kit import Sender, arrived, trace_document, trail_in


@pytest.fixture(scope="module")
def demo_run(backends, tmp_path_factory):
    """The demo agent over the collector: trail in Jaeger, trail file beside it."""
    file = tmp_path_factory.mktemp("demo") / "trail.jsonl"
    with Sender(backends.url("otlp_http"), file=file, name="support") as sender:
        demo.agent(sender.fp, sender.fp.wrap(demo.client()))
        assert sender.flush()
    written = load(file)
    (turn,) = written.turns
    return trail_in(backends, turn.trace_ids[0]), written


def test_every_call_is_rebuilt_byte_for_byte(demo_run):
    found, written = demo_run
    assert len(found.calls) == len(written.calls) == 7
    for there, here in zip(found.calls, written.calls, strict=True):
        again, first = found.rebuild(there), written.rebuild(here)
        assert again.text is not None
        assert again.text == first.text
        assert again.proof.level == "body"


def test_the_ledger_is_complete(demo_run):
    found, _ = demo_run
    for ledger in found.turns[0].ledgers:
        assert found.check(ledger).state == "complete"


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_what_the_client_sent_is_what_jaeger_gives_back(backends, protocol):
    http = protocol == "http"
    url = backends.url("otlp_http") if http else f"127.0.0.1:{backends.ports['otlp_grpc']}"
    with Sender(url) as sender:
        agent = Agent(sender.fp)
        with sender.fp.turn("What happened?") as turn:
            for _ in range(5):
                agent.say()
        trace = f"{turn.trace_id:032x}"
    found = trail_in(backends, trace)
    assert [found.rebuild(c).text.encode() for c in found.calls] == agent.bodies


def test_recorded_traffic_is_rebuilt_out_of_jaeger(backends, shared, tmp_path):
    """Driven through real clients, sent, read out of Jaeger, and held to what the clients sent."""
    files = sorted(p for p in (shared / "data/cassettes/norm").rglob("*") if p.is_file())
    assert files
    wrong = []
    for number, path in enumerate(files):
        trail = tmp_path / f"{number}.jsonl"
        with Sender(backends.url("otlp_http")) as sender:
            driven = drive(cassettes.read(path), trail, sender.traces)
            sender.flush()
        if not driven.sent:
            continue
        (turn,) = load(trail).turns
        trail_in(backends, turn.trace_ids[0])
        there = tmp_path / f"{number}.json"
        there.write_bytes(trace_document(backends, turn.trace_ids[0]) or b"")
        wrong += [f"{path.name}: {what}" for what in check(there, driven)]
    assert wrong == []


def test_people_find_a_turn_by_its_tags(backends):
    from urllib.parse import urlencode

    from deploy.local.health import get

    with Sender(backends.url("otlp_http"), budget=Budget(messages=100)) as sender:
        agent = Agent(sender.fp)
        with sender.fp.turn("x", id=f"turn-{sender.service}", conversation="c-1") as turn:
            agent.say()
        trace = f"{turn.trace_id:032x}"
    arrived(backends, sender)

    def traces(**tags: str) -> set[str]:
        asked = {"service": sender.service, "tags": json.dumps(tags), "limit": 20}
        url = f"{backends.url('jaeger')}/api/traces?{urlencode(asked)}"
        return {t["traceID"] for t in json.loads(get(url))["data"]}

    for tags in (
        {"gen_ai.agent.name": "agent"},
        {"gen_ai.conversation.id": "c-1"},
        {"footprint.turn.id": f"turn-{sender.service}"},
        {"footprint.slot.messages.over": "true"},
        {"footprint.slot.over.declared": "true"},
    ):
        assert traces(**tags) == {trace}, tags
    assert traces(**{"footprint.slot.system.over": "true"}) == set()
