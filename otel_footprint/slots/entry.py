"""One piece of a slot as an entry: identity, exact text, size, source.

An entry is what a composition is made of. Its texts are not kept: they are made again from the
request's own element when they have to be written.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from hashlib import sha256
from typing import Any, NamedTuple

from ..text import jsontext, skeleton
from .tokens import estimate

Hash = Callable[[str], str]


def plain_hash(text: str) -> str:
    """The first 32 hex digits of SHA-256 over the text's UTF-8 bytes."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def keyed_hash(key: bytes) -> Hash:
    """The same with HMAC-SHA-256 under a key."""

    def keyed(text: str) -> str:
        return hmac.digest(key, text.encode("utf-8", "surrogatepass"), "sha256").hex()[:32]

    return keyed


class Piece(NamedTuple):
    """What the caller knows of a piece: its JSON value and where it comes from."""

    value: Any
    role: str
    source: str
    id: str
    frame: str
    reason: str
    identity: Any
    size: int
    tokens: int


class Entry(NamedTuple):
    """One piece at one place of a slot."""

    hash: str
    """Identity; equal for two spellings of the same piece. Empty when not recording."""
    exact: str
    """Hash of the exact JSON text."""
    size: int
    """Code points of its text."""
    tokens: int
    """Estimated tokens."""
    source: str
    role: str
    id: str
    reason: str
    frame: str


class Fresh(NamedTuple):
    """An entry with what is needed to write its text now."""

    entry: Entry
    value: Any
    text: str
    """The exact compact JSON text; empty when not recording."""


def make(piece: Piece, hash_: Hash) -> Fresh:
    """The entry of a piece that is recorded."""
    text = jsontext.dumps(piece.value)
    identity = hash_(jsontext.dumps_sorted([piece.role, piece.identity]))
    return Fresh(
        Entry(
            identity, hash_(text), piece.size, piece.tokens, piece.source, piece.role, piece.id,
            piece.reason, piece.frame,
        ),
        piece.value,
        text,
    )


def make_light(piece: Piece) -> Fresh:
    """The entry of a piece that is only measured: no hash, no text."""
    return Fresh(
        Entry(
            "", "", piece.size, piece.tokens, piece.source, piece.role, piece.id, piece.reason, ""
        ),
        piece.value,
        "",
    )


def strings(
    fresh: Fresh, find_media: skeleton.FindMedia | None, known: tuple[str, ...] | None
) -> tuple[list[str], skeleton.Split]:
    """The texts to write for a piece: skeleton first, then the leaves that are not known yet."""
    split = skeleton.split(fresh.value, fresh.text, find_media, known or ())
    first = skeleton.printable(split.skeleton)
    return [first] if known else [first, *split.leaves], split


__all__ = [
    "Entry", "Fresh", "Hash", "Piece", "estimate", "keyed_hash", "make", "make_light",
    "plain_hash", "strings",
]
