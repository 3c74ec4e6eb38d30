"""Drives the exchanges of a file, wrapped and unwrapped, inside one turn."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from otel_footprint import Footprint
from otel_footprint.telemetry.jsonfile import JsonFileExporter

from . import cassettes, clients, results
from .cassettes import Exchange


@dataclass
class Sent:
    """A model call of a file as it was driven."""

    exchange: Exchange
    api: str
    body: bytes
    """The request that was sent, as bytes."""
    sdk: str
    """The SDK that sent it; empty: handed to the core's own function."""


@dataclass
class Driven:
    """What driving a file gave."""

    sent: list[Sent] = field(default_factory=list)
    asides: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def drive(exchanges: list[Exchange], trail: Path, provider: TracerProvider | None = None) -> Driven:
    """Drives every exchange and leaves the trail of the wrapped run in a file.

    provider: spans go through this one as well; it is shut down in the end.
    """
    driven = Driven()
    provider = provider or TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(JsonFileExporter(trail)))
    fp = Footprint("replay", content="full", tracer_provider=provider)
    with fp.turn("replay", id=trail.stem):
        for exchange in exchanges:
            why = cassettes.aside(exchange)
            if why is not None:
                driven.asides.append(f"{exchange.number}: {why}")
                continue
            api = cassettes.api_of(exchange)
            assert api is not None
            if api in clients.SDK_OF and _has_path(exchange):
                _by_sdk(fp, driven, exchange, api)
            else:
                _by_core(fp, driven, exchange, api)
    provider.shutdown()
    return driven


def _has_path(exchange: Exchange) -> bool:
    """False for an address that an SDK client does not take, as Bedrock's."""
    ends = ("/chat/completions", "/responses", "/v1/messages")
    return exchange.uri == cassettes.REDACTED or exchange.path.endswith(ends)


def _by_sdk(fp: Any, driven: Driven, exchange: Exchange, api: str) -> None:
    cassettes.provider_of(exchange, api)
    sdk = clients.SDK_OF[api]
    plain, wrapped = clients.Server(), clients.Server()
    before = copy.deepcopy(exchange.body)
    outcomes = []
    for server in (plain, wrapped):
        client = clients.client(exchange, sdk, server)
        if server is wrapped:
            client = fp.wrap(client)
        server.exchange = exchange
        outcomes.append(results.outcome(lambda client=client: clients.call(client, api, exchange)))
    where = f"exchange {exchange.number}"
    if exchange.body != before or _text(exchange.body) != _text(before):
        driven.problems.append(f"{where}: the caller's own objects were changed")
    if plain.bodies != wrapped.bodies:
        driven.problems.append(f"{where}: the wrapped client sent another request")
    if not plain.bodies:
        driven.problems.append(f"{where}: the client sent nothing ({outcomes[0].error})")
        return
    if outcomes[0] != outcomes[1]:
        driven.problems.append(f"{where}: the wrapped client gave another result")
    if json.loads(plain.bodies[0]) != exchange.body:
        driven.asides.append(f"{exchange.number}: the client itself changes the request")
    driven.sent.append(Sent(exchange, api, wrapped.bodies[0], sdk))


def _by_core(fp: Any, driven: Driven, exchange: Exchange, api: str) -> None:
    body = copy.deepcopy(exchange.body)
    assert body is not None
    sent = _text(body).encode()
    error = RuntimeError("replayed") if exchange.status >= 400 else None
    fp.record(
        cassettes.provider_of(exchange, api),
        exchange.path,
        body,
        None if error is not None else _response(exchange),
        error=error,
    )
    if _text(body).encode() != sent:
        driven.problems.append(f"exchange {exchange.number}: the caller's objects were changed")
    driven.sent.append(Sent(exchange, api, sent, ""))


def _response(exchange: Exchange) -> Any:
    """The response as JSON, or a stream as its events."""
    kind, value = next(iter(exchange.response.items()), ("", None))
    if kind == "json":
        return [("", each) for each in value] if isinstance(value, list) else value
    if kind == "sse":
        return list(_events(value))
    if kind == "aws_eventstream":
        return [(e["headers"].get(":event-type", ""), _payload(e["payload"])) for e in value]
    if kind == "text":
        return _json_lines(value)
    if kind == "":
        return None
    raise cassettes.Unknown(f"exchange {exchange.number}: a response of kind {kind}")


def _json_lines(text: str) -> Any:
    """A stream of JSON lines as its events; None for any other text."""
    try:
        return [("", json.loads(line)) for line in text.splitlines() if line.strip()] or None
    except ValueError:
        return None


def _payload(payload: Any) -> Any:
    import base64

    if isinstance(payload, dict) and isinstance(payload.get("bytes"), str):
        return json.loads(base64.b64decode(payload["bytes"]))
    return payload


def _events(text: str) -> Any:
    """The events of a stream of server-sent events."""
    for block in text.replace("\r\n", "\n").split("\n\n"):
        name, data = "", []
        for line in block.split("\n"):
            if line.startswith("event:"):
                name = line[6:].strip()
            elif line.startswith("data:"):
                data.append(line[5:].lstrip(" "))
        joined = "\n".join(data)
        if joined and joined != "[DONE]":
            yield name, json.loads(joined)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
