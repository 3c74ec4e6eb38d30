"""Bytes inside a request: what can be put back exactly is media, everything else is text."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest

from otel_footprint.text.media import decoded, spelled
from otel_footprint.wire import find_media

RAW = bytes(range(100))
B64 = base64.b64encode(RAW).decode()
URL = f"data:image/png;base64,{B64}"

MEDIA: list[tuple[dict[str, Any], str, str]] = [
    ({"url": URL}, "url", "image/png"),
    ({"type": "input_image", "image_url": URL}, "image_url", "image/png"),
    ({"file_data": f"data:application/pdf;base64,{B64}"}, "file_data", "application/pdf"),
    ({"file_data": B64}, "file_data", ""),
    ({"data": B64, "format": "mp3"}, "data", "audio/mp3"),
    ({"type": "base64", "media_type": "image/png", "data": B64}, "data", "image/png"),
    ({"mimeType": "image/png", "data": B64}, "data", "image/png"),
    ({"mime_type": "image/png", "data": B64}, "data", "image/png"),
    ({"bytes": B64}, "bytes", ""),
    ({"id": "a", "data": B64, "transcript": "x"}, "data", ""),
    ({"type": "image_generation_call", "result": B64}, "result", ""),
    ({"url": f"data:text/plain;charset=utf-8;base64,{B64}"}, "url", "text/plain"),
]  # fmt: skip

ODD = b"\xfb\xef\xff" * 30 + b"\xff"
SAFE = base64.urlsafe_b64encode(ODD).decode()
URL_SAFE_TEXTS = [
    ({"mimeType": "image/png", "data": SAFE}, "base64url"),
    ({"mime_type": "image/png", "data": SAFE.rstrip("=")}, "base64url-unpadded"),
]
"""As Gemini takes them, and its SDK writes them."""

TEXTS: list[tuple[dict[str, Any], str]] = [
    ({"type": "redacted_thinking", "data": B64}, "data"),
    ({"encrypted_content": B64}, "encrypted_content"),
    ({"signature": B64}, "signature"),
    ({"thoughtSignature": B64}, "thoughtSignature"),
    ({"text": URL}, "text"),
    ({"type": "web_search_call", "result": B64}, "result"),
    ({"url": "https://example.com/a.png"}, "url"),
    ({"url": "data:image/svg+xml,<svg/>"}, "url"),
    ({"bytes": B64, "more": 1}, "bytes"),
    ({"type": "base64", "data": B64[:-1]}, "data"),
    ({"type": "base64", "data": B64[:-4] + "ab\n="}, "data"),
    ({"type": "base64", "data": B64[:4] + " " * 4 + B64[4:]}, "data"),
    ({"type": "base64", "data": "_-_-" + B64}, "data"),
    ({"type": "base64", "data": "é" * 64}, "data"),
    ({"type": "base64", "data": "QUJ="}, "data"),
    ({"type": "base64", "data": "====" * 16}, "data"),
    ({"type": "base64", "media_type": "image/png", "data": SAFE}, "data"),
    ({"mimeType": "image/png", "data": SAFE[:-1]}, "data"),
    ({"mimeType": "image/png", "data": SAFE.replace("-", "+")}, "data"),
    ({"mimeType": "text/plain", "data": "two words"}, "data"),
]


@pytest.mark.parametrize(("parent", "key", "type_"), MEDIA)
def test_media(parent: dict[str, Any], key: str, type_: str) -> None:
    found = find_media(parent, key, parent[key])
    assert found is not None
    assert (found.type, found.size) == (type_, len(RAW))
    assert found.sha256 == hashlib.sha256(RAW).hexdigest()
    assert found.prefix + base64.b64encode(RAW).decode() == parent[key]
    assert found.prefix + found.data == parent[key]


@pytest.mark.parametrize(("parent", "key"), TEXTS)
def test_texts(parent: dict[str, Any], key: str) -> None:
    assert find_media(parent, key, parent[key]) is None


@pytest.mark.parametrize(("parent", "spelling"), URL_SAFE_TEXTS)
def test_url_safe_media(parent: dict[str, Any], spelling: str) -> None:
    found = find_media(parent, "data", parent["data"])
    assert found is not None
    assert (found.type, found.size, found.prefix) == ("image/png", len(ODD), spelling)
    assert found.sha256 == hashlib.sha256(ODD).hexdigest()
    assert decoded(found.data) == ODD
    assert spelled(found.prefix, ODD) == parent["data"]
