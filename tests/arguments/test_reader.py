"""What a call declares: rows AS001 to AS044, and everything a model may write instead."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.arguments import peel, read_sources
from otel_footprint.records.arguments import SOURCES, Claim, Claims

ARGS = {"window": "7d", "host": "srv-1", "limit": 50, "": "x", "deep": {"b": 1}}


def entry(**fields: Any) -> dict[str, Any]:
    return {"argument": "window", "source": "assumed", **fields}


@pytest.mark.parametrize("raw", [None, "x", {}, 7, object()])
def test_as001_what_is_no_list_is_one_fault(raw: object) -> None:
    assert read_sources(raw, ARGS) == Claims((), 1)


def test_as002_an_empty_list_declares_nothing() -> None:
    assert read_sources([], ARGS) == Claims((), 0)


def test_as005_well_formed_entries_are_kept_in_order() -> None:
    raw = [
        {"argument": "window", "source": "user", "quote": "the last week"},
        {"argument": "host", "source": "result", "id": "t1"},
        {"argument": "limit", "source": "assumed"},
    ]
    kept = (
        Claim("window", "user", quote="the last week"),
        Claim("host", "result", id="t1"),
        Claim("limit", "assumed"),
    )
    assert read_sources(raw, ARGS) == Claims(kept, 0)


def test_as004_entries_keep_only_their_own_fields() -> None:
    raw = [
        {"argument": "window", "source": "user", "quote": "q", "id": "t1", "note": 1},
        {"argument": "host", "source": "result", "quote": "q", "id": "t1"},
        {"argument": "limit", "source": "app", "quote": "q", "id": "t1"},
    ]
    assert read_sources(raw, ARGS).kept == (
        Claim("window", "user", quote="q"),
        Claim("host", "result", id="t1"),
        Claim("limit", "app"),
    )


MALFORMED: list[tuple[str, Any]] = [
    ("AS003", "x"),
    ("AS003", [1]),
    ("AS003", None),
    ("AS003", 5),
    ("AS003", True),
    ("AS006", entry(source="guessed")),
    ("AS007", entry(source="User")),
    ("AS008", {"argument": "window", "source": "user"}),
    ("AS009", entry(source="user", quote=7)),
    ("AS009", entry(source="user", quote=None)),
    ("AS011", {"argument": "window", "source": "result"}),
    ("AS011", entry(source="result", id=7)),
    ("AS013", {"source": "assumed"}),
    ("AS013", entry(argument=7)),
    ("AS015", entry(argument="nope")),
    ("AS016", entry(argument="_findings")),
    ("AS020", entry(argument="deep")),
    ("AS021", entry(argument="toString")),
    ("AS021", entry(argument="__class__")),
    ("AS022", entry(argument="deep.b")),
    ("a source that cannot be hashed", entry(source=["user"])),
    ("an argument that cannot be hashed", entry(argument={"a": 1})),
    ("no source", {"argument": "window"}),
]


@pytest.mark.parametrize(("row", "item"), MALFORMED)
def test_a_malformed_entry_is_dropped_and_counted(row: str, item: Any) -> None:
    assert read_sources([item], ARGS) == Claims((), 1)


def test_as025_every_drop_is_counted() -> None:
    items = [item for _, item in MALFORMED]
    assert read_sources(items, ARGS) == Claims((), len(items))


@pytest.mark.parametrize(
    ("row", "item"),
    [
        ("AS010", entry(source="user", quote="")),
        ("AS012", entry(source="result", id="")),
        ("AS014", entry(argument="")),
    ],
)
def test_empty_text_is_kept_here_and_judged_later(row: str, item: Any) -> None:
    assert read_sources([item], ARGS).malformed == 0


@pytest.mark.parametrize("value", [0, False, -1.5, 2**70, "x", "\x1c", "\u0085"])
def test_as017_a_plain_value_may_be_claimed(value: object) -> None:
    assert read_sources([entry()], {"window": value}).malformed == 0


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), None, "", " ", "\t\n", "\u00a0", "\ufeff", [], [1], {}, (1,)],
)
def test_as018_to_as020_a_missing_or_nested_value_may_not(value: object) -> None:
    assert read_sources([entry()], {"window": value}) == Claims((), 1)


def test_as023_the_first_kept_entry_names_the_argument() -> None:
    raw = [entry(source="user", quote="q"), entry()]
    assert read_sources(raw, ARGS) == Claims((Claim("window", "user", quote="q"),), 1)


def test_as024_a_malformed_entry_names_nothing() -> None:
    raw = [entry(source="user"), entry(source="app")]
    assert read_sources(raw, ARGS) == Claims((Claim("window", "app"),), 1)


# --- the peel --------------------------------------------------------------------------------


def test_as026_without_the_reserved_argument_the_arguments_are_the_same_object() -> None:
    args = {"a": 1}
    assert peel(args).arguments is args
    assert peel(args) == peel(args, strict=True)


def test_as027_the_rest_keeps_its_order_in_a_fresh_object() -> None:
    args = {"a": 1, "_findings": {"from": []}, "b": 2}
    before = copy.deepcopy(args)
    peeled = peel(args)
    assert list(peeled.arguments.items()) == [("a", 1), ("b", 2)]
    assert args == before


@pytest.mark.parametrize("findings", ["x", 5, None, True, [], [1]])
def test_as028_what_is_no_object_is_one_fault(findings: object) -> None:
    peeled = peel({"a": 1, "_findings": findings})
    assert peeled.arguments == {"a": 1}
    assert peeled.claims == Claims((), 1)
    assert not peeled.declared


def test_a_null_is_no_fault_where_it_was_served_as_nullable() -> None:
    assert peel({"a": 1, "_findings": None}, strict=True).claims == Claims((), 0)


def test_as029_an_empty_object_declares_nothing() -> None:
    peeled = peel({"a": 1, "_findings": {}})
    assert (peeled.claims, peeled.declared) == (Claims((), 0), False)


@pytest.mark.parametrize(
    ("row", "findings"),
    [
        ("AS030", {"basis": "guess", "expect": "huge"}),
        ("AS032", {"note": "x"}),
        ("AS033", {"previous": {}}),
        ("AS035", {"previous": [{"sought": "yes", "settles": 42, "line": []}]}),
        ("AS038", {"proposition": 7, "predicts": []}),
    ],
)
def test_keys_of_the_findings_ledger_are_read_past(row: str, findings: object) -> None:
    peeled = peel({"a": 1, "_findings": findings})
    assert (peeled.arguments, peeled.claims) == ({"a": 1}, Claims((), 0))


def test_as040_where_nothing_was_planted_the_name_is_the_authors() -> None:
    args = {"a": 1, "_findings": {"from": []}}
    assert peel(args, planted=False).arguments is args


def test_as041_to_as043_only_from_is_read_and_only_its_faults_are_counted() -> None:
    findings = {"basis": "direct", "expect": "huge", "from": [entry(argument="a"), "x", {}]}
    peeled = peel({"a": 1, "_findings": findings})
    assert peeled.claims == Claims((Claim("a", "assumed"),), 2)
    assert peeled.declared


@pytest.mark.parametrize("args", [None, [1], "x", 5])
def test_as044_arguments_that_are_no_object_come_back_as_they_are(args: object) -> None:
    assert peel(args).arguments is args


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["argument", "source", "quote", "id", "from", "a", "_findings"])
            | st.text(max_size=4),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(JSON, st.dictionaries(st.sampled_from(["a", "b", "_findings", ""]), JSON))
def test_any_json_is_read_without_repair(findings: Any, args: dict[str, Any]) -> None:
    own = {**args, "_findings": findings}
    before = copy.deepcopy(own)
    peeled = peel(own)
    assert repr(own) == repr(before)
    assert "_findings" not in peeled.arguments
    names = [claim.argument for claim in peeled.claims.kept]
    assert len(names) == len(set(names))
    assert all(name in peeled.arguments for name in names)
    assert all(claim.source in SOURCES for claim in peeled.claims.kept)
    if isinstance(findings, dict) and isinstance(findings.get("from"), list):
        entries = findings["from"]
        assert len(peeled.claims.kept) + peeled.claims.malformed == len(entries)
