"""OpenAI Responses: `instructions`, `input` as a text or as items, `tools`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from . import openai_responses_stream
from .content import TEXTS, argument_text, bounded, definition, opaque, read, reasoning
from .identity import MARKS, arguments, content, pruned, stripped, text_part
from .layout import Claims, leading
from .pieces import ROLES, SYSTEM, role_of, tool_name
from .types import Facts, Item, Layout, Part, Response, Source, Usage
from .values import count, flag, is_cut, items_of, obj, real, text, whole, word

_TOOLS: Final = (
    "function", "custom", "web_search", "file_search", "computer", "mcp", "code_interpreter",
    "image_generation", "local_shell", "shell", "apply_patch", "namespace", "tool_search",
)  # fmt: skip
"""How the types of tools begin; no type of an input item is one of these."""

_DONE: Final = frozenset({"completed", "in_progress", "incomplete", "searching", "calling"})
"""States that say how far the server was, and nothing about what it did."""

_NOISE: Final = frozenset({"role", "parsed", "parsed_arguments", "logprobs"}) | MARKS
_CONTENTS: Final = frozenset({"content", "output", "summary"})
_UNSEEN: Final = ("previous_response_id", "conversation", "prompt", "context_management")


class OpenAIResponses:
    """A text as input counts as a user's message. One item an element."""

    name = "openai.responses"
    facts_in_layout = False

    def layout(self, body: dict[str, Any]) -> Layout:
        """See `Dialect`: `instructions`, then the leading system and developer items."""
        if not isinstance(body, dict):
            return Layout([], [], [], body)
        claims, rest = Claims(), dict(body)
        for key, value in body.items():
            listed = isinstance(value, list | tuple)
            if key == "instructions" and isinstance(value, str):
                claims.one(rest, key, "s", value)
            elif key == "input" and isinstance(value, str):
                claims.one(rest, key, "m", value)
            elif key == "input" and listed:
                n = leading(value, SYSTEM)
                claims.many(rest, key, ("s", list(value[:n])), ("m", list(value[n:])))
            elif key == "tools" and listed:
                claims.many(rest, key, ("t", list(value)))
        return claims.layout(rest)

    def items(self, slot: str, element: Any) -> tuple[Item, ...]:
        """See `Dialect`. The role of an input that is a text is `user`, as the API reads it."""
        if slot == "tools":
            return (Item(element, "", "registry", tool_name(element), ""),)
        if slot == "system":
            return (Item(element, role_of(element), "base", "", ""),)
        if isinstance(element, str):
            return (Item(element, "user", "user", "", ""),)
        if not isinstance(element, dict):
            return (Item(element, "", "custom", "", ""),)
        role = role_of(element)
        source = _source(element, role)
        return (Item(element, role, source, _id(element, source), ""),)

    @bounded
    def parts(self, value: Any) -> tuple[Part, ...]:
        """See `Dialect`."""
        if isinstance(value, str):
            return (Part("text", value),)
        if not isinstance(value, dict):
            return (opaque(value),)
        kind = word(value.get("type"))
        if kind == "message" or (not kind and ("role" in value or "content" in value)):
            return tuple(read(value.get("content")))
        if kind.startswith(_TOOLS) and not kind.endswith(("_call", "_output")):
            return (definition(value, tool_name(value)),)
        return tuple(_item_parts(kind, value)) or (opaque(value),)

    def identity(self, value: Any) -> Any:
        """See `Dialect`."""
        if type(value) is not dict:
            return pruned(value)
        if len(value) == 2 and "role" in value and type(value.get("content")) is str:
            return value["content"]
        kind = value.get("type")
        output = value.get("output") if len(value) == 3 else None
        if kind == "function_call_output" and type(output) is str and value.get("call_id"):
            return value
        return _identity(value, kind)

    def facts(self, body: dict[str, Any]) -> Facts:
        """See `Dialect`."""
        body = obj(body)
        format_ = obj(obj(body.get("text")).get("format")).get("type")
        unseen = any(body.get(key) for key in _UNSEEN) or body.get("truncation") == "auto"
        return Facts(
            model=text(body.get("model")),
            stream=flag(body.get("stream")),
            temperature=real(body.get("temperature")),
            top_p=real(body.get("top_p")),
            max_tokens=whole(body.get("max_output_tokens")),
            reasoning=text(obj(body.get("reasoning")).get("effort")),
            previous_response=text(body.get("previous_response_id")),
            output_type=_output_type(format_),
            completeness="request_only" if unseen or _refers(body.get("input")) else None,
        )

    def response(self, body: dict[str, Any]) -> Response:
        """See `Dialect`: one piece an item. The finish reason is the reason why the output is

        incomplete, else the status.
        """
        body = obj(body)
        items, extra = [], []
        for element in items_of(body.get("output")):
            value, left = stripped(element) if isinstance(element, dict) else (element, {})
            items.append(self.items("messages", value)[0])
            extra.append(left)
        status = word(body.get("status"))
        reason = word(obj(body.get("incomplete_details")).get("reason")) or status
        done = status in ("", "completed") and not body.get("error")
        return Response(
            tuple(items),
            tuple(extra),
            usage(body.get("usage")),
            (reason,) if reason else (),
            word(body.get("id")),
            word(body.get("model")),
            done and bool(items) and not is_cut((reason,)),
        )

    def assemble(self, events: list[tuple[str, Any]]) -> Response:
        """See `Dialect`: the response of the last event, else what the items' events give."""
        stream = openai_responses_stream.Items()
        for _, event in events:
            stream.add(event)
        body = dict(stream.response)
        if not body.get("output"):
            body["output"] = stream.items()
        response = self.response(body)
        if stream.ended:
            return response
        return response._replace(finish_reasons=(), complete=False)


def _source(item: dict[str, Any], role: str) -> Source:
    kind = word(item.get("type"))
    if role and kind in ("", "message", "additional_tools"):
        return ROLES.get(role, "custom")
    if kind.endswith("_output"):
        return "tool-result"
    if kind.endswith("_call") or kind in ("reasoning", "compaction", "mcp_approval_request"):
        return "assistant"
    if kind == "mcp_approval_response":
        return "user"
    return "registry" if kind == "mcp_list_tools" else "custom"


def _id(item: dict[str, Any], source: Source) -> str:
    return word(item.get("call_id")) or word(item.get("id")) if source == "tool-result" else ""


def _refers(items: Any) -> bool:
    """True when an item stands for one that only the server holds."""
    return isinstance(items, list) and any(
        i.get("type") == "item_reference" or (len(i) == 1 and "id" in i)
        for i in items
        if i.__class__ is dict
    )


def _output_type(format_: Any) -> str | None:
    if format_ == "text":
        return "text"
    return "json" if isinstance(format_, str) and format_.startswith("json") else None


def _item_parts(kind: str, item: dict[str, Any]) -> Iterator[Part]:
    id_ = word(item.get("call_id")) or word(item.get("id"))
    if kind == "reasoning":  # without a text: only the provider can read it
        found = (*reasoning(item.get("summary")), *reasoning(item.get("content")))
        yield from found or (Part("reasoning", ""),)
    elif kind.endswith("_output"):
        found = tuple(read(item.get("output"), "tool_result", "", id_))
        yield from found or (Part("tool_result", "", "", id_),)
    elif kind.endswith("_call") or kind == "mcp_approval_request":
        yield Part("tool_call", _arguments(item), word(item.get("name")) or kind, id_)
        yield from read(item.get("output"), "tool_result", word(item.get("name")), id_)
    elif isinstance(item.get("tools"), list):
        for tool in item["tools"]:
            yield definition(tool, tool_name(tool))
    elif kind in TEXTS or kind == "refusal":
        yield from read([item])


def _arguments(item: dict[str, Any]) -> str:
    for key in ("arguments", "input", "action", "operation", "code", "queries"):
        if item.get(key) is not None:
            return argument_text(item[key])
    return ""


def _identity(item: dict[str, Any], kind: Any) -> Any:
    message = kind == "message" or (kind is None and "role" in item)
    out: dict[str, Any] = {}
    for key, value in item.items():
        if value is None or key in _NOISE or (message and key in ("type", "id")):
            continue
        if key == "status" and isinstance(value, str) and value in _DONE:
            continue
        if key == "id" and _named_otherwise(item):
            continue
        if key == "arguments":
            value = arguments(value)
        elif key in _CONTENTS:
            value = content(value, _part)
        elif type(value) is not str:
            value = pruned(value)
        if value is not None and value != []:
            out[key] = value
    return out["content"] if len(out) == 1 and type(out.get("content")) is str else out


def _named_otherwise(item: dict[str, Any]) -> bool:
    """True for an item whose own id the server gave and nothing else refers to."""
    if item.get("call_id") is not None or item.get("encrypted_content") is not None:
        return True
    return item.get("type") == "reasoning" and bool(item.get("summary") or item.get("content"))


def _part(part: dict[str, Any]) -> Any:
    noisy = "logprobs" in part or "parsed" in part
    kept = {k: v for k, v in part.items() if k not in _NOISE} if noisy else part
    return text_part(kept, TEXTS)


def usage(reported: Any) -> Usage:
    """Usage of Responses; `input_tokens` includes cached ones already."""
    reported = obj(reported)
    inputs = obj(reported.get("input_tokens_details"))
    return Usage(
        count(reported.get("input_tokens")),
        count(reported.get("output_tokens")),
        count(inputs.get("cached_tokens")),
        count(inputs.get("cache_write_tokens")),
        count(obj(reported.get("output_tokens_details")).get("reasoning_tokens")),
    )
