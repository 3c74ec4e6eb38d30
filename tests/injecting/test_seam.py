"""What is declared leaves with the request and stands on the record; nothing declared, nothing."""

from __future__ import annotations

from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.run.features import Feature
from otel_footprint.telemetry import names
from tests.injecting.kit import Loop, call, calls, tool
from tests.sdk import chat


def test_a_fact_and_a_steering_leave_behind_the_system_prompt_and_stand_on_the_record() -> None:
    loop = Loop(
        chat("Hello."),
        context=[
            footprint.fact("shop", "The shop is in Ghent.", description="where we are"),
            footprint.steering("kind", "Be kind."),
        ],
    )
    with loop.footprint.turn("Hello?"):
        assert loop.run("Hello?") == "Hello."
    assert loop.texts() == ["Be brief.", "The shop is in Ghent.", "Be kind.", "Hello?"]
    assert loop.messages[0] == {"role": "system", "content": "Be brief."}
    assert loop.rows("system") == [
        ("base", "", ""),
        ("fact", "shop", "where we are"),
        ("steering", "kind", "steering kind active"),
    ]
    injected = loop.events(names.EVENT_INJECTED, "compose system")
    assert [(e[names.INJECTION_SOURCE], e[names.INJECTION_TRIGGER]) for e in injected] == [
        ("fact", "always"),
        ("steering", "always"),
    ]


def test_what_is_let_in_again_costs_no_further_event() -> None:
    loop = Loop(chat("One."), chat("Two."), context=[footprint.fact("shop", "In Ghent.")])
    with loop.footprint.turn("Hello?"):
        loop.run("Hello?")
        loop.run("And now?")
    assert loop.texts()[1] == "In Ghent."
    assert len(loop.events(names.EVENT_INJECTED)) == 1


def test_with_nothing_declared_a_turn_has_no_features_and_the_request_is_the_same() -> None:
    loop = Loop(chat("Hello."))
    with loop.footprint.turn("Hello?") as turn:
        assert turn.features is None
        loop.run("Hello?")
    assert loop.texts() == ["Be brief.", "Hello?"]


def test_what_is_declared_acts_also_where_nothing_records() -> None:
    loop = Loop(chat("Hello."), context=[footprint.fact("shop", "In Ghent.")])
    silent = footprint.Footprint("agent", context=[footprint.fact("shop", "In Ghent.")])
    silent.wrap(loop.client)
    with silent.turn("Hello?"):
        loop.run("Hello?")
    assert loop.texts() == ["Be brief.", "In Ghent.", "Hello?"]
    assert loop.recording.spans == []


def test_a_feature_that_fails_leaves_the_request_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from otel_footprint.telemetry import guard

    class Broken(Feature):
        def plan(self, request: Any) -> Any:
            raise RuntimeError("broken")

        def before_tool(self, run: Any) -> None:
            raise RuntimeError("broken")

        answered = after_tool = ended = composed = before_tool

    loop = Loop(calls(call("c1", "look")), chat("Hello."))
    loop.footprint.core.makers.append(lambda turn: Broken())
    loop.tools = [tool("look")]
    loop.functions = {"look": lambda: "found"}
    before = guard.set_raising(False)
    try:
        with loop.footprint.turn("Hello?") as turn:
            assert loop.run("Hello?", turn) == "Hello."
    finally:
        guard.set_raising(before)
        guard.take_failures()
        guard.forget()
    assert loop.texts() == ["Be brief.", "Hello?", None, "found"]


def test_features_see_the_batch_and_may_stand_in_for_a_tool() -> None:
    seen: list[Any] = []

    class Watching(Feature):
        def answered(self, action: Any, answer: Any) -> None:
            seen.append([(a.name, a.call_id, a.arguments) for a in answer.asked])

        def before_tool(self, run: Any) -> None:
            if run.name == "pay":
                run.instead, run.status = "Not paid.", "refused"
            else:
                run.arguments = {"city": "Ghent"}
                run.notes.append(" (checked)")

        def after_tool(self, run: Any, status: str, result: Any) -> None:
            seen.append((run.name, status, result))

    loop = Loop(calls(call("c1", "look", city="?"), call("c2", "pay")), chat("Done."))
    loop.footprint.core.makers.append(lambda turn: Watching())
    loop.functions = {"look": lambda city: f"in {city}", "pay": lambda: pytest.fail("ran")}
    with loop.footprint.turn("Hello?") as turn:
        loop.run("Hello?", turn)
    assert seen == [
        [("look", "c1", '{"city": "?"}'), ("pay", "c2", "{}")],
        ("look", "ok", "in Ghent"),
        ("pay", "refused", "Not paid."),
        [],
    ]
    assert loop.texts()[-2:] == ["in Ghent (checked)", "Not paid."]
