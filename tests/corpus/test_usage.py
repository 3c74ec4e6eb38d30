"""Token counts are the provider's or absent: never added twice, never guessed, never NaN."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_footprint.telemetry import guard, names
from tests.adapters.conftest import Recorded
from tests.sdk import chat

from .helpers import (
    KIND_IDS,
    KINDS,
    Model,
    anthropic_sse,
    assert_rebuilt,
    of,
    outcome_async,
    read,
    user,
)

HELLO = [user("Hello?")]
NAMES = (
    names.INPUT_TOKENS, names.OUTPUT_TOKENS, names.CACHE_READ_TOKENS, names.CACHE_WRITE_TOKENS,
    names.REASONING_TOKENS,
)  # fmt: skip
NOTHING = (None, None, None, None, None)


def usage_of(call: Any) -> tuple[Any, ...]:
    return tuple(of(call, name) for name in NAMES)


OPENAI = {
    "plain": ({"prompt_tokens": 10, "completion_tokens": 5}, (10, 5, None, None, None)),
    "cached": (
        {
            "prompt_tokens": 100,
            "completion_tokens": 5,
            "prompt_tokens_details": {"cached_tokens": 80},
            "completion_tokens_details": {"reasoning_tokens": 3},
        },
        (100, 5, 80, None, 3),
    ),
    "more cached than all": (
        {
            "prompt_tokens": 10,
            "completion_tokens": 5,
            "prompt_tokens_details": {"cached_tokens": 80},
        },
        (10, 5, 80, None, None),
    ),
    "zero": ({"prompt_tokens": 0, "completion_tokens": 0}, (0, 0, None, None, None)),
    "null": (None, NOTHING),
    "empty": ({}, NOTHING),
    "nulls": ({"prompt_tokens": None, "completion_tokens": None}, NOTHING),
    "negative": ({"prompt_tokens": -1, "completion_tokens": -5}, NOTHING),
    "not whole": ({"prompt_tokens": 1.5, "completion_tokens": "7"}, NOTHING),
    "whole floats": ({"prompt_tokens": 10.0, "completion_tokens": 5.0}, (10, 5, None, None, None)),
    "bools": ({"prompt_tokens": True, "completion_tokens": False}, NOTHING),
    "a list": ([], NOTHING),
}


@pytest.mark.parametrize("name", OPENAI)
def test_openai_usage_is_what_was_reported(recorded: Recorded, name: str) -> None:
    usage, expected = OPENAI[name]
    model = Model(("openai", False), chat(usage=usage))
    recorded.footprint.wrap(model.client)
    model.call_now(HELLO)
    (call,) = recorded.calls
    assert usage_of(call) == expected


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e999", str(2**70)])
def test_a_count_that_is_no_number_does_no_harm(recorded: Recorded, text: str) -> None:
    body = json.dumps(chat(usage={"prompt_tokens": 0.25, "completion_tokens": 5}))
    model = Model(("openai", False))
    model.server.answers = [body.replace("0.25", text)]
    sending = model.client._client._transport.handle_request

    def handle(request: Any) -> Any:
        response = sending(request)
        response.headers["content-type"] = "application/json"
        return response

    model.client._client._transport.handle_request = handle
    recorded.footprint.wrap(model.client)
    model.call_now(HELLO)
    (call,) = recorded.calls
    assert of(call, names.OUTPUT_TOKENS) == 5
    found = of(call, names.INPUT_TOKENS)
    assert found is None or -(2**63) <= found < 2**63
    guard.take_failures()


ANTHROPIC = {
    "plain": ({"input_tokens": 10, "output_tokens": 5}, (10, 5, None, None, None)),
    "cached": (
        {
            "input_tokens": 10,
            "output_tokens": 5,
            "cache_read_input_tokens": 80,
            "cache_creation_input_tokens": 7,
        },
        (97, 5, 80, 7, None),
    ),
    "null caches": (
        {
            "input_tokens": 10,
            "output_tokens": 5,
            "cache_read_input_tokens": None,
            "cache_creation_input_tokens": None,
        },
        (10, 5, None, None, None),
    ),
    "no input": ({"output_tokens": 5}, (None, 5, None, None, None)),
    "empty": ({}, NOTHING),
    "negative": ({"input_tokens": -1, "output_tokens": -2}, NOTHING),
}


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("name", ANTHROPIC)
def test_anthropic_input_includes_what_was_cached(
    recorded: Recorded, name: str, streamed: bool
) -> None:
    usage, expected = ANTHROPIC[name]
    model = Model(("anthropic", False))
    if streamed:
        model.server.answers = [anthropic_sse("one", usage=usage)]
        expected = (expected[0], 5, *expected[2:])
    else:
        model.server.answers = [{**model.answer(), "usage": usage}]
    recorded.footprint.wrap(model.client)
    if streamed:
        list(model.call_now(HELLO, stream=True))
    else:
        model.call_now(HELLO)
    (call,) = recorded.calls
    assert usage_of(call) == expected


def test_usage_of_an_openai_stream_stands_in_its_last_chunk_or_nowhere(recorded: Recorded) -> None:
    model = Model(("openai", False))
    whole = model.sse("one")
    without = "".join(e for e in whole.splitlines(keepends=True) if "prompt_tokens" not in e)
    model.server.answers = [whole, without]
    recorded.footprint.wrap(model.client)
    for _ in range(2):
        list(model.call_now(HELLO, stream=True))
    assert [usage_of(c)[:2] for c in recorded.calls] == [(10, 5), (None, None)]


@pytest.mark.parametrize("kind", KINDS, ids=KIND_IDS)
@pytest.mark.parametrize("streamed", [False, True])
async def test_tokens_stand_on_the_call_and_on_no_parent(
    recorded: Recorded, kind: tuple[str, bool], streamed: bool
) -> None:
    model = Model(kind)
    model.server.answers = [model.sse("one") if streamed else model.answer()]
    recorded.footprint.wrap(model.client)

    async def call() -> None:
        found = await model.call(HELLO, **({"stream": True} if streamed else {}))
        if streamed:
            await read(found)

    with recorded.footprint.turn("Hello?"):
        await call()
        await call()
    counted = [s for s in recorded.recording.spans if any(of(s, n) is not None for n in NAMES)]
    assert [s.name.split()[0] for s in counted] == ["chat", "chat"]


@pytest.mark.parametrize("kind", KINDS, ids=KIND_IDS)
async def test_a_failed_call_has_no_tokens(recorded: Recorded, kind: tuple[str, bool]) -> None:
    model = Model(kind, (429, {"error": {"message": "slow down", "type": "rate_limit"}}))
    recorded.footprint.wrap(model.client)
    found = await outcome_async(lambda: model.call(HELLO))
    assert found[0] == "RateLimitError"
    (call,) = recorded.calls
    assert usage_of(call) == NOTHING
    assert of(call, names.ERROR_TYPE) == "RateLimitError"


def test_numbers_beyond_64_bits_are_left_out(recorded: Recorded) -> None:
    model = Model(("openai", False))
    recorded.footprint.wrap(model.client)
    model.call_now(HELLO, seed=2**70, max_tokens=-(2**70), n=1)
    (call,) = recorded.calls
    assert of(call, names.REQUEST_SEED) is None
    assert of(call, names.REQUEST_MAX_TOKENS) is None
    assert of(call, names.REQUEST_CHOICES) == 1
    assert_rebuilt(recorded, model.server.bodies)


def test_an_estimate_has_a_name_and_a_method_of_its_own(recorded: Recorded) -> None:
    model = Model(("openai", False), chat(usage=None))
    recorded.footprint.wrap(model.client)
    model.call_now([user("word " * 400)], model="unheard-of")
    (call,) = recorded.calls
    assert usage_of(call) == NOTHING
    assert of(call, names.WINDOW_TOKENS) > 100
    assert of(call, names.WINDOW_METHOD)


def test_a_model_that_only_the_path_names_is_on_the_record(recorded: Recorded) -> None:
    path = "/v1beta/models/gemini-2.0-flash:generateContent"
    body = {"contents": [{"role": "user", "parts": [{"text": "Hello?"}]}]}
    recorded.footprint.record("gcp.gemini", path, body)
    (call,) = recorded.calls
    assert call.name == "chat gemini-2.0-flash"
    assert (call.attributes or {})[names.REQUEST_MODEL] == "gemini-2.0-flash"
