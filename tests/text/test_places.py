"""Where a value stands: every spelling that the search knows, and never inside a token."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.text.places import MOST, places, with_unit
from otel_footprint.text.searchable import Needle, Searchable


@pytest.mark.parametrize(
    ("value", "text", "found"),
    [
        (1200, "1,200.00 and 1.200,00 and 1\u00a0200", ["1,200.00", "1.200,00", "1\u00a0200"]),
        ("1,200.00", "it is 1200.", ["1200"]),
        (14, "a 14-day stay, 14 nights, v14, 14b, 2014", ["14", "14"]),
        (1200, "1200/month, 1200eur, 1 200,00", ["1200", "1200", "1 200,00"]),
        ("2024-05-20", "on May 20, 2024 or 20.05.2024", ["May 20, 2024", "20.05.2024"]),
        ("Odile Varga", "ODILE  varga, Odile\nVarga, Odile", ["ODILE  varga", "Odile\nVarga"]),
        ("RX-4471", "rx-4471. RX-44712", ["rx-4471"]),
        ("", "anything", []),
    ],
)
def test_the_places_of_a_value(value: object, text: str, found: list[str]) -> None:
    assert [text[a:b] for a, b in places(Needle(value), text)] == found


@given(st.text(), st.text())
def test_nothing_raises_and_places_are_in_the_text(value: str, text: str) -> None:
    found = places(Needle(value), text)
    assert all(0 <= a < b <= len(text) for a, b in found)
    assert len(found) <= MOST


@given(st.integers(0, 10**9), st.text(alphabet="ab 1,.\n", max_size=20))
def test_a_number_that_is_carried_is_found(value: int, around: str) -> None:
    text = f"{around} | {value:,} | {around}"
    needle = Needle(value)
    assert Searchable(text).find(needle) is not None
    assert any(text[a:b] == f"{value:,}" for a, b in places(needle, text))


def test_a_number_inside_an_id_is_no_number_with_a_unit() -> None:
    for text in ("FC-14-2", "14-2", "2014-14-01", "x14-day", "14-day2"):
        assert not list(with_unit(Needle(14), text))


def work(value: str, text: str) -> int:
    """How many functions are called to find no place of a value."""
    counted = 0

    def count(*_: object) -> None:
        nonlocal counted
        counted += 1

    sys.setprofile(count)
    try:
        assert places(Needle(value), text) == ()
    finally:
        sys.setprofile(None)
    return counted


def test_the_work_on_a_value_that_almost_stands_there_grows_with_the_text() -> None:
    value = " - ".join(f"word{n}" for n in range(120))
    for wanted, part in ((f"{value} - x", f"{value} - y "), ("1, 2, 3, 4, 5, x", "1,2,3,4,5,")):
        few = work(wanted, part * 20)
        assert work(wanted, part * 80) < 5 * few
    assert len(places(Needle(value), f"{value} - y " * 3)) == 3
