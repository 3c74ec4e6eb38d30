"""What is said of a piece that was let in: what triggered it, or the reason that was declared."""

from __future__ import annotations

import io

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

import otel_footprint as footprint
from otel_footprint.records.trail import CallTrail
from otel_footprint.report import diff, onecall, tree, why
from otel_footprint.report.html import write
from otel_footprint.report.sheet import Sheet
from otel_footprint.telemetry.jsonfile import JsonFileExporter
from otel_footprint.trail import Trail, load
from tests.injecting.kit import Loop, call, calls, tool
from tests.report import page
from tests.sdk import chat


@pytest.fixture(scope="module")
def trail(tmp_path_factory: pytest.TempPathFactory) -> Trail:
    """Four calls, of which the second has an instruction that a tool's result triggered."""
    path = tmp_path_factory.mktemp("reasons") / "trail.jsonl"
    loop = Loop(
        calls(call("t1", "search", q="fee")), chat("A fee of 19.35."), chat("No."), chat("-"),
        context=[
            footprint.fact("shop", "The shop is in Ghent."),
            footprint.instruction("at", template="Call {{action}}."),
            footprint.fact("law", "EU law holds.", description="sells in the EU"),
            footprint.instruction(
                "slow", "Do not search again.", when=footprint.on_tool_return("search")
            ),
        ],
        window=footprint.sliding_window(2),
    )  # fmt: skip
    exporter = SimpleSpanProcessor(JsonFileExporter(path))
    loop.recording.tracer_provider.add_span_processor(exporter)
    loop.tools, loop.functions = [tool("search", q={"type": "string"})], {"search": lambda **_: "-"}
    with loop.footprint.turn("Why?") as turn:
        loop.run("Why?", turn)
        loop.run("And more?", turn)
        loop.run("And now?", turn)
    loop.footprint.flush()
    return load(path)


def line(found: list[str], *words: str) -> str:
    (only,) = [x for x in found if all(word in x for word in words)]
    return only


def test_the_tree_says_the_trigger_and_never_the_id_twice(trail: Trail) -> None:
    found = list(tree.render(trail))
    assert "shop: (always) The shop is in Ghent." in line(found, "+ fact", "shop")
    assert "law: (sells in the EU) EU law holds." in line(found, "+ fact", "law")
    assert "slow: (tool return: search) Do not" in line(found, "+ instruction slow")
    assert "slow: Do not search again." in line(found, "- instruction")  # why it came is not why
    assert " active" not in "\n".join(found)


def test_so_do_one_call_and_a_comparison(trail: Trail) -> None:
    second: CallTrail = trail.calls[1]
    whole = list(onecall.render(trail, second))
    assert " · shop · always · " in line(whole, "  fact", "shop")
    assert " · law · always, sells in the EU · " in line(whole, "  fact", "law")
    compared = list(diff.render(trail, trail.diff(1, 2)))
    assert "instruction · slow · tool return: search · first in" in line(compared, "+ 5")
    walked = "\n".join(why.render(trail, trail.why("search again", 2)))
    assert "let in as an instruction (slow), trigger: tool return: search\n" in walked
    assert "slow active" not in walked


def test_a_trail_without_the_event_says_that_it_was_active(trail: Trail) -> None:
    bare = Trail([span._replace(events=[e for e in span.events if "injected" not in e.name])
                  for span in trail.spans])  # fmt: skip
    assert "shop: (active) The shop" in line(list(tree.render(bare)), "+ fact", "shop")


def test_the_page_says_who_took_a_piece_out(trail: Trail) -> None:
    pytest.importorskip("jinja2")
    from otel_footprint.report.html.anchors import Anchors
    from otel_footprint.report.html.pieces import Pieces

    out = io.StringIO()
    write(trail, out)
    made = page.Page(out.getvalue()).text
    assert "by tool search · " in made
    assert "always · 21 chars" in made
    assert "by fact shop" not in made  # its own line says that
    pieces = Pieces(Sheet(trail, 100, color=False, ascii_only=False), Anchors(trail))
    gone = trail.rows(trail.calls[2], "messages").rows[3]
    assert pieces.view(trail.calls[3], gone, "-").by == "taken out by sliding"
