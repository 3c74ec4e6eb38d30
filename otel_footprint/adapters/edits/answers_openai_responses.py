"""A text under an answer of Responses: in its last text part, or in a message of its own."""

from __future__ import annotations

from typing import Any, Final
from uuid import uuid4

from .answers_stream import AnswerStream, Event, made

_DONE: Final = "response.output_text.done"
_WAIT: Final = (_DONE, "response.content_part.done", "response.output_item.done")
_LAST: Final = ("response.completed", "response.incomplete")
_MARKS: Final = (b".done", b".added", b"response.completed", b"response.incomplete")


def put(body: dict[str, Any], text: str, id_: str = "") -> dict[str, Any] | None:
    """The response with the text behind its last item, when that ends with a text.

    Else in a new message, whose id is made up; with an id given always in a new one. None when
    there is no list of items.
    """
    output = body.get("output")
    if not isinstance(output, list):
        return None
    last = output[-1] if output else None
    edited = None if id_ else _item(last, text)
    if edited is not None:
        return {**body, "output": [*output[:-1], edited]}
    return {**body, "output": [*output, _message(id_ or _id(), text)]}


def _item(item: Any, text: str) -> dict[str, Any] | None:
    content = item.get("content") if isinstance(item, dict) else None
    if not isinstance(content, list) or not content or item.get("type") != "message":
        return None
    part = _part(content[-1], text)
    return None if part is None else {**item, "content": [*content[:-1], part]}


def _part(part: Any, text: str) -> dict[str, Any] | None:
    if not isinstance(part, dict) or part.get("type") != "output_text":
        return None
    held = part.get("text")
    return {**part, "text": held + text} if isinstance(held, str) else None


def _id() -> str:
    return f"msg_{uuid4().hex}"


def _message(id_: str, text: str, status: str = "completed") -> dict[str, Any]:
    content = [_output(text)] if text else []
    return {
        "type": "message", "id": id_, "role": "assistant", "status": status, "content": content,
    }  # fmt: skip


def _output(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


class Stream(AnswerStream):
    """The end of a text part waits for what follows it: the text goes before that end."""

    _shift = 0
    """By how much later events are renumbered."""
    _items = 0
    _asked = False

    def feed(self, event: Event) -> list[Event]:
        """See `AnswerStream`."""
        if self._asked:
            return [self._moved(event)]
        if not any(mark in event.raw for mark in _MARKS):
            return self.passed(event)
        value = event.value
        kind = value.get("type")
        if kind in _LAST:
            self._asked = True
            text = self.ask()
            return self._ended(event, text) if text else self.release(event)
        if kind == "response.output_item.added":
            index = value.get("output_index")
            self._items = (index if type(index) is int else self._items) + 1
        elif kind == _DONE or (self.held and kind in _WAIT):
            out = self.release() if kind == _DONE else []
            self.held.append(event)
            return out
        return self.release(event)

    def _moved(self, event: Event) -> Event:
        number = event.value.get("sequence_number")
        if not self._shift or type(number) is not int:
            return event
        return event.changed({**event.value, "sequence_number": number + self._shift})

    def _ended(self, last: Event, text: str) -> list[Event]:
        done = self.held[0].value if self.held else {}
        if done and isinstance(done.get("text"), str):
            first = done.get("sequence_number")
            delta: dict[str, Any] = {
                "type": "response.output_text.delta",
                **{k: done[k] for k in ("item_id", "output_index", "content_index") if k in done},
                "delta": text,
                "logprobs": [],
            }
            out = self._numbered([delta], first)
            out += [self._moved(self._edited(event, text)) for event in self.release()]
            return [*out, self._moved(self._whole(last, text, ""))]
        id_ = _id()
        out = self._numbered(self._own(id_, text), last.value.get("sequence_number"))
        return self.release(*out, self._moved(self._whole(last, text, id_)))

    def _numbered(self, values: list[dict[str, Any]], first: Any) -> list[Event]:
        self._shift = len(values)
        numbered = type(first) is int
        out = []
        for i, value in enumerate(values):
            if numbered:
                value = {**value, "sequence_number": first + i}
            out.append(made(value, str(value["type"])))
        return out

    def _edited(self, event: Event, text: str) -> Event:
        value = event.value
        if value.get("type") == _DONE:
            return event.changed({**value, "text": value["text"] + text})
        for key, edit in (("part", _part), ("item", _item)):
            edited = edit(value.get(key), text)
            if edited is not None:
                return event.changed({**value, key: edited})
        return event

    def _whole(self, last: Event, text: str, id_: str) -> Event:
        """The event that brings the whole response."""
        response = last.value.get("response")
        if not isinstance(response, dict) or not (response.get("output") or id_):
            return last
        edited = put(response, text, id_)
        return last if edited is None else last.changed({**last.value, "response": edited})

    def _own(self, id_: str, text: str) -> list[dict[str, Any]]:
        """A message of its own."""
        at = {"output_index": self._items}
        where = {"item_id": id_, **at, "content_index": 0}
        return [
            {"type": "response.output_item.added", **at,
             "item": _message(id_, "", "in_progress")},
            {"type": "response.content_part.added", **where, "part": _output("")},
            {"type": "response.output_text.delta", **where, "delta": text, "logprobs": []},
            {"type": _DONE, **where, "text": text, "logprobs": []},
            {"type": "response.content_part.done", **where, "part": _output(text)},
            {"type": "response.output_item.done", **at, "item": _message(id_, text)},
        ]  # fmt: skip
