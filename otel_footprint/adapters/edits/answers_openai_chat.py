"""A text under an answer of chat completions: behind `content`, or in one more chunk."""

from __future__ import annotations

import re
from typing import Any, Final

from .answers_stream import AnswerStream, Event

_FINISHES: Final = re.compile(rb'"finish_reason"\s*:\s*"')
_KEPT: Final = ("index", "delta", "logprobs", "finish_reason")
_LEFT: Final = ("choices", "obfuscation")


def put(body: dict[str, Any], text: str) -> dict[str, Any] | None:
    """The completion with the text behind the content of its only choice; None without one."""
    choices = body.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        return None
    message = choices[0].get("message")
    if not isinstance(message, dict):
        return None
    content = _behind(message.get("content"), text)
    if content is None:
        return None
    return {**body, "choices": [{**choices[0], "message": {**message, "content": content}}]}


def _behind(content: Any, text: str) -> Any:
    if content is None or isinstance(content, str):
        return (content or "") + text
    if not isinstance(content, list):
        return None
    last = content[-1] if content else None
    if isinstance(last, dict) and last.get("type") == "text" and isinstance(last.get("text"), str):
        return [*content[:-1], {**last, "text": last["text"] + text}]
    return [*content, {"type": "text", "text": text}]


class Stream(AnswerStream):
    """The text goes before the chunk that says why the answer ended."""

    _asked = False

    def feed(self, event: Event) -> list[Event]:
        """See `AnswerStream`."""
        if self._asked or not _FINISHES.search(event.raw):
            return [event]
        chunk = event.value
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and len(choices) == 1 else None
        delta = choice.get("delta") if isinstance(choice, dict) else None
        content = delta.get("content") if isinstance(delta, dict) else None
        if not isinstance(choice, dict) or not isinstance(delta, dict):
            return [event]
        if not isinstance(content, str | None):
            return [event]
        self._asked = True
        text = self.ask()
        if not text:
            return [event]
        if content:
            last = {**choice, "delta": {**delta, "content": content + text}}
            return [event.changed({**chunk, "choices": [last]})]
        more = {k: choice[k] for k in _KEPT if k in choice}
        more |= {"delta": {**delta, "content": text}, "finish_reason": None}
        if "logprobs" in more:
            more["logprobs"] = None
        head = {k: None if k == "usage" else v for k, v in chunk.items() if k not in _LEFT}
        return [event.changed({**head, "choices": [more]}), event]
