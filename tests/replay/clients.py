"""Real SDK clients over a local transport that answers with what was recorded."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any
from urllib.parse import parse_qs, urlsplit

from .cassettes import REDACTED, Exchange

SDK_OF = {"chat": "openai", "responses": "openai", "anthropic": "anthropic"}
"""The SDK by which an API is driven; the others have none here."""


class Server:
    """Answers one request at a time, as recorded; keeps the bodies that came."""

    def __init__(self) -> None:
        self.exchange: Exchange | None = None
        self.bodies: list[bytes] = []

    def answer(self, http: Any, request: Any) -> Any:
        """The recorded response."""
        exchange = self.exchange
        assert exchange is not None
        self.bodies.append(request.content)
        content, kind = exchange.content()
        headers = {"content-type": kind} if kind else {}
        if kind != "text/event-stream":
            return http.Response(exchange.status, headers=headers, content=content)
        return http.Response(exchange.status, headers=headers, stream=_stream(http, content))


def _stream(http: Any, content: bytes) -> Any:
    pieces = [content[i : i + 1_000] for i in range(0, len(content), 1_000)]

    class Stream(http.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            yield from pieces

    return Stream()


def http_of(sdk: str) -> Any:
    """The HTTP library under an SDK: httpx2, or httpx in older ones."""
    base = import_module(f"{sdk}._base_client")
    return getattr(base, "httpx2", None) or base.httpx


def client(exchange: Exchange, sdk: str, server: Server) -> Any:
    """A client of the SDK whose requests go where the exchange went, and are answered here."""
    module, http = import_module(sdk), http_of(sdk)
    transport = http.MockTransport(lambda request: server.answer(http, request))
    options: dict[str, Any] = {
        "api_key": "replayed", "max_retries": 0, "timeout": 60.0,
        "http_client": http.Client(transport=transport),
    }  # fmt: skip
    parts = urlsplit("" if exchange.uri == REDACTED else exchange.uri)
    if "openai.azure.com" in exchange.host:
        version = parse_qs(parts.query).get("api-version", ["2024-10-21"])[0]
        options |= {"azure_endpoint": f"https://{parts.netloc}", "api_version": version}
        return module.AzureOpenAI(**options)
    if parts.netloc:
        base = re.sub(r"/(chat/completions|responses|v1/messages)$", "", parts.path)
        options["base_url"] = f"{parts.scheme}://{parts.netloc}{base}"
    return module.OpenAI(**options) if sdk == "openai" else module.Anthropic(**options)


def method(found: Any, api: str, exchange: Exchange) -> Any:
    """The client's method for an API."""
    if api == "chat":
        return found.chat.completions.create
    if api == "responses":
        return found.responses.create
    if "beta=true" in exchange.query:
        return found.beta.messages.create
    return found.messages.create


def call(found: Any, api: str, exchange: Exchange) -> Any:
    """Calls the method with the recorded body; keys that it does not know go as extra body."""
    create = method(found, api, exchange)
    known = inspect.signature(create).parameters
    body = exchange.body or {}
    named = {k: v for k, v in body.items() if k in known and not k.startswith("extra_")}
    extra = {k: v for k, v in body.items() if k not in named}
    if extra:
        named["extra_body"] = extra
    return create(**named)
