"""Odd corners: bounds of what is kept, values that cannot be written, spellings of last resort."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from otel_footprint.arguments import (
    Arguments,
    AskState,
    Bindings,
    Corpus,
    Planter,
    Prepared,
    Subject,
    ToolCall,
    accept,
    check,
    decide,
)
from otel_footprint.arguments.bind import BoundRules
from otel_footprint.arguments.rows import as_text
from otel_footprint.arguments.sentences import shown
from otel_footprint.records import hints as hints_module
from otel_footprint.records.arguments import AppText, Claim, ResultText, ToolText
from otel_footprint.text import jsonleaves, searchable, tokens
from otel_footprint.text.carriers import Searchable, carriers
from otel_footprint.text.searchable import Needle


def answered(schema: dict[str, Any], rule: dict[str, Any], reply: Any) -> Any:
    """What the call runs with after one reply; None when it is asked for again."""
    made = Bindings(Arguments(tools={"t": {"arguments": {"a": rule}}}))
    made.bind("t", {"properties": {"a": schema}})
    bound = made.of("t")
    assert isinstance(bound, BoundRules)
    batch = [ToolCall("c1", "t", {}, planted=True)]
    state = accept(decide(batch, made, Corpus()).state, {"f1": reply}, {"t": bound}, 1)
    done = decide(batch, made, Corpus(), state)
    return None if done.ask else done.calls[0].arguments["a"]


def test_a_reply_without_an_ask_changes_nothing() -> None:
    state = AskState()
    assert accept(state, {"f1": "x"}, {}, 1) is state


@pytest.mark.parametrize(
    ("kind", "reply", "value"),
    [("boolean", "True", True), ("boolean", "maybe", None), ("number", "1,5", None),
     ("number", "2.50", 2.5), ("boolean", False, False)],
)  # fmt: skip
def test_numbers_and_booleans_may_be_answered_as_text(kind: str, reply: Any, value: Any) -> None:
    assert answered({"type": kind}, {"ask": "?"}, reply) == value


def test_a_choice_that_is_no_text_may_be_answered_as_text() -> None:
    assert answered({"type": "integer"}, {"ask": "?", "choices": [5, 50]}, " 50 ") == 50


def test_a_period_is_answered_in_its_spelling() -> None:
    rules = {
        "arguments": {"a": {"ask": "?"}},
        "period": {"argument": "a", "spelling": "lookback"},
    }
    made = Bindings(Arguments(tools={"t": rules}))
    made.bind("t", {"properties": {"a": {"type": "string"}}})
    batch = [ToolCall("c1", "t", {}, planted=True)]
    bound: dict[str, Any] = {"t": made.of("t")}
    state = accept(decide(batch, made, Corpus()).state, {"f1": "a day"}, bound, 1)
    assert decide(batch, made, Corpus(), state).ask is not None


@pytest.mark.parametrize("source", ["result", "turn", "app"])
def test_a_value_without_a_token_cannot_be_told_from_any_source(source: str) -> None:
    corpus = Prepared(Corpus(results=(ResultText("t1", ("x",)),), app=(AppText("x"),)))
    claim = Claim("a", source, id="t1")
    assert check(claim, "——", corpus, Subject()).failed == "uncheckable"


def test_a_result_may_spell_a_value_in_another_way() -> None:
    corpus = Prepared(Corpus(results=(ResultText("t1", ("on 20 May 2024",)),)))
    found = check(Claim("a", "result", id="t1"), "2024-05-20", corpus, Subject())
    assert (found.source, found.matched) == ("result", "spelling")


def test_a_schema_with_a_python_cycle_is_planted_and_bound_anew() -> None:
    base: dict[str, Any] = {"properties": {"a": {"type": "string"}}}
    base["self"] = base
    other: dict[str, Any] = {"properties": {"a": {"type": "string"}}}
    other["self"] = other
    planter = Planter()
    assert planter.plant("t", base).planted
    assert planter.plant("t", other).planted
    made = Bindings(Arguments(tools={"t": {"arguments": {"a": {"ask": "?"}}}}))
    made.learn("t", base)
    made.learn("t", other)
    assert isinstance(made.of("t"), BoundRules)


@pytest.mark.parametrize(
    ("schema", "default"),
    [
        ({"type": "string", "anyOf": [{"minLength": 1}]}, "x"),
        ({"type": "string", "enum": ["x", None]}, "x"),
        ({"type": "string", "const": "y"}, "x"),
        ({"type": "string", "maxLength": 2}, "xxx"),
        ({"type": "number", "exclusiveMinimum": 1}, 1),
    ],
)
def test_what_a_property_says_of_its_values_holds_for_rules(schema: Any, default: Any) -> None:
    made = Bindings(Arguments(tools={"t": {"arguments": {"a": {"assume": default}}}}))
    made.learn("t", {"properties": {"a": schema}})
    assert isinstance(made.of("t"), str)


def test_bounds_that_make_no_sense_are_read_past() -> None:
    made = Bindings(Arguments(tools={"t": {"arguments": {"a": {"assume": "x"}}}}))
    made.learn("t", {"properties": {"a": {"type": "string", "minimum": 5, "maxLength": "no"}}})
    assert isinstance(made.of("t"), BoundRules)


def test_what_cannot_be_written_is_not_shown() -> None:
    assert as_text([10**5000]) == ""
    assert shown(object()) == "[redacted:argument]"
    assert len(shown("x" * 500)) == 80


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints_module, "_KEPT", 4)
    for i in range(20):
        Prepared(Corpus(tools=(ToolText(f"t{i}", {}, f"k{i}"),)))
    assert len(hints_module._kept) <= 4
    monkeypatch.setattr(sys.modules[Planter.__module__], "_TOOLS_KEPT", 4)
    planter = Planter()
    for i in range(20):
        planter.plant(f"t{i}", {})
    assert len(planter._made) <= 4
    monkeypatch.setattr(searchable, "_DAYS_KEPT", 4)
    text = Searchable("on May 1, 2024")
    for day in range(1, 25):
        text.find(Needle(f"2024-05-{day:02}"))
    assert len(text._days) <= 4
    monkeypatch.setattr(tokens, "_SPELLINGS_KEPT", 4)
    tokens.tokens("one two three four five six")
    assert tokens.tokens("seven") == ["seven"]
    assert len(tokens._spellings) <= 6


def test_a_text_that_stays_in_use_is_read_once_for_all() -> None:
    text = Searchable("nothing of note")
    for i in range(40):
        assert carriers(f"v-{i}", [text]).carriers == ()
    assert text.known is not None
    assert carriers("note", [text]).carriers


def test_json_too_long_to_parse_keeps_its_parts_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonleaves, "MAX_JSON", 10)
    text = '{"a":"checkout","b":"service"}'
    assert carriers("checkout service", [text]).carriers == ()
    assert carriers("checkout", [text]).carriers


def test_a_very_long_text_is_not_searched_for_other_spellings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(searchable, "_MAX_RESPELLED", 5)
    assert carriers("2024-05-20", ["on May 20, 2024"]).carriers == ()
