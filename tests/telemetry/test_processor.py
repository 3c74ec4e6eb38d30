"""Our span processor finds the inference span that starts under our call, and no other span."""

from __future__ import annotations

import pytest
from opentelemetry.context import attach, detach, get_current
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import SpanKind

from otel_footprint.telemetry import guard, names
from otel_footprint.telemetry.context import CALL_KEY, with_call
from otel_footprint.telemetry.processor import FootprintSpanProcessor


class Call:
    def __init__(self, call_id="l.1"):
        self.call_id = call_id
        self.adopted = False
        self.spans = []

    def adopt(self, span):
        self.spans.append(span)


@pytest.fixture
def provider():
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(FootprintSpanProcessor())
    return provider


CLIENT, INTERNAL = SpanKind.CLIENT, SpanKind.INTERNAL


@pytest.mark.parametrize(
    ("scope", "kind", "attributes", "found"),
    [
        ("any", CLIENT, {"gen_ai.operation.name": "chat"}, True),
        ("any", INTERNAL, {"gen_ai.operation.name": "generate_content"}, True),
        ("any", CLIENT, {"gen_ai.operation.name": "embeddings"}, False),
        ("any", INTERNAL, {"gen_ai.operation.name": "execute_tool"}, False),
        ("any", CLIENT, {"gen_ai.request.model": "m"}, True),
        ("any", INTERNAL, {"gen_ai.request.model": "m"}, False),
        ("any", INTERNAL, {"gen_ai.system": "openai"}, True),
        ("any", CLIENT, {"llm.request.type": "chat"}, True),
        ("any", CLIENT, {"llm.request.type": "embedding"}, False),
        ("opentelemetry.instrumentation.openai.v1.responses_wrappers", CLIENT, {}, True),
        ("opentelemetry.instrumentation.openai.v1", INTERNAL, {}, False),
        ("opentelemetry.instrumentation.httpx", CLIENT, {}, False),
        ("opentelemetry.instrumentation.httpx", CLIENT, {"http.request.method": "POST"}, False),
        (names.SCOPE, CLIENT, {"gen_ai.operation.name": "chat"}, False),
    ],
)
def test_which_spans_are_taken(provider, scope, kind, attributes, found):
    call = Call()
    span = provider.get_tracer(scope).start_span("s", with_call(call), kind, attributes)
    assert call.adopted == found
    assert call.spans == ([span] if found else [])
    assert (span.attributes.get(names.CALL_ID) == "l.1") == found


def test_the_first_is_adopted_and_each_is_stamped(provider):
    call = Call()
    tracer = provider.get_tracer("any")
    token = attach(with_call(call))
    try:
        assert get_current()[CALL_KEY] is call
        with tracer.start_as_current_span("outer", attributes={"gen_ai.system": "x"}) as outer:
            inner = tracer.start_span("inner", attributes={"gen_ai.operation.name": "chat"})
    finally:
        detach(token)
    assert call.spans == [outer]
    assert outer.attributes[names.CALL_ID] == inner.attributes[names.CALL_ID] == "l.1"
    assert CALL_KEY not in get_current()


def test_a_call_that_was_adopted_before_adopts_no_more(provider):
    call = Call()
    call.adopted = True
    provider.get_tracer("a").start_span("s", with_call(call), CLIENT, {"gen_ai.system": "x"})
    assert not call.spans


def test_without_a_call_nothing_happens(provider):
    span = provider.get_tracer("a").start_span("s", None, CLIENT, {"gen_ai.system": "x"})
    assert names.CALL_ID not in span.attributes


def test_an_unsampled_span_is_left_alone():
    provider = TracerProvider(sampler=ALWAYS_OFF, shutdown_on_exit=False)
    provider.add_span_processor(FootprintSpanProcessor())
    call = Call()
    provider.get_tracer("a").start_span("s", with_call(call), CLIENT, {"gen_ai.system": "x"})
    assert not call.adopted


def test_a_failure_while_adopting_reaches_nobody(provider):
    guard.set_raising(False)

    class Broken(Call):
        def adopt(self, span):
            raise RuntimeError

    span = provider.get_tracer("a").start_span(
        "s", with_call(Broken()), CLIENT, {"gen_ai.system": "x"}
    )
    assert span.is_recording()
    assert guard.take_failures() == 1


def test_flush_is_true(provider):
    assert provider.force_flush()
