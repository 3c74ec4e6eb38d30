"""A wrong declaration is refused where it is written: the field, the value, and what is allowed."""

from __future__ import annotations

import inspect
import math
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import otel_footprint as footprint
from otel_footprint.config import Budget, Settings
from otel_footprint.config.content import content_mode
from otel_footprint.errors import DeclarationError, TrailError
from otel_footprint.telemetry import names, setup
from otel_footprint.telemetry.guard import set_raising
from tests.adapters.conftest import Recorded
from tests.sdk import Server, client

from .odd import Hostile
from .refusals import COUNTS, named, refused


@pytest.mark.parametrize("slot", ["system", "messages", "tools"])
@pytest.mark.parametrize("value", COUNTS, ids=named)
def test_a_budget_is_a_whole_number(slot: str, value: Any) -> None:
    refused(f"Budget.{slot}", value, lambda: Budget(**{slot: value}))
    refused(f"Budget.{slot}", value, lambda: Budget(**{slot: value}, unit="tokens"))


@pytest.mark.parametrize("slot", ["sytem", "message", "window", "", "caps"])
def test_a_slot_that_there_is_not_is_refused(slot: str) -> None:
    refused(f"Budget.{slot}", 10, lambda: Budget(**{slot: 10}))
    with pytest.raises(DeclarationError, match="system, messages, tools, unit"):
        Budget(**{slot: 10})


def test_an_option_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    fp = footprint.Footprint()
    made: dict[str, Any] = {
        "Arguments": footprint.Arguments,
        "Scripts": footprint.Scripts,
        "turn": footprint.turn,
        "tool": footprint.tool,
        "feedback": partial(footprint.feedback, "t", "helpful", True),
        "langchain": fp.langchain,
        "fact": partial(footprint.fact, "a", "b"),
        "steering": partial(footprint.steering, "a", "b"),
        "instruction": partial(footprint.instruction, "a", "b"),
        "memory": partial(footprint.memory, "a", "b"),
        "rag": partial(footprint.rag, "a", "b"),
        "injection": partial(footprint.injection, "a", system="b"),
        "skill": partial(footprint.skill, "a", "b", "c"),
        "credit": partial(footprint.credit, "a", id="b"),
        "sliding_window": partial(footprint.sliding_window, 2),
        "token_budget": partial(footprint.token_budget, 2),
        "on_action": partial(footprint.on_action, 2),
        "on_tool_return": footprint.on_tool_return,
    }
    for name, make in made.items():
        refused(f"{name}.contxt", [1], lambda make=make: make(contxt=[1]))
    refused("turn.contxt", [1], lambda: fp.turn("Hello?", contxt=[1]))  # type: ignore[call-arg]
    assert list(inspect.signature(footprint.fact).parameters)[:2] == ["id", "text"]


CONFIGURED: list[tuple[str, list[Any]]] = [
    ("file", [5, "", [], b"trail.jsonl", True]),
    ("service_name", [5, "", []]),
    ("metrics", ["no", None, 1]),
    ("logs", ["yes", None, 0]),
    ("endpoint", [5, "", "ftp://localhost", "http://localhost:43x8", "http://"]),
    ("protocol", ["http", 5, ""]),
]


@pytest.mark.parametrize(
    ("field", "value"), [(f, v) for f, vs in CONFIGURED for v in vs], ids=named
)
def test_what_is_set_up_wrongly_is_refused_before_anything_is(
    field: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup, "_traces", lambda *_: pytest.fail("something was set up"))
    refused(field, value, lambda: footprint.configure(**{field: value}))


def test_a_function_that_cannot_be_called_as_it_will_be_is_refused() -> None:
    async def redact(text: str, _where: str) -> str:
        return text

    def nothing() -> bool:
        return True

    refused("redact", redact, lambda: footprint.Footprint(redact=redact))  # type: ignore[arg-type]
    for field, make in {
        "redact": lambda fn: footprint.Footprint(redact=fn),
        "fact 'a' when": lambda fn: footprint.fact("a", "A.", when=fn),
        "until": footprint.until,
        "summarise_oldest.summariser": lambda fn: footprint.summarise_oldest(1, fn),
        "Arguments.ask": lambda fn: footprint.Arguments(ask=fn),
    }.items():
        refused(field, nothing, partial(make, nothing))
    for fn in (footprint.always, footprint.on_action, footprint.on_tool_return):
        refused("fact 'a' when", fn, lambda fn=fn: footprint.fact("a", "A.", when=fn))
    refused("clock", 5, lambda: footprint.Footprint(clock=5))
    assert footprint.Footprint(redact=lambda *said: said[0]).settings.redact is not None
    assert footprint.until(partial(bool)) is not None


def test_credentials_are_never_shown() -> None:
    for given in (
        {"header": {"authorization": "Bearer hunter2"}},
        {"headers": "authorization=Bearer hunter2"},
        {"headers": {"authorization": b"hunter2"}},
        {"endpoint": "ftp://user:hunter2@host"},
    ):
        with pytest.raises(DeclarationError) as raised:
            footprint.configure(**given)  # type: ignore[arg-type]
        assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize("value", ["", 5.5, None, b"id", []])
def test_a_verdict_names_its_turn_and_what_is_judged(recorded: Recorded, value: Any) -> None:
    fp = recorded.footprint
    refused("feedback.turn_id", value, lambda: fp.feedback(value, "helpful", True))
    refused("feedback.name", value, lambda: fp.feedback("t1", value, True))
    assert recorded.recording.spans == []


def test_a_verdict_that_is_none_is_data_and_not_recorded(
    recorded: Recorded, caplog: pytest.LogCaptureFixture
) -> None:
    class Scalar:
        def item(self) -> bool:
            return True

    before = set_raising(False)
    for value in (None, [1], math.nan, Scalar(), Fraction(1, 2), "fine"):
        recorded.footprint.feedback("t1", "helpful", value, comment=5)  # type: ignore[arg-type]
    set_raising(before)
    found = [dict(e.attributes or {}) for s in recorded.recording.spans for e in s.events]
    scores = [(e.get(names.EVALUATION_SCORE), e.get(names.EVALUATION_LABEL)) for e in found]
    assert scores == [(1.0, "true"), (0.5, None), (None, "fine")]
    assert "the value is a NoneType: no finite number, bool or label" in caplog.text


def test_what_is_run_for_a_tool_call_is_a_function(recorded: Recorded) -> None:
    call = {"id": "c1", "name": "add", "input": {}}
    with recorded.footprint.turn() as turn:
        refused("turn.tool.fn", 5, lambda: turn.tool(call, 5))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [5, "", None, [1]])
def test_a_callable_whose_name_is_no_text_runs_and_has_its_type_s(
    recorded: Recorded, name: Any
) -> None:
    class Loop:
        def __init__(self) -> None:
            self.__name__ = name

        def __call__(self) -> int:
            return 1

    assert recorded.footprint.wrap(Loop())() == 1
    assert recorded.footprint.tool(Loop())() == 1
    assert [s.name for s in recorded.recording.named("invoke_agent")] == ["invoke_agent Loop"]


def test_a_class_is_refused_where_an_agent_is_meant(recorded: Recorded) -> None:
    class Agent:
        def run(self) -> int:
            return 1

    refused("target", Agent, lambda: recorded.footprint.wrap(Agent))
    assert isinstance(recorded.footprint.wrap(Agent, kind="tool")(), Agent)


def look(place: str) -> str:
    """What the stand-ins below stand in for."""
    return place


@pytest.mark.parametrize("kind", [mock.Mock, mock.MagicMock])
def test_a_stand_in_for_a_function_is_a_plain_callable(recorded: Recorded, kind: Any) -> None:
    fn = kind(spec=look, return_value="seen")
    assert recorded.footprint.tool(fn, name="look")("here") == "seen"
    assert recorded.footprint.wrap(fn)("here") == "seen"
    assert footprint.fact("f", "A text.", when=fn).trigger
    assert not footprint.Arguments(ask=fn).asks_async
    with recorded.footprint.turn() as turn:
        assert turn.tool({"id": "c1", "name": "look", "input": {"place": "here"}}, fn) == "seen"


class Lazy:
    """Answers every attribute that it is asked for, as proxies of remote or late objects do."""

    def __getattr__(self, name: str) -> Any:
        return Lazy()

    def __call__(self, *_values: Any) -> Any:
        return self


def test_a_callable_that_has_no_signature_is_taken() -> None:
    assert footprint.until(Lazy()).predicate
    assert footprint.fact("f", "A text.", when=Lazy()).trigger
    assert footprint.Footprint("lazy", redact=Lazy(), ids=Lazy())


def test_a_score_may_be_a_number_of_a_library_s_own() -> None:
    made = footprint.rag("r", "A text.", score=Fraction(1, 2), rank=1)  # type: ignore[arg-type]
    assert made.cause.score == 0.5
    assert type(made.cause.score) is float
    refused("rag 'r' score", math.inf, lambda: footprint.rag("r", "A.", score=math.inf))


def test_keys_that_nobody_reads_are_refused() -> None:
    step = {"tool": "look", "note": "Look.", "produce": ["order"]}
    with pytest.raises(DeclarationError, match="step 1='produce' is not allowed; expected: the k"):
        footprint.skill("s", "d", "b", tools=["look"], steps=[step])
    message = {"role": "user", "content": "Hello.", "name": "Ann"}
    with pytest.raises(DeclarationError, match="the keys role and content"):
        footprint.injection("i", messages=[message])
    with pytest.raises(DeclarationError, match=r"on_tool_return\.status"):
        footprint.on_tool_return(status=[])  # type: ignore[arg-type]


def test_what_is_read_wrongly_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "trail.jsonl"
    path.write_text("")
    refused("read.trace", 5, lambda: footprint.read(path, 5))  # type: ignore[arg-type]
    with pytest.raises(DeclarationError, match=r"read\.keys"):
        footprint.read(path, keys=b"a-key-of-sixteen-bytes")  # type: ignore[arg-type]
    for source, said in (("", "no source is named"), (5, "int is no source"), (None, "NoneType")):
        with pytest.raises(TrailError, match=said):
            footprint.read(source)  # type: ignore[arg-type]


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


def test_a_path_is_a_folder_of_a_store(tmp_path: Path) -> None:
    assert footprint.Footprint(store=tmp_path).core.settings.store == str(tmp_path)


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
