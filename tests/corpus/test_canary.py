"""A planted key in every place a text can stand leaves the process nowhere, unless asked to."""

from __future__ import annotations

import base64
import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import (
    InMemoryLogRecordExporter,
    SimpleLogRecordProcessor,
)
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from otel_footprint.telemetry.jsonfile import JsonFileExporter, JsonFileLogExporter
from tests.adapters.conftest import Recorded
from tests.sdk import chat, chat_sse

from .helpers import Logged, Model, anthropic_sse, outcome, swallowing, user

KEY = "sk-proj-C4n4ry0123456789abcdefABCDEFxyz"
HALF = KEY[8:30]
"""What no record may hold: also a part of the key."""
LONG = "word " * 398 + KEY + " word" * 400
"""The key across the edge of two strings of 2,000 bytes."""


class Everything:
    """All exporters there are, and what reached them."""

    def __init__(self, make: Callable[..., Recorded], folder: Path, **options: Any) -> None:
        self.logs = InMemoryLogRecordExporter()
        self.file = folder / "trail.jsonl"
        provider = LoggerProvider()
        provider.add_log_record_processor(SimpleLogRecordProcessor(self.logs))
        provider.add_log_record_processor(SimpleLogRecordProcessor(JsonFileLogExporter(self.file)))
        self.logger_provider = provider
        self.recorded = make(logger_provider=provider, **options)
        recording = self.recorded.recording
        recording.tracer_provider.add_span_processor(
            SimpleSpanProcessor(JsonFileExporter(self.file))
        )
        self.footprint = self.recorded.footprint

    def said(self, logged: Logged) -> str:
        """Everything that left, as one text."""
        self.footprint.flush()
        recording = self.recorded.recording
        data = recording.reader.get_metrics_data()
        out = [self.recorded.text(), *(r.to_json() for r in _records(self.logs))]
        out.append(data.to_json() if data is not None else "")
        out.append(self.file.read_text() if self.file.exists() else "")
        out += logged.messages
        out.append(repr(self.footprint))
        return "\n".join(out)


def _records(exporter: InMemoryLogRecordExporter) -> Iterator[Any]:
    yield from exporter.get_finished_logs()


def openai_call(place: str) -> tuple[dict[str, Any], Any]:
    """Request and answer with the key in one place."""
    more: dict[str, Any] = {}
    system, text, answer = "Be brief.", "Hello?", chat()
    messages: list[Any] = [user(text)]
    function: dict[str, Any] = {"name": "look", "parameters": {"type": "object"}}
    arguments, name, result = "{}", "look", "found"
    if place == "system":
        system = f"Use {KEY}."
    elif place == "user":
        messages = [user(f"My key is {KEY}.")]
    elif place == "long":
        messages = [user(LONG)]
    elif place == "parts":
        messages = [user([{"type": "text", "text": f"key={KEY}"}])]
    elif place == "arguments":
        arguments = json.dumps({"key": KEY})
    elif place == "result":
        result = json.dumps({"token": KEY})
    elif place == "description":
        function["description"] = f"Looks with {KEY}."
    elif place == "tool name":
        function["name"] = name = KEY
    elif place == "enum":
        function["parameters"] = {"type": "object", "properties": {"k": {"enum": [KEY, "b"]}}}
    elif place == "property":
        function["parameters"] = {"type": "object", "properties": {KEY: {"type": "string"}}}
    elif place == "file name":
        messages = [user([{"type": "file", "file": {"filename": f"{KEY}.pdf", "file_id": "f"}}])]
    elif place == "url":
        url = f"https://user:{KEY}@example.com/a.png?api_key={KEY}"
        messages = [user([{"type": "image_url", "image_url": {"url": url}}])]
    elif place == "media":
        data = base64.b64encode(f"{KEY}".encode() * 10).decode()
        url = f"data:image/png;base64,{data}"
        messages = [user([{"type": "image_url", "image_url": {"url": url}}])]
    elif place == "message name":
        messages = [{**user("Hello?"), "name": KEY}]
    elif place == "parameter":
        more["metadata"] = {"key": KEY}
    elif place == "parameter name":
        more["metadata"] = {KEY: "key"}
    elif place == "stop":
        more["stop"] = [KEY]
    elif place == "user id":
        more["user"] = KEY
    elif place == "model":
        more["model"] = f"ft:{KEY}"
    elif place == "answer":
        answer = chat(f"The key is {KEY}.")
    elif place == "answer call":
        call = {"name": "look", "arguments": json.dumps({"k": KEY})}
        answer = chat(None, [{"id": "c2", "type": "function", "function": call}])
    elif place == "call id":
        answer = chat(
            None, [{"id": KEY, "type": "function", "function": {"name": "look", "arguments": "{}"}}]
        )
    elif place == "answer id":
        answer = chat(id=KEY)
    elif place == "answer model":
        answer = chat(model=KEY)
    elif place == "finish":
        answer["choices"][0]["finish_reason"] = KEY
    elif place == "stream":
        answer = chat_sse(*(KEY[i : i + 5] for i in range(0, len(KEY), 5)))
        more["stream"] = True
    elif place == "refused":
        answer = (400, {"error": {"message": f"Bad key {KEY}", "type": KEY, "code": KEY}})
    call_id = "c1"
    call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    messages += [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call_id, "content": result},
    ]
    request = {
        "model": "gpt-4o-mini",
        "messages": [{"role": "system", "content": system}, *messages],
        "tools": [{"type": "function", "function": function}],
        **more,
    }
    return request, answer


PLACES = (
    "system", "user", "long", "parts", "arguments", "result", "description", "tool name", "enum",
    "property", "file name", "url", "media", "message name", "parameter", "parameter name", "stop",
    "user id", "model", "answer", "answer call", "call id", "answer id", "answer model", "finish",
    "stream", "refused",
)  # fmt: skip
ENCODED = base64.b64encode(f"{KEY}".encode() * 10).decode()[:40]


def clean(text: str) -> bool:
    """True when neither the key nor what it is encoded as is in a text."""
    return HALF not in text and KEY not in text and ENCODED not in text


@pytest.mark.parametrize("mode", ["none", "redacted"])
@pytest.mark.parametrize("place", PLACES)
def test_a_key_in_a_call_reaches_no_exporter(
    make: Callable[..., Recorded], tmp_path: Path, logged: Logged, place: str, mode: str
) -> None:
    sink = {"none": "both", "redacted": "log"}[mode]
    every = Everything(make, tmp_path, content=mode, sink=sink, standard_content="full")
    request, answer = openai_call(place)
    model = Model(("openai", False), answer)
    every.footprint.wrap(model.client)

    def call() -> Any:
        found = model.create(**request)
        return list(found) if request.get("stream") else found

    with warnings.catch_warnings(record=True) as warned, every.footprint.turn("Hello?"):
        outcome(call)
    outcome(call)
    assert len(every.recorded.calls) == 2
    assert clean(every.said(logged))
    assert warned == []


def test_the_key_is_found_where_it_is_asked_for(
    make: Callable[..., Recorded], tmp_path: Path, logged: Logged
) -> None:
    every = Everything(make, tmp_path, content="full")
    model = Model(("openai", False))
    every.footprint.wrap(model.client)
    model.create(**openai_call("user")[0])
    assert not clean(every.said(logged))


@pytest.mark.parametrize("mode", ["none", "redacted"])
@pytest.mark.parametrize("sink", ["span", "log", "both"])
def test_a_key_in_an_anthropic_call_reaches_no_exporter(
    make: Callable[..., Recorded], tmp_path: Path, logged: Logged, sink: str, mode: str
) -> None:
    every = Everything(make, tmp_path, content=mode, sink=sink)
    sse = anthropic_sse(*(KEY[i : i + 5] for i in range(0, len(KEY), 5)))
    model = Model(("anthropic", False), sse)
    every.footprint.wrap(model.client)
    use = {"type": "tool_use", "id": "t1", "name": "look", "input": {"key": KEY, KEY: 1}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": KEY, "is_error": True}
    data = {"type": "base64", "media_type": "application/pdf", "data": ENCODED * 20}
    document = {"type": "document", "source": data, "title": KEY, "context": KEY}
    server = {
        "type": "url",
        "url": f"https://example.com/?token={KEY}",
        "name": "mcp",
        "authorization_token": "plain-secret-word",
    }
    list(
        model.call_now(
            [user(LONG), {"role": "assistant", "content": [use]}, user([result, document])],
            system=[{"type": "text", "text": f"Use {KEY}."}],
            tools=[{"name": "look", "description": KEY, "input_schema": {"enum": [KEY]}}],
            metadata={"user_id": KEY},
            stop_sequences=[KEY],
            stream=True,
            extra_body={"mcp_servers": [server]},
        )
    )
    said = every.said(logged)
    assert len(every.recorded.calls) == 1
    assert clean(said)
    assert "plain-secret-word" not in said


@pytest.mark.parametrize("mode", ["none", "redacted"])
@pytest.mark.parametrize("sink", ["span", "both"])
def test_a_key_in_a_turn_or_a_tool_reaches_no_exporter(
    make: Callable[..., Recorded], tmp_path: Path, logged: Logged, sink: str, mode: str
) -> None:
    every = Everything(make, tmp_path, content=mode, sink=sink)
    fp = every.footprint

    class Failed(Exception):
        def __repr__(self) -> str:
            return KEY

    def tool(**_: Any) -> Any:
        raise Failed(f"failed with {KEY}") from ValueError(KEY)

    named = fp.tool(tool, name=KEY)
    with fp.turn(
        f"Use {KEY}!",
        user=f"user {KEY}",
        tags=[KEY, "b"],
        metadata={"key": KEY, KEY: "value", "object": {"k": KEY}},
        id="turn-1",
    ) as turn:
        with pytest.raises(Failed):
            named(key=KEY)
        with pytest.raises(Failed):
            turn.tool(
                {"id": f"c-{KEY}", "function": {"name": KEY, "arguments": f'{{"k":"{KEY}"}}'}}, tool
            )
        ok = fp.tool(lambda text: text, name="echo")
        assert ok(KEY) == KEY
        fp.feedback("turn-1", "helpful", KEY, comment=f"said {KEY}")
        fp.feedback("turn-1", KEY, 1.0)
    with pytest.raises(Failed), fp.turn("x"):
        raise Failed(KEY)
    said = every.said(logged)
    assert "turn-1" in said
    assert clean(said)


def test_a_failure_of_ours_says_no_content(
    make: Callable[..., Recorded], tmp_path: Path, logged: Logged
) -> None:
    every = Everything(make, tmp_path, content="full")
    model = Model(("openai", False))
    every.footprint.wrap(model.client)

    def fail(*_a: Any, **_k: Any) -> Any:
        raise ValueError(KEY)

    every.footprint.core.memory = fail
    with swallowing():
        assert model.call_now([user("Hello?")]).id == "chatcmpl-1"
        with every.footprint.turn(KEY):
            pass
        assert logged.messages
        assert clean("\n".join(logged.messages))
