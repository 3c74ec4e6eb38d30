"""A LangChain agent over the real OpenAI client: what is recorded is what left, and once."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("langchain.agents.middleware")
pytest.importorskip("langchain_openai")

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage, HumanMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

import otel_footprint as footprint
from otel_footprint.telemetry import names
from tests.injecting.kit import call, calls
from tests.langchain.kit import REFUND, Agent, asks, charge, export, lookup
from tests.sdk import Recording, Server, chat, client

ASK: dict[str, Any] = {"messages": [HumanMessage("Refund me.")]}


def agent_of(server: Server, fp: Any) -> Any:
    """A real ChatOpenAI whose client is over a local transport; the client is wrapped as well."""
    inner = fp.wrap(client("openai", "OpenAI", server))
    model = ChatOpenAI(model="gpt-4o-mini", api_key="sk-test", base_url="http://local.test/v1")
    model.root_client, model.client = inner, inner.chat.completions
    return create_agent(
        model, [lookup, charge, export], system_prompt="Be brief.", middleware=[fp.langchain()]
    )


def test_what_is_recorded_as_offered_is_what_was_sent_and_each_call_stands_once() -> None:
    server = Server(
        calls(call("c1", "read_skill", skill="refund")),
        calls(call("c2", "lookup")),
        chat("Done."),
        chat("Really."),
    )
    recording = Recording()
    fp = footprint.Footprint(
        "shop", content="full", context=[footprint.fact("shop", "In Ghent."), REFUND],
        **recording.providers,
    )  # fmt: skip
    out = agent_of(server, fp).invoke(ASK)
    assert out["messages"][-1].content == "Really."
    sent = [json.loads(body) for body in server.bodies]
    assert sent[0]["messages"][0]["content"] == [
        {"type": "text", "text": "Be brief."},
        {"type": "text", "text": "In Ghent."},
    ]
    offered = [[t["function"]["name"] for t in body["tools"]] for body in sent]
    assert offered[0] == ["lookup", "charge", "export", "read_skill"]
    assert offered[1] == ["lookup", "read_skill", "skip_step"]
    assert sent[1]["tools"][0]["function"]["description"].startswith("[Step 1 of 3 — find it]")
    assert "step 1 of 3 was done" in sent[2]["messages"][-1]["content"]
    chats = recording.named("chat")
    assert [span.name for span in chats] == ["chat gpt-4o-mini"] * 4
    assert chats[0].attributes[names.PROVIDER] == "openai"
    assert [span.attributes[names.INPUT_TOKENS] for span in chats] == [10] * 4
    events = [e for s in recording.named("compose tools") for e in s.events]
    recorded = [dict(e.attributes or {}) for e in events if e.name == names.EVENT_COMPOSED]
    assert list(recorded[0][names.PIECE_ID]) == [*offered[0][:3], "library"]
    (first,) = [
        e for e in recording.named("compose tools")[0].events if e.name == names.EVENT_INJECTED
    ]
    assert dict(first.attributes or {})[names.INJECTION_NAME] == "read_skill"


def test_a_person_in_the_loop_of_other_middleware_pauses_the_turn() -> None:
    agent = Agent(
        asks(("read_skill", "c1", {"skill": "refund"})),
        asks(("lookup", "c2")),
        asks(("charge", "c3")),
        AIMessage("Done."),
        AIMessage("Really."),
        context=[REFUND],
        more=[HumanInTheLoopMiddleware(interrupt_on={"charge": True})],
        checkpointer=InMemorySaver(),
    )
    thread: Any = {"configurable": {"thread_id": "t"}}
    agent.agent.invoke(ASK, thread)
    assert agent.outcomes() == ["paused"]
    agent.agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), thread)
    assert agent.outcomes() == ["paused", "completed"]
    steps = agent.events(names.EVENT_STEP_ADVANCED)
    assert [e[names.STEP_INDEX] for e in steps] == [1, 2]


def test_what_a_person_rejects_does_not_advance() -> None:
    agent = Agent(
        asks(("read_skill", "c1", {"skill": "refund"})),
        asks(("lookup", "c2")),
        AIMessage("Done."),
        AIMessage("Really."),
        context=[REFUND],
        more=[HumanInTheLoopMiddleware(interrupt_on={"lookup": True})],
        checkpointer=InMemorySaver(),
    )
    thread: Any = {"configurable": {"thread_id": "t"}}
    agent.agent.invoke(ASK, thread)
    agent.agent.invoke(Command(resume={"decisions": [{"type": "reject"}]}), thread)
    assert agent.events(names.EVENT_STEP_ADVANCED) == []
    assert next(iter(agent.offered())) == "lookup"
