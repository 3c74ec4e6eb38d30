"""The report stands alone: every text once and escaped, every link inside, readable by anyone."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import sys
from itertools import pairwise
from pathlib import Path
from unicodedata import category

import pytest

from otel_footprint.cli.main import main
from otel_footprint.errors import MissingExtraError
from otel_footprint.records.arguments import ArgumentRow
from otel_footprint.report import html
from otel_footprint.report.html.chain import TURNS
from otel_footprint.report.html.safe import visible
from otel_footprint.telemetry import names
from otel_footprint.trail import load

from ..trail import test_compare
from ..trail.builder import (
    Piece,
    Turn,
    Writer,
    as_lines,
    assistant,
    encoded,
    result,
    system,
    tool,
    user,
)
from ..trail.conftest import read, story
from .page import HOSTILE, Page, page

PRESSURE = {
    "footprint.slot": "messages", "footprint.pressure.state": "over",
    "footprint.pressure.cap": 10, "footprint.pressure.used": 30,
    "footprint.pressure.unit": "chars", "footprint.pressure.origin": "declared",
}  # fmt: skip


def hostile() -> Writer:
    """A trail whose every free text is hostile."""
    writer = Writer()
    turn = Turn(writer, agent=HOSTILE, conversation=HOSTILE, text=HOSTILE)
    asks = assistant(HOSTILE, ("c1", HOSTILE, HOSTILE))
    fact = Piece({"role": "user", "content": HOSTILE}, "fact", "user", HOSTILE, HOSTILE)
    turn.call([system(HOSTILE)], [user(HOSTILE)], [tool("t", HOSTILE)], [asks], model=HOSTILE,
              attributes={"error.type": HOSTILE, "gen_ai.response.finish_reasons": [HOSTILE]},
              )  # fmt: skip
    turn.tool(HOSTILE, "c1", HOSTILE, HOSTILE, HOSTILE)
    turn.call([system(HOSTILE + "x")], [user(HOSTILE), asks, result("c1", HOSTILE), fact], [],
              [assistant(HOSTILE)], events=[("footprint.budget.pressure", PRESSURE)])  # fmt: skip
    turn.end(HOSTILE)
    events = [(HOSTILE, {"k": HOSTILE})]
    writer.span(HOSTILE, turn.span_id, {HOSTILE: HOSTILE, "a": [HOSTILE]}, events, scope=HOSTILE)
    return writer


def test_nothing_of_a_hostile_trail_becomes_markup() -> None:
    made = page(read(hostile().spans))
    assert made.wrong == []
    assert made.open == []
    assert [t for t, _ in made.tags].count("script") == 1
    assert {t for t, _ in made.tags} & {"img", "iframe", "link", "object", "form", "base"} == set()
    for _, attributes in made.tags:
        assert not [
            name for name in attributes if name.startswith("on") or name in ("style", "src")
        ]
        assert (attributes.get("href") or "#").startswith("#")
    assert "data-owned" in made.text  # it stands there as text


def test_no_character_that_turns_or_hides_text_is_on_the_page() -> None:
    made = page(read(hostile().spans))
    unsafe = {c for c in made.html if not c.isprintable() and category(c) != "Zs"} - {"\n", "\t"}
    assert unsafe == set()
    assert "\\u202egnp.exe" in made.text
    assert "شالوم" in made.text
    assert visible("a\ud800\tb\r\nc\x1b") == "a\\ud800\tb\nc\\x1b"


def test_the_policy_allows_the_one_script_and_the_one_style_and_nothing_else() -> None:
    made = page(read(test_compare.story().spans))
    (policy,) = [a["content"] for a in made.named("meta") if "Content-Security" in str(a)]
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    for tag in ("style", "script"):
        (text,) = re.findall(f"<{tag}>(.*?)</{tag}>", made.html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"url\(|@import|https?://", made.html)


def test_every_text_stands_there_once_and_is_referred_to() -> None:
    writer = Writer()
    story(writer)
    made = page(read(writer.spans))
    assert made.text.count("found 1 A long sentence") - made.text.count("call_") < 20
    long = "A long sentence about refunds that is taken out of its skeleton. " * 25
    assert made.text.count("found 1 " + long) == 1
    ids = made.ids()
    assert len(ids) == len(set(ids))
    for _, attributes in made.tags:
        for name in ("data-text", "data-list", "aria-labelledby"):
            assert attributes.get(name) in (None, *ids)
        if (to := attributes.get("href")) is not None:
            assert to[1:] in ids


def test_headings_and_landmarks_are_in_order() -> None:
    made = page(read(test_compare.story().spans))
    levels = [int(t[1]) for t, _ in made.tags if re.fullmatch(r"h[1-6]", t)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    for tag in ("main", "header", "footer"):
        assert len(made.named(tag)) == 1
    assert made.named("html")[0]["lang"] == "en"
    for svg in made.named("svg"):
        assert svg.get("aria-hidden") == "true" or svg.get("aria-label")


def test_what_changed_is_said_with_signs_and_words() -> None:
    made = page(read(test_compare.story().spans))
    assert "The fee is 1520 % of" in made.text  # <del>15</del><ins>20</ins>
    assert "<del>15</del><ins>20</ins>" in made.html
    for word in ("new", "left", "changed", "moved"):
        assert f'<span class="hidden"> {word}</span>' in made.html
    assert "after lookup · " in made.text
    assert "by tool lookup · " in made.text


def test_pressure_errors_gaps_and_problems_stand_first() -> None:
    made = page(read(hostile().spans))
    assert "Errors" in made.text
    assert "messages over" in made.text
    writer = Writer()
    story(writer)
    lost = [s for s in writer.spans if s["name"] != "compose messages"]
    data = as_lines(lost) + b'{"resourceSpans":[\n'
    made = page(load(io.BytesIO(data)))
    assert "Missing:" in made.text
    assert "Not read: 1 place" in made.text
    assert made.wrong == []


def test_the_answer_is_walked_back_and_its_steps_lead_to_the_calls() -> None:
    writer = Writer()
    turn = Turn(writer, text="What is the fee for order A-77?")
    asks = assistant(None, ("c1", "policy", '{"order":"A-77"}'))
    first = [user("What is the fee for order A-77?")]
    turn.call([system("Be kind.")], first, [tool("policy", "Looks.")], [asks])
    turn.tool("policy", "c1", '{"order":"A-77"}', "The fee is 19.35 euro.")
    turn.call([system("Be kind.")], [*first, asks, result("c1", "The fee is 19.35 euro.")],
              [tool("policy", "Looks.")], [assistant("You pay 19.35 euro.")])  # fmt: skip
    turn.end()
    made = page(read(writer.spans))
    assert "the result of tool policy" in made.text
    assert "a person's words" in made.text
    assert '<q dir="auto">The fee is <mark>19.35</mark> euro.</q>' in made.html
    assert "convict" in made.text
    assert '<a href="#c2-messages">call 2</a>' in made.html


def test_answers_beyond_those_that_are_walked_back_say_so() -> None:
    writer = Writer()
    for n in range(TURNS + 2):
        turn = Turn(writer, id_=f"turn-{n:02}")
        turn.call([], [user("What is it?")], [], [assistant(f"It costs {100 + n} euro.")])
        turn.end()
    made = page(read(writer.spans))
    said = [f"otel-footprint why --from SOURCE turn-{n:02}" in made.text for n in range(TURNS + 2)]
    assert said == [False] * TURNS + [True] * 2
    assert made.text.count("Where its values come from") == TURNS


def test_a_tool_call_says_what_was_claimed_of_its_arguments_and_what_was_found() -> None:
    writer = Writer()
    turn = Turn(writer)
    asks = assistant(None, ("c1", "policy", '{"order":"A-99"}'))
    turn.call([system("Be kind.")], [user("Hm?")], [tool("policy", "Looks.")], [asks])
    turn.tool("policy", "c1", '{"order":"A-99"}', "None.")
    row = ArgumentRow("policy", "c1", "order", "nowhere", value="A-99")
    fields = {names.ARGUMENT_FIELDS[k]: v for k, v in row.fields(content=True).items()}
    made = encoded(fields)
    writer.spans[-1]["events"] = [{"name": names.EVENT_ARGUMENT, "attributes": made}]
    turn.end()
    (claims,) = re.findall('<ul class="claims">(.*?)</ul>', page(read(writer.spans)).html)
    assert "order = “A-99”" in claims


def test_foreign_spans_are_marked_as_not_ours(shared: Path) -> None:
    made = page(load(shared / "data/otlp/replayed/agents_openinference_handoff.otlp.json"))
    assert made.text.count("not ours") >= 11
    assert "search_recipes" in made.text


@pytest.mark.parametrize("content", ["none", "full"])
def test_damaged_trails_and_trails_without_texts_make_whole_pages(content: str) -> None:
    writer = Writer(content=content)
    story(writer)
    for step in (2, 3, 5):
        made = page(read(writer.spans[::step]))
        assert made.wrong == []
        assert made.open == []
        assert len(made.ids()) == len(set(made.ids()))
    if content == "none":
        assert "content is off" in page(read(writer.spans)).text


def test_an_empty_trail_makes_a_page() -> None:
    assert "No span is in this trail" in page(read([])).text


def long_writer(calls: int, **attributes: str) -> Writer:
    """A turn whose history grows by two messages a call."""
    writer = Writer()
    turn = Turn(writer)
    history = [user("Why?")]
    for n in range(calls):
        answer = assistant(f"Step {n}.")
        turn.call([system("Be kind.")], history, [tool("t", "Looks.")], [answer],
                  attributes=attributes)  # fmt: skip
        history = [*history, answer, user(f"And {n}?")]
    turn.end()
    return writer


def long_run(calls: int, **attributes: str) -> Page:
    return page(read(long_writer(calls, **attributes).spans))


@pytest.mark.parametrize("summary", [{}, {"footprint.pieces": ""}])
def test_the_page_grows_with_what_is_new(
    monkeypatch: pytest.MonkeyPatch, summary: dict[str, str]
) -> None:
    monkeypatch.setattr("otel_footprint.report.html.slots.DIRECT", 10)
    few, many = long_run(20, **summary), long_run(60, **summary)
    assert len(many.html) < 3.2 * len(few.html)
    assert "1 to 118: as in call 59" not in few.text
    assert "1 to 117: as in call 59" in many.text


def colours(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", block))


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_texts_have_the_contrast_of_wcag_aa_in_light_and_dark() -> None:
    css = Path(html.__file__).with_name("templates").joinpath("report.css").read_text()
    light, dark = (colours(block) for block in re.findall(r":root \{(.*?)\}", css, re.DOTALL)[:2])
    for scheme in (light, dark):
        for ground in ("back", "card"):
            for name in ("text", "soft", "link", "alarm", "warn", "good"):
                assert contrast(scheme[name], scheme[ground]) >= 4.5, (name, ground)
        for name in ("came", "left"):
            assert contrast(scheme["text"], scheme[name]) >= 4.5
        for name in ("user", "assistant", "result", "base", "registry", "injected"):
            assert contrast(scheme[name], scheme["back"]) >= 3
    assert "prefers-reduced-motion" in css


def test_the_command_writes_the_file_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trail = tmp_path / "trail.jsonl"
    trail.write_bytes(as_lines(test_compare.story().spans))
    out = tmp_path / "out.html"
    assert main(["report", str(trail), "-o", str(out)]) == 0
    assert "1 turn, 3 calls" in capsys.readouterr().out
    assert out.read_text("utf-8").rstrip().endswith("</html>")
    assert list(tmp_path.glob(".*")) == []
    assert main(["report", str(trail), "-o", str(tmp_path / "no" / "out.html")]) == 2
    trail.write_bytes(trail.read_bytes() + b"{\n")
    assert main(["report", str(trail), "-o", str(out)]) == 1


def test_without_jinja_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtraError, match=r"otel-footprint\[report\]"):
        page(read([]))
    trail = tmp_path / "trail.jsonl"
    trail.write_bytes(as_lines(test_compare.story().spans))
    assert main(["report", str(trail), "-o", str(tmp_path / "out.html")]) == 2
    assert "report: The report needs: pip install 'otel-footprint[report]'" in (
        capsys.readouterr().err
    )
