"""One way to call four clients, and a trail read back from what was exported."""

from __future__ import annotations

import asyncio
import gc
import inspect
import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan

from otel_footprint.telemetry import guard
from otel_footprint.telemetry.otlpjson import dump, spans_json
from otel_footprint.trail import Trail, load
from tests.adapters.conftest import Recorded
from tests.sdk import Server, chat, chat_sse, client, message

PACKAGES = ("openai", "anthropic")
KINDS = [(package, asynchronous) for package in PACKAGES for asynchronous in (False, True)]
KIND_IDS = [f"{p}-{'async' if a else 'sync'}" for p, a in KINDS]


def anthropic_sse(*texts: str, usage: Any = None) -> str:
    """An Anthropic message as a stream."""
    started = {**message(), "content": [], "stop_reason": None}
    if usage is not None:
        started["usage"] = usage
    block = {"type": "text", "text": ""}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": started},
        {"type": "content_block_start", "index": 0, "content_block": block},
    ]
    for text in texts:
        delta = {"type": "text_delta", "text": text}
        events.append({"type": "content_block_delta", "index": 0, "delta": delta})
    events += [
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 5},
        },
        {"type": "message_stop"},
    ]
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)


class Model:
    """A client of either SDK, sync or async, called in one way."""

    def __init__(self, kind: tuple[str, bool], *answers: Any, **options: Any) -> None:
        self.package, self.asynchronous = kind
        self.server = Server(*(answers or (self.answer(),)))
        name = {"openai": "OpenAI", "anthropic": "Anthropic"}[self.package]
        name = f"Async{name}" if self.asynchronous else name
        self.client = client(self.package, name, self.server, **options)

    def answer(self, text: str = "hello") -> Any:
        """A whole answer of this provider."""
        return chat(text) if self.package == "openai" else message(text)

    def sse(self, *texts: str) -> str:
        """A streamed answer of this provider."""
        return chat_sse(*texts) if self.package == "openai" else anthropic_sse(*texts)

    def request(self, messages: Any, system: str | None = None, **more: Any) -> dict[str, Any]:
        """The keywords of a call."""
        if self.package == "openai":
            before = [] if system is None else [{"role": "system", "content": system}]
            messages = [*before, *messages] if before else messages
            return {"model": "gpt-4o-mini", "messages": messages} | more
        if system is not None:
            more["system"] = system
        return {"model": "claude-test-1", "max_tokens": 10, "messages": messages} | more

    @property
    def create(self) -> Any:
        """The SDK's method."""
        return (
            self.client.chat.completions if self.package == "openai" else self.client.messages
        ).create

    async def call(self, messages: Any, **more: Any) -> Any:
        """Calls and, with an async client, waits."""
        found = self.create(**self.request(messages, **more))
        return await found if inspect.isawaitable(found) else found

    def call_now(self, messages: Any, **more: Any) -> Any:
        """Calls a sync client."""
        return self.create(**self.request(messages, **more))


async def read(stream: Any) -> list[Any]:
    """Everything of a stream, sync or async."""
    if hasattr(stream, "__aiter__"):
        return [event async for event in stream]
    return list(stream)


async def close(stream: Any) -> None:
    """Closes a stream, sync or async."""
    found = stream.close()
    if inspect.isawaitable(found):
        await found


async def settle() -> None:
    """Lets what is scheduled run: each of several nested generators is closed in a round."""
    for _ in range(3):
        gc.collect()
        for _ in range(20):
            await asyncio.sleep(0)


def user(text: Any) -> dict[str, Any]:
    """A person's message."""
    return {"role": "user", "content": text}


def trail_of(recorded: Recorded, **options: Any) -> Trail:
    """The trail of all that was exported, read back from OTLP/JSON."""
    data = dump(spans_json(recorded.recording.spans))
    return load(io.BytesIO(data), **options)


def assert_rebuilt(recorded: Recorded, bodies: list[bytes]) -> Trail:
    """Every call is rebuilt, and equals the HTTP body that left, byte for byte."""
    trail = trail_of(recorded)
    assert not trail.problems
    assert len(trail.calls) == len(bodies)
    for call, body in zip(trail.calls, bodies, strict=True):
        rebuilt = trail.rebuild(call)
        assert rebuilt.gaps == ()
        assert rebuilt.text is not None
        assert rebuilt.text.encode() == body
        assert rebuilt.proof.level == "body"
    return trail


def outcome(run: Any) -> tuple[str, Any]:
    """What a call gives: its value, or the type and text of what it raises."""
    try:
        return "value", run()
    except BaseException as error:
        return type(error).__qualname__, str(error)


async def outcome_async(run: Any) -> tuple[str, Any]:
    """The same of a coroutine function."""
    try:
        return "value", await run()
    except BaseException as error:
        return type(error).__qualname__, str(error)


def parent(span: ReadableSpan) -> int:
    """The span id of a span's parent; 0 for a root."""
    return span.parent.span_id if span.parent is not None else 0


def of(span: ReadableSpan, name: str) -> Any:
    """An attribute of a span."""
    return (span.attributes or {}).get(name)


@contextmanager
def swallowing() -> Iterator[None]:
    """Failures of ours are swallowed and counted, as in an application."""
    before = guard.set_raising(False)
    guard.forget()
    try:
        yield
    finally:
        guard.set_raising(before)
        guard.forget()


class Logged(logging.Handler):
    """Every log message, of whatever logger."""

    def __init__(self) -> None:
        super().__init__(0)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = logging.Formatter().format(record)
        self.messages.append(f"{record.name} {record.levelname} {text}")
