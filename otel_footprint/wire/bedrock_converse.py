"""Amazon Bedrock Converse, also the body of InvokeModel for the Nova models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from .content import argument_text, bounded, definition, opaque, read, reasoning
from .identity import MARKS, content, only_marks, pruned
from .layout import Claims
from .pieces import ROLES, output_of, role_of, with_results
from .types import Facts, Item, Layout, Part, Response, Usage
from .values import (
    compact,
    count,
    is_cut,
    items_of,
    json_or_text,
    obj,
    real,
    text,
    texts,
    total,
    whole,
    word,
)

_EVENTS: Final = (
    "messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop",
    "metadata",
)  # fmt: skip
_MEDIA: Final = {"image": "image", "video": "video", "audio": "audio", "document": "application"}


class BedrockConverse:
    """`system`, `messages` and `toolConfig.tools`; one result block a piece."""

    name = "bedrock.converse"
    facts_in_layout = True

    def layout(self, body: dict[str, Any]) -> Layout:
        """See `Dialect`: a block of `system` is an element, cache points too."""
        if not isinstance(body, dict):
            return Layout([], [], [], body)
        claims, rest = Claims(), dict(body)
        for key, value in body.items():
            listed = isinstance(value, list | tuple)
            if key == "system" and listed:
                claims.many(rest, key, ("s", list(value)))
            elif key == "messages" and listed:
                claims.many(rest, key, ("m", list(value)))
            elif key == "toolConfig" and isinstance(value, dict):
                tools = value.get("tools")
                if isinstance(tools, list | tuple):
                    rest[key] = holder = dict(value)
                    claims.many(holder, "tools", ("t", list(tools)))
        return claims.layout(rest)

    def items(self, slot: str, element: Any) -> tuple[Item, ...]:
        """See `Dialect`."""
        if slot == "tools":
            return (Item(element, "", "registry", _tool_name(element), ""),)
        role = role_of(element)
        if slot == "system":
            return (Item(element, role, "base", "", ""),)
        source = ROLES.get(role, "custom")
        if isinstance(element, dict):
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
        if "role" in value or "content" in value:
            blocks = value.get("content")
            if not isinstance(blocks, list):
                return tuple(read(blocks))
            return tuple(part for block in blocks for part in _block(block))
        if "toolSpec" in value or "systemTool" in value:
            return (definition(value, _tool_name(value)),)
        return tuple(_block(value))

    def identity(self, value: Any) -> Any:
        """See `Dialect`."""
        if type(value) is not dict:
            return pruned(value)
        if only_marks(value):
            return value
        if "role" not in value:
            return _part(value)
        out: dict[str, Any] = {}
        if len(value) > 1:
            out = pruned({k: v for k, v in value.items() if k != "role" and k != "content"})
        body = content(value.get("content"), _part)
        if body is not None:
            if not out and type(body) is str:
                return body
            out["content"] = body
        return out

    def facts(self, body: dict[str, Any]) -> Facts:
        """See `Dialect`. Over HTTP, model and stream stand in the path, not in the body."""
        body = obj(body)
        config = obj(body.get("inferenceConfig"))
        more = obj(body.get("additionalModelRequestFields"))
        model = text(body.get("modelId"))
        stored = bool(body.get("promptVariables")) or ":prompt/" in (model or "")
        return Facts(
            model=model,
            temperature=real(config.get("temperature")),
            top_p=real(config.get("topP")),
            top_k=whole(config.get("topK", more.get("top_k"))),
            max_tokens=whole(config.get("maxTokens")),
            stop=texts(config.get("stopSequences")),
            completeness="request_only" if stored else None,
        )

    def response(self, body: dict[str, Any]) -> Response:
        """See `Dialect`: one message."""
        body = obj(body)
        message = obj(body.get("output")).get("message")
        reason = word(body.get("stopReason"))
        items: tuple[Item, ...] = ()
        extra: tuple[dict[str, Any], ...] = ()
        if isinstance(message, dict):
            item, left = output_of(message)
            items, extra = (item,), (left,)
        return Response(
            items,
            extra,
            usage(body.get("usage")),
            (reason,) if reason else (),
            "",
            "",
            bool(items) and not is_cut((reason,)),
        )

    def assemble(self, events: list[tuple[str, Any]]) -> Response:
        """See `Dialect`: frames by their event type, or objects that hold one event by its name."""
        message: dict[str, Any] = {}
        blocks: dict[int, dict[str, Any]] = {}
        inputs: dict[int, list[str]] = {}
        single: list[Any] = []
        body: dict[str, Any] = {}
        for name, event in events:
            kind, event = _event(name, event)
            index = whole(event.get("contentBlockIndex")) or 0
            if kind == "messageStart":
                message["role"] = word(event.get("role")) or "assistant"
            elif kind == "contentBlockStart":
                blocks[index] = pruned(obj(event.get("start")))
            elif kind == "contentBlockDelta":
                if index not in blocks:
                    blocks[index] = {}
                    single.append(blocks[index])
                elif single and single[-1] is blocks[index]:
                    single.pop()
                _grow(blocks[index], inputs.setdefault(index, []), event)
            elif kind == "messageStop":
                body["stopReason"] = event.get("stopReason")
            elif kind == "metadata":
                body["usage"] = event.get("usage")
        for index, block in blocks.items():
            if isinstance(block.get("toolUse"), dict):
                given = "".join(inputs.get(index, ()))
                block["toolUse"]["input"] = json_or_text(given) if given else {}
            cited = block.get("citationsContent")
            if isinstance(cited, dict) and "text" in block:
                cited["content"] = [{"text": block.pop("text")}]
        if message or blocks:
            message.setdefault("role", "assistant")
            message["content"] = _whole([blocks[i] for i in sorted(blocks)], single)
            body["output"] = {"message": message}
        response = self.response(body)
        return response._replace(complete=response.complete and "stopReason" in body)


def _tool_name(tool: Any) -> str:
    if not isinstance(tool, dict):
        return ""
    for value in tool.values():
        if isinstance(value, dict) and isinstance(value.get("name"), str):
            return str(value["name"])
    return str(next(iter(tool), ""))


def _result_id(block: Any) -> str | None:
    result = block.get("toolResult") if isinstance(block, dict) else None
    return word(result.get("toolUseId")) if isinstance(result, dict) else None


def _block(block: Any) -> Iterator[Part]:
    if not isinstance(block, dict):
        yield from read([block])
        return
    if only_marks(block):
        return
    if isinstance(block.get("text"), str):
        yield Part("text", block["text"])
        return
    key, inner = next(iter(block.items()), ("", None))
    inner = obj(inner)
    if key == "toolUse":
        arguments = argument_text(inner.get("input"))
        yield Part("tool_call", arguments, word(inner.get("name")), word(inner.get("toolUseId")))
    elif key == "toolResult":
        yield from _result(inner)
    elif key == "reasoningContent":
        said = tuple(reasoning(obj(inner.get("reasoningText")).get("text")))
        yield from said or (Part("reasoning", ""),)
    elif key == "guardContent" and isinstance(inner.get("text"), dict):
        yield from read(inner["text"].get("text"))
    elif key == "citationsContent":
        yield from read(inner.get("content"))
    elif key in _MEDIA:
        source = obj(inner.get("source"))
        if isinstance(source.get("text"), str):
            yield Part("text", source["text"])
        else:
            format_ = word(inner.get("format"))
            yield Part("media", "", f"{_MEDIA[key]}/{format_}" if format_ else "")
    else:
        yield opaque(block)


def _result(result: dict[str, Any]) -> Iterator[Part]:
    id_, found = word(result.get("toolUseId")), False
    for block in items_of(result.get("content")):
        found = True
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            yield Part("tool_result", block["text"], "", id_)
        elif isinstance(block, dict) and "json" in block:
            yield Part("tool_result", compact(block["json"]), "", id_)
        else:
            yield from _block(block)
    if not found:
        yield Part("tool_result", "", "", id_)


def _part(block: dict[str, Any]) -> Any:
    result = block.get("toolResult")
    if type(result) is dict:
        inner = {k: v for k, v in result.items() if v is not None and k != "content"}
        if inner.get("status") == "success":
            del inner["status"]
        body = content(result.get("content"), _part)
        if body is not None:
            inner["content"] = body
        rest = {k: v for k, v in block.items() if k != "toolResult" and k not in MARKS}
        return {**pruned(rest), "toolResult": inner}
    out = pruned(block)
    call = out.get("toolUse")
    if type(call) is dict and call.get("type") == "tool_use":
        out["toolUse"] = {k: v for k, v in call.items() if k != "type"}
    return out["text"] if len(out) == 1 and type(out.get("text")) is str else out


def _event(name: str, event: Any) -> tuple[str, dict[str, Any]]:
    found = obj(event)
    if name in _EVENTS:
        return name, found
    for kind in _EVENTS:
        if isinstance(found.get(kind), dict):
            return kind, found[kind]
    return name, found


def _grow(block: dict[str, Any], inputs: list[str], event: dict[str, Any]) -> None:
    for key, value in obj(event.get("delta")).items():
        if key == "toolUse":
            block.setdefault("toolUse", {})
            inputs.append(word(obj(value).get("input")))
        elif isinstance(value, str):
            block[key] = word(block.get(key)) + value
        elif key == "reasoningContent" and isinstance(value, dict):
            _reason(block.setdefault("reasoningContent", {}), value)
        elif key == "citation":
            cited = obj(block.setdefault("citationsContent", {}))
            cited["citations"] = [*items_of(cited.get("citations")), value]
        elif value is not None:
            block[key] = value


def _whole(blocks: list[dict[str, Any]], single: list[Any]) -> list[dict[str, Any]]:
    """The blocks; a text that came as many blocks of one delta each, as Nova sends it, is one."""
    alone = {id(block) for block in single if block.keys() == {"text"}}
    out: list[dict[str, Any]] = []
    joins = False
    for block in blocks:
        one = id(block) in alone
        if one and joins:
            out[-1] = {"text": out[-1]["text"] + block["text"]}
        else:
            out.append(block)
        joins = one
    return out


def _reason(block: Any, delta: dict[str, Any]) -> None:
    if not isinstance(block, dict):
        return
    for key, value in delta.items():
        if key in ("text", "signature") and isinstance(value, str):
            inner = block.setdefault("reasoningText", {})
            inner[key] = word(inner.get(key)) + value
        elif value is not None:
            block[key] = value


def usage(reported: Any) -> Usage:
    """Usage of Converse: the input is what was read fresh, from the cache, and into it."""
    reported = obj(reported)
    read_ = reported.get("cacheReadInputTokens", reported.get("cacheReadInputTokenCount"))
    write = reported.get("cacheWriteInputTokens", reported.get("cacheWriteInputTokenCount"))
    return Usage(
        total(reported.get("inputTokens"), read_, write),
        count(reported.get("outputTokens")),
        count(read_),
        count(write),
    )
