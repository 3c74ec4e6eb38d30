"""How large a span is on the wire: an upper bound of its OTLP/protobuf bytes, without encoding it.

The bound is what the encoder writes plus the longest tags and lengths there can be; a test encodes
spans of all kinds and compares.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

_SPAN: Final = 160
"""Ids, times, kind, status, flags, dropped counts, and the tags around them."""
_EVENT: Final = 40
_LINK: Final = 64
_PAIR: Final = 24
"""Tags and lengths of a key and its value."""
_ITEM: Final = 12
_NUMBER: Final = 14
_NUMBERS: Final = (int, float, bool)


def span_size(span: ReadableSpan) -> int:
    """At most so many bytes, without what spans of a request share: see `shared_size`."""
    size = _SPAN + text_size(span.name) + attributes_size(span.attributes)
    if span.status.description:
        size += text_size(span.status.description)
    context = span.context
    if context is not None and context.trace_state:
        size += sum(text_size(k) + text_size(v) + 2 for k, v in context.trace_state.items())
    for event in span.events:
        size += _EVENT + text_size(event.name) + attributes_size(event.attributes)
    for link in span.links:
        size += _LINK + attributes_size(link.attributes)
    return size


def shared_size(span: ReadableSpan) -> int:
    """At most so many bytes of resource and scope, which stand once for spans that share them."""
    size = 48 + attributes_size(span.resource.attributes) + text_size(span.resource.schema_url)
    scope = span.instrumentation_scope
    if scope is not None:
        size += text_size(scope.name) + text_size(scope.version) + text_size(scope.schema_url)
        size += attributes_size(scope.attributes)
    return size


def text_size(text: str | None) -> int:
    """UTF-8 bytes; a lone surrogate, which no encoder takes, counts three."""
    if not text:
        return 0
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def attributes_size(attributes: Mapping[str, Any] | None) -> int:
    """At most so many bytes of attributes."""
    if not attributes:
        return 0
    size = 0
    copy = getattr(attributes, "copy", None)  # a dict: the SDK's own mapping is slow to walk
    for key, value in (attributes if copy is None else copy()).items():
        size += _PAIR + (len(key) if key.isascii() else text_size(key))
        kind = type(value)
        if kind is str:
            size += len(value) if value.isascii() else text_size(value)
        elif kind is tuple or kind is list:
            size += _array_size(value)
        elif kind is int or kind is bool or kind is float:
            size += _NUMBER
        else:
            size += _any_size(value, 0)
    return size


def _array_size(values: Sequence[Any]) -> int:
    if not values:
        return _ITEM
    first = type(values[0])
    if first is str:
        try:
            return _ITEM * (len(values) + 1) + text_size("".join(values))
        except TypeError:
            return _any_size(values, 0)
    if first in _NUMBERS and all(type(v) in _NUMBERS for v in values):
        return _NUMBER * (len(values) + 1)
    return _any_size(values, 0)


def _any_size(value: Any, depth: int) -> int:
    if isinstance(value, str):
        return _ITEM + text_size(value)
    if isinstance(value, (bytes, bytearray)):
        return _ITEM + len(value)
    if depth < 100:
        if isinstance(value, Mapping):
            pairs: Iterable[tuple[Any, Any]] = value.items()
            return _ITEM + sum(
                _PAIR + text_size(str(k)) + _any_size(v, depth + 1) for k, v in pairs
            )
        if isinstance(value, Sequence):
            return _ITEM + sum(_ITEM + _any_size(v, depth + 1) for v in value)
    return _NUMBER
