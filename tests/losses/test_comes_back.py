"""An answer that stands in the next request is the same piece, however it is spelled."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.trail import Trail

from .kit import Agent, Session


def came_back(trail: Trail) -> tuple[Any, Any]:
    """The answer of the first call, and the row that it has in the second."""
    first, second = trail.calls
    (output,) = first.output
    row = trail.rows(second, "messages").rows[1]
    assert output is not None
    assert row is not None
    return output, row


@pytest.mark.parametrize(
    "keys", [("role", "content"), ("content", "role"), ("role", "content", "refusal")]
)
def test_an_answer_that_comes_back_is_the_same_piece(keys: tuple[str, ...]) -> None:
    session = Session()
    agent = Agent(session.footprint)
    with session.footprint.turn():
        agent.say()
        answer: dict[str, Any] = agent.messages[-1]
        agent.messages[-1] = {key: answer.get(key) for key in keys}
        agent.say()
    trail = session.trail()
    output, row = came_back(trail)
    assert (row.hash, row.size, row.source) == (output.hash, output.size, "assistant")
    assert (row.exact == output.exact) == (keys == ("role", "content"))
    rebuilt = [trail.rebuild(call).text for call in trail.calls]
    assert [text and text.encode() for text in rebuilt] == agent.bodies
    session.close()


GEMINI = ("gcp.gemini", "/v1beta/models/g:generateContent", "contents")
OLLAMA = ("ollama", "/api/chat", "messages")
CALLED = {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {"a": 1}}}]}
NAMED = {
    "role": "model",
    "parts": [{"functionCall": {"id": "x1", "name": "look", "args": {"a": 1}}}],
}
LOOKED = {"functionResponse": {"id": "x1", "name": "look", "response": {"found": 4}}}
ASKED = {"function": {"name": "look", "arguments": {"a": 1}}}


@pytest.mark.parametrize(
    ("api", "answer", "messages"),
    [
        (
            GEMINI,
            {"candidates": [{"content": CALLED, "finishReason": "STOP"}]},
            [
                {"role": "user", "parts": [{"text": "Where?"}]},
                NAMED,
                {"role": "user", "parts": [LOOKED]},
            ],
        ),
        (
            OLLAMA,
            {"message": {"role": "assistant", "content": "", "tool_calls": [ASKED]}, "done": True},
            [
                {"role": "user", "content": "Where?"},
                {"role": "assistant", "content": "", "tool_calls": [{"id": "x1", **ASKED}]},
                {"role": "tool", "tool_call_id": "x1", "content": "4"},
            ],
        ),
        (
            GEMINI,
            {"candidates": [{"content": NAMED, "finishReason": "STOP"}]},
            [
                {"role": "user", "parts": [{"text": "Where?"}]},
                CALLED,
                {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {}}}]},
            ],
        ),
    ],
    ids=["gemini", "ollama", "gemini, left out"],
)
def test_calls_come_back_with_ids_of_the_callers_own_or_with_none(
    api: tuple[str, str, str], answer: Any, messages: list[Any]
) -> None:
    provider, path, key = api
    session = Session()
    bodies = [{key: messages[:1]}, {key: messages}]
    with session.footprint.turn():
        session.footprint.record(provider, path, bodies[0], answer)
        session.footprint.record(provider, path, bodies[1], None)
    trail = session.trail()
    output, row = came_back(trail)
    assert (row.hash, row.source) == (output.hash, "assistant")
    assert row.exact != output.exact
    rebuilt = [trail.rebuild(call).text for call in trail.calls]
    assert [json.loads(text or "") for text in rebuilt] == bodies
    session.close()


def test_a_number_that_is_spelled_otherwise_is_recorded_wherever_it_stands() -> None:
    session = Session()
    agent = Agent(session.footprint)
    with session.footprint.turn():
        for value in (1, True, 1.0, 0.0, -0.0, False, 0, 0):
            schema = {"type": "object", "properties": {"a": {"default": value}}}
            tool = {"type": "function", "function": {"name": "t", "parameters": schema}}
            form = {"name": "f", "schema": schema}
            agent.request = {
                "model": "gpt-4o-mini",
                "tools": [tool],
                "response_format": {"type": "json_schema", "json_schema": form},
                "seed": value,
            }
            part = {"type": "text", "text": "Which?", "weight": [value]}
            agent.messages[:1] = [{"role": "user", "content": [part]}]
            agent.say()
    trail = session.trail()
    rebuilt = [trail.rebuild(call).text for call in trail.calls]
    assert [text and text.encode() for text in rebuilt] == agent.bodies
    session.close()
