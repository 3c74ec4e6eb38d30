"""Cassettes: files of exchanges, and what each exchange is."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

REDACTED = "**REDACTED**"


class Unknown(Exception):
    """A file, provider or shape that this package does not know: counts as failed."""


@dataclass(frozen=True)
class Exchange:
    """One request and its response."""

    number: int
    method: str
    uri: str
    body: dict[str, Any] | None
    status: int
    response: dict[str, Any]
    """One of json, sse, aws_eventstream, text, base64; or empty."""

    @property
    def path(self) -> str:
        """The path of the address; empty when it was hidden."""
        return "" if self.uri == REDACTED else unquote(urlsplit(self.uri).path)

    @property
    def host(self) -> str:
        """The host of the address; empty when it was hidden."""
        return "" if self.uri == REDACTED else urlsplit(self.uri).hostname or ""

    @property
    def query(self) -> str:
        """The query of the address."""
        return "" if self.uri == REDACTED else urlsplit(self.uri).query

    def content(self) -> tuple[bytes, str]:
        """The response as a server sends it: bytes and media type."""
        kind, value = next(iter(self.response.items()), ("", None))
        if kind == "json":
            return json.dumps(value, ensure_ascii=False).encode(), "application/json"
        if kind == "sse":
            return value.encode(), "text/event-stream"
        if kind == "text":
            return value.encode(), "text/plain"
        if kind == "base64":
            return base64.b64decode(value), "application/octet-stream"
        if kind == "":
            return b"", ""
        raise Unknown(f"exchange {self.number}: a response of kind {kind}")


def read(path: Path) -> list[Exchange]:
    """The exchanges of a normalised cassette. Raises Unknown for anything else."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Unknown(f"not JSON: {error}") from error
    found = data.get("interactions") if isinstance(data, dict) else None
    if not isinstance(found, list) or not found:
        raise Unknown("no list of interactions")
    return [_exchange(i, one) for i, one in enumerate(found, 1)]


def _exchange(number: int, one: Any) -> Exchange:
    try:
        request, response = one["request"], one["response"]
        body = request.get("json")
        return Exchange(
            number,
            one["method"].upper(),
            one["uri"],
            body if isinstance(body, dict) else None,
            int(one["status"]),
            response,
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise Unknown(f"exchange {number}: {type(error).__name__}: {error}") from error


# --- what an exchange is -------------------------------------------------------------------

Api = str
"""chat, responses, anthropic, gemini, converse, cohere, ollama, assistants, completion."""

_APIS = (
    (r"/chat/completions$", "chat"),
    (r"/responses$", "responses"),
    (r"/responses/compact$", "compact"),
    (r"/threads/runs$|/threads/[^/]+/runs$", "assistants"),
    (r"(^|/)v\d+/messages$", "anthropic"),
    (r":(streamG|g)enerateContent$", "gemini"),
    (r"/converse(-stream)?$", "converse"),
    (r"/v2/chat$", "cohere"),
    (r"/api/chat$", "ollama"),
    (r"/(text_)?completions?$|/v1/complete$|/api/generate$", "completion"),
)
_BY_BODY = re.compile(r"/invoke(-with-response-stream)?$|:(streamR|r)awPredict$|/v1/chat$")
_ASIDE = (
    (r"/embeddings?$|:embedContent$|:batchEmbedContents$", "embeddings"),
    (r"/files(/|$)|/uploads(/|$)", "files"),
    (r"/traces/ingest$", "the Agents SDK's own trace export"),
    (
        r"/(moderations|models|images|audio|batches|rerank|vector_stores|count_tokens)(/|$)"
        r"|:countTokens$",
        "no call",
    ),
    (r"/(assistants|threads|conversations)(/|$)", "stored threads and assistants"),
    (r"/responses/[^/]+", "a stored response"),
    (r"/(oauth2?/)?token$|/projects/?$", "a sign-on"),
)
_OTHER_HOSTS = {
    "api.smith.langchain.com": "a prompt hub",
    "api.tavily.com": "a web search",
    "os-api.agno.com": "a framework's telemetry",
}


def api_of(exchange: Exchange) -> Api | None:
    """The API of a model call; None for an exchange that is none, see `aside`. Raises Unknown."""
    if aside(exchange) is not None:
        return None
    path, body = exchange.path, exchange.body
    if body is None:
        raise Unknown(f"exchange {exchange.number}: {exchange.method} {exchange.uri} without JSON")
    for pattern, api in _APIS:
        if re.search(pattern, path):
            return api
    if exchange.uri == REDACTED or _BY_BODY.search(path):
        return _by_body(exchange, body)
    raise Unknown(f"exchange {exchange.number}: {exchange.method} {exchange.uri} is not known")


def aside(exchange: Exchange) -> str | None:
    """Why an exchange is no model call, by rule: it is not driven, only counted.

    No call are: everything but POST; other hosts than providers'; embeddings, files, traces, and
    what else stores or lists.
    """
    if exchange.method != "POST":
        return f"{exchange.method} {exchange.host}"
    if exchange.host in _OTHER_HOSTS:
        return _OTHER_HOSTS[exchange.host]
    if any(re.search(pattern, exchange.path) for pattern, _ in _APIS):
        return None
    return next((why for pattern, why in _ASIDE if re.search(pattern, exchange.path)), None)


def _by_body(exchange: Exchange, body: dict[str, Any]) -> Api:
    model = str(body.get("model", ""))
    if "anthropic_version" in body or ("messages" in body and model.startswith("claude")):
        return "anthropic"
    if "input" in body and model:
        return "responses"
    if "inferenceConfig" in body or "schemaVersion" in body:
        return "converse"
    if "messages" in body:
        return "chat"
    if any(k in body for k in ("prompt", "inputText")):
        return "completion"
    if "message" in body:
        return "cohere"
    raise Unknown(f"exchange {exchange.number}: a body with {', '.join(list(body)[:6])}")


PROVIDERS = (
    (r"openai\.azure\.com$", "azure.ai.openai"),
    (r"openai\.com$", "openai"),
    (r"anthropic\.com$", "anthropic"),
    (r"^bedrock", "aws.bedrock"),
    (r"^generativelanguage\.", "gcp.gemini"),
    (r"aiplatform\.googleapis\.com$", "gcp.vertex_ai"),
    (r"cohere\.(com|ai)$", "cohere"),
    (r"deepseek\.com$", "deepseek"),
    (r"mistral\.ai$", "mistral_ai"),
    (r"\.x\.ai$|^x\.ai$", "x_ai"),
    (r"together\.(ai|xyz)$", "together"),
    (r"fireworks\.ai$", "fireworks"),
    (r"huggingface\.co$", "huggingface"),
    (r"cerebras\.ai$", "cerebras"),
    (r"perplexity\.ai$", "perplexity"),
    (r"moonshot\.(ai|cn)$", "moonshot_ai"),
    (r"(services|inference|models)\.ai\.azure\.com$|^models\.github\.ai$", "azure.ai.inference"),
    (r"groq\.com$", "groq"),
    (r"openrouter\.ai$", "openrouter"),
    (r"writer\.com$", "writer"),
    (r"pydantic\.dev$", "pydantic"),
    (r"^(127\.0\.0\.1|localhost)$", "ollama"),
)


def provider_of(exchange: Exchange, api: Api) -> str:
    """The provider's name. Raises Unknown for a host that is not known."""
    if not exchange.host:
        return "anthropic" if api == "anthropic" else "openai"
    for pattern, name in PROVIDERS:
        if re.search(pattern, exchange.host):
            return name
    raise Unknown(f"exchange {exchange.number}: the provider at {exchange.host} is not known")
