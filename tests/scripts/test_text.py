"""The text under an answer (rows SC16 to SC33)."""

from __future__ import annotations

import pytest

from otel_footprint.records.script_text import fenced, info_string, quoted
from otel_footprint.scripts import Ledger, Scripts, attach, select


def ledger_of(program="print(1)", label="completed", code=None, call="c1", **declared):
    ledger = Ledger(Scripts(tools={"run_code": ("code", "python")}, **declared))
    key = ledger.submitted(call, "run_code", {"code": program})
    ledger.started(key)
    if label != "started":
        ledger.ended(key, label, code)
    return ledger


def test_a_program_stands_between_a_line_that_names_its_call_and_its_fence():
    attachment = attach(select(ledger_of(code=0)), "The sum is 3.")
    assert attachment.to("The sum is 3.") == (
        "The sum is 3.\n"
        "\n"
        "Recorded program 1 of 1: call `c1` to `run_code` completed with exit code 0; "
        "the library attached it out of the record.\n"
        "\n"
        "```python\n"
        "print(1)\n"
        "```"
    )


@pytest.mark.parametrize(
    ("label", "code", "words"),
    [
        ("started", None, "had started and its outcome was still open"),
        ("completed", None, "completed;"),
        ("completed", 1, "completed with exit code 1"),
        ("completed", -9, "completed with exit code -9"),
        ("failed", None, "failed, raised by the tool itself"),
        ("timed_out", None, "ran out of time"),
        ("cancelled", None, "was cancelled"),
    ],
)
def test_a_label_has_its_words(label, code, words):
    assert words in attach(select(ledger_of(label=label, code=code)), "a").appended


def test_a_call_without_an_id_is_named_by_its_tool():
    assert "1: a call to `run_code` completed;" in attach(select(ledger_of(call="")), "a").appended


@pytest.mark.parametrize(
    ("answer", "start"),
    [
        ("", "Recorded"),
        ("text", "\n\nRecorded"),
        ("text\n", "\nRecorded"),
        ("text\r", "\n\nRecorded"),
        ("   ", "\n\nRecorded"),
        ("```", "\n```\n\nRecorded"),
        ("```\n", "```\n\nRecorded"),
        ("~~~~~\nx", "\n~~~~~\n\nRecorded"),
    ],
)
def test_a_closing_line_a_blank_line_and_the_block_follow_the_answer(answer, start):
    assert attach(select(ledger_of()), answer).appended.startswith(start)


@pytest.mark.parametrize(
    ("program", "fence"),
    [
        ("x", "```"),
        ("", "```"),
        ("``` inside", "~~~"),
        ("```\n~~~~", "````"),
        ("```` and ~~~", "~~~~"),
        ("`````\n~~~~~~~", "``````"),
        ("a `` b", "```"),
    ],
)
def test_a_program_cannot_break_out_of_its_fence(program, fence):
    lines = fenced(program, None).split("\n")
    assert lines[0] == lines[-1] == fence
    assert fence not in program


@pytest.mark.parametrize(
    ("language", "info"),
    [
        (None, ""),
        ("c++", "c++"),
        ("C#", "C#"),
        ("a`b\nc {x}", "abcx"),
        ("l" * 99, "l" * 32),
        ("é", ""),
    ],
)
def test_a_language_is_written_so_that_it_stays_one_word(language, info):
    assert info_string(language) == info


@pytest.mark.parametrize(
    ("name", "shown"),
    [("run", "`run`"), ("a`b\nc", "`a_b_c`"), ("", "`_`"), ("x" * 99, f"`{'x' * 80}…`")],
)
def test_a_name_stays_one_line_between_its_backticks(name, shown):
    assert quoted(name) == shown


def test_a_cut_is_said_outside_the_fence():
    text = attach(select(ledger_of("x" * 4001)), "a").appended
    assert text.endswith(
        "x\n```\n\nProgram 1 was cut: 4000 of 4001 bytes were attached, not the whole program."
    )


def test_a_program_that_was_too_long_has_a_line_with_its_size():
    text = attach(select(ledger_of("x" * 70_000)), "").appended
    assert text == (
        "Recorded without its text: call `c1` to `run_code` completed; its program had 70000 "
        "bytes, over the 65536 kept."
    )


def test_every_omission_is_said_last():
    ledger = Ledger(Scripts(tools={"run_code": "code"}, which="all"))
    for n in range(260):
        ledger.ended(ledger.submitted(f"c{n}", "run_code", {"code": str(n)}), "completed")
    ledger.ended(ledger.submitted("big", "run_code", {"code": "x" * 70_000}), "completed")
    ledger.ended(ledger.submitted("none", "run_code", {}), "completed")
    paragraphs = attach(select(ledger), "a").appended.split("\n\n")
    assert paragraphs[-4].startswith("Recorded without its text: call `big`")
    assert paragraphs[-3] == "Recorded without its text: call `none` to `run_code` completed."
    assert paragraphs[-2].startswith("Recorded and left out: 246 earlier programs of the turn")
    assert paragraphs[-1].startswith("Recorded by number only: 6 earlier calls of the turn")


def test_behind_an_unsettled_boundary_only_lines_stand_and_the_data_keeps_the_programs():
    attachment = attach(select(ledger_of()), "<!-- open")
    assert attachment.appended == (
        "\n\nRecorded program 1 of 1: call `c1` to `run_code` completed; its text was left out "
        "here and kept in the record."
    )
    (script,) = attachment.record.value()["shown"]
    assert script["withheld"] is True
    assert script["text"] == "print(1)"
    assert attachment.reason == "html"


def test_where_the_record_holds_no_texts_the_line_does_not_say_so():
    attachment = attach(select(ledger_of()), "<!-- open", kept=False)
    assert attachment.appended.endswith("its text was left out here.")
    assert "text" not in attachment.record.value()["shown"][0]


def test_omissions_stand_behind_an_unsettled_boundary_too():
    assert "had 70000 bytes" in attach(select(ledger_of("x" * 70_000)), "$$").appended


def test_a_typed_answer_gets_the_data_only():
    answer = '{"sum": 3}'
    attachment = attach(select(ledger_of()), answer, typed=True)
    assert attachment.to(answer) is answer
    assert attachment.record.form == "data"
    assert attachment.record.boundary is None
    assert attachment.record.value()["shown"][0]["text"] == "print(1)"


def test_when_nothing_travels_the_answer_is_the_same_object_and_no_boundary_is_read():
    ledger = Ledger(Scripts(tools={"run_code": "code"}))
    ledger.submitted("c1", "run_code", {"code": "x"})
    answer = "```\nopen"
    attachment = attach(select(ledger), answer)
    assert attachment.to(answer) is answer
    assert attachment.record.boundary is None
    assert attachment.record.value() == {
        "which": "last", "form": "none", "shown": [], "omitted": 0, "unshown": [],
        "without_row": 0, "kept": True,
    }  # fmt: skip


def test_a_program_that_the_model_has_shown_is_attached_all_the_same():
    assert "print(1)" in attach(select(ledger_of()), "```python\nprint(1)\n```").appended
