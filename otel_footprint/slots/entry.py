"""One piece of a slot as an entry: identity, exact text, size, source.

An entry is what a composition is made of. Its texts are not kept: they are made again from the
request's own element when they have to be written.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final, NamedTuple

from ..records.digest import text_identity
from ..text import jsontext, skeleton

Hash = Callable[[str], str]
FLAT: Final = 4
"""Keys of an identity that is looked at for being flat."""
_TEXTS: Final = frozenset({str})
EXACT: Final = 16
"""Digits of the exact hash, which always stands beside the identity's 32."""


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
    split: skeleton.Split | None
    """None when not recording, and when the text is not wanted."""


def make(piece: Piece, hash_: Hash, find_media: skeleton.FindMedia | None = None) -> Fresh:
    """The entry of a piece that is recorded."""
    value = piece.value
    try:
        split = skeleton.split(value, find_media)
    except Exception:  # no JSON, or an object whose own methods raise
        value = jsontext.plain(value)
        split = skeleton.split(value, find_media)
    identity = hash_(f"{piece.role}\n{identity_source(piece.identity, find_media)}")
    exact = _exact(split, hash_)
    entry = Entry(
        identity,
        exact,
        piece.size,
        piece.tokens,
        piece.source,
        piece.role,
        piece.id,
        piece.reason,
        piece.frame,
    )
    return Fresh(entry, value, split)


def respelled(
    fresh: Fresh, value: Any, hash_: Hash, find_media: skeleton.FindMedia | None = None
) -> Fresh:
    """The entry of a piece that is known already, in another spelling."""
    split = skeleton.split(value, find_media)
    return Fresh(fresh.entry._replace(exact=_exact(split, hash_)), value, split)


def _exact(split: skeleton.Split, hash_: Hash) -> str:
    plain = not split.leaves and not split.media
    return hash_(split.skeleton if plain else skeleton.source(split))[:EXACT]


def identity_source(identity: Any, find_media: skeleton.FindMedia | None = None) -> str:
    """The text that a piece's identity is hashed of, without its role: keys are sorted.

    No text is that of an object (`records.digest: text_identity`).
    """
    if isinstance(identity, str):
        return text_identity(str.__str__(identity))
    try:
        few = isinstance(identity, dict) and dict.__len__(identity) <= FLAT
        flat = _flat(identity) if few else None
        if flat is not None:
            return flat
        split = skeleton.split(in_order(identity), find_media)
    except Exception:  # no JSON, or an object whose own methods raise
        split = skeleton.split(in_order(jsontext.plain(identity)), find_media)
    return f"\0{skeleton.source(split)}"


def _flat(identity: dict[str, Any]) -> str | None:
    """Of an object that holds strings and short values only: keys, lengths and texts."""
    if set(map(type, identity)) != _TEXTS:
        return None
    out = [""]
    for key, value in sorted(dict.items(identity)):
        if not key.isidentifier():  # with blanks in keys two objects could give one text
            return None
        if issubclass(type(value), str):
            value = str.__str__(value)
            out.append(f"{key} {len(value)} {value}")
            continue
        text = jsontext.dumps_sorted(value)
        if not skeleton.is_own_skeleton(text):
            return None
        out.append(f"{key} ={len(text)} {text}")
    return "\0".join(out)


def _by_key(item: tuple[Any, Any]) -> str:
    return str(item[0])


def in_order(value: Any) -> Any:
    """The value with sorted keys; the same object where there is nothing to sort."""
    kind = type(value)
    if issubclass(kind, dict):  # an OrderedDict too: its copy is a plain one
        items = sorted(dict.items(value), key=_by_key)
        return {k: in_order(v) for k, v in items}
    if kind is list or kind is tuple:
        return [in_order(v) for v in value]
    return value


def make_light(piece: Piece) -> Fresh:
    """The entry of a piece that is only measured: no hash, no text."""
    return Fresh(
        Entry(
            "", "", piece.size, piece.tokens, piece.source, piece.role, piece.id, piece.reason, ""
        ),
        piece.value,
        None,
    )


def strings(
    fresh: Fresh, known: tuple[str, ...] | None, find_media: skeleton.FindMedia | None
) -> list[str]:
    """The texts to write for a piece: skeleton first, then the leaves that are not known yet."""
    split = fresh.split
    if split is None:
        return []
    if known and split.leaves and split.leaves != known:
        split = skeleton.respell(fresh.value, known, find_media)
    first = skeleton.printable(split.skeleton)
    return [first] if known and split.leaves else [first, *split.leaves]


__all__ = [
    "Entry",
    "Fresh",
    "Hash",
    "Piece",
    "identity_source",
    "in_order",
    "keyed_hash",
    "make",
    "make_light",
    "plain_hash",
    "respelled",
    "strings",
]
