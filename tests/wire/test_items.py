"""Slots, sources, ids and frames; what parts a piece has."""

from __future__ import annotations

from typing import Any

import pytest

from otel_footprint.text.jsontext import dumps
from otel_footprint.wire import DIALECTS, Hole, Part, layout_text, rebuild

from .helpers import pieces, rebuilt

CHAT = DIALECTS["openai.chat"]
RESPONSES = DIALECTS["openai.responses"]
ANTHROPIC = DIALECTS["anthropic.messages"]
GEMINI = DIALECTS["gemini.generate_content"]
CONVERSE = DIALECTS["bedrock.converse"]


def shown(dialect: Any, body: Any, slot: str = "messages") -> list[tuple[str, str, str]]:
    return [(i.role, i.source, i.id) for i in pieces(dialect, body)[slot]]


def test_chat_slots_and_sources() -> None:
    body = {
        "model": "m",
        "messages": [
            {"role": "system", "content": "a"},
            {"role": "developer", "content": "b"},
            {"role": "user", "content": "c"},
            {"role": "system", "content": "d"},
            {"role": "assistant", "tool_calls": []},
            {"role": "tool", "tool_call_id": "c1", "content": "e"},
            {"role": "function", "name": "old", "content": "f"},
            {"role": "critic", "content": "g"},
        ],
        "tools": [
            {"type": "function", "function": {"name": "add"}},
            {"type": "web_search"},
        ],
    }
    layout = CHAT.layout(body)
    assert layout.rest == {
        "model": "m",
        "messages": [Hole("#s"), Hole("#m")],
        "tools": [Hole("#t")],
    }
    assert layout.messages[0] is body["messages"][2]
    assert shown(CHAT, body, "system") == [("system", "base", ""), ("developer", "base", "")]
    assert shown(CHAT, body) == [
        ("user", "user", ""),
        ("system", "base", ""),
        ("assistant", "assistant", ""),
        ("tool", "tool-result", "c1"),
        ("function", "tool-result", "old"),
        ("critic", "custom", ""),
    ]
    assert shown(CHAT, body, "tools") == [("", "registry", "add"), ("", "registry", "web_search")]


@pytest.mark.parametrize("messages", [None, "hi", 3, {"role": "user"}])
def test_a_slot_of_an_unexpected_type_stays_in_the_rest(messages: Any) -> None:
    body = {"model": "m", "messages": messages, "tools": "none"}
    layout = CHAT.layout(body)
    assert layout.rest == body
    assert layout[:3] == ([], [], [])
    assert rebuilt(CHAT, body) == dumps(body)


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_odd_elements_have_the_role_they_have(dialect: Any) -> None:
    for odd in (None, 3, [], {}, {"content": None}, {"role": 5}, {"role": ["x"], "content": 7}):
        (item,) = dialect.items("messages", odd)
        assert item.role == ""
        assert item.value is odd
    (item,) = dialect.items("messages", {"role": "user"})
    if dialect.name != "text.completion":
        assert (item.role, item.source) == ("user", "user")


def test_responses_slots_and_sources() -> None:
    body = {
        "instructions": "Be kind.",
        "input": [
            {"role": "developer", "content": "a"},
            {"role": "user", "content": "b"},
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "4"},
            {"type": "web_search_call", "id": "ws_1", "status": "completed"},
            {"type": "custom_tool_call_output", "call_id": "c2", "output": "5"},
            {"type": "mcp_approval_request", "id": "mcpr_1", "name": "f", "arguments": "{}"},
            {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
            {"type": "item_reference", "id": "msg_1"},
            {"type": "message", "role": "developer", "content": "c"},
        ],
    }
    assert layout_text(RESPONSES.layout(body).rest) == '{"instructions":#s1,"input":[#s,#m]}'
    assert shown(RESPONSES, body, "system") == [("", "base", ""), ("developer", "base", "")]
    assert [(source, id_) for _, source, id_ in shown(RESPONSES, body)] == [
        ("user", ""),
        ("assistant", ""),
        ("assistant", ""),
        ("tool-result", "c1"),
        ("assistant", ""),
        ("tool-result", "c2"),
        ("assistant", ""),
        ("user", ""),
        ("custom", ""),
        ("base", ""),
    ]
    assert rebuilt(RESPONSES, body) == dumps(body)


def test_responses_with_instructions_after_the_input() -> None:
    body = {
        "input": [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}],
        "instructions": "Be kind.",
    }
    assert layout_text(RESPONSES.layout(body).rest) == '{"input":[#s1,#m],"instructions":#s1}'
    assert rebuilt(RESPONSES, body) == dumps(body)


def test_an_input_that_is_a_text_is_a_users() -> None:
    body = {"model": "m", "input": "hi"}
    assert layout_text(RESPONSES.layout(body).rest) == '{"model":"m","input":#m1}'
    assert shown(RESPONSES, body) == [("user", "user", "")]


def test_anthropic_results_are_pieces_of_their_own() -> None:
    results = [
        {"type": "tool_result", "tool_use_id": "a", "content": "1"},
        {"type": "text", "text": "go on"},
        {"type": "tool_result", "tool_use_id": "b", "content": [{"type": "text", "text": "2"}]},
    ]
    body = {"system": "x", "messages": [{"content": results, "role": "user"}]}
    items = pieces(ANTHROPIC, body)["messages"]
    assert [(i.source, i.id) for i in items] == [
        ("tool-result", "a"),
        ("user", ""),
        ("tool-result", "b"),
    ]
    assert [i.value for i in items] == results
    assert [i.frame for i in items] == ['{"content":[#3],"role":"user"}', "", ""]
    assert layout_text(ANTHROPIC.layout(body).rest) == '{"system":#s1,"messages":[#m]}'
    assert rebuilt(ANTHROPIC, body) == dumps(body)


def test_a_frame_shows_nothing_that_was_said() -> None:
    element = {
        "note": "a secret",
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "a"}],
        "flag": True,
        "more": {"x": "a secret"},
    }
    items = ANTHROPIC.items("messages", element)
    assert items[0].frame == '{"note":#1,"role":"user","content":[#1],"flag":true,"more":#1}'
    assert [i.source for i in items] == ["custom", "tool-result", "custom"]
    assert rebuilt(ANTHROPIC, {"messages": [element]}) == dumps({"messages": [element]})


def test_a_frame_that_would_be_too_long_is_not_made() -> None:
    element = {
        "content": [{"type": "tool_result", "tool_use_id": "a"}],
        **{"k" * n: 1 for n in range(60)},
    }
    (item,) = ANTHROPIC.items("messages", element)
    assert (item.source, item.id, item.frame) == ("tool-result", "a", "")


def test_leading_system_messages_of_anthropic_belong_to_the_system() -> None:
    body = {
        "messages": [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}],
        "system": [{"type": "text", "text": "c"}, {"type": "text", "text": "d"}],
    }
    assert layout_text(ANTHROPIC.layout(body).rest) == '{"messages":[#s1,#m],"system":[#s]}'
    assert len(ANTHROPIC.layout(body).system) == 3
    assert rebuilt(ANTHROPIC, body) == dumps(body)


def test_gemini_parts_contents_and_declarations() -> None:
    body = {
        "contents": [
            {"parts": [{"text": "hi"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"name": "f", "response": {"r": 1}}},
                    {"function_response": {"id": "7", "name": "f", "response": {"r": 2}}},
                ],
            },
        ],
        "system_instruction": {"role": "user", "parts": [{"text": "a"}, {"text": "b"}]},
        "tools": [
            {"functionDeclarations": [{"name": "f"}, {"name": "g"}]},
            {"googleSearch": {}},
        ],
    }
    assert layout_text(GEMINI.layout(body).rest) == (
        '{"contents":[#m],"system_instruction":{"role":"user","parts":[#s]},"tools":[#t]}'
    )
    assert shown(GEMINI, body, "system") == [("", "base", ""), ("", "base", "")]
    assert shown(GEMINI, body) == [
        ("", "user", ""),
        ("model", "assistant", ""),
        ("user", "tool-result", "f"),
        ("user", "tool-result", "7"),
    ]
    tools = pieces(GEMINI, body)["tools"]
    assert [(t.id, t.frame) for t in tools] == [
        ("f", '{"functionDeclarations":[#2]}'),
        ("g", ""),
        ("googleSearch", ""),
    ]
    assert rebuilt(GEMINI, body) == dumps(body)


def test_gemini_takes_lone_objects_for_lists() -> None:
    body = {
        "contents": {"parts": {"text": "hi"}},
        "systemInstruction": {"parts": {"text": "a"}},
        "tools": {"function_declarations": [{"name": "f"}]},
    }
    assert layout_text(GEMINI.layout(body).rest) == (
        '{"contents":#m1,"systemInstruction":{"parts":#s1},"tools":#t1}'
    )
    assert rebuilt(GEMINI, body) == dumps(body)


def test_converse_results_and_tools() -> None:
    body = {
        "system": [{"text": "a"}, {"cachePoint": {"type": "default"}}],
        "messages": [
            {"role": "user", "content": [{"toolResult": {"toolUseId": "t", "content": []}}]}
        ],
        "toolConfig": {"tools": [{"toolSpec": {"name": "f"}}], "toolChoice": {"auto": {}}},
    }
    assert layout_text(CONVERSE.layout(body).rest) == (
        '{"system":[#s],"messages":[#m],"toolConfig":{"tools":[#t],"toolChoice":{"auto":{}}}}'
    )
    assert shown(CONVERSE, body) == [("user", "tool-result", "t")]
    assert shown(CONVERSE, body, "tools") == [("", "registry", "f")]
    assert rebuilt(CONVERSE, body) == dumps(body)


def test_a_layout_keeps_texts_that_read_like_tokens() -> None:
    body = {"a": "#m", "#s": ["#t", {"b": "$0"}], "messages": [{"role": "user", "content": "#m"}]}
    assert (
        layout_text(CHAT.layout(body).rest)
        == '{"a":"#m","#s":["#t",{"b":"$0"}],"messages":[#s,#m]}'
    )
    assert rebuilt(CHAT, body) == dumps(body)


def test_rebuilding_needs_exactly_the_pieces() -> None:
    with pytest.raises(ValueError, match="too few"):
        rebuild('{"instructions":#s1}', [], [], [])
    with pytest.raises(ValueError, match="messages: 1 pieces do not fit"):
        rebuild("{}", [], ["1"], [])
    with pytest.raises(ValueError, match="2 pieces, 1 frames"):
        rebuild("[#m]", [], ["1", "2"], [], {"messages": [""]})
    with pytest.raises(ValueError, match="too few"):
        rebuild("[#m]", [], ["1"], [], {"messages": ["[#2]"]})
    assert rebuild(
        '{"a":[#s,#m],"b":[#t]}', [], ["1", "2", "3"], [], {"messages": ["[#2]", "", ""]}
    ) == ('{"a":[[1,2],3],"b":[]}')


PARTS: list[tuple[Any, Any, list[Part]]] = [
    (CHAT, {"role": "user", "content": "hi"}, [Part("text", "hi")]),
    (
        CHAT,
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "look"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                {"type": "image_url", "image_url": {"url": "https://a/b.png"}},
                {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
                {"type": "odd", "x": 1},
            ],
        },
        [
            Part("text", "look"),
            Part("media", "", "image/png"),
            Part("media", "", ""),
            Part("media", "", "audio/mp3"),
            Part("opaque", '{"type":"odd","x":1}'),
        ],
    ),
    (
        CHAT,
        {
            "role": "assistant",
            "reasoning_content": "hm",
            "content": "ok",
            "refusal": "no",
            "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}],
        },
        [
            Part("reasoning", "hm"),
            Part("text", "ok"),
            Part("refusal", "no"),
            Part("tool_call", "{}", "f", "c"),
        ],
    ),
    (
        CHAT,
        {
            "role": "assistant",
            "content": "ok",
            "refusal": "",
            "audio": {"id": "", "data": "", "expires_at": 0, "transcript": ""},
            "function_call": {"name": "", "arguments": ""},
        },
        [Part("text", "ok")],
    ),
    (
        CHAT,
        {"role": "tool", "tool_call_id": "c", "content": None},
        [Part("tool_result", "", "", "c")],
    ),
    (
        CHAT,
        {"type": "function", "function": {"name": "f"}},
        [Part("definition", '{"type":"function","function":{"name":"f"}}', "f")],
    ),
    (
        RESPONSES,
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
        [Part("reasoning", "hm")],
    ),
    (
        RESPONSES,
        {"type": "function_call_output", "call_id": "c", "output": "4"},
        [Part("tool_result", "4", "", "c")],
    ),
    (
        ANTHROPIC,
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}},
                {"type": "redacted_thinking", "data": "x"},
            ],
        },
        [
            Part("reasoning", "hm"),
            Part("tool_call", '{"a":1}', "f", "t"),
            Part("reasoning", ""),
        ],
    ),
    (
        RESPONSES,
        {"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "gAAA"},
        [Part("reasoning", "")],
    ),
    (
        ANTHROPIC,
        {
            "role": "assistant",
            "content": [
                {
                    "type": "web_fetch_tool_result",
                    "tool_use_id": "a",
                    "content": {
                        "type": "web_fetch_result",
                        "url": "https://a.example",
                        "content": {
                            "type": "document",
                            "source": {"type": "text", "data": "A page"},
                        },
                    },
                },
                {
                    "type": "web_search_tool_result",
                    "tool_use_id": "b",
                    "content": {"type": "web_search_tool_result_error", "error_code": "too_many"},
                },
                {
                    "type": "tool_search_tool_result",
                    "tool_use_id": "c",
                    "content": {
                        "type": "tool_search_tool_search_result",
                        "tool_references": [{"type": "tool_reference", "tool_name": "f"}],
                    },
                },
            ],
        },
        [
            Part("tool_result", "https://a.example", "web_fetch", "a"),
            Part("tool_result", "A page", "web_fetch", "a"),
            Part("tool_result", "too_many", "web_search", "b"),
            Part("tool_result", "f", "tool_search", "c"),
        ],
    ),
    (
        ANTHROPIC,
        {
            "type": "tool_result",
            "tool_use_id": "t",
            "content": [
                {"type": "document", "source": {"media_type": "application/pdf", "data": "AAAA"}},
                {"type": "search_result", "title": "A", "content": [{"type": "text", "text": "b"}]},
            ],
        },
        [
            Part("media", "", "application/pdf"),
            Part("tool_result", "A", "", "t"),
            Part("tool_result", "b", "", "t"),
        ],
    ),
    (
        ANTHROPIC,
        {
            "type": "tool_result",
            "tool_use_id": "t",
            "content": [
                {"type": "text", "text": "4"},
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/png", "data": ""},
                },
            ],
        },
        [Part("tool_result", "4", "", "t"), Part("media", "", "image/png")],
    ),
    (
        GEMINI,
        {
            "role": "model",
            "parts": [
                {"text": "hm", "thought": True},
                {"text": "hi"},
                {"inlineData": {"mimeType": "image/png", "data": "AA"}},
            ],
        },
        [Part("reasoning", "hm"), Part("text", "hi"), Part("media", "", "image/png")],
    ),
    (
        GEMINI,
        {
            "role": "model",
            "parts": [
                {"thoughtSignature": "AAAA"},
                {"toolCall": {"toolType": "SEARCH", "id": "t", "args": {"q": "a"}}},
                {"toolResponse": {"tool_type": "SEARCH", "id": "t", "response": {"a": 1}}},
            ],
        },
        [
            Part("reasoning", ""),
            Part("tool_call", '{"q":"a"}', "SEARCH", "t"),
            Part("tool_result", '{"a":1}', "SEARCH", "t"),
        ],
    ),
    (
        CONVERSE,
        {"role": "assistant", "content": [{"reasoningContent": {"redactedContent": "AAAA"}}]},
        [Part("reasoning", "")],
    ),
    (
        DIALECTS["openai.assistants"],
        {"role": "assistant", "content": [{"type": "text", "text": {"value": "hi"}}]},
        [Part("text", "hi")],
    ),
    (
        CONVERSE,
        {"toolResult": {"toolUseId": "t", "content": [{"json": {"a": 1}}, {"text": "4"}]}},
        [Part("tool_result", '{"a":1}', "", "t"), Part("tool_result", "4", "", "t")],
    ),
]


@pytest.mark.parametrize(("dialect", "value", "expected"), PARTS)
def test_parts(dialect: Any, value: Any, expected: list[Part]) -> None:
    assert list(dialect.parts(value)) == expected


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_values_nested_without_end_are_opaque(dialect: Any) -> None:
    deep: Any = "x"
    for _ in range(400):
        deep = [{"type": "thinking", "thinking": deep}]
    document: Any = "x"
    for _ in range(400):
        source = {"type": "content", "content": document}
        document = [{"type": "document", "source": source}]
    for value in (deep, document):
        message = {"role": "user", "content": value, "parts": value}
        assert dialect.parts(message)
        dialect.identity(message)
        dialect.layout({"messages": value, "contents": value, "input": value})
