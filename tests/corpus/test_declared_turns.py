"""What is declared wrongly of a turn is refused by name; what an application has passes."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from otel_footprint.telemetry import names
from tests.adapters.conftest import Recorded

from .odd import Hostile
from .refusals import COUNTS, named, refused

TURNS: list[tuple[str, list[Any]]] = [
    ("id", [1.5, True, b"id", []]),
    ("conversation", [1.5, False, []]),
    ("agent", ["", 1, []]),
    ("action_budget", [0, *COUNTS]),
    ("tags", ["tag", b"tag", 1]),
    ("metadata", ["a", 1, [1], [("a", 1)]]),
    ("prompt", ["name", ("name",), ("a", "b", "c"), (1, 2), ("name", None), {}]),
    ("user", [5.0, b"user", True, [], object()]),
    ("dispatch", ["yes", 1, 0, []]),
    ("context", ["fact", [1], {}, 5]),
    ("resume", [{}, {"id": "t1"}, [], "t1", 5, '{"turn": "t1"}']),
]


@pytest.mark.parametrize(("field", "value"), [(f, v) for f, vs in TURNS for v in vs], ids=named)
def test_a_wrong_field_of_a_turn_is_refused(recorded: Recorded, field: str, value: Any) -> None:
    refused(f"turn.{field}", value, lambda: recorded.footprint.turn(**{field: value}))
    assert recorded.recording.spans == []


def test_what_an_application_has_at_run_time_never_raises(recorded: Recorded) -> None:
    class Words(str):
        __slots__ = ()

        def __str__(self) -> str:
            raise RuntimeError

    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        "And that?",
    ]
    said = [
        (None, None),
        ("", ""),
        (Words("Why?"), "Why?"),
        (parts, "What is this?\n[image/png]\nAnd that?"),
        ({"type": "text", "text": "Where?"}, "Where?"),
        (5, "5"),
        (Hostile(), '{"$opaque":"tests.corpus.odd.Hostile"}'),
    ]
    for text, recorded_text in said:
        with recorded.footprint.turn(text, user="", tags=[5, None], metadata={5: [1], "a": None}):
            pass
        turn = recorded.recording.named("turn started")[-1]
        found = turn.attributes.get(names.TURN_TEXT)
        assert ("".join(found) if found is not None else None) == recorded_text
        assert names.USER_ID not in turn.attributes


@pytest.mark.parametrize("given", [17, UUID(int=17)], ids=named)
def test_what_a_database_calls_a_turn_a_conversation_or_a_person_is_taken_as_text(
    recorded: Recorded, given: Any
) -> None:
    with recorded.footprint.turn(id=given, conversation=given, user=given, context=None) as turn:
        assert turn.id == str(given)
    recorded.footprint.feedback(given, "helpful", value=True)
    (verdict,) = recorded.recording.named("feedback")
    begun = recorded.recording.named("invoke_agent")[0].attributes
    assert begun[names.CONVERSATION] == str(given)
    assert begun[names.TURN_ID] == verdict.attributes[names.TURN_ID] == str(given)
    assert recorded.recording.named("turn started")[0].attributes[names.USER_ID] == str(given)


def test_an_empty_identifier_is_none(recorded: Recorded) -> None:
    with recorded.footprint.turn(id="", conversation="", user="") as turn:
        assert turn.id
    begun = recorded.recording.named("invoke_agent")[0].attributes
    assert names.CONVERSATION not in begun
    assert names.USER_ID not in begun


def test_a_text_that_is_none_is_taken_by_what_it_says_and_the_log_says_so_once(
    recorded: Recorded, caplog: pytest.LogCaptureFixture
) -> None:
    for text in (5, 6):
        with recorded.footprint.turn(text):  # type: ignore[arg-type]
            pass
    assert [r.getMessage() for r in caplog.records] == [
        "The text of a turn (a person's words) was given as int: what str() says of it is taken"
    ]


def test_a_state_that_was_damaged_where_it_was_kept_begins_a_new_turn(
    recorded: Recorded, caplog: pytest.LogCaptureFixture
) -> None:
    with recorded.footprint.turn("Go on.", resume={"turn": 7, "span": [], "context": 3}) as turn:
        assert turn.id
    assert "holds no turn's id (int)" in caplog.text


def test_an_agent_of_langchain_s_is_declared(recorded: Recorded) -> None:
    pytest.importorskip("langchain")
    refused("langchain.agent", 5, lambda: recorded.footprint.langchain(agent=5))  # type: ignore[arg-type]
    for value in (0, "3", True):
        refused(
            "langchain.action_budget",
            value,
            lambda value=value: recorded.footprint.langchain(action_budget=value),
        )
