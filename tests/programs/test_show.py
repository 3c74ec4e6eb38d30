"""The tree and the view of one call print what stood under an answer."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.records.scripts import MAX_TEXT_BYTES
from otel_footprint.report import onecall, tree
from otel_footprint.telemetry import names
from otel_footprint.trail.files import read
from otel_footprint.trail.light import light
from otel_footprint.trail.otlp import records
from otel_footprint.trail.overview import Overview
from tests.losses.kit import as_json, trail_of
from tests.sdk import chat

from .helpers import CODE, TOOLS, Programmed, asks
from .test_record import _spans, run


def test_the_tree_has_a_line_for_each_program() -> None:
    made = Programmed(footprint.Scripts(tools=TOOLS, which="all", max_bytes=20))
    run(made, "print(1)", "y" * 30, "z" * (MAX_TEXT_BYTES + 1))
    printed = "\n".join(tree.render(made.trail, ascii_only=True))
    assert "program of run_code c1 completed" in printed
    assert "8 bytes" in printed
    assert "20 of 30 bytes" in printed
    assert "over the size that is kept" in printed
    assert "65,537 bytes" in printed


def test_the_view_of_one_call_holds_the_program_and_says_where_it_stood() -> None:
    made = Programmed()
    text = run(made, "print('whole')")
    trail = made.trail
    printed = "\n".join(onecall.render(trail, trail.calls[1]))
    assert "under the answer: 1 program" in printed
    assert "\n    1  program of" in printed
    assert f"put under the answer: {len(text) - len('Done.')} characters, built again" in printed
    assert "print('whole')" in printed
    assert "under the answer" not in "\n".join(onecall.render(trail, trail.calls[0]))


def test_an_answer_that_comes_back_with_its_program_is_still_that_calls() -> None:
    made = Programmed()
    answers = [chat(None, asks(CODE)), chat("It is 42."), chat("As I said.")]
    model = made.client("openai", "OpenAI", *answers)
    messages: list[Any] = [{"role": "user", "content": "What is it?"}]
    with made.footprint.turn() as turn:
        for words in (None, "Are you sure?", "Really?"):
            said = model.chat.completions.create(model="gpt-4o-mini", messages=messages)
            message = said.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            for call in message.tool_calls or ():
                result = turn.tool(call, lambda code: "42")
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
            if not message.tool_calls:
                messages.append({"role": "user", "content": words})
    trail = made.trail
    printed = "\n".join(tree.render(trail, ascii_only=True))
    assert "+ assistant   (call 2): It is 42. Recorded program" in printed
    came = trail.diff(2, 3).slot("messages").pieces
    assert "the model, in call 2, and the library under it" in [
        p.origin.by for p in came if p.origin
    ]


def test_what_stood_in_the_data_only_says_why() -> None:
    made = Programmed()
    run(made, "1", answer="<!-- open")
    trail = made.trail
    printed = "\n".join(onecall.render(trail, trail.calls[1]))
    assert "label lines only" in printed
    assert "data only" in printed


def test_an_answer_without_a_program_says_so_in_the_view_only() -> None:
    made = Programmed()
    run(made, None)
    trail = made.trail
    found = trail.calls[1]
    assert "no text among its arguments" in "\n".join(onecall.render(trail, found))
    other = Programmed()
    run(other)
    trail = other.trail
    printed = "\n".join(onecall.render(trail, trail.calls[1]))
    assert "none was submitted that reached its tool" in printed


def test_a_lost_program_is_named() -> None:
    made = Programmed()
    run(made, "1")
    found = as_json(made.recording.spans)
    for span in _spans(found):
        span["events"] = [e for e in span.get("events", ()) if e["name"] != names.EVENT_SCRIPT]
    printed = "\n".join(tree.render(trail_of(found)))
    assert "1 record of programs cannot be read" in printed
    assert "Missing: 1 gap" in printed


@pytest.mark.parametrize("decode", [light, records])
def test_the_list_of_turns_counts_what_stood_under_an_answer_among_the_records(decode: Any) -> None:
    made = Programmed()
    run(made, "print(1)", turns=2)
    made.footprint.flush()
    overview, lines = Overview(), []
    for found in read(io.BytesIO(json.dumps(as_json(made.recording.spans)).encode()), decode):
        lines += overview.add(found)
    assert [(line.calls, line.missing) for line in lines] == [(3, 0)]
