"""Messages events put together into one message."""

from __future__ import annotations

import base64
from typing import Any

from .values import items_of, json_or_text, obj, whole, word


class Blocks:
    """The state of a stream of events, also wrapped as Bedrock's InvokeModel sends them."""

    def __init__(self) -> None:
        self.ended = False
        """True when the event that ends a message came."""
        self._message: dict[str, Any] = {}
        self._usage: dict[str, Any] = {}
        self._reported = False
        self._blocks: list[dict[str, Any]] = []
        self._inputs: dict[int, list[str]] = {}
        self._at: dict[int, int] = {}

    def add(self, event: Any) -> None:
        """Takes the next event."""
        event = unwrapped(event)
        kind = word(event.get("type"))
        if kind == "message_start":
            self._message = dict(obj(event.get("message")))
            self._add_usage(self._message)
            for block in items_of(self._message.get("content")):
                self._start(len(self._blocks), block)
        elif kind == "content_block_start":
            self._start(whole(event.get("index")), event.get("content_block"))
        elif kind == "content_block_delta":
            self._delta(whole(event.get("index")), obj(event.get("delta")))
        elif kind == "message_delta":
            self._message.update(
                {k: v for k, v in obj(event.get("delta")).items() if v is not None}
            )
            self._reported = self._reported or isinstance(event.get("usage"), dict)
            self._add_usage(event)
        elif kind == "message_stop":
            self.ended = True
        elif not kind and event.get("role"):
            self._message = dict(event)

    def message(self) -> dict[str, Any]:
        """The message as far as it came, in the shape of a whole response; empty without any."""
        if not self._message and not self._blocks:
            return {}
        for at, texts in self._inputs.items():
            text = "".join(texts)
            if text:
                self._blocks[at]["input"] = json_or_text(text)
        usage = dict(self._usage)
        if not self._reported:
            usage.pop("output_tokens", None)
        return {**self._message, "content": self._blocks, "usage": usage}

    def _add_usage(self, event: dict[str, Any]) -> None:
        self._usage.update({k: v for k, v in obj(event.get("usage")).items() if v is not None})

    def _start(self, index: int | None, block: Any) -> None:
        if not isinstance(block, dict):
            block = {} if block is None else {"type": "text", "text": str(block)}
        self._at[len(self._blocks) if index is None else index] = len(self._blocks)
        self._blocks.append(dict(block))

    def _delta(self, index: int | None, delta: dict[str, Any]) -> None:
        if index is None:
            index = max(self._at, default=0)
        kind = word(delta.get("type"))
        if index not in self._at:
            self._start(index, {"type": _BLOCK_OF.get(kind, "text")})
        at = self._at[index]
        block = self._blocks[at]
        for key, value in delta.items():
            if key == "type" or value is None:
                continue
            if key == "partial_json" and isinstance(value, str):
                self._inputs.setdefault(at, []).append(value)
            elif key == "citation":
                block["citations"] = [*items_of(block.get("citations")), value]
            elif isinstance(value, str):
                block[key] = word(block.get(key)) + value
            else:
                block[key] = value


_BLOCK_OF = {
    "thinking_delta": "thinking",
    "signature_delta": "thinking",
    "input_json_delta": "tool_use",
    "compaction_delta": "compaction",
}
"""The type of a block whose start was not seen, by its first delta."""


def unwrapped(event: Any) -> dict[str, Any]:
    """The event inside a Bedrock chunk, whose bytes are JSON or still base64."""
    found = obj(event)
    for _ in range(2):
        inner = found.get("bytes", found.get("chunk"))
        if isinstance(inner, str | bytes):
            return obj(json_or_text(_decoded(inner)))
        if not isinstance(inner, dict):
            break
        found = inner
    return found


def _decoded(data: str | bytes) -> str:
    try:
        return base64.b64decode(data).decode("utf-8", "replace")
    except ValueError:
        return ""
