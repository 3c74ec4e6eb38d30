"""Clients of the same SDKs for other clouds: recorded, streams too, under their own provider."""

from __future__ import annotations

import base64
import json
import zlib
from importlib import import_module
from typing import Any, NamedTuple

import pytest

from otel_footprint.telemetry import names
from otel_footprint.wire.eventstream import parse_eventstream
from tests.sdk import Server, chat, chat_sse, http_module, message, sync_or_async

from .conftest import Recorded
from .test_clients import ANTHROPIC, OPENAI, output_text

EVENTS: list[dict[str, Any]] = [
    {"type": "message_start", "message": {**message(), "content": [], "stop_reason": None}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": "one two"},
    },
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 5},
    },
    {"type": "message_stop"},
]


class Variant(NamedTuple):
    """A client class for another cloud."""

    cls: str
    package: str
    provider: str
    options: dict[str, Any]
    needs: str | None = None
    """A package that it needs to sign its requests."""

    def client(self, server: Server) -> Any:
        """A client over a local transport; skips where the class or its needs are absent."""
        module = import_module(self.package)
        if not hasattr(module, self.cls):
            pytest.skip(f"this version of {self.package} has no {self.cls}")
        if self.needs:
            pytest.importorskip(self.needs, reason=f"{self.needs} is not installed")
        http = http_module(self.package)
        asynchronous = self.cls.startswith("Async")

        async def answer_async(request: Any) -> Any:
            return answer(request)

        def answer(request: Any) -> Any:
            response = server(self.package, request)
            if response.headers["content-type"] == "text/event-stream" and "invoke" in str(
                request.url
            ):
                return http.Response(
                    200,
                    headers={"content-type": "application/vnd.amazon.eventstream"},
                    stream=sync_or_async(http, frames(EVENTS)),
                )
            return response

        transport = http.MockTransport(answer_async if asynchronous else answer)
        make = http.AsyncClient if asynchronous else http.Client
        return getattr(module, self.cls)(
            http_client=make(transport=transport), max_retries=0, **self.options
        )


AWS = {"aws_region": "us-east-1", "aws_access_key": "k", "aws_secret_key": "s"}
AWS_OPENAI = {"aws_region": "us-east-1", "api_key": "k"}
AZURE = {"api_version": "2024-06-01", "azure_endpoint": "http://local.test", "api_key": "k"}
VERTEX = {"region": "us-east5", "project_id": "p", "access_token": "t"}
VARIANTS = [
    Variant("AzureOpenAI", "openai", "azure.ai.openai", AZURE),
    Variant("AsyncAzureOpenAI", "openai", "azure.ai.openai", AZURE),
    Variant("BedrockOpenAI", "openai", "aws.bedrock", AWS_OPENAI),
    Variant("AsyncBedrockOpenAI", "openai", "aws.bedrock", AWS_OPENAI),
    Variant("AnthropicBedrock", "anthropic", "aws.bedrock", AWS, "boto3"),
    Variant("AsyncAnthropicBedrock", "anthropic", "aws.bedrock", AWS, "boto3"),
    Variant("AnthropicBedrockMantle", "anthropic", "aws.bedrock", AWS, "boto3"),
    Variant("AnthropicVertex", "anthropic", "gcp.vertex_ai", VERTEX, "google.auth"),
    Variant("AsyncAnthropicVertex", "anthropic", "gcp.vertex_ai", VERTEX, "google.auth"),
]


def frames(events: list[dict[str, Any]]) -> bytes:
    """Events as Bedrock frames them."""
    out = b""
    for event in events:
        inner = base64.b64encode(json.dumps(event).encode()).decode()
        payload = json.dumps({"bytes": inner, "p": "abc"}).encode()
        headers = b"".join(
            bytes([len(k)]) + k + b"\7" + len(v).to_bytes(2, "big") + v
            for k, v in (
                (b":event-type", b"chunk"),
                (b":content-type", b"application/json"),
                (b":message-type", b"event"),
            )
        )
        prelude = (16 + len(headers) + len(payload)).to_bytes(4, "big") + len(headers).to_bytes(
            4, "big"
        )
        frame = prelude + zlib.crc32(prelude).to_bytes(4, "big") + headers + payload
        out += frame + zlib.crc32(frame).to_bytes(4, "big")
    return out


def ask(variant: Variant, client: Any, **more: Any) -> Any:
    if variant.package == "openai":
        return client.chat.completions.create(**OPENAI, **more)
    return client.messages.create(**ANTHROPIC, **more)


@pytest.fixture(params=VARIANTS, ids=[v.cls for v in VARIANTS])
def variant(request: pytest.FixtureRequest) -> Any:
    return request.param


def server_of(variant: Variant, stream: bool) -> Server:
    if variant.package == "openai":
        return Server(chat_sse("one ", "two") if stream else chat())
    sse = "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in EVENTS)
    return Server(sse if stream else message())


async def test_a_call_is_recorded_under_its_provider(recorded: Recorded, variant: Variant) -> None:
    server = server_of(variant, stream=False)
    client = recorded.footprint.wrap(variant.client(server))
    answer = ask(variant, client)
    if variant.cls.startswith("Async"):
        answer = await answer
    (call,) = recorded.calls
    assert call.attributes[names.PROVIDER] == variant.provider
    asked = OPENAI if variant.package == "openai" else ANTHROPIC
    assert call.attributes[names.REQUEST_MODEL] == asked["model"]
    assert call.attributes[names.MESSAGES_USED] == len("Hello?")
    assert call.attributes[names.SYSTEM_USED] == len("Be brief.")
    assert "hello" in output_text(call)
    assert len(server.bodies) == 1
    assert answer.id


@pytest.mark.parametrize("left", [False, True], ids=["read", "left"])
async def test_a_stream_is_recorded(recorded: Recorded, variant: Variant, left: bool) -> None:
    client = recorded.footprint.wrap(variant.client(server_of(variant, stream=True)))
    stream = ask(variant, client, stream=True)
    if variant.cls.startswith("Async"):
        stream = await stream
        async for _ in stream:
            if left:
                await stream.close()
                break
    else:
        for _ in stream:
            if left:
                stream.close()
                break
    (call,) = recorded.calls
    assert call.attributes[names.PROVIDER] == variant.provider
    if left:
        assert call.attributes[names.OUTPUT_STATE] == "cut"
    else:
        assert names.OUTPUT_STATE not in call.attributes
        assert "one two" in output_text(call)
        assert call.attributes[names.CHUNKS] >= 5


def test_copies_of_a_variant_stay_wrapped(recorded: Recorded, variant: Variant) -> None:
    if variant.cls.startswith("Async"):
        pytest.skip("the sync classes show it")
    client = recorded.footprint.wrap(variant.client(server_of(variant, stream=False)))
    ask(variant, client.with_options(timeout=3, http_client=client._client))
    ask(variant, client.copy(http_client=client._client))
    assert len(recorded.calls) == 2


@pytest.mark.parametrize(
    ("data", "events", "skipped"),
    [
        (b"", 0, 0),
        (frames(EVENTS), 6, 0),
        (frames(EVENTS)[:-1], 5, 0),
        (frames(EVENTS[:1]) + b"\0\0\0\1" * 5, 1, 1),
        (b"\0\0\0\x14\0\0\0\0crc." + b"nope" + b"crc.", 0, 1),
    ],
)
def test_frames_are_read_also_where_they_break_off(data: bytes, events: int, skipped: int) -> None:
    found = parse_eventstream(data)
    assert (len(found), found.skipped) == (events, skipped)
    assert [name for name, _ in found] == [e["type"] for e in EVENTS[:events]]
