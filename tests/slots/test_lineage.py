"""A slot's change against its last compositions: what is new, what left, what was edited."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.records.digest import slot_digest
from otel_footprint.slots.copies import Figures
from otel_footprint.slots.entry import Fresh, Piece, make, plain_hash
from otel_footprint.slots.lineage import Change, Lineage


def entries(element: Any) -> list[Fresh]:
    """One piece an element; a list element has a piece for each of its values."""
    values = element if isinstance(element, list) else [element]
    return [
        make(Piece(v, "user", "user", "", "", "", v, len(str(v)), 1), plain_hash) for v in values
    ]


def message(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


def applied(change: Change) -> list[str]:
    """The exact hashes that a reader gets from the base and the splices."""
    base = [] if change.base is None else [e.exact for e in change.base.entries]
    if change.same:
        return base
    out, at = [], 0
    for splice in change.splices:
        out += base[at : splice.at]
        assert [e.exact for e in splice.removed] == base[
            splice.at : splice.at + len(splice.removed)
        ]
        out += [f.entry.exact for f in splice.inserted]
        at = splice.at + len(splice.removed)
    return out + base[at:]


def exacts(elements: list[Any]) -> list[str]:
    return [f.entry.exact for e in elements for f in entries(e)]


def digest_of(change: Change) -> str:
    return slot_digest(
        (e.hash, e.exact, e.source, e.id, e.reason, e.frame) for e in change.now.entries
    )


def test_the_first_composition_is_all_new_and_an_equal_one_is_the_same() -> None:
    lineage = Lineage()
    first = lineage.compose([message("a"), message("b")], entries)
    assert (first.base, len(first.splices[0].inserted), first.same) == (None, 2, False)
    assert lineage.compose([message("a"), message("b")], entries).same


def test_an_append_names_only_what_is_new() -> None:
    lineage = Lineage()
    lineage.compose([message("a")], entries)
    made: list[Any] = []
    change = lineage.compose([message("a"), message("b")], lambda e: made.append(e) or entries(e))
    assert made == [message("b")]
    assert [(s.at, len(s.removed), len(s.inserted)) for s in change.splices] == [(1, 0, 1)]


def test_a_message_edited_in_place_is_seen() -> None:
    lineage = Lineage()
    history = [message("a"), message("b", meta={"x": ["deep"]}), message("c")]
    lineage.compose(history, entries)
    history[1]["meta"]["x"].append("more")
    change = lineage.compose(history, entries)
    assert [(s.at, len(s.removed), len(s.inserted)) for s in change.splices] == [(1, 1, 1)]
    assert applied(change) == exacts(history)


def test_another_order_of_keys_is_another_spelling_of_the_same_piece() -> None:
    lineage = Lineage()
    lineage.compose([{"role": "user", "content": "x"}], entries)
    change = lineage.compose([{"content": "x", "role": "user"}], entries)
    (splice,) = change.splices
    assert splice.removed[0].hash == splice.inserted[0].entry.hash
    assert splice.removed[0].exact != splice.inserted[0].entry.exact


def test_a_sliding_window_removes_in_front_and_appends_behind() -> None:
    lineage = Lineage()
    lineage.compose([message(str(i)) for i in range(10)], entries)
    change = lineage.compose([message(str(i)) for i in range(3, 12)], entries)
    shapes = [(s.at, len(s.removed), len(s.inserted)) for s in change.splices]
    assert shapes == [(0, 3, 0), (10, 0, 2)]


def test_two_agents_that_alternate_each_find_their_own_line() -> None:
    lineage = Lineage()
    one, two = [message("one")], [message("two")]
    lineage.compose(one, entries)
    lineage.compose(two, entries)
    inserted = 0
    for i in range(100):
        one.append(message(f"one {i}"))
        inserted += sum(len(s.inserted) for s in lineage.compose(one, entries).splices)
        two.append(message(f"two {i}"))
        inserted += sum(len(s.inserted) for s in lineage.compose(two, entries).splices)
    assert inserted == 200


def test_odd_objects_that_cannot_be_compared_make_everything_new() -> None:
    class Hostile:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError

        __hash__ = None  # type: ignore[assignment]

    lineage = Lineage()
    make_any = lambda e: entries("x")  # noqa: E731
    lineage.compose([Hostile()], make_any)
    change = lineage.compose([Hostile(), message("a")], make_any)
    assert len(change.now.entries) == 2


ALIKE = [0, 0.0, -0.0, False, 1, 1.0, True]
"""Pairs of these are equal in Python, and none is spelled like another one."""


class Whole(int):
    """A type of its own, as an IntEnum is; JSON spells it like the number."""


class Real(float):
    """The same, as a NumPy float64 is."""


class Equal(int):
    """Says that it equals everything."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__


OWN = [(Whole(0), 0), (Whole(1), 1), (Real(0.0), 0.0), (Real(-0.0), -0.0), (Equal(1), 1)]
"""Numbers of such types, and those that are spelled like them."""
NESTED: list[Any] = [
    lambda value: value,
    lambda value: message("a", limit=value),
    lambda value: message("a", meta={"x": ["deep", [value]]}),
    lambda value: message("a", embedding=[0.5, 2, True, -0.0, 0.0, 0, False, 1e300, value]),
]


@pytest.mark.parametrize("nest", NESTED)
@pytest.mark.parametrize("new", ALIKE)
@pytest.mark.parametrize("old", ALIKE)
def test_an_equal_number_that_is_spelled_otherwise_is_a_change(
    nest: Any, old: Any, new: Any
) -> None:
    before = [message("first"), nest(old), message("last")]
    after = [message("first"), nest(new), message("last")]
    for more in ([], [message("more")]):
        lineage = Lineage()
        lineage.compose(before, entries)
        change = lineage.unchanged(after + more) or lineage.compose(after + more, entries)
        assert change.same == (repr(old) == repr(new) and not more)
        assert applied(change) == exacts(after + more)
        lineage.compose([*after, message("else"), *more], entries)
        assert applied(lineage.compose([*before, *more], entries)) == exacts([*before, *more])


@pytest.mark.parametrize("nest", NESTED[1:])
@pytest.mark.parametrize("number", ALIKE)
@pytest.mark.parametrize(("own", "like"), OWN)
def test_a_number_of_a_type_of_its_own_is_compared_by_its_spelling(
    nest: Any, own: Any, like: Any, number: Any
) -> None:
    for old, new in ((own, number), (number, own)):
        lineage = Lineage()
        lineage.compose([nest(old), message("last")], entries)
        elements = [nest(new), message("last")]
        change = lineage.unchanged(elements) or lineage.compose(elements, entries)
        assert change.same == (repr(like) == repr(number))
        assert applied(change) == exacts(elements)


@pytest.mark.parametrize(
    "values", [[1.5] * 99, [Real(0.5)] * 99, list(range(99)), [0.0, True] * 99]
)
def test_many_numbers_are_compared_in_one_go(values: list[Any]) -> None:
    lineage = Lineage()
    first = lineage.compose([message("a", embedding=values)], entries).now
    assert type(first.exact[0]["embedding"]) is Figures
    assert lineage.unchanged([message("a", embedding=[*values])]) is not None
    assert lineage.unchanged([message("a", embedding=(*values,))]) is None
    assert lineage.unchanged([message("a", embedding=values[1:])]) is None
    for at, other in ((5, 7), (0, str(values[0])), (98, [values[98]])):
        edited = [*values[:at], other, *values[at + 1 :]]
        assert lineage.unchanged([message("a", embedding=edited)]) is None


def test_what_is_kept_for_comparing_is_one_list_where_there_are_no_numbers() -> None:
    lineage = Lineage()
    lineage.compose([message("a")], entries)
    texts = lineage.compose([message("a"), message("b")], entries).now
    assert texts.exact is texts.elements
    numbers = lineage.compose([message("a"), message("c", limit=[5, float("nan")])], entries).now
    assert numbers.elements[1]["limit"][0] == 5
    assert lineage.unchanged(numbers.elements) is not None
    back = lineage.compose([message("a")], entries).now
    assert back.exact is back.elements


@pytest.mark.parametrize("depth", range(50, 1_000, 50))
def test_deep_values_are_compared_as_far_as_they_can_be_looked_at(depth: int) -> None:
    value: Any = 1
    for _ in range(depth):
        value = {"a": [value]}
    lineage = Lineage()
    make_any = lambda e: entries("x")  # noqa: E731
    lineage.compose([value], make_any)
    assert len(lineage.compose([value, message("a")], make_any).now.entries) == 2


ELEMENT = st.one_of(
    st.text(max_size=3),
    st.lists(st.text(max_size=2), min_size=1, max_size=3),
    st.integers(),
    st.sampled_from(ALIKE),
)


@given(st.lists(st.lists(ELEMENT, max_size=8), min_size=1, max_size=8))
def test_any_history_of_a_slot_can_be_rebuilt_from_its_splices(histories: list[list[Any]]) -> None:
    lineage = Lineage()
    for elements in histories:
        change = lineage.compose(elements, entries)
        assert applied(change) == exacts(elements)
        assert change.now.digest == digest_of(change)
        assert change.now.used == sum(e.size for e in change.now.entries)


def tool(number: int, turned: bool) -> dict[str, Any]:
    """A tool's definition, with the keys deep inside it in one of two orders."""
    keys = ("type", "enum")[:: -1 if turned else 1]
    inner = {key: [{"const": "a", "title": "A"}] for key in keys}
    properties = {"place": {"anyOf": ["x", inner]}}
    return {"name": f"look {number}", "parameters": {"type": "object", "properties": properties}}


@pytest.mark.parametrize("number", [1, 2, 3, 9])
@pytest.mark.parametrize("more", [[], [tool(99, False)]])
def test_tools_that_are_made_anew_with_keys_in_another_order_are_spelled_otherwise(
    number: int, more: list[Any]
) -> None:
    olds = [tool(i, False) for i in range(number)]
    for news in ([tool(i, True) for i in range(number)], [tool(0, True), *olds[1:]]):
        lineage = Lineage()
        lineage.compose(olds, entries)
        assert lineage.unchanged(copy.deepcopy(olds)) is not None
        assert lineage.unchanged(news + more) is None
        change = lineage.compose(news + more, entries)
        assert applied(change) == exacts(news + more)
        assert digest_of(change) == change.now.digest


@pytest.mark.parametrize("now", [[0, -1], [2, -1, 0], [-1], [1, -2], [-2, 0, 1]], ids=str)
def test_keys_turned_inside_a_tool_are_seen_where_other_tools_left_or_moved(now: list[int]) -> None:
    """`now`: places of the tools before; of those below zero the keys are turned."""

    def tool(at: int, *, turned: bool) -> dict[str, Any]:
        inner = {"name": f"t{at}", "description": "d", "parameters": {"type": "object"}}
        held = dict(reversed(inner.items())) if turned else inner
        return {"type": "function", "function": held}

    lineage = Lineage()
    lineage.compose([tool(at, turned=False) for at in range(3)], entries)
    tools = [tool(abs(at), turned=at < 0) for at in now]
    change = lineage.compose(tools, entries)
    assert applied(change) == exacts(tools)
    assert change.now.digest == digest_of(change)


def test_where_nothing_is_recorded_another_order_of_keys_is_no_change() -> None:
    lineage, news = Lineage(), [tool(1, True)]
    lineage.compose([tool(1, False)], entries, recording=False)
    assert lineage.unchanged(news, recording=False) is not None
    assert lineage.compose(news, entries, recording=False).same
    more = lineage.compose([*news, tool(2, False)], entries, recording=False)
    assert [len(s.inserted) for s in more.splices] == [1]
