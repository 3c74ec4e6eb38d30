"""The verdict on a trail: complete, inconsistent, incomplete, open, unreadable, by exit code."""

from __future__ import annotations

import copy
import io
from pathlib import Path
from typing import Any

import pytest

from otel_footprint.cli.main import main
from otel_footprint.trail.sources import paths, whole
from otel_footprint.trail.verify import Verified, verify

from .builder import Turn, Writer, as_lines, system, user
from .conftest import LONG, read, story
from .test_losses import cut_strings

CODES = {"complete": 0, "inconsistent": 1, "incomplete": 2, "open": 3, "unreadable": 4}
KEY = b"0123456789abcdef"


def attribute(holder: dict[str, Any], key: str) -> dict[str, Any] | None:
    return next((a for a in holder["attributes"] if a["key"] == key), None)


def drop(spans: list[dict[str, Any]], key: str) -> None:
    """What a collector does that deletes a key everywhere."""
    for span in spans:
        for holder in (span, *span["events"]):
            holder["attributes"] = [a for a in holder["attributes"] if a["key"] != key]


def by_code(spans: list[dict[str, Any]], tmp_path: Path, *more: str) -> int:
    path = tmp_path / "trail.jsonl"
    path.write_bytes(as_lines(spans))
    return main(["verify", str(path), *more])


def test_a_whole_trail_is_complete(
    writer: Writer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    story(writer)
    assert by_code(writer.spans, tmp_path) == 0
    out, err = capsys.readouterr()
    assert out.startswith("complete\n")
    assert "proven by hash" in out
    assert err == ""


def test_one_other_character_of_any_digest_is_noticed(writer: Writer) -> None:
    story(writer)
    kinds = ("footprint.trail.digest", "footprint.slot.digests", "footprint.base.digest")
    holders = [h for s in writer.spans for h in (s, *s["events"])]
    found = [a for h in holders for a in h["attributes"] if a["key"] in kinds]
    assert {a["key"] for a in found} == set(kinds)
    for said in (a["value"] for a in found):
        text = said["stringValue"]
        ends = [i - 1 for i, c in enumerate(text + ",") if c == ","]
        for at in {0, *ends, *range(5, len(text), 11)}:
            said["stringValue"] = text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :]
            assert verify(read(writer.spans)).state in ("inconsistent", "incomplete")
        said["stringValue"] = text
    assert verify(read(writer.spans)).state == "complete"


def test_missing_numbers_are_named(
    writer: Writer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    story(writer)
    spans = [s for s in writer.spans if not s["name"].startswith("execute_tool")]
    check = verify(read(spans)).ledgers[0]
    assert by_code(spans, tmp_path) == 2
    out = capsys.readouterr().out
    assert out.startswith("incomplete\n")
    for number in check.missing:
        assert str(number) in out


def test_a_turn_without_its_end_is_open(
    writer: Writer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    story(writer)
    assert by_code(writer.spans[:-1], tmp_path) == 3
    assert "its last record is not here" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("key", "value", "where"),
    [
        ("footprint.sources", {"stringValue": "base"}, "compose messages"),
        ("footprint.slot.messages.used", {"intValue": "1"}, "chat"),
        ("footprint.turn.outcome", {"stringValue": "error"}, "invoke_agent"),
        ("footprint.tool.hashes", {"stringValue": "0" * 16 + "," + "1" * 16}, "execute_tool"),
        ("footprint.content", {"stringValue": "none"}, "turn started"),
        ("footprint.trail.digest", {"stringValue": "0" * 43 + "," + "0" * 11}, "execute_tool"),
    ],
)
def test_a_changed_field_is_named(
    key: str, value: Any, where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = Writer()
    story(writer)
    span = next(
        s for s in writer.spans
        if s["name"].startswith(where)
        and any(attribute(h, key) for h in (s, *s["events"]))
    )  # fmt: skip
    for holder in (span, *span["events"]):
        found = attribute(holder, key)
        if found is not None:
            found["value"] = value
    assert by_code(writer.spans, tmp_path) == 1
    out = capsys.readouterr().out
    assert out.startswith("inconsistent\n")
    assert "does not fit its digest, or the one before" in out


def test_a_record_that_was_made_anew_does_not_fit_the_next(
    writer: Writer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who changes a record and seals it again is given away by the record that follows."""
    from otel_footprint.records import digest

    turn = Turn(writer)
    turn.call([], [user("a")])
    turn.tool("pay", "c1", '{"amount":10}', "paid")
    turn.call([], [user("a"), user("b")])
    turn.end()
    span = next(s for s in writer.spans if s["name"] == "execute_tool pay")
    said = {a["key"]: a["value"] for a in span["attributes"]}
    seq = int(said["footprint.trail.seq"]["intValue"])
    hashes = [writer.hash('{"amount":99}')[:16], writer.hash("paid")[:16]]
    said["footprint.tool.hashes"]["stringValue"] = ",".join(hashes)
    line = digest.tool_line(seq, "pay", "c1", *hashes, "ok")
    _, previous = digest.unseal(said["footprint.trail.digest"]["stringValue"])
    made = digest.seal(digest.chain(previous, [line]), previous)
    said["footprint.trail.digest"]["stringValue"] = made
    assert by_code(writer.spans, tmp_path) == 1
    assert f"call {turn.ledger}.2" in capsys.readouterr().out


def test_with_a_key_an_inconsistent_trail_is_altered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = Writer(key=KEY)
    story(writer)
    assert by_code(writer.spans, tmp_path) == 0
    assert "hashes are keyed, no key fits" in capsys.readouterr().out
    assert by_code(writer.spans, tmp_path, "--key", "another-key-of-16", "--key", KEY.decode()) == 0
    assert "proven by hash" in capsys.readouterr().out
    span = next(s for s in writer.spans if s["name"].startswith("chat"))
    found = attribute(span, "footprint.slot.messages.used")
    assert found is not None
    found["value"] = {"intValue": "1"}
    assert by_code(writer.spans, tmp_path) == 1
    assert capsys.readouterr().out.startswith("inconsistent\n")
    assert by_code(writer.spans, tmp_path, "--key", KEY.decode()) == 1
    assert capsys.readouterr().out.startswith("altered\n")


def test_keys_come_from_the_environment_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Writer(key=KEY)
    story(writer)
    monkeypatch.setenv("OTEL_FOOTPRINT_KEYS", f"another-key-of-16,{KEY.decode()}")
    assert by_code(writer.spans, tmp_path) == 0
    assert "proven by hash" in capsys.readouterr().out


def verdict(spans: list[dict[str, Any]]) -> Verified:
    return verify(read(spans))


def test_what_a_pipeline_does_to_texts_is_no_alteration(
    writer: Writer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    story(writer)
    whole = verdict(writer.spans)
    assert not whole.texts.withheld
    assert not whole.texts.shortened
    dropped = copy.deepcopy(writer.spans)
    drop(dropped, "footprint.text")
    found = verdict(dropped)
    assert found.state == "complete"
    assert len(found.texts.withheld) == whole.texts.proven
    assert by_code(dropped, tmp_path) == 0
    assert "withheld on the way" in capsys.readouterr().out
    shortened = copy.deepcopy(writer.spans)
    for span in shortened:
        for holder in (span, *span["events"]):
            text = attribute(holder, "footprint.text")
            if text is not None:
                cut_strings(text, 40)
    found = verdict(shortened)
    assert found.state == "complete"
    assert found.texts.shortened
    assert by_code(shortened, tmp_path) == 0
    out = capsys.readouterr().out
    assert "shortened or rewritten on the way" in out
    assert "altered" not in out


def test_content_that_was_never_recorded_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = Writer(content="none")
    story(writer)
    assert by_code(writer.spans, tmp_path) == 0
    assert "never recorded (content mode none)" in capsys.readouterr().out


def test_a_digest_that_was_dropped_cannot_be_checked(
    writer: Writer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    story(writer)
    drop(
        [s for s in writer.spans if s["name"].startswith("execute_tool")], "footprint.trail.digest"
    )
    assert by_code(writer.spans, tmp_path) == 2
    assert "not to be checked, since fields are missing: records" in capsys.readouterr().out


@pytest.mark.parametrize("data", [b"", b"nothing of this is JSON", b'{"resourceSpans":[]}\n'])
def test_what_holds_no_record_of_ours_is_unreadable(
    data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "trail.jsonl"
    path.write_bytes(data)
    assert main(["verify", str(path)]) == 4
    assert main(["verify", str(tmp_path / "none.jsonl")]) == 4
    err = capsys.readouterr().err
    assert "unreadable" in err
    assert main(["verify", "--from", str(path), "some-turn"]) == 4
    with pytest.raises(SystemExit) as raised:
        main(["verify", "--color", "mauve"])
    assert raised.value.code == 4


def test_lines_that_could_not_be_read_leave_nothing_complete(
    writer: Writer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    story(writer)
    path = tmp_path / "trail.jsonl"
    path.write_bytes(as_lines(writer.spans) + b'{"resourceSpans":\x1b[2J\n')
    assert main(["verify", str(path)]) == 2
    out = capsys.readouterr().out
    assert "1 place of the source could not be read" in out
    assert "\x1b" not in out


def test_a_trail_on_standard_input_is_verified(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    story(writer)
    for command in (["verify", "-"], ["verify", "--from", "-", "newest"]):
        given = io.TextIOWrapper(io.BytesIO(as_lines(writer.spans)))
        monkeypatch.setattr("sys.stdin", given)
        assert main(command) == 0


def test_one_turn_of_several_is_judged_alone(tmp_path: Path) -> None:
    writer = Writer()
    for id_ in ("first", "second"):
        turn = Turn(writer, id_=id_)
        turn.call([system(LONG)], [user("a")])
        if id_ == "first":
            turn.end()
    path = tmp_path / "trail.jsonl"
    path.write_bytes(as_lines(writer.spans))
    assert main(["verify", "--from", str(path), "first"]) == 0
    assert main(["verify", "--from", str(path), "second"]) == 3


def several(tmp_path: Path, hurt: str = "", turns: int = 30) -> Path:
    """A file of many turns, of which one may have lost its end or have been changed."""
    writer = Writer()
    for n in range(turns):
        turn = Turn(writer, id_=f"turn-{n}")
        turn.call([system(LONG)], [user(f"Question {n}")])
        if not (hurt == "open" and n == 3):
            turn.end()
        if hurt == "inconsistent" and n == 7:
            ended = writer.spans[-1]
            found = attribute(ended, "footprint.turn.outcome")
            assert found is not None
            found["value"] = {"stringValue": "error"}
    path = tmp_path / "trail.jsonl"
    path.write_bytes(as_lines(writer.spans))
    return path


@pytest.mark.parametrize("big", [False, True])
@pytest.mark.parametrize(("state", "turn"), [("open", "turn-3"), ("inconsistent", "turn-7")])
def test_one_bad_turn_among_many_decides_over_a_file(
    state: str,
    turn: str,
    big: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if big:  # then it is read by its index, a few traces at a time
        monkeypatch.setattr(paths, "BIG", 0)
        monkeypatch.setattr(whole, "SPANS", 20)
    assert main(["verify", str(several(tmp_path))]) == 0
    assert "and 10 further ledgers: complete" in capsys.readouterr().out
    assert main(["verify", str(several(tmp_path, state))]) == CODES[state]
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == state
    assert f"turn {turn}, " in lines[1]
    assert f": {state}, " in lines[1]
    assert main(["verify", "--from", str(tmp_path / "trail.jsonl"), "newest"]) == 0


@pytest.mark.parametrize("seed", range(3))
def test_any_single_lost_span_is_noticed(seed: int) -> None:
    """No span of ours that carries a number can go missing from a complete trail unnoticed."""
    writer = Writer(seed)
    story(writer)
    for i, span in enumerate(writer.spans):
        numbered = any(attribute(h, "footprint.trail.seq") for h in (span, *span["events"]))
        if numbered:
            left = writer.spans[:i] + writer.spans[i + 1 :]
            assert verdict(left).state != "complete", span["name"]
