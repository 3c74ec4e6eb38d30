"""What features see of a message: its key tells it from every other one."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from otel_footprint.run.request import message_view
from otel_footprint.slots.entry import identity_source
from otel_footprint.wire import DIALECTS

ANTHROPIC = DIALECTS["anthropic.messages"]


def results(*texts: str) -> dict[str, Any]:
    kind = {"type": "tool_result", "tool_use_id": "c1"}
    return {"role": "user", "content": [{**kind, "content": text} for text in texts]}


def test_a_message_of_several_pieces_is_told_from_those_that_read_like_it() -> None:
    several = results("a", "b")
    items = ANTHROPIC.items("messages", several)
    assert len(items) == 2
    sources = [identity_source(ANTHROPIC.identity(item.value)) for item in items]
    alike = [
        {"role": items[0].role, "content": text}
        for text in (
            "\0".join(sources),
            "".join(sources),
            "\0\1".join(["", *sources]),
            "\1" + "\0\1".join(f"{len(s)} {s}" for s in sources),
        )
    ]
    others = [results("a"), results("b", "a"), results("a", "b", ""), results("a\0b")]
    keys = [message_view(ANTHROPIC, message).key for message in (several, *alike, *others)]
    assert all(one != other for one, other in combinations(keys, 2))
    assert message_view(ANTHROPIC, results("a", "b")).key == keys[0]
