"""What spans of other instrumentations say that a model was given and wrote.

Each vocabulary in use is read: `gen_ai.input.messages` and its relatives as JSON on the span or an
event, indexed keys (`gen_ai.prompt.0.content`, `llm.input_messages.0.message.content`), one
event a message, and whole requests as JSON. The first that says anything counts; nothing is added
up, nothing raises.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from ..records.trail import Span
from ..telemetry import names
from ..wire import DIALECTS, Part
from ..wire.detect import by_shape

MOST: Final = 5_000
"""Messages of one span that are read."""
_TOOL_DEFINITIONS: Final = "gen_ai.tool.definitions"
_INPUT_JSON: Final = ("input.value", "gcp.vertex.agent.llm_request", "request_data",
                      "traceloop.entity.input", "pydantic_ai.all_messages",
                      "all_messages_events")  # fmt: skip
_OUTPUT_JSON: Final = ("output.value", "gcp.vertex.agent.llm_response", "response_data",
                       "traceloop.entity.output")  # fmt: skip
_TOOL_IN: Final = ("gen_ai.tool.call.arguments", "gcp.vertex.agent.tool_call_args", "input.value",
                   "tool.parameters", "traceloop.entity.input", "tool_arguments")  # fmt: skip
_TOOL_OUT: Final = ("gen_ai.tool.call.result", "gcp.vertex.agent.tool_response", "output.value",
                    "traceloop.entity.output", "tool_response")  # fmt: skip
_TOOL_ID: Final = (names.TOOL_CALL_ID, "tool.id", "tool_call.id")
_SYSTEM: Final = frozenset({"system", "developer"})
_MODEL: Final = frozenset({"assistant", "model", "ai"})
_RESULT: Final = frozenset({"tool", "function", "ipython"})
_INDEXED: Final = re.compile(
    r"(?:gen_ai\.(?P<old>prompt|completion)|llm\.(?P<oi>input|output)_messages)\.(?P<n>\d{1,4})\."
    r"(?:message\.)?(?P<rest>.+)"
)
_CALL: Final = re.compile(
    r"(?:contents\.\d+\.)?tool_calls?\.(?:(?P<n>\d+)\.)?(?:tool_call\.)?(?:function\.)?"
    r"(?P<key>id|name|arguments)$"
)
_EVENT: Final = re.compile(r"gen_ai\.(?P<role>system|user|assistant|tool)\.message$")


class Said(NamedTuple):
    """One piece as a foreign span holds it."""

    slot: str
    """system, messages, tools or output."""
    role: str
    source: str
    parts: tuple[Part, ...]
    id: str = ""
    event: str = ""
    """Name of the event that holds it; empty: the span's attributes."""


class ToolSaid(NamedTuple):
    """What a foreign tool span holds; None: nothing."""

    id: str
    arguments: str | None
    result: str | None


def messages_of(span: Span) -> list[Said]:
    """The pieces that a span holds, those in front of the model first."""
    out = list(_standard(span.attributes, ""))
    for event in span.events:
        if not any(s.slot == "messages" for s in out) or not any(s.slot == "output" for s in out):
            more = list(_standard({**event.attributes, **_body(event.attributes)}, event.name))
            have = {s.slot for s in out}
            out += [s for s in more if s.slot not in have]
    for found in (_indexed(span.attributes), _by_events(span), _requests(span.attributes)):
        have = {s.slot for s in out}
        if {"messages", "output"} <= have:
            break
        out += [s for s in found if s.slot not in have]
    order = {"system": 0, "messages": 1, "tools": 2, "output": 3}
    return sorted(out[:MOST], key=lambda s: order[s.slot])


def tool_of(span: Span) -> ToolSaid:
    """Arguments and result of a tool span."""
    a = span.attributes
    return ToolSaid(
        next((str(a[k]) for k in _TOOL_ID if a.get(k)), ""),
        next((_text(a[k]) for k in _TOOL_IN if a.get(k) not in (None, "")), None),
        next((_text(a[k]) for k in _TOOL_OUT if a.get(k) not in (None, "")), None),
    )


# --- vocabularies ----------------------------------------------------------------------------


def _standard(attributes: Mapping[str, Any], event: str) -> Iterator[Said]:
    """The conventions' own names."""
    for part in _parts(_parsed(attributes.get(names.SYSTEM_INSTRUCTIONS))):
        yield Said("system", "system", "base", (part,), "", event)
    for value in _listed(attributes.get(names.INPUT_MESSAGES)):
        yield from _message(value, "messages", event)
    for value in _listed(attributes.get(_TOOL_DEFINITIONS)):
        yield from _definition(value, event)
    for value in _listed(attributes.get(names.OUTPUT_MESSAGES)):
        yield from _message(value, "output", event)


def _indexed(attributes: Mapping[str, Any]) -> Iterator[Said]:
    """`gen_ai.prompt.0.content`, `llm.input_messages.0.message.content` and theirs."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    tools: list[Any] = []
    for key, value in attributes.items():
        match = _INDEXED.match(key)
        if match is None:
            if re.fullmatch(r"llm\.tools\.\d+\.tool\.json_schema", key):
                tools.append(_parsed(value))
            continue
        slot = "output" if match["old"] == "completion" or match["oi"] == "output" else "messages"
        found.setdefault((slot, int(match["n"])), {})[match["rest"]] = value
    for (slot, _), fields in sorted(found.items()):
        yield from _message(_unindexed(fields, slot), slot, "")
    for tool in tools:
        yield from _definition(tool, "")


def _unindexed(fields: dict[str, Any], slot: str) -> dict[str, Any]:
    """A message of indexed keys as one of OpenAI's shape."""
    calls: dict[str, dict[str, Any]] = {}
    texts: list[str] = []
    for key in sorted(fields, key=lambda k: [int(x) if x.isdigit() else -1 for x in k.split(".")]):
        match = _CALL.match(key)
        if match is not None:
            calls.setdefault(match["n"] or key.split(".")[1], {})[match["key"]] = fields[key]
        elif key == "content" or re.fullmatch(r"content\.\d+", key) or key.endswith("content.text"):
            texts.append(_text(fields[key]))
    unique = {
        (c.get("id"), c.get("name"), _text(c.get("arguments", ""))): c for c in calls.values()
    }
    role = fields.get("role") or ("assistant" if slot == "output" else "user")
    made: dict[str, Any] = {"role": role, "content": "\n".join(dict.fromkeys(texts))}
    if fields.get("tool_call_id"):
        made["tool_call_id"] = fields["tool_call_id"]
    if unique:
        made["tool_calls"] = [
            {"id": c.get("id", ""), "type": "function",
             "function": {"name": c.get("name", ""), "arguments": _text(c.get("arguments", ""))}}
            for c in unique.values()
        ]  # fmt: skip
    return made


def _by_events(span: Span) -> Iterator[Said]:
    """One event a message, as the older convention had it."""
    for event in span.events:
        body = {**event.attributes, **_body(event.attributes)}
        match = _EVENT.match(event.name)
        if match is not None:
            id_ = {"tool_call_id": body["id"]} if match["role"] == "tool" and "id" in body else {}
            yield from _message({"role": match["role"], **body, **id_}, "messages", event.name)
        elif event.name == "gen_ai.choice":
            message = _parsed(body.get("message"))
            if isinstance(message, str):
                message = {"content": message}
            if isinstance(message, dict):
                yield from _message({"role": "assistant", **message}, "output", event.name)


def _requests(attributes: Mapping[str, Any]) -> Iterator[Said]:
    """Whole requests and responses as JSON, in a provider's own shape, or a plain text."""
    body = next(
        (v for k in _INPUT_JSON if (v := _parsed(attributes.get(k))) not in (None, "")), None
    )
    dialect = None
    if isinstance(body, dict):
        if "config" in body and "contents" in body:
            config = body["config"] if isinstance(body["config"], dict) else {}
            body = {**body, **{_camel(k): v for k, v in config.items()}}
            instruction = body.get("systemInstruction")
            if isinstance(instruction, str):
                body["systemInstruction"] = {"parts": [{"text": instruction}]}
        dialect = by_shape("", body)
    if dialect is not None and isinstance(body, dict):
        layout = dialect.layout(body)
        for slot in ("system", "messages", "tools"):
            for element in getattr(layout, slot):
                for item in dialect.items(slot, element):
                    yield Said(slot, item.role, item.source, dialect.parts(item.value), item.id)
    elif isinstance(body, list):
        for value in body:
            yield from _message(value, "messages", "")
    elif isinstance(body, str):
        yield Said("messages", "user", "user", (Part("text", body),))
    answer = next(
        (v for k in _OUTPUT_JSON if (v := _parsed(attributes.get(k))) not in (None, "")), None
    )
    yield from _answer(answer, dialect)


def _answer(answer: Any, dialect: Any) -> Iterator[Said]:
    if isinstance(answer, str):
        yield Said("output", "assistant", "assistant", (Part("text", answer),))
    elif isinstance(answer, dict):
        items = dialect.response(answer).items if dialect is not None else ()
        if items:
            for item in items:
                yield Said("output", item.role, "assistant", dialect.parts(item.value))
        elif isinstance(answer.get("content"), dict | list | str):
            inner = answer["content"]
            value = inner if isinstance(inner, dict) else {"role": "assistant", "content": inner}
            yield from _message({**value, "role": "assistant"}, "output", "")


# --- one message ---------------------------------------------------------------------------


def _message(value: Any, slot: str, event: str) -> Iterator[Said]:
    """One message of any shape; several pieces where it holds results beside other parts."""
    if isinstance(value, str):
        value = {"content": value}
    if not isinstance(value, dict):
        return
    role = str(
        value.get("role") or value.get("type") or ("assistant" if slot == "output" else "user")
    )
    parts = _message_parts(value)
    if slot == "output":
        yield Said(slot, role, "assistant", parts, "", event)
        return
    if role in _SYSTEM:
        yield Said("system", role, "base", parts, "", event)
        return
    id_ = str(value.get("tool_call_id") or value.get("call_id") or "")
    results = [p for p in parts if p.kind == "tool_result"]
    if role in _RESULT and not results:
        results = [p._replace(kind="tool_result") for p in parts if p.text]
        parts = tuple(results)
    for result in results:
        yield Said(slot, role, "tool-result", (result,), result.id or id_, event)
    others = tuple(p for p in parts if p.kind != "tool_result")
    if others or not results:
        source = (
            "assistant" if role in _MODEL else "user" if role in ("user", "human") else "custom"
        )
        yield Said(slot, role, source, others, "", event)


def _message_parts(value: dict[str, Any]) -> tuple[Part, ...]:
    body = _parsed(value.get("parts")) if "parts" in value else None
    if isinstance(body, list):
        return tuple(_parts(body))
    content = value.get("content")
    blocks = content if isinstance(content, list) else []
    kinds = {b.get("type") for b in blocks if isinstance(b, dict)}
    if kinds & {"tool_use", "tool_result", "thinking"}:
        return DIALECTS["anthropic.messages"].parts(value)
    if str(value.get("type", "")).startswith("function_call"):
        return DIALECTS["openai.responses"].parts(value)
    if isinstance(content, dict):
        value = {**value, "content": json.dumps(content, ensure_ascii=False)}
    return DIALECTS["openai.chat"].parts({"role": "user", **value})


def _parts(values: Any) -> Iterator[Part]:
    """Parts as the conventions spell them, or as Gemini does."""
    if isinstance(values, str):
        yield Part("text", values)
        return
    for value in values if isinstance(values, list) else []:
        if isinstance(value, str):
            yield Part("text", value)
        if not isinstance(value, dict):
            continue
        kind = value.get("type")
        call, answer = value.get("function_call"), value.get("function_response")
        if isinstance(call, dict):
            yield Part("tool_call", _text(call.get("args", "")), str(call.get("name", "")),
                       str(call.get("id", "")))  # fmt: skip
        elif isinstance(answer, dict):
            said = _text(answer.get("response", ""))
            yield Part("tool_result", said, str(answer.get("name", "")), str(answer.get("id", "")))
        elif kind == "tool_call":
            yield Part("tool_call", _text(value.get("arguments", "")), str(value.get("name", "")),
                       str(value.get("id") or ""))  # fmt: skip
        elif kind in ("tool_call_response", "tool_result"):
            said = _text(value.get("response", value.get("result", value.get("content", ""))))
            yield Part("tool_result", said, str(value.get("name", "")),
                       str(value.get("id") or ""))  # fmt: skip
        elif kind in ("reasoning", "thinking"):
            yield Part("reasoning", _text(value.get("content", value.get("text", ""))))
        else:
            text = value.get("content", value.get("text"))
            yield Part("text", _text(text)) if text is not None else Part("opaque", _text(value))


def _definition(value: Any, event: str) -> Iterator[Said]:
    value = _parsed(value)
    if isinstance(value, dict):
        inner = value.get("function")
        function = inner if isinstance(inner, dict) else value
        name = str(function.get("name", ""))
        text = json.dumps(value, ensure_ascii=False)
        yield Said("tools", "", "registry", (Part("definition", text, name),), name, event)


# --- values --------------------------------------------------------------------------------


def _listed(value: Any) -> Iterable[Any]:
    found = _parsed(value)
    return found if isinstance(found, list) else [found] if isinstance(found, dict) else []


def _parsed(value: Any) -> Any:
    if not isinstance(value, str) or value[:1] not in ("{", "["):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _body(attributes: Mapping[str, Any]) -> dict[str, Any]:
    body = _parsed(attributes.get("body"))
    return body if isinstance(body, dict) else {}


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):
        return str(value)


def _camel(key: str) -> str:
    head, *rest = key.split("_")
    return head + "".join(word.title() for word in rest)
