"""Code that providers ran, read out of their answers; calls that were made elsewhere."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

import otel_footprint as footprint
from otel_footprint.wire.provider_code import ProviderRun, provider_runs
from tests.quick import examples
from tests.sdk import chat

from .helpers import CODE, Programmed, asks
from .test_streams import json_values

SHELL = {
    "type": "shell_call",
    "id": "sh_1",
    "call_id": "call_1",
    "action": {"commands": ["cd /tmp", "ls"], "timeout_ms": 1000},
    "status": "completed",
}


def output(*outcomes: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "shell_call_output",
        "call_id": "call_1",
        "output": [{"stdout": "", "stderr": "", "outcome": o} for o in outcomes],
    }


def gemini(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def flat(code: str) -> dict[str, Any]:
    return {"type": "executable_code", "executable_code": code, "language": "PYTHON"}


def standard(id_: str) -> dict[str, Any]:
    args = {"code": "1"}
    return {"type": "server_tool_call", "name": "code_interpreter", "args": args, "id": id_}


def ended(id_: str, status: str) -> dict[str, Any]:
    output = {"return_code": 3}
    return {
        "type": "server_tool_result", "tool_call_id": id_, "status": status, "output": output
    }  # fmt: skip


PYTHON = {"executableCode": {"language": "PYTHON", "code": "print(1)"}}


@pytest.mark.parametrize(
    ("values", "runs"),
    [
        (
            [{"type": "code_interpreter_call", "id": "ci", "code": "1", "status": "completed"}],
            [("ci", "code_interpreter", "python", "1", "completed", None)],
        ),
        (
            [{"type": "code_interpreter_call", "id": "ci", "code": "1", "status": "failed"}],
            [("ci", "code_interpreter", "python", "1", "failed", None)],
        ),
        (
            [{"type": "code_interpreter_call", "id": "ci", "code": "1", "status": "incomplete"}],
            [("ci", "code_interpreter", "python", "1", "started", None)],
        ),
        (
            [SHELL, output({"type": "exit", "exit_code": 0}, {"type": "exit", "exit_code": 2})],
            [("call_1", "shell", "sh", "cd /tmp\nls", "completed", 2)],
        ),
        (
            [SHELL, output({"type": "timeout"})],
            [("call_1", "shell", "sh", "cd /tmp\nls", "timed_out", None)],
        ),
        ([SHELL], []),  # the application runs it
        (
            [gemini(PYTHON, {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}})],
            [("", "code_execution", "python", "print(1)", "completed", None)],
        ),
        (
            [gemini(PYTHON, {"codeExecutionResult": {"outcome": "OUTCOME_FAILED"}}, PYTHON)],
            [
                ("", "code_execution", "python", "print(1)", "failed", None),
                ("", "code_execution", "python", "print(1)", "started", None),
            ],
        ),
        (
            [
                gemini(
                    {"executable_code": {"language": "PYTHON", "code": "2", "id": "e1"}},
                    {"code_execution_result": {"outcome": "OUTCOME_DEADLINE_EXCEEDED"}},
                )
            ],
            [("e1", "code_execution", "python", "2", "timed_out", None)],
        ),
        *(
            ([{"role": "assistant", "content": list(blocks)}], runs)
            for blocks, runs in (
                (
                    [
                        {
                            "type": "code_interpreter_call",
                            "id": "ci",
                            "code": "1",
                            "status": "failed",
                        }
                    ],
                    [("ci", "code_interpreter", "python", "1", "failed", None)],
                ),
                (
                    [flat("1"), {"type": "code_execution_result", "outcome": 1}, flat("2"), "x"],
                    [
                        ("", "code_execution", "python", "1", "completed", None),
                        ("", "code_execution", "python", "2", "started", None),
                    ],
                ),
                (
                    [standard("s1"), standard("s2"), ended("s2", "error"), ended("s1", "success")],
                    [
                        ("s1", "code_interpreter", "python", "1", "completed", 3),
                        ("s2", "code_interpreter", "python", "1", "failed", None),
                    ],
                ),
                (
                    [standard(""), {**ended("", "error"), "extras": {"outcome": 3}}],
                    [("", "code_interpreter", "python", "1", "timed_out", None)],
                ),
                ([{**standard("s1"), "name": "web_search"}], []),
                (
                    [
                        {
                            "type": "server_tool_use",
                            "id": "srv",
                            "name": "code_execution",
                            "input": {},
                            "partial_json": '{"code": "1"}',
                        }
                    ],
                    [("srv", "code_execution", "python", "1", "started", None)],
                ),
            )
        ),
        ([{"role": "assistant", "content": "```python\nprint(1)\n```"}], []),
        (["text", None, 3], []),
    ],
)
def test_what_a_provider_ran(values: list[Any], runs: list[Any]) -> None:
    assert list(provider_runs(values)) == [ProviderRun(*run) for run in runs]


@given(value=json_values)
@settings(max_examples=examples(50), deadline=None)
def test_no_value_is_an_error(value: Any) -> None:
    for type_ in ("code_interpreter_call", "shell_call", "shell_call_output", "server_tool_use"):
        block = {"type": type_, "name": "code_execution", "input": value, "action": value}
        provider_runs([value, {**block, "output": value, "call_id": value, "code": value}])
        provider_runs([{"content": [block, value]}, {"parts": [value, {"executableCode": value}]}])


def test_a_call_that_was_made_elsewhere_has_its_programs_in_the_data() -> None:
    made = Programmed(footprint.Scripts(tools={"run_code": ("code", "python")}, which="all"))
    fp = made.footprint
    body = {"contents": [{"role": "user", "parts": [{"text": "6 * 7?"}]}]}
    result = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "42"}}
    answer = {
        "candidates": [{"content": gemini(PYTHON, result, {"text": "42."}), "finishReason": "STOP"}]
    }
    with fp.turn():
        fp.record("gcp.gemini", "/v1beta/models/gemini-2.5-pro:generateContent", body, answer)
    with fp.turn():
        messages: list[Any] = [{"role": "user", "content": "Run it."}]
        first = chat(None, asks(CODE))
        path = "/v1/chat/completions"
        fp.record("openai", path, {"model": "m", "messages": messages}, first)
        messages += [
            first["choices"][0]["message"],
            {"role": "tool", "tool_call_id": "c1", "content": '{"exit_code": 0}'},
        ]
        fp.record("openai", path, {"model": "m", "messages": messages}, chat("Done."))
    one, two = made.attached
    assert [(a.recorded.form, a.recorded.unread) for a in (one, two)] == [("data", 0)] * 2
    script = one.recorded.shown[0][1]
    assert (script.text, script.label, script.call) == ("print(1)", "completed", "")
    assert two.recorded.shown[0][1].exit_code == 0


def test_code_of_a_provider_without_an_answer_yet_is_no_error() -> None:
    made = Programmed(footprint.Scripts())
    with made.footprint.turn():
        made.footprint.record("gcp.gemini", "/v1beta/models/g:generateContent", {}, {})
    assert [a.recorded.form for a in made.attached] in ([], ["none"])
