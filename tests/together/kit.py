"""One loop with context, sources of arguments and programs at once, and the loop without us."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import otel_footprint as footprint
from otel_footprint.arguments import RESERVED
from tests.sdk import Recording, Server, chat, chat_sse, client, message

WORDS = "Refund order 7 for key sk-proj-Zx9Qw3Er5Ty7Ui1Op4As6Df8Gh2Jk0L."
SECRET = "sk-proj-Zx9Qw3Er5Ty7Ui1Op4As6Df8Gh2Jk0L"
CODE = f"key = '{SECRET}'\nprint(41 + 1)\n"
DONE = "Order 7 was paid back."
GOT = [("lookup", "7"), ("lookup", "8"), ("run_code", CODE)]
"""What the tools get."""


def options() -> dict[str, Any]:
    """Everything declared."""
    return {
        "context": [
            footprint.fact("shop", f"We are in Ghent, {SECRET}."),
            footprint.steering("calm", "Stay calm."),
            footprint.instruction("n", template="Call {{action}}."),
            footprint.skill(
                "refund",
                "Refunds an order.",
                "Look the order up, then run.",
                tools=["lookup", "run_code"],
                steps=[footprint.Step("lookup", "find it"), footprint.Step("run_code", "pay")],
            ),
        ],
        "arguments": footprint.Arguments(),
        "scripts": footprint.Scripts(tools={"run_code": ("code", "python")}),
        "dispatch": True,
    }


def asked() -> list[list[tuple[str, str, dict[str, Any]]]]:
    """What the model asks for, action by action."""
    said = {RESERVED: {"from": [{"argument": "order", "source": "user", "quote": WORDS[:14]}]}}
    return [
        [("c0", "read_skill", {"skill": "refund"})],
        [("c1", "lookup", {"order": "7", **said}), ("c2", "lookup", {"order": "8"})],
        [("c3", "run_code", {"code": CODE})],
    ]


TOOLS = {"lookup": {"order": {"type": "string"}}, "run_code": {"code": {"type": "string"}}}


class Together:
    """The loop; `bare` without us."""

    def __init__(
        self, package: str, asynchronous: bool = False, stream: bool = False, raw: bool = False,
        content: str = "full", bare: bool = False, retry: bool = False, **more: Any,
    ) -> None:  # fmt: skip
        self.package, self.asynchronous, self.stream, self.raw = package, asynchronous, stream, raw
        self.recording = Recording()
        self.footprint = footprint.Footprint(
            "agent", content=content, **{**options(), **more}, **self.recording.providers
        )
        steps = asked()[1:] if bare else asked()
        answers: list[Any] = [self._answer(step) for step in steps]
        answers.append(self._done())
        if retry:
            answers.insert(0, (429, {"error": {"message": "slow"}}))
        self.server = Server(*answers)
        cls = {"openai": "OpenAI", "anthropic": "Anthropic"}[package]
        self.client = client(
            package, f"Async{cls}" if asynchronous else cls, self.server,
            max_retries=1 if retry else 0,
        )  # fmt: skip
        self.bare = bare
        self.got: list[Any] = []
        if not bare:
            self.footprint.wrap(self.client)
        made: dict[str, Callable[..., Any]] = {}
        if asynchronous:

            async def lookup(order: str) -> str:
                self.got.append(("lookup", order))
                await asyncio.sleep(0)
                return f"order {order} found"

            async def run_code(code: str) -> str:
                self.got.append(("run_code", code))
                return "42"

            made = {"lookup": lookup, "run_code": run_code}
        else:

            def lookup_(order: str) -> str:
                self.got.append(("lookup", order))
                return f"order {order} found"

            def run_code_(code: str) -> str:
                self.got.append(("run_code", code))
                return "42"

            made = {"lookup": lookup_, "run_code": run_code_}
        self.functions = made
        if not bare:
            self.functions = {n: self.footprint.tool(f, name=n) for n, f in made.items()}
        self.messages: list[Any] = [{"role": "user", "content": WORDS}]
        if package == "openai":
            self.messages.insert(0, {"role": "system", "content": "Be brief."})

    # --- what the provider says --------------------------------------------------------------

    def _answer(self, step: Any) -> Any:
        if self.package == "anthropic":
            blocks = [{"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a in step]
            return message(content=blocks, stop_reason="tool_use")
        calls = [
            {"id": i, "type": "function", "function": {"name": n, "arguments": json.dumps(a)}}
            for i, n, a in step
        ]
        return chat(None, calls)

    def _done(self) -> Any:
        if self.package == "openai":
            return chat_sse(DONE[:5], DONE[5:]) if self.stream else chat(DONE)
        return message(DONE)

    # --- what is asked -----------------------------------------------------------------------

    def _request(self) -> dict[str, Any]:
        tools: list[Any] = []
        for name, properties in TOOLS.items():
            schema = {"type": "object", "properties": properties, "required": list(properties)}
            if self.package == "openai":
                function = {"name": name, "description": name, "parameters": schema}
                tools.append({"type": "function", "function": function})
            else:
                tools.append({"name": name, "description": name, "input_schema": schema})
        if self.package == "openai":
            out = {"model": "gpt-4o-mini", "messages": self.messages, "tools": tools}
            if self.stream and len(self.server.bodies) >= len(self.server.answers) - 1:
                out["stream"] = True
            return out
        return {
            "model": "claude-test-1", "max_tokens": 10, "system": "Be brief.",
            "messages": self.messages, "tools": tools,
        }  # fmt: skip

    def _create(self) -> Any:
        made = self.client.chat.completions if self.package == "openai" else self.client.messages
        return (made.with_raw_response if self.raw else made).create

    def _asked(self, answer: Any) -> list[Any]:
        """Takes an answer in; what it asks for."""
        if self.package == "openai":
            said = answer.choices[0].message
            self.messages.append(said.model_dump(exclude_none=True))
            self.text = said.content
            return list(said.tool_calls or [])
        blocks = [b.to_dict() for b in answer.content]
        self.messages.append({"role": "assistant", "content": blocks})
        self.text = "".join(b["text"] for b in blocks if b["type"] == "text")
        return [b for b in answer.content if b.type == "tool_use"]

    def _results(self, calls: list[Any], results: list[Any]) -> None:
        if self.package == "openai":
            self.messages += [
                {"role": "tool", "tool_call_id": c.id, "content": r}
                for c, r in zip(calls, results, strict=True)
            ]
            return
        content = [
            {"type": "tool_result", "tool_use_id": c.id, "content": r}
            for c, r in zip(calls, results, strict=True)
        ]
        self.messages.append({"role": "user", "content": content})

    def _tool(self, turn: Any, call: Any) -> Any:
        if turn is not None:
            return turn.tool(call)
        given = json.loads(call.function.arguments) if self.package == "openai" else call.input
        name = call.function.name if self.package == "openai" else call.name
        return self.functions[name](**{k: v for k, v in given.items() if k != RESERVED})

    # --- the loop ----------------------------------------------------------------------------

    def run(self) -> str:
        """A turn; the text of its answer."""
        if self.asynchronous:
            return asyncio.run(self._run_async())
        if self.bare:
            return self._loop(None)
        with self.footprint.turn(WORDS) as turn:
            return self._loop(turn)

    def _loop(self, turn: Any) -> str:
        while True:
            answer = self._create()(**self._request())
            if self.raw:
                answer = answer.parse()
            if not hasattr(answer, "choices") and not hasattr(answer, "content"):
                chunks = list(answer)
                return "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
            calls = self._asked(answer)
            if not calls:
                return str(self.text)
            self._results(calls, [self._tool(turn, call) for call in calls])

    async def _run_async(self) -> str:
        if self.bare:
            return await self._loop_async(None)
        async with self.footprint.turn(WORDS) as turn:
            return await self._loop_async(turn)

    async def _loop_async(self, turn: Any) -> str:
        while True:
            answer = await self._create()(**self._request())
            if self.raw:
                answer = await _awaited(answer.parse())
            if not hasattr(answer, "choices") and not hasattr(answer, "content"):
                chunks = [c async for c in answer]
                return "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
            calls = self._asked(answer)
            if not calls:
                return str(self.text)
            made = [self._tool(turn, call) for call in calls]
            results = await asyncio.gather(*(_awaited(m) for m in made))
            self._results(calls, results)


async def _awaited(made: Any) -> Any:
    return await made if asyncio.iscoroutine(made) or hasattr(made, "__await__") else made
