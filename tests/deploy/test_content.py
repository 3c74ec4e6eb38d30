"""Whatever stands on a span because content is on is on the list that a collector drops by."""

from __future__ import annotations

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import otel_footprint as footprint
from otel_footprint.arguments import RESERVED
from otel_footprint.telemetry import names
from tests.e2e import runs
from tests.sdk import chat

CANARY = "canary-4711"


def carriers(mode: str) -> set[str]:
    """Attributes of spans and events that hold the canary."""
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    fp = footprint.Footprint(
        "agent",
        content=mode,
        tracer_provider=provider,
        standard_content="full" if mode == "full" else None,
        arguments=footprint.Arguments(),
        scripts=footprint.Scripts(tools={"run": "code"}, which="all"),
        context=[footprint.fact("shop", f"The shop is {CANARY}.")],
    )

    def look(what: str = "") -> str:
        return f"{what} is {CANARY}"

    def run(code: str = "") -> str:
        return CANARY

    claimed = {"from": [{"argument": "what", "source": "user", "quote": f"not {CANARY}"}]}
    text = {"type": "string", "description": CANARY}
    runs.loop(
        fp,
        f"What is {CANARY}?",
        runs.asks("look", "c1", what=f"the {CANARY}", **{RESERVED: claimed}),
        runs.asks("run", "c2", code=f"print('{CANARY}')"),
        chat(f"It is {CANARY}."),
        tools=(runs.tool("look", what=text), runs.tool("run", code=text)),
        functions={"look": look, "run": run},
    )
    fp.feedback("x", "right", 1.0, f"said {CANARY}")
    provider.shutdown()
    found = set()
    for span in kept.get_finished_spans():
        for attributes in (span.attributes, *(e.attributes for e in span.events)):
            found |= {key for key, value in attributes.items() if CANARY in str(value)}
    return found


def test_content_stands_in_listed_attributes_only():
    found = carriers("full")
    assert found <= set(names.CONTENT)
    assert {names.TEXT, names.TURN_TEXT, names.SCRIPT_TEXT, names.ARGUMENT_QUOTE} <= found
    assert {names.INPUT_MESSAGES, names.OUTPUT_MESSAGES} <= found


def test_without_content_there_is_nothing_to_drop():
    assert carriers("none") == set()
