"""LangChain agents: what is let in leaves with the request, what left is on the record."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("langchain.agents.middleware")

from langchain.agents.middleware import ModelCallLimitMiddleware, ModelRetryMiddleware
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.errors import GraphRecursionError

import otel_footprint as footprint
from otel_footprint.telemetry import names
from tests.langchain.kit import REFUND, Agent, asks, lookup

ASK: dict[str, Any] = {"messages": [HumanMessage("Refund me.", id="h1")]}


def run(agent: Agent, asynchronous: bool = False, **options: Any) -> list[Any]:
    if asynchronous:
        return asyncio.run(agent.agent.ainvoke(ASK, **options))["messages"]
    return agent.agent.invoke(ASK, **options)["messages"]


def test_with_nothing_declared_the_model_gets_the_very_same_and_all_is_recorded() -> None:
    agent = Agent(asks(("lookup", "c1")), AIMessage("Done."))
    messages = run(agent)
    assert [m.type for m in messages] == ["human", "ai", "tool", "ai"]
    assert agent.texts(0) == ["Be brief.", "Refund me."]
    assert [tool.name for tool in agent.model.offered[0]] == ["lookup", "charge", "export"]
    assert type(agent.model.seen[0][0].content) is str
    assert len(agent.recording.named("chat")) == 2
    (tool,) = agent.recording.named("execute_tool")
    assert tool.name == "execute_tool lookup"
    assert agent.outcomes() == ["completed"]
    (turn,) = agent.recording.named("invoke_agent")
    assert {s.context.trace_id for s in agent.recording.spans} == {turn.context.trace_id}


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_procedure_runs_step_by_step(asynchronous: bool) -> None:
    agent = Agent(
        asks(("read_skill", "c1", {"skill": "refund"})),
        asks(("lookup", "c2")),
        AIMessage("Done."),
        asks(("charge", "c3"), ("skip_step", "c4", {"reason": "no file here"})),
        AIMessage("Paid back."),
        context=[footprint.fact("shop", "We are in Ghent."), REFUND],
    )
    messages = run(agent, asynchronous)
    assert messages[-1].content == "Paid back."
    assert agent.texts(0) == ["Be brief.", "We are in Ghent.", "Refund me."]
    assert list(agent.offered(0)) == ["lookup", "charge", "export", "read_skill"]
    assert list(agent.offered(1)) == ["lookup", "read_skill", "skip_step"]
    assert agent.offered(1)["lookup"].startswith("[Step 1 of 3 — find it] Looks")
    assert "step 1 of 3 stood next" in agent.texts(1)[-1]
    assert "step 1 of 3 was done" in agent.texts(2)[-1]
    assert agent.texts(3)[-2] == "Done."
    assert agent.texts(3)[-1].startswith("[steps unrun — Steps 2–3 of refund were unrun")
    assert list(agent.offered(4)) == ["lookup", "charge", "export", "read_skill"]
    done = agent.events(names.EVENT_STEP_ADVANCED, "execute_tool")
    assert [(e[names.STEP_INDEX], e[names.STEP_ACTION]) for e in done] == [(1, 2), (2, 4)]
    (skipped,) = agent.events(names.EVENT_STEP_SKIPPED, "execute_tool")
    assert skipped[names.STEP_REASON] == "no file here"
    (nudged,) = agent.events(names.EVENT_STEPS_UNFINISHED, "invoke_agent")
    assert nudged[names.STEPS_OUTCOME] == "nudged"
    sources = [
        e[names.PIECE_SOURCE] for e in agent.events(names.EVENT_COMPOSED, "compose messages")
    ]
    assert "procedure" in sources[3].split(",")


def test_an_answer_after_the_nudge_is_accepted_and_ends_the_turn() -> None:
    agent = Agent(
        asks(("read_skill", "c1", {"skill": "refund"})),
        AIMessage("Done."),
        AIMessage("I cannot look it up."),
        context=[REFUND],
    )
    assert run(agent)[-1].content == "I cannot look it up."
    ends = agent.events(names.EVENT_STEPS_UNFINISHED, "invoke_agent")
    assert [(e[names.STEPS_OUTCOME], e[names.STEPS_OUTCOME_REASON]) for e in ends] == [
        ("nudged", "answered-early"),
        ("accepted", "nudge-spent"),
    ]


def test_a_limit_of_the_graph_cuts_the_procedure_short_on_the_record() -> None:
    agent = Agent(
        asks(("read_skill", "c1", {"skill": "refund"})),
        *(asks(("lookup", f"c{n}")) for n in range(2, 30)),
        context=[REFUND],
    )
    with pytest.raises(GraphRecursionError):
        agent.agent.invoke({"messages": [("user", "Refund me.")]}, {"recursion_limit": 12})
    assert agent.outcomes() == ["limit"]
    (end,) = agent.events(names.EVENT_STEPS_UNFINISHED)
    assert (end[names.STEPS_OUTCOME], end[names.STEPS_OUTCOME_REASON]) == (
        "cut-short",
        "loop-limit",
    )


def test_parallel_tools_are_settled_in_the_order_of_the_batch() -> None:
    agent = Agent(
        asks(("read_skill", "c1", {"skill": "refund"})),
        asks(("lookup", "c2"), ("charge", "c3"), ("export", "c4")),
        AIMessage("Done."),
        context=[REFUND],
    )
    run(agent)
    done = agent.events(names.EVENT_STEP_ADVANCED, "execute_tool")
    assert sorted(e[names.STEP_INDEX] for e in done) == [1, 2, 3]
    assert "step 1 of 3 was done" in agent.texts(2)[-3]
    assert "all 3 steps were complete" in agent.texts(2)[-1]


def test_a_retry_of_other_middleware_is_another_attempt_of_the_same_action() -> None:
    agent = Agent(
        RuntimeError("busy"),
        asks(("lookup", "c1")),
        AIMessage("Done."),
        context=[footprint.instruction("n", template="This is call {{action}}.")],
        more=[ModelRetryMiddleware(max_retries=1, initial_delay=0, jitter=False)],
    )
    run(agent)
    assert [agent.texts(at)[1] for at in range(3)] == [
        "This is call 1.",
        "This is call 1.",
        "This is call 2.",
    ]
    assert len(agent.recording.named("chat")) == 3
    assert agent.outcomes() == ["completed"]


def test_streaming_gives_what_the_model_gives() -> None:
    agent = Agent(AIMessage("Hello there."), context=[footprint.fact("shop", "In Ghent.")])
    chunks = [
        chunk.content
        for chunk, _ in agent.agent.stream(ASK, stream_mode="messages")
        if chunk.type == "AIMessageChunk"
    ]
    assert "".join(chunks) == "Hello there."
    (output,) = agent.events(names.EVENT_OUTPUT, "chat")
    assert "Hello there." in "".join(output[names.TEXT])
    assert agent.outcomes() == ["completed"]


def test_two_runs_at_once_do_not_mix() -> None:
    agent = Agent(
        *[asks(("read_skill", f"c{n}", {"skill": "refund"})) for n in (1, 2)],
        *[asks(("lookup", f"d{n}")) for n in (1, 2)],
        *[AIMessage("Stop.") for _ in range(4)],
        context=[REFUND],
    )

    async def both() -> None:
        await asyncio.gather(agent.agent.ainvoke(ASK), agent.agent.ainvoke(ASK))

    asyncio.run(both())
    turns = agent.recording.named("invoke_agent")
    assert len(turns) == 2
    for turn in turns:
        spans = [s for s in agent.recording.spans if s.context.trace_id == turn.context.trace_id]
        steps = [e for s in spans for e in s.events if e.name == names.EVENT_STEP_ADVANCED]
        assert [dict(e.attributes)[names.STEP_INDEX] for e in steps] == [1]
        assert len([s for s in spans if s.name.startswith("chat")]) == 4


def test_a_run_that_fails_or_is_cut_short_says_how() -> None:
    agent = Agent(RuntimeError("broken"), context=[REFUND])
    with pytest.raises(RuntimeError):
        run(agent)
    assert agent.outcomes() == ["error"]
    agent = Agent(
        asks(("read_skill", "c1", {"skill": "refund"})),
        asks(("lookup", "c2")),
        context=[REFUND],
        more=[ModelCallLimitMiddleware(run_limit=2)],
    )
    run(agent)
    (cut,) = agent.events(names.EVENT_STEPS_UNFINISHED, "invoke_agent")
    assert (cut[names.STEPS_OUTCOME], cut[names.STEPS_OUTCOME_REASON]) == (
        "cut-short",
        "loop-limit",
    )


def test_a_turn_around_the_run_is_its_turn() -> None:
    agent = Agent(
        asks(("lookup", "c1")),
        AIMessage("Done."),
        context=[footprint.instruction("left", template="{{actionsRemaining}} left.")],
    )
    with agent.footprint.turn("Refund me.", id="t-1", action_budget=5):
        run(agent)
    assert [agent.texts(at)[1] for at in range(2)] == ["4 left.", "3 left."]
    (turn,) = agent.recording.named("invoke_agent")
    assert turn.attributes[names.TURN_ID] == "t-1"


def test_an_agent_that_is_a_tool_of_another_has_a_turn_of_its_own() -> None:
    inner = Agent(AIMessage("Inner."), context=[footprint.fact("shop", "In Ghent.")])

    def ask_inner() -> str:
        """Asks another agent."""
        return str(run(inner)[-1].content)

    outer = Agent(asks(("ask_inner", "c1")), AIMessage("Outer."), tools=[ask_inner])
    run(outer)
    (mine,) = outer.recording.named("invoke_agent")
    (theirs,) = inner.recording.named("invoke_agent")
    assert theirs.context.trace_id == mine.context.trace_id
    assert inner.texts() == ["Be brief.", "In Ghent.", "Refund me."]


def test_a_tool_that_fails_does_not_advance() -> None:
    def broken() -> str:
        """Breaks."""
        raise ValueError("no")

    broken.__name__ = "lookup"
    agent = Agent(
        asks(("read_skill", "c1", {"skill": "refund"})),
        asks(("lookup", "c2")),
        context=[REFUND],
        tools=[broken],
    )
    with pytest.raises(ValueError, match="no"):
        run(agent)
    assert agent.events(names.EVENT_STEP_ADVANCED) == []
    (tool,) = agent.recording.named("execute_tool lookup")
    assert tool.attributes[names.ERROR_TYPE] == "ValueError"
    (cut,) = agent.events(names.EVENT_STEPS_UNFINISHED, "invoke_agent")
    assert cut[names.STEPS_OUTCOME_REASON] == "failed"


def test_results_stay_what_the_tools_gave() -> None:
    agent = Agent(
        asks(("read_skill", "c1", {"skill": "refund"})),
        asks(("lookup", "c2")),
        AIMessage("One."),
        AIMessage("Two."),
        context=[REFUND],
    )
    found = [m for m in run(agent) if isinstance(m, ToolMessage)]
    assert found[1].content == lookup()


def test_wrapping_an_agent_names_the_middleware() -> None:
    agent = Agent(AIMessage("Done."))
    with pytest.raises(footprint.DeclarationError, match="langchain"):
        agent.footprint.wrap(agent.agent)


def test_a_budget_of_the_agent_is_said_where_the_turn_has_none() -> None:
    left = footprint.instruction("left", template="{{actionsRemaining}} left.")
    agent = Agent(AIMessage("Done."), context=[left])
    from langchain.agents import create_agent

    made = create_agent(
        agent.model, [lookup], middleware=[agent.footprint.langchain(action_budget=4)]
    )
    made.invoke(ASK)
    assert agent.texts()[0] == "3 left."
    (turn,) = list(agent.recording.named("turn started"))
    assert turn.attributes[names.TURN_ACTION_BUDGET] == 4
