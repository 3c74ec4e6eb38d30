"""SDK helpers that read arguments by a model of their own: nothing is planted, nothing breaks."""

from __future__ import annotations

import json
from typing import Any

import pydantic
import pytest

import otel_footprint as footprint
from otel_footprint.arguments import RESERVED
from otel_footprint.telemetry import names
from tests.sdk import Recording, Server, chat, client, message

from .loops import hints

CALL = {
    "id": "t1",
    "type": "function",
    "function": {"name": "lookup", "arguments": '{"host":"db-9"}'},
}
SAID = [{"role": "user", "content": "Why was db-9 slow?"}]


class lookup(pydantic.BaseModel):
    """Looks a host up."""

    model_config = pydantic.ConfigDict(extra="forbid")
    host: str


@pytest.fixture
def fp(recording: Recording) -> footprint.Footprint:
    arguments = footprint.Arguments()
    return footprint.Footprint("shop", content="full", arguments=arguments, **recording.providers)


def withheld(recording: Recording) -> list[tuple[Any, Any]]:
    """Tool and reason, once a turn."""
    return [
        (e.attributes[names.OFFER_TOOL], e.attributes[names.OFFER_REASON])
        for s in recording.spans
        for e in s.events
        if e.name == names.EVENT_WITHHELD and e.attributes
    ]


def chat_stream() -> str:
    """The tool call as events of a chat stream."""
    base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    deltas = [
        ({"role": "assistant", "tool_calls": [{"index": 0, **CALL}]}, None),
        ({}, "tool_calls"),
    ]
    events = [
        {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        for delta, finish in deltas
    ]
    return "".join(f"data: {json.dumps(e)}\n\n" for e in events) + "data: [DONE]\n\n"


ITEM = {
    "id": "fc_1", "type": "function_call", "call_id": "t1", "name": "lookup", "status": "completed",
    "arguments": '{"host":"db-9"}',
}  # fmt: skip
RESPONSE = {
    "id": "resp_1", "object": "response", "created_at": 1, "model": "m", "status": "completed",
    "output": [ITEM], "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
}  # fmt: skip


def responses_stream() -> str:
    """The same as events of Responses."""
    begun = {**RESPONSE, "output": [], "status": "in_progress"}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", "output_index": 0,
         "item": {**ITEM, "arguments": ""}},
        {"type": "response.function_call_arguments.delta", "output_index": 0, "item_id": "fc_1",
         "delta": ITEM["arguments"]},
        {"type": "response.output_item.done", "output_index": 0, "item": ITEM},
        {"type": "response.completed", "response": RESPONSE},
    ]  # fmt: skip
    for number, event in enumerate(events):
        event["sequence_number"] = number
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)


def parse_chat(ai: Any, tools: Any) -> Any:
    made = ai.chat.completions.parse(model="m", messages=SAID, tools=[tools[0]])
    return made.choices[0].message.tool_calls[0].function.parsed_arguments


def stream_chat(ai: Any, tools: Any) -> Any:
    with ai.chat.completions.stream(model="m", messages=SAID, tools=[tools[0]]) as stream:
        made = stream.get_final_completion()
    return made.choices[0].message.tool_calls[0].function.parsed_arguments


def parse_responses(ai: Any, tools: Any) -> Any:
    made = ai.responses.parse(model="m", input=SAID, tools=[tools[1]])
    return made.output[0].parsed_arguments


def stream_responses(ai: Any, tools: Any) -> Any:
    with ai.responses.stream(model="m", input=SAID, tools=[tools[1]]) as stream:
        made = stream.get_final_response()
    return made.output[0].parsed_arguments


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (parse_chat, chat(None, [CALL])),
        (stream_chat, chat_stream()),
        (parse_responses, RESPONSE),
        (stream_responses, responses_stream()),
    ],
)
def test_openais_helpers_with_pydantic_tools(
    recording: Recording, fp: footprint.Footprint, ask: Any, answer: Any
) -> None:
    openai = pytest.importorskip("openai")
    tool = openai.pydantic_function_tool(lookup)
    tools = (tool, {"type": "function", **tool["function"]})
    try:
        from openai.lib._tools import pydantic_responses_function_tool

        tools = (tool, pydantic_responses_function_tool(lookup))
    except ImportError:  # an older SDK, which only parses JSON there
        pass
    server = Server(answer)
    ai = fp.wrap(client("openai", "OpenAI", server))
    with fp.turn(dispatch=True):
        parsed = ask(ai, tools)
    assert parsed in (lookup(host="db-9"), {"host": "db-9"})
    assert RESERVED not in server.bodies[0].decode()
    assert withheld(recording) == [("lookup", "validated")]
    assert hints(recording) == [("host", "hint", "person")]


@pytest.mark.parametrize("cls", ["OpenAI", "AzureOpenAI"])
def test_the_same_tool_is_planted_where_nothing_parses_it(
    fp: footprint.Footprint, cls: str
) -> None:
    openai = pytest.importorskip("openai")
    server = Server(chat("Done."))
    options = {"api_version": "2024-10-21"} if cls == "AzureOpenAI" else {}
    ai = fp.wrap(client("openai", cls, server, **options))
    with fp.turn(dispatch=True):
        ai.chat.completions.create(
            model="m", messages=SAID, tools=[openai.pydantic_function_tool(lookup)]
        )
    assert RESERVED in server.bodies[0].decode()


USE = {"type": "tool_use", "id": "t1", "name": "find", "input": {"host": "db-9"}}


def test_anthropics_tool_runner(recording: Recording, fp: footprint.Footprint) -> None:
    anthropic = pytest.importorskip("anthropic")
    if not hasattr(anthropic, "beta_tool"):
        pytest.skip("this SDK has no tool runner")
    got = []

    @anthropic.beta_tool  # type: ignore[untyped-decorator]
    @fp.tool
    def find(host: str) -> str:
        """Looks a host up."""
        got.append(host)
        return "slow"

    server = Server(message(content=[USE], stop_reason="tool_use"), message("Done."))
    ai = fp.wrap(client("anthropic", "Anthropic", server))
    with fp.turn(dispatch=True):
        runner = ai.beta.messages.tool_runner(
            model="claude-test-1", max_tokens=100, messages=SAID, tools=[find]
        )
        assert runner.until_done().content[0].text == "Done."
    assert got == ["db-9"]
    assert not any(RESERVED in body.decode() for body in server.bodies)
    assert withheld(recording) == [("find", "validated")]
    assert hints(recording) == [("host", "hint", "person")]


async def test_anthropics_tool_runner_awaited(
    recording: Recording, fp: footprint.Footprint
) -> None:
    anthropic = pytest.importorskip("anthropic")
    if not hasattr(anthropic, "beta_async_tool"):
        pytest.skip("this SDK has no tool runner")
    got = []

    @anthropic.beta_async_tool  # type: ignore[untyped-decorator]
    async def find(host: str) -> str:
        """Looks a host up."""
        got.append(host)
        return "slow"

    server = Server(message(content=[USE], stop_reason="tool_use"), message("Done."))
    ai = fp.wrap(client("anthropic", "AsyncAnthropic", server))
    async with fp.turn(dispatch=True):
        runner = ai.beta.messages.tool_runner(
            model="claude-test-1", max_tokens=100, messages=SAID, tools=[find]
        )
        assert (await runner.until_done()).content[0].text == "Done."
    assert got == ["db-9"]
    assert not any(RESERVED in body.decode() for body in server.bodies)
    assert withheld(recording) == [("find", "validated")]
    assert hints(recording) == [("host", "hint", "person")]
