"""Interrupts of LangGraph: a pause is an end of the turn's span, and the next run goes on."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("langchain.agents.middleware")

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from otel_footprint.telemetry import names
from tests.langchain.kit import REFUND, Agent, asks, export, lookup

ASK: dict[str, Any] = {"messages": [HumanMessage("Refund me.")]}
THREAD: dict[str, Any] = {"configurable": {"thread_id": "thread-1"}}


def charge() -> str:
    """Pays money back, when a person says so."""
    return f"paid, said {interrupt('Pay?')}"


def agent(saver: Any, *answers: Any) -> Agent:
    return Agent(*answers, context=[REFUND], tools=[lookup, charge, export], checkpointer=saver)


FIRST = (
    asks(("read_skill", "c1", {"skill": "refund"})),
    asks(("lookup", "c2"), ("charge", "c3")),
)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_procedure_survives_a_pause_also_in_another_process(elsewhere: bool) -> None:
    saver = InMemorySaver()
    paused = agent(saver, *FIRST, AIMessage("Paid."), AIMessage("Really."))
    paused.agent.invoke(ASK, THREAD)
    assert paused.outcomes() == ["paused"]
    assert paused.events(names.EVENT_STEPS_UNFINISHED) == []
    again = agent(saver, AIMessage("Paid."), AIMessage("Really.")) if elsewhere else paused
    out = again.agent.invoke(Command(resume="yes"), THREAD)
    assert out["messages"][-1].content == "Really."
    texts = again.texts(-2)
    assert "step 1 of 3 was done by that `lookup` call" in texts[-2]
    assert texts[-1].startswith("paid, said yes")
    assert "step 2 of 3 was done by that `charge` call" in texts[-1]
    turns = again.recording.named("invoke_agent")
    first = paused.recording.named("invoke_agent")[0]
    assert turns[-1].attributes[names.TURN_ID] == first.attributes[names.TURN_ID]
    assert turns[-1].attributes[names.TURN_OUTCOME] == "completed"
    (link,) = turns[-1].links
    assert link.context.trace_id == first.context.trace_id
    steps = again.events(names.EVENT_STEP_ADVANCED)
    assert [e[names.STEP_INDEX] for e in steps] == [1, 2]


def test_a_later_turn_of_a_thread_begins_anew_and_keeps_what_stands_in_its_history() -> None:
    saver = InMemorySaver()
    first = agent(saver, FIRST[0], AIMessage("One."), AIMessage("Two."))
    first.agent.invoke(ASK, THREAD)
    again = agent(saver, AIMessage("Hello."))
    again.agent.invoke({"messages": [HumanMessage("And now?")]}, THREAD)
    assert "skip_step" not in again.offered()
    texts = again.texts()
    assert any("The skill refund was activated" in text for text in texts)
    assert not any("The library received" in text for text in texts)
    (turn,) = again.recording.named("invoke_agent")
    assert turn.attributes[names.CONVERSATION] == "thread-1"
