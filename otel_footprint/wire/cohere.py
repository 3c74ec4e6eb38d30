"""Cohere v2 chat; of v1 the request's preamble, history and message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .content import read
from .layout import Claims
from .openai_chat import OpenAIChat, output_type
from .openai_chat_stream import Chunks
from .pieces import ROLES, output_of
from .types import Facts, Item, Layout, Part, Response, Source, Usage
from .values import compact, count, flag, is_cut, obj, real, text, texts, whole, word


class CohereChat(OpenAIChat):
    """Messages as in chat completions, with a tool plan, documents and other names around."""

    name = "cohere.chat"

    def layout(self, body: dict[str, Any]) -> Layout:
        """See `Dialect`."""
        if not isinstance(body, dict) or "messages" in body or "message" not in body:
            return super().layout(body)
        claims, rest = Claims(), dict(body)
        for key, value in body.items():
            if key == "preamble" and isinstance(value, str):
                claims.one(rest, key, "s", value)
            elif key == "message" and isinstance(value, str):
                claims.one(rest, key, "m", value)
            elif key in ("chat_history", "tools") and isinstance(value, list):
                claims.many(rest, key, ("t" if key == "tools" else "m", list(value)))
        return claims.layout(rest)

    def items(self, slot: str, element: Any) -> tuple[Item, ...]:
        """See `Dialect`."""
        if slot == "messages" and isinstance(element, str):
            return (Item(element, "user", "user", "", ""),)
        return super().items(slot, element)

    def source(self, role: str) -> Source:
        """Where a message of this role comes from; v1 writes roles in capitals."""
        role = role.lower()
        return "assistant" if role == "chatbot" else ROLES.get(role, "custom")

    def _message(self, message: dict[str, Any]) -> Iterator[Part]:
        if isinstance(message.get("tool_plan"), str):
            yield Part("reasoning", message["tool_plan"])
        yield from read(message.get("message"))
        documents = message.get("content")
        if isinstance(documents, list):
            message = {**message, "content": [_document(part) for part in documents]}
        yield from super()._message(message)

    def facts(self, body: dict[str, Any]) -> Facts:
        """See `Dialect`."""
        body = obj(body)
        return Facts(
            model=text(body.get("model")),
            stream=flag(body.get("stream")),
            temperature=real(body.get("temperature")),
            top_p=real(body.get("p")),
            top_k=whole(body.get("k")),
            max_tokens=whole(body.get("max_tokens")),
            seed=whole(body.get("seed")),
            stop=texts(body.get("stop_sequences")),
            frequency_penalty=real(body.get("frequency_penalty")),
            presence_penalty=real(body.get("presence_penalty")),
            output_type=output_type(body.get("response_format")),
            completeness="request_only" if body.get("conversation_id") else None,
        )

    def response(self, body: dict[str, Any]) -> Response:
        """See `Dialect`: one message."""
        body = obj(body)
        message = body.get("message")
        items: tuple[Item, ...] = ()
        extra: tuple[dict[str, Any], ...] = ()
        if isinstance(message, dict):
            item, left = output_of(message)
            items, extra = (item,), (left,)
        elif isinstance(body.get("text"), str) and "generation_id" in body:
            value = {"role": "CHATBOT", "message": body["text"]}
            items, extra = (Item(value, "CHATBOT", "assistant", "", ""),), ({},)
        reason = word(body.get("finish_reason"))
        return Response(
            items,
            extra,
            usage(body.get("usage", body.get("meta"))),
            (reason,) if reason else (),
            word(body.get("id", body.get("generation_id"))),
            "",
            bool(items) and not is_cut((reason,)),
        )

    def assemble(self, events: list[tuple[str, Any]]) -> Response:
        """See `Dialect`."""
        chunks, last, id_ = Chunks(), {}, ""
        first: dict[str, Any] = {}
        contents: dict[int, dict[str, Any]] = {}
        for _, event in events:
            event = obj(event)
            kind, index = word(event.get("type")), whole(event.get("index")) or 0
            id_ = id_ or word(event.get("id"))
            if word(event.get("event_type")):
                first = _first_version(event, first)
                continue
            delta = obj(event.get("delta"))
            if kind == "message-end":
                last = delta
            message = obj(delta.get("message"))
            part = obj(message.get("content"))
            for key, value in part.items():
                into = contents.setdefault(index, {})
                into[key] = _longer(into.get(key), key, value)
            chunks.add({"choices": [{"delta": _chunk(message, index)}]})
        if first:
            response = self.response(first)
            return response._replace(complete=response.complete and "finish_reason" in first)
        messages, _ = chunks.messages()
        message = messages[0] if messages else {}
        if contents:
            message["content"] = [contents[index] for index in sorted(contents)]
        seen = {key: value for key, value in message.items() if key == "role" or value != ""}
        body = {"id": id_, **last, "message": seen} if len(seen) > 1 else {"id": id_, **last}
        response = self.response(body)
        return response._replace(complete=response.complete and bool(last.get("finish_reason")))


def _document(part: Any) -> Any:
    document = part.get("document") if isinstance(part, dict) else None
    if document is None:
        return part
    data = document.get("data", document) if isinstance(document, dict) else document
    return {"type": "text", "text": data if isinstance(data, str) else compact(data)}


def _chunk(message: dict[str, Any], index: int) -> dict[str, Any]:
    """A delta of Cohere as a delta of chat completions, without the content."""
    out = {k: v for k, v in message.items() if k not in ("content", "citations", "tool_calls")}
    call = message.get("tool_calls")
    if isinstance(call, dict):
        out["tool_calls"] = [{"index": index, **call}]
    cited = message.get("citations")
    if isinstance(cited, dict):
        out["citations"] = [cited]
    return out


def _first_version(event: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    """The body of a v1 response, grown by an event of its stream; the last one brings it whole."""
    if event.get("event_type") == "stream-end" and isinstance(event.get("response"), dict):
        return {"finish_reason": event.get("finish_reason"), **event["response"]}
    if event.get("event_type") == "text-generation" and isinstance(event.get("text"), str):
        return {**body, "text": word(body.get("text")) + event["text"]}
    id_ = event.get("generation_id")
    return {**body, "generation_id": id_} if isinstance(id_, str) else body


def _longer(before: Any, key: str, value: Any) -> Any:
    grows = key != "type" and isinstance(before, str) and isinstance(value, str)
    return before + value if grows else value


def usage(reported: Any) -> Usage:
    """Usage of Cohere: the tokens the model handled, else those that were billed."""
    reported = obj(reported)
    tokens = obj(reported.get("tokens")) or obj(reported.get("billed_units"))
    return Usage(
        count(tokens.get("input_tokens")),
        count(tokens.get("output_tokens")),
        count(reported.get("cached_tokens")),
    )
