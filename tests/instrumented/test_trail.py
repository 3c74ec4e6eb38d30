"""What is recorded beside another instrumentation is read back: requests, usage, one call each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from otel_footprint.telemetry.jsonfile import JsonFileExporter
from otel_footprint.trail import load
from tests.adapters.test_clients import ANTHROPIC, OPENAI, RESPONSE
from tests.sdk import Server, chat, chat_sse, client, message

from .peers import PEERS, Peer, together
from .test_openai import ASK

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.mark.parametrize("peer", PEERS, ids=[f"{p.name} {p.package}" for p in PEERS])
def test_requests_and_usage_are_read_back(
    peer: Peer, order: str, turn: bool, tmp_path: Path
) -> None:
    peer.make()
    path = tmp_path / "trail.jsonl"
    with together(peer, order, peer.package) as made:
        made.recording.tracer_provider.add_span_processor(
            SimpleSpanProcessor(JsonFileExporter(path))
        )
        server = drive(made, peer.package, turn)
        made.footprint.flush()
    trail = load(path)
    rebuilt = [trail.rebuild(c).text for c in trail.calls]
    assert sorted(map(canonical, rebuilt)) == sorted(map(canonical, server.bodies))
    usage = [(c.usage.input, c.usage.output) for c in trail.calls if c.usage is not None]
    assert len(usage) == len(server.bodies)
    if peer.name != "openinference":  # it has names of its own for tokens
        assert all(u[1] == 5 for u in usage)
    ledgers = [ledger for found in trail.turns for ledger in found.ledgers]
    assert ledgers
    assert {trail.check(ledger).state for ledger in ledgers} == {"complete"}


def canonical(text: str | bytes | None) -> str:
    return json.dumps(json.loads(text or "null"), sort_keys=True)


def drive(made: Any, package: str, turn: bool) -> Server:
    if package == "openai":
        server = Server(chat(), {**RESPONSE, "id": "resp_2"}, chat_sse("one"))
    else:
        server = Server(message(), message())
    wrapped = made.footprint.wrap(
        client(package, "OpenAI" if package == "openai" else "Anthropic", server)
    )

    def run() -> None:
        if package == "openai":
            wrapped.chat.completions.create(**OPENAI)
            wrapped.responses.create(**ASK)
            list(wrapped.chat.completions.create(stream=True, **OPENAI))
        else:
            wrapped.messages.create(**ANTHROPIC)
            wrapped.messages.create(**ANTHROPIC)

    if turn:
        with made.footprint.turn("Hello?"):
            run()
    else:
        run()
    return server
