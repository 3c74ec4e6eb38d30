"""Traces that others recorded: their messages are enough for a walk, and it says whose they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from otel_footprint.trail import load

OTLP = Path(__file__).parents[3] / "shared/data/otlp"
pytestmark = pytest.mark.skipif(not OTLP.is_dir(), reason="needs ../shared/data/otlp")


@pytest.mark.parametrize(
    ("file", "value", "tool", "end"),
    [
        ("captured/adk_live_spans", "555", "calculator", "app"),
        ("captured/pydantic_ai_live_spans", "62", "get_weather", "person"),
        ("captured/otel_genai_convention_spans", "57", "get_weather", "person"),
        ("captured/openai_agents_openinference_adot_spans", "294", "multiply_numbers", "person"),
        ("replayed/pydantic_ai_weather", "50", "get_current_weather", "person"),
        ("replayed/langchain_openinference", "70", "get_current_weather", "person"),
        ("replayed/openai_v2_latest_tools", "70", "get_current_weather", "person"),
        ("replayed/openai_v2_default_tools", "50", "get_current_weather", "person"),
        ("replayed/traceloop_openai_httpx_tools", "50", "get_current_weather", "person"),
        ("replayed/logfire_openai", "70", "get_current_weather", "person"),
        ("captured/claude_live_spans", "89", "Bash", "gap"),
    ],
)
def test_a_figure_is_walked_to_its_tool_call_and_beyond(
    file: str, value: str, tool: str, end: str
) -> None:
    paths = [p for p in (OTLP / f"{file}.otlp.json", OTLP / f"{file}.otlp-logs.json") if p.exists()]
    why = load(paths).why(value)
    (found,) = why.findings
    assert why.foreign
    assert found.word in ("named", "tie")
    hops = [hop for _, hop in found.suspects[0].hop.walk()]
    assert hops[0].ground.scope == why.foreign
    assert tool in next(h.what for h in hops if h.kind == "tool")
    assert end in {h.end for h in hops}


def test_every_file_can_be_asked(tmp_path: Path) -> None:
    for path in sorted(OTLP.glob("*/*.json")):
        trail = load(path)
        try:
            why = trail.why()
        except Exception as error:
            assert "no model call" in str(error), path  # noqa: PT017
            continue
        assert why.foreign
