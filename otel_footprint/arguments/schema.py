"""What is needed of JSON schemas: the properties of a tool, local references, what fits.

Schemas come from anywhere: references may form cycles, keywords may hold anything. Nothing here
raises, nothing follows a reference twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..text.values import kind_of

TYPES: Final = ("string", "number", "integer", "boolean")


def resolve(schema: Any, root: Any) -> Mapping[str, Any] | None:
    """The schema behind local references (`#/...`); None for a cycle or a reference elsewhere."""
    seen: set[str] = set()
    while isinstance(schema, Mapping) and isinstance(schema.get("$ref"), str):
        pointer = schema["$ref"]
        if pointer in seen or not pointer.startswith("#"):
            return None
        seen.add(pointer)
        schema = root
        for part in pointer[1:].split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            schema = schema.get(name) if isinstance(schema, Mapping) else None
    return schema if isinstance(schema, Mapping) else None


def properties(schema: Any) -> Mapping[str, Any]:
    """The properties of a tool's schema, behind a reference at its root; empty without any."""
    found = resolve(schema, schema)
    inside = found.get("properties") if found else None
    return inside if isinstance(inside, Mapping) else {}


def plain_type(schema: Any, root: Any) -> str | None:
    """`string`, `number`, `integer` or `boolean`; None for any other type, union or nullable."""
    found = resolve(schema, root)
    if found is None or found.get("nullable"):
        return None
    if any(key in found for key in ("anyOf", "oneOf", "allOf")):
        return None
    enum = found.get("enum")
    if isinstance(enum, list | tuple) and None in enum:
        return None
    kind = found.get("type")
    return kind if isinstance(kind, str) and kind in TYPES else None


def fits(value: Any, schema: Any, root: Any) -> bool:
    """True when a plain value fits a property: its type, its enum, its bounds."""
    found = resolve(schema, root) or {}
    kind = found.get("type")
    if not _is_type(value, kind if isinstance(kind, str) else ""):
        return False
    enum = found.get("enum")
    if isinstance(enum, list | tuple) and not any(same_plain(value, item) for item in enum):
        return False
    if "const" in found and not same_plain(value, found["const"]):
        return False
    return all(_within(value, found.get(key), key) for key in _BOUNDS)


_BOUNDS: Final = {
    "minimum": lambda v, b: v >= b,
    "maximum": lambda v, b: v <= b,
    "exclusiveMinimum": lambda v, b: v > b,
    "exclusiveMaximum": lambda v, b: v < b,
    "minLength": lambda v, b: len(v) >= b,
    "maxLength": lambda v, b: len(v) <= b,
}


def _within(value: Any, bound: Any, key: str) -> bool:
    if kind_of(bound) != "number":
        return True
    if kind_of(value) != ("string" if key.endswith("Length") else "number"):
        return True
    return bool(_BOUNDS[key](value, bound))


def _is_type(value: Any, kind: str) -> bool:
    found = kind_of(value)
    if kind == "integer":
        return found == "number" and (isinstance(value, int) or value.is_integer())
    return found is not None and found == kind


def same_plain(a: Any, b: Any) -> bool:
    """True for equal plain values of one kind: 1 and 1.0, but not 1 and True."""
    return kind_of(a) == kind_of(b) and bool(a == b)


def same_schema(a: Any, b: Any) -> bool:
    """True for equal schemas; False also where they are nested too deep to be compared."""
    try:
        return a is b or bool(a == b)
    except RecursionError:
        return False
