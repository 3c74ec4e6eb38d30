"""A difference gives both texts back, marks words and not letters, and its work is bounded."""

from __future__ import annotations

import sys
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.text.difference import Run, difference, shortened

TEXTS = st.text(alphabet="ab \n.é", max_size=60)


def test_words_are_marked_and_not_letters() -> None:
    assert difference("a fee of 15 %", "a fee of 20 %") == [
        Run("=", "a fee of "), Run("-", "15"), Run("+", "20"), Run("=", " %"),
    ]  # fmt: skip


def test_words_that_changed_beside_each_other_are_one_change() -> None:
    assert difference("the quick brown fox", "the slow red fox")[1:3] == [
        Run("-", "quick brown"), Run("+", "slow red"),
    ]  # fmt: skip


@given(TEXTS, TEXTS)
def test_both_texts_come_back(before: str, after: str) -> None:
    runs = difference(before, after)
    assert "".join(r.text for r in runs if r.sign != "+") == before
    assert "".join(r.text for r in runs if r.sign != "-") == after
    assert all(r.text for r in runs)
    assert all(a.sign != b.sign for a, b in pairwise(runs))


def test_one_line_of_many_still_marks_its_words() -> None:
    lines = [f"line {n} of a long page that is compared by lines\n" for n in range(1_000)]
    other = [*lines[:500], lines[500].replace("long", "short"), *lines[501:]]
    changes = [r for r in difference("".join(lines), "".join(other)) if r.sign != "="]
    assert changes == [Run("-", "long"), Run("+", "short")]


def test_the_work_on_hostile_texts_is_bounded() -> None:
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        difference("a " * 400_000, "b " * 400_000)
        difference("a\n" * 20_000 + "c", "d\n" + "a\n" * 20_000 + "e")
    finally:
        sys.setprofile(None)
    assert calls < 200_000


def test_what_stayed_is_shortened_around_changes() -> None:
    runs = [Run("=", "x" * 100), Run("-", "left"), Run("=", "y" * 100)]
    assert [r.text for r in shortened(runs, 5)] == ["…" + "x" * 5, "left", "y" * 5 + "…"]
