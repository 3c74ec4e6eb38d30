"""JSON text split into a skeleton and its long strings, and put together again.

A piece of context is recorded as a *skeleton*: its compact JSON in which each long string stands
as a bare token, and the long strings themselves, unescaped, as a person wants to read them:

    {"role":"tool","tool_call_id":"c1","content":$0}      + ["the text of the result ..."]

Bare tokens cannot occur in JSON, so nothing needs escaping:

    $3    string 3 of the piece
    @0    media 0 of the piece (an image, a sound, a file), recorded by size and hash
    #2    the next 2 pieces of the slot, joined by commas (a frame: one element, several pieces)
    #s #m #t   all remaining pieces of slot system, messages, tools (a request's layout)
    #s1   the next piece of slot system

A short value is its own skeleton. Hashes are made of skeleton and leaves (`source`), so that a long
text is never escaped on the way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from .jsontext import dumps

SHORT: Final = 256
"""A value whose skeleton and leaves have at most this many characters is kept as one text."""
LEAF: Final = 64
"""Shortest string, in characters, that is taken out of a skeleton."""

MEDIA_KEYS: Final = frozenset(
    {
        "url", "uri", "image_url", "file_data", "file_url", "audio_url", "video_url",
        "document_url", "data", "bytes", "result",
    }
)  # fmt: skip
"""Keys under which a string can be media."""
_MEDIA: Final = re.compile(rf'"(?:{"|".join(sorted(MEDIA_KEYS))})":"')
"""In compact JSON: what may be media."""
_ODD: Final = re.compile(rf"{_MEDIA.pattern}|\\u|[\ud800-\udfff]")
"""In compact JSON: what may be media, or be spelled in another way in a skeleton."""
_TEXTS: Final = frozenset({str})
_TOKEN: Final = re.compile(
    r'"[^"\\]*(?:\\.[^"\\]*)*"|\$\d+|@\d+|#[smt]?\d*(?:,#[smt]?\d*)*', re.DOTALL
)
_escaped: Final = json.encoder.encode_basestring
_escaped_ascii: Final = json.encoder.encode_basestring_ascii


class Media(NamedTuple):
    """A media value inside a piece: what stands on the record instead of its bytes."""

    type: str
    """Media type, for example `image/png`; empty when the request does not say."""
    size: int
    """Bytes after decoding."""
    sha256: str
    """Whole SHA-256 of the decoded bytes, hex."""
    prefix: str
    """What stands before the base64 text, for example `data:image/png;base64,`; or how the text
    is spelled, where it is not in the standard alphabet (`text/media.py`)."""
    data: str
    """The base64 text as it stood in the request, without the prefix."""


FindMedia = Callable[[dict[str, Any], str, str], "Media | None"]
"""Says whether string `value` under `key` of `parent` is media: (parent, key, value)."""


class Split(NamedTuple):
    """A value as a skeleton and what was taken out of it."""

    skeleton: str
    leaves: tuple[str, ...]
    media: tuple[Media, ...]


def split(value: Any, find_media: FindMedia | None = None) -> Split:
    """Splits a JSON value. Raises what `json` raises for a value that is not JSON."""
    if type(value) is dict and set(map(type, value.values())) != _TEXTS:
        whole = dumps(value)
        if is_own_skeleton(whole):
            return Split(whole, (), ())
    walk = _Walk(find_media, [], fixed=False)
    skeleton = walk.value(value)
    if not walk.media and len(skeleton) + sum(map(len, walk.leaves)) <= SHORT:
        return Split(dumps(value) if walk.leaves else skeleton, (), ())
    return Split(skeleton, tuple(walk.leaves), tuple(walk.media))


def is_own_skeleton(text: str) -> bool:
    """True for the compact JSON of a value that `split` keeps as one text, as this very text."""
    if len(text) > SHORT:
        return False
    if text.isascii():
        return "\\u" not in text and _MEDIA.search(text) is None
    return _ODD.search(text) is None


def respell(value: Any, known: Sequence[str], find_media: FindMedia | None = None) -> Split:
    """The skeleton of another spelling of a piece whose leaves are on the record already.

    Strings equal to a `known` leaf refer to it, other long strings stand in the skeleton.
    """
    walk = _Walk(find_media, list(known), fixed=True)
    return Split(walk.value(value), tuple(known), tuple(walk.media))


def source(parts: Split) -> str:
    """The text that hashes of a value are made of: its skeleton, its leaves, its media's hashes."""
    if not parts.leaves and not parts.media:
        return parts.skeleton
    media = (f"{m.type} {m.size} {m.sha256} {m.prefix}" for m in parts.media)
    return "\0".join((parts.skeleton, *parts.leaves, *media))


class _Walk:
    """Writes the skeleton of a value and collects what it takes out."""

    __slots__ = ("find_media", "fixed", "leaves", "media")

    def __init__(self, find_media: FindMedia | None, leaves: list[str], fixed: bool) -> None:
        self.leaves = leaves
        self.media: list[Media] = []
        self.find_media = find_media
        self.fixed = fixed

    def value(self, value: Any) -> str:
        kind = type(value)
        if kind is dict:
            return self.object(value)
        if kind is str:
            return self.string(value)
        if kind is list or kind is tuple:
            return f"[{','.join([self.value(item) for item in value])}]"
        return dumps(value)

    def object(self, value: dict[Any, Any]) -> str:
        out: list[str] = []
        for key, item in value.items():
            if type(item) is str and len(item) < LEAF and item.isascii():
                out.append(f"{_KEYS[key]}{_escaped(item)}")
            else:
                out.append(_KEYS[key] + self.member(value, key, item))
        return f"{{{','.join(out)}}}"

    def member(self, parent: dict[Any, Any], key: Any, item: Any) -> str:
        kind = type(item)
        if kind is dict:
            return self.object(item)
        if kind is not str:
            return self.value(item)
        if len(item) < LEAF:
            return _quoted(item)
        if key in MEDIA_KEYS and self.find_media is not None:
            media = self.find_media(parent, key, item)
            if media is not None:
                self.media.append(media)
                return f"@{len(self.media) - 1}"
        return self.string(item)

    def string(self, value: str) -> str:
        leaves = self.leaves
        if len(value) < LEAF:
            return _escaped(value)
        if leaves and value in leaves:
            return f"${leaves.index(value)}"
        if self.fixed or not is_printable(value):
            return _quoted(value)
        leaves.append(value)
        return f"${len(leaves) - 1}"


def is_printable(text: str) -> bool:
    """False for a text that some exporter or store refuses: a NUL or a lone surrogate."""
    if text.isascii():
        return "\0" not in text
    return "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text)


class _Keys(dict[Any, str]):
    """JSON texts of keys with their colon, made when they are first asked for; bounded."""

    def __missing__(self, key: Any) -> str:
        text = (_quoted(key) if type(key) is str else dumps({key: 0})[1:-3]) + ":"
        if type(key) is str and len(key) < LEAF and len(self) < MAX_KEYS:
            self[key] = text
        return text


MAX_KEYS: Final = 1_000
_KEYS: Final = _Keys()


def _quoted(text: str) -> str:
    return _escaped(text) if is_printable(text) else _escaped_ascii(text)


def printable(text: str) -> str:
    """JSON text in which lone surrogates stand escaped; the same value, safe to export."""
    if is_printable(text):
        return text
    return re.sub("[\ud800-\udfff]", lambda m: f"\\u{ord(m.group()):04x}", text)


def fill(
    skeleton: str,
    leaves: Sequence[str] = (),
    media: Callable[[int], str] | None = None,
) -> str:
    """The JSON text of a piece: the inverse of `split`.

    `media(i)` gives the whole string value of media i. Raises IndexError for a token without its
    string, LookupError for media that is not at hand.
    """

    def token(match: re.Match[str]) -> str:
        found = match.group()
        if found[0] == "$":
            return _escaped(leaves[int(found[1:])])
        if found[0] == "@":
            if media is None:
                raise LookupError(f"media {found[1:]} is not at hand")
            return _escaped(media(int(found[1:])))
        return found

    return _TOKEN.sub(token, skeleton)


def expand(layout: str, take: Callable[[str, int | None], list[str]]) -> str:
    """Puts the texts of pieces into a layout or a frame.

    `take(slot, n)` hands over the next n texts of the slot (`s`, `m`, `t`, or an empty string for
    the slot the frame stands in); n None means all that remain.
    """

    def token(match: re.Match[str]) -> str:
        found = match.group()
        if found[0] != "#":
            return found
        return ",".join(text for hole in found.split(",") for text in take(*_hole(hole)))

    return _TOKEN.sub(token, layout)


def _hole(token: str) -> tuple[str, int | None]:
    slot = token[1:2] if token[1:2].isalpha() else ""
    number = token[1 + len(slot) :]
    return slot, int(number) if number else None
