"""Two identities that differ are never hashed of one text."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from otel_footprint.slots.entry import identity_source
from otel_footprint.text.jsontext import dumps_sorted

TEXT = st.text('ab 1=\0"{', max_size=6)
VALUE = st.recursive(
    TEXT | st.integers(0, 11) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=3,
)
OBJECT = st.dictionaries(TEXT, VALUE, max_size=6)


@given(OBJECT, OBJECT)
@example({"a": "q 1 z"}, {"a 5 q": "z"})
@example({"a": "q =1 1"}, {"a 6 q": 1})
@example({"a": "x", "b": "y"}, {"a 1 x\0b": "y"})
@example({"a": "1"}, {"a": 1})
@example({"a": "=1 1"}, {"a": 1})
@example({"a": '"b"'}, {"a": ["b"]})
def test_objects_that_differ_have_different_texts(one: Any, other: Any) -> None:
    same = dumps_sorted(one) == dumps_sorted(other)
    assert (identity_source(one) == identity_source(other)) is same


@given(OBJECT)
def test_the_order_of_keys_makes_no_other_piece(value: Any) -> None:
    assert identity_source(value) == identity_source(dict(reversed(value.items())))


class Word(str):
    """A text of a type of its own, as of a StrEnum."""

    __slots__ = ()


def own(value: Any) -> Any:
    """The same in types of its own, the last key first."""
    if isinstance(value, dict):
        return OrderedDict((k, own(v)) for k, v in reversed(value.items()))
    if isinstance(value, list):
        return [own(v) for v in value]
    return Word(value) if isinstance(value, str) else value


@given(OBJECT)
@example({"a": "x", "b": {"c": "y", "d": [{"e": 1, "f": None}]}})
@example({"a": "x", "b": "y"})
def test_types_of_its_own_make_no_other_piece(value: Any) -> None:
    assert identity_source(value) == identity_source(own(value))


@given(OBJECT, TEXT, TEXT, TEXT)
def test_an_object_of_keys_with_blanks_is_told_from_one_that_reads_like_it(
    value: Any, key: str, text: str, more: str
) -> None:
    for other in ({key: text, **value}, {f"{key} {len(text)} {text}\0{more}": text, **value}):
        same = dumps_sorted(value) == dumps_sorted(other)
        assert (identity_source(value) == identity_source(other)) is same


@given(TEXT, VALUE)
@example("a 1 x", {"a": "x"})
@example("a 1 x\0b 1 y", {"a": "x", "b": "y"})
@example('{"a":[1]}', {"a": [1]})
@example('["a"]', ["a"])
@example("null", None)
@example("\0a 1 x", {"a": "x"})
def test_no_text_is_hashed_like_an_object(text: str, value: Any) -> None:
    same = type(value) is str and text == value
    assert (identity_source(text) == identity_source(value)) is same
    if type(value) is not str:  # what the object is hashed of, as a text of its own
        read = identity_source(value)
        assert read not in (identity_source(read), identity_source(read[1:]))


@given(TEXT, TEXT)
@example("\0", "\0\0")
def test_texts_that_differ_are_hashed_otherwise(one: str, other: str) -> None:
    assert (identity_source(one) == identity_source(other)) is (one == other)
    if not one.startswith("\0"):
        assert identity_source(one) == one
