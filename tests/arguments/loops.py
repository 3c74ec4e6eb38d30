"""Hand-written loops over real SDK clients whose recorded model declares sources."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import otel_footprint as footprint
from otel_footprint.arguments import RESERVED
from otel_footprint.records.arguments import ArgumentRow
from otel_footprint.telemetry import names
from otel_footprint.trail.argument_rows import row_of
from tests.sdk import Recording, Server, chat, client, message

LOOKUP: dict[str, Any] = {
    "type": "object",
    "properties": {
        "host": {"type": "string"},
        "window": {"type": "string", "enum": ["1h", "24h", "7d"]},
        "limit": {"type": "integer"},
        "team": {"type": "string"},
    },
    "required": ["host"],
}
HOSTS: dict[str, Any] = {"type": "object", "properties": {"service": {"type": "string"}}}
SYSTEM = "You look after the shop. The team on duty is payments."
WORDS = "Why was checkout slow over the last 24h?"
FOUND = '{"hosts":["db-9"],"rows":41200}'


class Asked(NamedTuple):
    """A tool call that the recorded model makes."""

    id: str
    name: str
    arguments: Any


def source(argument: Any, kind: Any, **more: Any) -> dict[str, Any]:
    """One entry of a declaration."""
    return {"argument": argument, "source": kind, **more}


def declared(arguments: dict[str, Any], *entries: Any) -> dict[str, Any]:
    """Arguments with a declaration."""
    return {**arguments, RESERVED: {"from": list(entries)}}


TOOLS = {
    "lookup": {"arguments": {"team": {"ask": "Which team?", "choices": ["payments", "search"]}}}
}
LOOK = declared(
    {"host": "db-9", "window": "24h", "limit": 50},
    source("host", "result", id="t1"),
    source("window", "user", quote="the last 24h"),
    source("limit", "user", quote="fifty rows please"),
    source("limit", "assumed"),
    source("nothing", "user", quote="x"),
    {"argument": "host", "source": "Result", "id": "t1"},
)
STEPS: list[Any] = [
    [
        Asked(
            "t1",
            "hosts",
            declared({"service": "checkout"}, source("service", "user", quote="checkout slow")),
        )
    ],
    [Asked("t2", "lookup", LOOK)],
    "The host db-9 read 41200 rows.",
]


class Shop:
    """The tools of an application, and what they got."""

    def __init__(self, fp: footprint.Footprint) -> None:
        self.got: list[tuple[str, dict[str, Any]]] = []

        @fp.tool
        def hosts(**arguments: Any) -> str:
            self.got.append(("hosts", arguments))
            return FOUND

        @fp.tool
        def lookup(**arguments: Any) -> Any:
            self.got.append(("lookup", arguments))
            return {"slow": True}

        self.hosts, self.lookup = hosts, lookup


class Loop:
    """A loop over one provider's client; `steps` are the answers of its model."""

    def __init__(
        self, fp: footprint.Footprint, steps: Sequence[Sequence[Asked] | str], strict: bool = False
    ) -> None:
        self.fp = fp
        self.strict = strict
        self.server = Server(*(self.answer(step) for step in steps))
        self.client = fp.wrap(self.made())
        self.messages: list[Any] = self.begin()
        self.tools: list[Any] = openai_tools(strict)
        self.results: dict[str, Any] = {}

    def made(self) -> Any:
        """The client."""
        raise NotImplementedError

    def begin(self) -> list[Any]:
        """The first messages."""
        raise NotImplementedError

    def answer(self, step: Sequence[Asked] | str) -> Any:
        """One answer of the model, as the provider writes it."""
        raise NotImplementedError

    def call(self) -> list[Any]:
        """Calls the model; the tool calls that it asks for."""
        raise NotImplementedError

    def put(self, results: list[tuple[Any, Any]]) -> None:
        """Puts results behind the messages."""
        raise NotImplementedError

    def sent(self, number: int) -> Any:
        """A request that left, 1-based, as JSON."""
        return json.loads(self.server.bodies[number - 1])

    def run(self, turn: Any, fn: Callable[..., Any] | None = None) -> None:
        """Until an answer asks for nothing."""
        while asked := self.call():
            results = []
            for call in asked:
                result = turn.tool(call) if fn is None else turn.tool(call, fn)
                results.append((call, result))
                self.results[call.id] = result
            self.put(results)


def openai_tools(strict: bool = False) -> list[Any]:
    """The tools as OpenAI takes them."""
    made = []
    for name, schema in (("hosts", HOSTS), ("lookup", LOOKUP)):
        function: dict[str, Any] = {"name": name, "parameters": schema}
        if strict:
            function |= {
                "strict": True,
                "parameters": {
                    **schema,
                    "required": list(schema["properties"]),
                    "additionalProperties": False,
                },
            }
        made.append({"type": "function", "function": function})
    return made


def openai_answer(step: Sequence[Asked] | str) -> Any:
    """A chat completion."""
    if isinstance(step, str):
        return chat(step)
    calls = [
        {
            "id": asked.id,
            "type": "function",
            "function": {
                "name": asked.name,
                "arguments": asked.arguments
                if isinstance(asked.arguments, str)
                else json.dumps(asked.arguments),
            },
        }
        for asked in step
    ]
    return chat(None, calls)


class OpenAILoop(Loop):
    """OpenAI chat completions."""

    def made(self) -> Any:
        return client("openai", "OpenAI", self.server)

    def begin(self) -> list[Any]:
        return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": WORDS}]

    def answer(self, step: Sequence[Asked] | str) -> Any:
        return openai_answer(step)

    def call(self) -> list[Any]:
        made = self.client.chat.completions.create(
            model="gpt-4o-mini", messages=self.messages, tools=self.tools
        )
        said = made.choices[0].message
        self.messages.append(said)
        return list(said.tool_calls or [])

    def put(self, results: list[tuple[Any, Any]]) -> None:
        for call, result in results:
            text = result if isinstance(result, str) else json.dumps(result)
            self.messages.append({"role": "tool", "tool_call_id": call.id, "content": text})

    def schema(self, number: int, tool: str) -> Any:
        """The schema of a tool as it left."""
        (found,) = [t for t in self.sent(number)["tools"] if t["function"]["name"] == tool]
        return found["function"]["parameters"]

    def result(self, number: int, call_id: str) -> str:
        """A tool's result as it left."""
        (found,) = [m for m in self.sent(number)["messages"] if m.get("tool_call_id") == call_id]
        return str(found["content"])


class AnthropicLoop(Loop):
    """Anthropic messages."""

    def made(self) -> Any:
        return client("anthropic", "Anthropic", self.server)

    def begin(self) -> list[Any]:
        return [{"role": "user", "content": WORDS}]

    def answer(self, step: Sequence[Asked] | str) -> Any:
        if isinstance(step, str):
            return message(step)
        blocks = [
            {"type": "tool_use", "id": asked.id, "name": asked.name, "input": asked.arguments}
            for asked in step
        ]
        return message(content=blocks, stop_reason="tool_use")

    def call(self) -> list[Any]:
        made = self.client.messages.create(
            model="claude-test-1",
            max_tokens=100,
            system=SYSTEM,
            messages=self.messages,
            tools=[
                {"name": "hosts", "input_schema": HOSTS},
                {"name": "lookup", "input_schema": LOOKUP},
            ],
        )
        self.messages.append({"role": "assistant", "content": made.content})
        return [block for block in made.content if block.type == "tool_use"]

    def put(self, results: list[tuple[Any, Any]]) -> None:
        self.messages.append(
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": call.id,
                        "content": result if isinstance(result, str) else json.dumps(result),
                    }
                    for call, result in results
                ],
            }
        )

    def schema(self, number: int, tool: str) -> Any:
        """The schema of a tool as it left."""
        (found,) = [t for t in self.sent(number)["tools"] if t["name"] == tool]
        return found["input_schema"]

    def result(self, number: int, call_id: str) -> str:
        """A tool's result as it left."""
        for sent in self.sent(number)["messages"]:
            for block in sent["content"] if isinstance(sent["content"], list) else ():
                if block.get("tool_use_id") == call_id:
                    return str(block["content"])
        raise LookupError(call_id)


class Written(NamedTuple):
    """What was exported of one tool call's arguments."""

    span: Any
    rows: dict[str, ArgumentRow]
    asked: dict[str, ArgumentRow]


def hints(recording: Recording) -> list[tuple[str, Any, Any]]:
    """Every row of an argument, on whatever span: argument, verdict, coincides."""
    rows = [
        row_of(dict(e.attributes or {}))
        for s in recording.spans
        for e in s.events
        if e.name == names.EVENT_ARGUMENT
    ]
    return [(row.argument, row.verdict, row.coincides) for row in rows]


def written(recording: Recording, call_id: str) -> Written:
    """The tool call's span, its rows and what was asked."""
    (span,) = [
        s
        for s in recording.named(names.SPAN_TOOL)
        if (s.attributes or {}).get(names.TOOL_CALL_ID) == call_id
    ]
    rows: dict[str, dict[str, ArgumentRow]] = {
        names.EVENT_ARGUMENT: {},
        names.EVENT_ARGUMENT_ASKED: {},
    }
    for event in span.events:
        if event.name in rows:
            row = row_of(dict(event.attributes or {}))
            rows[event.name][row.argument] = row
    return Written(span, rows[names.EVENT_ARGUMENT], rows[names.EVENT_ARGUMENT_ASKED])
