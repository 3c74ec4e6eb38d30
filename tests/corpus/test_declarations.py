"""A wrong declaration is refused where it is written: the field, the value, and what is allowed."""

from __future__ import annotations

import math
from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.config import Budget, Settings
from otel_footprint.config.content import content_mode
from otel_footprint.errors import DeclarationError
from otel_footprint.telemetry import names
from tests.adapters.conftest import Recorded
from tests.sdk import Server, client

from .odd import Hostile

COUNTS = [-1, True, False, 1.5, 1.0, "10", b"1", [], {}, object(), math.nan, -(2**70)]


def named(value: Any) -> str:
    """A test's id: the same in every process, also for objects whose repr holds an address."""
    shown = repr(value)[:30]
    return type(value).__name__ if " at 0x" in shown else shown


def refused(field: str, value: Any, run: Any) -> None:
    """Refused by name, with the value, and with what is allowed."""
    with pytest.raises(DeclarationError) as raised:
        run()
    error = raised.value
    assert isinstance(error, ValueError)
    assert error.field == field
    assert error.value is value or error.value == value
    assert error.allowed
    assert field in str(error)
    assert error.allowed in str(error)
    assert len(str(error)) < 400


@pytest.mark.parametrize("slot", ["system", "messages", "tools"])
@pytest.mark.parametrize("value", COUNTS, ids=named)
def test_a_budget_is_a_whole_number(slot: str, value: Any) -> None:
    refused(f"Budget.{slot}", value, lambda: Budget(**{slot: value}))
    refused(f"Budget.{slot}", value, lambda: Budget(**{slot: value}, unit="tokens"))


@pytest.mark.parametrize("slot", ["sytem", "message", "window", "", "caps"])
def test_a_slot_that_there_is_not_is_refused(slot: str) -> None:
    refused(f"Budget.{slot}", 10, lambda: Budget(**{slot: 10}))
    with pytest.raises(DeclarationError, match="system, messages and tools"):
        Budget(**{slot: 10})


@pytest.mark.parametrize("unit", ["char", "Chars", "", None, 1, [], "words"])
def test_a_unit_is_chars_or_tokens(unit: Any) -> None:
    refused("Budget.unit", unit, lambda: Budget(unit=unit))


def test_budgets_that_are_right() -> None:
    assert Budget(system=0, messages=None, tools=7).caps == (0, 0, 7)
    assert Budget().caps == (4000, 10_000, 2000)
    assert Budget(unit="tokens").caps == (0, 0, 0)
    assert Budget(10, 20, 30).origins == ("declared",) * 3


@pytest.mark.parametrize("mode", ["on", "FULL", "", True, 1, [], "span_only", b"full"])
def test_a_content_mode_that_there_is_not_is_refused(mode: Any) -> None:
    refused("content", mode, lambda: footprint.Footprint(content=mode))
    refused("content", mode, lambda: content_mode(mode))
    refused("content", mode, lambda: Settings(content=mode))
    fp = footprint.Footprint()
    refused("content", mode, lambda: fp.turn(content=mode))


def test_a_wrong_mode_in_the_environment_gives_nothing_away() -> None:
    assert content_mode(None, {"OTEL_FOOTPRINT_CONTENT": "all"}) == "none"
    both = {
        "OTEL_FOOTPRINT_CONTENT": "everything",
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true",
    }
    assert content_mode(None, both) == "none"


FIELDS: list[tuple[str, list[Any]]] = [
    ("sink", ["spans", "", None, 1, []]),
    ("once", ["turn", "", None, 1, []]),
    ("standard_content", ["input", "", 1, []]),
    ("window", [0, *COUNTS]),
    ("max_content_bytes", [0, None, *COUNTS]),
    ("turn_timeout", [0, -1, math.nan, "10", None, True, []]),
    ("budget", [10, {}, "4000", {"system": 1}]),
    ("redact", ["[redacted]", 1, []]),
    ("key_id", ["", 1, b"key"]),
    ("name", [1, b"name", [], True]),
    ("tracer_provider", [1, "provider", object()]),
    ("meter_provider", [1, "provider", object()]),
    ("logger_provider", [1, "provider", object()]),
    ("budgte", [None, 1]),
    ("context_window", [1]),
]


@pytest.mark.parametrize(("field", "value"), [(f, v) for f, vs in FIELDS for v in vs], ids=named)
def test_a_wrong_setting_is_refused(field: str, value: Any) -> None:
    refused(field, value, lambda: footprint.Footprint(**{field: value}))


@pytest.mark.parametrize("key", ["secret-key-secret-key", b"short", b"", 1, []])
def test_a_wrong_key_is_refused_without_being_shown(key: Any) -> None:
    with pytest.raises(DeclarationError) as raised:
        footprint.Footprint(key=key)
    assert raised.value.field == "key"
    assert "secret" not in str(raised.value)
    assert "short" not in str(raised.value)


TURNS: list[tuple[str, list[Any]]] = [
    ("id", ["", 1, b"id", []]),
    ("conversation", ["", 1, []]),
    ("agent", ["", 1, []]),
    ("action_budget", [0, *COUNTS]),
    ("tags", ["tag", b"tag", 1]),
    ("metadata", ["a", 1, [1], [("a", 1)]]),
    ("prompt", ["name", ("name",), ("a", "b", "c"), (1, 2), ("name", None), {}]),
    ("user", [5, b"user", True, [], object()]),
    ("dispatch", ["yes", 1, 0, []]),
    ("context", [None, "fact", [1], {}, 5]),
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


@pytest.mark.parametrize("name", ["", 1, b"name", []])
def test_a_tool_has_a_name(recorded: Recorded, name: Any) -> None:
    refused("tool.name", name, lambda: recorded.footprint.tool(lambda: 1, name=name))
    refused("tool.name", name, lambda: recorded.footprint.tool(name=name))


def test_a_tool_is_a_function(recorded: Recorded) -> None:
    refused("tool", 5, lambda: recorded.footprint.tool(5))


def test_kinds_and_options_of_wrap(recorded: Recorded) -> None:
    from .helpers import Model

    refused("kind", "loop", lambda: recorded.footprint.wrap(lambda: 1, kind="loop"))
    model = Model(("openai", False))
    refused("wrap.kind", "tool", lambda: recorded.footprint.wrap(model.client, kind="tool"))
    assert not hasattr(model.client, "_otel_footprint")


def test_a_value_whose_own_methods_raise_is_refused_all_the_same() -> None:
    with pytest.raises(DeclarationError, match=r"Budget\.system"):
        Budget(system=Hostile())
    with pytest.raises(DeclarationError, match="window"):
        footprint.Footprint(window=Hostile())


def test_a_refused_option_names_where_it_belongs() -> None:
    fact = footprint.fact("shop", "In Ghent.")
    with pytest.raises(DeclarationError, match="a list of pieces"):
        footprint.Footprint(context=fact)  # type: ignore[arg-type]
    with pytest.raises(DeclarationError, match="sliding_window"):
        footprint.Footprint(window="20")  # type: ignore[arg-type]
    with pytest.raises(DeclarationError, match=r"Footprint\(\.\.\.\)"):
        footprint.wrap(client("openai", "OpenAI", Server()), content="full")


def test_a_setting_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    refused("contxt", [], lambda: footprint.Footprint("support", contxt=[]))
    with pytest.raises(DeclarationError, match="settings name, budget, content, context, "):
        footprint.Footprint(contxt=[])


def test_what_cannot_be_propagated_is_refused_at_once() -> None:
    refused("propagate", 5, lambda: footprint.propagate(5))  # type: ignore[arg-type]


def test_the_class_of_a_client_is_refused_where_a_client_is_meant() -> None:
    for package, name in (("openai", "OpenAI"), ("anthropic", "AsyncAnthropic")):
        kind = type(client(package, name, Server()))
        refused("target", kind, lambda kind=kind: footprint.wrap(kind))
        with pytest.raises(DeclarationError, match=rf"a client of that class: {name}\(\.\.\.\)"):
            footprint.Footprint().wrap(kind)


def test_a_message_does_not_call_what_is_expected_not_allowed() -> None:
    with pytest.raises(DeclarationError, match="'ful' is not allowed; expected: 'none', "):
        footprint.Footprint(content="ful")


def test_a_long_value_is_shown_shortened() -> None:
    with pytest.raises(DeclarationError) as raised:
        footprint.Footprint(sink="x" * 10_000)  # type: ignore[arg-type]
    assert len(str(raised.value)) < 200


def test_a_wrong_content_mode_in_the_environment_is_said_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    for _ in range(2):
        assert content_mode(env={"OTEL_FOOTPRINT_CONTENT": "Ful"}) == "none"
    assert [r.getMessage() for r in caplog.records] == [
        "OTEL_FOOTPRINT_CONTENT=ful is no mode (none, redacted or full): no text is recorded"
    ]
