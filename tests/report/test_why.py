"""The command `why`: what it prints is safe, fits, and says the same as its JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from otel_footprint import Footprint
from otel_footprint.cli.main import main
from otel_footprint.report.plain import cells
from otel_footprint.telemetry.jsonfile import JsonFileExporter

from ..sdk import Recording, Server, chat, client
from ..trail.builder import Turn, Writer, as_lines, assistant, result, system, user
from .test_plain import CONTROL

HOSTILE = "Quill\x1b[2J Harbor \u202e<script>alert(1)</script> costs 48213 euro. " + "x" * 300


@pytest.fixture
def trail(tmp_path: Path) -> Path:
    writer = Writer()
    turn = Turn(writer)
    ask = user(f"What does it cost? {HOSTILE[:20]}")
    look = assistant(None, ("c1", "look\x1b[1m", '{"q": "Quill Harbor \\u001b[2J"}'))
    turn.call([system("Be brief. " + "long " * 80)], [ask], [], [look])
    turn.tool("look\x1b[1m", "c1", '{"q": "Quill Harbor"}', HOSTILE)
    answer = assistant("It costs 48,213 euro at Quill Harbor.")
    turn.call([system("Be brief.")], [ask, look, result("c1", HOSTILE)], [], [answer])
    turn.end()
    path = tmp_path / "trail.jsonl"
    path.write_bytes(as_lines(writer.spans))
    return path


@pytest.mark.parametrize("words", [[], ["48213"], ["--absent", "48213", "--call", "1"]])
@pytest.mark.parametrize("width", [60, 100])
def test_what_is_printed_is_safe_and_fits(
    trail: Path, words: list[str], width: int, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("COLUMNS", str(width))
    assert main(["why", str(trail), *words, "--ascii"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert not err
    assert not any(CONTROL.search(line) for line in lines)
    assert out.isascii()
    assert max(map(cells, lines)) <= width
    assert re.search(r"span [0-9a-f]{16}", out)


def test_words_may_stand_on_both_sides_of_an_option(
    trail: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["why", "48213", "--call", "2", "--from", str(trail)]) == 2  # a lone word is an id
    assert main(["why", str(trail), "48213", "--call", "2"]) == 0
    expected = capsys.readouterr().out
    assert main(["why", str(trail), "--call", "2", "48213"]) == 0
    assert capsys.readouterr().out == expected
    assert main(["diff", str(trail), "--ascii", "1", "2"]) == 0
    for wrong in (["48213", "--json", "2"], ["--bogus", "48213"]):
        with pytest.raises(SystemExit) as stopped:
            main(["why", str(trail), *wrong])
        assert stopped.value.code == 2
        assert "unrecognized arguments" in capsys.readouterr().err


def test_the_origin_the_tool_and_the_law_are_printed(
    trail: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["why", str(trail), "48213"]) == 0
    out = capsys.readouterr().out
    assert "one piece stands first" in out
    assert "given back by tool look" in out
    assert "convict" in out


def test_json_says_the_same(trail: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", str(trail), "48213", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["findings"][0]["word"] == "named"
    assert made["findings"][0]["suspects"][0]["place"]["id"] == "c1"
    assert main(["why", str(trail), "--absent", "48213", "--call", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["found"][0]["kind"] == "later"


def test_a_call_that_is_not_there_exits_2(trail: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", str(trail), "--call", "9"]) == 2
    assert "no call 9" in capsys.readouterr().err


def test_a_trail_without_texts_says_so_and_judges_no_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = Recording()
    path = tmp_path / "trail.jsonl"
    recording.tracer_provider.add_span_processor(SimpleSpanProcessor(JsonFileExporter(path)))
    fp = Footprint("shop", content="none", **recording.providers)
    made = fp.wrap(client("openai", "OpenAI", Server(chat("It costs 42.00 euro."))))
    with fp.turn("How much?"):
        made.chat.completions.create(
            model="gpt-4o-mini", messages=[{"role": "user", "content": "How much?"}]
        )
    assert main(["why", str(path), "42.00"]) == 4
    out = capsys.readouterr().out
    assert "no answer can be read: its text was not recorded (content mode none)\n" in out
    assert "no piece in front of call 1 can be read: the trail does not tell" in out
    assert "does not hold it" not in out
    for words in ([], ["--json"], ["--absent", "42.00"]):
        assert main(["why", str(path), *words]) == 4
    capsys.readouterr()


def without_texts(file: Path, *events: str) -> Path:
    """The file as a pipeline leaves it that withholds the texts of these events."""
    documents = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for document in documents:
        (span,) = document["resourceSpans"][0]["scopeSpans"][0]["spans"]
        for event in span["events"]:
            if event["name"] in events:
                event["attributes"] = [
                    a for a in event["attributes"] if a["key"] != "footprint.text"
                ]
    made = file.with_name("withheld.jsonl")
    made.write_text("".join(json.dumps(d) + "\n" for d in documents), "utf-8")
    return made


def test_an_answer_that_was_withheld_is_told_apart_by_the_exit_code(
    trail: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = without_texts(trail, "footprint.output")
    assert main(["why", str(alone)]) == 4
    out = capsys.readouterr().out
    assert "no answer can be read: its text is missing, and no record is: it was withheld" in out
    assert main(["why", str(alone), "48213"]) == 0  # the pieces in front can be read
    assert "given back by tool look" in capsys.readouterr().out
    both = without_texts(trail, "footprint.output", "footprint.slot.composed")
    assert main(["why", str(both), "48213"]) == 4
    assert main(["why", str(both), "--absent", "48213"]) == 4
    capsys.readouterr()
    with both.open("a", encoding="utf-8") as damaged:
        damaged.write("{\n")
    assert main(["why", str(both)]) == 4
    assert "could not read line " in capsys.readouterr().err


def test_a_call_that_gave_no_answer_says_what_it_gave(
    trail: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["why", str(trail), "--call", "1"]) == 4
    assert "  it gave no answer: it asked for tool look" in capsys.readouterr().out
    writer = Writer()
    turn = Turn(writer)
    turn.call([], [user("Why?")], attributes={"error.type": "APIConnectionError"})
    turn.end()
    failed = trail.with_name("failed.jsonl")
    failed.write_bytes(as_lines(writer.spans))
    assert main(["why", str(failed)]) == 4
    assert "  it gave no answer: error APIConnectionError\n" in capsys.readouterr().out
