"""Writes the golden trail of the format in force: `python -m tests.golden.make FILE`.

A file that a release wrote is never written again: every reader reads all older formats.
"""

from __future__ import annotations

import sys
from typing import Any

import otel_footprint as footprint
from tests.injecting.kit import call, calls, tool
from tests.sdk import Server, chat, client

CODE = "print(129.00 - 19.35)"


def agent(fp: footprint.Footprint, conversation: str) -> list[bytes]:
    """One turn with injected context, two tools, a program, and a child turn; the bodies sent."""
    server = Server(
        calls(call("c1", "read_skill", skill="refund")),
        calls(call("c2", "get_order", order="A-7")),
        calls(call("c3", "run_code", code=CODE)),
        chat("You get 109.65 back."),
    )
    openai: Any = fp.wrap(client("openai", "OpenAI", server))
    functions = {"get_order": lambda order: "129.00", "run_code": lambda code: "109.65\n"}
    tools = [
        tool("get_order", order={"type": "string"}),
        tool("run_code", code={"type": "string"}),
    ]
    messages: list[Any] = [
        {"role": "system", "content": "You answer questions about orders."},
        {"role": "user", "content": "What do I get back for A-7?"},
    ]
    with fp.turn("What do I get back for A-7?", conversation=conversation, dispatch=True) as turn:
        for _ in range(4):
            answer = openai.chat.completions.create(
                model="gpt-4o-mini", messages=messages, tools=tools
            )
            said = answer.choices[0].message
            messages.append(said.model_dump(exclude_none=True))
            for asked in said.tool_calls or ():
                result = turn.tool(asked, functions.get(asked.function.name))
                messages.append({"role": "tool", "tool_call_id": asked.id, "content": str(result)})
    return server.bodies


def main(file: str) -> None:
    handle = footprint.configure(file=file, service_name="golden")
    fp = footprint.Footprint(
        "support",
        content="full",
        budget=footprint.Budget(system=60),
        context=[
            footprint.fact("shop", "The shop is open from 9 to 17."),
            footprint.skill("refund", "Pays an order back.", "Look the order up first."),
        ],
        arguments=footprint.Arguments(),
        scripts=footprint.Scripts(tools={"run_code": "code"}),
    )
    agent(fp, "golden")
    handle.flush()
    handle.shutdown()


if __name__ == "__main__":
    main(sys.argv[1])
