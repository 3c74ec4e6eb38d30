"""A prompt as one text: older completions, and bodies of InvokeModel that are no messages."""

from __future__ import annotations

from typing import Any, Final

from .content import opaque
from .identity import pruned
from .layout import Claims
from .openai_chat import usage
from .types import Facts, Item, Layout, Part, Response
from .values import count, flag, is_cut, items_of, obj, real, text, texts, whole, word

_PROMPTS: Final = ("prompt", "inputText", "input", "inputs", "text_prompts")
_TEXTS: Final = ("generation", "outputText", "completion", "response", "text", "generated_text")
_CONFIGS: Final = ("textGenerationConfig", "options", "parameters")
_MOST: Final = ("max_tokens", "max_gen_len", "maxTokenCount", "max_new_tokens", "num_predict")
_INPUT: Final = (
    "prompt_eval_count", "prompt_token_count", "inputTextTokenCount", "input_token_count",
    "inputTokenCount",
)  # fmt: skip
_OUTPUT: Final = (
    "eval_count", "generation_token_count", "totalOutputTextTokenCount", "tokenCount",
    "generated_token_count", "outputTokenCount",
)  # fmt: skip
"""Counts of tokens, in the names of Ollama, Llama, Titan, watsonx and Bedrock's own metrics."""
_METRICS: Final = "amazon-bedrock-invocationMetrics"
_UNFINISHED: Final = "not_finished"
_LISTS: Final = ("choices", "results", "outputs", "generations", "completions")


class TextCompletion:
    """The prompt is a piece of a person; what else there is stays in the layout.

    A response that is not understood is one opaque piece, whole.
    """

    name = "text.completion"
    facts_in_layout = True

    def layout(self, body: dict[str, Any]) -> Layout:
        """See `Dialect`."""
        if not isinstance(body, dict):
            return Layout([], [], [], body)
        claims, rest = Claims(), dict(body)
        for key, value in body.items():
            if key in _PROMPTS and isinstance(value, list | tuple):
                claims.many(rest, key, ("m", list(value)))
            elif key in _PROMPTS and value is not None:
                claims.one(rest, key, "m", value)
            elif key == "system" and isinstance(value, str):
                claims.one(rest, key, "s", value)
            elif key == "tools" and isinstance(value, list | tuple):
                claims.many(rest, key, ("t", list(value)))
        return claims.layout(rest)

    def items(self, slot: str, element: Any) -> tuple[Item, ...]:
        """See `Dialect`."""
        if slot == "messages":
            return (Item(element, "", "user" if isinstance(element, str) else "custom", "", ""),)
        return (Item(element, "", "base" if slot == "system" else "registry", "", ""),)

    def parts(self, value: Any) -> tuple[Part, ...]:
        """See `Dialect`."""
        return (Part("text", value) if isinstance(value, str) else opaque(value),)

    def identity(self, value: Any) -> Any:
        """See `Dialect`."""
        return pruned(value)

    def facts(self, body: dict[str, Any]) -> Facts:
        """See `Dialect`."""
        body = obj(body)
        config = next((obj(body[k]) for k in _CONFIGS if obj(body.get(k))), body)
        return Facts(
            model=text(body.get("model", body.get("model_id"))),
            stream=flag(body.get("stream")),
            temperature=real(config.get("temperature")),
            top_p=real(config.get("top_p", config.get("topP"))),
            top_k=whole(config.get("top_k")),
            max_tokens=_first(config, _MOST),
            seed=whole(config.get("seed")),
            choices=whole(body.get("n")),
            stop=texts(config.get("stop", config.get("stopSequences"))),
            frequency_penalty=real(body.get("frequency_penalty")),
            presence_penalty=real(body.get("presence_penalty")),
            completeness="request_only" if body.get("context") else None,
        )

    def response(self, body: dict[str, Any]) -> Response:
        """See `Dialect`: one piece a text, else the whole body as one opaque piece."""
        if not isinstance(body, dict) or body.get("error"):
            return Response((), (), usage(None), (), "", "", False)
        outputs = next((body[k] for k in _LISTS if isinstance(body.get(k), list)), [body])
        found = [(_text(o), _reason(o)) for o in outputs]
        values: list[Any] = [t for t, _ in found if t is not None]
        reasons = tuple(reason for _, reason in found if reason)
        if not values and body:
            values = [body]
        counted = usage(body.get("usage"))
        if counted.input is None:
            told = [obj(outputs[0]) if len(outputs) == 1 else {}, body, obj(body.get(_METRICS))]
            merged = {k: v for each in told for k, v in each.items() if count(v) is not None}
            counted = counted._replace(input=_first(merged, _INPUT), output=_first(merged, _OUTPUT))
        return Response(
            tuple(Item(v, "assistant", "assistant", "", "") for v in values),
            tuple({} for _ in values),
            counted,
            reasons,
            word(body.get("id")),
            word(body.get("model")),
            bool(values) and body.get("done") is not False and not is_cut(reasons),
        )

    def assemble(self, events: list[tuple[str, Any]]) -> Response:
        """See `Dialect`: texts are joined by choice; objects without a text are left out."""
        joined: dict[int, list[str]] = {}
        reasons: dict[int, str] = {}
        last: dict[str, Any] = {}
        for _, event in events:
            event = obj(event)
            event = obj(event.get("bytes")) or event
            last.update({k: v for k, v in event.items() if v is not None})
            if (told := items_of(event.get("results"))) and len(told) == 1:
                last.update({k: v for k, v in obj(told[0]).items() if count(v)})
            for output in next((v for k in _LISTS if (v := items_of(event.get(k)))), [event]):
                at = whole(obj(output).get("index")) or 0
                if (piece := _text(output)) is not None:
                    joined.setdefault(at, []).append(piece)
                if reason := _reason(output):
                    reasons[at] = reason
        for key in (*_TEXTS, *_LISTS):
            last.pop(key, None)
        last["choices"] = [
            {"text": "".join(joined[at]), "finish_reason": reasons.get(at)} for at in sorted(joined)
        ]
        response = self.response(last) if joined else self.response({})
        return response._replace(complete=response.complete and bool(reasons))


def _text(output: Any) -> str | None:
    found = obj(output)
    for key in _TEXTS:
        if isinstance(found.get(key), str):
            return word(found[key])
    body = (obj(found.get("message")) or obj(found.get("delta"))).get("content")
    return body if isinstance(body, str) else None


def _reason(output: Any) -> str:
    found = obj(output)
    for key in ("finish_reason", "stop_reason", "completionReason", "done_reason"):
        if word(found.get(key)) not in ("", _UNFINISHED):
            return word(found[key])
    return ""


def _first(found: dict[str, Any], keys: tuple[str, ...]) -> int | None:
    return next((n for n in map(whole, map(found.get, keys)) if n is not None), None)
