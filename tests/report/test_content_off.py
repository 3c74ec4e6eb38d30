"""A trail without texts (content mode `none`): what it knows all the same, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from otel_footprint.cli.main import main
from otel_footprint.telemetry.jsonfile import JsonFileExporter
from otel_footprint.trail import load
from tests.injecting.kit import Loop, call, calls, tool
from tests.sdk import chat


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tools under one id, one that only the application ran, and an answer."""
    path = tmp_path_factory.mktemp("off") / "trail.jsonl"
    loop = Loop(
        calls(call("c1", "search")), calls(call("c1", "look")), chat("19.35."), content="none"
    )
    exporter = SimpleSpanProcessor(JsonFileExporter(path))
    loop.recording.tracer_provider.add_span_processor(exporter)
    loop.tools = [tool("search"), tool("look")]
    loop.functions = {"search": lambda **_: "found", "look": lambda **_: "seen"}
    theirs = call("c0", "theirs")
    loop.messages += [
        {"role": "assistant", "content": None, "tool_calls": [theirs]},
        {"role": "tool", "tool_call_id": "c0", "content": "-"},
    ]
    with loop.footprint.turn("Why?") as turn:
        loop.run("Why?", turn)
    loop.footprint.flush()
    return path


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main([*words]) == code
    out, err = capsys.readouterr()
    return out + err


def test_results_have_the_names_of_tools_whose_spans_are_there(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [x for x in said(capsys, "show", str(file)).splitlines() if "+ tool-result" in x]
    labels = [line.partition("tool-result ")[2].partition(":")[0] for line in found]
    assert labels == ["c0", "search c1", "look c1"]  # nothing says what ran under c0
    whole = said(capsys, "show", str(file), "--call", "3")
    assert " tool-result · c0 · 1 char · " in whole
    assert " tool-result · search · c1 · 5 chars · " in whole
    assert " by tool look · " in said(capsys, "diff", str(file), "3")
    trail = load(file)
    assert trail.calls[0].slots["messages"].pieces == 3


def test_what_was_never_recorded_is_said_once_with_what_to_do(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    once = (
        "  its texts were not recorded (content mode none): OTEL_FOOTPRINT_CONTENT=full records "
        "texts\n"
    )
    assert said(capsys, "rebuild", str(file), code=1).partition("\n")[2] == once
    assert said(capsys, "show", str(file), "--call", "3").endswith("not rebuilt\n" + once)
    assert "=full records texts\n" in said(capsys, "why", str(file), code=4)
