"""Chat completion chunks put together into messages."""

from __future__ import annotations

from typing import Any

from .values import items_of, obj, whole, word

_ORDER = ("role", "content", "refusal")
_NAMES = frozenset({"channel", "name"})
"""Texts that each delta repeats whole."""
_JOINED = frozenset({"text", "summary", "data", "signature", "arguments"})


class Chunks:
    """The state of a stream of chunks; takes anything, keeps what it understands."""

    def __init__(self) -> None:
        self.id = ""
        self.model = ""
        self.usage: dict[str, Any] | None = None
        self.failed = False
        self._choices: dict[int, _Choice] = {}
        self._closed = False

    def add(self, chunk: Any) -> None:
        """Takes the next chunk."""
        if not isinstance(chunk, dict):
            return
        self.id = self.id or word(chunk.get("id"))
        self.model = self.model or word(chunk.get("model"))
        self.failed = self.failed or bool(chunk.get("error"))
        for reported in (chunk.get("usage"), obj(chunk.get("x_groq")).get("usage")):
            if isinstance(reported, dict):
                self.usage = reported
        if isinstance(chunk.get("usage"), dict) and chunk.get("choices") == []:
            self._closed = True  # a chunk of nothing but usage is the last one
        for choice in items_of(chunk.get("choices")):
            if isinstance(choice, dict):
                index = whole(choice.get("index")) or 0
                self._choices.setdefault(index, _Choice()).add(choice)

    def messages(self) -> tuple[list[dict[str, Any]], bool]:
        """One message a choice, and whether every choice came to its end."""
        choices = [self._choices[index] for index in sorted(self._choices)]
        ended = self._closed or all(c.reason for c in choices)
        ended = ended and bool(choices) and not self.failed
        return [choice.message() for choice in choices], ended

    def reasons(self) -> tuple[str, ...]:
        """Finish reasons in the order of the choices."""
        found = (self._choices[index].reason for index in sorted(self._choices))
        return tuple(reason for reason in found if reason)


class _Choice:
    def __init__(self) -> None:
        self.reason = ""
        self._texts: dict[str, list[str]] = {}
        self._other: dict[str, Any] = {}
        self._calls: list[_Call] = []

    def add(self, choice: dict[str, Any]) -> None:
        self.reason = word(choice.get("finish_reason")) or self.reason
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            delta = obj(choice.get("message"))
        for key, value in delta.items():
            if value is None:
                continue
            if key == "tool_calls":
                for entry in items_of(value):
                    self._call(entry)
            elif key == "role":
                self._other.setdefault("role", value)
            elif key in _NAMES:
                self._other[key] = value
            elif isinstance(value, str):
                self._texts.setdefault(key, []).append(value)
            else:
                self._flush(key)
                self._other[key] = joined(self._other.get(key), value)

    def _flush(self, key: str) -> None:
        """Parts follow a text under the same key: the text becomes a part before them."""
        if texts := self._texts.pop(key, None):
            part = {"type": "text", "text": "".join(texts)}
            self._other[key] = joined(self._other.get(key, []), [part])

    def _call(self, entry: Any) -> None:
        if not isinstance(entry, dict):
            return
        id_, index = word(entry.get("id")), whole(entry.get("index"))
        for call in reversed(self._calls):
            if call.continues(id_, index, obj(entry.get("function"))):
                call.add(entry)
                return
        self._calls.append(_Call(index))
        self._calls[-1].add(entry)

    def message(self) -> dict[str, Any]:
        found: dict[str, Any] = {"role": self._other.pop("role", "assistant")}
        for key in [key for key in self._texts if key in self._other]:
            self._flush(key)
        for key, texts in self._texts.items():
            found[key] = "".join(texts)
        for key, value in self._other.items():
            found.setdefault(key, value)
        calls = [call.value for call in self._calls]
        ordered = {key: found[key] for key in _ORDER if key in found}
        ordered.update({"tool_calls": calls} if calls else {})
        ordered.update({k: v for k, v in found.items() if k not in ordered and v != []})
        return ordered


class _Call:
    """A tool call that grows. A new id under the same index is another call."""

    def __init__(self, index: int | None) -> None:
        self.index = index
        self.value: dict[str, Any] = {}

    def continues(self, id_: str, index: int | None, function: dict[str, Any]) -> bool:
        own, name = word(self.value.get("id")), word(function.get("name"))
        other = index is not None and self.index is not None and index != self.index
        if id_ and own:
            return id_ == own and not (other and name)
        if other:
            return False
        before = obj(self.value.get("function"))
        return not (name and name != before.get("name") and before.get("arguments"))

    def add(self, entry: dict[str, Any]) -> None:
        for key, value in entry.items():
            if key == "index" or value is None:
                continue
            if key in ("function", "custom") and isinstance(value, dict):
                _grow(self.value.setdefault(key, {}), value)
            elif value or key not in self.value:
                self.value[key] = value


def _grow(function: Any, delta: dict[str, Any]) -> None:
    if not isinstance(function, dict):
        return
    for key, value in delta.items():
        before = function.get(key)
        if value is None:
            continue
        if key != "name" and isinstance(before, str) and isinstance(value, str):
            function[key] = before + value
        elif key != "name" or not before or before == value:
            function[key] = value
        else:
            function[key] = f"{before}{value}"


def joined(before: Any, value: Any) -> Any:
    """A value that came in pieces: objects and lists grow, entries of one `index` are one."""
    if isinstance(before, dict) and isinstance(value, dict):
        out = dict(before)
        for key, item in value.items():
            known = out.get(key)
            texts = isinstance(known, str) and isinstance(item, str)
            out[key] = known + item if texts and key not in ("id", "type", "role") else item
        return out
    if isinstance(before, list) and isinstance(value, list):
        out_list = list(before)
        for entry in value:
            _place(out_list, entry)
        return out_list
    return value


def _place(entries: list[Any], entry: Any) -> None:
    index = entry.get("index") if isinstance(entry, dict) else None
    if index is not None:
        for at, known in enumerate(entries):
            if not isinstance(known, dict) or known.get("index") != index:
                continue
            if entry.get("type") in (None, known.get("type")):
                merged = {**known, **{k: v for k, v in entry.items() if v is not None}}
                for key in _JOINED:
                    if isinstance(known.get(key), str) and isinstance(entry.get(key), str):
                        merged[key] = known[key] + entry[key]
                entries[at] = merged
                return
    entries.append(entry)
