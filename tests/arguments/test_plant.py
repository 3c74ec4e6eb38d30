"""The served schema: rows AS045 to AS059, strict mode, references, other keywords."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given

from otel_footprint.arguments import RESERVED, Arguments, Planter, plant, unplant
from otel_footprint.arguments.sentences import MARKER, findings_schema
from otel_footprint.text.jsontext import dumps

from .test_reader import JSON


def schema(**more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": {"type": "string"}}, **more}


def test_as045_a_copy_gets_it_and_everything_else_is_shared() -> None:
    base = schema(required=["a"], additionalProperties=False)
    before = copy.deepcopy(base)
    made = plant(base)
    assert list(made.schema["properties"]) == ["a", RESERVED]
    assert made.schema["required"] is base["required"]
    assert made.schema["properties"]["a"] is base["properties"]["a"]
    assert base == before
    assert made.planted


def test_as046_an_authors_own_wins() -> None:
    base = schema(properties={RESERVED: {"type": "string"}})
    made = plant(base)
    assert made.schema is base
    assert (made.planted, made.reason) == (False, "author")


def test_as047_planting_twice_changes_nothing_more() -> None:
    once = plant(schema())
    twice = plant(once.schema)
    assert twice.schema is once.schema
    assert twice.planted
    strict = plant(schema(), strict=True)
    assert plant(strict.schema).strict


@pytest.mark.parametrize("properties", [None, [], "x"])
def test_as048_without_properties_it_is_the_only_one(properties: object) -> None:
    made = plant({"type": "object", "properties": properties})
    assert list(made.schema["properties"]) == [RESERVED]
    assert list(plant({}).schema["properties"]) == [RESERVED]


def test_as059_it_has_the_marker_and_from_alone() -> None:
    made = findings_schema()
    assert made["description"] == MARKER
    assert list(made["properties"]) == ["from"]
    assert made["required"] == ["from"]
    entry = made["properties"]["from"]["items"]
    assert list(entry["properties"]) == ["argument", "source", "quote", "id"]
    assert entry["properties"]["source"]["enum"] == ["user", "result", "turn", "app", "assumed"]
    assert entry["required"] == ["argument", "source"]


def test_it_costs_little_on_every_tool_of_every_request() -> None:
    made = Planter().plant("t", schema())
    assert made.added == len(dumps(made.schema)) - len(dumps(schema()))
    assert made.added < 700


def test_as058_as059_tools_without_rules_may_be_left_alone() -> None:
    rules = {"t1": {"arguments": {"a": {"assume": "x"}}}}
    ruled = Arguments(plant="ruled", tools=rules)
    assert (ruled.plants("t1"), ruled.plants("t2")) == (True, False)
    assert Arguments(tools=rules).plants("t2")
    assert not Arguments(sources=False, tools=rules).plants("t1")


@pytest.mark.parametrize("strict", [False, True])
def test_as054_unplanting_gives_the_original_also_of_a_deep_copy(strict: bool) -> None:
    base = schema(required=["a"], additionalProperties=False)
    made = plant(base, strict).schema
    assert unplant(made) == base
    assert unplant(copy.deepcopy(made)) == base


@pytest.mark.parametrize("given_", [schema(), "x", None, 5, schema(properties={RESERVED: {}})])
def test_as055_as056_anything_else_comes_back_as_it_is(given_: object) -> None:
    assert unplant(given_) is given_


def test_it_is_never_required_by_the_tool() -> None:
    assert plant(schema(required=["a"])).schema["required"] == ["a"]
    assert "required" not in plant(schema()).schema


def test_in_strict_mode_it_is_listed_and_nullable() -> None:
    made = plant(schema(required=["a"], additionalProperties=False), strict=True).schema
    assert made["required"] == ["a", RESERVED]
    ours = made["properties"][RESERVED]
    assert ours["type"] == ["object", "null"]
    entry = ours["properties"]["from"]["items"]
    for inner in (ours, entry):
        assert inner["additionalProperties"] is False
        assert inner["required"] == list(inner["properties"])
    assert entry["properties"]["quote"]["type"] == ["string", "null"]


def test_a_reference_at_the_root_is_followed_once() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    base = {"$defs": {"Node": node}, "$ref": "#/$defs/Node"}
    made = plant(base)
    assert list(made.schema["properties"]) == ["next", RESERVED]
    assert "$ref" not in made.schema
    assert made.schema["$defs"]["Node"] is node
    assert RESERVED not in node["properties"]
    assert made.edit("t1") is None


@pytest.mark.parametrize(
    ("base", "reason"),
    [
        ({"$ref": "#"}, "reference"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}, "reference"),
        (
            {
                "$ref": "#/$defs/a",
                "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
            },
            "reference",
        ),
        ({"$ref": "https://example.com/schema"}, "reference"),
        ({"$ref": "#/$defs/none"}, "reference"),
        ({"$ref": 5}, "reference"),
        ({"type": "string"}, "not-an-object"),
        ({"type": 7}, "not-an-object"),
        ({"type": ["array", "null"]}, "not-an-object"),
        ({"anyOf": [{"type": "object"}]}, "combined"),
        ({"type": "object", "maxProperties": 1}, "closed"),
        (None, "no-schema"),
        (True, "no-schema"),
        ("x", "no-schema"),
    ],
)
def test_a_schema_that_cannot_take_it_is_served_as_it_is(base: Any, reason: str) -> None:
    made = plant(base)
    assert made.schema is base
    assert (made.planted, made.reason) == (False, reason)


def test_the_served_schema_is_the_same_object_for_the_whole_run() -> None:
    planter, base = Planter(), schema()
    first = planter.plant("t1", base)
    assert planter.plant("t1", base) is first
    assert planter.plant("t1", copy.deepcopy(base)) is first
    assert planter.plant("t1", schema(required=["a"])) is not first
    assert json.dumps(planter.plant("t1", base).schema) == json.dumps(first.schema)
    assert planter.plant("t1", base, strict=True).strict


def test_the_same_is_an_edit_of_a_plan() -> None:
    edit = plant(schema(), strict=True).edit("t1")
    assert edit is not None
    assert (edit.tool, edit.name, edit.required) == ("t1", RESERVED, True)
    assert edit.schema == plant(schema(), strict=True).schema["properties"][RESERVED]
    assert plant(None).edit("t1") is None


@given(JSON)
def test_any_schema_is_planted_or_left_without_raising(base: Any) -> None:
    before = repr(base)
    made = plant(base, strict=True)
    assert repr(base) == before
    assert (made.schema is base) or made.planted
    if made.planted and isinstance(base, dict) and isinstance(base.get("properties"), dict):
        back = unplant(made.schema)
        assert back["properties"] == base["properties"] or RESERVED in base["properties"]
