"""Whatever the model declares, the tool runs with its own arguments and nothing is raised."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import otel_footprint as footprint
from otel_footprint.arguments import RESERVED, Passage, ToolCall
from otel_footprint.run.batches import Sight
from otel_footprint.run.sources import Sources
from otel_footprint.run.talks import Declared
from otel_footprint.telemetry import names
from tests.quick import examples
from tests.sdk import Recording, Server, chat, client

from .loops import (
    WORDS,
    AnthropicLoop,
    Asked,
    OpenAILoop,
    Shop,
    declared,
    openai_answer,
    source,
    written,
)  # fmt: skip

ODD: list[Any] = [
    None, "text", 7, True, [], [[]], {"from": None}, {"from": "user"}, {"from": {}},
    {"from": [1, None, "x", [], {}]},
    {"from": [{"argument": 1, "source": "user", "quote": "x"}]},
    {"from": [{"argument": "host", "source": "USER", "quote": "x"}]},
    {"from": [{"argument": "host", "source": "user", "quote": 7}]},
    {"from": [{"argument": "toString", "source": "assumed"}]},
    {"from": [{"argument": "__class__", "source": "assumed"}]},
    {"from": [{"argument": "host.name", "source": "assumed"}]},
    {"from": [{"argument": "tags", "source": "assumed"}]},
    {"from": [{"argument": RESERVED, "source": "assumed"}]},
    {"from": [{"argument": "host", "source": "assumed"}] * 50},
    {"basis": "guess", "expect": 3, "previous": "x"},
]  # fmt: skip
MALFORMED = [1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 1, 1, 1, 1, 1, 1, 1, 1, 49, 0]


def recorder(recording: Recording, **declared_: Any) -> footprint.Footprint:
    arguments = footprint.Arguments(**declared_)
    return footprint.Footprint("shop", content="full", arguments=arguments, **recording.providers)


def test_every_wrong_declaration_is_taken_out_and_counted(recording: Recording) -> None:
    fp = recorder(recording)
    shop = Shop(fp)
    calls = [
        Asked(f"t{i}", "lookup", {"host": "db-9", "tags": ["a"], RESERVED: findings})
        for i, findings in enumerate(ODD)
    ]
    with fp.turn() as turn:
        OpenAILoop(fp, [calls, "Done."]).run(turn)
    assert [arguments for _, arguments in shop.got] == [{"host": "db-9", "tags": ["a"]}] * len(ODD)
    found = [
        written(recording, f"t{i}").span.attributes.get(names.ARGUMENT_MALFORMED, 0)
        for i in range(len(ODD))
    ]
    assert found == MALFORMED


def test_values_that_are_not_what_they_look_like(recording: Recording) -> None:
    fp = recorder(recording)
    Shop(fp)
    text = (
        '{"host":NaN,"window":"２４ｈ","limit":true,"_findings":{"from":['
        '{"argument":"host","source":"assumed"},'
        '{"argument":"window","source":"user","quote":"the last 24h"},'
        '{"argument":"limit","source":"user","quote":"1 row"}]}}'
    )
    loop = OpenAILoop(fp, [[Asked("t1", "lookup", text)], "Done."])
    loop.messages.append({"role": "user", "content": "Not the last 24h but 1 row. 24 is fine."})
    with fp.turn() as turn:
        loop.run(turn)
    rows = written(recording, "t1").rows
    assert "host" not in rows
    assert (rows["window"].verdict, rows["window"].failed) == ("model", "uncheckable")
    assert (rows["limit"].verdict, rows["limit"].reading) == ("said", True)
    assert written(recording, "t1").span.attributes[names.ARGUMENT_MALFORMED] == 1


def test_words_of_the_model_itself_are_nobodys(recording: Recording) -> None:
    fp = recorder(recording)
    Shop(fp)
    claim = declared(
        {"host": "db-77", "window": "7d", "limit": 5},
        source("host", "user", quote="look at db-77"),
        source("window", "result", id="nothing-of-that-name"),
        source("limit", "turn"),
    )
    loop = AnthropicLoop(fp, [[Asked("t1", "lookup", claim)], "Done."])
    loop.messages += [
        {"role": "assistant", "content": "I will look at db-77."},
        {"role": "user", "content": "Go on, 5 rows."},
    ]
    with fp.turn() as turn:
        loop.run(turn)
    rows = written(recording, "t1").rows
    assert (rows["host"].failed, rows["host"].coincides) == ("quote-not-found", None)
    assert rows["window"].failed == "unknown-result"
    assert (rows["limit"].verdict, rows["limit"].coincides) == ("model", "person")


def test_parallel_calls_with_equal_ids_keep_their_own_arguments(recording: Recording) -> None:
    fp = recorder(recording)
    shop = Shop(fp)
    calls = [
        Asked("same", "lookup", declared({"host": host}, source("host", "user", quote="checkout")))
        for host in ("checkout", "db-9")
    ]
    with fp.turn() as turn:
        OpenAILoop(fp, [calls, "Done."]).run(turn)
    assert [a for _, a in shop.got] == [{"host": "checkout"}, {"host": "db-9"}]
    spans = recording.named(names.SPAN_TOOL)
    verdicts = [
        e.attributes.get(names.ARGUMENT_READING) for s in spans for e in s.events if e.attributes
    ]
    assert verdicts == [None, True]


def test_an_authors_own_argument_of_that_name_is_his(recording: Recording) -> None:
    own = {"type": "object", "properties": {RESERVED: {"type": "object"}}}
    got: list[Any] = []
    for rules in ({}, {"lookup": {"hidden": [RESERVED]}}):
        fp = recorder(recording, tools=rules)
        fp.tool(lambda **arguments: got.append(arguments) or "done", name="lookup")
        calls = [{"id": "t1", "type": "function", "function": {
            "name": "lookup", "arguments": json.dumps({RESERVED: {"from": []}})}}]  # fmt: skip
        server = Server(chat(None, calls))
        ai = fp.wrap(client("openai", "OpenAI", server))
        tools = [{"type": "function", "function": {"name": "lookup", "parameters": own}}]
        with fp.turn() as turn:
            made = ai.chat.completions.create(
                model="m", messages=[{"role": "user", "content": "x"}], tools=tools
            )
            result = turn.tool(made.choices[0].message.tool_calls[0])
        assert json.loads(server.bodies[0])["tools"] == tools
    assert got == [{RESERVED: {"from": []}}]
    assert "was not run" in result


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}},
        {"type": "object", "properties": {"a": {"$ref": "#"}}},
        {"anyOf": [{"type": "object"}]},
        {"type": "object", "maxProperties": 1},
        {"type": "string"},
        None,
    ],
)
def test_any_schema_is_served_and_any_call_runs(recording: Recording, schema: Any) -> None:
    fp = recorder(recording)
    got: list[Any] = []
    fp.tool(lambda **arguments: got.append(arguments) or "done", name="lookup")
    function = {"name": "lookup"} if schema is None else {"name": "lookup", "parameters": schema}
    server = Server(openai_answer([Asked("t1", "lookup", {"a": 1})]))
    ai = fp.wrap(client("openai", "OpenAI", server))
    with fp.turn() as turn:
        made = ai.chat.completions.create(
            model="m",
            messages=[{"role": "user", "content": "x"}],
            tools=[{"type": "function", "function": function}],
        )
        turn.tool(made.choices[0].message.tool_calls[0])
    assert got == [{"a": 1}]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
ENTRY = st.fixed_dictionaries(
    {},
    optional={
        "argument": st.sampled_from(["a", "b", "", RESERVED]) | JSON,
        "source": st.sampled_from(["user", "result", "turn", "app", "assumed"]) | JSON,
        "quote": st.sampled_from([WORDS, "slow", ""]) | JSON,
        "id": st.sampled_from(["t1", ""]) | JSON,
    },
)
FINDINGS = st.fixed_dictionaries({"from": st.lists(ENTRY | JSON, max_size=4)})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(150))
@given(
    a=JSON,
    b=JSON,
    findings=JSON | st.fixed_dictionaries({"from": st.lists(ENTRY | JSON, max_size=4)}),
)
def test_anything_is_judged_and_nothing_raised(a: Any, b: Any, findings: Any) -> None:
    made = Sources(Declared(footprint.Arguments()), "c")
    made.declared.served["t"] = False
    arguments = {"a": a, "b": b, RESERVED: findings}
    seen = Sight(
        (
            Passage("messages", "user", WORDS, "k1"),
            Passage("messages", "tool-result", "[1]", "k2", "t1"),
        )
    )
    made.answered([ToolCall("c1", "t", arguments, True)], lambda: seen, "l.1", None, 1)
    found = made.find("t", "c1", arguments)
    assert found is not None
    assert made.settle(found.batch, 1).ask is None
    ran = made.run(found, arguments)
    assert set(ran.arguments) == {"a", "b"}
    assert ran.arguments["a"] is a
    assert made.standing().word in ("not-sure", "consistent", "not-assessed")
    assert all(row.verdict is not None for row in ran.rows)
