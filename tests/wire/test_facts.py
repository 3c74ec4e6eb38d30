"""What a request asks for; a value of the wrong type counts as not said."""

from __future__ import annotations

from typing import Any

import pytest

from otel_footprint.wire import DIALECTS, Facts

CASES: list[tuple[str, dict[str, Any], Facts]] = [
    (
        "openai.chat",
        {
            "model": "m",
            "stream": True,
            "temperature": 1,
            "top_p": 0.5,
            "max_tokens": 5,
            "max_completion_tokens": 6,
            "seed": 7,
            "n": 2,
            "stop": "x",
            "frequency_penalty": 0,
            "presence_penalty": -1,
            "reasoning_effort": "low",
            "response_format": {"type": "json_schema"},
        },
        Facts(
            model="m",
            stream=True,
            temperature=1.0,
            top_p=0.5,
            max_tokens=6,
            seed=7,
            choices=2,
            stop=("x",),
            frequency_penalty=0.0,
            presence_penalty=-1.0,
            reasoning="low",
            output_type="json",
        ),
    ),
    (
        "openai.chat",
        {
            "model": 3,
            "stream": "yes",
            "temperature": True,
            "top_p": float("nan"),
            "max_tokens": False,
            "seed": 1.5,
            "n": "2",
            "stop": [1, None],
            "response_format": "json",
        },
        Facts(),
    ),
    ("openai.chat", {"modalities": ["text", "audio"]}, Facts(output_type="speech")),
    (
        "openai.responses",
        {
            "model": "m",
            "max_output_tokens": 5,
            "reasoning": {"effort": "high"},
            "previous_response_id": "resp_1",
            "text": {"format": {"type": "json_schema"}},
        },
        Facts(
            model="m",
            max_tokens=5,
            reasoning="high",
            previous_response="resp_1",
            output_type="json",
            completeness="request_only",
        ),
    ),
    ("openai.responses", {"conversation": {"id": "c"}}, Facts(completeness="request_only")),
    ("openai.responses", {"prompt": {"id": "p"}}, Facts(completeness="request_only")),
    ("openai.responses", {"truncation": "auto"}, Facts(completeness="request_only")),
    (
        "openai.responses",
        {"input": [{"role": "user"}, {"id": "msg_1", "type": "item_reference"}]},
        Facts(completeness="request_only"),
    ),
    ("openai.responses", {"conversation": None, "input": [{"role": "user"}]}, Facts()),
    (
        "anthropic.messages",
        {
            "model": "m",
            "max_tokens": 5,
            "top_k": 3,
            "stop_sequences": ["a", "b"],
            "output_config": {"effort": "medium", "format": {"type": "json_schema"}},
            "context_management": {"edits": [{"type": "clear_tool_uses_20250919"}]},
        },
        Facts(
            model="m",
            max_tokens=5,
            top_k=3,
            stop=("a", "b"),
            reasoning="medium",
            output_type="json",
            completeness="request_only",
        ),
    ),
    (
        "gemini.generate_content",
        {
            "cachedContent": "cachedContents/1",
            "generation_config": {
                "temperature": 0.5,
                "top_k": 40.0,
                "maxOutputTokens": 5,
                "candidateCount": 2,
                "thinking_config": {"thinking_level": "low"},
                "responseMimeType": "application/json",
            },
        },
        Facts(
            temperature=0.5,
            top_k=40,
            max_tokens=5,
            choices=2,
            reasoning="low",
            output_type="json",
            completeness="request_only",
        ),
    ),
    (
        "gemini.generate_content",
        {"generationConfig": {"responseModalities": ["TEXT", "IMAGE"]}},
        Facts(output_type="image"),
    ),
    (
        "bedrock.converse",
        {
            "modelId": "m",
            "inferenceConfig": {"maxTokens": 5, "stopSequences": ["x"]},
            "additionalModelRequestFields": {"top_k": 3},
        },
        Facts(model="m", max_tokens=5, top_k=3, stop=("x",)),
    ),
    ("cohere.chat", {"p": 0.5, "k": 3, "seed": 1}, Facts(top_p=0.5, top_k=3, seed=1)),
    (
        "ollama.chat",
        {"format": {"type": "object"}, "options": {"num_predict": 5, "seed": 1}, "think": "low"},
        Facts(max_tokens=5, seed=1, reasoning="low", output_type="json"),
    ),
    ("ollama.chat", {"format": "", "options": None}, Facts()),
    ("openai.assistants", {"model": "m"}, Facts(model="m", completeness="request_only")),
]


@pytest.mark.parametrize(("name", "body", "facts"), CASES)
def test_facts(name: str, body: dict[str, Any], facts: Facts) -> None:
    assert DIALECTS[name].facts(body) == facts
