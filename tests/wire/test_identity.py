"""What makes a piece itself: an output and what a caller makes of it are one piece."""

from __future__ import annotations

from typing import Any

import pytest
from anthropic.types import Message
from openai.types.chat import ChatCompletion
from openai.types.responses import Response

from otel_footprint.wire import DIALECTS

from .helpers import same

CHAT = DIALECTS["openai.chat"]
RESPONSES = DIALECTS["openai.responses"]
ANTHROPIC = DIALECTS["anthropic.messages"]
GEMINI = DIALECTS["gemini.generate_content"]
CONVERSE = DIALECTS["bedrock.converse"]
COHERE = DIALECTS["cohere.chat"]
OLLAMA = DIALECTS["ollama.chat"]

CALL = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a":1}'}}


def asst(**more: Any) -> dict[str, Any]:
    return {"role": "assistant", **more}


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


EPHEMERAL = {"cache_control": {"type": "ephemeral"}}
SDK_NULLS = {"refusal": None, "audio": None, "function_call": None, "tool_calls": None}

EQUAL: list[tuple[str, Any, Any, Any]] = [
    ("string and one part", CHAT, user("hi"), user([text("hi")])),
    ("key order", CHAT, {"content": "hi", "role": "user"}, user("hi")),
    ("nulls", CHAT, asst(content="hi", **SDK_NULLS), asst(content="hi")),
    ("empty lists", CHAT, asst(content="hi", annotations=[], tool_calls=[]), asst(content="hi")),
    ("parsed", CHAT, asst(content="{}", parsed={"a": 1}), asst(content="{}")),
    ("null content", CHAT, asst(content=None, tool_calls=[CALL]), asst(tool_calls=[CALL])),
    ("empty content", CHAT, asst(content="", tool_calls=[CALL]), asst(tool_calls=[CALL])),
    ("place of a call", CHAT, asst(tool_calls=[{**CALL, "index": 0}]), asst(tool_calls=[CALL])),
    (
        "type of a call",
        CHAT,
        asst(tool_calls=[{"id": "c1", "function": CALL["function"]}]),
        asst(tool_calls=[CALL]),
    ),
    (
        "parsed arguments",
        CHAT,
        asst(
            tool_calls=[
                {**CALL, "function": {**CALL["function"], "parsed_arguments": {"a": 1}}}  # type: ignore[dict-item]
            ]
        ),
        asst(tool_calls=[CALL]),
    ),
    (
        "arguments that were written anew",
        CHAT,
        asst(tool_calls=[{**CALL, "function": {"name": "f", "arguments": '{"a":"ü","b":[1]}'}}]),
        asst(
            tool_calls=[
                {**CALL, "function": {"name": "f", "arguments": '{"b": [1], "a": "\\u00fc"}'}}
            ]
        ),
    ),
    (
        "arguments of an item that were written anew",
        RESPONSES,
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"a":1}'},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"a": 1}'},
    ),
    (
        "no arguments",
        CHAT,
        asst(tool_calls=[{**CALL, "function": {"name": "f", "arguments": ""}}]),
        asst(tool_calls=[{**CALL, "function": {"name": "f", "arguments": "{}"}}]),
    ),
    (
        "keys that a gateway fills in",
        CHAT,
        asst(
            content="",
            refusal="",
            audio={"id": "", "data": "", "expires_at": 0},
            function_call={"name": "", "arguments": ""},
            tool_calls=[{**CALL, "custom": {"name": "", "input": ""}}],
        ),
        asst(tool_calls=[CALL]),
    ),
    ("no prefix", CHAT, asst(content="hi", prefix=False), asst(content="hi")),
    (
        "texts as they were streamed",
        GEMINI,
        {
            "role": "model",
            "parts": [
                {"text": "h", "thought": True},
                {"text": "m", "thought": True},
                {"text": "o"},
                {"text": "k"},
            ],
        },
        {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": "ok"}]},
    ),
    (
        "empty texts around a call",
        GEMINI,
        {"parts": [{"text": ""}, {"functionCall": {"name": "f"}}, {"text": ""}]},
        {"parts": [{"functionCall": {"name": "f"}}]},
    ),
    (
        "type inside a call",
        CONVERSE,
        asst(content=[{"toolUse": {"toolUseId": "t", "name": "f", "type": "tool_use"}}]),
        asst(content=[{"toolUse": {"toolUseId": "t", "name": "f"}}]),
    ),
    ("cache mark", CHAT, user([text("hi", **EPHEMERAL)]), user("hi")),
    ("empty reasoning", CHAT, asst(content="hi", reasoning_content=""), asst(content="hi")),
    (
        "sound",
        CHAT,
        asst(audio={"id": "a1", "data": "AAAA", "expires_at": 1, "transcript": "hi"}),
        asst(audio={"id": "a1"}),
    ),
    (
        "tool's text as part",
        CHAT,
        {"role": "tool", "tool_call_id": "c1", "content": [text("4")]},
        {"role": "tool", "tool_call_id": "c1", "content": "4"},
    ),
    (
        "message item",
        RESPONSES,
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [
                {"type": "output_text", "text": "hi", "annotations": [], "logprobs": [{"x": 1}]}
            ],
        },
        asst(content="hi"),
    ),
    ("input string", RESPONSES, "hi", user([{"type": "input_text", "text": "hi"}])),
    (
        "function call",
        RESPONSES,
        {
            "type": "function_call",
            "id": "fc_1",
            "status": "completed",
            "call_id": "c1",
            "name": "add",
            "arguments": "{}",
            "parsed_arguments": None,
        },
        {"type": "function_call", "call_id": "c1", "name": "add", "arguments": "{}"},
    ),
    (
        "reasoning without its id",
        RESPONSES,
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"},
        {"type": "reasoning", "encrypted_content": "x", "content": None, "status": None},
    ),
    (
        "result as part",
        RESPONSES,
        {"type": "function_call_output", "call_id": "c", "output": "4", "status": "completed"},
        {
            "type": "function_call_output",
            "call_id": "c",
            "output": [{"type": "input_text", "text": "4"}],
        },
    ),
    ("system string", ANTHROPIC, "Be kind.", text("Be kind.", **EPHEMERAL)),
    ("message string", ANTHROPIC, user("hi"), user([text("hi", citations=None)])),
    (
        "no error",
        ANTHROPIC,
        {"type": "tool_result", "tool_use_id": "t", "content": "4", "is_error": False},
        {"type": "tool_result", "tool_use_id": "t", "content": [text("4", **EPHEMERAL)]},
    ),
    (
        "caller",
        ANTHROPIC,
        asst(content=[{"type": "tool_use", "id": "t", "name": "f", "input": {}}]),
        asst(
            content=[
                {
                    "type": "tool_use",
                    "id": "t",
                    "name": "f",
                    "input": {},
                    "caller": {"type": "direct"},
                }
            ]
        ),
    ),
    (
        "custom tool",
        ANTHROPIC,
        {"name": "f", "input_schema": {"type": "object"}, "type": "custom", **EPHEMERAL},
        {"name": "f", "input_schema": {"type": "object"}},
    ),
    (
        "spelling of keys",
        GEMINI,
        {"role": "model", "parts": [{"function_call": {"name": "f", "args": {"a_b": 1}}}]},
        {"role": "model", "parts": [{"functionCall": {"args": {"a_b": 1}, "name": "f"}}]},
    ),
    (
        "alphabet of a signature",
        GEMINI,
        {"parts": [{"text": "x", "thoughtSignature": "a+/b=="}]},
        {"parts": [{"text": "x", "thought_signature": "a-_b"}]},
    ),
    ("one part", GEMINI, {"text": "Be kind."}, {"role": "user", "parts": [{"text": "Be kind."}]}),
    ("cache point", CONVERSE, user([{"text": "a"}, {"cachePoint": {"type": "default"}}]), "a"),
    (
        "success",
        CONVERSE,
        {"toolResult": {"toolUseId": "t", "content": [{"text": "4"}], "status": "success"}},
        {"toolResult": {"toolUseId": "t", "content": [{"text": "4"}]}},
    ),
    ("cohere", COHERE, asst(content=[text("hi")], citations=[]), asst(content="hi")),
    (
        "ollama",
        OLLAMA,
        asst(content="", tool_calls=[{"function": {"index": 0, "name": "f", "arguments": {}}}]),
        asst(tool_calls=[{"function": {"name": "f", "arguments": {}}}]),
    ),
]  # fmt: skip

DIFFERENT: list[tuple[str, Any, Any, Any]] = [
    ("text", CHAT, user("hi"), user("ho")),
    ("call id", CHAT, asst(tool_calls=[CALL]), asst(tool_calls=[{**CALL, "id": "c2"}])),
    (
        "arguments",
        CHAT,
        asst(tool_calls=[CALL]),
        asst(tool_calls=[{**CALL, "function": {"name": "add", "arguments": '{"a":"1"}'}}]),
    ),
    (
        "arguments that are no JSON",
        CHAT,
        asst(tool_calls=[{**CALL, "function": {"name": "add", "arguments": '{"a":'}}]),
        asst(tool_calls=[{**CALL, "function": {"name": "add", "arguments": '{"a": '}}]),
    ),
    ("prefix", CHAT, asst(content="hi", prefix=True), asst(content="hi")),
    (
        "two texts of a person",
        GEMINI,
        {"role": "user", "parts": [{"text": "a"}, {"text": "b"}]},
        {"role": "user", "parts": [{"text": "ab"}]},
    ),
    ("empty text and none", GEMINI, {"parts": [{"text": ""}]}, {"parts": []}),
    (
        "tool's name",
        CHAT,
        asst(tool_calls=[CALL]),
        asst(tool_calls=[{**CALL, "function": {"name": "sub", "arguments": '{"a":1}'}}]),
    ),
    (
        "result's id",
        CHAT,
        {"role": "tool", "tool_call_id": "a", "content": "4"},
        {"role": "tool", "tool_call_id": "b", "content": "4"},
    ),
    ("empty content", CHAT, asst(content=""), asst(content=None)),
    ("name", CHAT, {**user("hi"), "name": "bob"}, user("hi")),
    ("unknown key", CHAT, asst(content="hi", mood="good"), asst(content="hi")),
    ("two parts", CHAT, user([text("a"), text("b")]), user("ab")),
    ("refusal", CHAT, asst(refusal="no"), asst(content="no")),
    (
        "null in a schema",
        CHAT,
        {"type": "function", "function": {"name": "f", "parameters": {"default": None}}},
        {"type": "function", "function": {"name": "f", "parameters": {}}},
    ),
    (
        "error",
        ANTHROPIC,
        {"type": "tool_result", "tool_use_id": "t", "content": "4", "is_error": True},
        {"type": "tool_result", "tool_use_id": "t", "content": "4"},
    ),
    (
        "null in an input",
        ANTHROPIC,
        asst(content=[{"type": "tool_use", "id": "t", "name": "f", "input": {"a": None}}]),
        asst(content=[{"type": "tool_use", "id": "t", "name": "f", "input": {}}]),
    ),
    (
        "signature",
        ANTHROPIC,
        asst(content=[{"type": "thinking", "thinking": "", "signature": "a"}]),
        asst(content=[{"type": "thinking", "thinking": "", "signature": "b"}]),
    ),
    (
        "stored reasoning",
        RESPONSES,
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "reasoning", "id": "rs_2", "summary": []},
    ),
    (
        "failed patch",
        RESPONSES,
        {"type": "apply_patch_call_output", "call_id": "c", "status": "failed"},
        {"type": "apply_patch_call_output", "call_id": "c", "status": "completed"},
    ),
    (
        "converse error",
        CONVERSE,
        {"toolResult": {"toolUseId": "t", "content": [{"text": "4"}], "status": "error"}},
        {"toolResult": {"toolUseId": "t", "content": [{"text": "4"}]}},
    ),
    (
        "gemini call id",
        GEMINI,
        {"parts": [{"functionCall": {"name": "f", "id": "1"}}]},
        {"parts": [{"functionCall": {"name": "f", "id": "2"}}]},
    ),
]


@pytest.mark.parametrize(
    ("dialect", "first", "second"), [c[1:] for c in EQUAL], ids=[c[0] for c in EQUAL]
)
def test_the_same_piece(dialect: Any, first: Any, second: Any) -> None:
    assert same(dialect, first, second)


@pytest.mark.parametrize(
    ("dialect", "first", "second"), [c[1:] for c in DIFFERENT], ids=[c[0] for c in DIFFERENT]
)
def test_another_piece(dialect: Any, first: Any, second: Any) -> None:
    assert not same(dialect, first, second)


def test_a_chat_output_as_the_sdk_hands_it_on() -> None:
    body = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls",
                "message": asst(content=None, tool_calls=[CALL], refusal=None, annotations=[]),
            }
        ],
    }
    message = ChatCompletion.model_validate(body).choices[0].message
    output = CHAT.response(body).items[0].value
    assert same(CHAT, output, message.model_dump())
    assert same(CHAT, output, message.model_dump(exclude_unset=True))


def test_a_responses_output_as_the_sdk_hands_it_on() -> None:
    body = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "status": "completed",
        "output": [
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"},
            {
                "type": "function_call",
                "id": "fc_1",
                "call_id": "c1",
                "name": "f",
                "arguments": "{}",
                "status": "completed",
            },
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "completed",
                "content": [
                    {"type": "output_text", "text": "hi", "annotations": [], "logprobs": []}
                ],
            },
        ],
    }
    outputs = RESPONSES.response(body).items
    for item, model in zip(outputs, Response.model_validate(body).output, strict=True):
        assert same(RESPONSES, item.value, model.model_dump())
        assert same(RESPONSES, item.value, model.model_dump(exclude_none=True))


def test_an_anthropic_output_as_the_sdk_hands_it_on() -> None:
    body = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": "hi", "citations": None},
            {
                "type": "tool_use",
                "id": "t",
                "name": "f",
                "input": {"a": None},
                "caller": {"type": "direct"},
            },
        ],
    }
    blocks = Message.model_validate(body).content
    output = ANTHROPIC.response(body).items[0].value
    assert same(ANTHROPIC, output, asst(content=[block.model_dump() for block in blocks]))
    assert same(ANTHROPIC, output, asst(content=[b.model_dump(exclude_unset=True) for b in blocks]))


def test_a_cache_point_alone_is_still_something() -> None:
    point = {"cachePoint": {"type": "default"}}
    assert CONVERSE.identity(point) == point


def test_what_was_left_out_of_an_output_stands_beside_it() -> None:
    body = {"choices": [{"message": asst(content="hi", refusal=None, annotations=[], mood="")}]}
    response = CHAT.response(body)
    assert response.items[0].value == asst(content="hi", mood="")
    assert response.extra == ({"refusal": None, "annotations": []},)
