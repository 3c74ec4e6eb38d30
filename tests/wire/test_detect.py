"""Which dialect a request is written in, and who the provider is."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from otel_footprint.wire import (
    credentials,
    dialect_for,
    model_in_path,
    provider_of,
    stream_in_path,
)

CHAT = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
EMBED = {"model": "text-embedding-3-small", "input": ["a"]}

PATHS: list[tuple[str, dict[str, Any], str | None]] = [
    ("/v1/chat/completions", CHAT, "openai.chat"),
    ("chat/completions", CHAT, "openai.chat"),
    ("https://x.openai.azure.com/openai/deployments/d/chat/completions?v=1", CHAT, "openai.chat"),
    ("https://api.groq.com/openai/v1/chat/completions", CHAT, "openai.chat"),
    ("https://api.mistral.ai/v1/chat/completions#stream", CHAT, "openai.chat"),
    ("https://api.writer.com/v1/chat", CHAT, "openai.chat"),
    ("/v1/responses", {"input": "x"}, "openai.responses"),
    ("/v1/responses/compact", {"input": []}, "openai.responses"),
    ("/v1/messages?beta=true", CHAT, "anthropic.messages"),
    ("https://h/anthropic/v1/messages", CHAT, "anthropic.messages"),
    ("/v1/messages/count_tokens", CHAT, None),
    ("/v1/threads/t1/messages", {"role": "user", "content": "hi"}, None),
    ("/v1/threads", {"messages": []}, None),
    ("/v1/threads/t1/runs", {"assistant_id": "a"}, "openai.assistants"),
    ("/v1beta/models/gemini-2:generateContent", {"contents": []}, "gemini.generate_content"),
    ("/v1/models/g:streamGenerateContent?alt=sse", {"contents": []}, "gemini.generate_content"),
    ("/model/anthropic.claude-v1%3A0/converse", {"messages": []}, "bedrock.converse"),
    ("/model/m/converse-stream", {"messages": []}, "bedrock.converse"),
    ("/model/m/invoke", {**CHAT, "anthropic_version": "x"}, "anthropic.messages"),
    ("/model/m/invoke", {"messages": [], "inferenceConfig": {}}, "bedrock.converse"),
    ("/model/m/invoke", {"inputText": "hi"}, "text.completion"),
    ("/model/cohere.command-r-v1%3A0/invoke", {"message": "hi", "p": 0.9}, "cohere.chat"),
    ("/model/m/invoke-with-response-stream", {"prompt": "hi", "max_gen_len": 1}, "text.completion"),
    (
        "/v1/projects/p/publishers/anthropic/models/c:streamRawPredict",
        {**CHAT, "anthropic_version": "vertex"},
        "anthropic.messages",
    ),
    ("/v2/chat", CHAT, "cohere.chat"),
    ("/api/chat", CHAT, "ollama.chat"),
    ("/v1/completions", {"prompt": "x"}, "text.completion"),
    ("/v1/embeddings", EMBED, None),
    ("/model/amazon.titan-embed-text-v2%3A0/invoke", {"inputText": "hi"}, None),
    ("/model/cohere.rerank-v3/invoke", {"query": "hi", "documents": ["a"]}, None),
    ("/v1beta/cachedContents", {"model": "m", "contents": [{"parts": [{"text": "hi"}]}]}, None),
    ("https://api.search.example/find", {"query": "hi", "contents": {"text": True}}, None),
    ("/ml/v1/text/generation?version=1", {"model_id": "m", "input": "hi"}, "text.completion"),
    ("/ml/v1/text/generation_stream", {"model_id": "m", "input": "hi"}, "text.completion"),
    ("", {"model_id": "m", "input": "hi"}, "text.completion"),
    ("", {"model": "m", "prompt": ["hi"]}, "text.completion"),
    ("", {"contents": {"parts": [{"text": "hi"}]}}, "gemini.generate_content"),
    ("/v1/traces/ingest", {"data": []}, None),
    ("**REDACTED**", {"input": "x", "model": "gpt-4o", "stream": True}, "openai.responses"),
    ("**REDACTED**", EMBED, None),
    ("", {**CHAT, "model": "claude-x", "max_tokens": 1}, "anthropic.messages"),
    ("", {**CHAT, "system": "x", "max_tokens": 1}, "anthropic.messages"),
    ("", {**CHAT, "keep_alive": 1}, "ollama.chat"),
    ("", {**CHAT, "toolConfig": {}}, "bedrock.converse"),
    ("", CHAT, "openai.chat"),
    ("", {"a": 1}, None),
]  # fmt: skip


@pytest.mark.parametrize(("path", "body", "name"), PATHS)
def test_dialects(path: str, body: dict[str, Any], name: str | None) -> None:
    found = dialect_for("", path, body)
    assert (found.name if found else None) == name


def test_a_body_that_is_no_object_has_none() -> None:
    assert dialect_for("openai", "/v1/chat/completions", [1]) is None  # type: ignore[arg-type]


PROVIDERS = {
    "https://api.openai.com/v1/responses": "openai",
    "eu.api.openai.com": "openai",
    "https://api.anthropic.com": "anthropic",
    "https://bedrock-runtime.us-east-1.amazonaws.com/model/x": "aws.bedrock",
    "bedrock-runtime.cn-north-1.amazonaws.com.cn": "aws.bedrock",
    "https://bedrock-mantle.us-east-1.api.aws/openai/v1": "aws.bedrock",
    "https://x.openai.azure.com/openai": "azure.ai.openai",
    "x.services.ai.azure.com": "azure.ai.inference",
    "https://generativelanguage.googleapis.com": "gcp.gemini",
    "https://us-central1-aiplatform.googleapis.com/v1": "gcp.vertex_ai",
    "https://aiplatform.googleapis.com": "gcp.vertex_ai",
    "https://api.cohere.com/v2/chat": "cohere",
    "api.deepseek.com": "deepseek",
    "api.groq.com:443": "groq",
    "https://api.mistral.ai": "mistral_ai",
    "https://api.x.ai": "x_ai",
    "https://api.perplexity.ai": "perplexity",
    "https://api.moonshot.cn": "moonshot_ai",
    "https://openrouter.ai/api/v1": "openrouter",
    "https://api.writer.com/v1/chat": "writer",
    "https://api.example.co.uk/": "example",
    "http://127.0.0.1:11434/api/chat": "ollama",
    "http://localhost:8000": "",
    "http://10.0.0.1": "",
    "https://evil-openai.com": "evil-openai",
    "": "",
    "**REDACTED**": "",
}


@pytest.mark.parametrize(("uri", "name"), PROVIDERS.items(), ids=PROVIDERS)
def test_providers(uri: str, name: str) -> None:
    assert provider_of(uri) == name


def test_what_a_path_says() -> None:
    gemini = "/v1beta/models/gemini-2.0-flash:streamGenerateContent?alt=sse"
    assert (model_in_path(gemini), stream_in_path(gemini)) == ("gemini-2.0-flash", True)
    bedrock = "/model/us.amazon.nova-micro-v1%3A0/converse"
    assert (model_in_path(bedrock), stream_in_path(bedrock)) == ("us.amazon.nova-micro-v1:0", False)
    profile = "arn:aws:bedrock:us-east-1:1:inference-profile/us.amazon.nova-micro-v1:0"
    assert model_in_path(f"/model/{quote(profile, safe='')}/converse-stream") == profile
    assert stream_in_path("/model/m/converse-stream")
    assert stream_in_path("/model/m/invoke-with-response-stream")
    assert model_in_path("/openai/deployments/mine/chat/completions") == "mine"
    vertex = "/v1/projects/p/publishers/anthropic/models/claude@1:rawPredict"
    assert model_in_path(vertex) == "claude@1"
    assert (model_in_path("/v1/chat/completions"), stream_in_path("/v1/responses")) == ("", False)


def test_credentials_in_bodies() -> None:
    body = {
        "tools": [
            {"type": "mcp", "headers": {"X-Key": "one"}, "authorization": "two", "server_url": "u"},
            {"type": "function", "headers": {"a": "not this"}},
        ],
        "mcp_servers": [{"url": "u", "authorization_token": "three"}],
    }
    assert credentials(body) == ("one", "two", "three")
    assert credentials({"tools": None}) == ()
