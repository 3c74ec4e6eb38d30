"""Gemini `generateContent`, of the Gemini API and of Vertex, in camelCase and snake_case."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, TypeGuard

from .content import argument_text, bounded, definition, opaque, read
from .identity import PAYLOADS, only_marks
from .layout import Claims, frame_of
from .pieces import ROLES, output_of, role_of, with_results
from .types import Facts, Item, Layout, Part, Response, Usage
from .values import (
    compact,
    count,
    is_cut,
    items_of,
    merged,
    obj,
    real,
    text,
    texts,
    total,
    whole,
    word,
)

_SYSTEM: Final = ("systemInstruction", "system_instruction")
_DECLARATIONS: Final = ("functionDeclarations", "function_declarations")
_SIGNATURES: Final = frozenset({"thoughtSignature"})
_SIGNED: Final = _SIGNATURES | {"thought"}
_ALPHABET: Final = str.maketrans("-_", "+/", "=")
_REASONS: Final = {1: "STOP", 2: "MAX_TOKENS", 3: "SAFETY", 4: "RECITATION"}
"""Finish reasons that an answer with numbered enumerations names by number."""


class Gemini:
    """A part of the system instruction, a content and a function's declaration are pieces."""

    name = "gemini.generate_content"
    facts_in_layout = True

    def layout(self, body: dict[str, Any]) -> Layout:
        """See `Dialect`. A lone object where the API expects a list is one element."""
        if not isinstance(body, dict):
            return Layout([], [], [], body)
        claims, rest = Claims(), dict(body)
        for key, value in body.items():
            if key in _SYSTEM:
                self._system(claims, rest, key, value)
            elif key in ("contents", "tools"):
                slot = "m" if key == "contents" else "t"
                if isinstance(value, list | tuple):
                    claims.many(rest, key, (slot, list(value)))
                elif isinstance(value, dict) or (slot == "m" and isinstance(value, str)):
                    claims.one(rest, key, slot, value)
        return claims.layout(rest)

    def _system(self, claims: Claims, rest: dict[str, Any], key: str, value: Any) -> None:
        if isinstance(value, str):
            claims.one(rest, key, "s", value)
        elif isinstance(value, dict) and isinstance(value.get("parts"), list | tuple | dict):
            rest[key] = holder = dict(value)
            if isinstance(value["parts"], dict):
                claims.one(holder, "parts", "s", value["parts"])
            else:
                claims.many(holder, "parts", ("s", list(value["parts"])))

    def items(self, slot: str, element: Any) -> tuple[Item, ...]:
        """See `Dialect`.

        The id of a function's response is its `id`; the API allows to leave that out, then it is
        the function's name, which is what the model matches by. A content without a role is a
        user's, as the API reads it.
        """
        if slot == "tools":
            return _tools(element)
        role = role_of(element)
        if slot == "system":
            return (Item(element, role, "base", "", ""),)
        source = ROLES.get(role, "custom")
        if not role and (isinstance(element, str) or "parts" in obj(element)):
            source = "user"
        if isinstance(element, dict):
            beside = "user" if source == "tool-result" else source
            results = with_results(element, "parts", role, beside, _result_id)
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
        if "parts" in value or "role" in value:
            parts = value.get("parts")
            listed = parts if isinstance(parts, list) else [] if parts is None else [parts]
            return tuple(found for part in listed for found in _part_parts(part))
        if isinstance(value.get("name"), str):
            return (definition(value, value["name"]),)
        return tuple(_part_parts(value))

    def identity(self, value: Any) -> Any:
        """See `Dialect`: also equal in camelCase and snake_case."""
        if type(value) is not dict:
            return _same(value)
        out: dict[str, Any] = _same({k: v for k, v in value.items() if k not in ("role", "parts")})
        if "parts" not in value:
            return _text_or(out)
        parts = value["parts"]
        if type(parts) is dict:
            parts = [parts]
        if type(parts) is list:
            parts = [_text_or(_same(part)) for part in parts if not only_marks(part)]
            if value.get("role") == "model":
                parts = _joined(parts)
            parts = [part for part in parts if part or type(part) is not str] or parts[:1]
            if not out and len(parts) == 1 and type(parts[0]) is str:
                return parts[0]
        if parts is not None and parts != []:
            out["parts"] = parts
        return out

    def facts(self, body: dict[str, Any]) -> Facts:
        """See `Dialect`. Model and stream stand in the request's path, not in its body."""
        body = obj(body)
        config = _camel_keys(obj(body.get("generationConfig", body.get("generation_config"))))
        thinking = _camel_keys(obj(config.get("thinkingConfig")))
        cached = body.get("cachedContent", body.get("cached_content"))
        return Facts(
            model=text(body.get("model")),
            temperature=real(config.get("temperature")),
            top_p=real(config.get("topP")),
            top_k=whole(config.get("topK")),
            max_tokens=whole(config.get("maxOutputTokens")),
            seed=whole(config.get("seed")),
            choices=whole(config.get("candidateCount")),
            stop=texts(config.get("stopSequences")),
            frequency_penalty=real(config.get("frequencyPenalty")),
            presence_penalty=real(config.get("presencePenalty")),
            reasoning=text(thinking.get("thinkingLevel")),
            output_type=_output_type(config),
            completeness="request_only" if cached else None,
        )

    def response(self, body: dict[str, Any]) -> Response:
        """See `Dialect`: one piece a candidate. A list of responses is read as a stream."""
        if isinstance(body, list):
            return self.assemble([("", event) for event in body])
        body = _camel_keys(obj(body))
        items, extra, reasons = [], [], []
        for candidate in items_of(body.get("candidates")):
            content = obj(candidate).get("content")
            if isinstance(content, dict):
                item, left = output_of(content, "model")
                items.append(item)
                extra.append(left)
            reason = _camel_keys(obj(candidate)).get("finishReason")
            reasons.append(_reason(reason))
        blocked = obj(body.get("promptFeedback", {})).get("blockReason")
        found = tuple(reason for reason in (*reasons, _reason(blocked)) if reason)
        return Response(
            tuple(items),
            tuple(extra),
            usage(body.get("usageMetadata")),
            found,
            word(body.get("responseId")),
            word(body.get("modelVersion")),
            bool(items) and not is_cut(found) and "error" not in body,
        )

    def assemble(self, events: list[tuple[str, Any]]) -> Response:
        """See `Dialect`: texts that follow one another are one part."""
        last: dict[str, Any] = {}
        candidates: dict[int, dict[str, Any]] = {}
        counted = Usage()
        for _, event in events:
            event = _camel_keys(obj(event))
            counted = merged(counted, usage(event.get("usageMetadata")))
            last.update({k: v for k, v in event.items() if v is not None})
            for candidate in items_of(event.get("candidates")):
                if isinstance(candidate, dict):
                    index = whole(candidate.get("index")) or 0
                    _grow(candidates.setdefault(index, {}), candidate)
        last["candidates"] = [candidates[index] for index in sorted(candidates)]
        response = self.response(last)
        ended = bool(candidates) and all(
            _reason(_camel_keys(c).get("finishReason")) for c in candidates.values()
        )
        return response._replace(usage=counted, complete=response.complete and ended)


def _tools(element: Any) -> tuple[Item, ...]:
    if not isinstance(element, dict):
        return (Item(element, "", "registry", "", ""),)
    if len(element) == 1:
        key, declared = next(iter(element.items()))
        if key in _DECLARATIONS and type(declared) is list and declared:
            frame = frame_of(element, key, len(declared))
            items = [Item(d, "", "registry", word(obj(d).get("name")), "") for d in declared]
            items[0] = items[0]._replace(frame=frame)
            return tuple(items)
    built_in = next((key for key in element if key not in _DECLARATIONS), "")
    return (Item(element, "", "registry", str(built_in), ""),)


def _result_id(part: Any) -> str | None:
    if not isinstance(part, dict):
        return None
    result = part.get("functionResponse", part.get("function_response"))
    if not isinstance(result, dict):
        return None
    return word(result.get("id")) or word(result.get("name"))


def _part_parts(part: Any) -> Iterator[Part]:
    if not isinstance(part, dict):
        yield from read([part])
        return
    found = _camel_keys(part)
    call = found.get("functionCall", found.get("toolCall"))
    result = found.get("functionResponse", found.get("toolResponse"))
    media = found.get("inlineData", found.get("fileData"))
    code = found.get("executableCode")
    if isinstance(found.get("text"), str):
        yield Part("reasoning" if found.get("thought") is True else "text", found["text"])
    elif isinstance(call, dict):
        yield Part(
            "tool_call",
            argument_text(call.get("args")),
            _tool_of(call),
            word(call.get("id")),
        )
    elif isinstance(result, dict):
        body = result.get("response")
        name, id_ = _tool_of(result), word(result.get("id"))
        yield Part("tool_result", body if isinstance(body, str) else compact(body), name, id_)
        for nested in items_of(result.get("parts")):
            yield from _part_parts(nested)
    elif isinstance(media, dict):
        yield Part("media", "", word(_camel_keys(media).get("mimeType")))
    elif isinstance(code, dict):
        yield Part("tool_call", word(code.get("code")), "code_execution", word(code.get("id")))
    elif isinstance(found.get("codeExecutionResult"), dict):
        yield Part(
            "tool_result", word(found["codeExecutionResult"].get("output")), "code_execution"
        )
    elif found.keys() & _SIGNATURES and found.keys() <= _SIGNED:
        yield Part("reasoning", "")
    elif any(key in found for key in ("functionDeclarations", "googleSearch")) or len(found) == 1:
        yield definition(part, str(next(iter(part))))
    else:
        yield opaque(part)


def _tool_of(call: dict[str, Any]) -> str:
    """The name of a function, or the type of a tool that the provider runs."""
    return word(call.get("name")) or word(call.get("toolType", call.get("tool_type")))


@lru_cache(maxsize=512)
def _camel(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])_([a-z0-9])", lambda m: m.group(1).upper(), key)


def _camel_keys(value: dict[str, Any]) -> dict[str, Any]:
    return {_camel(k) if type(k) is str and "_" in k else k: v for k, v in value.items()}


def _same(value: Any) -> Any:
    """The value without nulls, empty lists and marks, with keys in camelCase, outside payloads."""
    try:
        return _same_value(value)
    except RecursionError:
        return value


def _same_value(value: Any) -> Any:
    kind = type(value)
    if kind not in (dict, list):
        return value
    if kind is list:
        return [_same_value(v) for v in value]
    out: dict[str, Any] = {}
    for key, item in value.items():
        if item is None or item == [] or (key == "thought" and item is False):
            continue
        key = _camel(key) if type(key) is str and "_" in key else key
        if key in PAYLOADS:
            if item != {} or key != "args":
                out[key] = item
        elif key in _SIGNATURES and type(item) is str:
            out[key] = item.translate(_ALPHABET)
        else:
            out[key] = _same_value(item)
    return out


def _text_or(part: Any) -> Any:
    if type(part) is dict and len(part) == 1 and type(part.get("text")) is str:
        return part["text"]
    return part


def _reason(value: Any) -> str:
    number = whole(value)
    return _REASONS.get(number, str(number)) if number else word(value)


def _output_type(config: dict[str, Any]) -> str | None:
    modalities = [m.upper() for m in items_of(config.get("responseModalities")) if type(m) is str]
    for modality, type_ in (("IMAGE", "image"), ("AUDIO", "speech")):
        if modality in modalities:
            return type_
    mime = config.get("responseMimeType")
    if mime == "application/json":
        return "json"
    return "text" if mime == "text/plain" or modalities == ["TEXT"] else None


def _grow(candidate: dict[str, Any], delta: dict[str, Any]) -> None:
    before, after = candidate.get("content"), delta.get("content")
    candidate.update({k: v for k, v in delta.items() if v is not None})
    if not isinstance(after, dict):
        return
    if not isinstance(before, dict):
        before = {**after, "parts": []}
    parts = items_of(before.get("parts"))
    for part in items_of(after.get("parts")):
        last = parts[-1] if parts else None
        if parts and _plain(part) and not part["text"]:
            continue
        if _plain(last) and not last["text"]:
            parts[-1] = part
        elif _plain(last) and _plain(part) and last.get("thought") == part.get("thought"):
            parts[-1] = {**last, "text": last["text"] + part["text"]}
        else:
            parts.append(part)
    candidate["content"] = {**before, **after, "parts": parts}


def _joined(parts: list[Any]) -> list[Any]:
    """The parts with texts that follow one another as one: clients keep a stream as it came."""
    out: list[Any] = []
    for part in parts:
        last = out[-1] if out else None
        if type(part) is str and type(last) is str:
            out[-1] = last + part
        elif _plain(last) and _plain(part) and last.get("thought") == part.get("thought"):
            out[-1] = {**last, "text": last["text"] + part["text"]}
        else:
            out.append(part)
    return out


def _plain(part: Any) -> TypeGuard[dict[str, Any]]:
    return (
        type(part) is dict and type(part.get("text")) is str and part.keys() <= {"text", "thought"}
    )


def usage(reported: Any) -> Usage:
    """Usage of Gemini: the output includes the thoughts, the input the results of its own tools."""
    reported = _camel_keys(obj(reported))
    thoughts = count(reported.get("thoughtsTokenCount"))
    output = count(reported.get("candidatesTokenCount"))
    if output is None and thoughts is not None:
        output = 0
    return Usage(
        total(reported.get("promptTokenCount"), reported.get("toolUsePromptTokenCount")),
        total(output, thoughts),
        count(reported.get("cachedContentTokenCount")),
        None,
        thoughts,
    )
