"""For any program and any text before it: the block comes out whole, or the programs stay away."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from otel_footprint.records.script_text import label_line
from otel_footprint.scripts import (
    Ledger,
    Memory,
    Scripts,
    attach,
    attachment_fields,
    find,
    rebuild,
    recorded_scripts,
    script_fields,
    select,
    value_of,
)
from tests.quick import examples

from .markdown import texts
from .oracle import expected, safe_beginning, stands

MANY = settings(max_examples=examples(500), deadline=None, suppress_health_check=list(HealthCheck))
SOME = settings(max_examples=examples(120), deadline=None, suppress_health_check=list(HealthCheck))

outcomes = st.sampled_from(["submitted", "started", "completed", "failed", "timed_out"])
calls = st.lists(st.tuples(texts, texts, outcomes, st.none() | st.integers(-9, 9)), max_size=12)


def ledger_of(made, which="all", max_bytes=40):
    ledger = Ledger(Scripts(tools={"t": "code"}, which=which, max_bytes=max_bytes))
    for call, program, label, code in made:
        key = ledger.submitted(call, "t", {"code": program, "language": call})
        if label != "submitted":
            ledger.started(key)
        if label not in ("submitted", "started"):
            ledger.ended(key, label, code)
    return ledger


@MANY
@given(answer=texts, program=texts)
@example(answer="- ```\n  x\n\n```\nopen", program="```\n")
@example(answer="[a]: /u\n<x>\n```", program="")
@example(answer="> a\nb\n===\n<x>\n```", program="~~~~")
@example(answer="x\r", program="a\r")
@example(answer="   ", program="\n")
def test_the_attached_program_comes_out_exactly_or_is_withheld(answer, program):
    ledger = Ledger(Scripts(tools={"t": "code"}, max_bytes=100_000))
    ledger.started(ledger.submitted("c1", "t", {"code": program}))
    attachment = attach(select(ledger), answer)
    record = attachment.record
    assert attachment.to(answer).startswith(answer)
    if record.boundary.kind == "unsettled":
        only = label_line(record.shown[0], 1, 1, True)
        assert attachment.appended.strip("\n") == only
        assert record.shown[0].text == program
        assert attachment.reason == "math" or safe_beginning(answer, record) is None
    else:
        assert stands(attachment.to(answer), expected(record)), attachment.to(answer)


@SOME
@given(made=calls, answer=texts, which=st.sampled_from(["last", "all"]), kept=st.booleans())
def test_the_record_gives_the_attached_text_back_byte_for_byte(made, answer, which, kept):
    attachment = attach(select(ledger_of(made, which)), answer, kept=kept)
    record = attachment.record
    value = json.loads(json.dumps(record.value()))
    read = recorded_scripts(value, within=len(answer))
    assert read.unread == 0
    texts_needed = record.form == "text" and any(not s.withheld for s in record.shown)
    assert rebuild(read) == (attachment.appended if kept or not texts_needed else None)

    events = [script_fields(record, i) for i in range(len(record.shown))]
    again = recorded_scripts(value_of(attachment_fields(record), reversed(events)), len(answer))
    assert again == read


@SOME
@given(made=calls, answer=texts)
def test_a_block_that_comes_back_is_known_by_memory_and_by_form(made, answer):
    attachment = attach(select(ledger_of(made)), answer)
    whole = attachment.to(answer)
    memory = Memory()
    memory.remember(attachment.appended)
    if not attachment.appended:
        assert attachment.to(answer) is answer
        return
    found = find(whole + " \n", memory)
    assert found.certain
    assert found.start == len(answer)
    by_form = find(whole)
    assert by_form is not None
    assert not by_form.certain
    assert whole[by_form.start :].lstrip("\n").startswith("Recorded ")


@SOME
@given(answer=texts, more=texts)
def test_a_text_without_our_block_is_not_taken_for_one(answer, more):
    assert find(answer.replace("Recorded", "") + more.replace("Recorded", "")) is None
