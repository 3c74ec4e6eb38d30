"""Real OpenAI and Anthropic clients: every way to call is recorded, and returns what it returns."""

from __future__ import annotations

import asyncio
import copy
import gc
import inspect
import json
from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.telemetry import names
from tests.sdk import Server, chat, chat_sse, client, http_module, message

from .conftest import Recorded

MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hello?"},
]
OPENAI: dict[str, Any] = {"model": "gpt-4o-mini", "messages": MESSAGES}
ANTHROPIC: dict[str, Any] = {
    "model": "claude-test-1",
    "max_tokens": 10,
    "system": "Be brief.",
    "messages": [{"role": "user", "content": "Hello?"}],
}
RESPONSE: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": "gpt-4o-mini",
    "output": [
        {
            "type": "message",
            "id": "msg_1",
            "status": "completed",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "hello", "annotations": []}],
        }
    ],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "status": "completed",
    "usage": {
        "input_tokens": 10,
        "output_tokens": 5,
        "total_tokens": 15,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    },
}


def of(call: Any, name: str) -> Any:
    return call.attributes.get(name)


def output_text(call: Any) -> str:
    (event,) = [e for e in call.events if e.name == names.EVENT_OUTPUT]
    return "".join(event.attributes[names.TEXT])


def both(recorded: Recorded, package: str, cls: str, answer: Any) -> tuple[Any, Any]:
    """An unwrapped and a wrapped client with the same answers."""
    plain = client(package, cls, Server(answer))
    return plain, recorded.footprint.wrap(client(package, cls, Server(answer)))


def test_wrapping_a_client_keeps_the_object_and_its_methods(recorded: Recorded) -> None:
    plain = client("openai", "OpenAI", Server(chat()))
    before = inspect.signature(plain.chat.completions.create)
    wrapped = recorded.footprint.wrap(plain)
    assert wrapped is plain
    assert inspect.signature(wrapped.chat.completions.create) == before
    assert inspect.signature(type(plain).copy) == inspect.signature(plain.with_options.__func__)


@pytest.mark.parametrize("package", ["openai", "anthropic"])
def test_a_call_returns_what_the_unwrapped_client_returns(recorded: Recorded, package: str) -> None:
    cls, answer = ("OpenAI", chat()) if package == "openai" else ("Anthropic", message())
    plain, wrapped = both(recorded, package, cls, answer)
    run = (
        (lambda c: c.chat.completions.create(**OPENAI))
        if package == "openai"
        else (lambda c: c.messages.create(**ANTHROPIC))
    )
    expected, found = run(plain), run(wrapped)
    assert type(found) is type(expected)
    assert found == expected
    (call,) = recorded.calls
    assert of(call, names.INPUT_TOKENS) == (10 if package == "openai" else 13)
    assert of(call, names.SYSTEM_USED) == len("Be brief.")
    assert of(call, names.MESSAGES_USED) == len("Hello?")
    assert "hello" in output_text(call)


async def test_async_clients_are_recorded(recorded: Recorded) -> None:
    one = recorded.footprint.wrap(client("openai", "AsyncOpenAI", Server(chat())))
    two = recorded.footprint.wrap(client("anthropic", "AsyncAnthropic", Server(message())))
    async with recorded.footprint.turn("Hello?"):
        await asyncio.gather(
            one.chat.completions.create(**OPENAI), two.messages.create(**ANTHROPIC)
        )
    assert sorted(of(c, names.PROVIDER) for c in recorded.calls) == ["anthropic", "openai"]


def test_copies_of_a_client_stay_wrapped(recorded: Recorded) -> None:
    wrapped = recorded.footprint.wrap(client("openai", "OpenAI", Server(chat())))
    for made in (wrapped.with_options(timeout=3), wrapped.copy(), copy.copy(wrapped)):
        made.chat.completions.create(**OPENAI)
    assert len(recorded.calls) == 3


def test_a_client_that_nobody_wrapped_is_not_recorded(recorded: Recorded) -> None:
    recorded.footprint.wrap(client("openai", "OpenAI", Server(chat())))
    client("openai", "OpenAI", Server(chat())).chat.completions.create(**OPENAI)
    assert recorded.recording.spans == []


@pytest.mark.parametrize("cls", ["AzureOpenAI"])
def test_azure_clients_are_recorded_under_their_own_provider(recorded: Recorded, cls: str) -> None:
    wrapped = recorded.footprint.wrap(
        client(
            "openai",
            cls,
            Server(chat()),
            api_version="2024-06-01",
            azure_endpoint="http://local.test",
            base_url=None,
        )
    )
    wrapped.chat.completions.create(**OPENAI)
    assert of(recorded.calls[0], names.PROVIDER) == "azure.ai.openai"


def test_a_stream_is_assembled_at_its_end(recorded: Recorded) -> None:
    plain, wrapped = both(recorded, "openai", "OpenAI", chat_sse("one ", "two"))
    expected = list(plain.chat.completions.create(stream=True, **OPENAI))
    stream = wrapped.chat.completions.create(stream=True, **OPENAI)
    assert type(stream).__name__ == "Stream"
    assert list(stream) == expected
    (call,) = recorded.calls
    assert "one two" in output_text(call)
    assert of(call, names.CHUNKS) == 5
    assert of(call, names.TIME_TO_FIRST_CHUNK) >= 0
    assert of(call, names.OUTPUT_STATE) is None


@pytest.mark.parametrize("how", ["close", "with", "drop", "never"])
def test_a_stream_left_early_is_cut(recorded: Recorded, how: str) -> None:
    wrapped = recorded.footprint.wrap(client("openai", "OpenAI", Server(chat_sse(*["word "] * 40))))
    stream = wrapped.chat.completions.create(stream=True, **OPENAI)
    if how != "never":
        next(iter(stream))
        next(iter(stream))
    if how == "close":
        stream.close()
    elif how == "with":
        with stream:
            pass
    del stream
    gc.collect()
    (call,) = recorded.calls
    assert of(call, names.OUTPUT_STATE) == "cut"


async def test_a_cancelled_stream_is_cut(recorded: Recorded) -> None:
    wrapped = recorded.footprint.wrap(
        client("openai", "AsyncOpenAI", Server(chat_sse(*["word "] * 40)))
    )
    stream = await wrapped.chat.completions.create(stream=True, **OPENAI)

    async def read() -> None:
        async for _ in stream:
            await asyncio.Event().wait()

    task = asyncio.create_task(read())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await stream.close()
    (call,) = recorded.calls
    assert of(call, names.OUTPUT_STATE) == "cut"


def test_raw_and_streaming_responses_keep_their_types(recorded: Recorded) -> None:
    plain, wrapped = both(recorded, "openai", "OpenAI", chat())
    expected = plain.chat.completions.with_raw_response.create(**OPENAI)
    raw = wrapped.chat.completions.with_raw_response.create(**OPENAI)
    assert type(raw) is type(expected)
    assert raw.parse() == expected.parse()
    with (
        recorded.footprint.turn(),
        wrapped.chat.completions.with_streaming_response.create(**OPENAI) as response,
    ):
        assert response.parse() == expected.parse()
    assert ["hello" in output_text(c) for c in recorded.calls] == [True, True]


def test_a_raw_response_of_a_stream_is_assembled(recorded: Recorded) -> None:
    wrapped = recorded.footprint.wrap(client("openai", "OpenAI", Server(chat_sse("one"))))
    raw = wrapped.chat.completions.with_raw_response.create(stream=True, **OPENAI)
    assert raw.headers["content-type"] == "text/event-stream"
    list(raw.parse())
    assert "one" in output_text(recorded.calls[0])


def test_parse_and_stream_helpers_are_recorded_once(recorded: Recorded) -> None:
    wrapped = recorded.footprint.wrap(client("openai", "OpenAI", Server(chat())))
    parse = (
        wrapped.chat.completions.parse
        if hasattr(wrapped.chat.completions, "parse")
        else wrapped.beta.chat.completions.parse
    )
    assert parse(**OPENAI).choices[0].message.content == "hello"
    streaming = recorded.footprint.wrap(client("openai", "OpenAI", Server(chat_sse("one"))))
    with streaming.chat.completions.stream(**OPENAI) as stream:
        assert stream.get_final_completion().choices[0].message.content == "one"
    assert len(recorded.calls) == 2


def test_responses_are_recorded_and_say_what_they_cannot_see(recorded: Recorded) -> None:
    wrapped = recorded.footprint.wrap(client("openai", "OpenAI", Server(RESPONSE)))
    wrapped.responses.create(model="gpt-4o-mini", instructions="Be brief.", input="Hello?")
    wrapped.responses.create(model="gpt-4o-mini", input="And?", previous_response_id="resp_1")
    first, second = recorded.calls
    assert of(first, names.SYSTEM_USED) == len("Be brief.")
    assert "hello" in output_text(first)
    assert of(first, names.COMPLETENESS) is None
    assert of(second, names.COMPLETENESS) == "request_only"


def test_anthropic_beta_and_streams_are_recorded(recorded: Recorded) -> None:
    events = [
        (
            "message_start",
            {"type": "message_start", "message": {**message(), "content": [], "stop_reason": None}},
        ),
        (
            "content_block_start",
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "text", "text": ""},
            },
        ),
        (
            "content_block_delta",
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": "one two"},
            },
        ),
        ("content_block_stop", {"type": "content_block_stop", "index": 0}),
        (
            "message_delta",
            {
                "type": "message_delta",
                "delta": {"stop_reason": "end_turn", "stop_sequence": None},
                "usage": {"output_tokens": 5},
            },
        ),
        ("message_stop", {"type": "message_stop"}),
    ]
    import json

    sse = "".join(f"event: {n}\ndata: {json.dumps(d)}\n\n" for n, d in events)
    wrapped = recorded.footprint.wrap(client("anthropic", "Anthropic", Server(sse, sse, message())))
    with wrapped.messages.stream(**ANTHROPIC) as stream:
        assert stream.get_final_text() == "one two"
    with recorded.footprint.turn():
        assert len(list(wrapped.messages.create(stream=True, **ANTHROPIC))) == 6
        wrapped.beta.messages.create(**ANTHROPIC)
    assert ["one two" in output_text(c) for c in recorded.calls] == [True, True, False]


def test_an_error_is_the_clients_own_and_on_the_record(recorded: Recorded) -> None:
    import openai

    error = {"error": {"message": "no such model", "type": "invalid_request_error"}}
    wrapped = recorded.footprint.wrap(client("openai", "OpenAI", Server((404, error))))
    with pytest.raises(openai.NotFoundError):
        wrapped.chat.completions.create(**OPENAI)
    (call,) = recorded.calls
    assert of(call, names.ERROR_TYPE) == "NotFoundError"
    assert of(call, names.OUTPUT_STATE) == "unread"
    assert call.status.description is None
    assert len(recorded.recording.named("compose")) == 4


def test_retries_are_attempts_of_one_call(recorded: Recorded, monkeypatch: Any) -> None:
    server = Server((500, {}), (429, {}), chat())
    wrapped = recorded.footprint.wrap(client("openai", "OpenAI", server, max_retries=3))
    monkeypatch.setattr(type(wrapped), "_sleep_for_retry", lambda *a, **k: None)
    wrapped.chat.completions.create(**OPENAI)
    (call,) = recorded.calls
    assert of(call, names.CALL_ATTEMPTS) == 3


def test_suppressed_calls_leave_nothing(recorded: Recorded) -> None:
    wrapped = recorded.footprint.wrap(client("openai", "OpenAI", Server(chat())))
    with footprint.suppress():
        wrapped.chat.completions.create(**OPENAI)
        with recorded.footprint.turn("Hello?"):
            wrapped.chat.completions.create(**OPENAI)
    assert recorded.recording.spans == []


def test_credentials_of_remote_tool_servers_are_on_no_record(recorded: Recorded) -> None:
    wrapped = recorded.footprint.wrap(client("openai", "OpenAI", Server(RESPONSE)))
    tool = {
        "type": "mcp",
        "server_label": "crm",
        "server_url": "https://crm.test",
        "headers": {"Authorization": "opaque-credential-17"},
        "require_approval": "never",
    }
    wrapped.responses.create(model="gpt-4o-mini", input="Hello?", tools=[tool])
    assert "crm.test" in recorded.text()
    assert "opaque-credential-17" not in recorded.text()


def test_the_standard_output_attribute_follows_its_setting() -> None:
    for setting, mode, there in (
        (None, "full", True),
        ("none", "full", False),
        (None, "none", False),
    ):
        recorded = Recorded(content=mode, standard_content=setting)
        wrapped = recorded.footprint.wrap(client("openai", "OpenAI", Server(chat("w" * 9000))))
        wrapped.chat.completions.create(**OPENAI)
        value = of(recorded.calls[0], names.OUTPUT_MESSAGES)
        assert (value is not None) is there
        assert value is None or len(value.encode()) <= 2000


def test_a_declared_cap_that_is_exceeded_is_a_record_each_time_and_one_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    recorded = Recorded(budget=footprint.Budget(messages=5), window=20)
    wrapped = recorded.footprint.wrap(client("openai", "OpenAI", Server(chat())))
    with recorded.footprint.turn():
        wrapped.chat.completions.create(**OPENAI)
        wrapped.chat.completions.create(**OPENAI)
    found = [
        (span.name, event.attributes[names.SLOT], event.attributes[names.PRESSURE_STATE])
        for span in recorded.recording.spans
        for event in span.events
        if event.name == names.EVENT_PRESSURE
    ]
    assert found.count(("compose messages", "messages", "over")) == 1
    assert found.count(("chat gpt-4o-mini", "messages", "over")) == 1
    assert [of(c, names.OVER_MESSAGES) for c in recorded.calls] == [True, True]
    assert [of(c, names.OVER_DECLARED) for c in recorded.calls] == [True, True]
    assert caplog.text.count("slot messages holds 6 of 5 chars") == 1


@pytest.mark.parametrize(
    ("encoding", "text"), [("utf-8-sig", "hello"), ("utf-16", "hello"), ("utf-8", "h\ud800i")]
)
def test_a_body_that_only_some_parsers_take_is_recorded(
    recorded: Recorded, encoding: str, text: str
) -> None:
    """The SDK takes it, so it is on the record: a byte order mark, UTF-16, half a character."""
    body = json.dumps(chat(text)).encode(encoding)

    class Bytes(Server):
        def __call__(self, package: str, request: Any) -> Any:
            return http_module(package).Response(200, content=body)

    openai = client("openai", "OpenAI", Bytes())
    expected = openai.chat.completions.create(**OPENAI)
    assert recorded.footprint.wrap(openai).chat.completions.create(**OPENAI) == expected
    (call,) = recorded.calls
    assert "footprint.output.state" not in call.attributes  # absent: complete
    assert [event.name for event in call.events] == ["footprint.output"]
