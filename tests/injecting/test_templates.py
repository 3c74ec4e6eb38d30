"""Instructions that say run-time facts: all or nothing, never a placeholder before the model."""

from __future__ import annotations

import json

import pytest

import otel_footprint as footprint
from otel_footprint.errors import DeclarationError
from otel_footprint.telemetry import names
from tests.injecting.kit import Loop, call, calls
from tests.sdk import chat

LEFT = "Call {{action}} of {{actionBudget}}, {{actionsRemaining}} left."


def looping(*context: footprint.injection.Injection, n: int = 2, **options: object) -> Loop:  # type: ignore[name-defined]
    answers = [calls(call(f"c{i}", "look")) for i in range(n - 1)]
    loop = Loop(*answers, chat("Done."), context=context, **options)
    loop.functions = {"look": lambda: "found"}
    return loop


def test_each_call_says_where_the_turn_stands_and_each_turn_begins_again() -> None:
    loop = looping(footprint.instruction("left", template=LEFT), n=3)
    for _ in range(2):
        loop.server.bodies.clear()
        with loop.footprint.turn("Go.", action_budget=3) as turn:
            loop.run("Go.", turn)
        assert [loop.texts(at)[1] for at in range(3)] == [
            "Call 1 of 3, 2 left.",
            "Call 2 of 3, 1 left.",
            "Call 3 of 3, 0 left.",
        ]


def test_without_a_budget_the_instruction_is_skipped_by_name() -> None:
    loop = looping(footprint.instruction("left", template=LEFT))
    with loop.footprint.turn("Go.") as turn:
        loop.run("Go.", turn)
    assert "{{" not in json.dumps(loop.sent)
    assert loop.texts(0) == ["Be brief.", "Go."]
    for skipped in loop.events(names.EVENT_SKIPPED, "chat"):
        assert skipped[names.INJECTION_ID] == "left"
        assert skipped[names.SKIPPED_REASON] == "missing-fact"
        assert skipped[names.SKIPPED_ERROR] == "{{actionBudget}}, {{actionsRemaining}}"
    assert len(loop.events(names.EVENT_SKIPPED)) == 2


def test_the_tokens_left_are_said_where_the_window_is_known() -> None:
    room = footprint.instruction("room", template="{{contextRemaining}} tokens left.")
    loop = looping(room, window=1000)
    with loop.footprint.turn("Go.") as turn:
        loop.run("Go.", turn)
    first, second = (int(loop.texts(at)[1].split()[0]) for at in range(2))
    assert 900 < first < 1000
    assert second == 1000 - 10 - 5 - 6  # input and output as reported, and "found" as estimated
    loop = looping(room)
    loop.footprint.core.windows = _NoWindows()  # type: ignore[assignment]
    with loop.footprint.turn("Go.") as turn:
        loop.run("Go.", turn)
    assert loop.texts(0) == ["Be brief.", "Go."]


class _NoWindows:
    def size(self, provider: str, model: str) -> None:
        return None


def test_a_retry_and_a_sub_agent_do_not_count() -> None:
    loop = looping(footprint.instruction("n", template="Call {{action}}."), n=1)
    loop.server.answers = [(500, {"error": {"message": "busy"}}), chat("One."), chat("Two.")]
    with loop.footprint.turn("Go.") as turn:
        loop.messages.append({"role": "user", "content": "Go."})
        with pytest.raises(Exception, match="busy"):
            loop.go_on(turn)
        loop.go_on(turn)
        with loop.footprint.turn("Sub.", agent="sub"):
            loop.client.chat.completions.create(
                model="gpt-4o-mini", messages=[{"role": "user", "content": "Sub."}]
            )
        loop.run("More.", turn)
    said = [text for at in range(4) for text in loop.texts(at) if str(text).startswith("Call")]
    assert said == ["Call 1.", "Call 1.", "Call 2."]


def test_retries_inside_the_client_are_one_call() -> None:
    loop = looping(footprint.instruction("n", template="Call {{action}}."), n=1)
    loop.server.answers = [(500, {"error": {"message": "busy"}}), chat("One.")]
    client = loop.client.with_options(max_retries=2)
    with loop.footprint.turn("Go."):
        client.chat.completions.create(
            model="gpt-4o-mini", messages=[{"role": "user", "content": "Go."}]
        )
    assert [loop.texts(at)[0] for at in range(2)] == ["Call 1.", "Call 1."]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"template": "{{actionsleft}} left"}, "actionsleft"),
        ({"template": "{{action}}", "slot": "messages", "role": "user"}, "messages"),
        ({"template": "{{action}}", "cache": "always"}, "always"),
        ({"template": ""}, "template"),
        ({"template": "{{action}}", "text": "x"}, "not both"),
    ],
)
def test_a_wrong_template_is_refused_where_it_is_written(
    options: dict[str, str], word: str
) -> None:
    with pytest.raises(DeclarationError, match=word):
        footprint.instruction("x", **options)  # type: ignore[arg-type]
