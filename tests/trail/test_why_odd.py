"""Damaged trails and odd spans of others: a walk never raises, and says what is missing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_footprint.records.trail import Event, Span
from otel_footprint.trail import Trail
from otel_footprint.trail.messages import messages_of, tool_of
from tests.quick import examples, sampled

from .builder import Writer
from .conftest import read, story

TEXTS = st.text(max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["role", "parts", "content", "type", "tool_calls", "function", "name",
                         "arguments", "id", "text", "function_call", "args", "response"]) | TEXTS,
        inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
NAMES = st.sampled_from(
    [
        "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions",
        "gen_ai.tool.definitions", "gen_ai.prompt.0.content", "gen_ai.prompt.0.role",
        "gen_ai.completion.0.content", "llm.input_messages.0.message.content",
        "llm.output_messages.1.message.tool_calls.0.tool_call.function.arguments",
        "llm.input_messages.2.message.contents.0.message_content.text",
        "llm.tools.0.tool.json_schema", "input.value", "output.value", "body", "message",
        "gcp.vertex.agent.llm_request", "gen_ai.tool.call.arguments", "tool.id",
    ]
)  # fmt: skip
EVENTS = st.sampled_from(
    ["gen_ai.user.message", "gen_ai.tool.message", "gen_ai.choice",
     "gen_ai.client.inference.operation.details"]
)  # fmt: skip


def spelled(value: Any) -> Any:
    """As attributes hold it: JSON as a text, or the value itself."""
    import json

    return value if isinstance(value, str) else json.dumps(value)


ATTRIBUTES = st.dictionaries(NAMES, JSON | JSON.map(spelled), max_size=5)


@settings(max_examples=examples(60))
@given(ATTRIBUTES, st.lists(st.tuples(EVENTS, ATTRIBUTES), max_size=3))
def test_spans_of_others_may_hold_anything(
    attributes: dict[str, Any], events: list[tuple[str, dict[str, Any]]]
) -> None:
    said = {"gen_ai.operation.name": "chat", **attributes}
    span = Span(
        "1" * 32, "2" * 16, "", "chat", "client", 1, 2, said,
        tuple(Event(name, 1, each) for name, each in events), scope="other",
    )  # fmt: skip
    for found in messages_of(span):
        assert found.slot in ("system", "messages", "tools", "output")
        assert all(isinstance(p.text, str) for p in found.parts)
    tool_of(span)
    more = {**said, "gen_ai.operation.name": "execute_tool"}
    tool = span._replace(span_id="3" * 16, parent_id="2" * 16, attributes=more)
    trail = Trail([span, tool])
    if messages_of(span):
        trail.why().to_json()
        trail.why("a 1").to_json()
        trail.absent("a 1").to_json()


@pytest.mark.parametrize("lost", sampled(range(0, 40, 3), 4))
def test_a_lost_span_leaves_a_walk_with_gaps(lost: int) -> None:
    writer = Writer()
    story(writer)
    whole = read(writer.spans).why("Because")
    assert not whole.gaps
    trail = read([s for i, s in enumerate(writer.spans) if i != lost])
    for call in trail.calls:
        found = trail.why("refunds", call.id)
        if trail.gaps and not found.gaps:
            assert found.findings[0].searched
        trail.absent("Because", call.id)
