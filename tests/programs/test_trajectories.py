"""Real programs: recorded InterCode and SWE-agent runs, replayed as tool calls of a loop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import otel_footprint as footprint
from tests.scripts.oracle import expected, stands
from tests.scripts.test_replay import episodes
from tests.sdk import Server, chat, chat_sse, client

from .helpers import Programmed

QUICK = 3, 10
"""Runs of each file, and programs of each run, in a quick test."""
ALL = None, 40
"""The same in the slow one."""
Run = tuple[str, str, list[str], str]


def runs(shared: Path, most: int | None, programs: int) -> list[Run]:
    """The recorded runs, the longest of each file first."""
    folder = shared / "data" / "trajectories"
    if not folder.is_dir():
        pytest.skip("no recorded trajectories in ../shared/data")
    files: dict[str, list[Run]] = {}
    for name, tool, actions, answer in episodes(folder):
        files.setdefault(name.partition("/")[0], []).append(
            (name, tool, actions[:programs], answer)
        )
    chosen: list[Run] = []
    for found in files.values():
        chosen += sorted(found, key=lambda run: -len(run[2]))[:most]
    return chosen


def replay(made: Programmed, run: Run, streams: bool) -> tuple[str, list[str]]:
    """The loop of a run; the answer as the application got it, and the ids of the calls."""
    _, tool, actions, answer = run
    asked = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": tool, "arguments": json.dumps({"code": program})},
        }
        for number, program in enumerate(actions)
    ]
    last = chat_sse(answer) if streams else chat(answer)
    server = Server(*(chat(None, [call]) for call in asked), last)
    model = made.footprint.wrap(client("openai", "OpenAI", server))
    messages: list[Any] = [{"role": "user", "content": "Go."}]
    with made.footprint.turn() as turn:
        for number in range(len(actions)):
            said = model.chat.completions.create(model="m", messages=messages).choices[0].message
            messages.append(said.model_dump(exclude_none=True))
            (call,) = said.tool_calls
            result = json.dumps({"exit_code": number % 3})
            ours = turn.tool(call, lambda code, result=result: result) if number % 2 else result
            messages.append({"role": "tool", "tool_call_id": call.id, "content": ours})
        found = model.chat.completions.create(model="m", messages=messages, stream=streams)
        if streams:
            text = "".join(c.choices[0].delta.content or "" for c in found if c.choices)
        else:
            text = found.choices[0].message.content or ""
    return text, [call["id"] for call in asked]


def check(run: Run, which: Any, streams: bool) -> None:
    name, tool, actions, answer = run
    made = Programmed(footprint.Scripts(tools={tool: ("code", "bash")}, which=which))
    text, ids = replay(made, run, streams)
    attached = made.attached[-1]
    assert attached.recorded.unread == 0, name
    assert text == answer + str(attached.text), name
    record = attached.recorded.attached()
    assert record is not None
    assert [s.call for s in record.shown] == (ids[-1:] if which == "last" else ids[-8:]), name
    codes = [(int(s.call.removeprefix("call_")), s.exit_code) for s in record.shown]
    assert all(code == number % 3 for number, code in codes), name
    assert all(s.digest and s.label == "completed" for s in record.shown)
    if record.boundary is not None and record.boundary.kind != "unsettled":
        assert stands(text, expected(record)), name
    for script in record.shown:
        program = actions[int(script.call.removeprefix("call_"))]
        assert program.encode("utf-8", "surrogatepass").startswith(
            (script.text or "").encode("utf-8", "surrogatepass")
        )


def test_recorded_programs_stand_under_the_answer_of_a_wrapped_loop(shared: Path) -> None:
    chosen = [run for run in runs(shared, *QUICK) if run[2]]
    assert len(chosen) > QUICK[0]
    for number, run in enumerate(chosen):
        check(run, "all" if number % 2 else "last", streams=number % 3 == 0)


@pytest.mark.slow
def test_all_recorded_programs_stand_under_the_answer_of_a_wrapped_loop(shared: Path) -> None:
    chosen = [run for run in runs(shared, *ALL) if run[2]]
    for number, run in enumerate(chosen):
        for which in ("last", "all"):
            check(run, which, streams=number % 2 == 0)
