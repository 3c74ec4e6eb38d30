"""Compact JSON text: the one spelling in which a piece is hashed, written and rebuilt.

The spelling is that of the provider SDKs' own encoder (no blanks, characters as they are), so that
a rebuilt request can be compared with the HTTP body. Key order, explicit nulls and the spelling of
numbers are those of the value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
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


def dumps(value: Any) -> str:
    """Compact JSON of a JSON value (see `plain` for values that are not JSON).

    Raises what `json` raises: TypeError, ValueError, RecursionError.
    """
    return _encode(value)


def dumps_sorted(value: Any) -> str:
    """Compact JSON with sorted keys: equal for values that differ in key order only."""
    return _encode_sorted(value)


def encode(text: str) -> bytes:
    """UTF-8 bytes; a lone surrogate is kept as its own three bytes instead of raising."""
    return text.encode("utf-8", "surrogatepass")


def opaque(value: object) -> dict[str, str]:
    """What stands on the record for a value that JSON cannot hold: its type, never its repr."""
    kind = type(value)
    return {"$opaque": f"{kind.__module__}.{kind.__qualname__}"}


def plain(value: Any, depth: int = 0) -> Any:
    """A JSON value for any Python value; never calls user code, never consumes an iterator.

    Exact `dict`, `list`, `tuple`, `str`, `int`, `float`, `bool` and None are kept, bytes become
    their length, everything else an `opaque` marker. Cycles and nesting beyond `MAX_DEPTH` end in
    a marker as well.
    """
    kind = type(value)
    if kind in (str, int, float, bool) or value is None:
        return value
    if depth >= MAX_DEPTH:
        return opaque(value)
    if kind is dict:
        return {k if type(k) is str else _key(k): plain(v, depth + 1) for k, v in value.items()}
    if kind in (list, tuple):
        return [plain(v, depth + 1) for v in value]
    if kind in (bytes, bytearray):
        return {"$opaque": "bytes", "size": str(len(value))}
    if issubclass(kind, str):
        return str.__str__(value)
    if issubclass(kind, bool):
        return bool(value)
    if issubclass(kind, int):
        return int.__int__(value)
    if issubclass(kind, float):
        return float.__float__(value)
    if issubclass(kind, dict):
        return plain(dict.copy(value) if kind is not dict else value, depth)
    return opaque(value)


def _key(key: object) -> str:
    if isinstance(key, bool) or key is None:
        return {True: "true", False: "false", None: "null"}[key]
    if isinstance(key, int | float):
        return str(key)
    return opaque(key)["$opaque"]


def is_object(value: object) -> bool:
    """True for a JSON object."""
    return isinstance(value, Mapping)
