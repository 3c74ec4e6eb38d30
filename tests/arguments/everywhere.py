"""One loop over every way in which tool calls reach us: what the tools got, what was recorded.

Each way takes the same tools (name to schema), the same history and the same answers of the model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import otel_footprint as footprint
from otel_footprint.records.arguments import ArgumentRow
from otel_footprint.telemetry import names
from otel_footprint.trail.argument_rows import row_of
from tests.sdk import Recording, Server, client, message

from .loops import Asked, openai_answer

Step = Sequence[Asked] | str
Said = Sequence[tuple[str, str]]


class Ran(NamedTuple):
    """What a run left."""

    got: list[tuple[str, dict[str, Any]]]
    """Every call of a tool, with its arguments."""
    calls: list[tuple[str, dict[str, ArgumentRow], int]]
    """Of each tool call its id, its rows, and how many entries were dropped."""
    served: list[Any]
    """The tools of each request, as JSON."""


class Way:
    """A way; `results` are those of tools, by name."""

    name = ""
    texts = True
    """The model's arguments are text, in which any number may stand."""

    def run(
        self, tools: Mapping[str, Any], said: Said, steps: Sequence[Step],
        results: Mapping[str, str], rules: Mapping[str, Any] | None = None,
    ) -> Ran:  # fmt: skip
        """Runs until the last answer, which is text."""
        recording, got = Recording(), []  # type: ignore[var-annotated]
        fp = footprint.Footprint(
            "shop",
            content="full",
            arguments=footprint.Arguments(tools=rules or {}),
            **recording.providers,
        )

        def tool(name: str) -> Any:
            def called(**arguments: Any) -> str:
                got.append((name, arguments))
                return results.get(name, "done")

            called.__name__ = name
            return called

        served = self.loop(fp, {n: (s, tool(n)) for n, s in tools.items()}, said, steps)
        calls = [_written(s) for s in recording.named(names.SPAN_TOOL)]
        recording.tracer_provider.shutdown()
        recording.meter_provider.shutdown()
        return Ran(got, calls, served)

    def loop(self, fp: Any, tools: Any, said: Said, steps: Sequence[Step]) -> list[Any]:
        """Runs the agent; gives the tools of each request."""
        raise NotImplementedError

    def takes(self, tool: str) -> bool:
        """Whether such a tool can be given to it."""
        return True

    def served(self, tools: Any, name: str) -> Any:
        """A tool among those of a request."""
        (found,) = [t for t in tools if (t.get("function") or t)["name"] == name]
        return found

    def schema(self, tool: Any) -> Any:
        """The schema of a tool of a request."""
        inner = tool.get("function") or tool
        return inner.get("parameters", inner.get("input_schema"))


def _written(span: Any) -> tuple[str, dict[str, ArgumentRow], int]:
    rows = {}
    for event in span.events:
        if event.name == names.EVENT_ARGUMENT:
            row = row_of(dict(event.attributes or {}))
            rows[row.argument] = row
    a = span.attributes
    return str(a.get(names.TOOL_CALL_ID, "")), rows, int(a.get(names.ARGUMENT_MALFORMED, 0))


class Client(Way):
    """A hand-written loop over an SDK's client."""

    package, cls = "openai", "OpenAI"

    def loop(self, fp: Any, tools: Any, said: Said, steps: Sequence[Step]) -> list[Any]:
        for name, (_, fn) in tools.items():
            fp.tool(fn, name=name)
        server = Server(*(self.answer(step) for step in steps))
        ai = fp.wrap(client(self.package, self.cls, server))
        history = self.begin(said)
        offered = [self.tool(name, schema) for name, (schema, _) in tools.items()]
        with fp.turn() as turn:
            while asked := self.ask(ai, history, offered):
                self.put(history, [(call, turn.tool(call)) for call in asked])
        return [json.loads(body)["tools"] for body in server.bodies]

    def answer(self, step: Step) -> Any:
        """The model's answer as the server gives it."""
        raise NotImplementedError

    def begin(self, said: Said) -> list[Any]:
        """The history."""
        return [{"role": role, "content": text} for role, text in said]

    def tool(self, name: str, schema: Any) -> Any:
        """A tool as it is offered."""
        raise NotImplementedError

    def ask(self, ai: Any, history: list[Any], tools: list[Any]) -> list[Any]:
        """Calls the model; the tool calls it asks for, and its answer in the history."""
        raise NotImplementedError

    def put(self, history: list[Any], results: list[tuple[Any, Any]]) -> None:
        """Puts results into the history."""
        raise NotImplementedError


def sse(events: Sequence[dict[str, Any]], named: bool) -> str:
    """Events of a stream."""
    return "".join(
        (f"event: {e['type']}\n" if named else "") + f"data: {json.dumps(e)}\n\n" for e in events
    )


def pieces(text: str, size: int = 17) -> Iterator[str]:
    """A text in pieces."""
    yield from (text[at : at + size] for at in range(0, len(text), size))


class Chat(Client):
    """OpenAI chat completions."""

    name = "chat"

    def answer(self, step: Step) -> Any:
        return openai_answer(step)

    def tool(self, name: str, schema: Any) -> Any:
        strict = {"strict": True} if isinstance(schema, Strict) else {}
        made = {"name": name, **strict, **({} if schema is None else {"parameters": schema})}
        return {"type": "function", "function": made}

    def ask(self, ai: Any, history: list[Any], tools: list[Any]) -> list[Any]:
        made = ai.chat.completions.create(model="m", messages=history, tools=tools)
        history.append(made.choices[0].message)
        return list(made.choices[0].message.tool_calls or [])

    def put(self, history: list[Any], results: list[tuple[Any, Any]]) -> None:
        for call, result in results:
            id_ = call["id"] if isinstance(call, dict) else call.id
            history.append({"role": "tool", "tool_call_id": id_, "content": result})


class ChatStream(Chat):
    """The same, streamed."""

    name = "chat stream"

    def answer(self, step: Step) -> Any:
        made = openai_answer(step)["choices"][0]
        base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        deltas: list[dict[str, Any]] = [
            {"role": "assistant", "content": made["message"]["content"]}
        ]
        for at, call in enumerate(made["message"].get("tool_calls", ())):
            function = {**call["function"], "arguments": ""}
            deltas.append({"tool_calls": [{**call, "index": at, "function": function}]})
            for part in pieces(call["function"]["arguments"]):
                deltas.append({"tool_calls": [{"index": at, "function": {"arguments": part}}]})
        choices = [{"index": 0, "delta": d, "finish_reason": None} for d in deltas]
        choices.append({"index": 0, "delta": {}, "finish_reason": made["finish_reason"]})
        return sse([{**base, "choices": [c]} for c in choices], False) + "data: [DONE]\n\n"

    def ask(self, ai: Any, history: list[Any], tools: list[Any]) -> list[Any]:
        calls: list[dict[str, Any]] = []
        stream = ai.chat.completions.create(model="m", messages=history, tools=tools, stream=True)
        for chunk in stream:
            for part in chunk.choices[0].delta.tool_calls or ():
                if part.id is not None:
                    function = {"name": part.function.name, "arguments": ""}
                    calls.append({"id": part.id, "type": "function", "function": function})
                calls[part.index]["function"]["arguments"] += part.function.arguments or ""
        history.append({"role": "assistant", "content": None, "tool_calls": calls})
        return calls


class Responses(Client):
    """OpenAI Responses."""

    name = "responses"

    def answer(self, step: Step) -> Any:
        if isinstance(step, str):
            text = {"type": "output_text", "text": step, "annotations": []}
            output: list[Any] = [
                {"type": "message", "id": "m_1", "role": "assistant", "status": "completed",
                 "content": [text]}
            ]  # fmt: skip
        else:
            output = [
                {"type": "function_call", "id": f"fc_{at}", "call_id": a.id, "name": a.name,
                 "arguments": a.arguments if isinstance(a.arguments, str)
                 else json.dumps(a.arguments), "status": "completed"}
                for at, a in enumerate(step)
            ]  # fmt: skip
        return {
            "id": "resp_1", "object": "response", "created_at": 1, "model": "m",
            "status": "completed", "output": output, "parallel_tool_calls": True,
            "tool_choice": "auto", "tools": [],
        }  # fmt: skip

    def tool(self, name: str, schema: Any) -> Any:
        strict = isinstance(schema, Strict)
        made = {"type": "function", "name": name, "strict": strict}
        return made if schema is None else {**made, "parameters": schema}

    def ask(self, ai: Any, history: list[Any], tools: list[Any]) -> list[Any]:
        made = ai.responses.create(model="m", input=history, tools=tools)
        history += made.output
        return [item for item in made.output if item.type == "function_call"]

    def put(self, history: list[Any], results: list[tuple[Any, Any]]) -> None:
        for call, result in results:
            history.append(
                {"type": "function_call_output", "call_id": call.call_id, "output": result}
            )


class ResponsesStream(Responses):
    """The same, streamed."""

    name = "responses stream"

    def answer(self, step: Step) -> Any:
        whole = super().answer(step)
        begun = {**whole, "output": [], "status": "in_progress"}
        events: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
        for at, item in enumerate(whole["output"]):
            where = {"output_index": at, "item_id": item["id"]}
            added = {**item, "arguments": ""} if "arguments" in item else {**item, "content": []}
            events.append({"type": "response.output_item.added", "output_index": at, "item": added})
            for part in pieces(item.get("arguments", "")):
                kind = "response.function_call_arguments.delta"
                events.append({"type": kind, **where, "delta": part})
            events.append({"type": "response.output_item.done", "output_index": at, "item": item})
        events.append({"type": "response.completed", "response": whole})
        return sse([{**e, "sequence_number": n} for n, e in enumerate(events)], True)

    def ask(self, ai: Any, history: list[Any], tools: list[Any]) -> list[Any]:
        with ai.responses.create(model="m", input=history, tools=tools, stream=True) as stream:
            *_, last = stream
        history += last.response.output
        return [item for item in last.response.output if item.type == "function_call"]


class Anthropic(Client):
    """Anthropic messages."""

    name, texts = "anthropic", False
    package, cls = "anthropic", "Anthropic"

    def answer(self, step: Step) -> Any:
        if isinstance(step, str):
            return message(step)
        blocks = [
            {"type": "tool_use", "id": a.id, "name": a.name, "input": a.arguments} for a in step
        ]
        return message(content=blocks, stop_reason="tool_use")

    def tool(self, name: str, schema: Any) -> Any:
        strict = {"strict": True} if isinstance(schema, Strict) else {}
        made = {"name": name, **strict}
        return made if schema is None else {**made, "input_schema": schema}

    def ask(self, ai: Any, history: list[Any], tools: list[Any]) -> list[Any]:
        made = ai.messages.create(model="m", max_tokens=9, messages=history, tools=tools)
        history.append({"role": "assistant", "content": made.content})
        return [block for block in made.content if block.type == "tool_use"]

    def put(self, history: list[Any], results: list[tuple[Any, Any]]) -> None:
        blocks = [
            {"type": "tool_result", "tool_use_id": call.id, "content": result}
            for call, result in results
        ]
        history.append({"role": "user", "content": blocks})


class AnthropicStream(Anthropic):
    """The same, streamed."""

    name = "anthropic stream"

    def answer(self, step: Step) -> Any:
        whole = super().answer(step)
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
        ]
        for at, block in enumerate(whole["content"]):
            is_text = block["type"] == "text"
            text = block["text"] if is_text else json.dumps(block["input"])
            start = {**block, "text": ""} if is_text else {**block, "input": {}}
            events.append({"type": "content_block_start", "index": at, "content_block": start})
            for part in pieces(text):
                delta = (
                    {"type": "text_delta", "text": part}
                    if is_text
                    else {"type": "input_json_delta", "partial_json": part}
                )
                events.append({"type": "content_block_delta", "index": at, "delta": delta})
            events.append({"type": "content_block_stop", "index": at})
        end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        events.append({"type": "message_delta", "delta": end, "usage": {"output_tokens": 5}})
        return sse([*events, {"type": "message_stop"}], True)

    def ask(self, ai: Any, history: list[Any], tools: list[Any]) -> list[Any]:
        with ai.messages.stream(model="m", max_tokens=9, messages=history, tools=tools) as stream:
            made = stream.get_final_message()
        history.append({"role": "assistant", "content": made.content})
        return [block for block in made.content if block.type == "tool_use"]


class Strict(dict[str, Any]):
    """A schema in strict mode."""


WAYS = (Chat(), ChatStream(), Responses(), ResponsesStream(), Anthropic(), AnthropicStream())
