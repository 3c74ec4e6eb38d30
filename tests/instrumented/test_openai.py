"""OpenAI clients under another instrumentation and us: one inference span a call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from otel_footprint.telemetry import names
from tests.adapters.test_clients import OPENAI, RESPONSE
from tests.sdk import Server, chat, chat_sse, client

from .peers import PEERS, Peer, Together, check, same, together, warnings_of

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
PEERS_HERE = [p for p in PEERS if p.package == "openai"]
OPENLLMETRY = PEERS_HERE[1]
WORDS = [f"word{i} " for i in range(40)]
ASK: dict[str, Any] = {"model": "gpt-4o-mini", "instructions": "Be brief.", "input": "Hello?"}


def response_events() -> str:
    import json

    message = RESPONSE["output"][0]
    part = message["content"][0]
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    events: list[dict[str, Any]] = [
        {
            "type": "response.created",
            "response": {**RESPONSE, "output": [], "status": "in_progress", "usage": None},
        },
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": {**message, "content": [], "status": "in_progress"},
        },
        {"type": "response.content_part.added", **place, "part": {**part, "text": ""}},
        {"type": "response.output_text.delta", **place, "delta": "hello", "logprobs": []},
        {"type": "response.output_text.done", **place, "text": "hello", "logprobs": []},
        {"type": "response.content_part.done", **place, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": message},
        {"type": "response.completed", "response": RESPONSE},
    ]
    return "".join(
        f"event: {e['type']}\ndata: {json.dumps({**e, 'sequence_number': i})}\n\n"
        for i, e in enumerate(events)
    )


def read(stream: Any) -> list[Any]:
    return list(stream)


async def read_async(stream: Any) -> list[Any]:
    return [chunk async for chunk in stream]


def leave(stream: Any) -> Any:
    first = next(iter(stream))
    stream.close()
    return first


async def leave_async(stream: Any) -> Any:
    first = await anext(aiter(stream))
    await stream.close()
    return first


def parse(c: Any) -> Any:
    completions = c.chat.completions
    return getattr(completions, "parse", c.beta.chat.completions.parse)(**OPENAI)


def helper(c: Any) -> Any:
    if not hasattr(c.chat.completions, "stream"):
        pytest.skip("this SDK has no chat.completions.stream")
    with c.chat.completions.stream(**OPENAI) as stream:
        return stream.get_final_completion()


def raw(c: Any) -> Any:
    return c.chat.completions.with_raw_response.create(**OPENAI).parse()


def raw_stream(c: Any) -> Any:
    return read(c.chat.completions.with_raw_response.create(stream=True, **OPENAI).parse())


def streaming_response(c: Any) -> Any:
    with c.chat.completions.with_streaming_response.create(**OPENAI) as response:
        return response.parse()


SYNC: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "create": (lambda c: c.chat.completions.create(**OPENAI), chat()),
    "parse": (parse, chat()),
    "stream": (lambda c: read(c.chat.completions.create(stream=True, **OPENAI)), None),
    "stream left": (lambda c: leave(c.chat.completions.create(stream=True, **OPENAI)), None),
    "helper": (helper, None),
    "raw": (raw, chat()),
    "raw stream": (raw_stream, None),
    "streaming response": (streaming_response, chat()),
    "responses": (lambda c: c.responses.create(**ASK), RESPONSE),
    "responses stream": (lambda c: read(c.responses.create(stream=True, **ASK)), "events"),
    "responses stream left": (lambda c: leave(c.responses.create(stream=True, **ASK)), "events"),
    "responses raw": (lambda c: c.responses.with_raw_response.create(**ASK).parse(), RESPONSE),
}


async def _create(c: Any) -> Any:
    return await c.chat.completions.create(**OPENAI)


async def _stream(c: Any) -> Any:
    return await read_async(await c.chat.completions.create(stream=True, **OPENAI))


async def _leave(c: Any) -> Any:
    return await leave_async(await c.chat.completions.create(stream=True, **OPENAI))


async def _raw(c: Any) -> Any:
    return (await c.chat.completions.with_raw_response.create(**OPENAI)).parse()


async def _responses(c: Any) -> Any:
    return await c.responses.create(**ASK)


async def _responses_stream(c: Any) -> Any:
    return await read_async(await c.responses.create(stream=True, **ASK))


ASYNC: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "create": (_create, chat()),
    "stream": (_stream, None),
    "stream left": (_leave, None),
    "raw": (_raw, chat()),
    "responses": (_responses, RESPONSE),
    "responses stream": (_responses_stream, "events"),
}


def server(answer: Any) -> Server:
    if answer is None:
        return Server(chat_sse(*WORDS))
    return Server(response_events() if answer == "events" else answer)


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    """What a client that nobody instruments returns."""
    out = {}
    for how, (run, answer) in SYNC.items():
        try:
            out[how] = run(client("openai", "OpenAI", server(answer)))
        except pytest.skip.Exception:
            continue
    return out


@pytest.fixture(params=PEERS_HERE, ids=[p.name for p in PEERS_HERE])
def both(request: pytest.FixtureRequest, order: str) -> Iterator[Together]:
    peer: Peer = request.param
    peer.make()
    with together(peer, order, peer.package) as made:
        yield made


@pytest.mark.parametrize("how", SYNC)
def test_one_inference_span_a_call(
    plain: dict[str, Any], both: Together, how: str, turn: bool, caplog: pytest.LogCaptureFixture
) -> None:
    run, answer = SYNC[how]
    wrapped = both.footprint.wrap(client("openai", "OpenAI", server(answer)))
    with both.footprint.turn("Hello?") if turn else nullcontext():
        found = run(wrapped)
    assert same(found, plain[how])
    check(both)
    assert warnings_of(caplog.records) == []


@pytest.mark.parametrize("how", ASYNC)
async def test_one_inference_span_an_async_call(
    plain: dict[str, Any], both: Together, how: str, turn: bool, caplog: pytest.LogCaptureFixture
) -> None:
    run, answer = ASYNC[how]
    wrapped = both.footprint.wrap(client("openai", "AsyncOpenAI", server(answer)))
    if turn:
        async with both.footprint.turn("Hello?"):
            found = await run(wrapped)
    else:
        found = await run(wrapped)
    assert same(found, plain[how])
    check(both)
    assert warnings_of(caplog.records) == []


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_an_error_is_the_clients_own_and_on_one_span(
    both: Together, api: str, turn: bool, caplog: pytest.LogCaptureFixture
) -> None:
    import openai

    error = {"error": {"message": "no such model", "type": "invalid_request_error"}}
    wrapped = both.footprint.wrap(client("openai", "OpenAI", Server((404, error))))
    run = SYNC["create" if api == "chat" else "responses"][0]
    with (
        both.footprint.turn("Hello?") if turn else nullcontext(),
        pytest.raises(openai.NotFoundError, match="no such model"),
    ):
        run(wrapped)
    check(both)
    assert warnings_of(caplog.records) == []


def test_calls_of_a_conversation_each_have_their_own(both: Together) -> None:
    """Three calls, alternating APIs, in one turn: no call takes another's span."""
    replies = [chat(), {**RESPONSE, "id": "resp_2"}, chat_sse("one")]
    wrapped = both.footprint.wrap(client("openai", "OpenAI", Server(*replies)))
    with both.footprint.turn("Hello?"):
        wrapped.chat.completions.create(**OPENAI)
        wrapped.responses.create(**ASK)
        read(wrapped.chat.completions.create(stream=True, **OPENAI))
    check(both, calls=3)


async def test_parallel_calls_each_have_their_own(both: Together) -> None:
    def responses(name: str) -> Server:
        return Server({**RESPONSE, "id": f"resp_{name}"})

    made = [
        both.footprint.wrap(client("openai", "AsyncOpenAI", responses(str(i)))) for i in range(5)
    ]
    async with both.footprint.turn("Hello?"):
        await asyncio.gather(*(c.responses.create(**ASK) for c in made[:3]))
        await asyncio.gather(*(_responses_stream_of(c) for c in made[3:]))
    check(both, calls=5)


async def _responses_stream_of(c: Any) -> Any:
    return await c.responses.create(**ASK)


def test_a_response_that_the_peer_leaves_out_has_our_span(order: str) -> None:
    """OpenLLMetry writes no span for a response that is not completed."""
    peer = OPENLLMETRY
    peer.make()
    body = {**RESPONSE, "status": "incomplete", "incomplete_details": {"reason": "content_filter"}}
    with together(peer, order, "openai") as made:
        wrapped = made.footprint.wrap(client("openai", "OpenAI", Server(body)))
        with made.footprint.turn("Hello?"):
            wrapped.responses.create(**ASK)
        made.footprint.flush()
        (span,) = made.inference
    assert span.attributes[names.INPUT_TOKENS] == 10
    assert span.attributes[names.MESSAGES_USED] == len("Hello?")
    assert span.start_time < span.end_time


@pytest.mark.parametrize("first", ["peer", "us"])
def test_taking_either_out_leaves_a_working_client(both: Together, first: str) -> None:
    stays = both.peer is OPENLLMETRY  # its uninstrument finds none of its wraps
    wrapped = both.footprint.wrap(client("openai", "OpenAI", Server(chat())))
    wrapped.chat.completions.create(**OPENAI)
    both.recording.exporter.clear()
    (both.stop_peer if first == "peer" else both.stop_us)()
    if first == "peer":
        both.footprint.wrap(wrapped)
    assert wrapped.chat.completions.create(**OPENAI).choices[0].message.content == "hello"
    if first == "peer":
        check(both, foreign=stays, composed=stays)
    else:
        assert both.ours == []
        assert len(both.inference) == 1
    both.stop_peer()
    both.stop_us()
    both.recording.exporter.clear()
    assert wrapped.chat.completions.create(**OPENAI).choices[0].message.content == "hello"
    assert len(both.spans) == stays
