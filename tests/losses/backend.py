"""What backends do to a trail between the exporter and a reader."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

Json = dict[str, Any]
LIMIT = 2_048


def each_span(request: Json) -> Iterator[tuple[list[Json], Json]]:
    """Every span with the list that it stands in."""
    for resource in request["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in list(scope["spans"]):
                yield scope["spans"], span


def cut(request: Json, limit: int = LIMIT) -> Json:
    """Every string value and string event attribute shortened, as Tempo does; arrays stay."""

    def shorten(attributes: list[Json]) -> list[Json]:
        for pair in attributes:
            text = pair["value"].get("stringValue")
            if text is not None:
                kept = text.encode()[:limit].decode("utf-8", "ignore")
                pair["value"]["stringValue"] = kept
        return attributes

    return changed(request, shorten)


def cut_arrays_too(request: Json, limit: int) -> Json:
    """As `cut`, and the strings inside arrays as well."""

    def shorten(attributes: list[Json]) -> list[Json]:
        for pair in attributes:
            values = pair["value"].get("arrayValue", {}).get("values", [pair["value"]])
            for value in values:
                if "stringValue" in value:
                    value["stringValue"] = value["stringValue"][:limit]
        return attributes

    return changed(request, shorten)


def sort_keys(request: Json) -> Json:
    """Attribute keys in alphabetical order, as Jaeger returns them."""
    return changed(request, lambda attributes: sorted(attributes, key=lambda pair: pair["key"]))


def changed(request: Json, change: Callable[[list[Json]], list[Json]]) -> Json:
    """A copy with the attributes of all spans and events changed."""
    made = copy.deepcopy(request)
    for _, span in each_span(made):
        for holder in (span, *span.get("events", ()), *span.get("links", ())):
            if "attributes" in holder:
                holder["attributes"] = change(holder["attributes"])
    return made


def drop(request: Json, which: Callable[[int], bool]) -> Json:
    """A copy without the spans whose number, from 0, `which` names."""
    made = copy.deepcopy(request)
    for number, (spans, span) in enumerate(each_span(made)):
        if which(number):
            spans.remove(span)
    return made
