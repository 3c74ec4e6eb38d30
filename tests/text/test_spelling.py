"""Two equal JSON values of one compact text are told from equal ones of another."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.text.jsontext import dumps, spelled_alike

ATOMS = st.sampled_from([None, True, False, 0, 1, -1, 0.0, -0.0, 1.0, "", "1", "a"])
VALUES = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(VALUES, VALUES)
def test_what_is_called_alike_has_the_same_text(one: Any, other: Any) -> None:
    if one == other and spelled_alike(one, other):
        assert dumps(one) == dumps(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (0.0, -0.0),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ([{"n": 0}], [{"n": False}]),
        ({"a": {"b": 1}}, {"a": {"b": 1.0}}),
    ],
)
def test_equal_values_of_another_text(one: Any, other: Any) -> None:
    assert one == other
    assert not spelled_alike(one, other)


def test_a_message_as_it_came() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    assert spelled_alike(message, {**message, "tool_calls": [dict(call)]})
