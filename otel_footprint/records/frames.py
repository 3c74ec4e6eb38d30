"""The registry of frames, and the one place that decides what a person said.

Some messages of role user are written by the library. Each opens with a registered frame, a
bracket and two or three words, and ends with the closing bracket. Writers take the frame from
here (a test walks them), and whoever looks for a person's words, on the writing or on the reading
side, asks `is_said_by_person`.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, Final, NamedTuple

from .view import MessageView


class Frame(NamedTuple):
    """How one kind of authored message opens."""

    prefix: str
    """Starts with a bracket; what follows in the message is an em dash or the closing bracket."""
    writer: str
    """Which part of the library writes it."""


FRAMES: Final[tuple[Frame, ...]] = (
    Frame("[dropped history", "injection.window"),
    Frame("[compacted history", "injection.window"),
    Frame("[steps unrun", "injection.procedures"),
    Frame("[argument check", "arguments"),
    Frame("[budget exhausted", "run"),
)
"""All frames. A new writer adds a line; the texts of two lines never begin alike."""

DROPPED: Final = FRAMES[0].prefix
COMPACTED: Final = FRAMES[1].prefix
STEPS_UNRUN: Final = FRAMES[2].prefix
ARGUMENT_CHECK: Final = FRAMES[3].prefix

BASELINE: Final = frozenset({"base", "user", "assistant", "tool-result", "registry"})
"""Sources of ordinary flow. Any other source of a message names what let it in."""

CREDIT_MARK: Final = "footprint_credit"
"""Attribute of marked values; no serialiser of a provider's SDK writes it."""
_PREFIXES: Final = tuple(frame.prefix for frame in FRAMES)
_RESULTS: Final = ("tool_result", "function_response", "functionResponse", "toolResult")
"""Keys, or types, of the parts of a message that hold a tool's result."""


def framed(prefix: str, text: str) -> str:
    """An authored message: the frame, an em dash, the text, and the closing bracket."""
    return f"{prefix} — {text}]"


def frame_of(text: str) -> str | None:
    """The frame of an authored text, or None.

    The whole shape counts (frame, em dash, closing bracket), so that a person who merely begins a
    message with the words of a frame stays a person.
    """
    if not text.startswith("[") or not text.endswith("]"):
        return None
    for prefix in _PREFIXES:
        if text.startswith(prefix + " — "):
            return prefix
    return None


def is_said_by_person(message: Any, authored: Container[str] = ()) -> bool:
    """True when a message holds words of a person.

    A message is a view, a provider's dict or an object with `role` and `content`. False for every
    role but user; for tool results, whatever role carries them; for what the library or the
    application let in (a source that is not baseline flow, `credit`); for authored frames; and for
    texts in `authored`, the texts that the caller knows to have been written by us, which settles
    by provenance what the shape of a text cannot.
    """
    if isinstance(message, MessageView):
        if message.role != "user" or (message.source and message.source not in BASELINE):
            return False
        return not message.is_result and _is_free(message.text, authored)
    if is_credited(message):
        return False
    role = _field(message, "role")
    if role != "user" and (role is not None or _field(message, "type") != "human"):
        return False
    content = _field(message, "content")
    if content is None:
        content = _field(message, "parts")
    if isinstance(content, str):
        return not is_credited(content) and _is_free(content, authored)
    return isinstance(content, list | tuple) and any(_by_person(p, authored) for p in content)


def is_credited(value: Any) -> bool:
    """True for a text or message that carries the mark of `footprint.credit`."""
    return getattr(value, CREDIT_MARK, None) is not None


def _is_free(text: str, authored: Container[str]) -> bool:
    return frame_of(text) is None and text not in authored


def _by_person(part: Any, authored: Container[str]) -> bool:
    if any(_field(part, name) is not None for name in _RESULTS) or _field(part, "type") in _RESULTS:
        return False
    text = part if isinstance(part, str) else _field(part, "text")
    if isinstance(text, str):
        return not is_credited(text) and _is_free(text, authored)
    return True


def _field(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(name)
    return None if isinstance(value, str) else getattr(value, name, None)
