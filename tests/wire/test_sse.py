"""Stream texts: fast when they are what they should be, patient when they are not."""

from __future__ import annotations

from otel_footprint.wire import parse_ndjson, parse_sse


def test_events_and_their_names() -> None:
    text = 'event: a\ndata: {"x": 1}\n\n: a comment\n\ndata:{"x":2}\nid: 7\n\ndata: [DONE]\n\n'
    events = parse_sse(text)
    assert events == [("a", {"x": 1}), ("", {"x": 2})]
    assert events.skipped == 0
    assert parse_sse(text.encode()) == events
    assert parse_sse(text.replace("\n", "\r\n")) == events
    assert parse_sse(text.replace("\n", "\r")) == events


def test_data_of_several_lines_and_no_last_blank_line() -> None:
    assert parse_sse('data: {"x":\ndata: 1}\n\ndata: {"y": 2}') == [("", {"x": 1}), ("", {"y": 2})]


def test_line_separators_inside_texts_do_not_end_a_line() -> None:
    assert parse_sse('data: {"x":"a\u2028b\u0085c"}\n\n') == [("", {"x": "a\u2028b\u0085c"})]


def test_garbage_is_skipped_and_counted() -> None:
    events = parse_sse(
        'data: {"x":1}\n\ndata: {"y":\n\nnonsense\n\ndata: 1,2\n\ndata: [DONE]\n\ndata: {"z":3}'
    )
    assert events == [("", {"x": 1}), ("", {"z": 3})]
    assert events.skipped == 3
    assert parse_sse(b"\xff\xfe\x00").skipped == 1
    assert parse_sse("") == []


def test_texts_that_only_together_are_json_are_no_events() -> None:
    events = parse_sse('data: {"a":1\n\ndata: "b":2}\n\n')
    assert (events, events.skipped) == ([], 2)


def test_json_lines_and_a_streamed_array() -> None:
    assert parse_ndjson('{"a":1}\n\n{"b":2}\n') == [("", {"a": 1}), ("", {"b": 2})]
    assert parse_ndjson('[{"a":1}\n,\n{"b":2}\n]') == [("", {"a": 1}), ("", {"b": 2})]
    cut = parse_ndjson('{"a":1}\n{"b":')
    assert (cut, cut.skipped) == ([("", {"a": 1})], 1)
    cut_array = parse_ndjson('[{"a":1}\n,{"b":')
    assert (cut_array, cut_array.skipped) == ([("", {"a": 1})], 1)
