"""Which dialect a request is written in, and who the provider is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any, Final
from urllib.parse import unquote

from .types import Dialect
from .values import items_of, obj, word

_CHAT, _RESPONSES, _ANTHROPIC = "openai.chat", "openai.responses", "anthropic.messages"
_GEMINI, _CONVERSE, _COHERE = "gemini.generate_content", "bedrock.converse", "cohere.chat"
_OLLAMA, _COMPLETION, _ASSISTANTS = "ollama.chat", "text.completion", "openai.assistants"
_WHERE: Final = {
    _CHAT: "openai_chat.OpenAIChat",
    _RESPONSES: "openai_responses.OpenAIResponses",
    _ANTHROPIC: "anthropic_messages.AnthropicMessages",
    _GEMINI: "gemini.Gemini",
    _CONVERSE: "bedrock_converse.BedrockConverse",
    _COHERE: "cohere.CohereChat",
    _OLLAMA: "ollama.OllamaChat",
    _COMPLETION: "completion.TextCompletion",
    _ASSISTANTS: "openai_assistants.OpenAIAssistants",
}
"""Module and class of each dialect."""


class _Dialects(Mapping[str, Dialect]):
    """The dialects by name; each module is imported when it is first asked for."""

    def __init__(self) -> None:
        self._made: dict[str, Dialect] = {}

    def __getitem__(self, name: str) -> Dialect:
        found = self._made.get(name)
        if found is None:
            module, _, cls = _WHERE[name].partition(".")
            made: Dialect = getattr(import_module(f".{module}", __package__), cls)()
            found = self._made[name] = made
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_WHERE)

    def __len__(self) -> int:
        return len(_WHERE)


DIALECTS: Final[Mapping[str, Dialect]] = _Dialects()
"""Every dialect by its name."""

_PATHS: Final[tuple[tuple[re.Pattern[str], str, str], ...]] = (
    (re.compile(r"/chat/completions$"), _CHAT, "/v1/chat/completions"),
    (re.compile(r"/responses(/compact)?$"), _RESPONSES, "/v1/responses"),
    (re.compile(r"/threads/runs$|/threads/[^/]+/runs$"), _ASSISTANTS, "/v1/threads/runs"),
    (re.compile(r"(?<!/threads)/v\d+/messages$|^/messages$"), _ANTHROPIC, "/v1/messages"),
    (re.compile(r":(streamG|g)enerateContent$"), _GEMINI, "/v1/models/MODEL:generateContent"),
    (re.compile(r"/converse(-stream)?$"), _CONVERSE, "/model/MODEL/converse"),
    (re.compile(r"/v2/chat$"), _COHERE, "/v2/chat"),
    (re.compile(r"/api/chat$"), _OLLAMA, "/api/chat"),
    (
        re.compile(r"/completions$|/api/generate$|/text/generation(_stream)?$|/generation/text"),
        _COMPLETION,
        "/v1/completions",
    ),
)
FORMATS: Final[Mapping[str, str]] = {dialect: path for _, dialect, path in _PATHS}
"""The formats of requests that are known, by name, each with a path that says it."""
_BY_BODY: Final = re.compile(
    r"/invoke(-with-response-stream)?$|:(streamR|r)awPredict$|/v1/chat$|^/chat$"
)
"""Paths of model calls whose body is of one kind or another."""
_NO_CALL: Final = re.compile(
    r"/(embeddings|embed|files|batches|traces|runs|models|moderations|count_tokens|input_tokens"
    r"|images|audio|speech|uploads|rerank|tokenize|threads|assistants|vector_stores"
    r"|cachedContents)(/|$)"
)
"""Paths that are no model call; a body that looks like one does not make it one."""

_CONVERSE_KEYS: Final = frozenset({"inferenceConfig", "toolConfig", "modelId", "schemaVersion"})
_RESPONSES_KEYS: Final = frozenset(
    {
        "instructions", "previous_response_id", "include", "stream", "tools", "max_output_tokens",
        "reasoning", "text", "store", "conversation", "truncation", "tool_choice",
    }
)  # fmt: skip
_NO_ANSWER: Final = re.compile(r"embed|moderation|tts|whisper|rerank|dall-e|gpt-image")
"""Models that take an `input` and give no answer in words."""


def dialect_for(provider: str, path: str, body: dict[str, Any]) -> Dialect | None:
    """The dialect of a request; None when it is no call of a model that we know the kind of.

    The path decides when it says (host and query are left out of account); else the body does,
    with the provider's name (see `provider_of`) where two dialects look alike.
    """
    if not isinstance(body, dict):
        return None
    said = _by_path(path)
    if said in _WHERE:
        return DIALECTS[said]
    if said == "a call" and _NO_ANSWER.search(model_in_path(path)):
        return None
    found = None if said == "no call" else by_shape(provider, body)
    if found is None and said == "a call":
        return DIALECTS[_COHERE if isinstance(body.get("message"), str) else _COMPLETION]
    return found


@lru_cache(maxsize=512)
def _by_path(path: str) -> str:
    """The name of the dialect that a path says; else `a call`, `no call`, or empty."""
    plain = plain_path(path)
    for pattern, dialect, _ in _PATHS:
        if pattern.search(plain):
            return dialect
    if _BY_BODY.search(plain):
        return "a call"
    return "no call" if _NO_CALL.search(plain) else ""


def by_shape(provider: str, body: dict[str, Any]) -> Dialect | None:
    """The dialect that a body is written in, by its shape and the provider's name alone."""
    found = _shape(provider, body)
    return None if found is None else DIALECTS[found]


def _shape(provider: str, body: dict[str, Any]) -> str | None:
    if _is_gemini(body.get("contents")):
        return _GEMINI
    if "messages" in body:
        return _by_messages(provider, body)
    if "message" in body and ("chat_history" in body or provider == "cohere"):
        return _COHERE
    model = word(body.get("model"))
    if "input" in body or "previous_response_id" in body or "conversation" in body:
        if _NO_ANSWER.search(model) or "encoding_format" in body or "voice" in body:
            return None
        if "model_id" in body:  # watsonx
            return _COMPLETION
        listed = any(isinstance(item, dict) for item in items_of(body.get("input")))
        if listed or not _RESPONSES_KEYS.isdisjoint(body) or isinstance(body.get("input"), str):
            return _RESPONSES
        return None
    return _COMPLETION if isinstance(body.get("prompt"), str | list) and model else None


def _is_gemini(contents: Any) -> bool:
    return isinstance(contents, list) or (isinstance(contents, dict) and "parts" in contents)


def _by_messages(provider: str, body: dict[str, Any]) -> str | None:
    if not isinstance(body["messages"], list | tuple):
        return _CHAT if "model" in body else None
    model = word(body.get("model"))
    if not _CONVERSE_KEYS.isdisjoint(body):
        return _CONVERSE
    if "anthropic_version" in body or _is_anthropic(provider, model, body):
        return _ANTHROPIC
    if provider == "cohere" or (not provider and model.startswith("command")):
        return _COHERE
    if provider == "ollama" or not {"keep_alive", "options"}.isdisjoint(body):
        return _OLLAMA
    if provider == "aws.bedrock" and not model and _untyped(body["messages"]):
        return _CONVERSE
    return _CHAT


def _is_anthropic(provider: str, model: str, body: dict[str, Any]) -> bool:
    if provider == "anthropic" or (model.startswith("claude") and "max_tokens" in body):
        return True
    if "system" in body or "stop_sequences" in body or "thinking" in body:
        return "max_tokens" in body
    return any("input_schema" in obj(tool) for tool in items_of(body.get("tools")))


def _untyped(messages: Any) -> bool:
    """True when the first message holds blocks without a type, as in Converse."""
    blocks = obj(messages[0]).get("content") if messages else None
    return any("type" not in block for block in items_of(blocks) if isinstance(block, dict))


def plain_path(path: str) -> str:
    """A path without host, query and fragment, unquoted."""
    plain = path.partition("?")[0].partition("#")[0]
    plain = re.sub(r"^[a-z]+://[^/]*", "", plain)
    return "/" + unquote(plain).strip("/")


_HOSTS: Final[tuple[tuple[str, str], ...]] = (
    (r"(^|\.)openai\.azure\.com$|\.cognitiveservices\.azure\.com$", "azure.ai.openai"),
    (
        r"\.(services|inference|models)\.ai\.azure\.com$|^models\.inference\.ai",
        "azure.ai.inference",
    ),
    (r"(^|\.)api\.openai\.com$|^api\.openai\.|(^|\.)chatgpt\.com$", "openai"),
    (r"(^|\.)anthropic\.com$", "anthropic"),
    (r"^bedrock[^.]*\..*(amazonaws\.com(\.cn)?|api\.aws)$", "aws.bedrock"),
    (r"^generativelanguage\.googleapis\.com$", "gcp.gemini"),
    (r"aiplatform\.googleapis\.com$", "gcp.vertex_ai"),
    (r"(^|\.)cohere\.(com|ai)$", "cohere"),
    (r"(^|\.)deepseek\.com$", "deepseek"),
    (r"(^|\.)groq\.com$", "groq"),
    (r"(^|\.)mistral\.ai$", "mistral_ai"),
    (r"(^|\.)x\.ai$", "x_ai"),
    (r"(^|\.)perplexity\.ai$", "perplexity"),
    (r"(^|\.)moonshot\.(ai|cn)$", "moonshot_ai"),
    (r"\.ml\.cloud\.ibm\.com$", "ibm.watsonx.ai"),
)
_PROVIDERS: Final = tuple((re.compile(pattern), name) for pattern, name in _HOSTS)
_SUFFIXES: Final = frozenset({"co", "com", "ac", "org"})


@lru_cache(maxsize=512)
def provider_of(host_or_uri: str) -> str:
    """The standard `gen_ai.provider.name` of a host or URL.

    For a host without a standard name its own word: `openrouter` of `openrouter.ai`, `writer` of
    `api.writer.com`. Port 11434 is `ollama`. Empty when there is no name: an address, a local host.
    """
    found = re.sub(r"^[a-zA-Z][a-zA-Z+.-]*://", "", host_or_uri.strip())
    found = re.split(r"[/?#]", found, maxsplit=1)[0].rpartition("@")[2].lower()
    if found.endswith(":11434"):
        return "ollama"
    host = re.sub(r":\d*$", "", found).rstrip(".")
    for pattern, name in _PROVIDERS:
        if pattern.search(host):
            return name
    if not re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}", host):
        return ""
    words = host.split(".")[:-1]
    if len(words) > 1 and words[-1] in _SUFFIXES:
        words.pop()
    return words[-1] if words else ""


_MODEL: Final = re.compile(
    r"/model/(.+)/(?:invoke|converse)[a-z-]*$"
    r"|/models?/([^/:]+(?::\d+)?)(?=:(?:stream)?[a-zA-Z]+$|$)"
    r"|/deployments/([^/]+)/"
)
_STREAMS: Final = re.compile(r":stream[A-Z]\w*$|-stream$")


def model_in_path(path: str) -> str:
    """The model that a path names, as Gemini, Bedrock and Azure do; else empty."""
    found = _MODEL.search(plain_path(path))
    return (found[1] or found[2] or found[3]) if found else ""


def stream_in_path(path: str) -> bool:
    """True when a path asks for a stream, as those of Gemini and Bedrock do."""
    return bool(_STREAMS.search(plain_path(path)))
