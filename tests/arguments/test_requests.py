"""What is served to the model: strict mode, Responses, streams; rules; metrics; logs."""

from __future__ import annotations

import json
from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.arguments import RESERVED
from otel_footprint.telemetry import names
from otel_footprint.trail.argument_rows import row_of
from tests.sdk import Recording, Server, chat, client, message

from .loops import (
    FOUND,
    LOOKUP,
    STEPS,
    Asked,
    OpenAILoop,
    Shop,
    declared,
    openai_tools,
    source,
    written,
)


def recorder(recording: Recording, **declared_: Any) -> footprint.Footprint:
    arguments = footprint.Arguments(**declared_)
    return footprint.Footprint("shop", content="full", arguments=arguments, **recording.providers)


def test_in_strict_mode_the_argument_is_listed_and_may_be_null(recording: Recording) -> None:
    fp = recorder(recording)
    shop = Shop(fp)
    steps = [[Asked("t1", "lookup", {"host": "db-9", RESERVED: None})], "Done."]
    loop = OpenAILoop(fp, steps, strict=True)
    with fp.turn() as turn:
        loop.run(turn)
    schema = loop.schema(1, "lookup")
    assert schema["required"] == [*LOOKUP["properties"], RESERVED]
    assert schema["additionalProperties"] is False
    assert "null" in schema["properties"][RESERVED]["type"]
    assert schema == loop.schema(2, "lookup")
    assert shop.got == [("lookup", {"host": "db-9"})]
    assert names.ARGUMENT_MALFORMED not in written(recording, "t1").span.attributes


def test_the_served_tools_are_the_same_bytes_in_every_request(recording: Recording) -> None:
    fp = recorder(recording)
    Shop(fp)
    loop = OpenAILoop(fp, STEPS)
    with fp.turn() as turn:
        loop.run(turn)
    served = [body[body.index(b'"tools"') :].split(b"]}]", 1)[0] for body in loop.server.bodies]
    assert len(set(served)) == 1


@pytest.mark.parametrize("strict", [False, True])
def test_what_is_planted_is_counted_apart_and_fills_no_default_cap(
    recording: Recording, strict: bool
) -> None:
    own = len(json.dumps(openai_tools(strict), separators=(",", ":"))) - 3
    for budget, over in ((None, None), (footprint.Budget(tools=own + 100), True)):
        arguments = footprint.Arguments()
        fp = footprint.Footprint("shop", arguments=arguments, budget=budget, **recording.providers)
        Shop(fp)
        long = "x" * (1950 - own) if budget is None else ""
        loop = OpenAILoop(fp, ["Done."], strict)
        loop.tools[0]["function"]["description"] = long
        with fp.turn() as turn:
            loop.run(turn)
        said = recording.named("chat")[-1].attributes or {}
        planted = said[names.TOOLS_PLANTED]
        assert said[names.TOOLS_USED] - planted == own + len(long) + len(',"description":""')
        assert said[names.TOOLS_USED] > (2000 if budget is None else own + 100)
        assert said.get(names.OVER_TOOLS) is over


def test_without_arguments_nothing_is_said_to_be_planted(recording: Recording) -> None:
    fp = footprint.Footprint("shop", **recording.providers)
    with fp.turn() as turn:
        OpenAILoop(fp, ["Done."]).run(turn)
    assert names.TOOLS_PLANTED not in (recording.named("chat")[-1].attributes or {})


def test_a_tool_of_responses_is_planted_and_run(recording: Recording) -> None:
    fp = recorder(recording)
    shop = Shop(fp)
    arguments = declared({"service": "checkout"}, source("service", "user", quote="checkout"))
    answer = {
        "id": "resp_1", "object": "response", "created_at": 1, "model": "m", "status": "completed",
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        "output": [{"type": "function_call", "id": "fc_1", "call_id": "t1", "name": "hosts",
                    "arguments": json.dumps(arguments), "status": "completed"}],
    }  # fmt: skip
    server = Server(answer)
    ai = fp.wrap(client("openai", "OpenAI", server))
    strict = {"type": "object", "properties": {"service": {"type": "string"}},
              "required": ["service"], "additionalProperties": False}  # fmt: skip
    with fp.turn() as turn:
        made = ai.responses.create(
            model="m",
            input="Is checkout slow?",
            tools=[{"type": "function", "name": "hosts", "parameters": strict}],
        )
        assert turn.tool(made.output[0]) == FOUND
    (tool,) = json.loads(server.bodies[0])["tools"]
    assert tool["parameters"]["required"] == ["service", RESERVED]
    assert shop.got == [("hosts", {"service": "checkout"})]
    assert written(recording, "t1").rows["service"].verdict == "said"


def test_a_streamed_answer_declares_sources_too(recording: Recording) -> None:
    fp = recorder(recording)
    shop = Shop(fp)
    arguments = json.dumps(declared({"service": "checkout"}, source("service", "assumed")))
    base = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    function: dict[str, Any] = {"name": "hosts", "arguments": ""}
    calls = [{"index": 0, "id": "t1", "type": "function", "function": function}]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "tool_calls": calls}]
    for at in range(0, len(arguments), 9):
        part = {"index": 0, "function": {"arguments": arguments[at : at + 9]}}
        deltas.append({"tool_calls": [part]})
    chunks = [
        {**base, "choices": [{"index": 0, "delta": d, "finish_reason": None}]} for d in deltas
    ]
    chunks.append({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    text = "".join(f"data: {json.dumps(c)}\n\n" for c in chunks) + "data: [DONE]\n\n"
    ai = fp.wrap(client("openai", "OpenAI", Server(text)))
    with fp.turn() as turn:
        stream = ai.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "Is it slow?"}], stream=True,
            tools=[{"type": "function", "function": {"name": "hosts", "parameters": {
                "type": "object", "properties": {"service": {"type": "string"}}}}}],
        )  # fmt: skip
        said = "".join(
            c.choices[0].delta.tool_calls[0].function.arguments or ""
            for c in stream
            if c.choices[0].delta.tool_calls
        )
        assert said == arguments
        turn.tool({"id": "t1", "function": {"name": "hosts", "arguments": said}})
    assert shop.got == [("hosts", {"service": "checkout"})]
    row = written(recording, "t1").rows["service"]
    assert (row.claimed, row.verdict) == ("assumed", "model")


def test_a_default_is_filled_in_and_a_period_may_be_cited_in_another_spelling(
    recording: Recording,
) -> None:
    rules = {
        "lookup": {
            "arguments": {"window": {"ask": "Over which time?"}, "limit": {"assume": 50}},
            "period": {"argument": "window", "spelling": "lookback"},
        },
        "trend": {
            "arguments": {"since": {"ask": "Since when?"}},
            "period": {"argument": "since", "spelling": "signed-lookback"},
        },
    }
    asked = []

    def person(ask: Any) -> dict[str, str]:
        asked.append(ask.fields[0].argument)
        return {"f1": "24h"}

    fp = recorder(recording, tools=rules, ask=person)
    got: list[Any] = []
    for name in ("lookup", "trend"):
        fp.tool(lambda **arguments: got.append(arguments) or "done", name=name)
    cited = declared({"since": "-24h"}, source("since", "turn"))
    steps = [[Asked("t1", "lookup", {"host": "db-9"})], [Asked("t2", "trend", cited)], "Done."]
    loop = OpenAILoop(fp, steps)
    text = {"type": "string"}
    schemas = {
        "lookup": {"host": text, "window": text, "limit": {"type": "integer"}},
        "trend": {"since": text},
    }
    loop.tools = [
        {"type": "function", "function": {"name": name, "parameters": {"properties": properties}}}
        for name, properties in schemas.items()
    ]
    with fp.turn() as turn:
        loop.run(turn)
        assert turn.standing is not None
        assert turn.standing.reasons == ("argument-assumed lookup.limit",)
    assert asked == ["window"]
    assert got == [{"host": "db-9", "window": "24h", "limit": 50}, {"since": "-24h"}]
    row = written(recording, "t2").rows["since"]
    assert (row.verdict, row.matched, row.period) == ("answered", "spelling", True)
    assert "ran with the declared default 50" in loop.result(2, "t1")


def test_a_confirmed_answer_is_known_unless_something_is_doubted(recording: Recording) -> None:
    fp = recorder(recording)
    Shop(fp)
    for steps, word in ((STEPS[:1], "known"), (STEPS[1:2], "not-sure")):
        with fp.turn() as turn:
            OpenAILoop(fp, [*steps, "Done."]).run(turn)
            turn.confirm()
            assert turn.standing is not None
            assert turn.standing.word == word


def test_verdicts_are_counted_by_tool(recording: Recording) -> None:
    fp = recorder(recording)
    Shop(fp)
    with fp.turn() as turn:
        OpenAILoop(fp, STEPS).run(turn)
    data = recording.reader.get_metrics_data()
    points = {
        (p.attributes[names.TOOL_NAME], p.attributes[names.LABEL_VERDICT]): p.value
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
        if metric.name == names.METRIC_ARGUMENTS
        for p in metric.data.data_points
    }
    assert points == {
        ("hosts", "said"): 1,
        ("lookup", "result"): 1,
        ("lookup", "said"): 1,
        ("lookup", "model"): 1,
    }


def test_a_tool_whose_rules_do_not_fit_is_refused_and_named_in_the_log(
    recording: Recording, caplog: pytest.LogCaptureFixture
) -> None:
    fp = recorder(recording, tools={"lookup": {"arguments": {"nothing": {"assume": 1}}}})
    shop = Shop(fp)
    with fp.turn() as turn:
        loop = OpenAILoop(fp, [[Asked("t1", "lookup", {"host": "db-9"})], "Done."])
        loop.run(turn)
    assert shop.got == []
    assert "was not run: the rules" in loop.results["t1"]
    assert [r for r in caplog.messages if "lookup" in r and "nothing" in r] != []
    assert len(caplog.messages) == 1


def test_nothing_is_asked_of_a_model_that_answers_at_once(recording: Recording) -> None:
    fp = recorder(recording)
    Shop(fp)
    ai = fp.wrap(client("openai", "OpenAI", Server(chat("Hello."))))
    with fp.turn() as turn:
        ai.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hi"}])
        assert turn.standing is not None
        assert turn.standing.word == "not-assessed"
    (span,) = recording.named("invoke_agent")
    assert [e for e in span.events if e.name == names.EVENT_STANDING] == []


def test_what_a_provider_ran_itself_gets_hints(recording: Recording) -> None:
    fp = recorder(recording)
    content = [
        {"type": "server_tool_use", "id": "s1", "name": "web_search",
         "input": {"query": "checkout slow", "domain": "shop.example"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
        {"type": "text", "text": "It is slow."},
    ]  # fmt: skip
    ai = fp.wrap(client("anthropic", "Anthropic", Server(message(content=content))))
    with fp.turn() as turn:
        ai.messages.create(
            model="m", max_tokens=9, messages=[{"role": "user", "content": "Is checkout slow?"}],
            tools=[{"type": "web_search_20250305", "name": "web_search"}],
        )  # fmt: skip
        assert turn.standing is not None
        assert turn.standing.word == "not-assessed"
    (span,) = recording.named(names.SPAN_EVENTS)
    rows = [row_of(dict(e.attributes or {})) for e in span.events]
    assert [(r.tool, r.argument, r.verdict, r.coincides) for r in rows] == [
        ("web_search", "query", "hint", "person"),
        ("web_search", "domain", "uncheckable", None),
    ]
