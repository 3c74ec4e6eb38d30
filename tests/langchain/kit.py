"""Real LangChain agents with a scripted chat model that keeps what it is called with."""

from __future__ import annotations

import json
import re
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk

import otel_footprint as footprint
from otel_footprint.telemetry import names
from tests.sdk import Recording


class Model(GenericFakeChatModel):
    """Answers in order. `seen`: the messages of each call; `offered`: the tools bound to it."""

    seen: list[Any] = []  # noqa: RUF012
    offered: list[Any] = []  # noqa: RUF012

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        self.offered.append(list(tools))
        return self

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        self.seen.append(list(messages))
        return super()._generate(messages, *args, **kwargs)

    def _stream(self, messages: Any, *_: Any, **__: Any) -> Any:
        said: Any = self._generate(messages).generations[0].message
        for number, word in enumerate(re.split(r"(?<= )", said.text)):
            calls = said.tool_calls if number == 0 else ()
            made = [
                {**c, "args": json.dumps(c["args"]), "index": i, "type": "tool_call_chunk"}
                for i, c in enumerate(calls)
            ]
            chunk = AIMessageChunk(content=word, tool_call_chunks=made)
            yield ChatGenerationChunk(message=chunk)


def scripted(*answers: Any) -> Model:
    """A model; an answer that is an exception is raised."""
    return Model(messages=Iterating(answers), seen=[], offered=[])


class Iterating:
    """Gives answers in order, raises those that are exceptions, and goes on after them."""

    def __init__(self, answers: Any) -> None:
        self._answers = list(answers)

    def __iter__(self) -> Iterating:
        return self

    def __next__(self) -> Any:
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def asks(*calls: tuple[str, str] | tuple[str, str, dict[str, Any]]) -> AIMessage:
    """An answer that asks for tools: (name, call id, arguments)."""
    made = [{"name": c[0], "id": c[1], "args": c[2] if len(c) > 2 else {}} for c in calls]
    return AIMessage("", tool_calls=made)


def lookup() -> str:
    """Looks an order up."""
    return "order 7"


def charge() -> str:
    """Pays money back."""
    return "paid"


def export() -> str:
    """Files the case."""
    return "filed"


REFUND = footprint.skill(
    "refund",
    "Refunds an order.",
    "Look the order up, then pay.",
    tools=["lookup", "charge", "export"],
    steps=[
        footprint.Step("lookup", "find it"),
        footprint.Step("charge", "pay it back"),
        footprint.Step("export", "file it"),
    ],
)


class Agent:
    """An agent with our middleware, what its model saw, and what was recorded."""

    def __init__(self, *answers: Any, context: Any = (), more: Any = (), **options: Any) -> None:
        self.recording = Recording()
        self.footprint = footprint.Footprint(
            "shop", content="full", context=context, **self.recording.providers
        )
        self.model = scripted(*answers)
        self.agent = create_agent(
            self.model,
            tools=options.pop("tools", [lookup, charge, export]),
            system_prompt="Be brief.",
            middleware=[*more, self.footprint.langchain()],
            **options,
        )

    def texts(self, at: int = -1) -> list[Any]:
        """The texts of the messages of a call, the system's blocks one by one."""
        out = []
        for message in self.model.seen[at]:
            content = message.content
            out += [b["text"] for b in content] if isinstance(content, list) else [content]
        return out

    def offered(self, at: int = -1) -> dict[str, str]:
        """Names and descriptions of the tools of a call."""
        return dict(_tool(tool) for tool in self.model.offered[at])

    def events(self, name: str, prefix: str = "") -> list[dict[str, Any]]:
        """The attributes of all events of a name, on spans whose names begin so."""
        return [
            dict(event.attributes or {})
            for span in self.recording.named(prefix)
            for event in span.events
            if event.name == name
        ]

    def outcomes(self) -> list[Any]:
        """How the turns ended."""
        return [
            span.attributes[names.TURN_OUTCOME] for span in self.recording.named("invoke_agent")
        ]


def _tool(tool: Any) -> tuple[str, str]:
    if isinstance(tool, dict):
        return tool["function"]["name"], tool["function"]["description"]
    return tool.name, tool.description
