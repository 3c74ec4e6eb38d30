"""Streams left early, cancelled, never read: every call is recorded, and nothing is kept alive."""

from __future__ import annotations

import asyncio
import gc
import json
import weakref
from typing import Any

import pytest

from otel_footprint.telemetry import names
from tests.adapters.conftest import Recorded
from tests.sdk import http_module

from .helpers import KIND_IDS, KINDS, Logged, Model, close, of, outcome, settle, trail_of, user

WORDS = ["word "] * 40
HELLO = [user("Hello?")]
SYNC = [k for k in KINDS if not k[1]]
SYNC_IDS = [i for k, i in zip(KINDS, KIND_IDS, strict=True) if not k[1]]


def model_of(recorded: Recorded, kind: tuple[str, bool]) -> Model:
    model = Model(kind)
    model.server.answers = [model.sse(*WORDS)]
    recorded.footprint.wrap(model.client)
    return model


async def next_of(stream: Any) -> Any:
    return await anext(aiter(stream)) if hasattr(stream, "__aiter__") else next(iter(stream))


@pytest.mark.parametrize("kind", KINDS, ids=KIND_IDS)
@pytest.mark.parametrize("how", ["break", "with", "close", "twice", "never", "never closed"])
async def test_a_stream_left_early_is_one_cut_call(
    recorded: Recorded, logged: Logged, kind: tuple[str, bool], how: str
) -> None:
    model = model_of(recorded, kind)
    stream = await model.call(HELLO, stream=True)
    if how == "break":
        await next_of(stream)
        await close(stream)
    elif how == "with":
        if kind[1]:
            async with stream:
                await next_of(stream)
        else:
            with stream:
                await next_of(stream)
    elif how == "close":
        await close(stream)
    elif how == "twice":
        await next_of(stream)
        await close(stream)
        await close(stream)
    elif how == "never closed":
        await next_of(stream)
    del stream
    await settle()
    (call,) = recorded.calls
    assert of(call, names.OUTPUT_STATE) == "cut"
    assert call.end_time is not None
    assert logged.messages == []
    trail = trail_of(recorded)
    assert (trail.rebuild(trail.calls[0]).text or "").encode() == model.server.bodies[0]


@pytest.mark.parametrize("package", ["openai", "anthropic"])
async def test_an_agent_that_times_out_leaves_a_cancelled_turn(
    recorded: Recorded, logged: Logged, package: str
) -> None:
    model = model_of(recorded, (package, True))

    async def agent() -> None:
        async with recorded.footprint.turn("Hello?"):
            stream = await model.call(HELLO, stream=True)
            async for _ in stream:
                await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(agent(), 0.01)
    await settle()
    (turn,) = trail_of(recorded).turns
    assert turn.outcome == "cancelled"
    (call,) = recorded.calls
    assert of(call, names.OUTPUT_STATE) == "cut"
    assert logged.messages == []


@pytest.mark.parametrize("package", ["openai", "anthropic"])
async def test_a_call_cancelled_while_it_waits_is_recorded_as_failed(
    recorded: Recorded, package: str
) -> None:
    model = Model((package, True))
    recorded.footprint.wrap(model.client)
    started = asyncio.Event()

    async def hang(*_a: Any, **_k: Any) -> Any:
        started.set()
        await asyncio.Event().wait()

    model.client._client.send = hang
    task = asyncio.create_task(model.call(HELLO))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (call,) = recorded.calls
    assert of(call, names.ERROR_TYPE) == "CancelledError"
    assert of(call, names.OUTPUT_STATE) == "unread"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit, ValueError])
@pytest.mark.parametrize("asynchronous", [False, True])
async def test_what_a_tool_raises_is_raised_and_recorded(
    recorded: Recorded, error: type[BaseException], asynchronous: bool
) -> None:
    raised = error("secret")

    @recorded.footprint.tool
    def work() -> None:
        raise raised

    @recorded.footprint.tool(name="work")
    async def work_async() -> None:
        raise raised

    run = (lambda: work_async().send(None)) if asynchronous else work
    with pytest.raises(error) as found, recorded.footprint.turn("Hello?"):
        run()
    assert found.value is raised
    (tool,) = recorded.recording.named(names.SPAN_TOOL)
    assert of(tool, names.ERROR_TYPE) == error.__name__
    assert tool.events == ()
    (turn,) = trail_of(recorded).turns
    assert turn.outcome == ("cancelled" if error is GeneratorExit else "error")


@pytest.mark.parametrize("kind", SYNC, ids=SYNC_IDS)
def test_an_interrupt_while_reading_passes_and_the_call_is_cut(
    recorded: Recorded, kind: tuple[str, bool]
) -> None:
    model = model_of(recorded, kind)
    stream = model.call_now(HELLO, stream=True)

    def read() -> None:
        for _ in stream:
            raise KeyboardInterrupt

    assert outcome(read)[0] == "KeyboardInterrupt"
    stream.close()
    (call,) = recorded.calls
    assert of(call, names.OUTPUT_STATE) == "cut"


class Broken:
    """A body that breaks after its first bytes."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __iter__(self) -> Any:
        for data in self.inner:
            yield data
            raise OSError("gone")

    def close(self) -> None:
        self.inner.close()


@pytest.mark.parametrize("kind", SYNC, ids=SYNC_IDS)
def test_a_connection_that_breaks_inside_a_stream_raises_the_same(
    recorded: Recorded, kind: tuple[str, bool]
) -> None:
    found = []
    for wrap in (False, True):
        model = Model(kind)
        model.server.answers = [model.sse(*WORDS)]
        if wrap:
            recorded.footprint.wrap(model.client)
        http = http_module(kind[0])

        class Body(Broken, http.SyncByteStream):
            pass

        send = model.client._client._transport.handle_request

        def handle(request: Any, send: Any = send, body: Any = Body) -> Any:
            response = send(request)
            response.stream = body(response.stream)
            return response

        model.client._client._transport.handle_request = handle
        stream = model.call_now(HELLO, stream=True)
        found.append(outcome(lambda stream=stream: list(stream)))
    assert found[0] == found[1]
    assert found[0][0] == "OSError"
    (call,) = recorded.calls
    assert of(call, names.OUTPUT_STATE) == "cut"
    assert of(call, names.ERROR_TYPE) == "OSError"


class BrokenAsync(Broken):
    """The same of an async client."""

    async def __aiter__(self) -> Any:
        async for data in self.inner:
            yield data
            await asyncio.sleep(0)
            raise OSError("gone")

    async def aclose(self) -> None:
        await self.inner.aclose()


async def test_a_connection_that_breaks_while_it_is_awaited_is_an_error(recorded: Recorded) -> None:
    model = model_of(recorded, ("openai", True))
    http = http_module("openai")
    send = model.client._client._transport.handle_async_request

    class Body(BrokenAsync, http.AsyncByteStream):
        pass

    async def handle(request: Any) -> Any:
        response = await send(request)
        response.stream = Body(response.stream)
        return response

    model.client._client._transport.handle_async_request = handle
    with pytest.raises(OSError, match="gone"):
        async for _ in await model.call(HELLO, stream=True):
            pass
    (call,) = recorded.calls
    assert (of(call, names.OUTPUT_STATE), of(call, names.ERROR_TYPE)) == ("cut", "OSError")


@pytest.mark.parametrize("kind", KINDS, ids=KIND_IDS)
@pytest.mark.parametrize("said", ["overloaded_error", "AKIAIOSFODNN7EXAMPLE", "two words"])
async def test_an_error_that_the_provider_sends_inside_a_stream_is_the_calls(
    make: Any, kind: tuple[str, bool], said: str
) -> None:
    recorded = make(content="redacted")
    model = Model(kind)
    started = model.sse(*WORDS).split("\n\n")[:6]
    error = json.dumps({"type": "error", "error": {"type": said, "message": "Overloaded"}})
    model.server.answers = ["\n\n".join([*started, f"event: error\ndata: {error}", ""]) + "\n"]
    recorded.footprint.wrap(model.client)

    async def read() -> None:
        if kind[1]:
            _ = [event async for event in await model.call(HELLO, stream=True)]
        else:
            _ = list(model.call_now(HELLO, stream=True))

    with pytest.raises(Exception, match=r"Overloaded|error"):
        await read()
    await settle()
    (call,) = recorded.calls
    shown = {"AKIAIOSFODNN7EXAMPLE": "[redacted:api_key]", "two words": "error"}.get(said, said)
    assert (of(call, names.OUTPUT_STATE), of(call, names.ERROR_TYPE)) == ("cut", shown)
    assert call.status.status_code.name == "ERROR"


def test_the_record_of_a_request_is_written_before_the_call(recorded: Recorded) -> None:
    model = Model(("openai", False))
    recorded.footprint.wrap(model.client)
    seen: list[list[str]] = []
    send = model.client._client.send

    def sending(*args: Any, **kwargs: Any) -> Any:
        seen.append([s.name for s in recorded.recording.spans])
        return send(*args, **kwargs)

    model.client._client.send = sending
    model.call_now(HELLO)
    assert [n for n in seen[0] if n.startswith("compose")] == [
        "compose system",
        "compose messages",
        "compose tools",
        "compose parameters",
    ]


@pytest.mark.parametrize("kind", KINDS, ids=KIND_IDS)
@pytest.mark.parametrize("streamed", [False, True])
async def test_nothing_of_a_call_is_kept_alive_after_it(
    recorded: Recorded, kind: tuple[str, bool], streamed: bool
) -> None:
    model = model_of(recorded, kind)
    if not streamed:
        model.server.answers = [model.answer()]
    more = {"stream": True} if streamed else {}
    found = await model.call(HELLO, **more)
    refs = [weakref.ref(found), weakref.ref(model.client)]
    if streamed:
        refs.append(weakref.ref(found.response))
        await close(found)
    del found, model
    gc.collect()
    assert [r() for r in refs] == [None] * len(refs)


def test_closing_after_the_end_changes_nothing(recorded: Recorded) -> None:
    model = model_of(recorded, ("openai", False))
    stream = model.call_now(HELLO, stream=True)
    assert len(list(stream)) == 43
    before = dict(recorded.calls[0].attributes or {})
    stream.close()
    assert dict(recorded.calls[0].attributes or {}) == before
    assert len(recorded.calls) == 1
    assert of(recorded.calls[0], names.OUTPUT_STATE) is None
