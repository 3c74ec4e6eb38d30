"""Footprints with content modes of their own, side by side, and the default one among them."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.adapters import default as module
from otel_footprint.config.content import CONTENT_VARIABLE
from otel_footprint.telemetry import names
from tests.sdk import Recording, Server, chat, client

WORDS = "words of a person"
NUMBERS = count()
MODES = ("none", "redacted", "full")


@pytest.fixture
def default(recording: Recording, monkeypatch: pytest.MonkeyPatch) -> footprint.Footprint:
    """A default Footprint of this test, made before the environment says a mode."""
    monkeypatch.delenv(CONTENT_VARIABLE, raising=False)
    made = footprint.Footprint(**recording.providers)
    monkeypatch.setattr(module, "_made", [made])
    return made


def openai(fp: footprint.Footprint | None = None) -> Any:
    made = client("openai", "OpenAI", Server(chat(), chat(), chat()))
    return footprint.wrap(made) if fp is None else fp.wrap(made)


def ask(openai_client: Any) -> None:
    messages = [{"role": "user", "content": f"{WORDS} {next(NUMBERS)}"}]
    openai_client.chat.completions.create(model="gpt-4o-mini", messages=messages)


def texts(recording: Recording) -> list[bool]:
    """Of each call, in order, whether its words are on the record."""
    spans = [s for s in recording.spans if s.name.startswith(names.SPAN_COMPOSE)]
    found: dict[str, bool] = {}
    for span in spans:
        call = json.loads(span.to_json())["attributes"][names.CALL_ID]
        found[call] = found.get(call, False) or WORDS in span.to_json()
    return list(found.values())


def modes(recording: Recording) -> list[Any]:
    found = (dict(s.attributes or {}).get(names.CONTENT_MODE) for s in recording.spans)
    return [mode for mode in found if mode is not None]


# --- the default and the environment -------------------------------------------------------


def test_the_environment_is_asked_when_the_first_call_begins(
    recording: Recording, default: footprint.Footprint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with a file of settings that is read after modules with `@footprint.tool`."""
    wrapped = openai()
    footprint.tool(lambda: None, name="early")
    monkeypatch.setenv(CONTENT_VARIABLE, "full")
    ask(wrapped)
    monkeypatch.setenv(CONTENT_VARIABLE, "none")  # what goes on does not change
    with footprint.turn():
        ask(wrapped)
    assert texts(recording) == [True, True]


def test_a_declared_mode_does_not_look_at_the_environment(
    recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    fp = footprint.Footprint(content="none", **recording.providers)
    monkeypatch.setenv(CONTENT_VARIABLE, "full")
    ask(openai(fp))
    assert texts(recording) == [False]


# --- wrapping twice ------------------------------------------------------------------------


def test_the_default_leaves_what_another_footprint_has_wrapped(
    recording: Recording, default: footprint.Footprint
) -> None:
    fp = footprint.Footprint("mine", content="full", **recording.providers)
    ask(footprint.wrap(fp.wrap(openai())))
    loop = fp.wrap(lambda: None, kind="agent")
    assert footprint.wrap(loop) is loop
    assert texts(recording) == [True]


def test_a_declared_footprint_takes_over_and_leaves_the_function_that_was_wrapped(
    recording: Recording,
) -> None:
    full = footprint.Footprint("full", content="full", **recording.providers)
    none = footprint.Footprint("none", content="none", **recording.providers)
    wrapped = openai(full)

    def loop() -> str:
        ask(wrapped)
        return "done"

    first = full.wrap(loop)
    second = none.wrap(first)
    assert full.wrap(first) is first
    assert second() == first() == "done"
    assert modes(recording) == ["none", "full"]
    ask(none.wrap(wrapped))
    assert texts(recording) == [False, True, False]


def test_options_that_wrap_does_not_have_are_refused_by_name(default: footprint.Footprint) -> None:
    made = client("openai", "OpenAI", Server(chat()))
    for target in (made, lambda: None, footprint.wrap(lambda: None)):
        with pytest.raises(footprint.DeclarationError, match=r"wrap\.content"):
            footprint.wrap(target, content="full")
    with pytest.raises(footprint.DeclarationError, match="kind"):
        footprint.wrap(footprint.wrap(lambda: None), kind="nothing")


# --- a client of one inside a turn of another one ------------------------------------------


@pytest.mark.parametrize("context", [(), (footprint.fact("a", "b"),)])
@pytest.mark.parametrize("inner", MODES)
@pytest.mark.parametrize("outer", MODES)
def test_the_stricter_of_two_declared_modes_holds(
    recording: Recording, outer: str, inner: str, context: Any
) -> None:
    around = footprint.Footprint("around", content=outer, **recording.providers)
    own = footprint.Footprint("own", content=inner, context=context, **recording.providers)
    wrapped = openai(own)
    with around.turn():
        ask(wrapped)
        ask(openai(around))
    own.flush()
    stricter = MODES.index(inner) < MODES.index(outer)
    assert texts(recording) == [outer != "none" != inner, outer != "none"]
    assert sorted(set(modes(recording))) == sorted({outer, inner} if stricter else {outer})
    assert len({s.context.trace_id for s in recording.spans if s.context}) == 1


def test_a_mode_that_is_not_declared_is_the_turns(
    recording: Recording, default: footprint.Footprint
) -> None:
    around = footprint.Footprint(content="full", **recording.providers)
    with around.turn():
        ask(openai())
    with footprint.turn():
        ask(openai(around))
    assert texts(recording) == [True, False]


def test_a_redact_hook_holds_in_a_turn_that_has_none(recording: Recording) -> None:
    hook = lambda text, where: text.replace(WORDS, "[hidden]")  # noqa: E731
    own = footprint.Footprint(content="full", redact=hook, **recording.providers)
    around = footprint.Footprint(content="full", **recording.providers)
    with around.turn():
        ask(openai(own))
        ask(openai(around))
    assert texts(recording) == [False, True]


@pytest.mark.parametrize("declared", MODES)
@pytest.mark.parametrize("of_turn", MODES)
def test_standard_attributes_follow_the_mode_of_the_turn(
    recording: Recording, declared: str, of_turn: str
) -> None:
    fp = footprint.Footprint(content=declared, **recording.providers)
    with fp.turn(content=of_turn):
        ask(openai(fp))
    (call,) = recording.named("chat")
    assert (names.OUTPUT_MESSAGES in call.attributes) == (of_turn == "full")


@pytest.mark.parametrize(
    ("mode", "values", "hidden"),
    [
        ("redacted", ["sk-" + "a" * 40, "sk-" + "b" * 40], [1]),
        ("full", ["sk-" + "a" * 40, "sk-" + "b" * 40], []),
        ("full", [(1, 2), [1, 2]], []),
    ],
)
def test_a_change_is_called_hidden_only_where_something_redacts(
    recording: Recording, mode: str, values: list[Any], hidden: list[int]
) -> None:
    fp = footprint.Footprint(content=mode, **recording.providers)
    with fp.turn():
        for value in values:
            content = [{"type": "text", "text": "x", "more": value}]
            body = {"model": "m", "messages": [{"role": "user", "content": content}]}
            fp.record("openai", "/v1/chat/completions", body, chat())
    events = [e.attributes or {} for s in recording.spans for e in s.events]
    assert [e[names.HIDDEN_CHANGES] for e in events if names.HIDDEN_CHANGES in e] == hidden
