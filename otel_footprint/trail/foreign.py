"""What other instrumentations say of a model call, in the names that they use or used.

The conventions' newest names are ours (`telemetry.names`); here are the older and other ones, for
reading only. A figure is taken from the first vocabulary that has it and never added up.
"""

from __future__ import annotations

from typing import Final

from ..records.trail import Span, Usage
from ..telemetry import names
from . import values

_INPUT: Final = (
    names.INPUT_TOKENS, "gen_ai.usage.prompt_tokens", "llm.token_count.prompt",
    "llm.usage.prompt_tokens",
)  # fmt: skip
_OUTPUT: Final = (
    names.OUTPUT_TOKENS, "gen_ai.usage.completion_tokens", "llm.token_count.completion",
    "llm.usage.completion_tokens",
)  # fmt: skip
_CACHE_READ: Final = (
    names.CACHE_READ_TOKENS, "gen_ai.usage.cache_read_input_tokens",
    "llm.token_count.prompt_details.cache_read",
)  # fmt: skip
_CACHE_WRITE: Final = (
    names.CACHE_WRITE_TOKENS, "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_creation_input_tokens", "llm.token_count.prompt_details.cache_write",
)  # fmt: skip
_REASONING: Final = (
    names.REASONING_TOKENS, "gen_ai.usage.reasoning_tokens",
    "llm.token_count.completion_details.reasoning",
)  # fmt: skip
_MODEL: Final = (
    names.REQUEST_MODEL, names.RESPONSE_MODEL, "llm.model_name", "llm.request.model",
    "embedding.model_name",
)  # fmt: skip
_PROVIDER: Final = (names.PROVIDER, "gen_ai.system", "llm.provider", "llm.system")
_TOOL: Final = (names.TOOL_NAME, "tool.name", "traceloop.entity.name")
_KIND: Final = "openinference.span.kind"


def usage(attributes: values.Attributes) -> Usage:
    """Tokens, by whatever names; None where none of them is there."""
    return Usage(
        input=_first(attributes, _INPUT),
        output=_first(attributes, _OUTPUT),
        cache_read=_first(attributes, _CACHE_READ),
        cache_write=_first(attributes, _CACHE_WRITE),
        reasoning=_first(attributes, _REASONING),
    )


def model(attributes: values.Attributes) -> str:
    """The model that was asked for, else the one that answered."""
    return _text(attributes, _MODEL)


def provider(attributes: values.Attributes) -> str:
    """The provider."""
    return _text(attributes, _PROVIDER)


def kind(span: Span) -> str:
    """What a foreign span is: call, tool, agent, or empty for anything else."""
    operation = values.text(span.attributes, names.OPERATION)
    said = values.text(span.attributes, _KIND).lower()
    if operation in names.INFERENCE_OPERATIONS or said == "llm":
        return "call"
    if operation == names.SPAN_TOOL or said == "tool":
        return "tool"
    if operation in (names.SPAN_TURN, "create_agent", "invoke_workflow") or said == "agent":
        return "agent"
    if not operation and not said and _text(span.attributes, _PROVIDER) and model(span.attributes):
        return "call"
    return ""


def tool(attributes: values.Attributes) -> str:
    """Name of the tool of a tool span."""
    return _text(attributes, _TOOL)


def _first(attributes: values.Attributes, keys: tuple[str, ...]) -> int | None:
    for key in keys:
        found = values.integer(attributes, key)
        if found is not None:
            return found
    return None


def _text(attributes: values.Attributes, keys: tuple[str, ...]) -> str:
    return next((found for key in keys if (found := values.text(attributes, key))), "")
