"""Redaction: what stands here in place of a text is what is hashed, buffered, logged and exported.

Rules and hook are on in the modes `none` (before hashing, and for names, statuses, exception texts
and URLs) and `redacted`, and in `full` when a hook is set. The rules come first, so that the hook
never sees what they found. A redactor that raises withholds the text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from .guard import failed, is_raising

Hook = Callable[[str, str], str]
"""`redact(text, where) -> str`: the text as it may be recorded; `where` names the place."""

WITHHELD: Final = "[redacted:withheld]"
MAX_DEPTH: Final = 200
"""Levels of nesting that are looked into; strings that lie deeper are withheld."""


def _find(text: str) -> list[tuple[int, int, str]]:
    """What the rules find. They are compiled at the first text, not at import (about 20 ms)."""
    from .find_secrets import find

    return find(text)  # type: ignore[return-value]


def redact_known(text: str) -> str:
    """The text with `[redacted:kind]` for all that the built-in rules find; else the same object.

    Kinds: api_key, bearer_token, jwt, private_key, credentials and secret (in URLs and headers),
    email, card, iban, phone.
    """
    found = _find(text)
    if not found:
        return text
    out, at = [], 0
    for start, end, kind in found:
        out.append(text[at:start])
        out.append(f"[redacted:{kind}]")
        at = end
    out.append(text[at:])
    return "".join(out)


class Redactor:
    """Redacts texts and JSON values for one content mode. Never raises; threads may share it."""

    __slots__ = ("_hook", "is_on")

    def __init__(
        self,
        mode: Literal["none", "redacted", "full"],
        hook: Hook | None = None,
    ) -> None:
        self.is_on: Final = mode != "full" or hook is not None
        """False: every text and value comes back as it is."""
        self._hook = hook

    def text(self, text: str, where: str) -> str:
        """The text as it may be recorded; the same object when nothing was found."""
        return self._text(text, where) if self.is_on else text

    def value(self, value: Any, where: str) -> Any:
        """A JSON value with every string and key redacted; the same object when none changed."""
        if not self.is_on:
            return value
        if type(value) is str:
            return self._text(value, where)
        try:
            if self._hook is None and self._is_clean(value):
                return value
            return self._walk(value, where, 0, {})
        except Exception as error:
            return self._withhold(error)

    def _text(self, text: str, where: str) -> str:
        try:
            known = redact_known(text)
            if self._hook is None:
                return known
            seen = self._hook(known, where)
            if not isinstance(seen, str):
                raise TypeError("the redact hook answered no text")
            return known if seen == known else str.__str__(seen)
        except Exception as error:
            return self._withhold(error)

    def _withhold(self, error: Exception) -> str:
        if is_raising() and self._hook is None:
            raise error
        failed("redact", type(error))
        return WITHHELD

    def _is_clean(self, value: Any) -> bool:
        """One look at all strings together: almost every value holds nothing."""
        strings: list[str] = []
        seen: set[int] = set()
        level, depth = [value], 0
        while level:
            depth += 1
            if depth > MAX_DEPTH:
                return False
            below: list[Any] = []
            for item in level:
                if type(item) is dict:
                    strings += [k for k in item if type(k) is str]
                    members: Any = item.values()
                else:
                    members = item if type(item) in (list, tuple) else (item,)
                for member in members:
                    if type(member) is str:
                        strings.append(member)
                    elif type(member) in (dict, list, tuple) and id(member) not in seen:
                        seen.add(id(member))
                        below.append(member)
            level = below
        return not _find("\n".join(strings))

    def _walk(self, value: Any, where: str, depth: int, done: dict[int, Any]) -> Any:
        """`done` holds each container's answer: a shared one is walked once, a cycle ends."""
        kind = type(value)
        if kind is str:
            return self._text(value, where)
        if kind is not dict and kind is not list and kind is not tuple:
            return value
        if depth > MAX_DEPTH:
            return WITHHELD
        if id(value) in done:
            return done[id(value)]
        done[id(value)] = WITHHELD
        if kind is dict:
            answer: Any = self._object(value, where, depth, done)
        else:
            answer = [self._walk(item, where, depth + 1, done) for item in value]
            if all(new is old for new, old in zip(answer, value, strict=True)):
                answer = value
            elif kind is tuple:
                answer = tuple(answer)
        done[id(value)] = answer
        return answer

    def _object(
        self, value: dict[Any, Any], where: str, depth: int, done: dict[int, Any]
    ) -> dict[Any, Any]:
        out: dict[Any, Any] = {}
        changed = False
        for key, item in value.items():
            name = self._text(key, where) if type(key) is str else key
            if name is not key:
                name = _free(name, out, value)
            out[name] = new = self._walk(item, where, depth + 1, done)
            changed = changed or new is not item or name is not key
        return out if changed else value


def _free(name: str, taken: dict[Any, Any], others: dict[Any, Any]) -> str:
    """A key that is not taken: two keys may look the same after redaction."""
    if name not in taken and name not in others:
        return name
    number = 2
    while f"{name}#{number}" in taken or f"{name}#{number}" in others:
        number += 1
    return f"{name}#{number}"
