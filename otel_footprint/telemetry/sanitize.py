"""One sanitiser in front of every SDK call: what passes here, every SDK and exporter takes.

A lone surrogate in a name or a status loses the whole export batch, one in a value loses the
attribute; so do integers beyond 64 bit, and maps, nulls and mixed lists up to SDK 1.44; an object
whose `__str__` raises would raise into the wrapped agent. Nothing here raises, and no method of
an unknown object is called. NaN and infinities pass: OTLP carries them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

Value = str | bool | int | float | list[str] | list[bool] | list[int] | list[float]
"""What an attribute of ours may hold."""

_MIN: Final = -(2**63)
_MAX: Final = 2**63 - 1
_DIGITS: Final = 512
"""Bits of the longest integer that is spelled out."""
_BAD: Final = re.compile("[\0\ud800-\udfff]")
_QUALNAME: Final = type.__dict__["__qualname__"].__get__
_STR, _INT, _FLOAT, _BOOL = ({id(t)} for t in (str, int, float, bool))
_NUMBERS: Final = _INT | _FLOAT


def clean_text(text: str) -> str:
    """The text with U+FFFD for each lone surrogate and each NUL; the same object when clean."""
    if type(text) is str and text.isascii() and "\0" not in text:
        return text
    return _text(text)


def clean_attributes(attributes: Mapping[str, Any]) -> dict[str, Value]:
    """Attributes that any SDK takes as they are, in the same order.

    None is left out (absent). An integer beyond 64 bit becomes its digits, a list of several types
    a list of strings, anything else a string that names its type.
    """
    out: dict[str, Value] = {}
    for key, value in attributes.items():
        if type(key) is not str or not key.isascii() or "\0" in key:
            key = _text(key)
        kind = type(value)
        if kind is str:
            out[key] = value if value.isascii() and "\0" not in value else _text(value)
        elif kind is int:
            out[key] = value if _MIN <= value <= _MAX else _digits(value)
        elif kind is bool or kind is float:
            out[key] = value
        elif value is not None:
            out[key] = _value(value)
    return out


def opaque_name(value: object) -> str:
    """Text for a value that no attribute can hold: its type, never its content."""
    try:
        name = _QUALNAME(type(value))
    except Exception:
        name = "object"
    return f'{{"$opaque":"{name}"}}'


def _text(text: object) -> str:
    if not issubclass(type(text), str):
        return opaque_name(text)
    exact = str.__str__(text)
    try:
        exact.encode()
    except UnicodeEncodeError:
        return _BAD.sub("\ufffd", exact)
    return exact.replace("\0", "\ufffd") if "\0" in exact else exact


def _digits(value: int) -> str:
    bits = int.bit_length(value)
    return int.__str__(value) if bits <= _DIGITS else f'{{"$opaque":"int of {bits} bits"}}'


def _value(value: Any) -> Value:
    kind = type(value)
    if kind is list:
        return _list(value)
    if kind is tuple:
        return _list(list(value))
    return _scalar(value) if not issubclass(kind, (list, tuple)) else _sequence(value)


def _scalar(value: Any) -> str | bool | int | float:
    kind = type(value)
    if kind is bool:
        return bool(value)
    if issubclass(kind, str):
        return _text(value)
    if issubclass(kind, int):
        exact = int.__int__(value)
        return exact if _MIN <= exact <= _MAX else _digits(exact)
    if issubclass(kind, float):
        return float.__float__(value)
    return opaque_name(value)


def _sequence(value: Any) -> Value:
    if issubclass(type(value), list):
        return _list(list.copy(value))
    return _list(list(tuple.__getitem__(value, slice(None))))


def _list(values: list[Any]) -> Value:
    kinds = set(map(id, map(type, values)))
    if kinds == _STR:
        return values if _is_clean("".join(values)) else [_text(v) for v in values]
    if kinds in (_FLOAT, _BOOL) or not kinds:
        return values
    if kinds == _INT and min(values) >= _MIN and max(values) <= _MAX:
        return values
    if kinds == _NUMBERS and all(abs(v) <= _MAX for v in values if type(v) is int):
        return [float(v) for v in values]
    return [_spelled(v) for v in values]


def _spelled(value: Any) -> str:
    if value is None:
        return "null"
    plain = _scalar(value)
    if type(plain) is bool:
        return "true" if plain else "false"
    return plain if type(plain) is str else repr(plain)


def _is_clean(text: str) -> bool:
    if "\0" in text:
        return False
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
