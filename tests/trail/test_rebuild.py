"""Requests are rebuilt exactly from what the format text says a trail holds."""

from __future__ import annotations

import hashlib

import pytest

from otel_footprint.errors import TrailError

from .builder import Piece, Turn, Writer, any_value, assistant, dumps, result, system, tool, user
from .conftest import LONG, read, story


def test_every_request_is_rebuilt_and_proven(writer: Writer) -> None:
    bodies = story(writer)[0]
    trail = read(writer.spans)
    assert trail.gaps == ()
    for call, body in zip(trail.calls, bodies, strict=True):
        rebuilt = trail.rebuild(call)
        assert rebuilt.text == body
        assert rebuilt.proof.level == "body"
        assert rebuilt.proof.proven == rebuilt.proof.pieces
        assert rebuilt.gaps == ()


def test_without_a_body_the_request_is_equal_as_json(writer: Writer) -> None:
    turn = Turn(writer)
    turn.call([], [user("hi")], bytes_=False)
    trail = read(writer.spans)
    assert trail.rebuild(1).proof.level == "json"
    assert trail.rebuild(1).proof.request_bytes is None


def test_what_need_not_have_left_like_this_is_called_recorded() -> None:
    writer = Writer(content="redacted")
    turn = Turn(writer)
    turn.call([], [user("hi")], bytes_=False)
    assert read(writer.spans).rebuild(1).proof.level == "recorded"
    writer = Writer()
    turn = Turn(writer)
    turn.call([], [user("hi")], bytes_=False, attributes={"footprint.request.bytes": 7})
    assert read(writer.spans).rebuild(1).proof.level == "recorded"


@pytest.mark.parametrize("order", ["reversed", "shuffled", "doubled", "sorted keys", "floats"])
def test_order_copies_and_spelling_do_not_matter(writer: Writer, order: str) -> None:
    bodies = story(writer, turns=2)
    spans = list(writer.spans)
    if order == "reversed":
        spans.reverse()
    elif order == "shuffled":
        writer.random.shuffle(spans)
    elif order == "doubled":
        spans += spans
    elif order == "sorted keys":
        spans = [
            {k: sorted(v, key=lambda a: a["key"]) if k == "attributes" else v for k, v in s.items()}
            for s in spans
        ]
    else:
        text = dumps(spans).replace('{"intValue":"', '{"doubleValue":"')
        spans = __import__("json").loads(text)
    trail = read(spans)
    assert trail.gaps == ()
    assert [trail.rebuild(c).text for c in trail.turns[0].calls] == bodies[0]
    assert [trail.rebuild(c).text for c in trail.turns[1].calls] == bodies[1]
    assert all(trail.check(t.ledgers[0]).state == "complete" for t in trail.turns)


def test_arrays_that_a_pipeline_made_texts_are_read(writer: Writer) -> None:
    bodies = story(writer)[0]
    for span in writer.spans:
        for holder in (span, *span["events"]):
            for pair in holder["attributes"]:
                if "arrayValue" in pair["value"]:
                    values = [next(iter(v.values())) for v in pair["value"]["arrayValue"]["values"]]
                    pair["value"] = any_value(dumps(values))
    trail = read(writer.spans)
    assert [trail.rebuild(c).text for c in trail.calls] == bodies


def test_frames_put_the_pieces_of_one_element_together(writer: Writer) -> None:
    blocks = [{"type": "tool_result", "tool_use_id": i, "content": LONG + i} for i in ("a", "b")]
    pieces = [
        Piece(blocks[0], "tool-result", "user", "a", frame='{"role":"user","content":[#2]}'),
        Piece(blocks[1], "tool-result", "user", "b"),
        user("and then"),
    ]
    turn = Turn(writer)
    turn.call([], pieces, layout='{"messages":[#m]}', bytes_=False)
    wanted = {"messages": [{"role": "user", "content": blocks}, pieces[2].value]}
    assert read(writer.spans).rebuild(1).text == dumps(wanted)


def test_another_spelling_takes_the_leaves_of_the_first(writer: Writer) -> None:
    turn = Turn(writer)
    first = user(LONG, identity="same")
    marked = Piece({"content": LONG, "role": "user", "mark": 1}, "user", "user", identity="same")
    turn.call([], [first])
    row = writer.row(marked)
    turn.call([], [marked])
    event = writer.spans[-2]["events"][0]
    for pair in event["attributes"]:
        if pair["key"] == "footprint.text":
            pair["value"] = any_value(['{"content":$0,"role":"user","mark":1}'])
    event["attributes"] = [
        p for p in event["attributes"] if p["key"] not in ("footprint.texts", "footprint.chunks")
    ]
    trail = read(writer.spans)
    assert trail.rows(trail.call(2), "messages").rows[0].exact == row.exact
    assert dumps(marked.value) in (trail.rebuild(2).text or "")
    assert trail.rebuild(2).proof.level == "body"


def test_parts_of_one_text_are_joined(writer: Writer) -> None:
    turn = Turn(writer)
    turn.call([], [user(LONG * 20)], parts=2)
    trail = read(writer.spans)
    assert trail.gaps == ()
    assert trail.rebuild(1).proof.level == "body"


def test_many_rows_over_many_parts(writer: Writer) -> None:
    turn = Turn(writer)
    turn.call([], [user(f"number {i}") for i in range(5_000)], parts=50)
    trail = read(writer.spans)
    assert trail.gaps == ()
    assert trail.rebuild(1).proof.level == "body"
    assert trail.rebuild(1).proof.pieces == 5_000


def test_keyed_hashes_are_proven_with_the_key_and_unproven_without() -> None:
    key = b"0123456789abcdef"
    writer = Writer(key=key)
    bodies = story(writer)[0]
    with_key = read(writer.spans, keys=[b"another key, 16 b", key])
    without = read(writer.spans)
    assert [with_key.rebuild(c).proof.level for c in with_key.calls] == ["body"] * 4
    assert [without.rebuild(c).proof.level for c in without.calls] == ["unproven"] * 4
    assert [without.rebuild(c).text for c in without.calls] == bodies


def test_content_mode_none_is_named_as_that() -> None:
    writer = Writer(content="none")
    story(writer)
    trail = read(writer.spans)
    rebuilt = trail.rebuild(1)
    assert rebuilt.text is None
    assert {g.kind for g in rebuilt.gaps} == {"content"}
    assert "content mode none" in rebuilt.gaps[0].what
    assert rebuilt.proof.slots == ("system", "messages", "tools")


def test_a_text_that_is_not_its_hash_is_never_given(writer: Writer) -> None:
    turn = Turn(writer)
    turn.call([system(LONG)], [user("hi")])
    before = len(writer.spans)
    for span in writer.spans[:before]:
        for event in span["events"]:
            for pair in event["attributes"]:
                if pair["key"] == "footprint.text" and "compose system" in span["name"]:
                    cut = [v["stringValue"][:64] for v in pair["value"]["arrayValue"]["values"]]
                    pair["value"] = any_value(cut)
    rebuilt = read(writer.spans).rebuild(1)
    assert rebuilt.text is None
    assert [g.kind for g in rebuilt.gaps] == ["text"]
    assert "shortened or changed" in rebuilt.gaps[0].what


def test_media_are_put_back_by_hash_or_named(writer: Writer) -> None:
    from otel_footprint.text.skeleton import source, split
    from otel_footprint.wire.media import find_media

    data = bytes(range(256)) * 4
    import base64

    url = "data:image/png;base64," + base64.b64encode(data).decode()
    value = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}
    piece = Piece(value, "user", "user", identity="image")
    turn = Turn(writer)
    turn.call([], [piece])
    parts = split(value, find_media)
    exact = writer.hash(source(parts))[:16]
    media = parts.media[0]
    note = f"0 {media.type} {media.size} {media.sha256} {media.prefix}"
    event = writer.spans[2]["events"][0]["attributes"]
    for pair in event:
        if pair["key"] == "footprint.text":
            pair["value"] = any_value([parts.skeleton])
        if pair["key"] == "footprint.hash":
            identity = pair["value"]["arrayValue"]["values"][0]["stringValue"][:32]
            pair["value"] = any_value([identity + exact])
    event[:] = [p for p in event if p["key"] not in ("footprint.texts", "footprint.chunks")]
    event.append({"key": "footprint.media", "value": any_value([note])})
    trail = read(writer.spans)
    found = trail.texts.piece(trail.rows(trail.call(1), "messages").rows[0], lambda _: data)
    assert found.text == dumps(value)
    assert found.proven
    rebuilt = trail.rebuild(1)
    assert rebuilt.text is None
    named = next(g for g in rebuilt.gaps if g.kind == "media")
    assert "image/png, 1024 bytes" in named.what
    assert hashlib.sha256(data).hexdigest() in named.what


def test_calls_are_found_by_number_and_by_id(writer: Writer) -> None:
    story(writer, turns=2)
    trail = read(writer.spans)
    assert trail.call(trail.calls[2].id) is trail.calls[2]
    with pytest.raises(TrailError, match="several turns"):
        trail.call(1)
    with pytest.raises(TrailError, match="no call 9"):
        trail.call("9")


def test_a_foreign_inference_span_is_the_calls_span(writer: Writer) -> None:
    turn = Turn(writer)
    turn.call([], [user("hi")], output=[assistant("hello")], foreign="other.instrumentation")
    turn.end()
    trail = read(writer.spans)
    call = trail.calls[0]
    assert call.foreign == "other.instrumentation"
    assert call.usage.input == 100
    assert call.whole
    assert trail.rebuild(call).proof.level == "body"
    assert trail.check(call.ledger).state == "complete"


def test_results_and_tools_are_joined_by_call(writer: Writer) -> None:
    from otel_footprint.trail.content import ToolIndex

    turn = Turn(writer)
    first = assistant(None, ("call_0", "look", '{"a":1}'))
    second = assistant(None, ("call_0", "look", '{"a":22}'))
    turn.call([], [user("hi")], output=[first])
    turn.tool("look", "call_0", '{"a":1}', "one")
    history = [user("hi"), first, result("call_0", "one")]
    turn.call([], history, output=[second])
    turn.tool("look", "call_0", '{"a":22}', "two")
    turn.call([], [*history, second, result("call_0", "twofold")], tools=[tool("look")])
    trail = read(writer.spans)
    index = ToolIndex(trail)
    texts = [index.texts(t) for t in trail.turns[0].tools]
    assert [t.arguments for t in texts] == ['{"a":1}', '{"a":22}']
    results = [trail.texts.shown(t.result) for t in texts if t.result is not None]
    assert ["twofold" in (r or "") for r in results] == [False, True]
