"""Prompt templates say facts of a closed vocabulary, all of them or nothing (rows PT)."""

from __future__ import annotations

import pytest

from otel_footprint.errors import DeclarationError
from otel_footprint.injection.context import Context
from otel_footprint.injection.template import (
    Template,
    is_template,
    placeholders,
    refuse_unknown,
)
from otel_footprint.injection.vocabulary import WORDS

ALL_THREE = "{{action}}, {{actionBudget}}, {{actionsRemaining}}"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{{action}}", ["action"]),
        ("{{ action }}", ["action"]),
        ("{{\u00a0action\ufeff}}", ["action"]),
        ("{{\naction\u2028}}", ["action"]),
        ("{{action}}{{action}}", ["action"]),
        ("{{action}} {{foo}} {{bar}} {{foo}}", ["action", "foo", "bar"]),
        ("{{Action}}", ["Action"]),
        ("{{a1_b}}", ["a1_b"]),
        ("{{{action}}}", ["action"]),
        ("{{{{action}}}}", ["action"]),
        ("\\{{action}}", ["action"]),
        ("", []),
        ("plain words", []),
        ("{action}", []),
        ("{{action}", []),
        ("{{}}", []),
        ("{{ }}", []),
        ("{{act ion}}", []),
        ("{{action-left}}", []),
        ("{{\u0085action}}", []),
        ("{{\x1caction}}", []),
        ("{{äction}}", []),
    ],
)
def test_a_placeholder_is_a_name_in_double_braces(text, names):
    assert list(placeholders(text)) == names
    assert is_template(text) == bool(names)


def test_an_unknown_word_is_refused_by_name_with_what_there_is():
    with pytest.raises(DeclarationError) as caught:
        refuse_unknown("{{Action}} {{foo}} {{foo}} {{action}}", "instruction 'x' template")
    said = str(caught.value)
    assert "instruction 'x' template" in said
    assert said.count("{{Action}}, {{foo}};") == 1
    assert all(f"{{{{{word}}}}}" in said for word in WORDS)
    refuse_unknown("{{action-left}} is no placeholder", "x")


@pytest.mark.parametrize("budget", [None, -1, -2, 1.5, 3.0, True, "12", [], float("nan")])
def test_a_budget_that_is_no_whole_number_is_unavailable(budget):
    ctx = Context(action=1, action_budget=budget)
    assert Template("{{actionsRemaining}} {{action}} {{actionBudget}}").missing(ctx) == (
        "actionsRemaining",
        "actionBudget",
    )
    assert Template("{{action}} {{actionBudget}}").render(ctx) is None
    assert Template("{{action}}").render(ctx) == "1"
    assert ctx.actions_remaining is None


@pytest.mark.parametrize(
    ("action", "budget", "text"),
    [(25, 30, "25, 30, 5"), (31, 30, "31, 30, 0"), (1, 0, "1, 0, 0"), (0, 5, "0, 5, 5")],
)
def test_all_facts_are_rendered(action, budget, text):
    ctx = Context(action=action, action_budget=budget)
    assert Template(ALL_THREE).missing(ctx) == ()
    assert Template(ALL_THREE).render(ctx) == text


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("{{{action}}}", "{7}"),
        ("{{{{action}}}}", "{{7}}"),
        ("\\{{action}} %s {0} $1", "\\7 %s {0} $1"),
        ("", ""),
        ("no facts", "no facts"),
        ("{{action}} {{foo}}", "7 {{foo}}"),
        ("{{ foo }}", "{{ foo }}"),
    ],
)
def test_what_is_no_known_placeholder_stays_as_it_is(text, rendered):
    assert Template(text).render(Context(action=7)) == rendered


def test_the_room_in_the_window_is_a_fact_like_the_others():
    text = "{{contextRemaining}} tokens left"
    assert Template(text).render(Context(context_remaining=1200)) == "1200 tokens left"
    assert Template(text).render(Context()) is None
    assert Template(text).missing(Context()) == ("contextRemaining",)


def test_a_word_is_one_entry_with_a_type_a_text_and_a_rule_for_its_absence():
    for name, word in WORDS.items():
        assert (word.name, word.type) == (name, int)
        assert word.doc.endswith(".")
        value = word.value(Context(action=1))
        assert value is None or type(value) is word.type


def test_adding_a_word_is_adding_one_entry(monkeypatch):
    word = WORDS["action"]._replace(name="weekday", value=lambda facts: None)
    monkeypatch.setitem(WORDS, "weekday", word)
    refuse_unknown("{{weekday}}", "x")
    assert Template("{{weekday}}").missing(Context()) == ("weekday",)
    assert Template("{{weekday}}").render(Context()) is None
