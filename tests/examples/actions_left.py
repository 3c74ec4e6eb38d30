"""An agent that is told how many actions it has left.

    python -m tests.examples.actions_left

Runs offline: a real OpenAI client over a local transport, whose answers are scripted.
"""

from __future__ import annotations

import json
from typing import Any

import otel_footprint as footprint
from tests.injecting.kit import call, calls, tool
from tests.sdk import Recording, Server, chat, client

CONTEXT = [
    footprint.instruction(
        "left", template="This is call {{action}} of {{actionBudget}}; {{actionsRemaining}} left."
    ),
    footprint.instruction(
        "last",
        "Give your answer now.",
        when=lambda ctx: ctx.actions_remaining == 0,
        description="the budget is spent",
    ),
]
SCRIPT = [
    calls(call("c1", "search", words="refund time")),
    calls(call("c2", "search", words="refund time policy")),
    chat("Within 14 days."),
]


def main(action_budget: int | None = 3) -> tuple[list[dict[str, Any]], Recording]:
    """Runs the turn; returns the requests that left and the spans that were made."""
    recording, server = Recording(), Server(*SCRIPT)
    fp = footprint.Footprint("support", context=CONTEXT, **recording.providers)
    openai = fp.wrap(client("openai", "OpenAI", server))
    messages: list[Any] = [{"role": "user", "content": "When is it paid?"}]
    tools = [tool("search", words={"type": "string"})]

    with fp.turn("When is it paid?", action_budget=action_budget) as turn:
        while True:
            answer = openai.chat.completions.create(
                model="gpt-4o-mini", messages=messages, tools=tools
            )
            said = answer.choices[0].message
            messages.append(said.model_dump(exclude_none=True))
            if not said.tool_calls:
                break
            for asked in said.tool_calls:
                result = turn.tool(asked, lambda words: f"nothing found for {words}")
                messages.append({"role": "tool", "tool_call_id": asked.id, "content": result})
    return [json.loads(body) for body in server.bodies], recording


if __name__ == "__main__":
    for request in main()[0]:
        print([m["content"] for m in request["messages"] if m["role"] == "system"])
