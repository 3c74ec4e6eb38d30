"""Anthropic Messages: in the last text block, or in one of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.telemetry import names
from tests.adapters.test_clients import ANTHROPIC
from tests.sdk import Server, client, message

from .helpers import CODE, Programmed

UNDER = (
    "Recorded program 1 of 1: call `c1` to `run_code` completed; the library attached it out of "
    f"the record.\n\n```python\n{CODE}```"
)
USE = {"type": "tool_use", "id": "c1", "name": "run_code", "input": {"code": CODE}}
ASKS = message(content=[USE], stop_reason="tool_use")
SERVER = {
    "type": "server_tool_use",
    "id": "srvtoolu_1",
    "name": "code_execution",
    "input": {"code": "print(6 * 7)"},
}


def result(**content: Any) -> dict[str, Any]:
    return {
        "type": "code_execution_tool_result",
        "tool_use_id": "srvtoolu_1",
        "content": content
        or {
            "type": "code_execution_result",
            "stdout": "",
            "stderr": "",
            "return_code": 1,
            "content": [],
        },
    }


def sse(*blocks: Any, stop: str = "end_turn") -> str:
    """The events of a message."""
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message(), "content": [], "stop_reason": None}}
    ]
    for index, block in enumerate(blocks):
        empty = {**block, "text": ""} if block["type"] == "text" else {**block}
        if "input" in empty:
            empty["input"] = {}
        events.append({"type": "content_block_start", "index": index, "content_block": empty})
        deltas: list[dict[str, Any]] = []
        if block["type"] == "text":
            deltas = [{"type": "text_delta", "text": word} for word in block["text"].split("|")]
        elif "input" in block:
            deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        for delta in deltas:
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
        events.append({"type": "ping"})
    events += [
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": None},
            "usage": {"output_tokens": 5},
        },
        {"type": "message_stop"},
    ]
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


@pytest.fixture
def made() -> Programmed:
    return Programmed()


def loop(made: Programmed, answer: Any, ask: Any = None) -> Any:
    model = made.client("anthropic", "Anthropic", ASKS, answer)
    with made.footprint.turn() as turn:
        first = model.messages.create(**ANTHROPIC)
        turn.tool(first.content[0], lambda code: "42")
        return (ask or (lambda model: model.messages.create(**ANTHROPIC)))(model)


def final(model: Any) -> Any:
    with model.messages.stream(**ANTHROPIC) as stream:
        for _ in stream:
            pass
        return stream.get_final_message()


def test_the_program_stands_in_the_last_block(made: Programmed) -> None:
    answer = loop(made, message("It is 42."))
    assert [block.text for block in answer.content] == ["It is 42.\n\n" + UNDER]
    (attached,) = made.attached
    assert (attached.text, attached.recorded.unread) == ("\n\n" + UNDER, 0)


def test_the_boundary_is_read_on_all_texts_that_stand_side_by_side(made: Programmed) -> None:
    answer = loop(made, message(content=[said("```\nx = 1\n"), said("y = 2")]))
    assert [block.text for block in answer.content] == [
        "```\nx = 1\n",
        "y = 2\n```\n\n" + UNDER,
    ]


def test_an_answer_without_a_text_gets_the_block_only(made: Programmed) -> None:
    answer = loop(made, message(content=[]))
    assert [block.text for block in answer.content] == [UNDER]


def test_raw_and_streaming_responses_and_beta_carry_it(made: Programmed) -> None:
    def streaming(model: Any) -> Any:
        with model.messages.with_streaming_response.create(**ANTHROPIC) as response:
            return response.parse()

    for ask in (
        lambda model: model.messages.with_raw_response.create(**ANTHROPIC).parse(),
        lambda model: model.beta.messages.create(**ANTHROPIC),
        streaming,
    ):
        assert loop(made, message("It is 42."), ask).content[0].text == "It is 42.\n\n" + UNDER


def test_a_typed_answer_gets_the_data_only(made: Programmed) -> None:
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    answer = loop(
        made,
        message("{}"),
        lambda model: model.messages.create(
            **ANTHROPIC,
            extra_body={"output_config": {"format": {"type": "json_schema", "schema": schema}}},
        ),
    )
    assert answer.content[0].text == "{}"
    assert made.attached[0].recorded.form == "data"


def test_a_refusal_gets_the_data_only(made: Programmed) -> None:
    answer = loop(made, message("I ca", stop_reason="refusal"))
    assert [block.text for block in answer.content] == ["I ca"]
    assert made.attached[0].recorded.form == "data"
    events = loop(
        made,
        sse(said("I |ca"), stop="refusal"),
        lambda model: list(model.messages.create(**ANTHROPIC, stream=True)),
    )
    assert "Recorded" not in str(events)
    assert [a.recorded.form for a in made.attached] == ["data", "data"]


def test_a_stream_gets_a_last_delta(made: Programmed) -> None:
    stream = sse(said("It |is 42."))
    events = loop(made, stream, lambda m: list(m.messages.create(stream=True, **ANTHROPIC)))
    plain = client("anthropic", "Anthropic", Server(stream))
    expected = list(plain.messages.create(stream=True, **ANTHROPIC))
    ours = [e for e in events if e not in expected]
    assert [(e.type, e.index, e.delta.text) for e in ours] == [
        ("content_block_delta", 0, "\n\n" + UNDER)
    ]
    assert [e for e in events if e in expected] == expected
    assert events[5].type == "content_block_stop"


def test_the_accumulator_of_a_stream_stays_valid(made: Programmed) -> None:
    answer = loop(made, sse(said("It |is 42.")), final)
    assert [block.text for block in answer.content] == ["It is 42.\n\n" + UNDER]
    assert answer.stop_reason == "end_turn"
    empty = loop(Programmed(), sse(), final)
    assert [block.text for block in empty.content] == [UNDER]


def test_a_stream_that_asks_for_a_tool_is_handed_on_as_it_came(made: Programmed) -> None:
    stream = sse(said("I look."), {**USE, "id": "c2"}, stop="tool_use")
    plain = client("anthropic", "Anthropic", Server(stream))
    read = lambda m: list(m.messages.create(stream=True, **ANTHROPIC))  # noqa: E731
    assert loop(made, stream, read) == read(plain)
    assert made.attached == []


async def test_async_streams(made: Programmed) -> None:
    model = made.client("anthropic", "AsyncAnthropic", ASKS, sse(said("It |is 42.")))
    async with made.footprint.turn() as turn:
        first = await model.messages.create(**ANTHROPIC)
        turn.tool(first.content[0], lambda code: "42")
        async with model.messages.stream(**ANTHROPIC) as stream:
            assert await stream.get_final_text() == "It is 42.\n\n" + UNDER


def test_a_result_that_is_an_error_says_that_the_tool_failed(made: Programmed) -> None:
    model = made.client("anthropic", "Anthropic", ASKS, message("It broke."))
    messages: list[Any] = [{"role": "user", "content": "Run it."}]
    model.messages.create(model="m", max_tokens=9, messages=messages)
    failed = {"type": "tool_result", "tool_use_id": "c1", "content": "boom", "is_error": True}
    messages += [
        {"role": "assistant", "content": [USE]},
        {"role": "user", "content": [failed]},
    ]
    text = model.messages.create(model="m", max_tokens=9, messages=messages).content[0].text
    assert "call `c1` to `run_code` failed, raised by the tool itself; " in text


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize(
    ("came", "words"),
    [
        (result(), "completed with exit code 1"),
        (
            result(type="code_execution_tool_result_error", error_code="execution_time_exceeded"),
            "ran out of time",
        ),
        (
            result(type="code_execution_tool_result_error", error_code="unavailable"),
            "failed, raised by the tool itself",
        ),
    ],
)
def test_code_that_the_provider_ran_needs_no_declaration(
    came: dict[str, Any], words: str, streams: bool
) -> None:
    made = Programmed(footprint.Scripts())
    blocks = [SERVER, came, said("It is 42.")]
    model = made.client(
        "anthropic", "Anthropic", sse(*blocks) if streams else message(content=blocks)
    )
    answer = final(model) if streams else model.messages.create(**ANTHROPIC)
    assert answer.content[-1].text == (
        f"It is 42.\n\nRecorded program 1 of 1: call `srvtoolu_1` to `code_execution` {words}; "
        "the library attached it out of the record.\n\n```python\nprint(6 * 7)\n```"
    )


def test_a_turn_of_the_provider_that_pauses_goes_on(made: Programmed) -> None:
    made = Programmed(footprint.Scripts())
    model = made.client(
        "anthropic",
        "Anthropic",
        message(content=[said("I run it."), SERVER], stop_reason="pause_turn"),
        message(content=[result(), said("It is 42.")]),
    )
    with made.footprint.turn():
        first = model.messages.create(**ANTHROPIC)
        second = model.messages.create(**ANTHROPIC)
    assert first.content[0].text == "I run it."
    assert "`code_execution` completed with exit code 1; " in second.content[-1].text
    assert len(made.attached) == 1


def test_the_block_that_comes_back_is_known_to_be_the_librarys(made: Programmed) -> None:
    model = made.client("anthropic", "Anthropic", ASKS, message("It is 42."), message("Yes."))
    messages: list[Any] = [{"role": "user", "content": "Run it."}]
    with made.footprint.turn() as turn:
        first = model.messages.create(model="m", max_tokens=9, messages=messages)
        turn.tool(first.content[0], lambda code: "42")
        second = model.messages.create(model="m", max_tokens=9, messages=messages)
        messages.append({"role": "assistant", "content": second.content})
        messages.append({"role": "user", "content": "Sure?"})
        model.messages.create(model="m", max_tokens=9, messages=messages)
    (event,) = made.events(names.EVENT_INJECTED)
    assert event[names.INJECTION_SOURCE] == "scripts"
    assert event[names.INJECTION_REASON] == "the library wrote it from character 9 on"
