"""Odd input: whatever JSON comes, nothing raises, and every body is rebuilt exactly."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_footprint.text.jsontext import dumps, dumps_sorted
from otel_footprint.text.skeleton import fill, split
from otel_footprint.wire import (
    DIALECTS,
    credentials,
    dialect_for,
    find_media,
    parse_ndjson,
    parse_sse,
)
from tests.quick import examples

from .helpers import pieces, rebuilt

KEYS = [
    "messages", "system", "tools", "functions", "input", "instructions", "contents",
    "systemInstruction", "parts", "role", "type", "content", "text", "tool_calls", "function",
    "name", "arguments", "id", "call_id", "tool_call_id", "tool_use_id", "output", "toolConfig",
    "toolResult", "toolUseId", "functionResponse", "functionDeclarations",
    "function_declarations", "message", "chat_history", "preamble", "prompt", "thread",
    "additional_messages", "choices", "delta", "index", "usage", "finish_reason", "candidates",
    "response", "item", "item_id", "output_index", "summary", "content_block", "partial_json",
    "contentBlockIndex", "toolUse", "start", "metadata", "bytes", "source", "data",
    "media_type", "parameters", "system_instruction", "headers", "mcp_servers", "status",
    "is_error", "thinking", "encrypted_content", "images", "reasoning_content", "annotations",
    "extra", "cache_control", "cachePoint",
]  # fmt: skip
WORDS = [
    "user", "assistant", "system", "developer", "tool", "function", "model", "message",
    "tool_result", "tool_use", "text", "function_call", "function_call_output", "reasoning",
    "output_text", "input_text", "image", "thinking", "message_start", "content_block_start",
    "content_block_delta", "message_delta", "text_delta", "response.output_item.added",
    "response.output_text.delta", "response.completed", "content-delta", "message-end",
    "tool-call-start", "tool-call-delta", "mcp", "document", "#m", "#s1", "$0", "@0",
]  # fmt: skip

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(WORDS)
)
keys = st.sampled_from(KEYS) | st.text(max_size=4)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=5),
    max_leaves=10,
)
blocks = st.dictionaries(keys, values, max_size=4).flatmap(
    lambda block: st.sampled_from(WORDS).map(lambda kind: {"type": kind, **block})
)
messages = st.fixed_dictionaries(
    {"role": st.sampled_from(WORDS) | scalars},
    optional={
        "content": st.lists(blocks | values, max_size=4) | values,
        "parts": st.lists(st.dictionaries(keys, values, max_size=2) | values, max_size=3) | values,
        "tool_calls": values,
        "extra": values,
    },
)
bodies = st.dictionaries(keys, values | st.lists(messages | blocks, max_size=4), max_size=6)
everything = values | bodies


def same_json(first: str, second: str) -> bool:
    return dumps(json.loads(first)) == dumps(json.loads(second))


@pytest.mark.parametrize("name", sorted(DIALECTS))
@settings(max_examples=examples(60), deadline=None)
@given(body=everything)
def test_a_body_is_rebuilt_exactly(name: str, body: Any) -> None:
    dialect = DIALECTS[name]
    assert rebuilt(dialect, body) == dumps(body)
    dialect.facts(body)
    credentials(body)
    for slot, items in pieces(dialect, body).items():
        for item in items:
            assert isinstance(item.role, str)
            assert isinstance(item.id, str)
            if slot != "messages":
                assert item.source in ("base", "registry")


@pytest.mark.parametrize("name", sorted(DIALECTS))
@settings(max_examples=examples(60), deadline=None)
@given(value=everything | messages | blocks)
def test_a_piece_is_read_whatever_it_is(name: str, value: Any) -> None:
    dialect = DIALECTS[name]
    for slot in ("system", "messages", "tools"):
        assert len(dialect.items(slot, value)) >= 1
    for part in dialect.parts(value):
        assert isinstance(part.text, str)
        assert isinstance(part.name, str)
        assert isinstance(part.id, str)
    before = dumps(value)
    dumps_sorted(dialect.identity(value))
    assert dumps(value) == before
    taken = split(value, find_media)
    media = [m.prefix + m.data for m in taken.media]
    assert same_json(fill(taken.skeleton, taken.leaves, media.__getitem__), before)


@pytest.mark.parametrize("name", sorted(DIALECTS))
@settings(max_examples=examples(60), deadline=None)
@given(events=st.lists(st.tuples(st.sampled_from(["", *WORDS]), everything | blocks), max_size=6))
def test_a_response_and_a_stream_are_read_whatever_they_are(
    name: str, events: list[tuple[str, Any]]
) -> None:
    dialect = DIALECTS[name]
    before = dumps(events)
    found = [dialect.assemble(events), *(dialect.response(event) for _, event in events)]
    assert dumps(events) == before
    for response in found:
        assert len(response.extra) == len(response.items)
        assert all(n is None or n >= 0 for n in response.usage)
        assert all(isinstance(reason, str) for reason in response.finish_reasons)
        for item in response.items:
            dumps_sorted(dialect.identity(item.value))


@settings(max_examples=examples(200), deadline=None)
@given(
    provider=st.sampled_from(["", "openai", "cohere"]), path=st.text(max_size=20), body=everything
)
def test_detection_never_raises(provider: str, path: str, body: Any) -> None:
    dialect = dialect_for(provider, path, body)
    assert dialect is None or dialect in DIALECTS.values()


@settings(max_examples=examples(200), deadline=None)
@given(text=st.text(max_size=60) | st.binary(max_size=60))
def test_stream_texts_never_raise(text: str | bytes) -> None:
    parse_sse(text)
    parse_ndjson(text)
