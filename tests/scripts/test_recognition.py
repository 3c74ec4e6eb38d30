"""Our block in a later request is text of the library."""

from __future__ import annotations

import pytest

from otel_footprint.scripts import Ledger, Memory, Scripts, attach, find, select


def attachment(answer="answer", program="print(1)", count=1):
    ledger = Ledger(Scripts(tools={"t": "code"}, which="all"))
    for n in range(count):
        ledger.ended(ledger.submitted(f"c{n}", "t", {"code": program}), "completed")
    return attach(select(ledger), answer)


def test_what_this_process_appended_is_certain_and_begins_where_it_was_appended():
    memory = Memory()
    for answer in ("", "answer", "answer\n", "```py\nopen", "<!--"):
        made = attachment(answer, count=3)
        memory.remember(made.appended)
        found = find(made.to(answer), memory)
        assert (found.start, found.certain) == (len(answer), True)


def test_blanks_that_an_application_strips_or_adds_do_not_matter():
    made, memory = attachment("  answer"), Memory()
    memory.remember(made.appended)
    assert find(made.to("  answer").strip(), memory).certain
    assert find(made.to("  answer") + " \n\n", memory).certain


def test_a_block_of_another_process_is_recognised_by_its_form():
    made = attachment("answer", count=8)
    found = find(made.to("answer"), Memory())
    assert (found.start, found.certain) == (len("answer"), False)
    assert made.to("answer")[found.start :].startswith("\n\nRecorded program 1 of 8")


def test_a_changed_block_is_not_certain():
    made, memory = attachment(), Memory()
    memory.remember(made.appended)
    assert not find(made.to("a").replace("print(1)", "print(2)"), memory).certain


def test_a_text_that_goes_on_after_the_block_does_not_end_with_it():
    assert find(attachment().to("a") + "\n\nmore") is None
    assert find("Recorded program 1 of 1: something else") is None
    assert find("") is None


LABEL = (
    "Recorded program {} of {}: call `c` to `t` completed; "
    "the library attached it out of the record."
)
WITHHELD = "Recorded program {} of {}: call `c` to `t` completed; its text was left out here."


@pytest.mark.parametrize(
    "block",
    [
        LABEL.format(1, 1),
        LABEL.format(1, 1) + "\n\n```\nx",
        LABEL.format(1, 1) + "\n\n```\nx\n````",
        LABEL.format(1, 2) + "\n\n```\nx\n```",
        LABEL.format(1, 2) + "\n\n```\nx\n```\n\n" + LABEL.format(1, 2) + "\n\n```\nx\n```",
        WITHHELD.format(1, 2),
        WITHHELD.format(1, 1) + "\n\nRecorded without its text: something",
        "Recorded and left out: many earlier programs of the turn that this answer closed.",
    ],
)
def test_what_no_writer_of_ours_writes_is_not_recognised(block):
    assert find("answer\n\n" + block) is None


def test_a_block_of_lines_only_is_recognised():
    for block in (
        WITHHELD.format(1, 1),
        WITHHELD.format(1, 2) + "\n\n" + WITHHELD.format(2, 2),
        "Recorded without its text: a call to `t` failed, raised by the tool itself.",
        "Recorded by number only: 1 earlier call of the turn that this answer closed.",
    ):
        assert find("answer\n\n" + block).start == len("answer")


def test_a_program_that_looks_like_a_block_stays_inside_its_fence():
    inner = attachment("x").appended
    made, memory = attachment("answer", inner), Memory()
    memory.remember(made.appended)
    assert find(made.to("answer"), memory).start == len("answer")
    assert find(made.to("answer")).start == len("answer")


def test_the_memory_is_bounded():
    memory = Memory(size=2)
    made = [attachment("a", f"print({n})") for n in range(3)]
    for one in made:
        memory.remember(one.appended)
    assert [find(one.to("a"), memory).certain for one in made] == [False, True, True]


def test_nothing_appended_is_nothing_to_remember():
    memory = Memory()
    memory.remember("")
    assert find("answer", memory) is None


def test_many_imitations_are_tried_a_bounded_number_of_times():
    line = "Recorded program 1 of 1: call `c` to `t` completed; x\n"
    assert find(line * 20_000) is None
    assert find(line * 20_000 + attachment("a").appended) is not None
