"""What is bounded: bytes of a session, of a span, of a request and of a trace's text; rows."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

import otel_footprint as footprint
from otel_footprint.records.digest import slot_digest
from otel_footprint.telemetry import names
from otel_footprint.telemetry.delivery import deliveries
from otel_footprint.telemetry.export import BoundedExporter
from tests.sdk import Server, chat, client

from . import kit
from .kit import Agent, Session

REQUEST_BYTES = 3_000_000


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session()
    yield made
    made.close()


def run(own: bool, calls: int, size: int = 900) -> dict[int, int]:
    """Bytes of all spans after so many calls of one growing dialogue."""
    made = Session(own=own)
    body: dict[str, Any] = {"model": "gpt-4o-mini", "tools": kit.TOOLS}
    messages: list[Any] = [{"role": "system", "content": kit.SYSTEM}]
    spans_at: dict[int, int] = {}
    with made.footprint.turn():
        for i in range(1, calls + 1):
            messages.append({"role": "user", "content": kit.prose(f"question {i}", size)})
            answer = kit.prose(f"answer {i}", size)
            made.footprint.record(
                "openai", "/v1/chat/completions", {**body, "messages": messages}, chat(answer)
            )
            messages.append({"role": "assistant", "content": answer})
            spans_at[i] = len(made.spans)
    made.close()
    sizes = kit.sizes(made.spans)
    assert max(sizes) <= 16_000
    return {n: sum(sizes[:at]) for n, at in spans_at.items()}


def exponent(bytes_at: dict[int, int], *at: int) -> float:
    """The largest growth exponent between neighbouring numbers of calls."""
    return max(
        math.log(bytes_at[b] / bytes_at[a]) / math.log(b / a) for a, b in itertools.pairwise(at)
    )


# --- bytes ---------------------------------------------------------------------------------


def test_bytes_of_a_session_grow_with_what_is_new() -> None:
    assert exponent(run(own=True, calls=200), 25, 50, 100, 200) <= 1.05


def test_bytes_stay_linear_where_text_is_restated() -> None:
    """With an exporter that is not ours: at most about twice what is new."""
    new, restated = run(own=True, calls=400), run(own=False, calls=400)
    assert all(restated[n] <= 2.1 * new[n] for n in new)
    assert restated[400] > 1.2 * new[400]


def test_text_of_a_span_is_bounded(session: Session) -> None:
    long = kit.prose("long", 100_000)
    foreign = Session(own=False)
    for each, text_bytes in ((session, 11_000), (foreign, 6_000)):
        agent = Agent(each.footprint, size=30_000)
        with each.footprint.turn():
            agent.say(long)
            agent.say("ü" * 50_000)
            agent.say("\U0001f4e6" * 20_000)
        for span in each.spans:
            texts = [t for e in span.events for t in (e.attributes or {}).get(names.TEXT, ())]
            assert sum(len(t.encode()) for t in texts) <= text_bytes
            assert all(len(t.encode()) <= 2_000 for t in texts)
        assert max(kit.sizes(each.spans)) <= 16_000
        trail = each.trail()
        for call, body in zip(trail.calls, agent.bodies, strict=True):
            kit.assert_rebuilt(trail, call, body)
    foreign.close()


class Requests(SpanExporter):
    """Remembers the bytes of each request."""

    def __init__(self) -> None:
        self.bytes: list[int] = []
        self.spans: list[Any] = []

    def export(self, spans: Any) -> SpanExportResult:
        self.bytes.append(encode_spans(spans).ByteSize())
        self.spans += spans
        return SpanExportResult.SUCCESS


def large_spans(own: bool) -> list[Any]:
    """512 spans, each as large as the library makes them."""
    made = Session(own=own)
    body = {"model": "m", "messages": [{"role": "user", "content": kit.prose("x", 2_900_000)}]}
    server = Server(chat())
    wrapped = made.footprint.wrap(client("openai", "OpenAI", server))
    with made.footprint.turn(content="full"):
        wrapped.chat.completions.create(**body)
    made.close()
    spans = [s for s in made.spans if s.name == "compose messages"]
    while len(spans) < 512:
        spans += spans[: 512 - len(spans)]
    return spans[:512]


def test_no_request_is_larger_than_three_megabytes() -> None:
    spans = large_spans(own=True)
    kept = Requests()
    assert BoundedExporter(kept).export(spans) is SpanExportResult.SUCCESS
    assert len(kept.spans) == 512
    assert len(kept.bytes) > 1
    assert max(kept.bytes) <= REQUEST_BYTES


def test_a_full_batch_of_a_foreign_exporter_is_below_four_megabytes() -> None:
    assert encode_spans(large_spans(own=False)).ByteSize() < 4_000_000


# --- rows ----------------------------------------------------------------------------------


def test_five_thousand_pieces_in_one_composition(session: Session) -> None:
    body, trail = many_pieces(session, 5_000)
    (call,) = trail.calls
    rows = trail.rows(call, "messages")
    assert len(rows.rows) == 5_000
    assert rows.known
    assert rows.proven
    kit.assert_rebuilt(trail, call, body)
    parts = [s for s in session.spans if s.name == "compose messages"]
    assert len(parts) > 40
    assert [s.attributes[names.PART] for s in parts] == list(range(1, len(parts) + 1))
    assert nothing_dropped(session.spans)
    assert max(kit.sizes(session.spans)) <= 16_000


def many_pieces(session: Session, count: int) -> tuple[bytes, Any]:
    server = Server(chat())
    wrapped = session.footprint.wrap(client("openai", "OpenAI", server))
    messages = [
        {"role": ("user", "assistant")[i % 2], "content": f"message {i}, which occurs once"}
        for i in range(count)
    ]
    with session.footprint.turn():
        wrapped.chat.completions.create(model="gpt-4o-mini", messages=messages, tools=kit.TOOLS)
    return server.bodies[0], session.trail()


def nothing_dropped(spans: list[Any]) -> bool:
    return not any(
        s.dropped_attributes
        or s.dropped_events
        or s.dropped_links
        or any(getattr(e.attributes, "dropped", 0) for e in s.events)
        for s in spans
    )


def limited(limits: SpanLimits) -> Session:
    made = Session()
    made.close()
    made.store = kit.Store()
    made.provider = TracerProvider(span_limits=limits)
    made.store.watch(made.provider)
    made.footprint = footprint.Footprint("agent", tracer_provider=made.provider, content="full")
    return made


def test_sdk_limits_cut_no_text() -> None:
    """OTEL_SPAN_EVENT_COUNT_LIMIT=8 and OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT=64, as an SDK reads."""
    made = limited(SpanLimits(max_events=8, max_attribute_length=64))
    agent = Agent(made.footprint, size=700)
    with made.footprint.turn():
        for _ in range(12):
            agent.say()
    for span in made.spans:
        for event in span.events:
            for values in (event.attributes or {}).values():
                for value in values if isinstance(values, tuple | list) else (values,):
                    assert not isinstance(value, str) or len(value) <= 64
    assert nothing_dropped(made.spans)
    trail = made.trail()
    assert len(trail.calls) == 12
    for call, body in zip(trail.calls, agent.bodies, strict=True):
        kit.assert_rebuilt(trail, call, body)
    made.close()


@pytest.mark.slow
def test_five_thousand_pieces_under_small_sdk_limits() -> None:
    made = limited(SpanLimits(max_events=8, max_attribute_length=64))
    body, trail = many_pieces(made, 5_000)
    (call,) = trail.calls
    rows = trail.rows(call, "messages").rows
    assert len([r for r in rows if r is not None]) == 5_000
    kit.assert_rebuilt(trail, call, body)
    made.close()


# --- text of a trace -----------------------------------------------------------------------


def test_text_beyond_the_bound_is_left_out_counted_and_named() -> None:
    made = Session(max_content_bytes=20_000)
    agent = Agent(made.footprint, size=1_500)
    with made.footprint.turn():
        for _ in range(12):
            agent.say()
    text = sum(
        len(t.encode())
        for s in made.spans
        for e in s.events
        for t in (e.attributes or {}).get(names.TEXT, ())
    )
    assert text <= 20_000
    left_out = sum(
        (e.attributes or {}).get(names.TEXT_LEFT_OUT, 0) for s in made.spans for e in s.events
    )
    assert left_out > 0
    trail = made.trail()
    done = []
    for call, body in zip(trail.calls, agent.bodies, strict=True):
        rows = trail.rows(call, "messages")
        assert rows.known, "hashes stay on the record"
        assert rows.proven
        done.append(kit.assert_whole_or_named(trail, call, body))
        if not done[-1]:
            gaps = trail.rebuild(call).gaps
            assert {g.kind for g in gaps} == {"content"}
            assert all("trace was full" in g.what for g in gaps)
    assert done[:3] == [True] * 3
    assert done[-3:] == [False] * 3
    made.close()


def test_a_text_that_was_left_out_is_not_taken_for_written() -> None:
    """The next trace of the conversation has room, and the text is written there."""
    made = Session(max_content_bytes=4_000, once="conversation")
    agent = Agent(made.footprint, size=100)
    long = kit.prose("long", 3_000)
    with made.footprint.turn(conversation="c"):
        agent.say(kit.prose("first", 2_500))
        agent.say(long)
    with made.footprint.turn(conversation="c"):
        agent.messages = agent.messages[:1]
        agent.say("And now?")
        agent.say(long)
    trail = made.trail()
    kit.assert_rebuilt(trail, trail.calls[3], agent.bodies[3])
    made.close()


def test_a_layout_that_found_no_room_is_said_once() -> None:
    made = Session(max_content_bytes=500)
    agent = Agent(made.footprint, metadata={"note": kit.prose("note", 5_000)})
    with made.footprint.turn():
        for _ in range(4):
            agent.say()
    layouts = [s for s in made.spans if s.name == "compose parameters"]
    assert len(layouts) == 1
    assert layouts[0].events[0].attributes[names.TEXT_LEFT_OUT] == 1
    made.close()


# --- spelling ------------------------------------------------------------------------------


def test_three_spellings_of_one_piece_are_each_exact(session: Session) -> None:
    """Two long strings in another order of keys: what refers to known strings refers rightly."""
    server = Server(chat())
    wrapped = session.footprint.wrap(client("openai", "OpenAI", server))
    a, b = kit.prose("name", 300), kit.prose("content", 300)
    spelled: list[Any] = [
        {"role": "user", "name": a, "content": b},
        {"role": "user", "content": b, "name": a},
        {"content": b, "role": "user", "name": a},
        {"name": a, "content": b, "role": "user"},
    ]
    with session.footprint.turn():
        for message in spelled:
            wrapped.chat.completions.create(model="gpt-4o-mini", messages=[message])
    trail = session.trail()
    for call, body in zip(trail.calls, server.bodies, strict=True):
        kit.assert_rebuilt(trail, call, body)
        assert trail.rebuild(call).text == body.decode()


def test_the_digest_of_nothing_is_what_readers_expect(session: Session) -> None:
    server = Server(chat())
    wrapped = session.footprint.wrap(client("openai", "OpenAI", server))
    with session.footprint.turn():
        wrapped.chat.completions.create(model="gpt-4o-mini", messages=[])
    (call,) = session.trail().calls
    assert call.slots["messages"].digest == slot_digest(())
    assert json.loads(session.trail().rebuild(call).text or "") == json.loads(server.bodies[0])


def test_an_exporter_of_ours_that_comes_later_is_seen() -> None:
    session = Session(own=False)
    core = session.footprint.core
    with session.footprint.turn():
        Agent(session.footprint).say()
    assert not core.bounds().own_exporter
    door = deliveries.open(session.provider)
    assert core.bounds().own_exporter
    door.close()
    session.close()
