"""The trail read back says for each argument what was claimed and what was found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

import otel_footprint as footprint
from otel_footprint.records.trail import Span
from otel_footprint.report.tree import render
from otel_footprint.telemetry import names
from otel_footprint.telemetry.jsonfile import JsonFileExporter
from otel_footprint.trail import Trail, load
from otel_footprint.trail.arguments import foreign_hints, hints_of, recorded

from .loops import FOUND, STEPS, TOOLS, OpenAILoop, Shop


def trail_of(path: Path, content: str = "full", **options: Any) -> Trail:
    """The trail of a loop, through a file."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(JsonFileExporter(path)))
    fp = footprint.Footprint("shop", content=content, tracer_provider=provider, **options)
    Shop(fp)
    with fp.turn("Why?") as turn:
        loop = OpenAILoop(fp, STEPS)
        if "arguments" in options:
            loop.run(turn)
        else:
            for result in (FOUND, "slow", None):
                loop.put([(call, result) for call in loop.call()])
    provider.shutdown()
    return load(path)


@pytest.fixture
def trail(tmp_path: Path) -> Trail:
    asks = footprint.Arguments(tools=TOOLS, ask=lambda _: {"f1": "payments"})
    return trail_of(tmp_path / "trail.jsonl", arguments=asks)


def test_rows_are_read_back(trail: Trail) -> None:
    found = [(r.row.tool, r.row.argument, r.row.verdict, r.asked) for r in recorded(trail)]
    assert found == [
        ("hosts", "service", "said", False),
        ("lookup", "team", None, True),
        ("lookup", "host", "result", False),
        ("lookup", "window", "said", False),
        ("lookup", "limit", "model", False),
        ("lookup", "team", "answered", False),
    ]


def test_rows_are_under_the_digest_of_their_tool_call(trail: Trail) -> None:
    (ledger,) = trail.turns[0].ledgers
    assert trail.check(ledger).state == "complete"
    (tool,) = [s for s in trail.spans if s.attributes.get(names.ARGUMENT_ROWS) == 5]
    events = list(tool.events)
    at = next(i for i, e in enumerate(events) if e.attributes.get(names.ARGUMENT_FAILED))
    forged = {k: v for k, v in events[at].attributes.items() if k != names.ARGUMENT_FAILED}
    events[at] = events[at]._replace(attributes=forged)
    assert changed(trail, tool, tuple(events)).check(ledger).state == "inconsistent"
    assert changed(trail, tool, tuple(events[:-1])).check(ledger).state == "incomplete"


def changed(trail: Trail, span: Span, events: Any) -> Trail:
    return Trail([s._replace(events=events) if s is span else s for s in trail.spans])


def test_the_tree_says_what_was_claimed_and_what_was_found(trail: Trail) -> None:
    text = "\n".join(render(trail, 160, ascii_only=True))
    for line in (
        'service = "checkout" from the person\'s words',
        "team a person was asked: it was missing",
        'host = "db-9" from the result of t1',
        "limit = \"50\" the model's own choice; claimed: the person's words (quote-not-found)",
        'team = "payments" from a person\'s answer when asked',
    ):
        assert line in text, text


def test_a_trail_without_arguments_declared_gets_the_same_hints_from_its_texts(
    tmp_path: Path,
) -> None:
    trail = trail_of(tmp_path / "trail.jsonl")
    found = {
        (r.tool, r.argument): (r.verdict, r.coincides)
        for call in trail.calls
        for r in hints_of(trail, call)
        if not r.argument.startswith("_findings")
    }
    assert found == {
        ("hosts", "service"): ("hint", "person"),
        ("lookup", "host"): ("hint", "result"),
        ("lookup", "window"): ("hint", "person"),
        ("lookup", "limit"): ("nowhere", None),
    }


def test_without_texts_nothing_is_said_to_stand_nowhere(tmp_path: Path) -> None:
    trail = trail_of(tmp_path / "trail.jsonl", content="none")
    rows = [r for call in trail.calls for r in hints_of(trail, call)]
    assert {r.verdict for r in rows} <= {"uncheckable", "hint"}


def test_traces_of_other_instrumentations_get_hints(shared: Path) -> None:
    verdicts: dict[str, int] = {}
    for path in sorted((shared / "data" / "otlp").rglob("*.otlp.json")):
        for span in load(path).spans:
            for row in foreign_hints(span):
                verdicts[row.verdict or ""] = verdicts.get(row.verdict or "", 0) + 1
    assert verdicts["hint"] >= 30
    assert set(verdicts) <= {"hint", "nowhere", "uncheckable"}
