"""An independent walk of a request's JSON: which pieces it holds, slot by slot.

Written from the rules, not from the package: nothing of `otel_footprint` is used here.

- Leading system and developer messages belong to the slot `system`, later ones to `messages`.
- A message is one piece. A message that carries tool results is one piece a block: a result is a
  `tool-result`, whatever the role of its carrier.
- Each fragment of a system prompt that is a list is a piece; each tool definition is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple


class Piece(NamedTuple):
    """Kind (who it is from) and role on the wire."""

    kind: str
    role: str


class Walked(NamedTuple):
    """The pieces of the three slots, in order."""

    system: list[Piece]
    messages: list[Piece]
    tools: list[Piece]


def walk(api: str, body: dict[str, Any]) -> Walked:
    """The pieces of a request to one of the APIs that `cassettes.api_of` names."""
    walked = Walked([], [], [])
    WALKS[api](body, walked)
    return walked


KINDS = {
    "system": "base", "developer": "base", "user": "user", "assistant": "assistant",
    "model": "assistant", "tool": "tool-result", "function": "tool-result",
}  # fmt: skip


def _kind(role: str) -> str:
    return KINDS.get(role, "custom")


def _role(value: Any) -> str:
    role = value.get("role") if isinstance(value, dict) else None
    return role if isinstance(role, str) else ""


def _tools(tools: Any, walked: Walked) -> None:
    for _ in tools if isinstance(tools, list) else ():
        walked.tools.append(Piece("registry", ""))


def _fragments(value: Any, walked: Walked) -> None:
    """A system prompt outside the messages: a text, or a list of fragments."""
    if isinstance(value, str):
        walked.system.append(Piece("base", ""))
    elif isinstance(value, list):
        walked.system.extend(Piece("base", _role(v)) for v in value)


def _split(items: Any) -> tuple[list[Any], list[Any]]:
    """Leading system and developer items, and the rest."""
    items = items if isinstance(items, list) else []
    at = 0
    while at < len(items) and _role(items[at]) in ("system", "developer"):
        at += 1
    return items[:at], items[at:]


def _messages(
    items: Any, walked: Walked, pieces: Callable[[Any], Iterable[Piece]], leading: bool = True
) -> None:
    first, rest = _split(items) if leading else ([], items if isinstance(items, list) else [])
    walked.system.extend(Piece("base", _role(item)) for item in first)
    for item in rest:
        walked.messages.extend(pieces(item))


def _one(message: Any) -> list[Piece]:
    role = _role(message)
    return [Piece(_kind(role), role)]


def _with_results(
    message: Any, key: str, is_result: Callable[[Any], bool], kind: str | None = None
) -> list[Piece]:
    """A message whose blocks may be tool results."""
    role = _role(message)
    kind = _kind(role) if kind is None else kind
    blocks = message.get(key) if isinstance(message, dict) else None
    if not isinstance(blocks, list) or not any(is_result(b) for b in blocks):
        return [Piece(kind, role)]
    out: list[Piece] = []
    for name, value in message.items():
        if name == key:
            out += [Piece("tool-result" if is_result(b) else kind, role) for b in blocks]
        elif name != "role" and value is not None and not isinstance(value, bool | int | float):
            out.append(Piece("custom", role))
    return out


# --- one API each --------------------------------------------------------------------------


def _chat(body: dict[str, Any], walked: Walked) -> None:
    _messages(body.get("messages"), walked, _one)
    for key in body:
        if key in ("tools", "functions"):
            _tools(body[key], walked)


def _cohere(body: dict[str, Any], walked: Walked) -> None:
    if "messages" in body:
        _chat(body, walked)
        return
    lower = {"chatbot": "assistant", "user": "user", "system": "base", "tool": "tool-result"}
    for key, value in body.items():
        if key == "preamble" and isinstance(value, str):
            walked.system.append(Piece("base", ""))
        elif key == "message" and isinstance(value, str):
            walked.messages.append(Piece("user", "user"))
        elif key == "chat_history" and isinstance(value, list):
            walked.messages.extend(
                Piece(lower.get(_role(v).lower(), "custom"), _role(v)) for v in value
            )
        elif key == "tools":
            _tools(value, walked)


def _anthropic(body: dict[str, Any], walked: Walked) -> None:
    def is_result(block: Any) -> bool:
        return isinstance(block, dict) and block.get("type") == "tool_result"

    for key, value in body.items():
        if key == "system":
            _fragments(value, walked)
        elif key == "messages":
            _messages(value, walked, lambda m: _with_results(m, "content", is_result))
        elif key == "tools":
            _tools(value, walked)


def _responses(body: dict[str, Any], walked: Walked) -> None:
    for key, value in body.items():
        if key == "instructions" and isinstance(value, str):
            walked.system.append(Piece("base", ""))
        elif key == "input" and isinstance(value, str):
            walked.messages.append(Piece("user", "user"))
        elif key == "input":
            _messages(value, walked, _response_item)
        elif key == "tools":
            _tools(value, walked)


_BY_TYPE = {
    "reasoning": "assistant", "compaction": "assistant", "mcp_approval_request": "assistant",
    "mcp_approval_response": "user", "mcp_list_tools": "registry",
}  # fmt: skip


def _response_item(item: Any) -> list[Piece]:
    role = _role(item)
    kind = item.get("type") if isinstance(item, dict) else None
    if role and kind in (None, "message", "additional_tools"):
        return [Piece(_kind(role), role)]
    if isinstance(item, str):
        return [Piece("user", "user")]
    kind = kind if isinstance(kind, str) else ""
    if kind.endswith("_output"):
        return [Piece("tool-result", role)]
    if kind.endswith("_call"):
        return [Piece("assistant", role)]
    return [Piece(_BY_TYPE.get(kind, "custom"), role)]


def _gemini(body: dict[str, Any], walked: Walked) -> None:
    def is_result(part: Any) -> bool:
        found = part if isinstance(part, dict) else {}
        return isinstance(found.get("functionResponse", found.get("function_response")), dict)

    def content(one: Any) -> list[Piece]:
        role = _role(one)
        kind = _kind(role) if role else "user"
        if isinstance(one, dict) and isinstance(one.get("parts"), list):
            if any(is_result(p) for p in one["parts"]):
                kind = "user" if kind == "tool-result" else kind
            return _with_results(one, "parts", is_result, kind)
        return [Piece(kind, role)]

    for key, value in body.items():
        if key in ("systemInstruction", "system_instruction"):
            parts = value.get("parts") if isinstance(value, dict) else value
            _fragments([parts] if isinstance(parts, dict) else parts, walked)
        elif key == "contents":
            for one in value if isinstance(value, list) else [value]:
                walked.messages.extend(content(one))
        elif key == "tools":
            for tool in value if isinstance(value, list) else [value]:
                walked.tools.extend([Piece("registry", "")] * _declared(tool))


def _declared(tool: Any) -> int:
    """How many functions an entry of Gemini's tools declares; a built-in tool is one."""
    if not isinstance(tool, dict) or len(tool) != 1:
        return 1
    found = tool.get("functionDeclarations", tool.get("function_declarations"))
    return len(found) if isinstance(found, list) and found else 1


def _converse(body: dict[str, Any], walked: Walked) -> None:
    def is_result(block: Any) -> bool:
        return isinstance(block, dict) and isinstance(block.get("toolResult"), dict)

    for key, value in body.items():
        if key == "system" and isinstance(value, list):
            _fragments(value, walked)
        elif key == "messages":
            _messages(value, walked, lambda m: _with_results(m, "content", is_result), False)
        elif key == "toolConfig" and isinstance(value, dict):
            _tools(value.get("tools"), walked)


def _assistants(body: dict[str, Any], walked: Walked) -> None:
    for key, value in body.items():
        if key in ("instructions", "additional_instructions") and isinstance(value, str):
            walked.system.append(Piece("base", ""))
        elif key == "additional_messages":
            _messages(value, walked, _one, False)
        elif key == "thread" and isinstance(value, dict):
            _messages(value.get("messages"), walked, _one, False)
        elif key == "tools":
            _tools(value, walked)


def _completion(body: dict[str, Any], walked: Walked) -> None:
    for key, value in body.items():
        if key in ("prompt", "inputText", "input", "inputs", "text_prompts"):
            for one in value if isinstance(value, list) else [value]:
                if one is not None:
                    kind = "user" if isinstance(one, str) else "custom"
                    walked.messages.append(Piece(kind, ""))
        elif key == "system" and isinstance(value, str):
            walked.system.append(Piece("base", ""))
        elif key == "tools":
            _tools(value, walked)


WALKS: dict[str, Callable[[dict[str, Any], Walked], None]] = {
    "chat": _chat,
    "ollama": _chat,
    "cohere": _cohere,
    "anthropic": _anthropic,
    "responses": _responses,
    "compact": _responses,
    "gemini": _gemini,
    "converse": _converse,
    "assistants": _assistants,
    "completion": _completion,
}
