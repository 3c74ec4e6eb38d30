"""Rules are held against tools as soon as those are known, and refused by tool and argument."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Annotated, Any

import pytest

import otel_footprint as footprint
from otel_footprint.telemetry import names
from tests.sdk import Recording, Server, chat, client

from .loops import HOSTS, LOOKUP, openai_tools

RULES: dict[str, Any] = {"lookup": {"arguments": {"window": {"assume": "24h"}}}}
WRONG = {
    "no such argument": ({"windw": {"assume": "24h"}}, r"lookup.*windw.*host, window, limit"),
    "a default that does not fit": ({"limit": {"assume": "many"}}, r"lookup.*limit.*many"),
    "a choice that does not fit": (
        {"window": {"ask": "Which?", "choices": ["2h"]}},
        r"lookup.*window.*choices\[0\].*2h",
    ),
}


def spelled(kind: str) -> list[Any]:
    """The tools in one provider's spelling."""
    tools = {"hosts": HOSTS, "lookup": LOOKUP}
    if kind == "anthropic":
        return [{"name": n, "input_schema": s} for n, s in tools.items()]
    if kind == "responses":
        return [{"type": "function", "name": n, "parameters": s} for n, s in tools.items()]
    if kind == "bedrock":
        return [{"toolSpec": {"name": n, "inputSchema": {"json": s}}} for n, s in tools.items()]
    return openai_tools()


@pytest.mark.parametrize("kind", ["openai", "responses", "anthropic", "bedrock"])
@pytest.mark.parametrize("wrong", WRONG)
def test_definitions_are_held_against_rules_where_a_footprint_is_made(
    kind: str, wrong: str
) -> None:
    arguments, says = WRONG[wrong]
    declared = footprint.Arguments(
        tools={"lookup": {"arguments": arguments}}, definitions=spelled(kind), ask=dict
    )
    with pytest.raises(footprint.DeclarationError, match=says):
        footprint.Footprint("shop", arguments=declared)
    good = footprint.Arguments(tools=RULES, definitions=spelled(kind))
    footprint.Footprint("shop", arguments=good)


def test_a_rule_for_a_tool_that_is_not_among_the_definitions_is_refused() -> None:
    declared = footprint.Arguments(tools={"lookp": RULES["lookup"]}, definitions=openai_tools())
    with pytest.raises(footprint.DeclarationError, match=r"lookp.*hosts, lookup"):
        footprint.Footprint("shop", arguments=declared)


@pytest.mark.parametrize("definitions", ["lookup", {"lookup": LOOKUP}, 5])
def test_definitions_are_a_list(definitions: Any) -> None:
    with pytest.raises(footprint.DeclarationError, match=r"Arguments\.definitions"):
        footprint.Arguments(definitions=definitions)


def test_what_is_no_definition_is_refused_and_what_the_provider_runs_is_passed_over() -> None:
    search = {"type": "web_search"}
    known = footprint.Arguments(tools=RULES, definitions=[search, *openai_tools()])
    footprint.Footprint("shop", arguments=known)
    with pytest.raises(footprint.DeclarationError, match=r"Arguments\.definitions\[0\]"):
        footprint.Footprint("shop", arguments=footprint.Arguments(definitions=["lookup"]))


def whole(host: str, window: str = "1h", limit: int = 5) -> str:
    return host + window + str(limit)


def short(host: str) -> str:
    return host


def loose(host: str, **more: Any) -> str:
    return host + str(more)


def unhashable(host: str, window: Any, limit: Any) -> str:
    return f"{host}{window}{limit}"


unhashable.__annotations__ |= {"window": Annotated[str, []], "limit": int}


@pytest.mark.parametrize(
    ("fn", "arguments", "says"),
    [
        (whole, {"window": {"assume": "24h"}, "limit": {"assume": 50}}, None),
        (whole, {"windw": {"assume": "24h"}}, r"lookup.*windw.*host, window, limit"),
        (whole, {"limit": {"assume": "many"}}, r"lookup.*limit.*many"),
        (short, {"window": {"assume": "24h"}}, r"lookup.*window.*host"),
        (loose, {"window": {"assume": "24h"}}, None),
        (loose, {"host": {"assume": 5}}, r"lookup.*host.*5"),
        (unhashable, {"window": {"assume": "24h"}, "limit": {"assume": 5}}, None),
        (unhashable, {"limit": {"assume": "x"}}, r"lookup.*limit.*x"),
        (print, {"sep": {"assume": ","}}, None),
        (dict, {"sep": {"assume": ","}}, None),
    ],
)
def test_a_function_takes_the_arguments_that_rules_are_about(
    fn: Callable[..., Any], arguments: Any, says: str | None
) -> None:
    declared = footprint.Arguments(tools={"lookup": {"arguments": arguments}})
    fp = footprint.Footprint("shop", arguments=declared)
    if says is None:
        fp.tool(fn, name="lookup")
    else:
        with pytest.raises(footprint.DeclarationError, match=says):
            fp.tool(fn, name="lookup")
    fp.tool(fn, name="another")


def test_a_hidden_argument_that_a_function_does_not_take_is_refused() -> None:
    declared = footprint.Arguments(tools={"lookup": {"hidden": ["secret"]}})
    with pytest.raises(footprint.DeclarationError, match=r"lookup.*hidden.*secret"):
        footprint.Footprint("shop", arguments=declared).tool(short, name="lookup")


def test_rules_that_turn_out_not_to_fit_while_running_are_on_the_record_once_a_turn(
    caplog: pytest.LogCaptureFixture,
) -> None:
    recording = Recording()
    declared = footprint.Arguments(tools={"lookup": {"arguments": {"windw": {"assume": "24h"}}}})
    fp = footprint.Footprint("shop", arguments=declared, **recording.providers)
    fp.tool(loose, name="lookup")
    ai = fp.wrap(client("openai", "OpenAI", Server(chat())))
    for _ in range(2):
        with caplog.at_level(logging.WARNING), fp.turn():
            for _ in range(2):
                ai.chat.completions.create(
                    model="m", messages=[{"role": "user", "content": "x"}], tools=openai_tools()
                )
    said = [
        (event.attributes[names.OFFER_TOOL], event.attributes[names.OFFER_REASON])
        for span in recording.named("chat")
        for event in span.events
        if event.name == names.EVENT_WITHHELD and event.attributes
    ]
    reason, again = [reason for tool, reason in said if tool == "lookup"]
    assert reason == again
    assert str(reason).startswith("rules-do-not-fit: Arguments.tools['lookup'].arguments['windw']")
    assert caplog.text.count("will be refused") == 1
    recording.tracer_provider.shutdown()
    recording.meter_provider.shutdown()
