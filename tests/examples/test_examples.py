"""The examples run offline and do what they say."""

from __future__ import annotations

from otel_footprint.telemetry import names
from tests.examples import actions_left, refund


def test_the_refund_procedure_offers_one_step_after_the_other() -> None:
    requests, recording = refund.main()
    offered = [[t["function"]["name"] for t in request["tools"]] for request in requests]
    assert offered == [
        ["get_order", "pay_back", "write_mail", "read_skill"],
        ["get_order", "read_skill", "skip_step"],
        ["pay_back", "read_skill", "skip_step"],
        ["get_order", "pay_back", "write_mail", "read_skill"],
    ]
    events = [event for span in recording.spans for event in span.events]
    steps = [
        (event.name, dict(event.attributes or {})[names.STEP_INDEX])
        for event in events
        if event.name in (names.EVENT_STEP_ADVANCED, names.EVENT_STEP_SKIPPED)
    ]
    assert steps == [
        (names.EVENT_STEP_ADVANCED, 1),
        (names.EVENT_STEP_ADVANCED, 2),
        (names.EVENT_STEP_SKIPPED, 3),
    ]


def test_the_agent_is_told_how_many_actions_are_left() -> None:
    requests, _ = actions_left.main()
    told = [[m["content"] for m in r["messages"] if m["role"] == "system"] for r in requests]
    assert told == [
        ["This is call 1 of 3; 2 left."],
        ["This is call 2 of 3; 1 left."],
        ["This is call 3 of 3; 0 left.", "Give your answer now."],
    ]


def test_without_a_budget_nothing_is_said_and_that_is_on_the_record() -> None:
    requests, recording = actions_left.main(None)
    assert all(m["role"] != "system" for r in requests for m in r["messages"])
    events = [event for span in recording.spans for event in span.events]
    skipped = [event for event in events if event.name == names.EVENT_SKIPPED]
    assert len(skipped) == 3
