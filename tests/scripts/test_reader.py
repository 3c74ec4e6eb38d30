"""Reading the record back (rows SC34 to SC42): what is not ours is counted, never guessed."""

from __future__ import annotations

import copy

import pytest

from otel_footprint.records.scripts import Boundary
from otel_footprint.scripts import (
    Ledger,
    Scripts,
    attach,
    attachment_fields,
    rebuild,
    recorded_scripts,
    script_fields,
    select,
    value_of,
)
from otel_footprint.telemetry import names


def attached(count=2, answer="answer", which="all", kept=True):
    ledger = Ledger(Scripts(tools={"run_code": "code"}, which=which))
    for n in range(count):
        ledger.ended(ledger.submitted(f"c{n}", "run_code", {"code": f"print({n})"}), "completed", n)
    ledger.ended(ledger.submitted("big", "run_code", {"code": "x" * 70_000}), "completed", -1)
    ledger.ended(ledger.submitted("none", "run_code", {}), "failed")
    return attach(select(ledger), answer, kept=kept)


@pytest.fixture
def value():
    return attached().record.value()


def test_what_a_writer_filed_is_read_whole(value):
    read = recorded_scripts(value, within=100)
    assert read.unread == 0
    assert [(index, script.call) for index, script in read.shown] == [(0, "c0"), (1, "c1")]
    assert (read.omitted, read.boundary.kind, len(read.unshown)) == (2, "clean", 2)
    assert rebuild(read) == attached().appended


def test_no_record_is_none():
    assert recorded_scripts(None) is None


@pytest.mark.parametrize(
    "value", [{}, [], "x", 3, {"shown": None}, {"shown": "abc"}, {"shown": {}}]
)
def test_a_value_that_holds_no_list_is_unread_once(value):
    read = recorded_scripts(value)
    assert (read.shown, read.unread) == ((), 1)
    assert rebuild(read) is None


@pytest.mark.parametrize(
    "change",
    [
        {"label": "submitted"},
        {"label": "done"},
        {"label": None},
        {"call": 3},
        {"tool": None},
        {"exit_code": "0"},
        {"exit_code": True},
        {"label": "failed", "exit_code": 1},
        {"byte_count": -1},
        {"byte_count": 9},
        {"byte_count": 8.5},
        {"digest": "abc"},
        {"digest": "G" * 32},
        {"text": 3},
        {"text": "print(9) "},
        {"shown_bytes": 8},
        {"shown_bytes": 9},
        {"withheld": "yes"},
        {"surprise": 1},
    ],
)
def test_an_entry_that_does_not_read_is_counted_and_the_others_keep_their_index(value, change):
    value["shown"][0] |= change
    read = recorded_scripts(value)
    assert read.unread == 1
    assert [index for index, _ in read.shown] == [1]
    assert rebuild(read) is None


@pytest.mark.parametrize("entry", [None, "x", 3, [], {}])
def test_an_entry_of_another_kind_is_counted(value, entry):
    value["shown"].insert(0, entry)
    read = recorded_scripts(value)
    assert read.unread == 1
    assert [index for index, _ in read.shown] == [1, 2]


def test_the_reader_looks_at_eight_entries(value):
    class Bomb:
        def __getattribute__(self, name):
            raise AssertionError("looked past the bound")

    entry = value["shown"][0]
    value["shown"] = [entry] * 8 + [Bomb()] * 4
    read = recorded_scripts(value)
    assert read.unread == 4
    assert len(read.shown) == 8


@pytest.mark.parametrize("omitted", [2.5, "2", -1, None, True])
def test_a_number_that_is_not_whole_is_counted_and_absent(value, omitted):
    for key in ("omitted", "without_row"):
        read = recorded_scripts(value | {key: omitted})
        assert read.unread == 1
        assert getattr(read, key) is None


@pytest.mark.parametrize(
    "boundary",
    [
        None,
        "clean",
        {},
        {"kind": "open"},
        {"kind": "clean", "char": "tilde"},
        {"kind": "closed"},
        {"kind": "closed", "char": "`", "length": 3},
        {"kind": "closed", "char": "backtick", "length": 2},
        {"kind": "closed", "char": "backtick", "length": 3.0},
        {"kind": "closed", "char": "backtick", "length": True},
        {"kind": "closed", "char": "backtick", "length": 3, "more": 1},
        {"kind": "closed", "char": ["tilde"], "length": 3},
    ],
)
def test_a_boundary_that_no_writer_states_is_counted_and_absent(value, boundary):
    read = recorded_scripts(value | {"boundary": boundary})
    assert (read.unread, read.boundary) == (1, None)


def test_a_fence_longer_than_the_text_it_must_be_found_in_is_counted_and_absent(value):
    value |= {"boundary": {"kind": "closed", "char": "tilde", "length": 4}}
    assert recorded_scripts(value, within=3)[1:4:2] == (1, None)
    read = recorded_scripts(value, within=4)
    assert (read.unread, read.boundary) == (0, Boundary("closed", "~", 4))
    assert "~~~~\n\nRecorded" in rebuild(read)


@pytest.mark.parametrize(
    "change",
    [
        {"which": "first"},
        {"form": "prose"},
        {"after": "space"},
        {"after": ["text"]},
        {"kept": 1},
        {"unshown": "x"},
        {"unshown": [{}]},
        {"surprise": 1},
        {"omitted": 1},
        {"form": "none"},
        {"form": "data"},
        {"kept": False},
        {"boundary": {"kind": "unsettled"}},
    ],
)
def test_parts_that_no_writer_files_together_are_counted(value, change):
    read = recorded_scripts(value | change)
    assert read.unread == 1
    assert rebuild(read) is None


@pytest.mark.parametrize("missing", ["which", "form", "after", "boundary", "omitted"])
def test_a_part_that_is_missing_is_counted(value, missing):
    del value[missing]
    assert recorded_scripts(value).unread == 1


def test_over_size_entries_are_read_up_to_the_bound(value):
    entry = value["unshown"][0]
    read = recorded_scripts(value | {"unshown": [entry] * 256, "omitted": 256})
    assert (read.unread, len(read.unshown)) == (0, 256)
    read = recorded_scripts(value | {"unshown": [entry] * 260, "omitted": 260})
    assert (read.unread, len(read.unshown)) == (4, 256)


def test_a_record_without_texts_reads_and_does_not_rebuild():
    attachment = attached(kept=False)
    read = recorded_scripts(attachment.record.value())
    assert read.unread == 0
    assert rebuild(read) is None
    assert [script.byte_count for _, script in read.shown] == [8, 8]


def test_the_record_is_fresh_each_time():
    record = attached().record
    value = record.value()
    expected = copy.deepcopy(value)
    value["shown"][0]["text"] = "changed"
    assert record.value() == expected


# --- fields of events --------------------------------------------------------------------------


def events(attachment):
    record = attachment.record
    return (
        attachment_fields(record),
        [script_fields(record, index) for index in range(len(record.shown))],
    )


def test_every_field_has_a_name():
    answer, scripts = events(attached(answer="```"))
    assert set(answer) == set(names.ATTACHMENT_FIELDS)
    long = Ledger(Scripts(tools={"t": ("code", "sh")}))
    long.ended(long.submitted("c", "t", {"code": "é" * 5000}), "completed", 1)
    withheld = script_fields(attach(select(long), "$$").record, 0)
    assert set(withheld) | set(scripts[0]) == set(names.SCRIPT_FIELDS)
    assert all(len(part.encode()) <= 2000 for part in withheld["text"])


def test_fields_hold_what_an_attribute_may_hold():
    for fields in (events(attached())[0], *events(attached())[1]):
        for value in fields.values():
            kinds = {type(v) for v in value} if isinstance(value, list) else {type(value)}
            assert kinds <= {str} or kinds <= {int} or kinds <= {bool}


def test_events_in_any_order_give_the_record_back():
    attachment = attached(answer="~~~~ md\nopen")
    answer, scripts = events(attachment)
    read = recorded_scripts(value_of(answer, reversed(scripts)))
    assert read == recorded_scripts(attachment.record.value())
    assert rebuild(read) == attachment.appended
    assert [entry.exit_code for entry in read.unshown] == [-1, None]


def test_a_lost_event_is_a_gap_that_counts_as_unread():
    answer, scripts = events(attached(3))
    read = recorded_scripts(value_of(answer, [scripts[0], scripts[2]]))
    assert read.unread == 1
    assert [index for index, _ in read.shown] == [0, 2]


@pytest.mark.parametrize("index", [1, 2, -1, None, "0", True])
def test_an_event_that_has_no_place_is_unread(index):
    answer, scripts = events(attached(2))
    read = recorded_scripts(value_of(answer, [*scripts, scripts[0] | {"index": index}]))
    assert read.unread == 1


def test_an_answer_event_without_its_count_is_unread():
    answer, scripts = events(attached(1))
    del answer["shown"]
    assert recorded_scripts(value_of(answer, scripts)).unread >= 1


@pytest.mark.parametrize(("count", "least"), [(-1, 1), (2**70, 248), (12, 4), (True, 1), ("1", 1)])
def test_a_count_that_no_writer_states_is_unread_and_costs_nothing(count, least):
    answer, scripts = events(attached(1))
    read = recorded_scripts(value_of(answer | {"shown": count}, scripts))
    assert read.unread >= least
    assert rebuild(read) is None


@pytest.mark.parametrize("text", [["print(0)"], ("print", "(0)"), "print(0)"])
def test_the_text_of_an_event_may_be_in_chunks(text):
    answer, scripts = events(attached(1))
    read = recorded_scripts(value_of(answer, [scripts[0] | {"text": text}]))
    assert read.unread == 0


def test_an_over_size_entry_without_its_size_is_unread(value):
    del value["unshown"][0]["byte_count"]
    assert recorded_scripts(value).unread == 1


@pytest.mark.parametrize("column", ["unshown.call", "unshown.byte_count"])
def test_columns_that_do_not_fit_are_unread(column):
    answer, scripts = events(attached(1))
    short = answer | {column: answer[column][:1]}
    assert recorded_scripts(value_of(short, scripts)).unread == 1
    del answer[column]
    assert recorded_scripts(value_of(answer, scripts)).unread == 1
