"""The command `rebuild`: the exact request, its proof, and what is not there of it and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from otel_footprint.cli.main import main

from .builder import Turn, Writer, as_lines, system, user
from .conftest import LONG, story
from .test_verify import drop

KEY = b"0123456789abcdef"


class Commanded:
    """Runs the command on spans, with standard output as bytes."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[bytes]) -> None:
        self.folder = folder
        self.capture = capture

    def __call__(self, spans: list[dict[str, Any]], *arguments: str) -> tuple[int, bytes, str]:
        path = self.folder / "trail.jsonl"
        path.write_bytes(as_lines(spans))
        code = main(["rebuild", "--from", str(path), *arguments])
        out, err = self.capture.readouterr()
        return code, out, err.decode()


@pytest.fixture
def rebuild(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Commanded:
    return Commanded(tmp_path, capfdbinary)


def test_the_request_comes_exactly_and_its_proof_beside_it(
    writer: Writer, rebuild: Commanded
) -> None:
    bodies = story(writer)[0]
    for number, body in enumerate(bodies, 1):
        code, out, err = rebuild(writer.spans, "--call", str(number), "--provider", "json")
        assert (code, out) == (0, body.encode())
        assert "byte for byte" in err
        assert f"({len(body.encode()):,} bytes)" in err
        code, out, _ = rebuild(writer.spans, "newest", "--call", str(number))
        assert code == 0
        assert out.count(b"\n") > 10
        assert json.loads(out) == json.loads(body)
    assert rebuild(writer.spans, "--provider", "json")[1] == bodies[-1].encode()


def test_without_a_body_it_is_equal_as_json(writer: Writer, rebuild: Commanded) -> None:
    turn = Turn(writer)
    turn.call([system(LONG)], [user("a")], bytes_=False)
    code, _, err = rebuild(writer.spans)
    assert code == 0
    assert "equal as JSON" in err
    assert "no HTTP body was seen" in err


def test_what_left_otherwise_is_equal_to_what_was_recorded(
    writer: Writer, rebuild: Commanded
) -> None:
    Turn(writer).call([], [user("a")], attributes={"footprint.request.bytes": 7}, bytes_=False)
    code, _, err = rebuild(writer.spans)
    assert code == 0
    assert "equal to what was recorded" in err
    assert "had 7 bytes" in err


def test_keys_decide_what_is_proven(rebuild: Commanded) -> None:
    writer = Writer(key=KEY)
    story(writer)
    code, out, err = rebuild(writer.spans, "--call", "1")
    assert code == 1
    assert out
    assert "not proven" in err
    assert "--key" in err
    assert rebuild(writer.spans, "--call", "1", "--key", KEY.decode())[0] == 0


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("off", "were not recorded (content mode none)"),
        ("lost", "its composition is missing"),
        ("withheld", "it was withheld on the way"),
        ("shortened", "shortened or changed on the way"),
    ],
)
def test_what_cannot_be_rebuilt_is_said_with_the_reason(
    how: str, said: str, rebuild: Commanded
) -> None:
    writer = Writer(content="none" if how == "off" else "full")
    story(writer)
    spans = writer.spans
    if how == "lost":
        spans = [s for s in spans if s["name"] != "compose system"]
    elif how == "withheld":
        drop(spans, "footprint.text")
    elif how == "shortened":
        for span in spans:
            for event in span["events"]:
                for a in event["attributes"]:
                    if a["key"] == "footprint.text":
                        for value in a["value"]["arrayValue"]["values"]:
                            value["stringValue"] = value["stringValue"][:60]
    code, out, err = rebuild(spans, "--call", "1")
    assert code == 1
    assert out == b""
    assert "cannot be rebuilt" in err
    assert said in err


def test_a_history_on_the_providers_side_is_said(writer: Writer, rebuild: Commanded) -> None:
    Turn(writer).call(
        [], [user("a")],
        attributes={
            "footprint.completeness": "request_only",
            "gen_ai.request.previous_response.id": "resp_1",
        },
    )  # fmt: skip
    code, out, err = rebuild(writer.spans)
    assert code == 0
    assert out
    assert "it goes on from resp_1" in err
    assert "the model saw more than this" in err


def test_hostile_text_stays_json_and_moves_no_cursor(writer: Writer, rebuild: Commanded) -> None:
    hostile = "a\x1b[2J\x9b31m\u202eevil\u2066 \x7f <script>"
    Turn(writer).call([], [user(hostile)])
    code, out, _ = rebuild(writer.spans)
    assert code == 0
    assert all(c == "\n" or c.isprintable() for c in out.decode())
    assert json.loads(out)["messages"][0]["content"] == hostile
    exact = rebuild(writer.spans, "--provider", "json")[1]
    assert json.loads(exact)["messages"][0]["content"] == hostile


def test_a_call_is_named_by_number_or_id(writer: Writer, rebuild: Commanded) -> None:
    bodies = [b for turn in story(writer, turns=2) for b in turn]
    ids = list(writer.needs)
    for id_, body in zip(ids, bodies, strict=True):
        assert rebuild(writer.spans, "--call", id_, "--provider", "json")[1] == body.encode()
    code, out, err = rebuild(writer.spans, "--call", "9")
    assert (code, out) == (2, b"")
    assert "no call 9" in err
    assert rebuild([writer.spans[0]], "newest")[0] == 2
