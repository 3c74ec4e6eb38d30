"""A procedure over a real client: what is offered, what advances, how it ends, how it survives."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.telemetry import names
from tests.injecting.kit import Loop, call, calls, tool
from tests.sdk import chat

TOOLS = ("lookup", "charge", "export")


def refund(**options: Any) -> Any:
    return footprint.skill(
        "refund",
        "Refunds an order.",
        "Look the order up, then pay.",
        tools=[*TOOLS, "note"],
        steps=[
            footprint.Step("lookup", "find it"),
            footprint.Step("charge", "pay it back"),
            footprint.Step("export", "file it", produces=("file",)),
        ],
        **options,
    )


READ = call("c1", "read_skill", skill="refund")


def loop_of(*answers: Any, more: Any = (), sink: str = "span", **options: Any) -> Loop:
    loop = Loop(*answers, context=[refund(**options), *more], dispatch=True, sink=sink)
    loop.tools = [tool(name) for name in (*TOOLS, "note", "other")]
    loop.functions = {name: (lambda name=name: f"{name} ran") for name in (*TOOLS, "note", "other")}
    return loop


def ran(loop: Loop, **turn: Any) -> Loop:
    with loop.footprint.turn("Refund me.", **turn) as entered:
        loop.run("Refund me.", entered)
    return loop


def unfinished(loop: Loop) -> list[tuple[Any, ...]]:
    keys = (names.STEPS_OUTCOME, names.STEPS_OUTCOME_REASON)
    ends = loop.events(names.EVENT_STEPS_UNFINISHED, "invoke_agent")
    return [tuple(e[key] for key in keys) for e in ends]


def advanced(loop: Loop) -> list[tuple[int, str]]:
    done = loop.events(names.EVENT_STEP_ADVANCED, "execute_tool")
    return [(e[names.STEP_INDEX], e[names.TOOL_CALL_ID]) for e in done]


def test_only_the_current_step_is_offered_and_every_way_out_stays() -> None:
    brought = footprint.skill("tea", "Tea.", "Boil.", tools=[tool("kettle")])
    loop = ran(
        loop_of(calls(READ, call("c2", "read_skill", skill="tea")), chat("Stop."), more=[brought])
    )
    assert set(loop.offered(0)) == {*TOOLS, "note", "other", "read_skill"}
    loop = ran(loop_of(calls(READ), calls(call("c2", "lookup")), chat("Stop.")))
    assert list(loop.offered(1)) == ["lookup", "note", "other", "read_skill", "skip_step"]
    assert loop.offered(1)["lookup"] == "[Step 1 of 3 — find it] Runs lookup."
    assert list(loop.offered(2)) == ["charge", "note", "other", "read_skill", "skip_step"]
    assert "step 2 of 3" in loop.offered(2)["skip_step"].lower()
    assert loop.tools[0]["function"]["description"] == "Runs lookup."


def test_a_whole_procedure_is_told_in_the_results_and_on_the_tools_own_spans() -> None:
    loop = ran(
        loop_of(
            calls(READ),
            calls(call("c2", "lookup")),
            calls(call("c3", "charge")),
            calls(call("c4", "export")),
            chat("All done."),
        )
    )
    results = [m["content"] for m in loop.sent[-1]["messages"] if m["role"] == "tool"]
    assert "step 1 of 3 stood next: find it (`lookup`)" in results[0]
    assert results[1].startswith("lookup ran\n\n[refund: step 1 of 3 was done")
    assert "all 3 steps were complete" in results[3]
    assert advanced(loop) == [(1, "c2"), (2, "c3"), (3, "c4")]
    (last,) = [e for e in loop.events(names.EVENT_STEP_ADVANCED) if e[names.STEP_COMPLETED]]
    assert last[names.STEP_TOOL] == "export"
    assert unfinished(loop) == []
    assert loop.messages[3]["content"] != results[0]


def test_several_steps_of_one_batch_advance_in_the_order_of_the_batch() -> None:
    batch = calls(
        call("c2", "lookup"), call("c3", "skip_step", reason="paid by hand"), call("c4", "export")
    )
    loop = ran(loop_of(calls(READ), batch, chat("Done.")))
    assert advanced(loop) == [(1, "c2"), (3, "c4")]
    (skipped,) = loop.events(names.EVENT_STEP_SKIPPED, "execute_tool skip_step")
    assert skipped[names.STEP_INDEX] == 2
    assert skipped[names.STEP_REASON] == "paid by hand"
    assert skipped[names.STEP_POLICY] == "advance"


def test_tools_that_run_at_once_are_settled_in_the_order_of_the_batch() -> None:
    loop = loop_of(calls(READ), calls(call("c2", "lookup"), call("c3", "charge")), chat("Done."))
    second = threading.Event()

    def lookup() -> str:
        assert second.wait(20)
        return "lookup ran"

    loop.functions["lookup"] = lookup
    with loop.footprint.turn("Refund me.") as turn:
        loop.messages.append({"role": "user", "content": "Refund me."})
        answers = {}
        for _ in range(3):
            said = (
                loop.client.chat.completions.create(
                    model="gpt-4o-mini", messages=loop.messages, tools=loop.tools
                )
                .choices[0]
                .message
            )
            loop.messages.append(said.model_dump(exclude_none=True))
            asked = said.tool_calls or []

            def run(one: Any) -> None:
                answers[one.id] = turn.tool(one, loop.functions.get(one.function.name))
                if one.function.name == "charge":
                    second.set()

            threads = [threading.Thread(target=run, args=(one,)) for one in asked]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            loop.messages += [
                {"role": "tool", "tool_call_id": one.id, "content": answers[one.id]}
                for one in asked
            ]
    assert sorted(advanced(loop)) == [(1, "c2"), (2, "c3")]
    texts = loop.texts()
    assert "step 1 of 3 was done by that `lookup` call" in texts[-2]
    assert "step 2 of 3 was done by that `charge` call" in texts[-1]


def test_what_fails_or_comes_before_its_turn_does_not_advance() -> None:
    loop = loop_of(
        calls(READ),
        calls(call("c2", "charge"), call("c3", "lookup")),
        calls(call("c4", "charge")),
        chat("Stop."),
    )

    def broken() -> str:
        raise ValueError("no money")

    loop.functions["charge"] = broken
    with loop.footprint.turn("Refund me.") as turn:
        real = turn.tool
        turn.tool = lambda one, fn=None: _caught(real, one, fn)  # type: ignore[method-assign]
        loop.run("Refund me.", turn)
    assert advanced(loop) == [(1, "c3")]
    assert next(iter(loop.offered(3))) == "charge"


def _caught(run: Any, one: Any, fn: Any) -> Any:
    try:
        return run(one, fn)
    except ValueError as error:
        return f"failed: {error}"


def test_a_step_that_is_held_stays_current() -> None:
    loop = ran(
        loop_of(
            calls(READ),
            calls(call("c2", "skip_step", reason="too long")),
            calls(call("c3", "skip_step", reason=" ")),
            chat("Stop."),
            on_skip="hold",
        )
    )
    assert next(iter(loop.offered(2))) == "lookup"
    assert len(loop.events(names.EVENT_STEP_SKIPPED)) == 1
    assert "reason" in loop.texts(3)[-1]


def test_where_no_other_call_can_be_started_an_early_answer_is_accepted_with_the_reason() -> None:
    loop = ran(loop_of(calls(READ), chat("Done.")))
    assert unfinished(loop) == [("accepted", "cannot-continue")]
    (end,) = loop.events(names.EVENT_STEPS_UNFINISHED)
    assert list(end[names.STEP_REMAINING]) == [1, 2, 3]
    assert tuple(end[names.STEP_REMAINING_TOOLS]) == TOOLS


@pytest.mark.parametrize("sink", ["span", "log"])
def test_how_many_steps_were_left_stands_on_the_turn_with_every_sink(sink: str) -> None:
    def left(*answers: Any) -> list[Any]:
        loop = ran(loop_of(*answers, sink=sink))
        return [
            span.attributes.get(names.TURN_UNFINISHED)
            for span in loop.recording.spans
            if span.name.startswith(names.SPAN_TURN)
        ]

    assert left(calls(READ), calls(call("c2", "lookup")), chat("Done.")) == [2]
    done = (calls(call("c2", "lookup")), calls(call("c3", "charge")), calls(call("c4", "export")))
    assert left(calls(READ), *done, chat("Done.")) == [None]


def test_what_cuts_a_turn_short_is_named() -> None:
    loop = ran(loop_of(calls(READ), chat("Done.")), action_budget=2)
    assert unfinished(loop) == [("cut-short", "action-budget")]
    loop = loop_of(calls(READ), calls(call("c2", "lookup")), chat("Done."))
    with loop.footprint.turn("Refund me.") as turn:
        loop.messages.append({"role": "user", "content": "Refund me."})
        for _ in range(2):
            said = (
                loop.client.chat.completions.create(
                    model="gpt-4o-mini", messages=loop.messages, tools=loop.tools
                )
                .choices[0]
                .message
            )
            loop.messages.append(said.model_dump(exclude_none=True))
            if said.tool_calls[0].id == "c1":
                result = turn.tool(said.tool_calls[0])
                loop.messages.append({"role": "tool", "tool_call_id": "c1", "content": result})
    assert unfinished(loop) == [("cut-short", "unanswered-tool-call")]
    loop = loop_of(calls(READ), calls(call("c2", "lookup")))
    loop.functions["lookup"] = lambda: 1 / 0
    with pytest.raises(ZeroDivisionError):
        ran(loop)
    assert unfinished(loop) == [("cut-short", "failed")]


def test_a_procedure_that_loses_the_tenure_is_on_the_record() -> None:
    other = footprint.skill("tea", "Tea.", "Boil.")
    loop = ran(
        loop_of(
            calls(READ),
            calls(call("c2", "lookup")),
            calls(call("c3", "read_skill", skill="tea")),
            chat("Tea."),
            more=[other],
        )
    )
    (lost,) = loop.events(names.EVENT_ABANDONED, "chat")
    assert lost[names.ABANDONED_BY] == "tea"
    assert list(lost[names.STEP_REMAINING]) == [2, 3]
    assert set(loop.offered()) == {*TOOLS, "note", "other", "read_skill"}


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_pause_is_an_end_and_the_turn_goes_on_later(elsewhere: bool) -> None:
    loop = loop_of(calls(READ), calls(call("c2", "lookup"), call("c3", "charge")), chat("Done."))
    with loop.footprint.turn("Refund me.", id="t-1", conversation="c-1") as turn:
        loop.messages.append({"role": "user", "content": "Refund me."})
        for _ in range(2):
            said = (
                loop.client.chat.completions.create(
                    model="gpt-4o-mini", messages=loop.messages, tools=loop.tools
                )
                .choices[0]
                .message
            )
            loop.messages.append(said.model_dump(exclude_none=True))
            first = said.tool_calls[0]
            result = turn.tool(first, loop.functions.get(first.function.name))
            loop.messages.append({"role": "tool", "tool_call_id": first.id, "content": result})
        saved = json.loads(json.dumps(turn.pause()))
    assert unfinished(loop) == []
    (paused,) = loop.recording.named("invoke_agent")
    assert paused.attributes[names.TURN_OUTCOME] == "paused"
    again = loop
    if elsewhere:
        again = loop_of(chat("Done."))
        again.messages = loop.messages
    with again.footprint.turn(resume=saved) as turn:
        asked = call("c3", "charge")
        result = turn.tool(asked, loop.functions["charge"])
        again.messages.append({"role": "tool", "tool_call_id": "c3", "content": result})
        again.go_on(turn)
    resumed = again.recording.named("invoke_agent")[-1]
    assert resumed.attributes[names.TURN_ID] == "t-1"
    assert [link.context.trace_id for link in resumed.links] == [paused.context.trace_id]
    texts = again.texts()
    assert "step 1 of 3 was done" in texts[-2]
    assert "step 2 of 3 was done" in texts[-1]
    assert next(iter(again.offered())) == "export"
    last = again.events(names.EVENT_STEP_ADVANCED)[-1]
    assert (last[names.STEP_INDEX], last[names.TOOL_CALL_ID]) == (2, "c3")
    assert unfinished(again) == [("accepted", "cannot-continue")]


def test_turns_at_once_do_not_mix() -> None:
    answers = {"a": [calls(READ), calls(call("c2", "lookup")), chat("Done.")]}
    loops = [loop_of(*answers["a"]) for _ in range(4)]
    shared = loops[0].footprint
    for loop in loops:
        shared.wrap(loop.client)
        loop.footprint = shared

    threads = [threading.Thread(target=ran, args=(loop,)) for loop in loops]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for loop in loops:
        assert next(iter(loop.offered(2))) == "charge"
    spans = loops[0].recording.spans
    steps = [e for s in spans for e in s.events if e.name == names.EVENT_STEP_ADVANCED]
    assert [dict(e.attributes or {})[names.STEP_INDEX] for e in steps] == [1] * 4


def test_steps_are_counted_by_outcome() -> None:
    loop = ran(
        loop_of(
            calls(READ),
            calls(call("c2", "lookup"), call("c3", "skip_step", reason="no")),
            chat("x"),
        )
    )
    loop.footprint.core.metrics.flush()
    counted = {
        point.attributes[names.LABEL_OUTCOME]: point.value
        for metric in _metrics(loop)
        if metric.name == names.METRIC_STEPS
        for point in metric.data.data_points
    }
    assert counted == {"done": 1, "skipped": 1, "unfinished": 1}


def test_tools_that_a_procedure_withholds_did_not_leave_by_the_application() -> None:
    loop = ran(loop_of(calls(READ), calls(call("c2", "lookup")), chat("x")))
    loop.footprint.core.metrics.flush()
    reasons = {
        point.attributes[names.LABEL_REASON]
        for metric in _metrics(loop)
        if metric.name == names.METRIC_EVICTED
        for point in metric.data.data_points
        if point.attributes[names.SLOT] == "tools"
    }
    assert "procedure" in reasons
    assert "application" not in reasons


def _metrics(loop: Loop) -> list[Any]:
    data = loop.recording.reader.get_metrics_data()
    assert data is not None
    return [m for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics]


def test_a_loop_that_can_call_again_asks_for_the_nudge() -> None:
    loop = loop_of(calls(READ), chat("Done."), chat("I cannot."))
    with loop.footprint.turn("Refund me.") as turn:
        loop.run("Refund me.", turn)
        nudge = turn.nudge()
        assert nudge is not None
        assert nudge.startswith("[steps unrun — ")
        loop.run(nudge, turn)
        assert turn.nudge() is None
    assert unfinished(loop) == [("nudged", "answered-early"), ("accepted", "nudge-spent")]
    assert loop.texts()[-2:] == ["Done.", nudge]
    assert "procedure" in [row[0] for row in loop.rows("messages")]


def test_a_parked_piece_stays_out_until_it_is_let_in_again() -> None:
    loop = Loop(*[chat("x")] * 3, context=[footprint.fact("shop", "In Ghent.")])
    with loop.footprint.turn("Go.") as turn:
        loop.run("Go.")
        turn.park("shop")
        loop.run("Go on.")
        turn.unpark("shop")
        loop.run("Go on.")
        with pytest.raises(footprint.DeclarationError, match="shop"):
            turn.park("shops")
    assert [loop.texts(at)[1] for at in range(3)] == ["In Ghent.", "Go.", "In Ghent."]
    (skipped,) = loop.events(names.EVENT_SKIPPED, "chat")
    assert skipped[names.SKIPPED_REASON] == "parked"
