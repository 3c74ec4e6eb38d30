"""The search for carriers: spellings, parts, order, the cache."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.text.cache import SearchCache
from otel_footprint.text.carriers import Carrier, Searchable, carriers
from otel_footprint.text.dates import Date, date_of
from otel_footprint.text.values import is_common, leaves, number_of, numbers_in


@pytest.mark.parametrize(
    ("value", "text", "how"),
    [
        (1200, "costs 1200 now", "verbatim"),
        (1200, "costs $1,200.00", "tokens"),
        (1200, "kostet 1.200,00 €", "number"),
        (1200, "1'200 CHF, 1\u202f200 F", "number"),
        (1200, "1.2e3", "number"),
        (1200, "x1200, 12001, 120", None),
        ("Economy", "in economy class", "tokens"),
        ("economy", "in basic_economy", None),
        ("yara_garcia_1905", "mail yara_garcia_1905@gmail.com.", None),
        ("2024-05-20", "on 2024-05-20.", "verbatim"),
        ("2024-05-20", "departs 2024-05-20T06:00:00", "date"),
        ("2024-05-20", "on May 20th, 2024", "date"),
        ("2024-05-20", "20 May 2024, 5/20/2024", "date"),
        ("2024-05-20", "20.05.2024", "date"),
        ("2024-05-20", "20240520", "date"),
        ("2024-05-20", "on May 20th", "near"),
        ("2024-05-20", "on May 20th, 2023", None),
        ("2024-05-20", "May 200, 12024-05-20, 2024-05-201, 120 May 2024", None),
        ("2024-06-05", "05/06/2024", "near"),
        ("2024-06-05", "June 05, 2024", "date"),
        ("May 20", "2024-05-20", "near"),
        ("北京", "我在北京", "verbatim"),
        ("JOSÉ", "josé said", "tokens"),
        ("２４ｈ", "over 24h", "tokens"),
        (True, '{"ok":true}', "verbatim"),
        (0, "none", None),
    ],
)
def test_how_a_text_spells_a_value(value: object, text: str, how: str | None) -> None:
    found = carriers(value, [text]).carriers
    assert [c.how for c in found] == ([how] if how else [])


def test_exact_carriers_come_closest_first_and_near_ones_apart() -> None:
    found = carriers("2024-05-20", ["May 20", "20240520", "2024-05-20", "x"])
    assert found.exact == (Carrier(2, "verbatim"), Carrier(1, "date"))
    assert found.near == (Carrier(0, "near"),)


@pytest.mark.parametrize("value", ["", "——", None, [1], float("nan"), object()])
def test_a_value_without_a_token_cannot_be_told(value: object) -> None:
    found = carriers(value, ["anything"])
    assert found.carriers == ()
    assert not found.checkable


@pytest.mark.parametrize(
    ("value", "day"),
    [
        ("2024-02-29", Date(2024, 2, 29)), ("2023-02-29", None), ("05/06/2024", None),
        ("13/06/2024", Date(2024, 6, 13)), ("Sept. 4", Date(None, 9, 4)), ("sometime", None),
        ("2024-05-20T10:00:00", None), (20240520, None), ("0000-01-01", None),
        ("9999-12-31", Date(9999, 12, 31)), ("99/99/2024", None),
    ],
)  # fmt: skip
def test_a_date_is_one_in_one_reading_only(value: object, day: Date | None) -> None:
    assert date_of(value) == day


@given(st.dates(min_value=datetime.date(1900, 1, 1), max_value=datetime.date(2099, 12, 31)))
def test_every_day_is_found_in_every_form(day: datetime.date) -> None:
    month = ["January", "February", "March", "April", "May", "June", "July", "August",
             "September", "October", "November", "December"][day.month - 1]  # fmt: skip
    for text in (
        f"{day:%Y%m%d}",
        f"{day.year}/{day.month}/{day.day}",
        f"{month} {day.day}, {day.year}",
        f"{day.day:02} {month[:3]}. {day.year}",
    ):
        assert [c.how for c in carriers(day.isoformat(), [f"on {text} at"]).carriers] == ["date"]
        assert carriers((day + datetime.timedelta(days=40)).isoformat(), [text]).carriers == ()


@pytest.mark.parametrize(
    ("value", "common"),
    [
        (True, True), (5, True), ("5", True), (99, True), (100, False), (-7, True), ("Li", True),
        ("yes", True), ("all", True), ("JFK", False), ("a b", False), ("", True),
    ],
)  # fmt: skip
def test_what_is_too_usual_to_tell_much(value: object, common: bool) -> None:
    assert is_common(value) is common


def test_leaves_have_paths_and_nulls_are_none() -> None:
    value = {"a": [{"b": 1, "c": None}, "x"], "d": True, "e": float("nan"), 5: "k"}
    found = [tuple(leaf) for leaf in leaves(value)]
    assert found == [("a[0].b", 1), ("a[1]", "x"), ("d", True), ("5", "k")]


def test_leaves_end_in_a_cycle() -> None:
    cycle: list[object] = [1]
    cycle += [cycle, cycle]
    assert [leaf.value for leaf in leaves(cycle)] == [1]
    deep: list[object] = [1]
    for _ in range(100):
        deep = [2, deep]
    assert len(list(leaves(deep))) == 64


def test_numbers_have_one_spelling() -> None:
    assert {number_of(v) for v in ("1,200.00", "1.200,00", 1200, 1200.0)} == {"1200"}
    assert numbers_in("1.200 and 1,200") == frozenset()
    assert number_of(True) is None


def test_the_cache_is_bounded_and_a_hash_is_not_believed_blindly() -> None:
    cache = SearchCache(max_chars=1000)
    first = cache.get("a" * 100, "h1")
    assert cache.get("a" * 100, "h1") is first
    assert cache.get("b" * 100, "h1").text == "b" * 100
    for i in range(50):
        cache.get(f"{i:0100}", str(i))
    assert len(cache) < 10
    assert cache.chars <= 1000
    huge = cache.get("c" * 100_000)
    assert cache.get("c" * 100_000) is huge
    assert len(cache) == 1
    cache.clear()
    assert (len(cache), cache.chars) == (0, 0)


@given(st.one_of(st.text(), st.floats(), st.integers(), st.booleans()), st.lists(st.text()))
def test_nothing_raises(value: object, texts: list[str]) -> None:
    found = carriers(value, [*texts, *(Searchable(t) for t in texts)])
    assert found.unread == ()
    places = [c.at % max(1, len(texts)) for c in found.carriers]
    assert places == sorted(places[: len(places) // 2]) * 2
