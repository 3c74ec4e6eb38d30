"""What a trail has lost is named; everything else is still rebuilt; nothing is ever guessed."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from otel_footprint.trail import Trail

from .builder import Turn, Writer, as_lines, assistant, result, system, tool, user
from .conftest import LONG, read, story


def holds(trail: Trail, bodies: dict[str, str], lost: set[str], needs: dict[str, set[str]]) -> None:
    """Each call is rebuilt exactly, or names what it lacks; one that lacks nothing is rebuilt."""
    for call in trail.calls:
        rebuilt = trail.rebuild(call)
        if rebuilt.text is not None:
            assert rebuilt.text == bodies[call.id]
        else:
            assert rebuilt.gaps, call.id
            assert needs[call.id] & lost, (call.id, rebuilt.gaps)
        if not needs[call.id] & lost:
            assert rebuilt.text == bodies[call.id]


def bodies_of(writer: Writer, turns: int) -> dict[str, str]:
    requests = story(writer, turns=turns)
    ids = list(writer.needs)
    return dict(zip(ids, (b for turn in requests for b in turn), strict=True))


def test_every_single_span_may_be_missing(writer: Writer) -> None:
    bodies = bodies_of(writer, 2)
    for i, span in enumerate(writer.spans):
        left = [s for j, s in enumerate(writer.spans) if j != i]
        trail = read(left)
        holds(trail, bodies, {span["spanId"]}, writer.needs)
        if span["scope"] == "otel_footprint" and "parameters" not in span["name"]:
            assert trail.gaps or any(t.open for t in trail.turns), span["name"]


def test_one_in_twenty_missing_cut_and_sorted() -> None:
    for seed in range(12):
        writer = Writer(seed)
        bodies = bodies_of(writer, 3)
        lost, left = set(), []
        for span in writer.spans:
            if writer.random.random() < 0.05:
                lost.add(span["spanId"])
                continue
            span = copy.deepcopy(span)
            cut_strings(span, 2_048)
            span["attributes"].sort(key=lambda a: a["key"])
            left.append(span)
        writer.random.shuffle(left)
        holds(read(left), bodies, lost, writer.needs)


def cut_strings(value: Any, limit: int) -> None:
    """Shortens every string value to a number of bytes, also inside arrays."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "stringValue":
                value[key] = item.encode()[:limit].decode(errors="ignore")
            else:
                cut_strings(item, limit)
    elif isinstance(value, list):
        for item in value:
            cut_strings(item, limit)


def test_strings_cut_to_64_bytes_are_never_taken_for_the_text(writer: Writer) -> None:
    bodies = bodies_of(writer, 1)
    for span in writer.spans:
        cut_strings(span, 64)
    trail = read(writer.spans)
    for call in trail.calls:
        rebuilt = trail.rebuild(call)
        assert rebuilt.text in (None, bodies[call.id])
        assert rebuilt.text is not None or rebuilt.gaps
    assert any(g.kind == "text" for c in trail.calls for g in trail.rebuild(c).gaps)


def test_a_later_keyframe_heals_the_chain(writer: Writer) -> None:
    turn = Turn(writer)
    history = [user(f"message {i}") for i in range(6)]
    for n in (2, 4):
        turn.call([system("rules")], history[:n])
    turn.call([system("rules")], history[:5])
    turn.call([system("rules")], history, keyframe=True)
    lost = next(s for s in writer.spans if s["name"] == "compose messages" and at(s).endswith(".2"))
    trail = read([s for s in writer.spans if s is not lost])
    assert trail.rebuild(1).text is not None
    broken = trail.rebuild(3)
    assert broken.text is None
    assert any(g.kind == "base" and ".2" in g.what for g in broken.gaps)
    healed = trail.rebuild(4)
    assert [g.kind for g in healed.gaps] == ["text"] * 2
    assert all(g.call.endswith(".4") for g in healed.gaps)


def at(span: dict[str, Any]) -> str:
    return next(
        (a["value"].get("stringValue", "") for a in span["attributes"]
         if a["key"] == "footprint.call.id"), "",
    )  # fmt: skip


def test_a_base_is_found_by_its_digest(writer: Writer) -> None:
    turn = Turn(writer)
    turn.call([], [user("a"), user("b")])
    turn.call([], [user("a")])
    turn.call([], [user("a"), user("b")])
    turn.call([], [user("a"), user("b"), user("c")])
    lost = next(s for s in writer.spans if s["name"] == "compose messages" and at(s).endswith(".3"))
    trail = read([s for s in writer.spans if s is not lost])
    assert [len(trail.rows(c, "messages").rows) for c in trail.calls] == [2, 1, 2, 3]
    assert all(trail.rebuild(c).text is not None for c in trail.calls)


def test_a_lost_base_is_a_gap_of_known_length(writer: Writer) -> None:
    turn = Turn(writer)
    turn.call([], [user("a"), user("b")])
    turn.call([], [user("a"), user("b"), user("c")])
    lost = next(s for s in writer.spans if s["name"] == "compose messages")
    trail = read([s for s in writer.spans if s is not lost])
    rows = trail.rows(trail.call(2), "messages")
    assert [r is None for r in rows.rows] == [True, True, False]
    assert not rows.known


def test_missing_parts_are_named_and_the_others_kept(writer: Writer) -> None:
    turn = Turn(writer)
    turn.call([], [user(f"message {i}") for i in range(12)], parts=4)
    composed = [s for s in writer.spans if s["name"] == "compose messages"]
    trail = read([s for s in writer.spans if s not in composed[1:3]])
    rows = trail.rows(trail.call(1), "messages")
    assert [r is not None for r in rows.rows] == [True] * 3 + [False] * 6 + [True] * 3
    assert any("parts 2, 3 of 4 are missing" in g.what for g in trail.gaps)
    first = read([s for s in writer.spans if s is not composed[0]])
    assert any("parts 1 of 4 are missing" in g.what for g in first.gaps)
    assert first.rebuild(1).text is None


def test_a_lost_text_is_named_with_the_call_that_wrote_it(writer: Writer) -> None:
    turn = Turn(writer)
    turn.call([system(LONG)], [user("a")])
    turn.call([system("other")], [user("a")])
    turn.call([system(LONG)], [user("a")])
    lost = next(s for s in writer.spans if s["name"] == "compose system")
    trail = read([s for s in writer.spans if s is not lost])
    gaps = trail.rebuild(3).gaps
    assert any(g.kind in ("base", "span") for g in gaps)
    row = writer.row(system(LONG))
    named = next(g for g in gaps if g.kind == "text")
    assert row.hash in named.what
    assert "records 2" in named.what


def test_a_lost_call_span_is_named_and_its_slots_are_still_there(writer: Writer) -> None:
    story(writer)
    lost = next(s for s in writer.spans if s["name"].startswith("chat") and at(s).endswith(".2"))
    trail = read([s for s in writer.spans if s is not lost])
    call = trail.call(2)
    assert not call.whole
    assert call.span_id == ""
    assert "its own record" in call.gaps[0].what
    assert trail.rows(call, "messages").known
    assert trail.turns[0].calls[1] is call
    later = trail.rebuild(3)
    assert [g.kind for g in later.gaps] == ["text"]
    assert f"first there in call {trail.calls[2].id}" in later.gaps[0].what


def test_a_turn_that_never_ended_is_open(writer: Writer) -> None:
    story(writer)
    trail = read(writer.spans[:-1])
    turn = trail.turns[0]
    assert turn.open
    assert turn.agent == "bot0"
    assert len(turn.calls) == 4
    assert trail.check(turn.ledgers[0]).state == "open"


def test_both_records_of_a_turn_may_be_lost(writer: Writer) -> None:
    story(writer)
    names = ("turn started", "invoke_agent bot0")
    trail = read([s for s in writer.spans if s["name"] not in names])
    assert [len(t.calls) for t in trail.turns] == [4]
    assert [len(t.tools) for t in trail.turns] == [3]
    assert trail.turns[0].id == ""
    assert "record 1 of ledger" in str(trail.turns[0].gaps[0])


def test_an_implicit_turn_is_closed_by_its_last_record(writer: Writer) -> None:
    turn = Turn(writer, implicit=True)
    turn.call([], [user("a")])
    assert read(writer.spans).turns[0].open
    turn.end()
    found = read(writer.spans).turns[0]
    assert found.implicit
    assert found.outcome == "completed"
    assert found.duration is not None


def test_a_changed_record_makes_its_ledger_inconsistent(writer: Writer) -> None:
    story(writer)
    for span in writer.spans:
        for event in span["events"]:
            for pair in event["attributes"]:
                if pair["key"] == "footprint.sources" and "messages" in span["name"]:
                    pair["value"] = {"stringValue": "base"}
    trail = read(writer.spans)
    check = trail.check(trail.turns[0].ledgers[0])
    assert check.state == "inconsistent"
    assert check.inconsistent
    assert any(g.kind == "digest" for g in trail.gaps)
    assert trail.rebuild(1).text is None


def test_missing_numbers_make_a_ledger_incomplete(writer: Writer) -> None:
    story(writer)
    trail = read([s for s in writer.spans if not s["name"].startswith("execute_tool")])
    check = trail.check(trail.turns[0].ledgers[0])
    assert check.state == "incomplete"
    assert len(check.missing) == 3


def test_earlier_traces_are_named_when_their_texts_are_not_here() -> None:
    first, second = Writer(1), Writer(2)
    turn = Turn(first, conversation="c")
    turn.call([system(LONG)], [user("a")])
    second.written, later = first.written, Turn(second, conversation="c")
    later.call([system(LONG)], [user("a"), user("b")])
    span = next(s for s in second.spans if s["name"] == "compose system")
    span["links"] = [{"traceId": first.trace, "spanId": turn.span_id, "attributes": [
        {"key": "footprint.link.type", "value": {"stringValue": "text"}}]}]  # fmt: skip
    alone = read(second.spans)
    gaps = alone.rebuild(alone.turns[0].calls[0]).gaps
    assert any(first.trace in g.what for g in gaps)
    both = read(first.spans + second.spans)
    assert all(both.rebuild(c).text is not None for c in both.calls)


@pytest.mark.parametrize("seed", range(3))
def test_cyclic_parents_do_no_harm(seed: int) -> None:
    writer = Writer(seed)
    story(writer)
    ids = [s["spanId"] for s in writer.spans]
    for span in writer.spans:
        span["parentSpanId"] = writer.random.choice(ids)
    trail = read(writer.spans)
    seen, stack = 0, list(trail.roots)
    while stack:
        node = stack.pop()
        seen += 1
        stack += node.children
    assert seen == 1 + 4 + 3


def test_hostile_numbers_do_no_harm(writer: Writer) -> None:
    turn = Turn(writer)
    turn.call([], [user("a"), user("b")])
    turn.call([], [user("b"), user("c")])
    for number in (-1, 10**30, 2**62, "x", None, True, 1.5):
        spans = copy.deepcopy(writer.spans)
        for span in spans:
            for holder in (span, *span["events"]):
                for pair in holder["attributes"]:
                    if "intValue" in pair["value"]:
                        pair["value"] = {"intValue": number}
                    elif "arrayValue" in pair["value"]:
                        for value in pair["value"]["arrayValue"]["values"]:
                            if "intValue" in value:
                                value["intValue"] = number
        trail = read(spans)
        for call in trail.calls:
            trail.rebuild(call)
        assert trail.gaps


def test_another_instrumentations_spans_are_kept_apart(writer: Writer) -> None:
    turn = Turn(writer)
    root = writer.span("GET /", scope="web")
    inner = writer.span("agent", root, scope="other")
    turn.parent = inner
    turn.call([], [user("a")], tools=[tool("look")], output=[assistant("b")])
    writer.span("POST", turn.span_id, scope="httpx")
    writer.tick()
    turn.tool("look", "c1", "{}", "x")
    turn.call([], [user("a"), assistant("b"), result("c1", "x")])
    turn.end()
    trail = read(writer.spans)
    (top,) = trail.roots
    assert getattr(top.item, "name", "") == "GET /"
    names = [type(n.item).__name__ for n in top.children[0].children[0].children]
    assert names == ["CallTrail", "Span", "ToolTrail", "CallTrail"]
    assert len(as_lines(writer.spans).splitlines()) == len(writer.spans)
