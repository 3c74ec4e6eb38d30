"""What wraps keep: types, protocols, signatures, attributes of everything a caller gets."""

from __future__ import annotations

import asyncio
import copy
import functools
import inspect
import pickle
from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.errors import DeclarationError
from otel_footprint.telemetry import names
from tests.adapters.conftest import Recorded
from tests.sdk import Server, chat, client

from .helpers import KIND_IDS, KINDS, Model, close, of, read, user

HELLO = [user("Hello?")]


def both(recorded: Recorded, kind: tuple[str, bool], streamed: bool) -> tuple[Model, Model]:
    plain, wrapped = Model(kind), Model(kind)
    for model in (plain, wrapped):
        model.server.answers = [model.sse("one ", "two") if streamed else model.answer()]
    recorded.footprint.wrap(wrapped.client)
    return plain, wrapped


async def waited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def public(value: Any) -> set[str]:
    """Names of a value that a caller may use."""
    return {n for n in dir(value) if not n.startswith("_")}


@pytest.mark.parametrize("kind", KINDS, ids=KIND_IDS)
def test_a_wrapped_client_is_the_client(recorded: Recorded, kind: tuple[str, bool]) -> None:
    plain, wrapped = both(recorded, kind, False)
    one, two = plain.client, wrapped.client
    assert type(one) is type(two)
    assert public(one) == public(two)
    assert inspect.signature(one.request) == inspect.signature(two.request)
    assert inspect.iscoroutinefunction(one.request) == inspect.iscoroutinefunction(two.request)
    assert inspect.iscoroutinefunction(two.request) is kind[1]
    assert inspect.signature(plain.create) == inspect.signature(wrapped.create)
    assert inspect.getdoc(one.copy) == inspect.getdoc(two.copy)
    assert two.request.__name__ == "request"
    assert "footprint" not in repr(two)


@pytest.mark.parametrize("kind", KINDS, ids=KIND_IDS)
async def test_a_result_is_equal_in_value_type_and_copies(
    recorded: Recorded, kind: tuple[str, bool]
) -> None:
    plain, wrapped = both(recorded, kind, False)
    one, two = await plain.call(HELLO), await wrapped.call(HELLO)
    assert type(one) is type(two)
    assert one == two
    assert public(one) == public(two)
    assert one.to_json() == two.to_json()
    assert copy.copy(two) == one
    assert copy.deepcopy(two) == one
    assert pickle.loads(pickle.dumps(two)) == one
    assert one._request_id == two._request_id


@pytest.mark.parametrize("kind", KINDS, ids=KIND_IDS)
async def test_a_stream_keeps_its_protocols(recorded: Recorded, kind: tuple[str, bool]) -> None:
    plain, wrapped = both(recorded, kind, True)
    one = await plain.call(HELLO, stream=True)
    two = await wrapped.call(HELLO, stream=True)
    assert type(one) is type(two)
    assert public(one) == public(two)
    assert type(one.response) is type(two.response)
    assert public(one.response) == public(two.response)
    assert dict(one.response.headers) == dict(two.response.headers)
    if kind[1]:
        async with two as entered:
            assert entered is two
            found = [event async for event in two]
    else:
        with two as entered:
            assert entered is two
            found = list(two)
    assert found == await read(one)
    assert {n for n in vars(one.response) if "iter" in n or "close" in n} == {
        n for n in vars(two.response) if "iter" in n or "close" in n
    }


@pytest.mark.parametrize("kind", KINDS, ids=KIND_IDS)
@pytest.mark.parametrize("streamed", [False, True])
async def test_raw_responses_parse_and_have_headers(
    recorded: Recorded, kind: tuple[str, bool], streamed: bool
) -> None:
    found = []
    for model in both(recorded, kind, streamed):
        more = {"stream": True} if streamed else {}
        resource = model.create.__self__
        raw = await waited(resource.with_raw_response.create(**model.request(HELLO), **more))
        parsed = await waited(raw.parse())
        value = await read(parsed) if streamed else parsed
        found.append((type(raw), raw.status_code, dict(raw.headers), type(parsed), value))
        assert public(raw)
    assert found[0] == found[1]
    assert len(recorded.calls) == 1


@pytest.mark.parametrize("kind", KINDS, ids=KIND_IDS)
async def test_streaming_responses_are_read_in_every_way(
    recorded: Recorded, kind: tuple[str, bool]
) -> None:
    for how in ("read", "iter_bytes", "iter_text", "iter_lines", "json", "parse"):
        found = []
        for model in both(recorded, kind, False):
            manager = model.create.__self__.with_streaming_response.create(**model.request(HELLO))
            if kind[1]:
                async with manager as response:
                    value = getattr(response, how)()
                    value = await value if inspect.isawaitable(value) else await read(value)
            else:
                with manager as response:
                    value = getattr(response, how)()
                    value = list(value) if inspect.isgenerator(value) else value
            found.append(value)
        assert found[0] == found[1]
    assert len(recorded.calls) == 6
    assert {of(c, names.OUTPUT_STATE) for c in recorded.calls} == {None}


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_helpers_of_the_anthropic_client_work(recorded: Recorded, asynchronous: bool) -> None:
    finals = []
    for model in both(recorded, ("anthropic", asynchronous), True):
        manager = model.client.messages.stream(**model.request(HELLO))
        if asynchronous:
            async with manager as stream:
                text = "".join([t async for t in stream.text_stream])
                finals.append((type(stream), text, await stream.get_final_message()))
        else:
            with manager as stream:
                text = "".join(stream.text_stream)
                finals.append((type(stream), text, stream.get_final_message()))
    assert finals[0] == finals[1]
    assert finals[0][1] == "one two"
    assert len(recorded.calls) == 1


@pytest.mark.parametrize("kind", KINDS, ids=KIND_IDS)
async def test_errors_are_the_clients_own(recorded: Recorded, kind: tuple[str, bool]) -> None:
    found: list[Any] = []
    for wrap in (False, True):
        model = Model(kind, (400, {"error": {"message": "bad", "type": "invalid", "code": "x"}}))
        if wrap:
            recorded.footprint.wrap(model.client)
        with pytest.raises(Exception, match="bad") as raised:
            await model.call(HELLO)
        error: Any = raised.value
        found.append((type(error), str(error), error.status_code, error.body, error.__cause__))
    assert found[0] == found[1]


def test_a_wrapped_function_keeps_name_signature_and_kind(recorded: Recorded) -> None:
    def plain(a: int, *, b: str = "x") -> int:
        """Says a."""
        return a

    async def later(a: int) -> int:
        return a

    class Tool:
        def method(self, a: int) -> int:
            return a

        def __call__(self, a: int) -> int:
            return a

    for wrap in (recorded.footprint.tool, recorded.footprint.wrap):
        one: Any = wrap(plain)
        assert inspect.signature(one) == inspect.signature(plain)
        assert (one.__name__, one.__doc__, one.__wrapped__) == ("plain", "Says a.", plain)
        assert inspect.isfunction(plain)
        assert callable(one)
        two: Any = wrap(later)
        assert inspect.iscoroutinefunction(two)
        assert asyncio.run(two(1)) == 1
        assert wrap(Tool().method)(2) == 2
        assert wrap(Tool())(3) == 3
        assert wrap(functools.partial(plain, b="y"))(4) == 4
        assert wrap(len)([1]) == 1


def test_a_decorated_method_gets_its_object(recorded: Recorded) -> None:
    class Agent:
        @recorded.footprint.tool
        def look(self, what: str) -> tuple[Any, str]:
            return self, what

        @classmethod
        @recorded.footprint.tool
        def make(cls) -> Any:
            return cls

        @staticmethod
        @recorded.footprint.tool
        def add(a: int, b: int) -> int:
            return a + b

    agent = Agent()
    with recorded.footprint.turn():
        assert agent.look("x") == (agent, "x")
        assert Agent.make() is Agent
        assert Agent.add(1, 2) == 3
    assert len(recorded.recording.named(names.SPAN_TOOL)) == 3


@pytest.mark.parametrize("kind", ["generator", "async generator"])
async def test_a_generator_function_stays_one(recorded: Recorded, kind: str) -> None:
    def numbers() -> Any:
        got = yield 1
        yield got
        return 3

    async def numbers_async() -> Any:
        got = yield 1
        yield got

    if kind == "generator":
        wrapped: Any = recorded.footprint.wrap(numbers)
        assert inspect.isgeneratorfunction(wrapped)
        made = wrapped()
        assert inspect.isgenerator(made)
        assert (next(made), made.send(2)) == (1, 2)
        with pytest.raises(StopIteration) as stopped:
            next(made)
        assert stopped.value.value == 3
    else:
        wrapped = recorded.footprint.wrap(numbers_async)
        assert inspect.isasyncgenfunction(wrapped)
        made = wrapped()
        assert inspect.isasyncgen(made)
        assert await anext(made) == 1
        assert await made.asend(2) == 2
        await made.aclose()


def test_wrapping_twice_records_once(recorded: Recorded) -> None:
    model = Model(("openai", False))
    assert recorded.footprint.wrap(recorded.footprint.wrap(model.client)) is model.client
    model.call_now(HELLO)
    assert len(recorded.calls) == 1
    tool = recorded.footprint.tool(recorded.footprint.tool(lambda: 1, name="one"), name="one")
    with recorded.footprint.turn():
        assert tool() == 1
    assert len(recorded.recording.named(names.SPAN_TOOL)) == 1


def test_a_subclass_of_a_client_is_recorded_once(recorded: Recorded) -> None:
    import openai

    class Mine(openai.OpenAI):
        def request(self, *args: Any, **kwargs: Any) -> Any:
            return super().request(*args, **kwargs)

    base = client("openai", "OpenAI", Server(chat()))
    mine = Mine(api_key="sk-test", base_url="http://local.test/v1", http_client=base._client)
    recorded.footprint.wrap(mine)
    assert mine.chat.completions.create(model="gpt-4o-mini", messages=HELLO).id
    assert len(recorded.calls) == 1


@pytest.mark.parametrize("target", [1, None, "client", object(), [], {}])
def test_what_cannot_be_wrapped_is_refused_where_it_is_declared(target: Any) -> None:
    with pytest.raises(DeclarationError, match="target="):
        footprint.Footprint().wrap(target)


async def test_closing_a_client_closes_it(recorded: Recorded) -> None:
    for kind in KINDS:
        _, wrapped = both(recorded, kind, False)
        await close(wrapped.client)
        assert wrapped.client.is_closed()
