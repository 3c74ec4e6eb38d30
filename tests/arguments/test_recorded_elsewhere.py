"""Model calls handed to `Footprint.record`: hints, and the rules of tools that run here."""

from __future__ import annotations

import json
from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.telemetry import names
from tests.sdk import Recording, chat

from .loops import (
    FOUND,
    HOSTS,
    SYSTEM,
    WORDS,
    Asked,
    Shop,
    hints,
    openai_answer,
    openai_tools,
    written,
)


@pytest.fixture
def fp(recording: Recording) -> footprint.Footprint:
    arguments = footprint.Arguments()
    return footprint.Footprint("shop", content="full", arguments=arguments, **recording.providers)


def openai(turns: list[Any]) -> list[tuple[str, str, Any, Any]]:
    """Two calls of OpenAI chat: one asks for a tool, the other has its result."""
    asked = openai_answer([Asked("t1", "hosts", {"service": "checkout", "limit": 77})])
    call = asked["choices"][0]["message"]
    first = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": WORDS}]
    second = [*first, call, {"role": "tool", "tool_call_id": "t1", "content": FOUND}]
    body = {"model": "m", "tools": openai_tools()}
    path = "/v1/chat/completions"
    return [
        ("openai", path, {**body, "messages": first}, asked),
        ("openai", path, {**body, "messages": second}, chat("Done.")),
    ][: len(turns)]


def gemini(turns: list[Any]) -> list[tuple[str, str, Any, Any]]:
    """The same of Gemini."""
    call = {"functionCall": {"name": "hosts", "args": {"service": "checkout", "limit": 77}}}
    asked = {"candidates": [{"content": {"role": "model", "parts": [call]}}]}
    first = [{"role": "user", "parts": [{"text": WORDS}]}]
    result = {"functionResponse": {"name": "hosts", "response": json.loads(FOUND)}}
    second = [*first, {"role": "model", "parts": [call]}, {"role": "user", "parts": [result]}]
    tools = [{"functionDeclarations": [{"name": "hosts", "parameters": HOSTS}]}]
    done = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Done."}]}}]}
    path = "/v1beta/models/gemini-test:generateContent"
    return [
        ("gcp.gemini", path, {"contents": first, "tools": tools}, asked),
        ("gcp.gemini", path, {"contents": second, "tools": tools}, done),
    ][: len(turns)]


@pytest.mark.parametrize("provider", [openai, gemini])
@pytest.mark.parametrize("calls", [1, 2])
def test_arguments_of_calls_made_elsewhere_get_hints(
    recording: Recording, fp: footprint.Footprint, provider: Any, calls: int
) -> None:
    with fp.turn():
        for name, path, body, answer in provider([None] * calls):
            fp.record(name, path, body, answer)
    assert hints(recording) == [("service", "hint", "person"), ("limit", "nowhere", None)]
    (span,) = recording.named(names.SPAN_EVENTS)
    assert str((span.attributes or {})[names.CALL_ID]).endswith(".1")


def test_a_tool_that_runs_through_us_has_its_hints_on_its_span(
    recording: Recording, fp: footprint.Footprint
) -> None:
    shop = Shop(fp)
    with fp.turn() as turn:
        for name, path, body, answer in openai([None]):
            fp.record(name, path, body, answer)
            turn.tool(answer["choices"][0]["message"]["tool_calls"][0])
    assert shop.got == [("hosts", {"service": "checkout", "limit": 77})]
    assert {r.verdict for r in written(recording, "t1").rows.values()} == {"hint", "nowhere"}
    assert len(hints(recording)) == 2


def test_the_rules_of_such_a_tool_are_bound_by_the_request_that_is_recorded(
    recording: Recording,
) -> None:
    rules = {"hosts": {"arguments": {"service": {"assume": "search"}}}}
    declared = footprint.Arguments(tools=rules)
    fp = footprint.Footprint("shop", arguments=declared, **recording.providers)
    shop = Shop(fp)
    asked = openai_answer([Asked("t1", "hosts", {})])
    body = {"model": "m", "messages": [{"role": "user", "content": WORDS}]}
    with fp.turn() as turn:
        fp.record("openai", "/v1/chat/completions", {**body, "tools": openai_tools()}, asked)
        turn.tool(asked["choices"][0]["message"]["tool_calls"][0])
    assert shop.got == [("hosts", {"service": "search"})]
    assert written(recording, "t1").rows["service"].verdict == "default"


def test_an_answer_that_is_none_has_no_arguments(
    recording: Recording, fp: footprint.Footprint
) -> None:
    with fp.turn():
        for answer in (None, {}, {"choices": "x"}, [("", {"choices": []})], {"choices": [None]}):
            body = {"model": "m", "messages": [{"role": "user", "content": WORDS}]}
            fp.record("openai", "/v1/chat/completions", body, answer)
    assert hints(recording) == []
