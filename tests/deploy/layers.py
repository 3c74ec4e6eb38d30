"""The collector's layers as data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from deploy.local.configs import COLLECTOR

LAYERS = sorted(p for p in COLLECTOR.glob("*.yaml") if p.name != "builder.yaml")


def read(name: str | Path) -> dict[str, Any]:
    """One layer."""
    found = yaml.safe_load((COLLECTOR / name).read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def lists(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Paths of the lists in a layer: a later layer's list replaces the list of the same path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from lists(inner, (*path, key))
    elif isinstance(value, list):
        yield path


def components(layer: dict[str, Any]) -> set[tuple[str, str]]:
    """Kind and type of the components that a layer names, for example (`processors`, `batch`)."""
    kinds = ("receivers", "processors", "exporters", "connectors", "extensions")
    return {(kind, name.partition("/")[0]) for kind in kinds for name in layer.get(kind) or {}}
