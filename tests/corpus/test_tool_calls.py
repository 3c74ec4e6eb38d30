"""Tool calls as models send them, odd ones included: each one is on the record, none is mixed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.errors import DeclarationError
from otel_footprint.telemetry import names
from tests.adapters.conftest import Recorded
from tests.sdk import chat

from .helpers import Model, assert_rebuilt, of, outcome, trail_of, user

HELLO = [user("Hello?")]


def sse(*deltas: Any) -> str:
    """A stream of deltas of tool calls."""
    base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o-mini"}
    chunks = [
        {**base, "choices": [{"index": 0, "delta": {"tool_calls": d}, "finish_reason": None}]}
        for d in deltas
    ]
    last = [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]
    chunks.append({**base, "choices": last})
    return "".join(f"data: {json.dumps(c)}\n\n" for c in chunks) + "data: [DONE]\n\n"


def delta(index: Any, id_: Any = None, name: Any = None, arguments: Any = None) -> dict[str, Any]:
    function = {k: v for k, v in (("name", name), ("arguments", arguments)) if v is not None}
    out: dict[str, Any] = {"index": index, "function": function}
    return {**out, "id": id_, "type": "function"} if id_ is not None else out


def asked(recorded: Recorded) -> list[tuple[Any, Any, Any]]:
    """Id, name and arguments of each call of the recorded output."""
    trail = trail_of(recorded)
    (row,) = trail.calls[-1].output
    text = trail.texts.piece(row).text
    assert text is not None
    calls = json.loads(text).get("tool_calls", [])
    return [(c.get("id"), c["function"].get("name"), c["function"].get("arguments")) for c in calls]


STREAMS: dict[str, tuple[list[Any], list[tuple[Any, Any, Any]]]] = {
    "interleaved": (
        [
            [delta(0, "a", "one", "")], [delta(1, "b", "two", "")],
            [delta(0, arguments='{"x":')], [delta(1, arguments='{"y":')],
            [delta(0, arguments="1}")], [delta(1, arguments="2}")],
        ],
        [("a", "one", '{"x":1}'), ("b", "two", '{"y":2}')],
    ),
    "together": (
        [
            [delta(0, "a", "one", "{"), delta(1, "b", "two", "{")],
            [delta(1, arguments="}"), delta(0, arguments="}")],
        ],
        [("a", "one", "{}"), ("b", "two", "{}")],
    ),
    "same index, other id": (
        [[delta(0, "a", "one", "{}")], [delta(0, "b", "two", "{}")]],
        [("a", "one", "{}"), ("b", "two", "{}")],
    ),
    "same name and arguments": (
        [[delta(0, "a", "one", "{}")], [delta(1, "b", "one", "{}")]],
        [("a", "one", "{}"), ("b", "one", "{}")],
    ),
    "same id": (
        [[delta(0, "a", "one", "{}")], [delta(1, "a", "one", "{}")]],
        [("a", "one", "{}"), ("a", "one", "{}")],
    ),
    "not from zero": ([[delta(3, "a", "one", "{}")]], [("a", "one", "{}")]),
    "out of order": (
        [[delta(1, "b", "two", "{}")], [delta(0, "a", "one", "{}")]],
        [("a", "one", "{}"), ("b", "two", "{}")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STREAMS)
def test_deltas_are_put_together_as_calls(recorded: Recorded, name: str) -> None:
    deltas, expected = STREAMS[name]
    plain, wrapped = (Model(("openai", False), sse(*deltas)) for _ in range(2))
    recorded.footprint.wrap(wrapped.client)
    found = list(wrapped.call_now(HELLO, stream=True))
    assert found == list(plain.call_now(HELLO, stream=True))
    assert sorted(asked(recorded)) == sorted(expected)


@pytest.mark.parametrize("arguments", ["", "null", "[1]", "{", '{"a":NaN}', "text", " {} ", "1"])
@pytest.mark.parametrize("id_", ["c1", ""])
def test_odd_arguments_are_recorded_as_they_are(
    recorded: Recorded, arguments: str, id_: str
) -> None:
    call = {"id": id_, "type": "function", "function": {"name": "look", "arguments": arguments}}
    model = Model(("openai", False), chat(None, [call, call]), chat())
    recorded.footprint.wrap(model.client)
    with recorded.footprint.turn() as turn:
        answer = model.call_now(HELLO).choices[0].message
        for wanted in answer.tool_calls:
            outcome(lambda wanted=wanted: turn.tool(wanted, lambda **_: "found"))
        results = [
            {"role": "tool", "tool_call_id": c.id, "content": "found"} for c in answer.tool_calls
        ]
        model.call_now([*HELLO, answer.model_dump(exclude_unset=True), *results])
    assert [c[2] for c in _output_calls(recorded, 0)] == [arguments, arguments]
    assert_rebuilt(recorded, model.server.bodies)


def _output_calls(recorded: Recorded, number: int) -> list[tuple[Any, Any, Any]]:
    trail = trail_of(recorded)
    (row,) = trail.calls[number].output
    calls = json.loads(trail.texts.piece(row).text or "")["tool_calls"]
    return [(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in calls]


CALLS = {
    "openai": {
        "id": "c1",
        "type": "function",
        "function": {"name": "look", "arguments": '{"x":1}'},
    },
    "responses": {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"x":1}'},
    "anthropic": {"type": "tool_use", "id": "c1", "name": "look", "input": {"x": 1}},
}


@pytest.mark.parametrize("which", CALLS)
def test_a_turn_runs_the_calls_of_every_provider(recorded: Recorded, which: str) -> None:
    @recorded.footprint.tool
    def look(x: int) -> int:
        return x + 1

    with recorded.footprint.turn() as turn:
        assert turn.tool(CALLS[which]) == 2
        assert turn.tool(CALLS[which], lambda x: x + 10) == 11
    tools = recorded.recording.named(names.SPAN_TOOL)
    assert [of(t, names.TOOL_NAME) for t in tools] == ["look", "look"]
    assert [of(t, names.TOOL_CALL_ID) for t in tools] == ["c1", "c1"]


def test_a_tool_without_a_function_is_refused_by_name(recorded: Recorded) -> None:
    @recorded.footprint.tool
    def look() -> None: ...

    with (
        recorded.footprint.turn() as turn,
        pytest.raises(DeclarationError, match=r"'other'.*a declared tool \(look\)"),
    ):
        turn.tool({"id": "c", "function": {"name": "other", "arguments": "{}"}})
    with recorded.footprint.turn() as turn, pytest.raises(DeclarationError, match="tool call of"):
        turn.tool({"id": "c"})


@pytest.mark.parametrize("package", ["openai", "anthropic"])
def test_a_schema_that_changes_between_calls_says_so(recorded: Recorded, package: str) -> None:
    model = Model((package, False))
    recorded.footprint.wrap(model.client)

    def tools(kind: str) -> list[Any]:
        schema = {"type": "object", "properties": {"x": {"type": kind}}}
        if package == "anthropic":
            return [{"name": "look", "input_schema": schema}]
        return [{"type": "function", "function": {"name": "look", "parameters": schema}}]

    with recorded.footprint.turn():
        for kind in ("string", "string", "integer"):
            model.call_now(HELLO, tools=tools(kind))
    trail = assert_rebuilt(recorded, model.server.bodies)
    changes = [trail.change(call, "tools") for call in trail.calls]
    assert changes[1] is None
    last = changes[2]
    assert last is not None
    assert (len(last.changed), len(last.added), len(last.removed)) == (1, 0, 0)


@pytest.mark.parametrize("package", ["openai", "anthropic"])
def test_a_schema_with_references_to_itself_is_recorded(recorded: Recorded, package: str) -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"child": {"$ref": "#/$defs/node"}, "$ref": {"type": "string"}},
        "$defs": {"node": {"properties": {"child": {"$ref": "#/$defs/node"}}}},
    }
    model = Model((package, False))
    recorded.footprint.wrap(model.client)
    tools: list[Any] = (
        [{"name": "look", "input_schema": schema}]
        if package == "anthropic"
        else [{"type": "function", "function": {"name": "look", "parameters": schema}}]
    )
    model.call_now(HELLO, tools=tools)
    assert_rebuilt(recorded, model.server.bodies)


def test_anthropic_deltas_after_the_end_of_a_block_do_no_harm(recorded: Recorded) -> None:
    events = [
        {"type": "message_start", "message": {**Model(("anthropic", False)).answer(),
                                              "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0,
         "content_block": {"type": "tool_use", "id": "a", "name": "one", "input": {}}},
        {"type": "content_block_start", "index": 1,
         "content_block": {"type": "tool_use", "id": "b", "name": "two", "input": {}}},
        {"type": "content_block_delta", "index": 0,
         "delta": {"type": "input_json_delta", "partial_json": "{\"x\":"}},
        {"type": "content_block_delta", "index": 1,
         "delta": {"type": "input_json_delta", "partial_json": "{\"y\":2}"}},
        {"type": "content_block_delta", "index": 0,
         "delta": {"type": "input_json_delta", "partial_json": "1}"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_delta", "index": 1,
         "delta": {"type": "input_json_delta", "partial_json": ""}},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None},
         "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]  # fmt: skip
    text = "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)
    model = Model(("anthropic", False), text)
    recorded.footprint.wrap(model.client)
    list(model.call_now(HELLO, stream=True))
    trail = trail_of(recorded)
    found = [json.loads(trail.texts.piece(row).text or "") for row in trail.calls[0].output]
    blocks = [b for f in found for b in f.get("content", [f])]
    assert [(b["id"], b["name"], b["input"]) for b in blocks] == [
        ("a", "one", {"x": 1}),
        ("b", "two", {"y": 2}),
    ]
