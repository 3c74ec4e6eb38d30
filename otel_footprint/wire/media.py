"""Images, sounds and files inside a request: where their bytes stand and what type they are."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from typing import Any, Final

from otel_footprint.text.media import UNPADDED, URL_SAFE, decoded, spelled
from otel_footprint.text.skeleton import Media

_URLS: Final = frozenset(
    {"url", "uri", "image_url", "file_data", "file_url", "audio_url", "video_url", "document_url"}
)
"""Keys under which a `data:` URL is a file; elsewhere it is a text like any other.

All keys that are looked at here stand in `text.skeleton.MEDIA_KEYS`.
"""

_URL_SAFE: Final = re.compile("[A-Za-z0-9_-]*={0,2}")
_TYPES: Final = ("media_type", "mimeType", "mime_type")
_KINDS: Final = {
    "image_url": "image", "input_image": "image", "image": "image", "image_file": "image",
    "input_audio": "audio", "audio": "audio", "audio_url": "audio", "video_url": "video",
    "video": "video", "file": "file", "input_file": "file", "document_url": "file",
    "container_upload": "file", "computer_screenshot": "image",
}  # fmt: skip
"""Types of content parts that are media in every dialect that has them."""


def find_media(parent: dict[str, Any], key: str, value: str) -> Media | None:
    """The media that the string `value` under `key` of `parent` is, or None.

    Only what can be put back exactly: the prefix and the base64 text of the decoded bytes give the
    same string. The alphabet is the standard one; beside a MIME type (Gemini, whose SDK writes it)
    it may be the URL-safe one, with or without padding. Everything else, the signatures and
    encrypted texts of providers too, is a text.
    """
    prefix, type_ = "", ""
    if key in _URLS and value[:5] == "data:":
        head, comma, _ = value.partition(",")
        if not comma or not head.endswith(";base64"):
            return None
        prefix, type_ = head + comma, head[5:-7].partition(";")[0]
    elif key == "data" or key == "bytes" or key == "result" or key == "file_data":
        found = _type_beside(parent, key)
        if found is None:
            return None
        type_ = found
    else:
        return None
    media = _decoded(value, prefix, type_)
    if media is None and key == "data" and any(name in parent for name in _TYPES[1:]):
        return _url_safe(value, type_)
    return media


def _url_safe(value: str, type_: str) -> Media | None:
    if not _URL_SAFE.fullmatch(value):
        return None
    try:
        raw = decoded(value)
    except ValueError:
        return None
    for spelling in (URL_SAFE, UNPADDED):
        if spelled(spelling, raw) == value:
            return Media(type_, len(raw), hashlib.sha256(raw).hexdigest(), spelling, value)
    return None


def _type_beside(parent: dict[str, Any], key: str) -> str | None:
    """The media type that the keys beside the bytes say; empty: media of unsaid type."""
    if key == "file_data":
        return ""
    if key == "result":
        format_ = parent.get("output_format")
        made = parent.get("type") == "image_generation_call"
        return (f"image/{format_}" if isinstance(format_, str) else "") if made else None
    if key == "bytes":
        return "" if len(parent) == 1 else None
    for name in _TYPES:
        if isinstance(parent.get(name), str):
            return str(parent[name])
    if isinstance(parent.get("format"), str):
        return f"audio/{parent['format']}"
    if parent.get("type") == "base64" or ("transcript" in parent and "id" in parent):
        return ""
    return None


def _decoded(value: str, prefix: str, type_: str) -> Media | None:
    data = value[len(prefix) :] if prefix else value
    if len(data) % 4:
        return None
    try:
        raw = base64.b64decode(data, validate=True)
    except ValueError:
        return None
    if binascii.b2a_base64(raw, newline=False) != data.encode("ascii"):
        return None
    return Media(type_, len(raw), hashlib.sha256(raw).hexdigest(), prefix, data)


def media_type(part: dict[str, Any]) -> str | None:
    """The media type of a content part, empty when it does not say; None: no media."""
    kind = part.get("type")
    if not isinstance(kind, str) or kind not in _KINDS:
        return None
    for key in ("source", "input_audio", kind, "file"):
        inner = part.get(key)
        if isinstance(inner, dict) and (found := _said(inner)):
            return found
    return _said(part)


def _said(part: dict[str, Any]) -> str:
    for name in _TYPES:
        if isinstance(part.get(name), str):
            return str(part[name])
    for name, value in part.items():
        if name in _URLS and isinstance(value, str) and value[:5] == "data:":
            return value[5:].partition(",")[0].partition(";")[0]
    format_ = part.get("format")
    return f"audio/{format_}" if isinstance(format_, str) and "data" in part else ""
