"""The span limits in force: an SDK drops or cuts silently what is over them, so we ask first."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

DEFAULT_COUNT: Final = 128


class Limits(NamedTuple):
    """Limits of one provider. None means no limit, except where nothing is known: see `known`."""

    attributes: int | None = DEFAULT_COUNT
    """Attributes of a span; the oldest are evicted."""
    events: int | None = DEFAULT_COUNT
    """Events of a span; the oldest are dropped."""
    event_attributes: int | None = DEFAULT_COUNT
    """Attributes of one event; the oldest are evicted."""
    links: int | None = DEFAULT_COUNT
    """Links of a span; the oldest are dropped."""
    value_length: int | None = None
    """Characters of a string value, also of each string of an array, on a span; cut silently."""
    event_value_length: int | None = None
    """The same inside an event."""
    known: bool = False
    """False: the provider is not an SDK one; the values are those of the environment."""


_FIELDS: Final = {
    "attributes": "max_span_attributes",
    "events": "max_events",
    "event_attributes": "max_event_attributes",
    "links": "max_links",
    "value_length": "max_span_attribute_length",
    "event_value_length": "max_attribute_length",
}


def limits_of(provider: object, env: Mapping[str, str] = os.environ) -> Limits:
    """The limits of a tracer provider; for one that does not say, those of the environment."""
    found = getattr(provider, "_span_limits", None)
    if found is None or not all(_is_limit(found, name) for name in _FIELDS.values()):
        return _from_env(env)
    return Limits(known=True, **{ours: getattr(found, sdk) for ours, sdk in _FIELDS.items()})


def _is_limit(limits: Any, name: str) -> bool:
    value = getattr(limits, name, "")
    return value is None or type(value) is int


def _from_env(env: Mapping[str, str]) -> Limits:
    count = _number(env, "OTEL_ATTRIBUTE_COUNT_LIMIT", DEFAULT_COUNT)
    length = _number(env, "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", None)
    return Limits(
        attributes=_number(env, "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", count),
        events=_number(env, "OTEL_SPAN_EVENT_COUNT_LIMIT", DEFAULT_COUNT),
        event_attributes=_number(env, "OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT", count),
        links=_number(env, "OTEL_SPAN_LINK_COUNT_LIMIT", DEFAULT_COUNT),
        value_length=_number(env, "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", length),
        event_value_length=length,
    )


def _number(env: Mapping[str, str], name: str, default: int | None) -> int | None:
    text = env.get(name, "").strip()
    return int(text) if text.isdigit() and text.isascii() else default
