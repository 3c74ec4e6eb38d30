"""Streams put together, also those that were left early or come in an odd order."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from otel_footprint.wire import DIALECTS, Usage

from .helpers import FILES, recorded, same

CHAT = DIALECTS["openai.chat"]
RESPONSES = DIALECTS["openai.responses"]
ANTHROPIC = DIALECTS["anthropic.messages"]
GEMINI = DIALECTS["gemini.generate_content"]
CONVERSE = DIALECTS["bedrock.converse"]
COHERE = DIALECTS["cohere.chat"]
OLLAMA = DIALECTS["ollama.chat"]


def unnamed(*events: Any) -> list[tuple[str, Any]]:
    return [("", event) for event in events]


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


def test_chat_other_texts_lists_and_objects_grow() -> None:
    response = CHAT.assemble(
        unnamed(
            chunk({"reasoning_content": "h"}),
            chunk({"reasoning_content": "m"}),
            chunk({"reasoning_details": [{"index": 0, "text": "h", "type": "r"}]}),
            chunk({"reasoning_details": [{"index": 0, "text": "m"}]}),
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
        "reasoning_details": [{"index": 0, "text": "hm", "type": "r"}],
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


def test_gemini_parts_that_follow_one_another() -> None:
    def event(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **more}]}

    response = GEMINI.assemble(
        unnamed(
            {**event({"text": "h", "thought": True}), "usageMetadata": {"promptTokenCount": 8}},
            event({"text": "m", "thought": True}),
            event({"text": "Hel"}),
            event({"text": "lo"}, {"functionCall": {"name": "f", "args": {}}}),
            {
                **event({"text": "", "thoughtSignature": "s"}, finishReason="STOP"),
                "usageMetadata": {"candidatesTokenCount": 3, "thoughtsTokenCount": 5},
                "responseId": "r",
            },
        )
    )
    assert response.items[0].value["parts"] == [
        {"text": "hm", "thought": True},
        {"text": "Hello"},
        {"functionCall": {"name": "f", "args": {}}},
        {"text": "", "thoughtSignature": "s"},
    ]
    assert response.usage == Usage(8, 8, None, None, 5)
    assert response.complete
    assert not GEMINI.assemble(unnamed(event({"text": "a"}))).complete
    assert GEMINI.response([event({"text": "a"}, finishReason="STOP")]).complete  # type: ignore[arg-type]


def test_gemini_blocked_prompt() -> None:
    response = GEMINI.response({"promptFeedback": {"blockReason": "SAFETY"}})
    assert (response.items, response.finish_reasons, response.complete) == ((), ("SAFETY",), False)


def test_converse_frames_and_objects() -> None:
    events = [
        ("messageStart", {"role": "assistant"}),
        (
            "contentBlockDelta",
            {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "h"}}},
        ),
        (
            "contentBlockDelta",
            {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "m"}}},
        ),
        (
            "contentBlockDelta",
            {"contentBlockIndex": 0, "delta": {"reasoningContent": {"signature": "s"}}},
        ),
        ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": "a"}}),
        ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": "b"}}),
        (
            "contentBlockStart",
            {"contentBlockIndex": 2, "start": {"toolUse": {"toolUseId": "t", "name": "f"}}},
        ),
        ("contentBlockDelta", {"contentBlockIndex": 2, "delta": {"toolUse": {"input": '{"a"'}}}),
        ("contentBlockDelta", {"contentBlockIndex": 2, "delta": {"toolUse": {"input": ":1}"}}}),
        ("messageStop", {"stopReason": "tool_use"}),
        ("metadata", {"usage": {"inputTokens": 1, "outputTokens": 2, "cacheReadInputTokens": 3}}),
    ]
    response = CONVERSE.assemble(events)
    assert response.items[0].value == {
        "role": "assistant",
        "content": [
            {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}},
            {"text": "ab"},
            {"toolUse": {"toolUseId": "t", "name": "f", "input": {"a": 1}}},
        ],
    }
    assert response.usage == Usage(4, 2, 3, None, None)
    assert response.complete
    assert CONVERSE.assemble([("", {kind: event}) for kind, event in events]) == response
    early = CONVERSE.assemble(events[:8])
    assert early.items[0].value["content"][2]["toolUse"]["input"] == '{"a"'
    assert not early.complete


def test_cohere_events() -> None:
    def event(kind: str, index: int = 0, **message: Any) -> dict[str, Any]:
        return {"type": kind, "index": index, "delta": {"message": message}}

    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}
    response = COHERE.assemble(
        unnamed(
            {
                "type": "message-start",
                "id": "x",
                "delta": {"message": {"role": "assistant", "content": []}},
            },
            event("tool-plan-delta", tool_plan="I "),
            event("tool-plan-delta", tool_plan="will"),
            event("tool-call-start", tool_calls=call),
            event("tool-call-delta", tool_calls={"function": {"arguments": '{"a"'}}),
            event("tool-call-delta", tool_calls={"function": {"arguments": ":1}"}}),
            event("content-start", content={"type": "text", "text": ""}),
            event("content-delta", content={"text": "Hel"}),
            event("content-delta", content={"text": "lo"}),
            event("citation-start", citations={"start": 0, "text": "Hel"}),
            {
                "type": "message-end",
                "delta": {
                    "finish_reason": "COMPLETE",
                    "usage": {"tokens": {"input_tokens": 3, "output_tokens": 2}},
                },
            },
        )
    )
    assert response.items[0].value == {
        "role": "assistant",
        "content": [{"type": "text", "text": "Hello"}],
        "tool_calls": [{**call, "function": {"name": "f", "arguments": '{"a":1}'}}],
        "tool_plan": "I will",
        "citations": [{"start": 0, "text": "Hel"}],
    }
    assert response.usage[:2] == (3, 2)
    assert (response.id, response.finish_reasons, response.complete) == ("x", ("COMPLETE",), True)


def test_ollama_lines() -> None:
    call = {"function": {"name": "f", "arguments": {}}}
    response = OLLAMA.assemble(
        unnamed(
            {"model": "m", "message": {"role": "assistant", "content": "He", "thinking": "h"}},
            {"model": "m", "message": {"role": "assistant", "content": "y", "tool_calls": [call]}},
            {"model": "m", "message": {"role": "assistant", "content": "", "tool_calls": [call]}},
            {
                "model": "m",
                "done": True,
                "done_reason": "stop",
                "eval_count": 2,
                "prompt_eval_count": 3,
            },
        )
    )
    assert response.items[0].value == {
        "role": "assistant",
        "content": "Hey",
        "thinking": "h",
        "tool_calls": [call, call],
    }
    assert response.usage[:2] == (3, 2)
    assert response.complete


def test_completions() -> None:
    text = DIALECTS["text.completion"]
    response = text.assemble(
        unnamed(
            {"choices": [{"index": 0, "text": "He"}]},
            {"choices": [{"index": 0, "text": "y", "finish_reason": "stop"}]},
        )
    )
    assert [i.value for i in response.items] == ["Hey"]
    assert response.complete
    unknown = text.response({"something": {"else": 1}})
    assert [i.value for i in unknown.items] == [{"something": {"else": 1}}]
    assert text.parts(unknown.items[0].value)[0].kind == "opaque"


def test_assistants_runs() -> None:
    runs = DIALECTS["openai.assistants"]
    message = {
        "role": "assistant",
        "content": [{"type": "text", "text": {"value": "hi"}}],
        "id": "m",
    }
    run = {
        "object": "thread.run",
        "id": "run_1",
        "status": "completed",
        "usage": {"prompt_tokens": 3},
    }
    response = runs.assemble([("thread.message.completed", message), ("thread.run.completed", run)])
    assert response.items[0].value == {"role": "assistant", "content": message["content"]}
    assert (response.id, response.usage.input, response.complete) == ("run_1", 3, True)


@pytest.mark.parametrize("bad", [-1, float("nan"), float("inf"), "3", True, None, 1.5])
def test_usage_that_is_no_number_is_not_reported(bad: Any) -> None:
    assert CHAT.response({"usage": {"prompt_tokens": bad}}).usage == Usage()
    assert (
        ANTHROPIC.response({"usage": {"input_tokens": bad, "output_tokens": 2}}).usage.input is None
    )
    usage = {"input_tokens": 4, "cache_read_input_tokens": bad}
    assert ANTHROPIC.response({"usage": usage}).usage[:3] == (4, None, None)
