"""What is recorded is what was sent: edited requests are rebuilt from trails, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

import otel_footprint as footprint
from otel_footprint.telemetry.jsonfile import JsonFileExporter
from otel_footprint.trail import Trail, load
from tests.injecting.kit import Loop, call, calls, tool
from tests.injecting.test_dialects import CONTEXT, Kit, tools_of, use, uses
from tests.sdk import chat, message

STEPS = [footprint.Step("lookup", "find it"), footprint.Step("charge", "pay it back")]


def read(made: Any, tmp_path: Path, run: Any) -> Trail:
    """Runs with a trail file and reads it back."""
    path = tmp_path / "trail.jsonl"
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(JsonFileExporter(path)))
    made.footprint.core.spans._tracer_provider = provider
    run()
    provider.shutdown()
    return load(path)


def proven(trail: Trail, bodies: list[bytes]) -> None:
    """Each call of the only turn is what left, and nothing is missing or altered."""
    assert not trail.problems
    assert not trail.gaps
    (turn,) = trail.turns
    assert len(turn.calls) == len(bodies)
    for one, body in zip(turn.calls, bodies, strict=True):
        rebuilt = trail.rebuild(one)
        assert rebuilt.text == body.decode()
        assert rebuilt.proof.level == "body"
    for ledger in turn.ledgers:
        assert trail.check(ledger).state == "complete"


def test_chat(tmp_path: Path) -> None:
    loop = Loop(
        calls(call("c1", "read_skill", skill="refund")),
        calls(call("c2", "lookup"), call("c3", "charge")),
        chat("Done."),
        context=CONTEXT,
        dispatch=True,
        window=footprint.sliding_window(2),
    )
    loop.tools = [tool("lookup"), tool("charge")]
    loop.functions = {"lookup": lambda: "found", "charge": lambda: "paid"}
    for n in range(4):
        loop.messages += [
            {"role": "user", "content": f"Question {n}"},
            {"role": "assistant", "content": f"Answer {n}"},
        ]

    def run() -> None:
        with loop.footprint.turn("Refund me.") as turn:
            loop.run("Refund me.", turn)

    trail = read(loop, tmp_path, run)
    proven(trail, loop.server.bodies)
    assert b"Question 0" not in loop.server.bodies[0]


@pytest.mark.parametrize("marks", [False, True])
def test_anthropic(tmp_path: Path, marks: bool) -> None:
    kit = Kit(
        "anthropic",
        "Anthropic",
        uses(use("c1", "read_skill", skill="refund")),
        uses(use("c2", "lookup")),
        message("Done."),
        cache_marks=marks,
    )
    messages: list[Any] = [{"role": "user", "content": "Refund me."}]

    def run() -> None:
        with kit.footprint.turn("Refund me.") as turn:
            for _ in range(3):
                answer = kit.client.messages.create(
                    model="claude-test-1", max_tokens=10, messages=messages,
                    system="Be brief.", tools=tools_of("lookup", "charge"),
                )  # fmt: skip
                messages.append(
                    {"role": "assistant", "content": [b.to_dict() for b in answer.content]}
                )
                found = [
                    {
                        "type": "tool_result",
                        "tool_use_id": block.id,
                        "content": turn.tool(
                            block, (lambda **_: "found") if block.name == "lookup" else None
                        ),
                    }
                    for block in answer.content
                    if block.type == "tool_use"
                ]
                if found:
                    messages.append({"role": "user", "content": found})

    proven(read(kit, tmp_path, run), kit.server.bodies)
    assert (b"cache_control" in kit.server.bodies[0]) is marks


def test_what_let_a_piece_in_is_read_back(tmp_path: Path) -> None:
    loop = Loop(chat("Hello."), context=[footprint.fact("shop", "In Ghent.", description="where")])

    def run() -> None:
        with loop.footprint.turn("Hello?"):
            loop.run("Hello?")

    trail = read(loop, tmp_path, run)
    rows = trail.rows(trail.turns[0].calls[0], "system").rows
    found = [(r.source, r.id, r.reason) for r in rows if r is not None]
    assert found == [("base", "", ""), ("fact", "shop", "where")]
    assert json.loads(loop.server.bodies[0])["messages"][1]["content"] == "In Ghent."
