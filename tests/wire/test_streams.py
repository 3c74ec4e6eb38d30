"""Streams put together, also those that were left early or come in an odd order."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from otel_footprint.wire import DIALECTS, Usage

from .helpers import FILES, recorded, same, unnamed

CHAT = DIALECTS["openai.chat"]
RESPONSES = DIALECTS["openai.responses"]
ANTHROPIC = DIALECTS["anthropic.messages"]


def chunk(delta: dict[str, Any], index: int = 0, reason: str | None = None, **more: Any) -> Any:
    choice = {"index": index, "delta": delta, "finish_reason": reason}
    return {"id": "x", "model": "m", "choices": [choice], **more}


def call_delta(
    arguments: str, index: int | None = 0, id_: str | None = None, name: str | None = None
) -> dict[str, Any]:
    entry: dict[str, Any] = {"function": {"arguments": arguments}}
    if index is not None:
        entry["index"] = index
    if id_ is not None:
        entry.update({"id": id_, "type": "function"})
    if name is not None:
        entry["function"]["name"] = name
    return {"tool_calls": [entry]}


def calls_of(response: Any) -> list[tuple[Any, Any, Any]]:
    return [
        (c.get("id"), c["function"].get("name"), c["function"].get("arguments"))
        for c in response.items[0].value["tool_calls"]
    ]


def test_chat_texts_usage_and_end() -> None:
    response = CHAT.assemble(
        unnamed(
            chunk({"role": "assistant", "content": "", "refusal": None}),
            chunk({"content": "Hel"}),
            chunk({"content": "lo"}),
            chunk({}, reason="stop"),
            {"id": "x", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}},
        )
    )
    assert response.items[0].value == {"role": "assistant", "content": "Hello"}
    assert (response.id, response.model, response.finish_reasons) == ("x", "m", ("stop",))
    assert response.usage[:2] == (3, 2)
    assert response.complete


def test_chat_calls_that_grow_in_turns() -> None:
    response = CHAT.assemble(
        unnamed(
            chunk({"role": "assistant", "content": None, **call_delta("", 0, "a", "f")}),
            chunk(call_delta("", 1, "b", "g")),
            chunk(call_delta('{"x"', 0)),
            chunk(call_delta('{"y"', 1)),
            chunk(call_delta(":1}", 0)),
            chunk(call_delta(":2}", 1)),
            chunk({}, reason="tool_calls"),
        )
    )
    assert calls_of(response) == [("a", "f", '{"x":1}'), ("b", "g", '{"y":2}')]
    assert "index" not in response.items[0].value["tool_calls"][0]
    assert "content" not in response.items[0].value


def test_chat_two_ids_under_one_index_are_two_calls() -> None:
    response = CHAT.assemble(
        unnamed(
            chunk(call_delta('{"x":', 0, "a", "f")),
            chunk(call_delta("1}", 0)),
            chunk(call_delta("{}", 0, "b", "f")),
            chunk({}, reason="tool_calls"),
        )
    )
    assert calls_of(response) == [("a", "f", '{"x":1}'), ("b", "f", "{}")]


@pytest.mark.parametrize("index", [0, None])
def test_chat_calls_without_ids(index: int | None) -> None:
    response = CHAT.assemble(
        unnamed(
            chunk(call_delta('{"x":', index, None, "f")),
            chunk(call_delta("1}", index)),
            chunk(call_delta("{}", index, None, "g")),
        )
    )
    assert calls_of(response) == [(None, "f", '{"x":1}'), (None, "g", "{}")]
    assert not response.complete


def test_chat_an_id_that_comes_late_and_names_said_again() -> None:
    response = CHAT.assemble(
        unnamed(
            chunk(call_delta("{", 0, None, "f")),
            chunk(call_delta('"a"', 0, "c1", "f")),
            chunk(call_delta(":1}", 0, "c1", "f")),
        )
    )
    assert calls_of(response) == [("c1", "f", '{"a":1}')]


def test_chat_several_choices() -> None:
    response = CHAT.assemble(
        unnamed(
            chunk({"role": "assistant", "content": "b"}, 1),
            chunk({"role": "assistant", "content": "a"}, 0),
            chunk({"content": "a"}, 0, "stop"),
            chunk({"content": "b"}, 1, "length"),
        )
    )
    assert [i.value["content"] for i in response.items] == ["aa", "bb"]
    assert response.finish_reasons == ("stop", "length")
    assert not response.complete


def test_chat_left_early_after_stop_and_failed() -> None:
    early = unnamed(chunk({"role": "assistant", "content": "He"}))
    assert not CHAT.assemble(early).complete
    late = unnamed(chunk({"content": "a"}, reason="stop"), chunk({"content": "b"}))
    assert CHAT.assemble(late).items[0].value["content"] == "ab"
    failed = unnamed(chunk({"content": "a"}, reason="stop"), {"error": {"message": "x"}})
    assert not CHAT.assemble(failed).complete
    assert CHAT.assemble([]).items == ()
    assert not CHAT.assemble([]).complete


def test_chat_that_ends_with_its_usage_and_no_reason() -> None:
    events = unnamed(
        chunk({"content": "hi"}), chunk({}), {"choices": [], "usage": {"prompt_tokens": 1}}
    )
    assert CHAT.assemble(events).complete
    assert not CHAT.assemble(events[:2]).complete
    first = {"choices": [], "prompt_filter_results": []}
    assert not CHAT.assemble(unnamed(first, chunk({"content": "hi"}))).complete


def test_chat_other_texts_lists_and_objects_grow() -> None:
    response = CHAT.assemble(
        unnamed(
            chunk({"reasoning_content": "h", "channel": "analysis"}),
            chunk({"reasoning_content": "m", "channel": "analysis"}),
            chunk({"reasoning_details": [{"index": 0, "text": "h", "type": "r"}]}),
            chunk({"reasoning_details": [{"index": 0, "text": "m"}]}),
            chunk({"reasoning_details": [{"index": 0, "data": "A", "type": "e"}]}),
            chunk({"audio": {"id": "a", "transcript": "o"}}),
            chunk({"audio": {"transcript": "k"}}),
            chunk({"content": [{"type": "thinking", "thinking": "x"}]}),
            chunk({"content": "done"}, reason="stop", x_groq={"usage": {"prompt_tokens": 1}}),
        )
    )
    assert response.items[0].value == {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "x"}, {"type": "text", "text": "done"}],
        "reasoning_content": "hm",
        "channel": "analysis",
        "reasoning_details": [
            {"index": 0, "text": "hm", "type": "r"},
            {"index": 0, "data": "A", "type": "e"},
        ],
        "audio": {"id": "a", "transcript": "ok"},
    }
    assert response.usage.input == 1


def anthropic_stream(*blocks: tuple[dict[str, Any], list[dict[str, Any]]]) -> list[tuple[str, Any]]:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 7, "output_tokens": 1}
    message = {"id": "msg_1", "role": "assistant", "model": "m", "content": [], "usage": usage}
    events: list[Any] = [{"type": "message_start", "message": message}]
    for index, (start, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events += [{"type": "content_block_delta", "index": index, "delta": d} for d in deltas]
        events.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": "end_turn", "stop_sequence": None}
    events.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 9}})
    events.append({"type": "message_stop"})
    return [(event["type"], event) for event in events]


BLOCKS = (
    (
        {"type": "thinking", "thinking": "", "signature": ""},
        [
            {"type": "thinking_delta", "thinking": "h"},
            {"type": "thinking_delta", "thinking": "m"},
            {"type": "signature_delta", "signature": "sig"},
        ],
    ),
    (
        {"type": "text", "text": "", "citations": []},
        [
            {"type": "text_delta", "text": "a"},
            {"type": "citations_delta", "citation": {"cited_text": "x"}},
            {"type": "text_delta", "text": "b"},
        ],
    ),
    (
        {"type": "tool_use", "id": "t", "name": "f", "input": {}},
        [
            {"type": "input_json_delta", "partial_json": ""},
            {"type": "input_json_delta", "partial_json": '{"a":'},
            {"type": "input_json_delta", "partial_json": "1}"},
        ],
    ),
    ({"type": "tool_use", "id": "u", "name": "g", "input": {}}, []),
)


def test_anthropic_blocks() -> None:
    response = ANTHROPIC.assemble(anthropic_stream(*BLOCKS))
    assert response.items[0].value["content"] == [
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "text", "text": "ab", "citations": [{"cited_text": "x"}]},
        {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}},
        {"type": "tool_use", "id": "u", "name": "g", "input": {}},
    ]
    assert response.usage == Usage(12, 9, 7, None, None)
    assert (response.id, response.model) == ("msg_1", "m")
    assert response.finish_reasons == ("end_turn",)
    assert response.complete


def test_anthropic_left_early() -> None:
    events = anthropic_stream(*BLOCKS)
    cut = next(i for i, (_, e) in enumerate(events) if obj_delta(e).get("partial_json") == "1}")
    response = ANTHROPIC.assemble(events[:cut])
    assert response.items[0].value["content"][2]["input"] == '{"a":'
    assert response.usage == Usage(12, None, 7, None, None)
    assert response.finish_reasons == ()
    assert not response.complete
    assert ANTHROPIC.assemble([]).items == ()


def obj_delta(event: dict[str, Any]) -> dict[str, Any]:
    return event.get("delta") or {}


def test_anthropic_deltas_without_a_start_and_after_the_stop() -> None:
    delta = {"type": "text_delta", "text": "a"}
    events = unnamed(
        {"type": "content_block_delta", "index": 3, "delta": delta},
        {"type": "content_block_stop", "index": 3},
        {"type": "message_stop"},
        {"type": "content_block_delta", "index": 3, "delta": delta},
        {"type": "ping"},
        {"type": "error", "error": {"type": "overloaded_error"}},
    )
    assert ANTHROPIC.assemble(events).items[0].value["content"] == [{"type": "text", "text": "aa"}]


def test_anthropic_events_inside_bedrock_chunks() -> None:
    plain = ANTHROPIC.assemble(anthropic_stream(*BLOCKS))
    inside = [("chunk", {"bytes": event, "p": "abc"}) for _, event in anthropic_stream(*BLOCKS)]
    assert ANTHROPIC.assemble(inside) == plain
    raw = [
        ("", {"chunk": {"bytes": base64.b64encode(json.dumps(event).encode()).decode()}})
        for _, event in anthropic_stream(*BLOCKS)
    ]
    assert ANTHROPIC.assemble(raw) == plain


def test_anthropic_errors_give_no_piece() -> None:
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}
    assert ANTHROPIC.response(body).items == ()
    assert not ANTHROPIC.response(body).complete


def responses_events() -> list[tuple[str, Any]]:
    file = next(f for f in FILES if "unicode_tool_call" in f.name)
    from otel_footprint.wire import parse_sse

    return list(parse_sse(recorded(file)[0]["response"]["sse"]))


@pytest.mark.skipif(not FILES, reason="the recorded traffic is not here")
def test_responses_events_give_what_the_last_one_says() -> None:
    events = responses_events()
    whole = RESPONSES.assemble(events)
    assert whole.complete
    cut = RESPONSES.assemble(events[:-1])
    assert not cut.complete
    assert cut.finish_reasons == ()
    assert [i.value for i in cut.items] == [i.value for i in whole.items]
    no_items = [e for e in events if not e[0].startswith("response.output_item.done")][:-1]
    assert all(
        same(RESPONSES, a.value, b.value)
        for a, b in zip(RESPONSES.assemble(no_items).items, whole.items, strict=True)
    )


def test_responses_that_bring_no_output_at_the_end() -> None:
    response = RESPONSES.assemble(
        unnamed(
            {
                "type": "response.output_item.added",
                "output_index": 0,
                "item": {"type": "message", "id": "msg_1", "role": "assistant", "content": []},
            },
            {
                "type": "response.output_text.delta",
                "output_index": 0,
                "content_index": 0,
                "delta": "hi",
            },
            {
                "type": "response.reasoning_summary_text.delta",
                "output_index": 1,
                "summary_index": 0,
                "delta": "hm",
            },
            {
                "type": "response.completed",
                "response": {
                    "id": "r",
                    "status": "completed",
                    "output": [],
                    "usage": {"input_tokens": 4},
                },
            },
        )
    )
    assert same(RESPONSES, response.items[0].value, {"role": "assistant", "content": "hi"})
    assert response.items[1].value["summary"] == [{"type": "summary_text", "text": "hm"}]
    assert response.usage.input == 4
    assert response.complete


@pytest.mark.parametrize(
    ("body", "reasons"),
    [
        (
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            ("max_output_tokens",),
        ),
        ({"status": "failed", "error": {"code": "server_error"}}, ("failed",)),
        ({"status": "queued"}, ("queued",)),
    ],
)
def test_responses_that_are_not_whole(body: dict[str, Any], reasons: tuple[str, ...]) -> None:
    output = [{"type": "message", "role": "assistant", "content": []}]
    response = RESPONSES.response({**body, "output": output})
    assert response.finish_reasons == reasons
    assert not response.complete
