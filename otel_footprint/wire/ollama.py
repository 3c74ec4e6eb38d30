"""Ollama's own chat API (its other one is chat completions)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .openai_chat import OpenAIChat
from .openai_chat_stream import Chunks
from .pieces import output_of
from .types import Facts, Item, Part, Response, Usage
from .values import count, flag, is_cut, items_of, obj, real, text, texts, whole, word


class OllamaChat(OpenAIChat):
    """Messages as in chat completions, with images beside the text and arguments as objects."""

    name = "ollama.chat"

    def result_id(self, message: dict[str, Any]) -> str:
        """Call id of a tool's message; Ollama mostly has none, then the tool's name."""
        return (
            word(message.get("tool_call_id"))
            or word(message.get("tool_name"))
            or word(message.get("name"))
        )

    def _message(self, message: dict[str, Any]) -> Iterator[Part]:
        if isinstance(message.get("thinking"), str):
            yield Part("reasoning", message["thinking"])
        yield from super()._message(message)
        for _ in items_of(message.get("images")):
            yield Part("media", "", "image")

    def facts(self, body: dict[str, Any]) -> Facts:
        """See `Dialect`."""
        body = obj(body)
        options = obj(body.get("options"))
        format_ = body.get("format")
        return Facts(
            model=text(body.get("model")),
            stream=flag(body.get("stream")),
            temperature=real(options.get("temperature")),
            top_p=real(options.get("top_p")),
            top_k=whole(options.get("top_k")),
            max_tokens=whole(options.get("num_predict")),
            seed=whole(options.get("seed")),
            stop=texts(options.get("stop")),
            frequency_penalty=real(options.get("frequency_penalty")),
            presence_penalty=real(options.get("presence_penalty")),
            reasoning=text(body.get("think")),
            output_type="json" if format_ == "json" or (format_ and obj(format_)) else None,
        )

    def response(self, body: dict[str, Any]) -> Response:
        """See `Dialect`: one message."""
        body = obj(body)
        message = body.get("message")
        reason = word(body.get("done_reason"))
        items: tuple[Item, ...] = ()
        extra: tuple[dict[str, Any], ...] = ()
        if isinstance(message, dict):
            item, left = output_of(message)
            items, extra = (item,), (left,)
        return Response(
            items,
            extra,
            Usage(count(body.get("prompt_eval_count")), count(body.get("eval_count"))),
            (reason,) if reason else (),
            "",
            word(body.get("model")),
            bool(items) and body.get("done") is not False and not is_cut((reason,)),
        )

    def assemble(self, events: list[tuple[str, Any]]) -> Response:
        """See `Dialect`: lines, the last of which says that it is done."""
        chunks, calls = Chunks(), []
        last: dict[str, Any] = {}
        for _, event in events:
            event = obj(event)
            last.update({k: v for k, v in event.items() if v is not None})
            message = obj(event.get("message"))
            calls += items_of(message.get("tool_calls"))
            delta = {k: v for k, v in message.items() if k != "tool_calls"}
            if delta:
                chunks.add({"choices": [{"delta": delta}]})
        messages, _ = chunks.messages()
        last.pop("message", None)
        if messages:
            last["message"] = {**messages[0], **({"tool_calls": calls} if calls else {})}
        response = self.response(last)
        return response._replace(complete=response.complete and last.get("done") is True)
