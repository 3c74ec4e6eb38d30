"""Real SDK clients over a local transport, and a real SDK tracer that keeps its spans."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


def http_module(package: str) -> Any:
    """The HTTP library under an SDK: httpx2, or httpx in older ones."""
    base = import_module(f"{package}._base_client")
    return getattr(base, "httpx2", None) or base.httpx


class Server:
    """Answers in order; keeps the bodies that came."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.bodies: list[bytes] = []

    def __call__(self, package: str, request: Any) -> Any:
        http = http_module(package)
        self.bodies.append(request.content)
        answer = self.answers[min(len(self.bodies), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, tuple):
            return http.Response(answer[0], json=answer[1])
        if isinstance(answer, str):
            return http.Response(
                200,
                headers={"content-type": "text/event-stream"},
                stream=sync_or_async(http, answer),
            )
        return http.Response(200, json=answer)


def sync_or_async(http: Any, text: str | bytes, size: int = 64) -> Any:
    """A byte stream, in pieces, that is not read before its reader asks."""
    data = text.encode() if isinstance(text, str) else text
    pieces = [data[i : i + size] for i in range(0, len(data), size)]

    class Stream(http.SyncByteStream, http.AsyncByteStream):
        closed = False

        def __iter__(self) -> Any:
            yield from pieces

        async def __aiter__(self) -> Any:
            for piece in pieces:
                yield piece

        def close(self) -> None:
            self.closed = True

        async def aclose(self) -> None:
            self.closed = True

    return Stream()


def client(package: str, cls: str, server: Server, **options: Any) -> Any:
    """A real client, for example `client("openai", "AsyncOpenAI", server)`."""
    module, http = import_module(package), http_module(package)

    async def answer_async(request: Any) -> Any:
        return server(package, request)

    def answer(request: Any) -> Any:
        return server(package, request)

    asynchronous = "Async" in cls
    transport = http.MockTransport(answer_async if asynchronous else answer)
    make = http.AsyncClient if asynchronous else http.Client
    options = {
        "api_key": "sk-test",
        "max_retries": 0,
        "base_url": "http://local.test/v1",
        **options,
    }
    return getattr(module, cls)(http_client=make(transport=transport), **options)


class Recording:
    """Tracer and meter providers that keep what they get."""

    def __init__(self, **options: Any) -> None:
        self.exporter = InMemorySpanExporter()
        self.tracer_provider = TracerProvider(**options)
        self.tracer_provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.reader = InMemoryMetricReader()
        self.meter_provider = MeterProvider([self.reader])

    @property
    def providers(self) -> dict[str, Any]:
        return {"tracer_provider": self.tracer_provider, "meter_provider": self.meter_provider}

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self.exporter.get_finished_spans())

    def named(self, prefix: str) -> list[ReadableSpan]:
        return [s for s in self.spans if s.name.startswith(prefix)]


def chat(text: str | None = "hello", calls: list[dict[str, Any]] | None = None, **more: Any) -> Any:
    """An OpenAI chat completion."""
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
    if calls:
        message["tool_calls"] = calls
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-4o-mini",
        "choices": [
            {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        **more,
    }


def chat_sse(*texts: str) -> str:
    """The same as a stream."""
    base = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "gpt-4o-mini",
    }
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": t} for t in texts]
    chunks = [
        {**base, "choices": [{"index": 0, "delta": d, "finish_reason": None}]} for d in deltas
    ]
    chunks.append({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    chunks.append({**base, "choices": [], "usage": usage})
    return "".join(f"data: {json.dumps(c)}\n\n" for c in chunks) + "data: [DONE]\n\n"


def message(text: str = "hello", **more: Any) -> Any:
    """An Anthropic message."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-test-1",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 10,
            "output_tokens": 5,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 3,
        },
        **more,
    }


Call = Callable[[], Any]
