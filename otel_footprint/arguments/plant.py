"""The reserved argument in the schema that is served to the model, and out of it again.

The author's schema is never changed: a planted one is a copy that shares everything else. The
reserved argument is never required by the tool, but for schemas in OpenAI's strict mode, which
demand that every property is listed: there it is listed, and may be null. An author's own
argument of that name wins. A schema to which nothing can be added is served as it is, with the
reason. Nothing here raises, and no reference is followed twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from ..records.arguments import RESERVED, is_planted
from ..records.plan import Cause, PlantArgument
from ..text.jsontext import dumps, plain
from . import schema as schemas
from .sentences import findings_schema

Unplanted: TypeAlias = Literal[
    "no-schema", "author", "not-an-object", "combined", "closed", "reference"
]
"""Why a tool is served without it: it has no schema; its own argument has the name; its arguments
are no object; its root is a choice of schemas; its keywords forbid another argument; a reference
at its root cannot be followed."""

_COMBINED: Final = ("anyOf", "oneOf", "allOf", "not", "if")
_CLOSED: Final = ("propertyNames", "maxProperties", "const", "enum")
_TOOLS_KEPT: Final = 4096
"""Tools of a run whose served schema is kept."""


class Planted(NamedTuple):
    """A schema as it is served."""

    schema: Any
    """The very same object when nothing was added."""
    planted: bool
    reason: Unplanted | None = None
    strict: bool = False
    """The argument is listed as required and may be null."""
    simple: bool = False
    """Adding one property (`edit`) gives the same schema."""
    added: int = 0
    """Characters that were added, as compact JSON."""

    def edit(self, tool: str) -> PlantArgument | None:
        """The same as an edit of a plan; None when nothing, or more than that, was added."""
        if not self.simple:
            return None
        cause = Cause("arguments", tool, "declared sources are switched on")
        ours = findings_schema(self.strict)
        return PlantArgument(tool, RESERVED, ours, cause, required=self.strict)


def plant(schema: Any, strict: bool = False) -> Planted:
    """The schema with the reserved argument; planting twice changes nothing more."""
    if not isinstance(schema, Mapping):
        return Planted(schema, False, "no-schema")
    base: Mapping[str, Any] = schema
    if "$ref" in schema:
        behind = schemas.resolve(schema, schema) if isinstance(schema["$ref"], str) else None
        if behind is None:
            return Planted(schema, False, "reference")
        base = {**{k: v for k, v in schema.items() if k != "$ref"}, **behind}
    known = base.get("properties")
    if not isinstance(known, Mapping):
        known = {}
    if RESERVED in known:
        if is_planted(known[RESERVED]):
            return Planted(schema, True, strict=_is_strict(schema))
        return Planted(schema, False, "author")
    refused = _refusal(base)
    if refused is not None:
        return Planted(schema, False, refused)
    made = {**base, "properties": {**known, RESERVED: findings_schema(strict)}}
    if strict:
        listed = base.get("required")
        made["required"] = [*(listed if isinstance(listed, list | tuple) else ()), RESERVED]
    return Planted(made, True, strict=strict, simple=base is schema)


def _refusal(schema: Mapping[str, Any]) -> Unplanted | None:
    kind = schema.get("type", "object")
    kinds = kind if isinstance(kind, list | tuple) else [kind]
    if not any(isinstance(k, str) and k.lower() == "object" for k in kinds):
        return "not-an-object"
    if any(key in schema for key in _COMBINED):
        return "combined"
    return "closed" if any(key in schema for key in _CLOSED) else None


def _is_strict(schema: Mapping[str, Any]) -> bool:
    required = schema.get("required")
    return isinstance(required, list | tuple) and RESERVED in required


def unplant(schema: Any) -> Any:
    """The schema without what `plant` added; anything else is given back as it is."""
    known = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(known, Mapping) or not is_planted(known.get(RESERVED)):
        return schema
    made = {**schema, "properties": {k: v for k, v in known.items() if k != RESERVED}}
    if _is_strict(schema):
        made["required"] = [name for name in schema["required"] if name != RESERVED]
    return made


class Planter:
    """The served schemas of one run: the same tool gets the same object on every call."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, bool], tuple[Any, Any, Planted]] = {}

    def plant(self, tool: str, schema: Any, strict: bool = False) -> Planted:
        """As `plant`; a schema equal to the tool's last one gets the object made for that."""
        last = self._made.get((tool, strict))
        if last is not None and (
            last[0] is schema or (last[2].planted and schemas.same_schema(last[1], schema))
        ):
            return last[2]
        made, known = plant(schema, strict), plain(schema)
        if made.planted and made.schema is not schema:
            made = made._replace(added=len(dumps(plain(made.schema))) - len(dumps(known)))
        if len(self._made) >= _TOOLS_KEPT:
            self._made.pop(next(iter(self._made)))
        self._made[tool, strict] = (schema, known, made)
        return made
