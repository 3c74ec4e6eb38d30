"""Compact JSON text: the one spelling in which a piece is hashed, written and rebuilt.

The spelling is that of the provider SDKs' own encoder (no blanks, characters as they are), so that
a rebuilt request can be compared with the HTTP body. Key order, explicit nulls and the spelling of
numbers are those of the value.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_SORTED: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _encoding(encoder: json.JSONEncoder) -> Callable[[Any], str]:
    """The encoder's `encode`, without making the C encoder anew for each value."""
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return encoder.encode
    chunks = make(
        None,
        encoder.default,
        json.encoder.encode_basestring,
        None,
        ":",
        ",",
        encoder.sort_keys,
        False,
        True,
    )
    join = "".join
    return lambda value: join(chunks(value, 0))


_encode: Final = _encoding(_ENCODER)
_encode_sorted: Final = _encoding(_SORTED)

MAX_DEPTH: Final = 64
"""Levels of nesting that `plain` follows; what lies deeper becomes an opaque marker."""
MAX_AGAIN: Final = 20_000
"""Values that `plain` follows once more, in containers that stand in several places."""
_ATOMS: Final = frozenset({str, int, float, bool, type(None)})


def dumps(value: Any) -> str:
    """Compact JSON of a JSON value (see `plain` for values that are not JSON).

    Raises what `json` raises: TypeError, ValueError, RecursionError.
    """
    return _encode(value)


def dumps_sorted(value: Any) -> str:
    """Compact JSON with sorted keys: equal for values that differ in key order only."""
    return _encode_sorted(value)


def spelled_alike(one: Any, other: Any) -> bool:
    """Whether two equal JSON values have the same compact JSON; False also where it is not known.

    Equal values differ in the order of keys, in 1, 1.0 and True, and in the sign of zero.
    """
    kind = type(one)
    if kind is not type(other):
        return False
    if kind is dict:
        return list(one) == list(other) and all(map(spelled_alike, one.values(), other.values()))
    if kind is list:
        return all(map(spelled_alike, one, other))
    return kind is str or one is None or kind is bool or kind is int


def encode(text: str) -> bytes:
    """UTF-8 bytes; a lone surrogate is kept as its own three bytes instead of raising."""
    return text.encode("utf-8", "surrogatepass")


def opaque(value: object) -> dict[str, str]:
    """What stands on the record for a value that JSON cannot hold: its type, never its repr."""
    kind = type(value)
    return {"$opaque": f"{kind.__module__}.{kind.__qualname__}"}


def plain(value: Any, depth: int = 0) -> Any:
    """A JSON value for any Python value; never calls user code, never consumes an iterator.

    `dict`, `list`, `tuple`, `str`, `int`, `float`, `bool` and None are kept, bytes become their
    length, everything else an `opaque` marker. Cycles, nesting beyond `MAX_DEPTH` and what would be
    followed too often (`MAX_AGAIN`) end in a marker as well.
    """
    return value if type(value) in _ATOMS else _Plain().value(value, depth)


class _Plain:
    """One walk: `path` holds the containers that it is inside of, `seen` all that it came to."""

    __slots__ = ("path", "room", "seen")

    def __init__(self) -> None:
        self.path: set[int] = set()
        self.seen: set[int] = set()
        self.room = MAX_AGAIN

    def value(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind in _ATOMS:
            return value
        if depth >= MAX_DEPTH or id(value) in self.path or self.room < 0:
            return opaque(value)
        if issubclass(kind, dict):
            items = list(dict.items(value))
            values = self.inside(value, [v for _, v in items], depth)
            keys = [k if type(k) is str else _key(k) for k, _ in items]
            return dict(zip(keys, values, strict=True))
        if kind is list or kind is tuple:
            return self.inside(value, list(value), depth)
        return _scalar(value)

    def inside(self, container: Any, values: list[Any], depth: int) -> list[Any]:
        if id(container) in self.seen:
            self.room -= len(values) + 1
        self.seen.add(id(container))
        self.path.add(id(container))
        out = [self.value(v, depth + 1) for v in values]
        self.path.discard(id(container))
        return out


def _scalar(value: Any) -> Any:
    kind = type(value)
    if kind is bytes or kind is bytearray:
        return {"$opaque": "bytes", "size": str(len(value))}
    if issubclass(kind, str):
        return str.__str__(value)
    if issubclass(kind, int):
        return int.__int__(value)
    if issubclass(kind, float):
        return float.__float__(value)
    return opaque(value)


def _key(key: Any) -> str:
    kind = type(key)
    if issubclass(kind, str):
        return str.__str__(key)
    if kind is bool or key is None:
        return {True: "true", False: "false", None: "null"}[key]
    if issubclass(kind, int):
        return int.__repr__(key)
    return float.__repr__(key) if issubclass(kind, float) else opaque(key)["$opaque"]
