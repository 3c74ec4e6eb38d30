"""Rows of arguments read back, and hints for traces that never had any."""

from __future__ import annotations

import json
from typing import Any

from otel_footprint.records.arguments import ArgumentRow, Ref
from otel_footprint.telemetry import names
from otel_footprint.trail.argument_rows import row_of
from otel_footprint.trail.arguments import Seen, hints
from otel_footprint.wire.types import Part

ROW = ArgumentRow(
    "lookup",
    "c1",
    "flights[0].date",
    "hint",
    coincides="result",
    reading=True,
    malformed=2,
    size=0,
    common=True,
    carriers=(Ref("result", 0, "near", "t1", "k1"), Ref("tools", 1, "own choice", "x", "k2")),
    more_carriers=3,
    turn=2,
    value="5",
)


def event(row: ArgumentRow, content: bool = True) -> dict[str, Any]:
    return {names.ARGUMENT_FIELDS[k]: v for k, v in row.fields(content=content).items()}


def call(arguments: Any, name: str = "lookup") -> Part:
    return Part("tool_call", json.dumps(arguments), name, "c1")


def said(source: str, text: str, key: str = "", id_: str = "") -> Seen:
    kind = "tool_result" if source == "tool-result" else "text"
    return Seen("messages", source, (Part(kind, text),), key, id_)


def test_a_row_is_read_back_as_it_was_written() -> None:
    assert row_of(event(ROW)) == ROW


def test_a_row_is_read_back_after_a_store_changed_its_spelling() -> None:
    stored: dict[str, Any] = {
        k: json.dumps(v) if isinstance(v, list) else float(v) if type(v) is int else v
        for k, v in event(ROW).items()
    }
    assert row_of(stored) == ROW


def test_what_is_no_row_gives_an_empty_one() -> None:
    odd = {names.ARGUMENT_SIZE: "many", names.ARGUMENT_READING: [], names.ARGUMENT_CARRIERS: 7}
    assert row_of(odd) == ArgumentRow("", "", "")


def test_each_value_is_found_in_the_first_kind_of_piece_that_carries_it() -> None:
    tool = {"name": "lookup", "input_schema": {"properties": {"class": {"enum": ["economy"]}}}}
    front = [
        said("base", "House number 77."),
        said("user", "Fly AA10 on May 20, 2024", "k1"),
        said("assistant", "I will take zz-9."),
        said("tool-result", '{"price":1200,"seat":"12A"}', "k2", "t1"),
        Seen("tools", "registry", (Part("definition", json.dumps(tool), "lookup"),), "k3"),
    ]
    asked = {
        "flight": "AA10",
        "date": "2024-05-20",
        "price": "1,200.00",
        "class": "economy",
        "house": 77,
        "own": "zz-9",
        "part": "AA1",
        "nested": [{"seat": "12A"}],
    }
    found = {row.argument: row for row in hints([call(asked)], front)}
    assert {name: (row.verdict, row.coincides) for name, row in found.items()} == {
        "flight": ("hint", "person"),
        "date": ("hint", "person"),
        "price": ("hint", "result"),
        "class": ("hint", "tools"),
        "house": ("hint", "app"),
        "own": ("nowhere", None),
        "part": ("nowhere", None),
        "nested[0].seat": ("hint", "result"),
    }
    assert found["price"].carriers == (Ref("result", 0, "tokens", "t1", "k2"),)
    assert found["price"].produced_by == ("t1",)


def test_nowhere_is_not_said_while_a_text_is_missing() -> None:
    front = [said("user", "Fly AA10"), Seen("messages", "tool-result", None)]
    rows = hints([call({"a": "AA10", "b": "BB7"})], front)
    assert [row.verdict for row in rows] == ["hint", "uncheckable"]


def test_what_the_library_wrote_is_nobodys_word() -> None:
    planted = {
        "properties": {"_findings": {"description": "[otel-footprint sources 1]", "enum": ["qq-1"]}}
    }
    front = [
        said("user", "[argument check — call c0 of x ran with qq-1]"),
        Seen("tools", "registry", (Part("definition", json.dumps(planted), "lookup"),)),
    ]
    assert [row.verdict for row in hints([call({"a": "qq-1"})], front)] == ["nowhere"]


def test_arguments_that_are_no_json_are_one_value() -> None:
    rows = hints([Part("tool_call", "SELECT 1", "sql", "c1")], [said("user", "run SELECT 1")])
    assert [(row.argument, row.verdict) for row in rows] == [("", "hint")]
