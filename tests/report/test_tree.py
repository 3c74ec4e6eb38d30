"""The tree shows at a glance what was full, what changed, by whom, and what is missing."""

from __future__ import annotations

import re
from typing import Any
from unicodedata import category

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_footprint.report import onecall, tree
from otel_footprint.report.plain import cells
from tests.quick import examples

from ..trail.builder import Piece, Turn, Writer, assistant, result, system, tool, user
from ..trail.conftest import LONG, read

COLOR = re.compile(r"\x1b\[[0-9;]*m")
PRESSURE = {
    "footprint.slot": "messages", "footprint.pressure.state": "over",
    "footprint.pressure.cap": 100, "footprint.pressure.used": 150,
    "footprint.pressure.unit": "chars", "footprint.pressure.origin": "declared",
}  # fmt: skip


def lines(writer: Writer, **options: Any) -> list[str]:
    return list(tree.render(read(writer.spans), **options))


def line(found: list[str], *words: str) -> str:
    """The one line that holds all the words."""
    (only,) = [x for x in found if all(w in x for w in words)]
    return only


@pytest.fixture
def writer() -> Writer:
    writer = Writer()
    turn = Turn(writer, agent="planner", conversation="c-17", text="Why was I charged twice?")
    asks = assistant("Let me look.", ("c1", "lookup", '{"order":"A-1"}'))
    fact = Piece({"role": "user", "content": "In the EU."}, "fact", "user", "eu", "after lookup")
    rules = [system("Be kind. " + LONG)]
    first = [user("Why was I charged twice?")]
    later = [*first, asks, result("c1", "Two charges."), fact]
    turn.call(
        rules, first, [tool("lookup", "Looks orders up.")], [asks],
        attributes={
            "gen_ai.response.finish_reasons": ["tool_calls"],
            "gen_ai.response.time_to_first_chunk": 0.25,
            "gen_ai.usage.cache_read.input_tokens": 40,
        },
    )  # fmt: skip
    turn.tool("lookup", "c1", '{"order":"A-1"}', "Two charges.")
    turn.call(
        rules, later, [tool("lookup", "Looks orders up.")], [assistant("One is refunded.")],
        model="gpt-4o-mini", usage=(1_000_000, 0),
        attributes={
            "footprint.slot.caps": "4000,100,2000", "footprint.slot.messages.over": True,
            "footprint.slot.over.declared": True, "footprint.slot.caps.declared": "messages",
            "footprint.call.attempts": 2,
        },
        events=[("footprint.budget.pressure", PRESSURE)],
    )  # fmt: skip
    turn.call(rules, later[1:], [], attributes={"error.type": "RateLimitError"}, usage=None)
    turn.end("error")
    return writer


def test_the_turn_says_who_how_it_ended_and_what_it_used(writer: Writer) -> None:
    head = " ".join(lines(writer, width=200)[:2])
    for words in (
        "planner",
        "conversation c-17",
        "error",
        "3 calls",
        "1,000,100 in (40 cached)",
        "1 call unknown",
        "$0.15 + 2 calls unknown",
        "Why was I charged twice?",
    ):
        assert words in head


def test_a_call_says_its_model_times_tokens_and_price(writer: Writer) -> None:
    found = lines(writer, width=200)
    first = line(found, "─ 1 ", "m-1")
    for words in ("first token 0.25 s", "100 in (40 cached), 10 out", "tool_calls", "cost unknown"):
        assert words in first
    second = line(found, "─ 2 ", "gpt-4o-mini")
    assert "$0.15" in second
    assert "2 attempts" in second
    third = line(found, "─ 3 ")
    assert "error RateLimitError" in third
    assert "tokens unknown" in third


def test_the_slot_over_its_declared_cap_stands_out(writer: Writer) -> None:
    found = lines(writer, color=True)
    over = line(found, "OVER by", "declared cap")
    assert "messages" in over
    assert "\x1b[1;31m" in over
    plainly = [x for x in lines(writer) if "OVER" in x]
    assert len(plainly) == 1
    assert "/ 100" in plainly[0]


def test_over_a_default_cap_is_said_and_calmer() -> None:
    writer = Writer()
    turn = Turn(writer)
    turn.call([system("x" * 4_100)], [], attributes={"footprint.slot.system.over": True})
    over = line(lines(writer, color=True), "OVER by")
    assert "default cap" in over
    assert "\x1b[1;31m" not in over


def test_changes_say_what_by_whom_and_why(writer: Writer) -> None:
    found = lines(writer, width=110)
    assert "after lookup" in line(found, "+ fact", "eu")
    assert "In the EU." in line(found, "+ fact", "eu")
    assert "(call 1)" in line(found, "+ assistant", "Let me look.")
    assert "lookup c1" in line(found, "+ tool-result", "Two charges.")
    assert line(found, "- user", "Why was I charged twice?")
    assert line(found, "- registry", "Looks orders up.")
    assert len([x for x in found if "system" in x and "unchanged" in x]) == 2


def test_a_reason_stands_apart_from_the_text() -> None:
    writer = Writer()
    turn = Turn(writer, agent="a")
    turn.call([system("It is in Ghent.", id="shop", reason="in the EU")], [user("Hi")], [],
              [assistant("Yes.")])  # fmt: skip
    assert "shop: (in the EU) It is in Ghent." in "\n".join(lines(writer))


def test_tools_show_sizes_and_outputs_a_preview(writer: Writer) -> None:
    found = lines(writer)
    assert line(found, "⚙ lookup", "15 chars in", "chars out", "c1")
    assert line(found, "│     → lookup", '{"order":"A-1"}')
    assert line(found, "⇒", "“One is refunded.”")


def test_a_turn_in_a_turn_stands_beneath_it_and_open_ones_are_open(writer: Writer) -> None:
    outer = Turn(writer, agent="outer")
    inner = Turn(writer, parent=outer.span_id, agent="inner", parent_turn=outer.id)
    inner.call([], [user("a")])
    found = lines(writer, width=120)
    assert "open" in line(found, "· outer ·")
    assert line(found, "└─ turn", "inner")


def test_foreign_spans_are_marked() -> None:
    writer = Writer()
    root = writer.span("POST /chat", scope="web", end=writer.now + 5_000_000)
    turn = Turn(writer, parent=root)
    writer.span(
        "chat other", turn.span_id, scope="their.llm",
        attributes={"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-9",
                    "llm.usage.prompt_tokens": 7, "gen_ai.usage.completion_tokens": 3},
    )  # fmt: skip
    turn.call([], [user("a")], foreign="their.llm")
    turn.end()
    found = lines(writer, width=140)
    assert found[0].startswith("◦ POST /chat")
    assert "web" in found[0]
    assert line(found, "◦ chat other", "m-9", "7 in, 3 out", "their.llm")
    assert line(found, "span of their.llm")
    assert line(found, "2 spans of other instrumentations")


def test_what_is_missing_stands_at_the_end(writer: Writer) -> None:
    lost = next(s for s in writer.spans if s["name"] == "compose messages")
    writer.spans.remove(lost)
    found = lines(writer)
    assert any(x.startswith("Missing:") for x in found)
    assert "whose composition is missing" in found[-1]
    assert line(found, "messages", "its change is missing")


def test_many_changes_are_counted() -> None:
    writer = Writer()
    turn = Turn(writer)
    turn.call([], [user(f"message {i}") for i in range(500)])
    found = lines(writer)
    assert len(found) < 20
    assert line(found, "494 more pieces")


def test_content_that_is_off_is_said_as_that() -> None:
    writer = Writer(content="none")
    turn = Turn(writer)
    turn.call([], [user("secret")], output=[assistant("secret")])
    text = "\n".join(lines(writer))
    assert "secret" not in text
    assert "(content is off)" in text
    assert "content none" in text


@pytest.mark.parametrize("width", [20, 60, 80, 100, 200])
def test_no_line_is_wider_than_asked(writer: Writer, width: int) -> None:
    for x in lines(writer, width=width, color=True):
        assert cells(COLOR.sub("", x)) <= max(60, width)


def test_colours_change_nothing_else(writer: Writer) -> None:
    assert [COLOR.sub("", x) for x in lines(writer, color=True)] == lines(writer)


def test_ascii_is_ascii(writer: Writer) -> None:
    turn = Turn(writer, text="é 日本")
    turn.call([system("é 日本")], [user("\u202e")])
    assert all(x.isascii() and x.isprintable() for x in lines(writer, ascii_only=True))


def shows(text: str) -> bool:
    """True when a terminal shows every character and acts on none."""
    return all(c.isprintable() or c == "\u200d" or category(c) == "Zs" for c in text)


HOSTILE = "\x1b[2J\x1b]0;title\x07\u202e<script>\r\n\x9b31m\U0001f600" * 3


def test_hostile_texts_are_escaped_everywhere() -> None:
    writer = Writer()
    turn = Turn(writer, agent=HOSTILE, conversation=HOSTILE, text=HOSTILE)
    bad = Piece({"role": HOSTILE, "content": HOSTILE}, HOSTILE, HOSTILE, HOSTILE, HOSTILE)
    turn.call(
        [], [bad], [tool(HOSTILE)], [assistant(HOSTILE, (HOSTILE, HOSTILE, HOSTILE))],
        model=HOSTILE, attributes={"error.type": HOSTILE, "gen_ai.response.model": HOSTILE,
                                   "gen_ai.response.finish_reasons": [HOSTILE]},
    )  # fmt: skip
    turn.tool(HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE)
    writer.span(HOSTILE, turn.span_id, scope=HOSTILE)
    turn.end(HOSTILE)
    trail = read(writer.spans[1:])
    for x in [*tree.render(trail), *onecall.render(trail, trail.calls[0])]:
        assert shows(x), x


@settings(max_examples=examples(40), deadline=None)
@given(st.text(max_size=60), st.integers(0, 10_000_000))
def test_any_text_and_figure_prints(text: str, number: int) -> None:
    writer = Writer()
    turn = Turn(writer, agent=text or "a", text=text)
    turn.call([system(text)], [user(text, id=text, reason=text)], [tool(text)], [assistant(text)],
              attributes={"footprint.slot.system.used": number})  # fmt: skip
    for x in lines(writer):
        assert shows(x)


def test_one_call_whole_shows_every_piece_and_its_proof(writer: Writer) -> None:
    trail = read(writer.spans)
    found = list(onecall.render(trail, trail.call(2), width=90))
    text = "\n".join(found)
    assert "messages: 4 pieces" in text
    assert "In the EU." in text
    assert " ".join(text.split()).count("A long sentence about refunds") >= 30
    assert "proven equal to the HTTP body that left" in text
    writer.spans.remove(next(s for s in writer.spans if s["name"] == "compose system"))
    broken = read(writer.spans)
    text = "\n".join(onecall.render(broken, broken.call(2)))
    assert "request: not rebuilt" in text
    assert "whose composition is missing" in text
