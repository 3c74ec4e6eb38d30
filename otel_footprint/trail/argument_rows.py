"""Rows of arguments as events say them."""

from __future__ import annotations

from typing import Any, Final, get_type_hints

from ..records.arguments import ArgumentRow, Ref
from ..telemetry import names
from . import values

_FIELDS: Final = {name: short for short, name in names.ARGUMENT_FIELDS.items()}
_TYPES: Final = get_type_hints(ArgumentRow)


def row_of(attributes: values.Attributes) -> ArgumentRow:
    """The row that an event was written from; fields that are missing or unreadable are absent."""
    read: dict[str, Any] = {}
    for name in attributes:
        field = _FIELDS.get(name, "")
        kind = _TYPES.get(field)
        if field not in ArgumentRow._fields or field == "carriers":
            continue
        found: Any
        if kind is bool:
            found = values.flag(attributes, name)
        elif kind is int or kind == int | None:
            found = values.integer(attributes, name)
        else:
            found = values.text(attributes, name)
        if found is not None:
            read[field] = found
    said = {"tool": "", "call_id": "", "argument": "", **read}
    return ArgumentRow(**said, carriers=_carriers(attributes))


def _carriers(attributes: values.Attributes) -> tuple[Ref, ...]:
    keys = values.texts(attributes, names.ARGUMENT_CARRIERS) or []
    kinds = values.texts(attributes, names.ARGUMENT_CARRIER_KINDS) or []
    found = values.texts(attributes, names.ARGUMENT_CARRIER_IDS) or []
    out = []
    for at, said in enumerate(kinds):
        kind, _, how = said.partition(" ")
        id_ = found[at] if at < len(found) else ""
        key = keys[at] if at < len(keys) else ""
        out.append(Ref(kind, at, how, id_, key))  # type: ignore[arg-type]
    return tuple(out)
