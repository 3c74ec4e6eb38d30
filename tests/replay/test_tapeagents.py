"""Every call of recorded TapeAgents runs, sent through a real client: rebuilt byte for byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from otel_footprint import Footprint
from otel_footprint.cli.main import main
from otel_footprint.telemetry.jsonfile import JsonFileExporter
from otel_footprint.trail import load
from otel_footprint.trail.verify import verify

from ..sdk import Server, chat, client

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "trajectories" / "tapeagents"
FILES = sorted(FOLDER.glob("*_llm_calls.jsonl"))

pytestmark = pytest.mark.skipif(
    not FILES, reason="the folder ../shared/data/trajectories/tapeagents is not there"
)


def recorded(path: Path, trail: Path) -> list[bytes]:
    """Drives every call of a file, inside one turn; the bodies that left."""
    calls: list[dict[str, Any]] = [json.loads(line) for line in path.read_text().splitlines()]
    server = Server(*(chat(call["output"].get("content")) for call in calls))
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(JsonFileExporter(trail)))
    fp = Footprint("tapes", content="full", tracer_provider=provider)
    openai = fp.wrap(client("openai", "OpenAI", server))
    with fp.turn(id=path.stem):
        for call in calls:
            prompt = call["prompt"]
            tools = {"tools": prompt["tools"]} if prompt["tools"] else {}
            openai.chat.completions.create(
                model=call["llm_info"].get("model_name", "m"), messages=prompt["messages"], **tools
            )
    provider.shutdown()
    return server.bodies


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_every_call_is_rebuilt_byte_for_byte(
    path: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    file = tmp_path / "trail.jsonl"
    bodies = recorded(path, file)
    trail = load(file)
    (turn,) = trail.turns
    assert len(turn.calls) == len(bodies)
    for call, body in zip(turn.calls, bodies, strict=True):
        rebuilt = trail.rebuild(call)
        assert rebuilt.text is not None, rebuilt.gaps
        assert rebuilt.text.encode() == body
        assert rebuilt.proof.level == "body"
    assert verify(trail).state == "complete"
    last = ["rebuild", str(file), "--call", str(len(bodies)), "--provider", "json"]
    assert main(last) == 0
    out, err = capfdbinary.readouterr()
    assert out == bodies[-1]
    assert b"byte for byte" in err
