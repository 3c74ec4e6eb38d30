"""The catalogue: one line for every name, made where the name is spelled."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

FORMAT: Final = 1
"""Version of the trail format. A reader reads all older ones."""
SCOPE: Final = "otel_footprint"
"""Name of our instrumentation scope."""

Type = Literal["string", "int", "double", "boolean", "string[]", "int[]", "double[]"]


class Entry(NamedTuple):
    """One line of the catalogue."""

    name: str
    kind: Literal["span", "event", "attribute", "metric"]
    type: str
    """Of an attribute its type; of a metric its instrument; else empty."""
    unit: str
    where: str
    """Where it stands: span or event names, comma separated; of a metric its attributes."""
    meaning: str


CATALOG: dict[str, Entry] = {}
"""By name."""


def _add(entry: Entry) -> str:
    if entry.name in CATALOG:
        raise ValueError(f"{entry.name} is in the catalogue twice")
    CATALOG[entry.name] = entry
    return entry.name


def span(name: str, meaning: str) -> str:
    """Spells a span's name."""
    return _add(Entry(name, "span", "", "", "", meaning))


def event(name: str, where: str, meaning: str) -> str:
    """Spells an event's name."""
    return _add(Entry(name, "event", "", "", where, meaning))


def attr(name: str, type_: Type, where: str, meaning: str, unit: str = "") -> str:
    """Spells an attribute's name."""
    return _add(Entry(name, "attribute", type_, unit, where, meaning))


def metric(name: str, instrument: str, unit: str, where: str, meaning: str) -> str:
    """Spells a metric's name."""
    return _add(Entry(name, "metric", instrument, unit, where, meaning))
