"""Code that a provider ran itself, as its answers report it.

OpenAI Responses (`code_interpreter_call`, hosted `shell_call`), Anthropic (`code_execution`,
`bash_code_execution`), Gemini (`executableCode`), and the blocks that LangChain makes of these.
Takes any value, never raises.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple

from .values import items_of, obj, whole, word

Outcome = Literal["started", "completed", "failed", "timed_out"]


class ProviderRun(NamedTuple):
    """A program that a provider ran, or the outcome of one that an earlier answer reported."""

    call: str
    """Id of the call; empty when the provider gives none."""
    tool: str
    language: str
    text: str | None
    """None: only an outcome is reported here."""
    outcome: Outcome
    exit_code: int | None = None


_STATES: Final[dict[str, Outcome]] = {"completed": "completed", "failed": "failed"}
_GEMINI: Final[dict[str, Outcome]] = {
    "OUTCOME_OK": "completed",
    "OUTCOME_FAILED": "failed",
    "OUTCOME_DEADLINE_EXCEEDED": "timed_out",
}
_NUMBERS: Final[dict[int, Outcome]] = {1: "completed", 2: "failed", 3: "timed_out"}
_STATUS: Final[dict[str, Outcome]] = {"success": "completed", "error": "failed"}
_RESULT: Final = "server_tool_result"
_ANTHROPIC: Final = {
    "code_execution": ("code", "python"),
    "bash_code_execution": ("command", "bash"),
}
"""Of each tool the argument that holds the program, and its language."""
_STANDARD: Final = {**_ANTHROPIC, "code_interpreter": ("code", "python")}
"""The same of the tools that LangChain names."""


def provider_runs(values: Sequence[Any]) -> tuple[ProviderRun, ...]:
    """The programs among the pieces of an output, in order."""
    return tuple(_runs([obj(value) for value in values]))


def _runs(values: list[dict[str, Any]]) -> Iterator[ProviderRun]:
    outputs = {word(v.get("call_id")): v for v in values if v.get("type") == "shell_call_output"}
    for value in values:
        kind = value.get("type")
        if kind == "code_interpreter_call":
            yield _interpreted(value)
        elif kind == "shell_call" and word(value.get("call_id")) in outputs:
            yield _shell(value, outputs[word(value.get("call_id"))])
        elif isinstance(value.get("content"), list):
            blocks = [obj(block) for block in value["content"]]
            yield from _anthropic(blocks)
            yield from _langchain(blocks)
        elif isinstance(value.get("parts"), list):
            yield from _gemini([obj(part) for part in value["parts"]])


def _interpreted(value: dict[str, Any]) -> ProviderRun:
    outcome = _STATES.get(word(value.get("status")), "started")
    code = _text(value.get("code"))
    return ProviderRun(word(value.get("id")), "code_interpreter", "python", code, outcome)


def _shell(call: dict[str, Any], output: dict[str, Any]) -> ProviderRun:
    commands = [c for c in items_of(obj(call.get("action")).get("commands")) if isinstance(c, str)]
    outcomes = [obj(obj(entry).get("outcome")) for entry in items_of(output.get("output"))]
    last = outcomes[-1] if outcomes else {}
    outcome: Outcome = "started"
    if any(each.get("type") == "timeout" for each in outcomes):
        outcome = "timed_out"
    elif last.get("type") == "exit":
        outcome = "completed"
    code = whole(last.get("exit_code")) if outcome == "completed" else None
    text = "\n".join(commands) if commands else None
    return ProviderRun(word(call.get("call_id")), "shell", "sh", text or "", outcome, code)


def _anthropic(blocks: list[dict[str, Any]]) -> Iterator[ProviderRun]:
    results = {}
    for block in blocks:
        kind = word(block.get("type"))
        tool = kind.removesuffix("_tool_result")
        if kind != tool and tool in _ANTHROPIC:
            results[word(block.get("tool_use_id"))] = (tool, obj(block.get("content")))
    for block in blocks:
        tool = word(block.get("name"))
        if block.get("type") != "server_tool_use" or tool not in _ANTHROPIC:
            continue
        argument, language = _ANTHROPIC[tool]
        id_ = word(block.get("id"))
        text = _text(_input(block).get(argument)) or ""
        _, result = results.pop(id_, ("", None))
        yield ProviderRun(id_, tool, language, text, *_ended(result))
    for id_, (tool, result) in results.items():
        yield ProviderRun(id_, tool, _ANTHROPIC[tool][1], None, *_ended(result))


def _input(block: dict[str, Any]) -> dict[str, Any]:
    """What a tool was given; LangChain leaves what was streamed as the text it came in."""
    given, streamed = obj(block.get("input")), word(block.get("partial_json"))
    if given or not streamed:
        return given
    try:
        return obj(json.loads(streamed))
    except (ValueError, RecursionError):
        return given


def _ended(result: dict[str, Any] | None) -> tuple[Outcome, int | None]:
    if result is None:
        return "started", None
    error = word(result.get("error_code"))
    if error:
        return ("timed_out" if error == "execution_time_exceeded" else "failed"), None
    return "completed", whole(result.get("return_code"))


def _gemini(parts: list[dict[str, Any]]) -> Iterator[ProviderRun]:
    code: dict[str, Any] | None = None
    for part in parts:
        result = obj(part.get("codeExecutionResult") or part.get("code_execution_result"))
        if code is not None:
            known = _GEMINI.get(word(result.get("outcome")), "started")
            yield _executed(code, known)
            code = None
        code = obj(part.get("executableCode") or part.get("executable_code")) or None
    if code is not None:
        yield _executed(code, "started")


def _executed(code: dict[str, Any], outcome: Outcome) -> ProviderRun:
    language = word(code.get("language")).lower() or "python"
    text = _text(code.get("code")) or ""
    return ProviderRun(word(code.get("id")), "code_execution", language, text, outcome)


def _langchain(blocks: list[dict[str, Any]]) -> Iterator[ProviderRun]:
    """Blocks of LangChain's: OpenAI's as they are, Gemini's flat, and those of its own standard."""
    results = {word(b.get("tool_call_id")): b for b in blocks if b.get("type") == _RESULT}
    for block, after in zip(blocks, (*blocks[1:], {}), strict=True):
        kind, id_ = block.get("type"), word(block.get("id"))
        if kind == "code_interpreter_call":
            yield _interpreted(block)
        elif kind == "executable_code":
            result = after if after.get("type") == "code_execution_result" else {}
            language = word(block.get("language")).lower() or "python"
            code = _text(block.get("executable_code")) or ""
            yield ProviderRun(id_, "code_execution", language, code, _numbered(result))
        elif kind == "server_tool_call" and word(block.get("name")) in _STANDARD:
            tool = word(block.get("name"))
            argument, language = _STANDARD[tool]
            given = obj(block.get("args"))
            result = results.get(id_, {}) if id_ else after if after.get("type") == _RESULT else {}
            outcome = _STATUS.get(word(result.get("status")), "started")
            if _numbered(obj(result.get("extras"))) == "timed_out":
                outcome = "timed_out"
            exit_code = whole(obj(result.get("output")).get("return_code"))
            yield ProviderRun(
                id_, tool, word(given.get("language")).lower() or language,
                _text(given.get(argument)) or "", outcome,
                exit_code if outcome == "completed" else None,
            )  # fmt: skip


def _numbered(result: dict[str, Any]) -> Outcome:
    """The outcome of Gemini's, by its number or its name."""
    outcome = result.get("outcome")
    number = whole(outcome)
    if number is not None:
        return _NUMBERS.get(number, "started")
    return _GEMINI.get(word(outcome), "started")


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
