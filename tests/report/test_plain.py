"""Texts of a trail cannot act on a terminal, and fit the columns they are given."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.report import plain

CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@given(st.text(alphabet=st.characters(codec=None)))
def test_no_control_character_is_left(text: str) -> None:
    assert not CONTROL.search(plain.clean(text))
    assert not CONTROL.search(plain.one_line(text))
    plain.clean(text).encode()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb", "a\\u202eb"),
        ("\ud800", "\\ud800"),
        ("tab\there", "tab\\there"),
        ("\U000e0041", "\\U000e0041"),
        ("日本 ü 🎉", "日本 ü 🎉"),
    ],
)
def test_what_acts_is_shown_escaped(text: str, shown: str) -> None:
    assert plain.clean(text) == shown


@given(st.text(), st.integers(0, 30))
def test_a_cut_text_fits(text: str, width: int) -> None:
    assert plain.cells(plain.cut(plain.clean(text), width)) <= width


def test_a_wide_character_takes_two_columns() -> None:
    assert plain.cells("日本") == 4
    assert plain.cut("日本語", 5) == "日本…"
    assert plain.cells("e\u0301") == 1


def test_lines_become_one() -> None:
    assert plain.one_line(" a\n\n  b\tc ") == "a b c"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(None, "?"), (0.0, "0.0 ms"), (0.0041, "4.1 ms"), (0.0999, "0.10 s"), (0.05, "50 ms"),
     (1.234, "1.23 s"), (12.34, "12.3 s"), (99.96, "1 min 40 s"), (7384, "2 h 3 min")],
)  # fmt: skip
def test_durations(seconds: float | None, shown: str) -> None:
    assert plain.duration(seconds) == shown


@pytest.mark.parametrize(
    ("dollars", "shown"),
    [(None, "unknown"), (Decimal(0), "$0"), (Decimal("0.0000123"), "$0.0000123"),
     (Decimal("0.0123"), "$0.0123"), (Decimal("0.15"), "$0.15"), (Decimal("1234.5"), "$1,234.50")],
)  # fmt: skip
def test_money(dollars: Decimal | None, shown: str) -> None:
    assert plain.money(dollars) == shown
