"""A recorded model declares sources, right and wrong: the request, the tool, the exported spans."""

from __future__ import annotations

import json
from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.arguments import RESERVED
from otel_footprint.telemetry import names
from tests.sdk import Recording

from .loops import (
    FOUND,
    LOOKUP,
    STEPS,
    TOOLS,
    AnthropicLoop,
    Asked,
    Loop,
    OpenAILoop,
    Shop,
    written,
)

LOOPS = [OpenAILoop, AnthropicLoop]


def recorder(recording: Recording, content: str = "full", **options: Any) -> footprint.Footprint:
    return footprint.Footprint("shop", content=content, **options, **recording.providers)


@pytest.mark.parametrize("loop", LOOPS)
def test_a_model_declares_sources_right_and_wrong(recording: Recording, loop: type[Any]) -> None:
    put: list[Any] = []

    def person(ask: Any) -> dict[str, Any]:
        put.append(ask.payload())
        return {"f1": "payments"}

    fp = recorder(recording, arguments=footprint.Arguments(tools=TOOLS, ask=person))
    shop, made = Shop(fp), loop(fp, STEPS)
    with fp.turn("Why?") as turn:
        made.run(turn)
        assert turn.standing is not None
        assert turn.standing.word == "not-sure"

    # the request that left
    planted = made.schema(1, "lookup")
    assert list(planted["properties"]) == [*LOOKUP["properties"], RESERVED]
    assert planted["required"] == ["host"]
    assert RESERVED not in LOOKUP["properties"]
    assert made.schema(1, "lookup") == made.schema(2, "lookup") == made.schema(3, "lookup")
    assert 'chose "payments"' in made.result(3, "t2")

    # what the tools got
    assert shop.got == [
        ("hosts", {"service": "checkout"}),
        ("lookup", {"host": "db-9", "window": "24h", "limit": 50, "team": "payments"}),
    ]
    assert made.results["t1"] == FOUND

    # what the person was asked: once, without a value of the model
    (ask,) = put
    assert [(f["argument"], f["question"], f["choices"]) for f in ask["fields"]] == [
        ("team", "Which team?", ["payments", "search"])
    ]

    # the trail
    first, second = written(recording, "t1"), written(recording, "t2")
    assert (first.rows["service"].verdict, first.rows["service"].matched) == ("said", "quote")
    rows = second.rows
    assert {n: (r.claimed, r.verdict, r.failed) for n, r in rows.items()} == {
        "host": ("result", "result", None),
        "window": ("user", "said", None),
        "limit": ("user", "model", "quote-not-found"),
        "team": ("none", "answered", None),
    }
    assert rows["host"].result == "t1"
    assert second.asked["team"].malformed == 3
    assert second.span.attributes[names.ARGUMENT_MALFORMED] == 3
    assert (rows["limit"].value, rows["limit"].size) == ("50", 2)
    assert second.asked["team"].asked == "missing"
    assert [
        (link.context.span_id, link.attributes[names.LINK_TYPE]) for link in second.span.links
    ] == [(first.span.context.span_id, "source")]


@pytest.mark.parametrize("loop", LOOPS)
def test_values_and_quotes_are_on_the_record_in_full_only(
    recording: Recording, loop: type[Any]
) -> None:
    for content in ("none", "redacted"):
        fp = recorder(recording, content, arguments=footprint.Arguments())
        Shop(fp)
        with fp.turn() as turn:
            loop(fp, STEPS).run(turn)
    for span in recording.named(names.SPAN_TOOL):
        for event in span.events:
            for name in (names.ARGUMENT_VALUE, names.ARGUMENT_QUOTE, names.ARGUMENT_PROPOSED):
                assert name not in (event.attributes or {})
            assert "fifty" not in json.dumps(dict(event.attributes or {}))
    assert written_verdicts(recording, "t1") == {("service", "said")}


def written_verdicts(recording: Recording, call_id: str) -> set[tuple[Any, Any]]:
    return {
        (e.attributes.get(names.ARGUMENT_NAME), e.attributes.get(names.ARGUMENT_VERDICT))
        for s in recording.named(names.SPAN_TOOL)
        if s.attributes.get(names.TOOL_CALL_ID) == call_id
        for e in s.events
        if e.attributes is not None
    }


@pytest.mark.parametrize("loop", LOOPS)
def test_without_arguments_the_request_is_that_of_the_unwrapped_run(
    recording: Recording, loop: type[Any]
) -> None:
    steps: list[Any] = [[Asked("t1", "hosts", {"service": "checkout"})], "Done."]
    bodies = []
    for options in ({}, {"arguments": footprint.Arguments(sources=False)}):
        fp = recorder(recording, **options)
        Shop(fp)
        made: Loop = loop(fp, steps)
        with fp.turn() as turn:
            made.run(turn)
        bodies.append(made.server.bodies)
    assert bodies[0] == bodies[1]


def test_a_standing_is_on_the_turn(recording: Recording) -> None:
    fp = recorder(recording, arguments=footprint.Arguments())
    Shop(fp)
    with fp.turn() as turn:
        OpenAILoop(fp, STEPS).run(turn)
    (span,) = recording.named("invoke_agent")
    (event,) = [e for e in span.events if e.name == names.EVENT_STANDING]
    assert span.attributes[names.STANDING_WORD] == event.attributes[names.STANDING_WORD]
    assert event.attributes[names.STANDING_WORD] == "not-sure"
    assert list(event.attributes[names.STANDING_REASONS]) == ["argument-unverified lookup.limit"]
    assert event.attributes[names.STANDING_ASSESSED] == event.attributes[names.STANDING_OF] == 4
