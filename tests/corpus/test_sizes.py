"""Many pieces, large ones, small limits: nothing is lost silently, and nothing is corrupt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from opentelemetry import trace

from otel_footprint.telemetry import names
from tests.adapters.conftest import Recorded
from tests.sdk import chat

from .helpers import PACKAGES, Model, assert_rebuilt, of, trail_of, user

PATH = "/v1/chat/completions"


def longest(value: Any) -> int:
    """UTF-8 bytes of the longest string in an attribute."""
    if isinstance(value, str):
        return len(value.encode())
    return max((longest(v) for v in value), default=0) if isinstance(value, tuple) else 0


def assert_within(recorded: Recorded, strings: int = 2000, span: int = 16_000) -> None:
    """Every string and every span is as small as was promised; the SDK dropped nothing."""
    for found in recorded.recording.spans:
        events = [e.attributes or {} for e in found.events]
        values = [*(found.attributes or {}).values(), *(v for e in events for v in e.values())]
        assert max(map(longest, values), default=0) <= strings
        assert len(found.to_json(indent=None)) <= 2 * span
        assert (found.dropped_attributes, found.dropped_events, found.dropped_links) == (0, 0, 0)
        assert len(found.attributes or {}) <= 128
        assert len(found.events) <= 128


@pytest.mark.parametrize("number", [0, 1, 127, 128, 129, 500, 5000])
@pytest.mark.parametrize("package", PACKAGES)
def test_every_piece_is_on_the_trail(recorded: Recorded, package: str, number: int) -> None:
    model = Model((package, False))
    recorded.footprint.wrap(model.client)
    messages = [user(f"Message {n} of many, each with some words in it.") for n in range(number)]
    model.call_now(messages)
    assert_within(recorded)
    trail = assert_rebuilt(recorded, model.server.bodies)
    (call,) = trail.calls
    assert len(trail.rows(call, "messages").rows) == number
    assert of(recorded.calls[0], names.SLOT_PIECES) == f"0,{number},0"
    assert trail.gaps == ()


@pytest.mark.parametrize("slot", ["system", "tools", "output"])
def test_other_slots_hold_many_pieces_too(recorded: Recorded, slot: str) -> None:
    body: dict[str, Any] = {"model": "m", "messages": [user("Hello?")]}
    answer = chat()
    if slot == "system":
        body["messages"] = [{"role": "system", "content": f"Rule {n}."} for n in range(500)]
    elif slot == "tools":
        function = {"description": "Looks. " * 20, "parameters": {"type": "object"}}
        body["tools"] = [
            {"type": "function", "function": {"name": f"look{n}", **function}} for n in range(500)
        ]
    else:
        choice = answer["choices"][0]
        answer["choices"] = [
            {**choice, "index": n, "message": {"role": "assistant", "content": f"Answer {n}."}}
            for n in range(300)
        ]
    recorded.footprint.record("openai", PATH, body, answer)
    assert_within(recorded)
    trail = trail_of(recorded)
    (call,) = trail.calls
    found = call.output if slot == "output" else trail.rows(call, slot).rows
    assert len(found) == {"system": 500, "tools": 500, "output": 300}[slot]
    assert trail.gaps == ()
    assert trail.rebuild(call).proof.level == "json"


@pytest.mark.parametrize("text", ["ascii text ", "日本語のテキスト", "👩‍👩‍👧 "])
def test_one_piece_of_ten_megabytes(make: Callable[..., Recorded], text: str) -> None:
    recorded = make(max_content_bytes=20_000_000)
    model = Model(("openai", False))
    recorded.footprint.wrap(model.client)
    whole = text * (10_000_000 // len(text.encode()))
    model.call_now([user(whole)])
    assert_within(recorded)
    assert_rebuilt(recorded, model.server.bodies)


def test_text_beyond_the_bound_of_a_trace_is_left_out_and_counted(recorded: Recorded) -> None:
    model = Model(("openai", False))
    recorded.footprint.wrap(model.client)
    with recorded.footprint.turn():
        model.call_now([user("x" * 4_000_000)])
        model.call_now([user("x" * 4_000_000), user("short")])
    left_out = [
        e.attributes[names.TEXT_LEFT_OUT]
        for s in recorded.recording.spans
        for e in s.events
        if e.attributes and names.TEXT_LEFT_OUT in e.attributes
    ]
    assert left_out == [1]
    assert sum(len(s.to_json()) for s in recorded.recording.spans) < 100_000
    trail = trail_of(recorded)
    for call in trail.calls:
        rebuilt = trail.rebuild(call)
        assert rebuilt.text is None
        assert len(rebuilt.gaps) == 1
    assert [r.size for r in trail.rows(trail.calls[1], "messages").rows if r] == [4_000_000, 5]


def run_of(recorded: Recorded, number: int) -> int:
    """Bytes of a run whose history grows by two messages a call."""
    messages: list[Any] = [{"role": "system", "content": "Be brief. " * 50}, user("Question?")]
    with recorded.footprint.turn("Question?"):
        for step in range(number):
            recorded.footprint.record("openai", PATH, {"model": "m", "messages": messages}, chat())
            call = {
                "id": f"c{step}",
                "type": "function",
                "function": {"name": "look", "arguments": "{}"},
            }
            result = f"Result {step}: " + "some words " * 30
            messages += [
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": f"c{step}", "content": result},
            ]
    trail = trail_of(recorded)
    assert trail.rebuild(trail.calls[-1]).proof.level == "json"
    return sum(len(s.to_json(indent=None)) for s in recorded.recording.spans)


def test_a_run_costs_bytes_in_line_with_what_is_new(make: Callable[..., Recorded]) -> None:
    fifty, hundred, two_hundred = (run_of(make(), n) for n in (50, 100, 200))
    slope = (hundred - fifty) / 50
    assert two_hundred - hundred <= 1.15 * slope * 100
    assert two_hundred < 200 * 6_000


@pytest.mark.parametrize(
    "limits",
    [
        {"OTEL_SPAN_EVENT_COUNT_LIMIT": "8"},
        {"OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT": "64"},
        {"OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT": "64"},
        {"OTEL_SPAN_LINK_COUNT_LIMIT": "1", "OTEL_SPAN_EVENT_COUNT_LIMIT": "1"},
        {"OTEL_SPAN_EVENT_COUNT_LIMIT": "8", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT": "64"},
    ],
    ids=lambda limits: ",".join(f"{k[5:]}={v}" for k, v in limits.items()),
)
@pytest.mark.parametrize("package", PACKAGES)
def test_small_limits_are_respected_and_the_request_is_still_rebuilt(
    make: Callable[..., Recorded],
    monkeypatch: pytest.MonkeyPatch,
    limits: dict[str, str],
    package: str,
) -> None:
    for name, value in limits.items():
        monkeypatch.setenv(name, value)
    recorded = make()
    model = Model((package, False))
    recorded.footprint.wrap(model.client)
    messages = [user(f"Message {n} " + "with many words in it " * 20) for n in range(50)]
    with recorded.footprint.turn("Hello, " * 30):
        for number in (30, 40, 50):
            model.call_now(messages[:number], system="Be brief. " * 40)
    trail = assert_rebuilt(recorded, model.server.bodies)
    assert trail.gaps == ()
    (turn,) = trail.turns
    assert trail.check(turn.ledgers[0]).state == "complete"


@pytest.mark.parametrize("number", [100, 120, 128])
@pytest.mark.parametrize("how", ["current", "inside"])
def test_a_foreign_span_keeps_its_own_attributes(recorded: Recorded, number: int, how: str) -> None:
    tracer = recorded.recording.tracer_provider.get_tracer("other")
    model = Model(("openai", False))
    recorded.footprint.wrap(model.client)
    own = {"gen_ai.operation.name": "chat", **{f"own.{n}": n for n in range(number - 1)}}
    with recorded.footprint.turn():
        if how == "current":
            with tracer.start_as_current_span("chat m", kind=trace.SpanKind.CLIENT, attributes=own):
                model.call_now([user("Hello?")])
        else:
            sending = model.client._client._transport.handle_request

            def handle(request: Any) -> Any:
                with tracer.start_as_current_span("other", attributes=own):
                    return sending(request)

            model.client._client._transport.handle_request = handle
            model.call_now([user("Hello?")])
    (foreign,) = [s for s in recorded.recording.spans if of(s, "own.0") == 0]
    found = foreign.attributes or {}
    assert {k: found.get(k) for k in own} == own
    assert foreign.dropped_attributes == 0
    assert not any(n in found for n in (names.INPUT_TOKENS, names.OUTPUT_TOKENS))
    assert_rebuilt(recorded, model.server.bodies)


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("inside", [True, False])
def test_a_message_changed_in_place_is_seen(recorded: Recorded, package: str, inside: bool) -> None:
    model = Model((package, False))
    recorded.footprint.wrap(model.client)
    first: dict[str, Any] = user([{"type": "text", "text": "before"}])
    messages: list[Any] = [first, {"role": "assistant", "content": "hello"}, user("And?")]

    def run() -> None:
        model.call_now(messages)
        first["content"][0]["text"] = "after"
        model.call_now(messages)
        messages[2]["content"] = "Changed?"
        model.call_now(messages)
        del messages[1]
        model.call_now(messages)
        messages.insert(0, user("inserted"))
        model.call_now(messages)
        messages.reverse()
        model.call_now(messages)

    if inside:
        with recorded.footprint.turn():
            run()
    else:
        run()
    bodies = {bytes(b) for b in model.server.bodies}
    trail = trail_of(recorded)
    assert {(trail.rebuild(c).text or "").encode() for c in trail.calls} == bodies
    assert len(bodies) == 6


def test_ordered_and_default_dictionaries_changed_in_place_are_seen(recorded: Recorded) -> None:
    import collections

    message: Any = collections.OrderedDict(role="user", content=[{"type": "text", "text": "one"}])
    body = {"model": "m", "messages": [message, ({"role": "user", "content": "tuple"},)]}
    with recorded.footprint.turn():
        recorded.footprint.record("openai", PATH, body, chat())
        message["content"][0]["text"] = "two"
        recorded.footprint.record("openai", PATH, body, chat())
        body["messages"][1][0]["content"] = "changed"
        recorded.footprint.record("openai", PATH, body, chat())
    trail = trail_of(recorded)
    texts = [trail.rebuild(c).text or "" for c in trail.calls]
    assert ["one" in t for t in texts] == [True, False, False]
    assert ["changed" in t for t in texts] == [False, False, True]


def test_media_is_recorded_by_size_and_hash(recorded: Recorded) -> None:
    import base64

    data = base64.b64encode(b"\x89PNG" + b"\x00" * 3_000_000).decode()
    url = f"data:image/png;base64,{data}"
    model = Model(("openai", False))
    recorded.footprint.wrap(model.client)
    model.call_now([user([{"type": "image_url", "image_url": {"url": url}}])])
    assert sum(len(s.to_json()) for s in recorded.recording.spans) < 20_000
    trail = trail_of(recorded)
    (row,) = trail.rows(trail.calls[0], "messages").rows
    assert row is not None
    assert [m.size for m in row.media] == [3_000_004]
    assert [g.kind for g in trail.rebuild(trail.calls[0]).gaps] == ["media"]
