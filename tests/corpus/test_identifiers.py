"""Identifiers that hold personal data: hidden like texts, and still told apart."""

from __future__ import annotations

from typing import Any

import pytest

from otel_footprint.telemetry import names
from tests.adapters.conftest import Recorded
from tests.sdk import Server, chat, client

PHONE, OTHER = "+49 170 1234567", "+49 170 7654321"
BODY: dict[str, Any] = {
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello?"}],
}


def run(recorded: Recorded, conversation: str, **fields: Any) -> None:
    wrapped = recorded.footprint.wrap(client("openai", "OpenAI", Server(chat())))
    with recorded.footprint.turn(conversation=conversation, **fields):
        wrapped.chat.completions.create(**BODY)


def everything(recorded: Recorded) -> str:
    data = recorded.recording.reader.get_metrics_data()
    return recorded.text() + (data.to_json() if data is not None else "")


@pytest.mark.parametrize("mode", ["none", "redacted"])
def test_no_identifier_of_a_turn_carries_personal_data_out(mode: str) -> None:
    recorded = Recorded(content=mode)
    run(
        recorded, PHONE, id="jane@example.org", agent="agent of jane@example.org",
        prompt=("for jane@example.org", "1"),
    )  # fmt: skip
    recorded.footprint.feedback("jane@example.org", "helpful", value=True)
    out = everything(recorded)
    assert "1234567" not in out
    assert "jane@" not in out


def test_two_conversations_that_redaction_hides_stay_two() -> None:
    recorded = Recorded(content="redacted")
    for conversation in (PHONE, OTHER, PHONE):
        run(recorded, conversation)
    first, second, third = (c.attributes[names.CONVERSATION] for c in recorded.calls)
    assert first == third != second
    assert first.startswith("[redacted:phone]#")


def test_feedback_names_the_turn_as_its_record_does() -> None:
    recorded = Recorded(content="redacted")
    run(recorded, "c-1", id="jane@example.org")
    recorded.footprint.feedback("jane@example.org", "helpful", value=True)
    (turn,) = recorded.recording.named("invoke_agent")
    (verdict,) = recorded.recording.named("feedback")
    assert verdict.attributes[names.TURN_ID] == turn.attributes[names.TURN_ID]


def test_an_ordinary_identifier_stays_as_it_is() -> None:
    recorded = Recorded(content="redacted")
    run(recorded, "c-1", id="turn-7")
    (turn,) = recorded.recording.named("invoke_agent")
    assert turn.attributes[names.TURN_ID] == "turn-7"
    assert turn.attributes[names.CONVERSATION] == "c-1"
