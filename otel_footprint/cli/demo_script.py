"""What happens in the demo: an order that was returned, two tools, and one stale policy page.

The policy page about opened headphones is wrong (it was replaced a year ago, as the newer page
says), and the answer repeats it. Everything is invented; nothing is asked of a network.
"""

from __future__ import annotations

import json
from typing import Any, Final

QUESTION: Final = (
    "I sent back the headphones from order A-1041 on 14 May. How much do I get back, and when?"
)
SYSTEM: Final = (
    "You are the support agent of a shop for audio equipment. Look up the order and the policy "
    "before you answer. Name the amount and the day. Never promise what no policy says.",
    "Today is 16 May. Amounts are in euro. Customers in the EU may withdraw within 14 days.",
)
TOOLS: Final[list[dict[str, Any]]] = [
    {
        "type": "function",
        "function": {
            "name": "get_order",
            "description": "Reads an order: items, prices, payment and returns.",
            "parameters": {
                "type": "object",
                "properties": {
                    "order_id": {"type": "string", "description": "For example A-1041."},
                    "section": {"type": "string", "enum": ["items", "payment", "returns"]},
                },
                "required": ["order_id", "section"],
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "search_policy",
            "description": "Searches the shop's policy pages and gives back the best one.",
            "parameters": {
                "type": "object",
                "properties": {"query": {"type": "string"}},
                "required": ["query"],
            },
        },
    },
]
ORDERS: Final = {
    "items": '{"order":"A-1041","items":[{"sku":"HP-220","name":"Headphones Aria 220",'
    '"price":129.00,"quantity":1}],"shipping":4.90,"total":133.90,"ordered":"2 May",'
    '"delivered":"6 May"}',
    "returns": '{"order":"A-1041","return":"R-77","received":"15 May","state":"opened, complete",'
    '"reason":"withdrawal"}',
    "payment": '{"order":"A-1041","method":"card ending 4242","paid":133.90,"captured":"2 May"}',
}
POLICIES: Final = {
    "withdrawal": "Withdrawal. You may send goods back within 14 days of delivery without giving "
    "a reason. We refund the price and the standard shipping.",
    "opened headphones fee": "Opened headphones (page of March last year). Headphones that were "
    "opened are taken back less a restocking fee of 15 % of their price, for hygiene.",
    "refund time": "Refunds. We pay a refund within 5 working days after the goods arrived, to "
    "the means of payment that was used.",
}
ACTIONS: Final[list[tuple[str, str, dict[str, str]]]] = [
    ("Let me read the order first.", "get_order", {"order_id": "A-1041", "section": "items"}),
    ("Has the parcel arrived?", "get_order", {"order_id": "A-1041", "section": "returns"}),
    ("Which rule applies?", "search_policy", {"query": "withdrawal"}),
    ("They were opened.", "search_policy", {"query": "opened headphones fee"}),
    ("When is it paid?", "search_policy", {"query": "refund time"}),
    ("How was it paid?", "get_order", {"order_id": "A-1041", "section": "payment"}),
]
ANSWER: Final = (
    "You get 114.55 euro back: 129.00 less a restocking fee of 19.35 (15 %, because the "
    "headphones were opened), plus 4.90 shipping. We pay it by 22 May to your card ending 4242."
)


def reply(step: int) -> dict[str, Any]:
    """The model's answer to request `step` (from 0), as the API would send it."""
    message: dict[str, Any] = {"role": "assistant", "content": ANSWER, "refusal": None}
    finish = "stop"
    if step < len(ACTIONS):
        text, name, arguments = ACTIONS[step]
        finish = "tool_calls"
        message = {
            "role": "assistant",
            "content": text,
            "refusal": None,
            "tool_calls": [
                {
                    "id": f"call_{step + 1}",
                    "type": "function",
                    "function": {"name": name, "arguments": json.dumps(arguments)},
                }
            ],
        }
    used = 330 + 85 * step
    return {
        "id": f"chatcmpl-demo-{step + 1}",
        "object": "chat.completion",
        "created": 1_747_353_600,
        "model": "gpt-4o-mini-2024-07-18",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {
            "prompt_tokens": used,
            "completion_tokens": 40,
            "total_tokens": used + 40,
            "prompt_tokens_details": {"cached_tokens": 256 if step else 0},
        },
    }
