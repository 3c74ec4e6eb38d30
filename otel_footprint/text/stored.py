"""Names in a content store, for both sides: what is written by hash is found by hash.

text/ab/abcdef...json     the texts of one piece: a JSON list, skeleton first, then its leaves
media/ab/abcdef...        the decoded bytes of an image, a sound or a file, by their SHA-256
"""

from __future__ import annotations

import json
from collections.abc import Sequence


def text_path(key: str) -> str:
    """Path of a piece's texts; `key` is its hash as the trail writes it (or a layout's)."""
    return f"text/{key[:2]}/{key}.json"


def media_path(sha256: str) -> str:
    """Path of the bytes with this SHA-256, in hex."""
    return f"media/{sha256[:2]}/{sha256}"


def to_bytes(texts: Sequence[str]) -> bytes:
    """The texts of a piece as they are stored; a lone surrogate stands escaped."""
    return json.dumps(list(texts), ensure_ascii=True, separators=(",", ":")).encode()


def from_bytes(data: bytes) -> list[str] | None:
    """The inverse of `to_bytes`; None for anything else."""
    try:
        value = json.loads(data)
    except ValueError:
        return None
    if isinstance(value, list) and value and all(isinstance(text, str) for text in value):
        return value
    return None
