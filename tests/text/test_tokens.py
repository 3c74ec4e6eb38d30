"""Tokens and membership, rows AS064 to AS083 of the table of declared sources."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.text.carriers import Needle, Searchable, carriers
from otel_footprint.text.jsonleaves import leaf_text
from otel_footprint.text.tokens import (
    BREAK,
    MAX_TOKENS,
    canonical,
    number_text,
    read,
    tokens,
    words,
)
from otel_footprint.text.values import same_value


@pytest.mark.parametrize(
    ("row", "text", "expected"),
    [
        ("AS064", "41,200 IOPS.", ["41200", "iops"]),
        ("AS065", "1,23", ["1,23"]),
        ("AS066", "0xEF0101", ["ef0101"]),
        ("AS066", "ef0101", ["ef0101"]),
        ("AS067", "２４ｈ", []),
        ("AS068", "café", ["caf"]),
        ("AS069", "don't", ["don", "t"]),
        ("AS070", "007", ["7"]),
        ("AS070", "5.00", ["5"]),
        ("AS070", ".5", [".5"]),
        ("AS070", "1e5", ["1e5"]),
        ("AS070", "+5", ["5"]),
        ("AS070", "-0", ["0"]),
        ("AS071", "9007199254740993", ["9007199254740993"]),
        ("AS072", "fc1/3,fc1/4", ["fc1/3", "fc1/4"]),
        ("AS072", "a,b", ["a", "b"]),
        ("thousands keep their unit", "1,200ms", ["1200ms"]),
        ("signs of money and shares", "$1,200.00 (5%)", ["1200", "5"]),
        ("ids stay whole", "ann@example.com 2024-05-20 15:00:00", 3),
    ],
)
def test_tokens_are_those_of_the_table(row: str, text: str, expected: list[str] | int) -> None:
    found = tokens(text)
    assert (len(found) if isinstance(expected, int) else found) == expected


@pytest.mark.parametrize(
    ("row", "left", "right", "expected"),
    [
        ("AS073", 50, "50", False),
        ("AS074", "41,200", "41200", True),
        ("AS075", "——", "··", False),
        ("a bool is no number", True, 1, False),
        ("a whole number is one number", 5, 5.0, True),
        ("containers are no values", [1], [1], False),
        ("nothing is no value", None, None, False),
        ("what is no number", float("nan"), float("nan"), False),
    ],
)
def test_two_values_are_the_same(row: str, left: object, right: object, expected: bool) -> None:
    assert same_value(left, right) is expected


_RESULT = json.dumps({"host": "srv-4417", "limit": 50, "window": "24h", "ok": True})


@pytest.mark.parametrize(
    ("row", "text", "value", "expected"),
    [
        ("AS076", _RESULT, 50, True),
        ("AS076", _RESULT, True, True),
        ("AS076", _RESULT, "50", True),
        ("AS076", _RESULT, "srv-4417", True),
        ("AS076", _RESULT, "24h", True),
        ("AS077", _RESULT, "srv-44", False),
        ("AS078", "[[1,[2,41200]]]", 41200, True),
        ("AS078", "[[1,[2,41200]]]", "41,200", True),
        ("AS078", '{"rows":[1]}', "rows", True),
        ("AS078", '["fc1/3"]', "fc1/3", True),
        ("AS079", '{"a":"checkout","b":"service"}', "checkout service", False),
        ("AS079", '{"a":"the checkout service"}', "checkout service", True),
        ("AS080", '{"looked_for":"srv-1","checked":["srv-2"]}', "srv-1", False),
        ("AS080", '{"looked_for":"srv-1","checked":["srv-2"]}', "srv-2", True),
        ("AS081", "host srv-4417 answered", "srv-4417", True),
        ("AS081", "host srv-4417 answered", "srv-441", False),
        ("AS082", "24h", "２４ｈ", None),
        ("JSON escapes", '{"path":"fc1\\/3"}', "fc1/3", True),
        ("JSON escapes", '{"name":"\\u0061nn"}', "ann", True),
        ("a doubled key loses nothing", '{"a":"x1","a":"x2"}', "x1", True),
        ("no JSON after all", "{not json srv-1", "srv-1", True),
        ("a null is no word", '{"a":null}', "null", False),
    ],
)
def test_a_result_holds_whole_tokens(
    row: str, text: str, value: object, expected: bool | None
) -> None:
    assert Searchable(text).holds(Needle(value)) is expected


def test_a_long_text_never_says_no() -> None:
    """AS083: early values are found, an absent one cannot be told."""
    text = "early " + "word " * (MAX_TOKENS + 10)
    assert Searchable(text).holds(Needle("early")) is True
    assert Searchable(text).holds(Needle("absent")) is None
    assert Searchable(text).find(Needle("absent")) == "unread"
    assert carriers("absent", [text, "no"]).unread == (0,)
    exactly = "word " * MAX_TOKENS
    assert Searchable(exactly).holds(Needle("absent")) is False


def test_the_words_of_other_scripts_are_words_of_the_search() -> None:
    assert words("José") == ["josé"]
    assert words("２４ｈ") == ["24h"]
    assert words("北京, ok") == ["北", "京", "ok"]
    assert words("e\u0301a") == words("éa")
    assert words("हिन्दी।") == ["हिन्दी"]


def test_a_break_stands_between_parts() -> None:
    assert tokens(f"a{BREAK}b") == ["a", BREAK, "b"]
    assert carriers("a b", ['["a", "b"]']).carriers == ()
    assert [c.how for c in carriers("a b", [f"a {BREAK} b"]).carriers] == ["tokens"]


def test_deep_json_is_a_plain_text() -> None:
    text = "[" * 5000 + "7" + "]" * 5000
    assert leaf_text(text) in (text, "7")
    assert Searchable(text).holds(Needle(7)) is True


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5.0, "5"), (1e21, "1e+21"), (1e20, "100000000000000000000"), (1.5e-7, "1.5e-7"),
        (0.00012, "0.00012"), (123456.789, "123456.789"), (-0.0, "0"), (1e-6, "0.000001"),
        (2**70, "1180591620717411303424"), (float("nan"), ""), (float("inf"), ""), (True, "1"),
    ],
)  # fmt: skip
def test_numbers_are_spelled_as_json_is(value: float, text: str) -> None:
    assert number_text(value) == text


def test_a_number_too_long_to_be_written_out_has_no_spelling() -> None:
    assert number_text(10**5000) == ""


@given(st.text(max_size=200))
def test_any_text_has_tokens_and_both_alphabets_agree_on_ascii(text: str) -> None:
    assert all(token and not token.isspace() for token in tokens(text) + words(text))
    plain = text.encode("ascii", "ignore").decode()
    assert words(plain) == tokens(plain)
    some, every = read(text, limit=3), tokens(text)
    assert some.tokens == (every if some.whole else every[: len(some.tokens)])


@given(st.text(max_size=60), st.text(max_size=20), st.text(max_size=20))
def test_a_text_holds_what_stands_in_it_between_blanks(value: str, left: str, right: str) -> None:
    text = Searchable(f"{left} {value} {right}", parts=False)
    needle = Needle(value)
    if needle.tokens:
        assert text.holds(needle) is True
    if needle.wide:
        assert text.find(needle) in ("verbatim", "tokens")


@given(st.lists(st.text(max_size=12), max_size=12), st.text(max_size=12))
def test_a_cold_search_finds_what_a_warm_one_finds(parts: list[str], value: str) -> None:
    text = json.dumps(parts)
    cold, warm, needle = Searchable(text), Searchable(text), Needle(value)
    for part in parts:
        warm.holds(Needle(part))
        warm.find(Needle(part))
    assert cold.holds(needle) == warm.holds(needle)
    assert cold.find(needle) == warm.find(needle)


@given(st.from_regex(r"-?[0-9]{1,12}(\.[0-9]{1,9})?", fullmatch=True))
def test_a_plain_number_is_spelled_as_its_double_is(number: str) -> None:
    if sum(c.isdigit() for c in number) <= 15:
        assert canonical(number) == number_text(float(number))
    else:
        assert canonical(number) == number
