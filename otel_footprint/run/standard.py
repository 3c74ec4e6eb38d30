"""The standard content attributes, for pages that render them; evidence never rests on them.

No string of ours is longer than 2,000 bytes, so texts in them are shortened until the whole fits,
and older messages give way to newer ones. A shortened text ends in an ellipsis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from ..slots.entry import Fresh
from ..telemetry import names
from ..text.chunks import MAX_BYTES
from ..text.jsontext import dumps, encode
from ..wire.types import Layout

if TYPE_CHECKING:
    from .call import Call

_LENGTHS: Final = (1_500, 600, 200, 60)
_KINDS: Final = {"text": "text", "reasoning": "reasoning", "refusal": "refusal"}


def output(call: Call, fresh: Sequence[Fresh]) -> dict[str, Any]:
    """`gen_ai.output.messages` of an answer; empty where the settings or the mode forbid it."""
    asked = call.core.settings.standard(call.content.mode)
    if asked == "none" or not call.content.writes or not fresh:
        return {}
    text = _fitting([_message(call, "assistant", f.value) for f in fresh])
    return {} if text is None else {names.OUTPUT_MESSAGES: text}


def request(call: Call, layout: Layout) -> dict[str, Any]:
    """`gen_ai.input.messages` and `gen_ai.system_instructions`, with standard_content=full."""
    if call.core.settings.standard_content != "full" or not call.content.writes:
        return {}
    out, redact = {}, call.content.redactor.value
    for name, slot, elements in (
        (names.SYSTEM_INSTRUCTIONS, "system", layout.system),
        (names.INPUT_MESSAGES, "messages", layout.messages),
    ):
        messages = [
            _message(call, item.role or "system", redact(item.value, "standard"))
            for element in elements[-50:]
            for item in call.dialect.items(slot, element)
        ]
        text = _fitting(
            [part for m in messages for part in m["parts"]] if slot == "system" else messages
        )
        if text is not None and messages:
            out[name] = text
    return out


def _message(call: Call, role: str, value: Any) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    for part in call.dialect.parts(value):
        if part.kind == "tool_call":
            parts.append(
                {"type": "tool_call", "id": part.id, "name": part.name, "arguments": part.text}
            )
        elif part.kind == "tool_result":
            parts.append({"type": "tool_call_response", "id": part.id, "response": part.text})
        elif part.kind in _KINDS:
            parts.append({"type": _KINDS[part.kind], "content": part.text})
    return {"role": role, "parts": parts}


def _fitting(messages: list[dict[str, Any]]) -> str | None:
    for length in _LENGTHS:
        text = dumps([_short(m, length) for m in messages])
        if len(encode(text)) <= MAX_BYTES:
            return text
    return _fitting(messages[len(messages) // 2 :]) if len(messages) > 1 else None


def _short(value: Any, length: int) -> Any:
    if type(value) is str:
        return value if len(value) <= length else value[: length - 1] + "…"
    if type(value) is dict:
        return {k: _short(v, length) for k, v in value.items()}
    return [_short(v, length) for v in value] if type(value) is list else value
