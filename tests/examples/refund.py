"""A refund procedure: the model reads a skill, and its steps are offered one after the other.

    python -m tests.examples.refund

Runs offline: a real OpenAI client over a local transport, whose answers are scripted.
"""

from __future__ import annotations

import json
from typing import Any

import otel_footprint as footprint
from tests.injecting.kit import call, calls, tool
from tests.sdk import Recording, Server, chat, client

REFUND = footprint.skill(
    "refund",
    "Pays an order back.",
    "Look the order up first. Pay back to the card that was charged, never to another.",
    tools=["get_order", "pay_back", "write_mail"],
    steps=[
        footprint.Step("get_order", "find what was charged"),
        footprint.Step("pay_back", "pay it back"),
        footprint.Step("write_mail", "tell the customer"),
    ],
)

SCRIPT = [
    calls(call("c1", "read_skill", skill="refund")),
    calls(call("c2", "get_order", order="A-7")),
    calls(call("c3", "pay_back", order="A-7"), call("c4", "skip_step", reason="told by phone")),
    chat("I have paid 129.00 back to your card."),
]


def main() -> tuple[list[dict[str, Any]], Recording]:
    """Runs the turn; returns the requests that left and the spans that were made."""
    recording, server = Recording(), Server(*SCRIPT)
    fp = footprint.Footprint("support", context=[REFUND], **recording.providers)
    openai = fp.wrap(client("openai", "OpenAI", server))
    functions = {
        "get_order": lambda order: f"{order}: 129.00, charged to a card",
        "pay_back": lambda order: f"{order}: 129.00 paid back",
        "write_mail": lambda order: "sent",
    }
    tools = [tool(name, order={"type": "string"}) for name in functions]
    messages: list[Any] = [{"role": "user", "content": "I was charged twice for A-7."}]

    with fp.turn("I was charged twice for A-7.", dispatch=True) as turn:
        while True:
            answer = openai.chat.completions.create(
                model="gpt-4o-mini", messages=messages, tools=tools
            )
            said = answer.choices[0].message
            messages.append(said.model_dump(exclude_none=True))
            if not said.tool_calls:
                break
            for asked in said.tool_calls:
                result = turn.tool(asked, functions.get(asked.function.name))
                messages.append({"role": "tool", "tool_call_id": asked.id, "content": result})
    return [json.loads(body) for body in server.bodies], recording


if __name__ == "__main__":
    requests, recording = main()
    for number, request in enumerate(requests, 1):
        print(f"call {number} is offered")
        for offered in request["tools"]:
            print("   ", offered["function"]["name"], "-", offered["function"]["description"][:70])
    for span in recording.spans:
        for event in span.events:
            if event.name.startswith("footprint.step"):
                print(event.name, dict(event.attributes or {}))
