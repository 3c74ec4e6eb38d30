"""OTLP/JSON documents of the spans that `builder` makes."""

from __future__ import annotations

import json
from typing import Any


def encoded(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": k, "value": any_value(v)} for k, v in attributes.items()]


def any_value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [any_value(v) for v in value]}}
    return {"stringValue": value}


def document(spans: list[dict[str, Any]]) -> dict[str, Any]:
    """One request that holds these spans, each in its scope."""
    scopes: dict[str, list[dict[str, Any]]] = {}
    for span in spans:
        bare = {k: v for k, v in span.items() if k != "scope"}
        scopes.setdefault(span["scope"], []).append(bare)
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": encoded({"service.name": "tests"})},
                "scopeSpans": [{"scope": {"name": s}, "spans": x} for s, x in scopes.items()],
            }
        ]
    }


def as_lines(spans: list[dict[str, Any]]) -> bytes:
    """A file of lines, a span a line."""
    return b"".join(json.dumps(document([s]), ensure_ascii=False).encode() + b"\n" for s in spans)
