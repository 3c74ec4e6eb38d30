"""A text under an answer of Anthropic Messages: in its last text block, or in one of its own."""

from __future__ import annotations

from typing import Any, Final

from .answers_stream import AnswerStream, Event, made

_MARKS: Final = (b"content_block_start", b"content_block_stop", b"message_delta")


def put(body: dict[str, Any], text: str) -> dict[str, Any] | None:
    """The message with the text behind its last block, when that is one of text.

    Else in a block of its own; None when there is no list of blocks.
    """
    content = body.get("content")
    if not isinstance(content, list):
        return None
    last = content[-1] if content else None
    if isinstance(last, dict) and last.get("type") == "text" and isinstance(last.get("text"), str):
        return {**body, "content": [*content[:-1], {**last, "text": last["text"] + text}]}
    return {**body, "content": [*content, {"type": "text", "text": text}]}


class Stream(AnswerStream):
    """The end of a text block waits for what follows it: the text goes before that end."""

    _asked = False
    _kind = ""
    _next = 0

    def feed(self, event: Event) -> list[Event]:
        """See `AnswerStream`."""
        if not any(mark in event.raw for mark in _MARKS):
            return self.passed(event)
        value = event.value
        kind = value.get("type")
        if kind == "content_block_start":
            block = value.get("content_block")
            self._kind = block.get("type", "") if isinstance(block, dict) else ""
            index = value.get("index")
            self._next = (index if type(index) is int else self._next) + 1
        elif kind == "content_block_stop" and self._kind == "text":
            self.held.append(event)
            return []
        elif kind == "message_delta" and not self._asked and _reason(value):
            self._asked = True
            return self._ended(event)
        return self.release(event)

    def _ended(self, event: Event) -> list[Event]:
        text = self.ask()
        if not text:
            return self.release(event)
        own = not self.held
        index = self._next if own else self._next - 1
        delta = {"type": "text_delta", "text": text}
        more = [_made({"type": "content_block_delta", "index": index, "delta": delta})]
        if own:
            block = {"type": "text", "text": ""}
            more.insert(
                0, _made({"type": "content_block_start", "index": index, "content_block": block})
            )
            more.append(_made({"type": "content_block_stop", "index": index}))
        return [*more, *self.release(event)]


def _reason(value: dict[str, Any]) -> bool:
    delta = value.get("delta")
    return isinstance(delta, dict) and isinstance(delta.get("stop_reason"), str)


def _made(value: dict[str, Any]) -> Event:
    return made(value, str(value["type"]))
