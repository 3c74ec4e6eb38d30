"""What stands on the record: by content mode, bounded, read back, and named where it is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF

import otel_footprint as footprint
from otel_footprint.records.scripts import MAX_TEXT_BYTES
from otel_footprint.slots.entry import keyed_hash, plain_hash
from otel_footprint.telemetry import names
from tests.adapters.test_clients import OPENAI
from tests.losses.kit import as_json, trail_of
from tests.sdk import Recording, Server, chat, client

from .helpers import CODE, TOOLS, Programmed, asks

SECRET = "sk-proj-" + "A1b2C3d4" * 6


def run(made: Programmed, *codes: Any, answer: str = "Done.", turns: int = 1) -> str:
    """The answer of a turn in which these programs ran."""
    answers = [chat(None, asks(*codes)), *[chat(answer)] * turns]
    model = made.client("openai", "OpenAI", *answers)
    with made.footprint.turn() as turn:
        first = model.chat.completions.create(**OPENAI)
        for call in first.choices[0].message.tool_calls or ():
            turn.tool(call, lambda code: "42")
        for _ in range(turns):
            last = model.chat.completions.create(**OPENAI)
    return str(last.choices[0].message.content)


def test_without_content_the_record_has_digest_and_size_and_no_text() -> None:
    made = Programmed(content="none", key=b"k" * 32, key_id="k1")
    text = run(made, CODE)
    assert text.endswith(f"```python\n{CODE}```")
    (event,) = made.events(names.EVENT_SCRIPT)
    assert names.SCRIPT_TEXT not in event
    assert event[names.SCRIPT_BYTES] == len(CODE)
    assert event[names.SCRIPT_DIGEST] == keyed_hash(b"k" * 32)(CODE)
    assert CODE.strip() not in json.dumps(as_json(made.recording.spans))
    (attached,) = made.attached
    assert (attached.recorded.unread, attached.recorded.kept, attached.text) == (0, False, None)


def test_with_content_the_digest_is_over_the_program() -> None:
    made = Programmed()
    run(made, CODE)
    assert made.events(names.EVENT_SCRIPT)[0][names.SCRIPT_DIGEST] == plain_hash(CODE)


def test_redaction_covers_the_program_under_the_answer_and_on_the_record() -> None:
    made = Programmed(content="redacted")
    text = run(made, f"login('{SECRET}')")
    assert SECRET not in text
    shown = "login('[redacted:"
    assert shown in text
    (attached,) = made.attached
    script = attached.recorded.shown[0][1]
    assert script.text is not None
    assert script.text.startswith(shown)
    assert script.byte_count == len(script.text)
    assert script.digest == plain_hash(script.text)
    assert text == "Done." + str(attached.text)
    assert SECRET not in json.dumps(as_json(made.recording.spans))


@pytest.mark.usefixtures("quiet")
def test_a_program_whose_redaction_fails_is_withheld() -> None:
    def redact(text: str, where: str) -> str:
        if where.startswith("scripts"):
            raise RuntimeError(text)
        return text

    made = Programmed(content="redacted", redact=redact)
    text = run(made, CODE)
    assert "Recorded without its text: call `c1` to `run_code` completed." in text
    assert CODE.strip() not in text
    (attached,) = made.attached
    assert [u.why for u in attached.recorded.unshown] == ["withheld"]


def test_a_cut_program_says_so_in_the_text_and_in_the_data() -> None:
    made = Programmed()
    text = run(made, "x" * 4001)
    assert text.endswith(
        "Program 1 was cut: 4000 of 4001 bytes were attached, not the whole program."
    )
    script = made.attached[0].recorded.shown[0][1]
    assert (script.byte_count, script.shown_bytes) == (4001, 4000)


def test_a_program_over_the_bound_has_a_line_and_its_size() -> None:
    made = Programmed()
    text = run(made, "x" * (MAX_TEXT_BYTES + 1))
    assert f"its program had {MAX_TEXT_BYTES + 1} bytes" in text
    (attached,) = made.attached
    (entry,) = attached.recorded.unshown
    assert (entry.why, entry.byte_count, attached.recorded.omitted) == (
        "over_size",
        MAX_TEXT_BYTES + 1,
        1,
    )


def test_a_long_program_stands_in_several_events_and_is_read_back_whole() -> None:
    program = "é" * 20_000
    made = Programmed(footprint.Scripts(tools=TOOLS, max_bytes=50_000))
    text = run(made, program)
    events = made.events(names.EVENT_SCRIPT)
    assert len(events) > 3
    assert max(len(s.encode()) for e in events for s in e[names.SCRIPT_TEXT]) <= 2000
    assert all(
        sum(len(s.encode()) for s in e[names.SCRIPT_TEXT]) <= made.footprint.core.bounds().span
        for e in events
    )
    (attached,) = made.attached
    assert attached.recorded.shown[0][1].text == program
    assert text == "Done." + str(attached.text)


def test_no_record_is_lost_to_the_limits_of_a_span() -> None:
    made = Programmed(footprint.Scripts(tools=TOOLS, which="all"))
    run(made, *(f"print({n}) # {'x' * 3000}" for n in range(8)), turns=30)
    assert [len(a.recorded.shown) for a in made.attached] == [8] * 30
    assert {a.recorded.unread for a in made.attached} == {0}
    assert max(len(span.events) for span in made.recording.spans) < 128


def test_beyond_the_bound_of_a_trace_the_texts_are_left_out_and_the_record_says_so() -> None:
    made = Programmed(max_content_bytes=3_000)
    run(made, "y" * 3_900)
    (attached,) = made.attached
    assert (attached.recorded.unread, attached.recorded.kept) == (0, False)
    assert attached.recorded.shown[0][1].byte_count == 3_900


def test_every_answer_is_on_the_record_also_without_a_program() -> None:
    made = Programmed()
    model = made.client("openai", "OpenAI", chat("Hello."))
    for _ in range(2):
        with made.footprint.turn():
            model.chat.completions.create(**OPENAI)
    assert [a.recorded.form for a in made.attached] == ["none", "none"]
    first = made.events(names.EVENT_ATTACHED)[0]
    assert (first[names.ATTACHMENT_SHOWN], first[names.ATTACHMENT_OMITTED]) == (0, 0)


def test_without_scripts_nothing_is_on_the_record() -> None:
    made = Programmed()
    plain = footprint.Footprint("agent", content="full", **made.recording.providers)
    model = plain.wrap(client("openai", "OpenAI", Server(chat())))
    with plain.turn():
        model.chat.completions.create(**OPENAI)
    assert made.events(names.EVENT_ATTACHED) == []
    assert made.trail.attached == {}


@pytest.mark.parametrize("lost", [0, 1])
def test_a_lost_program_is_a_gap_that_counts_as_unread(lost: int) -> None:
    made = Programmed(footprint.Scripts(tools=TOOLS, which="all"))
    run(made, "1", "2")
    found = as_json(made.recording.spans)
    for span in _spans(found):
        programs = [e for e in span.get("events", ()) if e["name"] == names.EVENT_SCRIPT]
        if programs:
            span["events"].remove(programs[lost])
    trail = trail_of(found)
    (attached,) = trail.attached.values()
    assert attached.recorded.unread == 1
    assert [index for index, _ in attached.recorded.shown] == [1 - lost]
    assert attached.text is None
    assert any("cannot be read" in str(gap) for gap in trail.gaps)


def test_a_changed_record_does_not_fit_its_digest() -> None:
    made = Programmed()
    run(made, CODE)
    found = as_json(made.recording.spans)
    for span in _spans(found):
        for event in span.get("events", ()):
            for attribute in event["attributes"]:
                if attribute["key"] == names.SCRIPT_LABEL:
                    attribute["value"]["stringValue"] = "failed"
    trail = trail_of(found)
    (ledger,) = trail.turns[0].ledgers
    assert trail.check(ledger).state == "inconsistent"


def _spans(found: Any) -> list[Any]:
    return [
        span
        for resource in found["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]


def test_programs_travel_also_where_nothing_records() -> None:
    fp = footprint.Footprint(scripts=footprint.Scripts(tools=TOOLS))
    model = fp.wrap(client("openai", "OpenAI", Server(chat(None, asks(CODE)), chat("Done."))))
    with fp.turn() as turn:
        first = model.chat.completions.create(**OPENAI)
        turn.tool(first.choices[0].message.tool_calls[0], lambda code: "42")
        text = model.chat.completions.create(**OPENAI).choices[0].message.content
    assert text.startswith("Done.\n\nRecorded program 1 of 1: call `c1` to `run_code` completed")


def test_programs_travel_also_when_the_trace_is_sampled_out() -> None:
    made = Programmed()
    made.recording = Recording(sampler=ALWAYS_OFF)
    fp = footprint.Footprint(
        content="full", scripts=footprint.Scripts(tools=TOOLS), **made.recording.providers
    )
    made.footprint = fp
    assert run(made, CODE).endswith(f"```python\n{CODE}```")
    assert made.recording.spans == []


@pytest.mark.usefixtures("quiet")
def test_our_own_failure_leaves_the_answer_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from otel_footprint.run import programs

    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("ours")

    monkeypatch.setattr(programs, "attach", broken)
    assert run(Programmed(), CODE) == "Done."


def test_a_turn_that_paused_goes_on_with_its_programs() -> None:
    made = Programmed(footprint.Scripts(tools=TOOLS, which="all"))
    model = made.client("openai", "OpenAI", chat(None, asks("1", "2")), chat("Done."))
    with made.footprint.turn(conversation="c") as turn:
        first = model.chat.completions.create(**OPENAI)
        turn.tool(first.choices[0].message.tool_calls[0], lambda code: "42")
        saved = json.loads(json.dumps(turn.pause()))
    with made.footprint.turn(resume=saved):
        text = model.chat.completions.create(**OPENAI).choices[0].message.content
    assert "call `c1` to `run_code` completed" in text
    assert "c2" not in text


def test_attachments_are_counted() -> None:
    made = Programmed(footprint.Scripts(tools=TOOLS, which="all"))
    run(made, *(str(n) for n in range(9)), "z" * (MAX_TEXT_BYTES + 1))
    data = made.recording.reader.get_metrics_data()
    (metric,) = [
        m
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for m in scope.metrics
        if m.name == names.METRIC_ATTACHMENTS
    ]
    counted = {p.attributes[names.LABEL_KIND]: p.value for p in metric.data.data_points}
    assert counted == {"completed": 8, "older": 1, "over_size": 1}
