"""Streams of Gemini, Bedrock, Cohere, Ollama, completions and assistants, and odd usage."""

from __future__ import annotations

from typing import Any

import pytest

from otel_footprint.wire import DIALECTS, Usage

from .helpers import unnamed

CHAT = DIALECTS["openai.chat"]
ANTHROPIC = DIALECTS["anthropic.messages"]
GEMINI = DIALECTS["gemini.generate_content"]
CONVERSE = DIALECTS["bedrock.converse"]
COHERE = DIALECTS["cohere.chat"]
OLLAMA = DIALECTS["ollama.chat"]


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


def test_gemini_empty_texts_around_a_call_are_no_parts() -> None:
    def chunk(*parts: Any, **more: Any) -> dict[str, Any]:
        return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **more}]}

    call = {"functionCall": {"name": "f", "args": {}}}
    response = GEMINI.assemble(
        unnamed(chunk({"text": ""}), chunk(call), chunk({"text": ""}, finishReason="STOP"))
    )
    assert response.items[0].value == {"role": "model", "parts": [call]}
    response = GEMINI.assemble(unnamed(chunk({"text": ""}, finishReason="STOP")))
    assert response.items[0].value == {"role": "model", "parts": [{"text": ""}]}


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


def test_converse_a_text_that_comes_as_many_blocks_is_one() -> None:
    def delta(index: int, **said: Any) -> dict[str, Any]:
        return {"contentBlockDelta": {"contentBlockIndex": index, "delta": said}}

    call = {"toolUse": {"toolUseId": "t", "name": "f"}}
    response = CONVERSE.assemble(
        unnamed(
            {"messageStart": {"role": "assistant"}},
            delta(0, text="One "),
            {"contentBlockStop": {"contentBlockIndex": 0}},
            delta(1, text="text"),
            {"contentBlockStart": {"contentBlockIndex": 2, "start": call}},
            delta(2, toolUse={"input": "{}"}),
            delta(3, text="whole"),
            delta(3, text=" block"),
            delta(4, text="other"),
            {"messageStop": {"stopReason": "tool_use"}},
        )
    )
    assert response.items[0].value["content"] == [
        {"text": "One text"},
        {"toolUse": {"toolUseId": "t", "name": "f", "input": {}}},
        {"text": "whole block"},
        {"text": "other"},
    ]


def test_converse_a_text_with_citations_stands_inside_them() -> None:
    cited = {"title": "Rules"}
    response = CONVERSE.assemble(
        [
            ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "20 "}}),
            ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "days"}}),
            ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"citation": cited}}),
            ("messageStop", {"stopReason": "end_turn"}),
        ]
    )
    value = response.items[0].value
    assert value["content"] == [
        {"citationsContent": {"citations": [cited], "content": [{"text": "20 days"}]}}
    ]
    assert [part.text for part in CONVERSE.parts(value)] == ["20 days"]


def test_cohere_first_version() -> None:
    events = [
        {"event_type": "stream-start", "generation_id": "g"},
        {"event_type": "text-generation", "text": "He"},
        {"event_type": "text-generation", "text": "y"},
    ]
    early = COHERE.assemble(unnamed(*events))
    assert [i.value for i in early.items] == [{"role": "CHATBOT", "message": "Hey"}]
    assert (early.id, early.complete) == ("g", False)
    said = {"generation_id": "g", "text": "Hey", "meta": {"tokens": {"input_tokens": 3}}}
    end = {"event_type": "stream-end", "finish_reason": "COMPLETE", "response": said}
    whole = COHERE.assemble(unnamed(*events, end))
    assert (whole.items, whole.usage.input, whole.complete) == (early.items, 3, True)
    assert whole == COHERE.response({**said, "finish_reason": "COMPLETE"})


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


def test_completions_in_the_words_of_other_providers() -> None:
    text = DIALECTS["text.completion"]
    titan = {"outputText": "hi", "tokenCount": 2, "completionReason": "FINISH"}
    assert text.response({"inputTextTokenCount": 3, "results": [titan]}).usage[:2] == (3, 2)
    metrics = {"inputTokenCount": 3, "outputTokenCount": 2}
    stream = text.assemble(
        unnamed(
            {"generation": "h", "stop_reason": None},
            {"generation": "i", "stop_reason": "stop", "amazon-bedrock-invocationMetrics": metrics},
        )
    )
    assert ([i.value for i in stream.items], stream.usage[:2], stream.complete) == (
        ["hi"], (3, 2), True,
    )  # fmt: skip
    first = {"generated_text": "", "input_token_count": 3, "stop_reason": "not_finished"}
    last = {"generated_text": "hi", "generated_token_count": 2, "stop_reason": "eos_token"}
    stream = text.assemble(unnamed({"results": [first]}, {"results": [last]}))
    assert ([i.value for i in stream.items], stream.usage[:2]) == (["hi"], (3, 2))
    assert (stream.finish_reasons, stream.complete) == (("eos_token",), True)
    chat = {"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}
    assert [i.value for i in text.response(chat).items] == ["hi"]
    facts = text.facts({"model_id": "m", "parameters": {"max_new_tokens": 5}})
    assert (facts.model, facts.max_tokens) == ("m", 5)


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
