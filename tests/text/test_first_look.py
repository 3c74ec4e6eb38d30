"""What a first look at letters says is what reading the whole text says."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from otel_footprint.text.dates import DateSearch
from otel_footprint.text.jsonleaves import leaf_text
from otel_footprint.text.marks import mark_of, marks_of, stands
from otel_footprint.text.searchable import How, Needle, Searchable
from otel_footprint.text.tokens import BREAK, tokens, words
from otel_footprint.text.values import number_of, numbers_in
from tests.quick import examples


def told(text: str, parts: bool = True) -> str:
    """A text as a reader sees it."""
    return leaf_text(text) if parts else text.replace(BREAK, " ")


def stand(wanted: list[str], found: list[str]) -> bool:
    """Whether tokens stand one after the other among others."""
    size = len(wanted)
    return bool(wanted) and any(
        found[at : at + size] == wanted for at in range(len(found) - size + 1)
    )


def plain_holds(needle: Needle, text: str, parts: bool) -> bool | None:
    """`Searchable.holds`, by reading everything."""
    return stand(needle.tokens, tokens(told(text, parts))) if needle.tokens else None


def plain_find(needle: Needle, text: str, parts: bool) -> How | Literal["unread"] | None:
    """`Searchable.find`, by reading everything."""
    seen = told(text, parts)
    if stand(needle.wide, words(seen)):
        return "verbatim" if needle.text in text else "tokens"
    if needle.grouped and needle.number in numbers_in(seen.lower()):
        return "number"
    return DateSearch(needle.day).spelled_in(seen.lower()) if needle.day else None


PIECES = [
    "3", "3.5", "3.50", "03", "0x3", "$3", "-3", "3,", "3.", "3%", ",3", "13", "3a", "a3", "3_",
    "/3", "1200", "1,200", "1,200.00", "01,200", "1.200,00", "1'200", "1\u00a0200", "1.2e3",
    "12E2", "1 200", "24h", "024h", "1,200kg", "1200kg", "0x1200", "0xef01", "ef01", "007", "00",
    "0", "-0", ".5", "0.5", "0.50", "5.00", "1e-7", "0.0000001", "1e+21", "12345678901234567",
    "12.345.678.901.234.567", "true", "True", "null", "no", "NaN", "2024-05-20", "2024-5-20",
    "20240520", "020240520", "May 20", "May 20th, 2024", "20 May", "5/20/2024", "05/06/2024",
    "2024-05-20T06:00", "12024-05-20", "2024-05-201", "x2024-05-20", "0x20240520", "a-b", "-a",
    "a", "b", "A", "Ab", "fc1/3", "ann@example.com", "yara_garcia", "caf\u00e9", "cafe\u0301",
    "\u0301", "\u5317\u4eac", "\u5317", "\uff12\uff14\uff48", "\uff13", "\u0130", "\u212a",
    "\u212a3", "k3", "\u00df", "ss", "\u0663", "\u017f", "\x01", "\\n3", "\\u0033", "\\/3",
    "\\3", "looked_for", "key",
]  # fmt: skip
BETWEEN = [
    "", "", " ", " ", ", ", ",", ":", ": ", ".", "-", "\n", '"', "\\", "\t", "(", ")", "\u3000",
    "\x02", "=", "%",
]  # fmt: skip
TEXT = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=6).flatmap(
    lambda parts: st.lists(st.sampled_from(BETWEEN), min_size=len(parts), max_size=len(parts)).map(
        lambda marks: "".join(a + b for a, b in zip(parts, marks, strict=True))
    )
)
LEAF = TEXT | st.sampled_from(PIECES) | st.integers() | st.floats() | st.booleans() | st.none()
JSON = st.recursive(
    LEAF,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["looked_for", "key", "3"]) | TEXT, inner, max_size=4)
    ),
    max_leaves=12,
)


def written(value: Any, ascii_: bool, compact: bool, indent: int | None) -> str:
    """A value as JSON, in one of the ways in which programs write it."""
    marks = (",", ":") if compact else (", ", ": ")
    return json.dumps(value, ensure_ascii=ascii_, separators=marks, indent=indent)


TEXTS = TEXT | st.builds(written, JSON, st.booleans(), st.booleans(), st.none() | st.integers(0, 2))
VALUES = (
    st.sampled_from(PIECES) | TEXT | st.integers() | st.floats() | st.booleans()
    | st.sampled_from([3, 3.5, 1200, -3, 0.5, 1e-7, 1e21, 20240520, 12345678901234567, True])
)  # fmt: skip


def agree(value: object, text: str, parts: bool) -> None:
    """Cold, cold the other way round, after reading ahead, and by reading everything."""
    needle = Needle(value)
    holds, how = plain_holds(needle, text, parts), plain_find(needle, text, parts)
    cold, other, warm = (Searchable(text, parts) for _ in range(3))
    warm.warm()
    assert (cold.holds(needle), cold.find(needle)) == (holds, how)
    assert (other.find(needle), other.holds(needle)) == (how, holds)
    assert (warm.holds(needle), warm.find(needle)) == (holds, how)


@settings(max_examples=examples(300))
@given(VALUES, TEXTS, st.booleans())
@example("3", '{"a":3,"b":13}', True)
@example("3", '["a\\n3"]', True)
@example("3", '["\\u00e93"]', True)
@example(3.5, "3.500", True)
@example("00", "-0", False)
@example("3.50", "3.5", True)
@example("0x3.50", "0x3.50 and 3.50", True)
@example("0x01200", "01200", True)
@example("k3", "\u212a3", True)
@example("3", "\u212a3", True)
@example("null", "[null]", True)
@example("null", '["null"]', True)
@example("rue", '["\\true"]', True)
@example("2024-05-20", '{"looked_for":"2024-05-20"}', True)
@example("2024-05-20", '["x\\n2024/5/20"]', True)
@example("2024-05-20", '["May\\n20"]', True)
@example("May 20", "05/20/1999", False)
@example(1200, '["a\\n1.200,00"]', True)
@example(1200, '["1\\u00a0200"]', True)
@example("1234567890123456789", "1.234.567.890.123.456.789", True)
@example("a b", '["a", "b"]', True)
@example("a\x01b", '["a", "b"]', True)
@example("a\x01b", "a\x01b", True)
@example("a\x01b", '["a\\u0001b"]', True)
@example("May 20", "May\x0120", False)
def test_a_first_look_says_what_reading_everything_says(
    value: object, text: str, parts: bool
) -> None:
    agree(value, text, parts)


@settings(max_examples=examples(200))
@given(TEXTS, st.booleans(), st.data())
def test_every_value_that_stands_in_a_text_is_found_there(
    text: str, parts: bool, data: st.DataObject
) -> None:
    found = [word for word in words(told(text, parts)) if word != BREAK] or ["x"]
    at = data.draw(st.integers(0, len(found) - 1))
    wanted = " ".join(found[at : at + data.draw(st.integers(1, 3))])
    agree(wanted, text, parts)


@given(VALUES)
def test_a_mark_stands_in_every_spelling_of_its_token(value: object) -> None:
    for token in Needle(value).wide:
        mark = mark_of(token)
        for spelled in (token, f"0x{token}", f"${token}", f"{token}.,"):
            if words(spelled) == [token]:
                lower = spelled.lower()
                assert any(letters in lower for letters in mark.marks)
                assert stands(mark, lower) is not False


@pytest.mark.parametrize(
    ("token", "text", "found"),
    [
        ("3", "a 3 b", True), ("3", "13 3a x3 2024-06-3x", False), ("3", '{"n": 3, "m": 1}', True),
        ("3", '{"n":3}', None), ("3", "$3", None), ("1200", "for 1,200 now", True),
        ("24h", "the last 24h.", True), ("yara", "yara@example.com", False),
        ("3", " 3a" * 100, None),
    ],
)  # fmt: skip
def test_what_letters_tell(token: str, text: str, found: bool | None) -> None:
    assert stands(mark_of(token), text) is found


def test_of_a_long_value_only_the_longest_tokens_are_looked_for() -> None:
    marks = marks_of([*"abc", "a-long-one", *(str(i) for i in range(1000))])
    assert [m.token for m in marks][:1] == ["a-long-one"]
    assert len(marks) == 8


def test_a_number_of_many_digits_is_kept_digit_for_digit_in_any_grouping() -> None:
    assert number_of("1.234.567.890.123.456.789") == "1234567890123456789"
    assert number_of("1'249.9999999999999999") == "1249.9999999999999999"
