"""Streams: an application need not read one to its end before it runs what the model asked for."""

from __future__ import annotations

import json
from typing import Any

import pytest

import otel_footprint as footprint
from tests.sdk import Recording, Server, client

from .everywhere import AnthropicStream, ChatStream, ResponsesStream
from .loops import HOSTS, WORDS, Asked, Shop, declared, source, written

WAYS = (ChatStream(), AnthropicStream(), ResponsesStream())


def recorder(recording: Recording) -> footprint.Footprint:
    arguments = footprint.Arguments()
    return footprint.Footprint("shop", content="full", arguments=arguments, **recording.providers)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_a_tool_may_run_before_its_stream_was_read_to_the_end(
    recording: Recording, way: Any
) -> None:
    fp = recorder(recording)
    shop = Shop(fp)
    own = declared({"service": "checkout"}, source("service", "user", quote="checkout"))
    server = Server(way.answer([Asked("t1", "hosts", own)]))
    ai = fp.wrap(client(way.package, way.cls, server))
    history, tools = way.begin([("user", WORDS)]), [way.tool("hosts", HOSTS)]
    if way.name == "anthropic stream":
        options: dict[str, Any] = {"messages": history, "max_tokens": 9}
        create = ai.messages.create
    elif way.name == "chat stream":
        options, create = {"messages": history}, ai.chat.completions.create
    else:
        options, create = {"input": history}, ai.responses.create
    last = {"tool_calls", "message_delta", "response.completed"}
    with fp.turn() as turn:
        for event in create(model="m", tools=tools, stream=True, **options):
            kind = event.choices[0].finish_reason if way.name == "chat stream" else event.type
            if kind in last:
                call = {"id": "t1", "function": {"name": "hosts", "arguments": json.dumps(own)}}
                turn.tool(call)
    assert shop.got == [("hosts", {"service": "checkout"})]
    assert written(recording, "t1").rows["service"].verdict == "said"


def test_words_in_a_stream_that_look_like_its_end_are_none(recording: Recording) -> None:
    fp = recorder(recording)
    shop = Shop(fp)
    text = 'message_stop "stop_reason":"tool_use" [DONE] response.completed\n\n' * 30
    calls = [
        Asked(f"t{i}", "hosts", declared({"service": text}, source("service", "assumed")))
        for i in range(2)
    ]
    server = Server(AnthropicStream().answer(calls))
    ai = fp.wrap(client("anthropic", "Anthropic", server))
    with fp.turn() as turn:
        tools = [{"name": "hosts", "input_schema": HOSTS}]
        way = AnthropicStream()
        for call in way.ask(ai, [{"role": "user", "content": WORDS}], tools):
            turn.tool(call)
    assert shop.got == [("hosts", {"service": text})] * 2
    for call_id in ("t0", "t1"):
        assert written(recording, call_id).rows["service"].claimed == "assumed"
