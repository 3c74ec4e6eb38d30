"""Declared sources on LangChain agents: planted, taken out, checked, asked by an interrupt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from pydantic import BaseModel, ConfigDict

import otel_footprint as footprint
from otel_footprint.arguments import RESERVED
from otel_footprint.report.tree import render
from otel_footprint.telemetry import names
from otel_footprint.telemetry.jsonfile import JsonFileExporter
from otel_footprint.trail import load
from otel_footprint.trail.argument_rows import row_of
from tests.sdk import Recording

from .kit import REFUND, asks, charge, export, lookup, scripted

TEAM = {
    "lookup": {"arguments": {"team": {"ask": "Which team?", "choices": ["payments", "search"]}}}
}
WORDS = "Why was db-9 slow?"


def said(argument: str, quote: str) -> dict[str, Any]:
    return {"argument": argument, "source": "user", "quote": quote}


def declared(arguments: dict[str, Any], *entries: Any) -> dict[str, Any]:
    return {**arguments, RESERVED: {"from": list(entries)}}


class Shop:
    """An agent whose Footprint checks sources, and what its tools got."""

    def __init__(self, *answers: Any, saver: Any = None, **options: Any) -> None:
        self.recording = Recording()
        self.got: list[dict[str, Any]] = []
        self.footprint = footprint.Footprint(
            "shop",
            content="full",
            arguments=footprint.Arguments(**options),
            **self.recording.providers,
        )
        self.model = scripted(*answers)

        def lookup(host: str, team: str = "", limit: int = 0) -> str:
            """Looks a host up."""
            self.got.append({"host": host, "team": team, "limit": limit})
            return f"{host} is slow"

        self.agent = create_agent(
            self.model,
            tools=[lookup],
            system_prompt="You look after the shop.",
            middleware=[self.footprint.langchain()],
            checkpointer=saver,
        )

    def run(self, given: Any = None, thread: str = "t") -> Any:
        """Invokes the agent with a person's words, or resumes it."""
        made = given if isinstance(given, Command) else {"messages": [("user", given or WORDS)]}
        return self.agent.invoke(made, {"configurable": {"thread_id": thread}})

    def rows(self, name: str = names.EVENT_ARGUMENT) -> list[Any]:
        """All rows that were exported."""
        return [
            row_of(dict(e.attributes or {}))
            for span in self.recording.spans
            for e in span.events
            if e.name == name
        ]


def results(state: Any) -> list[str]:
    return [m.content for m in state["messages"] if isinstance(m, ToolMessage)]


def test_the_tool_never_sees_the_argument_that_the_model_was_served() -> None:
    call = ("lookup", "c1", declared({"host": "db-9", "limit": 5}, said("host", "db-9 slow")))
    shop = Shop(asks(call), AIMessage("It was slow."))
    state = shop.run()
    (tool,) = shop.model.offered[0]
    assert RESERVED in tool["function"]["parameters"]["properties"]
    assert RESERVED not in tool["function"]["parameters"]["required"]
    assert shop.model.offered[0] == shop.model.offered[1]
    assert shop.got == [{"host": "db-9", "team": "", "limit": 5}]
    assert results(state) == ["db-9 is slow"]
    assert [(r.argument, r.verdict, r.coincides) for r in shop.rows()] == [
        ("host", "said", None),
        ("limit", "model", None),
    ]


def test_a_rule_pauses_the_whole_batch_once_and_resuming_calls_no_model() -> None:
    one, two = ("lookup", "c1", {"host": "db-9"}), ("lookup", "c2", {"host": "db-1"})
    shop = Shop(asks(one, two), AIMessage("Done."), saver=InMemorySaver(), tools=TEAM)
    paused = shop.run()
    (ask,) = paused["__interrupt__"]
    assert [(f["argument"], f["calls"]) for f in ask.value["fields"]] == [("team", ["c1", "c2"])]
    assert shop.got == []
    assert len(shop.model.seen) == 1
    assert [r.asked for r in shop.rows(names.EVENT_ARGUMENT_ASKED)] == ["missing", "missing"]
    (turn,) = shop.recording.named("invoke_agent")
    assert (turn.attributes[names.TURN_OUTCOME], turn.attributes[names.STANDING_WORD]) == (
        "paused",
        "ask",
    )
    state = shop.run(Command(resume={"f1": "payments"}))
    assert len(shop.model.seen) == 2
    assert sorted(g["team"] for g in shop.got) == ["payments", "payments"]
    assert sorted(r.verdict for r in shop.rows() if r.argument == "team") == ["answered"] * 2
    assert [text.count('chose "payments"') for text in results(state)] == [1, 1]
    assert len(shop.rows(names.EVENT_ARGUMENT_ASKED)) == 2
    (standing,) = {
        s.attributes[names.STANDING_WORD]
        for s in shop.recording.named("invoke_agent")
        if s.attributes[names.TURN_OUTCOME] == "completed"
    }
    assert standing == "consistent"


def test_what_was_found_after_a_pause_is_printed_where_the_tool_was_asked_for(
    tmp_path: Path,
) -> None:
    shop = Shop(
        asks(("lookup", "c1", {"host": "db-9", "team": "search"})), AIMessage("Done."),
        saver=InMemorySaver(), tools=TEAM,
    )  # fmt: skip
    path = tmp_path / "trail.jsonl"
    shop.recording.tracer_provider.add_span_processor(SimpleSpanProcessor(JsonFileExporter(path)))
    shop.run()
    shop.run(Command(resume={"f1": "payments"}))
    text = "\n".join(render(load(path), 160, ascii_only=True))
    asked = text.index("team a person was asked: it could not be traced")
    assert asked < text.index('team = "payments" from a person\'s answer when asked')


def test_an_answer_that_does_not_fit_is_asked_again_and_the_third_time_refused() -> None:
    shop = Shop(
        asks(("lookup", "c1", {"host": "db-9"})),
        AIMessage("No."),
        saver=InMemorySaver(),
        tools=TEAM,
    )
    shop.run()
    for reason in ("invalid-answer", "invalid-answer"):
        again = shop.run(Command(resume={"f1": "nobody"}))
        (ask,) = again["__interrupt__"]
        assert ask.value["fields"][0]["reason"] == reason
    state = shop.run(Command(resume={"f1": "nobody"}))
    assert shop.got == []
    assert "was not run: after 3 rounds" in results(state)[0]


def test_another_process_goes_on_with_a_paused_run() -> None:
    saver = InMemorySaver()
    claim = declared(
        {"host": "db-9", "limit": 7}, said("host", "db-9"), {"argument": "limit", "source": "app"}
    )
    first = Shop(asks(("lookup", "c1", claim)), saver=saver, tools=TEAM)
    first.run()
    other = Shop(AIMessage("Done."), saver=saver, tools=TEAM)
    other.run(Command(resume={"f1": "search"}))
    assert other.got == [{"host": "db-9", "team": "search", "limit": 7}]
    found = {r.argument: (r.verdict, r.failed) for r in other.rows()}
    assert found == {
        "host": ("said", None),
        "team": ("answered", None),
        "limit": ("model", "uncheckable"),
    }


def test_a_later_turn_of_the_thread_may_cite_the_answer() -> None:
    cited = declared({"host": "db-9", "team": "payments"}, {"argument": "team", "source": "turn"})
    shop = Shop(
        asks(("lookup", "c1", {"host": "db-9"})),
        AIMessage("Done."),
        asks(("lookup", "c2", cited)),
        AIMessage("Done again."),
        saver=InMemorySaver(),
        tools=TEAM,
    )
    shop.run()
    shop.run(Command(resume={"f1": "payments"}))
    shop.run("And now?")
    (row,) = [r for r in shop.rows() if (r.call_id, r.argument) == ("c2", "team")]
    assert (row.verdict, row.earlier, row.turn) == ("answered", True, 2)


def test_without_a_checkpointer_a_handler_asks() -> None:
    shop = Shop(
        asks(("lookup", "c1", {"host": "db-9"})),
        AIMessage("Done."),
        tools=TEAM,
        ask=lambda _: {"f1": "search"},
    )
    shop.run()
    assert [g["team"] for g in shop.got] == ["search"]


def test_without_a_checkpointer_and_a_handler_the_call_is_refused() -> None:
    shop = Shop(asks(("lookup", "c1", {"host": "db-9"})), AIMessage("Done."), tools=TEAM)
    state = shop.run()
    assert shop.got == []
    assert "was not run: without a question" in results(state)[0]


async def test_async_runs_pause_and_resume() -> None:
    shop = Shop(
        asks(("lookup", "c1", {"host": "db-9"})),
        AIMessage("Done."),
        saver=InMemorySaver(),
        tools=TEAM,
    )
    config: Any = {"configurable": {"thread_id": "t"}}
    paused = await shop.agent.ainvoke({"messages": [("user", WORDS)]}, config)
    assert len(paused["__interrupt__"]) == 1
    await shop.agent.ainvoke(Command(resume={"f1": "payments"}), config)
    assert [g["team"] for g in shop.got] == ["payments"]


def test_threads_do_not_mix() -> None:
    answers = [asks(("lookup", "c1", {"host": f"db-{i}"})) for i in range(2)]
    shop = Shop(*answers, AIMessage("One."), AIMessage("Two."), saver=InMemorySaver(), tools=TEAM)
    for thread in ("a", "b"):
        assert shop.run(thread=thread)["__interrupt__"]
    shop.run(Command(resume={"f1": "search"}), thread="b")
    shop.run(Command(resume={"f1": "payments"}), thread="a")
    assert [(g["host"], g["team"]) for g in shop.got] == [("db-1", "search"), ("db-0", "payments")]


@pytest.mark.parametrize("content", ["none", "full"])
def test_what_is_saved_with_the_thread_is_json(content: str) -> None:
    saver = InMemorySaver()
    shop = Shop(asks(("lookup", "c1", {"host": "db-9"})), saver=saver, tools=TEAM)
    shop.run()
    (saved,) = [
        c.checkpoint["channel_values"]["footprint"]
        for c in list(saver.list({"configurable": {"thread_id": "t"}}))[:1]
    ]
    assert json.loads(json.dumps(saved)) == saved
    assert saved["arguments"]["tools"]["lookup"]["strict"] is False
    assert content


def test_tools_of_the_library_are_not_planted() -> None:
    recording = Recording()
    fp = footprint.Footprint(
        "shop", arguments=footprint.Arguments(), context=[REFUND], **recording.providers
    )
    model = scripted(asks(("lookup", "c1")), AIMessage("Done."))
    tools: Any = [lookup, charge, export]
    create_agent(model, tools=tools, middleware=[fp.langchain()]).invoke(
        {"messages": [("user", WORDS)]}
    )
    offered = {
        (t["function"] if isinstance(t, dict) else {"name": t.name, "parameters": t.args_schema})[
            "name"
        ]: json.dumps(t, default=str)
        for t in model.offered[0]
    }
    assert {name for name, text in offered.items() if RESERVED in text} == {
        "lookup",
        "charge",
        "export",
    }
    assert "read_skill" in offered


class Strict(BaseModel):
    """Refuses any argument that it does not name."""

    model_config = ConfigDict(extra="forbid")
    host: str


def test_a_tool_that_refuses_unknown_arguments_never_sees_ours() -> None:
    got: list[str] = []

    @tool("find", args_schema=Strict)
    def find(host: str) -> str:
        """Looks a host up."""
        got.append(host)
        return f"{host} is slow"

    recording = Recording()
    fp = footprint.Footprint("shop", arguments=footprint.Arguments(), **recording.providers)
    call = ("find", "c1", declared({"host": "db-9"}, said("host", "db-9 slow")))
    model = scripted(asks(call), AIMessage("It was slow."))
    agent = create_agent(model, tools=[find], middleware=[fp.langchain(tools=[find])])
    state = agent.invoke({"messages": [("user", WORDS)]})
    (offered,) = model.offered[0]
    assert RESERVED in offered["function"]["parameters"]["properties"]
    assert got == ["db-9"]
    assert results(state) == ["db-9 is slow"]
    recording.tracer_provider.shutdown()
    recording.meter_provider.shutdown()


def test_rules_are_held_against_the_tools_that_the_middleware_is_told_of() -> None:
    def find(host: str, limit: int = 5) -> str:
        """Looks a host up."""
        return host + str(limit)

    def made(**arguments: Any) -> Any:
        rules = {"find": {"arguments": arguments}, "of-another-agent": {"hidden": ["x"]}}
        return footprint.Footprint("shop", arguments=footprint.Arguments(tools=rules))

    made(limit={"assume": 7}).langchain(tools=[find, tool(charge)])
    for arguments, says in (
        ({"limt": {"assume": 7}}, r"find.*limt.*host, limit"),
        ({"limit": {"assume": "x"}}, r"find.*limit.*x"),
    ):
        with pytest.raises(footprint.DeclarationError, match=says):
            made(**arguments).langchain(tools=[find])
    with pytest.raises(footprint.DeclarationError, match=r"langchain\.tools\[0\]"):
        made(limit={"assume": 7}).langchain(tools=[5])
