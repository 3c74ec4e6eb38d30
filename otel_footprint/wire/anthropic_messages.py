"""Anthropic Messages, also as the body of Bedrock's InvokeModel and of Vertex."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from . import anthropic_stream
from .content import argument_text, bounded, definition, opaque, read, reasoning
from .identity import MARKS, content, pruned, text_part
from .layout import Claims, leading
from .media import media_type
from .pieces import ROLES, SYSTEM, output_of, role_of, tool_name, with_results
from .types import Facts, Item, Layout, Part, Response, Usage
from .values import count, flag, is_cut, obj, real, text, texts, total, whole, word

_TEXT: Final = frozenset({"text"})
_CALL: Final = frozenset({"type", "id", "name", "input"})
_TOLD: Final = frozenset({"search_result", "bash_code_execution_output"})
_SAYING: Final = (
    "title", "url", "text", "stdout", "stderr", "content", "lines", "error_code", "error_message",
)  # fmt: skip
"""Keys of a result under which a text stands."""
_DIRECT: Final = {"type": "direct"}
"""The caller of a tool that the model itself calls: the same as none."""


class AnthropicMessages:
    """`system` as a text or as blocks, `messages`, `tools`; one result block a piece."""

    name = "anthropic.messages"
    facts_in_layout = True

    def layout(self, body: dict[str, Any]) -> Layout:
        """See `Dialect`: a block of `system` is an element."""
        if not isinstance(body, dict):
            return Layout([], [], [], body)
        claims, rest = Claims(), dict(body)
        for key, value in body.items():
            listed = isinstance(value, list | tuple)
            if key == "system" and isinstance(value, str):
                claims.one(rest, key, "s", value)
            elif key == "system" and listed:
                claims.many(rest, key, ("s", list(value)))
            elif key == "messages" and listed:
                n = leading(value, SYSTEM)
                first = [("s", list(value[:n]))] if n else []
                claims.many(rest, key, *first, ("m", list(value[n:])))
            elif key == "tools" and listed:
                claims.many(rest, key, ("t", list(value)))
        return claims.layout(rest)

    def items(self, slot: str, element: Any) -> tuple[Item, ...]:
        """See `Dialect`. Results of tools that the provider runs stay in the model's message."""
        if slot == "tools":
            return (Item(element, "", "registry", tool_name(element), ""),)
        role = role_of(element)
        if slot == "system":
            return (Item(element, role, "base", "", ""),)
        source = ROLES.get(role, "custom")
        if type(element) is dict and type(element.get("content")) is list:
            results = with_results(element, "content", role, source, _result_id)
            if results:
                return results
        return (Item(element, role, source, "", ""),)

    @bounded
    def parts(self, value: Any) -> tuple[Part, ...]:
        """See `Dialect`."""
        if isinstance(value, str):
            return (Part("text", value),)
        if not isinstance(value, dict):
            return (opaque(value),)
        if "role" in value:
            return tuple(_blocks(value.get("content")))
        if "input_schema" in value or "mcp_server_name" in value or _built_in(value):
            return (definition(value, tool_name(value)),)
        return tuple(_block(value))

    def identity(self, value: Any) -> Any:
        """See `Dialect`."""
        if type(value) is not dict:
            return pruned(value)
        if "role" not in value:
            return _definition(value) if "input_schema" in value else _part(value)
        body = value.get("content")
        if type(body) is str and len(value) == 2:
            return body
        out: dict[str, Any] = {}
        if len(value) > 1:
            out = pruned({k: v for k, v in value.items() if k != "role" and k != "content"})
        body = content(body, _part)
        if body is not None:
            if not out and type(body) is str:
                return body
            out["content"] = body
        return out

    def facts(self, body: dict[str, Any]) -> Facts:
        """See `Dialect`."""
        body = obj(body)
        config = obj(body.get("output_config"))
        format_ = obj(config.get("format")) or obj(body.get("output_format"))
        edited = obj(body.get("context_management")).get("edits")
        return Facts(
            model=text(body.get("model")),
            stream=flag(body.get("stream")),
            temperature=real(body.get("temperature")),
            top_p=real(body.get("top_p")),
            top_k=whole(body.get("top_k")),
            max_tokens=whole(body.get("max_tokens")),
            stop=texts(body.get("stop_sequences")),
            reasoning=text(config.get("effort")),
            output_type="json" if word(format_.get("type")).startswith("json") else None,
            completeness="request_only" if edited else None,
        )

    def response(self, body: dict[str, Any]) -> Response:
        """See `Dialect`: one message."""
        body = obj(body)
        reason = word(body.get("stop_reason"))
        items: tuple[Item, ...] = ()
        extra: tuple[dict[str, Any], ...] = ()
        if "content" in body and body.get("type") != "error":
            role = word(body.get("role")) or "assistant"
            item, left = output_of({"role": role, "content": body["content"]})
            items, extra = (item,), (left,)
        return Response(
            items,
            extra,
            usage(body.get("usage")),
            (reason,) if reason else (),
            word(body.get("id")),
            word(body.get("model")),
            bool(items) and not is_cut((reason,)),
        )

    def assemble(self, events: list[tuple[str, Any]]) -> Response:
        """See `Dialect`. A stream that was left early has not reported its output tokens."""
        stream = anthropic_stream.Blocks()
        for _, event in events:
            stream.add(event)
        response = self.response(stream.message())
        if stream.ended:
            return response
        return response._replace(complete=False)


def _built_in(value: dict[str, Any]) -> bool:
    """True for the definition of a tool that the provider runs; blocks with a name have an id."""
    return "name" in value and "id" not in value and "tool_use_id" not in value


def _result_id(block: Any) -> str | None:
    if isinstance(block, dict) and block.get("type") == "tool_result":
        return word(block.get("tool_use_id"))
    return None


def _blocks(blocks: Any) -> Iterator[Part]:
    if not isinstance(blocks, list):
        yield from read(blocks)
        return
    for block in blocks:
        if isinstance(block, dict):
            yield from _block(block)
        else:
            yield from read([block])


def _block(block: dict[str, Any]) -> Iterator[Part]:
    kind = word(block.get("type"))
    if kind == "thinking":
        yield from reasoning(block.get("thinking"))
    elif kind == "redacted_thinking":
        yield Part("reasoning", "")
    elif kind.endswith("tool_use"):
        arguments = argument_text(block.get("input"))
        yield Part("tool_call", arguments, word(block.get("name")), word(block.get("id")))
    elif kind.endswith("tool_result"):
        yield from _result(kind, block)
    elif kind == "compaction":
        yield from read(block.get("content"))
    elif kind == "document" or kind == "image":
        yield from _document(block)
    elif kind == "search_result":
        yield from read(block.get("title"))
        yield from read(block.get("content"))
    else:
        yield from read([block])


def _result(kind: str, block: dict[str, Any]) -> Iterator[Part]:
    id_, found = word(block.get("tool_use_id")), False
    name = "" if kind == "tool_result" else kind.removesuffix("_tool_result")
    body = block.get("content")
    if isinstance(body, dict):
        body = [body]
    if isinstance(body, list):
        body = [part for entry in body for part in _told(entry)]
    for part in read(body, "tool_result", name, id_):
        found = True
        yield part
    if not found:
        yield Part("tool_result", "", name, id_)


def _told(entry: Any) -> list[Any]:
    """An entry of a result as what it tells: texts, images; what is encrypted is left out."""
    found = obj(entry)
    kind = word(found.get("type"))
    if kind == "web_search_result":
        return ["\n".join(found[k] for k in ("title", "url") if isinstance(found.get(k), str))]
    if kind == "tool_reference":
        return [word(found.get("tool_name"))]
    if kind == "document":
        source = obj(found.get("source"))
        data, nested = source.get("data"), source.get("content")
        if source.get("type") == "text" and isinstance(data, str):
            return [data]
        if type(nested) is not list:
            return [{**found, "type": "image"}]
        return [part for inner in nested for part in _told(inner)]
    if kind not in _TOLD and not kind.endswith(("_result", "_error")):
        return [entry]
    texts_ = [found[k] for k in _SAYING if isinstance(found.get(k), str) and found[k]]
    nested = found.get("tool_references", found.get("content"))
    inside = nested if isinstance(nested, list) else [nested] if isinstance(nested, dict) else []
    told = [*texts_, *(part for inner in inside for part in _told(inner))]
    return told or [entry]


def _document(block: dict[str, Any]) -> Iterator[Part]:
    source = obj(block.get("source"))
    kind = source.get("type")
    if kind == "text":
        yield from read(source.get("data"))
    elif kind == "content":
        yield from _blocks(source.get("content"))
    else:
        yield Part("media", "", media_type({**block, "type": "image"}) or "")


def _part(block: dict[str, Any]) -> Any:
    kind = block.get("type")
    if kind == "tool_use" and block.keys() == _CALL and None not in block.values():
        return block
    if kind == "tool_result":
        out = {
            k: v for k, v in block.items() if v is not None and k not in MARKS and k != "content"
        }
        if out.get("is_error") is False:
            del out["is_error"]
        body = content(block.get("content"), _part)
        if body is not None:
            out["content"] = body
        return out
    out = text_part(block, _TEXT)
    if type(out) is dict and out.get("caller") == _DIRECT:
        out.pop("caller")
    return out


def _definition(tool: dict[str, Any]) -> Any:
    out = pruned(tool)
    if out.get("type") == "custom":
        del out["type"]
    return out


def usage(reported: Any) -> Usage:
    """Usage of Messages: the input is what was read fresh, from the cache, and into it."""
    reported = obj(reported)
    read_, write = (
        reported.get("cache_read_input_tokens"),
        reported.get("cache_creation_input_tokens"),
    )
    return Usage(
        total(reported.get("input_tokens"), read_, write),
        count(reported.get("output_tokens")),
        count(read_),
        count(write),
        count(obj(reported.get("output_tokens_details")).get("thinking_tokens")),
    )
