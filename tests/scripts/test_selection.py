"""Which programs travel (rows SC04 to SC15 of the behaviour tables)."""

from __future__ import annotations

import pytest

from otel_footprint.scripts import Ledger, Scripts, select
from otel_footprint.scripts.selection import cut


def made(labels, which="last", max_bytes=4000, text="print({n})"):
    ledger = Ledger(Scripts(tools={"run_code": "code"}, which=which, max_bytes=max_bytes))
    for n, label in enumerate(labels):
        key = ledger.submitted(f"c{n}", "run_code", {"code": text.format(n=n)})
        if label != "submitted":
            ledger.started(key)
        if label not in ("submitted", "started"):
            ledger.ended(key, label)
    return ledger


def calls(selection):
    return [script.call for script in selection.shown]


@pytest.mark.parametrize(
    ("labels", "last"),
    [
        (["submitted", "completed"], ["c1"]),
        (["completed", "submitted"], ["c0"]),
        (["completed", "failed"], ["c1"]),
        (["completed", "started", "submitted"], ["c1"]),
        (["submitted", "submitted"], []),
        ([], []),
    ],
)
def test_last_is_the_last_call_that_reached_its_tool(labels, last):
    selection = select(made(labels))
    assert calls(selection) == last
    assert selection.omitted == 0
    assert bool(selection) is bool(last)


def test_all_shows_the_newest_eight_in_call_order_and_counts_the_others():
    selection = select(made(["completed"] * 9 + ["submitted"], "all"))
    assert calls(selection) == [f"c{n}" for n in range(1, 9)]
    assert selection.omitted == 1
    assert select(made(["completed"] * 8, "all")).omitted == 0


def test_last_never_falls_back_to_an_older_program():
    ledger = made(["completed"])
    ledger.started(ledger.submitted("big", "run_code", {"code": "x" * 70_000}))
    selection = select(ledger)
    assert selection.shown == ()
    assert selection.omitted == 1
    (entry,) = selection.unshown
    assert (entry.call, entry.why, entry.byte_count) == ("big", "over_size", 70_000)


def test_programs_without_text_are_counted_beside_the_newest_eight():
    ledger = made(["completed"] * 8, "all")
    for n in range(2):
        ledger.started(ledger.submitted(f"big{n}", "run_code", {"code": "x" * 70_000}))
    selection = select(ledger)
    assert calls(selection) == [f"c{n}" for n in range(8)]
    assert selection.omitted == 2


def test_calls_without_a_row_count_where_all_are_wanted():
    ledger = made(["completed"] * 258, "all")
    selection = select(ledger)
    assert (selection.without_row, selection.omitted) == (2, 250)
    selection = select(made(["completed"] * 258))
    assert (selection.without_row, selection.omitted, calls(selection)) == (2, 0, ["c257"])


def test_a_longer_program_is_cut_and_says_so():
    script = select(made(["completed"], max_bytes=4000, text="x" * 4001)).shown[0]
    assert (len(script.text), script.shown_bytes, script.byte_count) == (4000, 4000, 4001)
    script = select(made(["completed"], max_bytes=4000, text="x" * 4000)).shown[0]
    assert (len(script.text), script.shown_bytes) == (4000, None)


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("aé", 2, "a"),
        ("aé", 3, "aé"),
        ("😀", 3, ""),
        ("😀😀", 5, "😀"),
        ("", 1, ""),
        ("abc", 2, "ab"),
    ],
)
def test_a_cut_stands_between_characters(text, limit, shown):
    assert cut(text, limit) == shown


def test_what_is_selected_is_detached_from_the_ledger():
    ledger = made(["completed"])
    before = ledger.rows
    value = select(ledger).shown[0].model_dump()
    value["text"] = "changed"
    assert ledger.rows == before
    assert select(ledger).shown[0].text == "print(0)"
