"""The study runs on any directory of its formats and explains what differs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..studies.argument_sources import main


def tool_call(name: str, arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"role": "assistant", "tool_calls": [{"id": "c1", "function": function}]}


def test_a_conversation_is_searched_twice_and_the_differences_are_told(
    tmp_path: Path, capsys: Any
) -> None:
    args = {"user": "ann_1", "date": "2024-05-20", "kind": "one_way", "sum": "2 + 300", "n": 7}
    messages = [
        {"role": "user", "content": "I am ann_1@example.com, fly on May 20 for 300"},
        tool_call("book", json.dumps(args)),
        tool_call("think", {"thought": "left out"}),
        tool_call("book", "{not json"),
        {"role": "tool", "tool_call_id": "c1", "content": [{"text": "done"}]},
        "odd",
    ]
    (tmp_path / "retail_1.json").write_text(json.dumps({"traj": messages}))
    tools = [{"name": "book", "parameters": {"properties": {"kind": {"enum": ["one_way"]}}}}]
    (tmp_path / "retail_tools.json").write_text(json.dumps(tools))
    (tmp_path / "other.json").write_text("{broken")
    assert main([str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "retail: 1 conversations, 5 values" in out
    assert "only inside a longer token" in out
    assert "ann_1@example.com" in out
    assert "near: person" in out
    assert "tools: choice" in out
    assert "an expression" in out


def test_a_missing_parameter_is_noticed(tmp_path: Path, capsys: Any) -> None:
    row = {
        "id": "m1",
        "question": [
            [{"role": "user", "content": "close my ticket"}],
            [{"role": "user", "content": "it is T-77"}],
        ],
        "involved_classes": ["TicketAPI"],
        "ground_truth": [[], ["close_ticket(ticket_id='T-77')", "odd call("]],
    }
    (tmp_path / "x_miss_param.jsonl").write_text(json.dumps(row) + "\n")
    assert main([str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "1  of them noticed" in out


def test_an_empty_directory_is_said_to_be_one(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 1
