"""Programs under the answer of a LangChain agent."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.constants import TAG_NOSTREAM
from langgraph.graph import MessagesState, StateGraph

import otel_footprint as footprint
from otel_footprint.telemetry import names
from tests.losses.kit import trail_of
from tests.sdk import Recording

from .kit import asks, scripted

CODE = "print(41 + 1)\n"
UNDER = (
    "Recorded program 1 of 1: call `c1` to `run_code` completed with exit code 0; the library "
    f"attached it out of the record.\n\n```python\n{CODE}```"
)


@tool
def run_code(code: str) -> str:
    """Runs a program."""
    if "raise" in code:
        raise RuntimeError("the sandbox is gone")
    return '{"exit_code": 0, "stdout": "42"}'


class Coder:
    """An agent with a tool that runs programs."""

    def __init__(self, *answers: Any, **options: Any) -> None:
        self.recording = Recording()
        self.footprint = footprint.Footprint(
            "coder",
            content="full",
            scripts=footprint.Scripts(tools={"run_code": ("code", "python")}),
            **self.recording.providers,
        )
        self.model: Any = scripted(*answers)
        if options.pop("tagged", False):
            self.model.tags = [TAG_NOSTREAM]
        self.agent = create_agent(
            self.model, tools=[run_code], middleware=[self.footprint.langchain()], **options
        )

    @property
    def attached(self) -> Any:
        trail = trail_of(self.recording.spans)
        for turn in trail.turns:
            assert {trail.check(ledger).state for ledger in turn.ledgers} == {"complete"}
        return list(trail.attached.values())


def asked(code: str, id_: str = "c1") -> AIMessage:
    return asks(("run_code", id_, {"code": code}))


HELLO = {"messages": [("user", "Run it.")]}


def test_the_program_stands_under_the_answer() -> None:
    coder = Coder(asked(CODE), AIMessage("It is 42."))
    last = coder.agent.invoke(HELLO)["messages"][-1]
    assert type(last) is AIMessage
    assert last.content == "It is 42.\n\n" + UNDER
    (attached,) = coder.attached
    assert (attached.recorded.unread, attached.text) == (0, "\n\n" + UNDER)


async def test_async_runs_carry_it() -> None:
    coder = Coder(asked(CODE), AIMessage("It is 42."))
    answer = await coder.agent.ainvoke(HELLO)
    assert answer["messages"][-1].content == "It is 42.\n\n" + UNDER


def test_an_answer_in_blocks_gets_it_in_its_last_text() -> None:
    blocks = [{"type": "text", "text": "It is "}, {"type": "text", "text": "42."}]
    coder = Coder(asked(CODE), AIMessage(blocks))
    content = coder.agent.invoke(HELLO)["messages"][-1].content
    assert content == [blocks[0], {"type": "text", "text": "42.\n\n" + UNDER}]


def test_without_a_program_the_answer_is_the_very_same() -> None:
    said = AIMessage("Hello.", id="m1")
    coder = Coder(said)
    assert coder.agent.invoke(HELLO)["messages"][-1] == said
    assert coder.attached[0].recorded.form == "none"


def test_a_tool_that_raises_failed() -> None:
    coder = Coder(asked("raise"), AIMessage("It broke."))
    with pytest.raises(RuntimeError):
        coder.agent.invoke(HELLO)
    assert coder.attached == []


def test_a_call_that_the_schema_refuses_never_reached_the_tool() -> None:
    wrong = asks(("run_code", "c1", {"source": CODE}))
    coder = Coder(wrong, AIMessage("I could not."))
    assert coder.agent.invoke(HELLO)["messages"][-1].content == "I could not."
    assert coder.attached[0].recorded.form == "none"


def test_a_structured_answer_gets_the_data_only() -> None:
    from langchain.agents.structured_output import ProviderStrategy
    from pydantic import BaseModel

    class Sum(BaseModel):
        value: int

    coder = Coder(
        asked(CODE), AIMessage('{"value": 42}'), response_format=ProviderStrategy(schema=Sum)
    )
    answer = coder.agent.invoke(HELLO)
    assert answer["structured_response"] == Sum(value=42)
    assert answer["messages"][-1].content == '{"value": 42}'
    (attached,) = coder.attached
    assert attached.recorded.form == "data"


def test_the_block_that_comes_back_is_known_to_be_the_librarys() -> None:
    coder = Coder(asked(CODE), AIMessage("It is 42."), AIMessage("Bye."))
    first = coder.agent.invoke(HELLO)
    coder.agent.invoke({"messages": [*first["messages"], ("user", "Thanks.")]})
    (event,) = [
        dict(event.attributes)
        for span in coder.recording.spans
        for event in span.events
        if event.name == names.EVENT_INJECTED
    ]
    assert event[names.INJECTION_SOURCE] == "scripts"
    assert event[names.INJECTION_REASON] == "the library wrote it from character 9 on"


def test_the_programs_of_the_next_turn_are_its_own() -> None:
    coder = Coder(asked(CODE), AIMessage("It is 42."), AIMessage("Bye."))
    first = coder.agent.invoke(HELLO)
    second = coder.agent.invoke({"messages": [*first["messages"], ("user", "Thanks.")]})
    assert second["messages"][-1].content == "Bye."
    assert [a.recorded.form for a in coder.attached] == ["text", "none"]


def said_of(chunks: Any) -> list[tuple[str, str]]:
    """What a token stream said, by message."""
    out: dict[str, str] = {}
    for message, _ in chunks:
        if message.type in ("ai", "AIMessageChunk"):
            out[message.id] = out.get(message.id, "") + message.text
    return list(out.items())


def test_a_token_stream_ends_with_it() -> None:
    coder = Coder(asked(CODE), AIMessage("It is 42."), checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t1"}}
    chunks = list(coder.agent.stream(HELLO, config, stream_mode="messages"))
    answer = coder.agent.get_state(config).values["messages"][-1]
    assert answer.content == "It is 42.\n\n" + UNDER
    assert said_of(chunks)[-1] == (answer.id, answer.content)
    message, meta = chunks[-1]
    assert (type(message), message.content) == (AIMessageChunk, "\n\n" + UNDER)
    assert meta["langgraph_node"] == "model"
    assert sum(UNDER in m.text for m, _ in chunks) == 1


async def test_an_async_token_stream_ends_with_it_among_other_modes() -> None:
    coder = Coder(asked(CODE), AIMessage("It is 42."))
    modes = ["messages", "values"]
    found = [x async for x in coder.agent.astream(HELLO, stream_mode=modes)]
    answer = found[-1][1]["messages"][-1]
    chunks = [value for mode, value in found if mode == "messages"]
    assert said_of(chunks)[-1] == (answer.id, "It is 42.\n\n" + UNDER)


def test_a_token_stream_without_a_program_has_no_chunk_of_ours() -> None:
    coder = Coder(AIMessage("Hello."))
    chunks = list(coder.agent.stream(HELLO, stream_mode="messages"))
    assert [text for _, text in said_of(chunks)] == ["Hello."]


def test_a_message_that_the_stream_has_not_seen_is_handed_out_whole_once() -> None:
    coder = Coder(asked(CODE), AIMessage("It is 42."), tagged=True)
    chunks = list(coder.agent.stream(HELLO, stream_mode="messages"))
    assert said_of(chunks)[-1][1] == "It is 42.\n\n" + UNDER


def test_an_agent_within_a_graph_ends_its_stream_with_it() -> None:
    coder = Coder(asked(CODE), AIMessage("It is 42."))
    graph: Any = StateGraph(MessagesState)
    graph.add_node("coder", coder.agent)
    graph.set_entry_point("coder")
    stream = graph.compile().stream(HELLO, stream_mode="messages", subgraphs=True)
    assert said_of(value for _, value in stream)[-1][1] == "It is 42.\n\n" + UNDER


@pytest.mark.parametrize(
    ("code", "call"),
    [
        (
            [{"type": "code_interpreter_call", "id": "ci", "code": CODE, "status": "completed"}],
            "call `ci` to `code_interpreter` completed",
        ),
        (
            [
                {"type": "executable_code", "executable_code": CODE, "language": "PYTHON"},
                {"type": "code_execution_result", "code_execution_result": "42", "outcome": 1},
            ],
            "a call to `code_execution` completed",
        ),
    ],
)
def test_code_that_a_provider_ran_is_read_out_of_blocks(code: Any, call: str) -> None:
    coder = Coder(AIMessage([*code, {"type": "text", "text": "It is 42."}]))
    content = coder.agent.invoke(HELLO)["messages"][-1].content
    assert content[:-1] == code
    assert content[-1]["text"] == (
        f"It is 42.\n\nRecorded program 1 of 1: {call}; the library attached it out of the record."
        f"\n\n```python\n{CODE}```"
    )
