"""LangChain's messages and tools: as JSON of OpenAI chat for the record, and with edits made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from langchain.agents.middleware import ModelRequest
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_openai_messages,
)
from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.prebuilt.tool_node import ToolCallRequest
from pydantic import BaseModel, ValidationError

from ...errors import DeclarationError
from ...injection import LIBRARY_TOOLS, PLACEHOLDER_RESULT, Declared
from ...records.plan import AppendSystem, OfferTool, Plan, ResultEdit
from ...run.compose import Origin
from ...wire.types import Layout
from ..edits.editor import Edited, Made, edited_text
from ..edits.openai_chat import ChatEditor

MOST: Final = 20_000
"""Messages and tools whose JSON is kept."""
_KINDS: Final[Mapping[str, type[BaseMessage]]] = {
    "user": HumanMessage,
    "assistant": AIMessage,
    "system": SystemMessage,
    "developer": SystemMessage,
}


class LangChainEditor(ChatEditor):
    """Edits on a request of LangChain's: its own message and tool objects, copied where changed."""

    def message(self, role: str, text: str) -> Any:
        """See `Editor`."""
        return _KINDS[role](content=text)

    def reworded(self, element: Any, text: str) -> Any:
        """See `Editor`."""
        return element.model_copy(update={"content": text})

    def result(self, element: Any, edits: Mapping[str, list[ResultEdit]]) -> Any:
        """See `Editor`."""
        found = [edit for id_ in self.result_ids(element) for edit in edits.get(id_, ())]
        if not found:
            return element
        return element.model_copy(update={"content": edited_text(element.content, found, "text")})

    def result_ids(self, element: Any) -> list[str]:
        """See `Editor`."""
        return [element.tool_call_id] if isinstance(element, ToolMessage) else []

    def fragment(self, layout: Layout, text: str) -> Any:  # noqa: ARG002
        """See `Editor`: a block of the one system message."""
        return {"type": "text", "text": text}

    def set_messages(self, out: dict[str, Any], layout: Layout, messages: list[Any]) -> None:  # noqa: ARG002
        """See `Editor`."""
        out["messages"] = messages

    def add_system(
        self, out: dict[str, Any], layout: Layout, edits: Sequence[AppendSystem], made: Made
    ) -> None:
        """See `Editor`."""
        out["system"] = [*layout.system, *self.fragments(layout, edits, made)]

    def tool(self, edit: OfferTool) -> Any:
        """See `Editor`."""
        return edit.raw if isinstance(edit.raw, BaseTool) else super().tool(edit)

    def name_of(self, tool: Any) -> str:
        """See `Editor`."""
        return tool.name if isinstance(tool, BaseTool) else super().name_of(tool)

    def inner(self, tool: Any) -> tuple[Any, dict[str, Any]]:
        """See `Editor`: a changed tool object is its definition, bound like any other."""
        return super().inner(definition(tool))


_EDITOR = LangChainEditor()


class Known:
    """Messages and tools of a turn as JSON, made once for each object while it stays the same."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[Any, dict[str, Any], dict[str, Any]]] = {}

    def message(self, message: BaseMessage) -> dict[str, Any]:
        """See `as_dict`."""
        return self._of(message, as_dict)

    def tool(self, tool: Any) -> dict[str, Any]:
        """See `definition`."""
        return definition(tool) if isinstance(tool, dict) else self._of(tool, definition)

    def _of(self, value: Any, make: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        held = self._held.get(id(value))
        if held is not None and held[0] is value and held[1] == value.__dict__:
            return held[2]
        made = make(value)
        if len(self._held) > MOST:
            self._held.clear()
        self._held[id(value)] = (value, dict(value.__dict__), made)
        return made


def edited(
    request: ModelRequest[Any], plan: Plan, known: Known
) -> tuple[ModelRequest[Any], Edited]:
    """The request with the plan's edits, and the body that is recorded of it."""
    system = blocks(request.system_message)
    layout = Layout(system, list(request.messages), list(request.tools), {})
    body = {"system": system, "messages": request.messages, "tools": request.tools}
    made = _EDITOR.apply(body, layout, plan)
    out: dict[str, Any] = made.body
    changes: dict[str, Any] = {}
    if plan.system:
        base = request.system_message
        content = {"content": out["system"]}
        changes["system_message"] = (
            SystemMessage(**content) if base is None else base.model_copy(update=content)
        )
    if plan.history:
        changes["messages"] = out["messages"]
    if plan.tools:
        changes["tools"] = out.get("tools", [])
    request = request.override(**changes)
    return request, recorded(request, out["system"], made.origins, known)


def recorded(
    request: ModelRequest[Any], system: Sequence[Any], origins: Mapping[int, Origin], known: Known
) -> Edited:
    """The body of a request as OpenAI chat: each block of the system message is one message."""
    found: dict[int, Origin] = {}

    def keep(of: Any, value: Any) -> Any:
        if id(of) in origins:
            found[id(value)] = origins[id(of)]
        return value

    body: dict[str, Any] = {"model": model_of(request.model)}
    body["messages"] = [
        *(keep(b, {"role": "system", "content": _text(b)}) for b in system),
        *(keep(m, known.message(m)) for m in request.messages),
    ]
    if request.tools:
        body["tools"] = [keep(tool, known.tool(tool)) for tool in request.tools]
    if request.tool_choice is not None:
        body["tool_choice"] = request.tool_choice
    if request.response_format is not None:
        body["response_format"] = type(request.response_format).__name__
    body.update({k: v for k, v in request.model_settings.items() if k not in body})
    return Edited(body, found)


def blocks(message: SystemMessage | None) -> list[Any]:
    """The blocks of a system message."""
    if message is None:
        return []
    content = message.content
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def as_dict(message: BaseMessage) -> dict[str, Any]:
    """A message as OpenAI chat writes it; what it cannot express stays as it is."""
    made = convert_to_openai_messages([message], text_format="string")
    if len(made) == 1:
        return made[0]
    return {"role": message.type, "content": message.content}


def definition(tool: Any) -> dict[str, Any]:
    """A tool's definition as OpenAI chat writes it."""
    made: dict[str, Any] = tool if isinstance(tool, dict) else convert_to_openai_tool(tool)
    return made


def definitions(tools: Sequence[Any], where: str) -> list[dict[str, Any]]:
    """The definitions of an agent's tools; DeclarationError for what is none."""
    out = []
    for at, tool in enumerate(tools):
        try:
            out.append(definition(tool))
        except Exception as error:
            raise DeclarationError(f"{where}[{at}]", tool, "a tool of LangChain's") from error
    return out


def response(message: AIMessage, model: str) -> dict[str, Any]:
    """An answer as OpenAI chat writes it."""
    usage = message.usage_metadata
    out: dict[str, Any] = {
        "id": message.id or "",
        "model": message.response_metadata.get("model_name") or model,
        "choices": [{"message": as_dict(message), "finish_reason": _finish(message)}],
    }
    if usage is not None:
        details = usage.get("input_token_details") or {}
        out["usage"] = {
            "prompt_tokens": usage["input_tokens"],
            "completion_tokens": usage["output_tokens"],
            "prompt_tokens_details": {"cached_tokens": details.get("cache_read")},
        }
    return out


def under(message: AIMessage, text: str) -> AIMessage:
    """A copy of an answer with a text behind its last one."""
    content = message.content
    if isinstance(content, str):
        return message.model_copy(update={"content": content + text})
    last = content[-1] if content else None
    if isinstance(last, str):
        ended: list[Any] = [*content[:-1], last + text]
    elif isinstance(last, dict) and isinstance(last.get("text"), str):
        ended = [*content[:-1], {**last, "text": last["text"] + text}]
    else:
        ended = [*content, {"type": "text", "text": text}]
    return message.model_copy(update={"content": ended})


def refuses(request: ToolCallRequest) -> bool:
    """Whether a tool's schema refuses the arguments of a call, so that it does not run."""
    schema = getattr(request.tool, "args_schema", None)
    if not isinstance(schema, type) or not issubclass(schema, BaseModel):
        return False
    try:
        schema.model_validate(request.tool_call["args"])
    except ValidationError:
        return True
    return False


def model_of(model: Any) -> str:
    """The name of a chat model; empty when it says none."""
    for name in ("model_name", "model", "model_id"):
        found = getattr(model, name, None)
        if isinstance(found, str):
            return found
    return ""


def provider_of(model: Any) -> str:
    """The provider of a chat model in the standard's words, as far as the model says."""
    kind = str(getattr(model, "_llm_type", ""))
    return _PROVIDERS.get(kind, kind.removesuffix("-chat") or "langchain")


_PROVIDERS = {
    "openai-chat": "openai",
    "azure-openai-chat": "azure.ai.openai",
    "anthropic-chat": "anthropic",
    "amazon_bedrock_converse_chat": "aws.bedrock",
    "chat-google-generative-ai": "gcp.gemini",
    "vertexai": "gcp.vertex_ai",
    "mistralai-chat": "mistral_ai",
    "chat-ollama": "ollama",
}


def _finish(message: AIMessage) -> str:
    said = message.response_metadata
    found = said.get("finish_reason") or said.get("stop_reason")
    return str(found or ("tool_calls" if message.tool_calls else "stop"))


def _text(block: Any) -> str:
    text = block.get("text") if isinstance(block, Mapping) else block
    return text if isinstance(text, str) else str(block)


def tools_of(declared: Declared) -> Iterator[BaseTool]:
    """Tools of ours that the agent has to have beforehand, to be able to run them."""
    for name in LIBRARY_TOOLS if declared.skills else ():
        yield StructuredTool.from_function(
            lambda **_: PLACEHOLDER_RESULT, name=name, description=f"Library tool {name}.",
            args_schema={"type": "object", "properties": {}},
        )  # fmt: skip
    for piece in declared.pieces:
        for tool in piece.tools:
            if not isinstance(tool.raw, BaseTool):
                raise DeclarationError(
                    f"{piece.source} {piece.id!r} tools", tool.name,
                    "a tool object of LangChain's, which its agent can run",
                )  # fmt: skip
            yield tool.raw
