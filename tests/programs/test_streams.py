"""Streams on their way: edited alike however they are cut, and anything else is left alone."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_footprint.adapters.edits.answers import BodyEdit, EventEdit, put
from otel_footprint.wire import DIALECTS, parse_sse
from tests.quick import examples
from tests.sdk import chat, chat_sse

from . import test_anthropic, test_responses

CASES = {
    "openai.chat": chat_sse("It ", "is 42."),
    "openai.responses": test_responses.sse(
        test_responses.REASONING, test_responses.said("It is 42.")
    ),
    "anthropic.messages": test_anthropic.sse(test_anthropic.said("It |is 42.")),
}
TEXT = "\n\nUnder it.\n```\nx\n```"
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


def event(value: Any) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


def edited(dialect: str, data: bytes, cuts: list[int], text: str = TEXT) -> tuple[bytes, list[Any]]:
    """What a reader gets, and what was known when it was asked what to put under the answer."""
    asked: list[Any] = []

    def ends(so_far: bytes) -> str:
        asked.append(DIALECTS[dialect].assemble(parse_sse(so_far)))
        return text

    edit = EventEdit(dialect, ends)
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    out = [edit.feed(data[a:b]) for a, b in pairwise(places)]
    return b"".join([*out, edit.flush()]), asked


def text_of(dialect: str, data: bytes) -> str:
    response = DIALECTS[dialect].assemble(parse_sse(data))
    return "".join(
        part.text
        for item in response.items
        for part in DIALECTS[dialect].parts(item.value)
        if part.kind == "text"
    )


@pytest.mark.parametrize("dialect", CASES)
@given(cuts=st.lists(st.integers(0, 3000), max_size=8))
@settings(max_examples=examples(30), deadline=None)
def test_a_stream_is_edited_alike_however_it_is_cut(dialect: str, cuts: list[int]) -> None:
    data = CASES[dialect].encode()
    whole, _ = edited(dialect, data, [])
    made, asked = edited(dialect, data, cuts)
    assert made == whole or dialect == "openai.responses"  # whose new ids are made up
    assert text_of(dialect, made) == "It is 42." + TEXT
    assert len(asked) == 1
    (item,) = asked[0].items[-1:]
    assert "It is 42." in json.dumps(item.value)


@pytest.mark.parametrize("dialect", CASES)
def test_what_keeps_a_connection_alive_changes_nothing(dialect: str) -> None:
    kept = CASES[dialect].replace("\n\n", "\n\n: keep alive\n\n").encode()
    made, _ = edited(dialect, kept, [])
    assert text_of(dialect, made) == "It is 42." + TEXT
    values = [json.dumps(value) for _, value in parse_sse(made)]
    plain, _ = edited(dialect, CASES[dialect].encode(), [])
    assert len(values) == len(parse_sse(plain))


def test_a_late_event_between_two_ends_leaves_the_stream_consistent() -> None:
    said = test_responses.said("It is 42.")
    late = (
        'data: {"type": "response.output_text.annotation.added", "item_id": "msg_1", '
        '"output_index": 0, "content_index": 0, "annotation_index": 0, "annotation": {}}\n\n'
    )
    head, mark, tail = test_responses.sse(said).partition("event: response.content_part.done")
    made, _ = edited("openai.responses", (head + late + mark + tail).encode(), [])
    events = [value for _, value in parse_sse(made)]
    added = [e["item"]["id"] for e in events if e["type"] == "response.output_item.added"]
    whole = events[-1]["response"]["output"]
    assert [item["id"] for item in whole] == added
    assert [item["content"][0]["text"] for item in whole] == ["It is 42.", TEXT]


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
@pytest.mark.parametrize("dialect", CASES)
def test_other_line_ends_are_read_too(dialect: str, newline: str) -> None:
    data = CASES[dialect].replace("\n", newline).encode()
    made, _ = edited(dialect, data, list(range(0, len(data), 7)))
    assert text_of(dialect, made) == "It is 42." + TEXT


@pytest.mark.parametrize("dialect", CASES)
def test_a_stream_to_which_nothing_is_put_is_handed_on_byte_for_byte(dialect: str) -> None:
    data = CASES[dialect].encode()
    made, asked = edited(dialect, data, list(range(0, len(data), 11)), "")
    assert made == data
    assert len(asked) == 1


@pytest.mark.parametrize("dialect", CASES)
@given(data=st.binary(max_size=200) | json_values.map(event), cut=st.integers(0, 100))
@settings(max_examples=examples(40), deadline=None)
def test_anything_else_is_handed_on_byte_for_byte(dialect: str, data: bytes, cut: int) -> None:
    assert edited(dialect, data, [cut])[0] == data


@pytest.mark.parametrize("dialect", CASES)
def test_a_stream_that_breaks_off_is_handed_on(dialect: str) -> None:
    data = CASES[dialect].encode()
    for end in range(0, len(data) - 60, 37):
        made, asked = edited(dialect, data[:end], [])
        if not asked:
            assert made == data[:end]


@pytest.mark.parametrize("dialect", CASES)
@given(body=json_values)
@settings(max_examples=examples(40), deadline=None)
def test_a_body_of_any_shape_is_edited_or_left_alone(dialect: str, body: Any) -> None:
    put(dialect, body, TEXT)
    for key in ("choices", "output", "content"):
        put(dialect, {key: body}, TEXT)
        put(dialect, {key: [body]}, TEXT)
        put(dialect, {key: [{"message": body, "type": "message", "content": body}]}, TEXT)


def test_a_body_is_handed_on_when_it_is_whole() -> None:
    data = json.dumps(chat("Hi.")).encode()
    edit = BodyEdit("openai.chat", lambda _: TEXT)
    assert edit.feed(data[:20]) == edit.feed(data[20:]) == b""
    assert json.loads(edit.flush())["choices"][0]["message"]["content"] == "Hi." + TEXT
    for other in (b"", b"no json", data):
        kept = BodyEdit("openai.chat", lambda _: "")
        kept.feed(other)
        assert kept.flush() == other
