"""A request of which something else stands on the record is never called proven as it left."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

import otel_footprint as footprint
from otel_footprint.telemetry.jsonfile import JsonFileExporter
from otel_footprint.trail import load
from tests.sdk import chat


@pytest.mark.parametrize(
    ("content", "level"),
    [("Hello?", "json"), (datetime(2026, 1, 1, tzinfo=timezone.utc), "recorded")],
)
def test_an_object_that_is_no_json_is_recorded_and_not_proven(
    tmp_path: Path, content: Any, level: str
) -> None:
    path = tmp_path / "trail.jsonl"
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(JsonFileExporter(path)))
    fp = footprint.Footprint("agent", content="full", tracer_provider=provider)
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": content}]}
    with fp.turn():
        fp.record("openai", "/v1/chat/completions", body, chat())
    provider.shutdown()
    rebuilt = load(path).rebuild(1)
    assert rebuilt.text is not None
    assert rebuilt.proof.level == level
