"""Walks over trails that the recorder itself wrote: declared sources, the window, templates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

import otel_footprint as footprint
from otel_footprint.report import onecall
from otel_footprint.telemetry import names
from otel_footprint.telemetry.jsonfile import JsonFileExporter
from otel_footprint.trail import Trail, load
from tests.arguments.loops import STEPS, TOOLS, AnthropicLoop, Asked, OpenAILoop, Shop
from tests.injecting.kit import Loop, call, calls
from tests.sdk import Recording, chat


def hosting(recording: Recording, answer: str) -> footprint.Footprint:
    """An agent `outer` with a tool `hosts`, in which an agent `inner` gives an answer."""
    outer, inner = (
        footprint.Footprint(name, content="full", **recording.providers)
        for name in ("outer", "inner")
    )

    @outer.tool
    def hosts(**_: Any) -> str:
        with inner.turn("Look.") as turn:
            OpenAILoop(inner, [answer]).run(turn)
        return "It cost 17.53."

    return outer


def written(recording: Recording, path: Path) -> Path:
    recording.tracer_provider.add_span_processor(SimpleSpanProcessor(JsonFileExporter(path)))
    return path


def read_back(fp: Any, path: Path) -> Trail:
    fp.flush()
    return load(path)


@pytest.mark.parametrize("loop", [OpenAILoop, AnthropicLoop])
def test_a_declared_source_stands_on_its_own_event(loop: type[Any], tmp_path: Path) -> None:
    recording = Recording()
    path = written(recording, tmp_path / "trail.jsonl")
    fp = footprint.Footprint(
        "shop", content="full",
        arguments=footprint.Arguments(tools=TOOLS, ask=lambda _: {"f1": "payments"}),
        **recording.providers,
    )  # fmt: skip
    Shop(fp)
    with fp.turn("Why?") as turn:
        loop(fp, STEPS).run(turn)
    (found,) = read_back(fp, path).why("41200").findings
    (tool,) = found.suspects[0].hop.causes
    assert [a.value for a in tool.causes] == ["checkout"]
    argument = tool.causes[0]
    assert argument.ground.event == names.EVENT_ARGUMENT
    assert argument.what == "argument service: a person said it (declared: user)"
    assert argument.causes[0].end == "person"


@pytest.mark.parametrize("content", ["full", "redacted"])
def test_an_argument_that_was_asked_for_is_the_value_that_the_tool_got(
    content: str, tmp_path: Path
) -> None:
    recording = Recording()
    path = written(recording, tmp_path / "trail.jsonl")
    rules = {"window": {"ask": "Over which time?"}, "limit": {"assume": 50}}
    fp = footprint.Footprint(
        "shop", content=content, dispatch=True,
        arguments=footprint.Arguments(
            tools={"lookup": {"arguments": rules}}, ask=lambda _: {"f1": "24h"}
        ),
        **recording.providers,
    )  # fmt: skip
    shop = Shop(fp)
    steps = [[Asked("t1", "lookup", {"host": "db-9", "window": "1h"})], "It was slow."]
    with fp.turn("Is db-9 slow?") as turn:
        OpenAILoop(fp, steps).run(turn)
    assert shop.got == [("lookup", {"host": "db-9", "window": "24h", "limit": 50})]
    (found,) = read_back(fp, path).why("slow").findings
    (tool,) = next(s.hop.causes for s in found.suspects if s.hop.causes)
    _, window, limit = tool.causes
    assert (window.end, limit.end) == ("person", "default")
    assert limit.what == "argument limit: the declared default"
    if content == "full":
        assert (window.value, window.quote, limit.value) == ("24h", "1h", "50")
        assert window.what.endswith("a person gave it when asked, in place of what the model wrote")
    else:
        assert (window.value, window.quote, limit.value) == ("", "", "")
        assert window.what.endswith("the value that the tool got is not on the trail")


def test_what_the_window_took_out_is_known_by_its_hash(tmp_path: Path) -> None:
    loop = Loop(chat("Yes."), window=footprint.sliding_window(2))
    path = written(loop.recording, tmp_path / "trail.jsonl")
    for n in range(4):
        loop.messages += [
            {"role": "user", "content": f"Question {n}"},
            {"role": "assistant", "content": f"Answer {n}"},
        ]
    with loop.footprint.turn("Now?"):
        loop.run("Now?")
    trail = read_back(loop.footprint, path)
    (whole,) = trail.absent("Question 0").found
    assert (whole.kind, whole.how, whole.ground.event) == ("removed", "hash", names.EVENT_REMOVED)
    part = trail.absent("Question")
    assert part.in_front is ("Question 3" in str(loop.texts(0)))
    printed = "\n".join(onecall.render(trail, trail.calls[0], ascii_only=True))
    removed = [e for s in trail.spans for e in s.events if e.name == names.EVENT_REMOVED]
    assert f"taken out: {len(removed)} pieces" in printed
    for event in removed:
        assert f" - window - sliding - {event.attributes[names.REMOVED_KEY][:12]}" in printed


def test_one_call_names_a_message_that_had_to_wait_once(tmp_path: Path) -> None:
    fact = footprint.fact("trust", "The card is mine.", slot="messages", role="user")
    loop = Loop(chat("Yes."), chat("Yes."), chat("Yes."), context=[fact])
    path = written(loop.recording, tmp_path / "trail.jsonl")
    for _ in range(3):
        with loop.footprint.turn("Now?", conversation="c"):
            loop.run("Now?")
    trail = read_back(loop.footprint, path)
    last = trail.calls[2]
    told = {
        e.name for s in trail.spans if s.attributes.get(names.CALL_ID) == last.id for e in s.events
    }
    assert {names.EVENT_DEFERRED, names.EVENT_STUCK} <= told
    printed = "\n".join(onecall.render(trail, last, ascii_only=True))
    assert "not let in: 1 piece\n    1  fact - trust - role-collision\n" in printed


def test_an_instruction_without_its_fact_and_a_tool_without_a_dispatcher(tmp_path: Path) -> None:
    loop = Loop(
        calls(call("c1", "look")), chat("Done."),
        context=[
            footprint.instruction("left", template="Call {{action}} of {{actionBudget}}."),
            footprint.skill("refund", "How to refund.", "Refunds take 9 days."),
        ],
    )  # fmt: skip
    loop.functions = {"look": lambda: "found"}
    path = written(loop.recording, tmp_path / "trail.jsonl")
    with loop.footprint.turn("Go.") as turn:
        loop.run("Go.", turn)
    trail = read_back(loop.footprint, path)
    (skipped,) = trail.absent("left").found
    assert (skipped.kind, skipped.ground.event) == ("skipped", names.EVENT_SKIPPED)
    assert "missing-fact, {{actionBudget}}" in skipped.what
    (withheld,) = trail.absent("read_skill").found
    assert (withheld.kind, withheld.ground.event) == ("withheld", names.EVENT_WITHHELD)
    printed = "\n".join(onecall.render(trail, trail.calls[0], ascii_only=True))
    assert "not let in: " in printed
    assert "instruction - left - missing-fact - {{actionBudget}}" in printed
    assert "read_skill - no-dispatcher" in printed
    unknown = trail.absent("9 days")
    assert {m.kind for m in unknown.near} == {"skipped", "withheld"}
    assert "holds no such text" in unknown.what


def test_a_call_of_another_turn_is_named_with_it_and_one_before_a_pause_by_its_number(
    tmp_path: Path,
) -> None:
    recording = Recording()
    path = written(recording, tmp_path / "trail.jsonl")
    outer = hosting(recording, "It cost 17.53.")
    before = OpenAILoop(outer, [[Asked("t1", "hosts", {})], "The lamp cost 17.53."])
    after = OpenAILoop(outer, ["So 17.53 is paid."])
    with outer.turn("What?") as turn:
        before.run(turn)
        state = turn.pause()
    with outer.turn(resume=state) as turn:
        after.messages = before.messages
        after.run(turn)
    trail = read_back(outer, path)
    child = next(t.id for t in trail.turns if t.agent == "inner")
    calls = [call for call in trail.calls if call.turn != child]
    (found,) = trail.why("17.53", calls[1].id).findings
    own = next(s for s in found.suspects if s.relation == "model")
    assert own.hop.what == f"the model's own words in call 1 of turn {child}"
    assert own.reasons[-1] == "never stood there itself when it wrote the answer"
    (resumed,) = trail.why("17.53", calls[2].id).findings
    said = {s.hop.what for s in resumed.suspects}
    assert "the result of tool hosts, messages 3, first in front of call 2" in said
