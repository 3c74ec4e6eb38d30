"""Anthropic clients under another instrumentation, under their own tracing, and under both."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from importlib.metadata import version
from typing import Any

import pytest

from otel_footprint.telemetry import names
from tests.adapters.test_clients import ANTHROPIC
from tests.sdk import Server, client, message

from .peers import PEERS, Peer, Together, check, same, scope, together, warnings_of

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:coroutine 'AsyncAPIResponse.parse':RuntimeWarning"),
]
PEERS_HERE = [p for p in PEERS if p.package == "anthropic"]
OPENLLMETRY = PEERS_HERE[1]
TRACES_ITSELF = int(version("anthropic").split(".")[0]) >= 2
EVENTS: list[dict[str, Any]] = [
    {"type": "message_start", "message": {**message(), "content": [], "stop_reason": None}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    *(
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": f"word{i} "},
        }
        for i in range(30)
    ),
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 5},
    },
    {"type": "message_stop"},
]
SSE = "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in EVENTS)


def left(c: Any) -> Any:
    stream = c.messages.create(stream=True, **ANTHROPIC)
    first = next(iter(stream))
    stream.close()
    return first


def helper(c: Any) -> Any:
    with c.messages.stream(**ANTHROPIC) as stream:
        return stream.get_final_message()


def helper_left(c: Any) -> Any:
    with c.messages.stream(**ANTHROPIC) as stream:
        return next(iter(stream))


SYNC: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "create": (lambda c: c.messages.create(**ANTHROPIC), message()),
    "beta": (lambda c: c.beta.messages.create(**ANTHROPIC), message()),
    "stream": (lambda c: list(c.messages.create(stream=True, **ANTHROPIC)), SSE),
    "stream left": (left, SSE),
    "helper": (helper, SSE),
    "helper left": (helper_left, SSE),
    "raw": (lambda c: c.messages.with_raw_response.create(**ANTHROPIC).parse(), message()),
}


async def _create(c: Any) -> Any:
    return await c.messages.create(**ANTHROPIC)


async def _stream(c: Any) -> Any:
    return [e async for e in await c.messages.create(stream=True, **ANTHROPIC)]


async def _left(c: Any) -> Any:
    stream = await c.messages.create(stream=True, **ANTHROPIC)
    first = await anext(aiter(stream))
    await stream.close()
    return first


async def _helper(c: Any) -> Any:
    async with c.messages.stream(**ANTHROPIC) as stream:
        return await stream.get_final_message()


async def _raw(c: Any) -> Any:
    parsed = (await c.messages.with_raw_response.create(**ANTHROPIC)).parse()
    return await parsed if inspect.isawaitable(parsed) else parsed


ASYNC: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "create": (_create, message()),
    "stream": (_stream, SSE),
    "stream left": (_left, SSE),
    "helper": (_helper, SSE),
    "raw": (_raw, message()),
}


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    """What a client that nobody instruments returns."""
    return {
        how: run(client("anthropic", "Anthropic", Server(answer)))
        for how, (run, answer) in SYNC.items()
    }


@pytest.fixture(params=PEERS_HERE, ids=[p.name for p in PEERS_HERE])
def both(request: pytest.FixtureRequest, order: str) -> Iterator[Together]:
    peer: Peer = request.param
    peer.make()
    with together(peer, order, peer.package) as made:
        yield made


@pytest.fixture
def native() -> Iterator[Together]:
    if not TRACES_ITSELF:
        pytest.skip("this version of the SDK has no tracing of its own")
    with together(None, "them first", "anthropic") as made:
        yield made


def check_left_open(made: Together) -> None:
    """This peer never ends the span of a stream left early; our own records are whole."""
    made.footprint.flush()
    assert made.inference == []
    (record,) = [s for s in made.ours if s.name == names.SPAN_CALL_RECORD]
    assert record.attributes[names.OUTPUT_STATE] == "cut"
    assert names.DIGEST in record.attributes


def tracing(made: Together) -> dict[str, Any]:
    return {"open_telemetry": {"tracer_provider": made.recording.tracer_provider}}


@pytest.mark.parametrize("how", SYNC)
def test_one_inference_span_a_call(
    plain: dict[str, Any],
    both: Together,
    how: str,
    turn: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    run, answer = SYNC[how]
    wrapped = both.footprint.wrap(client("anthropic", "Anthropic", Server(answer)))
    with both.footprint.turn("Hello?") if turn else nullcontext():
        found = run(wrapped)
    assert same(found, plain[how])
    if both.peer is OPENLLMETRY and "left" in how:
        check_left_open(both)
    else:
        check(both)
    assert warnings_of(caplog.records) == []


@pytest.mark.parametrize("how", ASYNC)
async def test_one_inference_span_an_async_call(
    plain: dict[str, Any],
    both: Together,
    how: str,
    turn: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    run, answer = ASYNC[how]
    wrapped = both.footprint.wrap(client("anthropic", "AsyncAnthropic", Server(answer)))
    if turn:
        async with both.footprint.turn("Hello?"):
            found = await run(wrapped)
    else:
        found = await run(wrapped)
    assert same(found, plain[how])
    if both.peer is OPENLLMETRY and "left" in how:
        check_left_open(both)
    else:
        check(both)
    assert warnings_of(caplog.records) == []


@pytest.mark.parametrize("how", SYNC)
def test_the_clients_own_tracing_has_the_inference_span(
    plain: dict[str, Any],
    native: Together,
    how: str,
    turn: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    run, answer = SYNC[how]
    wrapped = native.footprint.wrap(
        client("anthropic", "Anthropic", Server(answer), **tracing(native))
    )
    with native.footprint.turn("Hello?") if turn else nullcontext():
        found = run(wrapped)
    assert same(found, plain[how])
    check(native)
    assert warnings_of(caplog.records) == []


@pytest.mark.parametrize("how", ASYNC)
async def test_an_async_clients_own_tracing_has_the_inference_span(
    plain: dict[str, Any],
    native: Together,
    how: str,
    turn: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    run, answer = ASYNC[how]
    wrapped = native.footprint.wrap(
        client("anthropic", "AsyncAnthropic", Server(answer), **tracing(native))
    )
    if turn:
        async with native.footprint.turn("Hello?"):
            found = await run(wrapped)
    else:
        found = await run(wrapped)
    assert same(found, plain[how])
    check(native)
    assert warnings_of(caplog.records) == []


def test_tracing_that_is_switched_off_leaves_the_span_to_us(native: Together) -> None:
    wrapped = native.footprint.wrap(
        client("anthropic", "Anthropic", Server(message()), open_telemetry=False)
    )
    wrapped.messages.create(**ANTHROPIC)
    check(native, foreign=False)


def test_tracing_that_goes_elsewhere_leaves_the_span_to_us(native: Together) -> None:
    """The client's tracer has no provider: its spans record nothing."""
    wrapped = native.footprint.wrap(
        client("anthropic", "Anthropic", Server(message()), open_telemetry={"traces": True})
    )
    wrapped.messages.create(**ANTHROPIC)
    check(native, foreign=False)


def test_a_peer_over_the_clients_own_tracing_adds_no_third_span(both: Together) -> None:
    """Two inference spans are the peer's and the SDK's; both carry the call's id, one the rest."""
    if not TRACES_ITSELF:
        pytest.skip("this version of the SDK has no tracing of its own")
    wrapped = both.footprint.wrap(
        client("anthropic", "Anthropic", Server(message()), **tracing(both))
    )
    with both.footprint.turn("Hello?"):
        wrapped.messages.create(**ANTHROPIC)
    found = both.inference
    assert names.SCOPE not in {scope(s) for s in found}
    assert len({s.attributes[names.CALL_ID] for s in found}) == 1
    assert len([s for s in found if names.MESSAGES_USED in s.attributes]) == 1
    assert len([s for s in both.ours if s.name == names.SPAN_CALL_RECORD]) == 1


def test_an_error_is_the_clients_own_and_on_one_span(
    both: Together, turn: bool, caplog: pytest.LogCaptureFixture
) -> None:
    import anthropic

    error = {"type": "error", "error": {"type": "not_found_error", "message": "no such model"}}
    wrapped = both.footprint.wrap(client("anthropic", "Anthropic", Server((404, error))))
    with (
        both.footprint.turn("Hello?") if turn else nullcontext(),
        pytest.raises(anthropic.NotFoundError, match="no such model"),
    ):
        wrapped.messages.create(**ANTHROPIC)
    check(both)
    assert warnings_of(caplog.records) == []


@pytest.mark.parametrize("first", ["peer", "us"])
def test_taking_either_out_leaves_a_working_client(both: Together, first: str) -> None:
    wrapped = both.footprint.wrap(client("anthropic", "Anthropic", Server(message())))
    wrapped.messages.create(**ANTHROPIC)
    both.recording.exporter.clear()
    (both.stop_peer if first == "peer" else both.stop_us)()
    assert wrapped.messages.create(**ANTHROPIC).content[0].text == "hello"
    if first == "peer":
        check(both, foreign=False, composed=False)
    else:
        assert both.ours == []
        assert len(both.inference) == 1
    both.recording.exporter.clear()
    both.stop_peer()
    both.stop_us()
    assert wrapped.messages.create(**ANTHROPIC).content[0].text == "hello"
    assert both.spans == []
