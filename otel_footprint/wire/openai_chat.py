"""OpenAI chat completions, and the many providers that speak it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from . import openai_chat_stream
from .content import TEXTS, argument_text, bounded, calls, definition, opaque, read, reasoning
from .identity import MARKS, call, content, hollow, pruned, text_part
from .layout import REST, Claims, leading
from .pieces import ROLES, SYSTEM, output_of, role_of, tool_name
from .types import Facts, Item, Layout, Part, Response, Source, Usage
from .values import count, flag, is_cut, items_of, obj, real, text, texts, whole, word

_SPEAKERS: Final = ("user", "assistant", "system", "developer")
_REASONING: Final = ("reasoning_content", "reasoning")
_NOISE: Final = frozenset({"role", "parsed"}) | MARKS


class OpenAIChat:
    """`messages` and `tools` (or the older `functions`); one message an element."""

    name = "openai.chat"
    facts_in_layout = True

    def layout(self, body: dict[str, Any]) -> Layout:
        """See `Dialect`: leading system and developer messages belong to the slot `system`."""
        if not isinstance(body, dict):
            return Layout([], [], [], body)
        messages, tools = body.get("messages"), body.get("tools", ())
        if "functions" in body or type(messages) is not list or type(tools) not in (list, tuple):
            return self._odd_layout(body)
        rest = {**body, "messages": [REST["s"], REST["m"]]}
        if "tools" in body:
            rest["tools"] = [REST["t"]]
        n = leading(messages, SYSTEM)
        return Layout(messages[:n], messages[n:], list(tools), rest)

    def _odd_layout(self, body: dict[str, Any]) -> Layout:
        """Of a request without a list of messages or of tools, or with the older functions."""
        claims, rest = Claims(), dict(body)
        for key, value in body.items():
            if not isinstance(value, list | tuple):
                continue
            if key == "messages":
                n = leading(value, SYSTEM)
                claims.many(rest, key, ("s", list(value[:n])), ("m", list(value[n:])))
            elif key in ("tools", "functions"):
                claims.many(rest, key, ("t", list(value)))
        return claims.layout(rest)

    def items(self, slot: str, element: Any) -> tuple[Item, ...]:
        """See `Dialect`. A result without `tool_call_id` has the name of its function as id."""
        if slot == "tools":
            return (Item(element, "", "registry", tool_name(element), ""),)
        role = role_of(element)
        source = "base" if slot == "system" else self.source(role)
        id_ = self.result_id(element) if source == "tool-result" else ""
        return (Item(element, role, source, id_, ""),)

    def source(self, role: str) -> Source:
        """Where a message of this role comes from."""
        return ROLES.get(role, "custom")

    def result_id(self, message: dict[str, Any]) -> str:
        """Call id of a tool's message."""
        return word(message.get("tool_call_id")) or word(message.get("name"))

    @bounded
    def parts(self, value: Any) -> tuple[Part, ...]:
        """See `Dialect`."""
        if isinstance(value, str):
            return (Part("text", value),)
        if not isinstance(value, dict):
            return (opaque(value),)
        body = value.get("content")
        if len(value) == 2 and type(body) is str and value.get("role") in _SPEAKERS:
            return (Part("text", body),)
        if "role" in value or "content" in value or "tool_calls" in value:
            return tuple(self._message(value))
        name = tool_name(value)
        return (definition(value, name),) if name else (opaque(value),)

    def _message(self, message: dict[str, Any]) -> Iterator[Part]:
        for key in _REASONING:
            if message.get(key):
                yield from reasoning(message[key])
        body = message.get("content")
        if self.source(word(message.get("role"))) == "tool-result":
            name, id_ = word(message.get("name")), self.result_id(message)
            found = tuple(read(body, "tool_result", name, id_))
            yield from found or (Part("tool_result", "", name, id_),)
        else:
            yield from read(body)
        if isinstance(message.get("refusal"), str) and message["refusal"]:
            yield Part("refusal", message["refusal"])
        audio = message.get("audio")
        if isinstance(audio, dict) and not hollow(audio):
            yield Part("media", "", "audio")
            yield from read(audio.get("transcript"))
        yield from calls(message.get("tool_calls"))
        function = message.get("function_call")
        if isinstance(function, dict) and not hollow(function):
            arguments = argument_text(function.get("arguments"))
            yield Part("tool_call", arguments, word(function.get("name")))

    def identity(self, value: Any) -> Any:
        """See `Dialect`."""
        if type(value) is not dict:
            return pruned(value)
        body = value.get("content")
        if type(body) is str and "role" in value:
            if len(value) == 2:
                return body
            if len(value) == 3 and "tool_call_id" in value:
                return {"content": body, "tool_call_id": value["tool_call_id"]}
        if "role" in value or body is not None:
            return self._identity(value)
        return self.tool_identity(value)

    def _identity(self, message: dict[str, Any]) -> Any:
        out: dict[str, Any] = {}
        for key, value in message.items():
            if value is None or key in _NOISE or (key != "content" and hollow(value)):
                continue
            if key == "content":
                value = content(value, self.part_identity)
            elif key == "tool_calls" and type(value) is list:
                value = [call(v) for v in value]
            elif key == "audio" and type(value) is dict and "id" in value:
                value = {"id": value["id"]}
            elif type(value) is not str:
                value = pruned(value)
            if value is False and key == "prefix":  # Mistral's default
                continue
            if value is not None and value != []:
                out[key] = value
        if "tool_calls" in out and out.get("content") == "":
            del out["content"]
        return out["content"] if len(out) == 1 and type(out.get("content")) is str else out

    def part_identity(self, part: dict[str, Any]) -> Any:
        """Identity of one part of a message's content."""
        return text_part(part, TEXTS)

    def tool_identity(self, tool: dict[str, Any]) -> Any:
        """Identity of a tool's definition."""
        return pruned(tool)

    def facts(self, body: dict[str, Any]) -> Facts:
        """See `Dialect`."""
        body = obj(body)
        tokens = whole(body.get("max_completion_tokens"))
        level = text(body.get("reasoning_effort"))
        return Facts(
            model=text(body.get("model")),
            stream=flag(body.get("stream")),
            temperature=real(body.get("temperature")),
            top_p=real(body.get("top_p")),
            top_k=whole(body.get("top_k")),
            max_tokens=tokens if tokens is not None else whole(body.get("max_tokens")),
            seed=whole(body.get("seed", body.get("random_seed"))),
            choices=whole(body.get("n")),
            stop=texts(body.get("stop")),
            frequency_penalty=real(body.get("frequency_penalty")),
            presence_penalty=real(body.get("presence_penalty")),
            reasoning=level or text(obj(body.get("reasoning")).get("effort")),
            output_type=output_type(body.get("response_format"), body.get("modalities")),
        )

    def response(self, body: dict[str, Any]) -> Response:
        """See `Dialect`: one piece a choice."""
        body = obj(body)
        items, extra, reasons = [], [], []
        for choice in items_of(body.get("choices")):
            message = choice.get("message") if isinstance(choice, dict) else None
            if isinstance(message, dict):
                item, left = output_of(message)
                items.append(item)
                extra.append(left)
            if reason := word(obj(choice).get("finish_reason")):
                reasons.append(reason)
        return Response(
            tuple(items),
            tuple(extra),
            usage(body.get("usage")),
            tuple(reasons),
            word(body.get("id")),
            word(body.get("model")),
            bool(items) and not is_cut(tuple(reasons)),
        )

    def assemble(self, events: list[tuple[str, Any]]) -> Response:
        """See `Dialect`."""
        state = openai_chat_stream.Chunks()
        for _, chunk in events:
            state.add(chunk)
        messages, whole_ = state.messages()
        reasons = state.reasons()
        return Response(
            tuple(Item(m, word(m.get("role")), "assistant", "", "") for m in messages),
            tuple({} for _ in messages),
            usage(state.usage),
            reasons,
            state.id,
            state.model,
            whole_ and not is_cut(reasons),
        )


def output_type(response_format: Any, modalities: Any = None) -> str | None:
    """`gen_ai.output.type` of a response format and of the modalities asked for."""
    if "audio" in items_of(modalities):
        return "speech"
    kind = response_format.get("type") if isinstance(response_format, dict) else None
    if kind == "text":
        return "text"
    return "json" if isinstance(kind, str) and kind.startswith("json") else None


def usage(reported: Any) -> Usage:
    """Usage of chat completions; `prompt_tokens` includes cached ones already."""
    reported = obj(reported)
    inputs = obj(reported.get("prompt_tokens_details"))
    outputs = obj(reported.get("completion_tokens_details"))
    read_ = count(inputs.get("cached_tokens"))
    return Usage(
        count(reported.get("prompt_tokens")),
        count(reported.get("completion_tokens")),
        read_ if read_ is not None else count(reported.get("prompt_cache_hit_tokens")),
        count(inputs.get("cache_write_tokens")),
        count(outputs.get("reasoning_tokens")),
    )
