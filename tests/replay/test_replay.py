"""The replay tells right from wrong, and every recorded file passes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.quick import sampled

from .__main__ import main, replay
from .walk import Piece, walk

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "cassettes" / "norm"
FILES = sorted(FOLDER.rglob("*.json")) if FOLDER.is_dir() else []


@pytest.mark.skipif(not FILES, reason="the folder ../shared/data/cassettes/norm is not there")
@pytest.mark.parametrize("path", sampled(FILES, 6), ids=lambda p: f"{p.parent.name}-{p.stem[:60]}")
def test_a_recorded_file_passes(path: Path) -> None:
    problems, _ = replay(path)
    assert problems == []


def interaction(uri: str, body: Any, answer: Any, status: int = 200) -> dict[str, Any]:
    return {
        "method": "POST", "uri": uri, "status": status,
        "request": {"json": body}, "response": {"json": answer},
    }  # fmt: skip


BODY = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
ANSWER = {
    "id": "1", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "hello"}}],
}  # fmt: skip
GOOD = interaction("https://api.openai.com/v1/chat/completions", BODY, ANSWER)


def file(folder: Path, *interactions: Any) -> Path:
    path = folder / "one.json"
    path.write_text(json.dumps({"interactions": list(interactions)}))
    return path


def test_a_file_that_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file(tmp_path, GOOD, GOOD)
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().out.endswith("\n1 passed, 0 failed\n")


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        [{}],
        [interaction("https://api.openai.com/v1/unheard/of", BODY, ANSWER)],
        [interaction("https://nobody.example/v1/chat/completions", BODY, ANSWER)],
        [interaction("**REDACTED**", {"who": "knows"}, ANSWER)],
        [{**GOOD, "response": {"carrier_pigeon": 1}}],
    ],
)
def test_what_is_not_known_counts_as_failed(
    wrong: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file(tmp_path, *wrong)
    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().out.endswith("\n0 passed, 1 failed\n")


def test_a_file_that_is_no_json_counts_as_failed(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("interactions:\n- request: {}\n")
    assert main([str(tmp_path)]) == 1


def test_nothing_to_run_is_a_failure(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 1
    assert main([]) == 2
    assert main([str(tmp_path / "none")]) == 2


def test_a_wrapper_that_changes_a_result_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from otel_footprint import Footprint

    def wrap(self: Any, target: Any) -> Any:
        create = target.chat.completions.create

        def changed(model: str, messages: Any) -> Any:
            answer = create(model=model, messages=messages)
            answer.choices[0].message.content += "!"
            return answer

        target.chat.completions.create = changed
        return real(self, target)

    real = Footprint.wrap
    monkeypatch.setattr(Footprint, "wrap", wrap)
    problems, _ = replay(file(tmp_path, GOOD))
    assert "exchange 1: the wrapped client gave another result" in problems


def test_a_trail_without_a_text_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from otel_footprint.trail.texts import Texts

    monkeypatch.setattr(Texts, "record", lambda *_: None)
    problems, _ = replay(file(tmp_path, GOOD))
    assert any("not rebuilt" in p for p in problems)


def test_a_copy_of_the_request_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from otel_footprint.telemetry import spans

    long = "a message that is long enough to be looked for"
    body = {"model": "m", "messages": [{"role": "user", "content": f"{long} {i}"} for i in "ab"]}
    real = spans.Spans.start

    def start(self: Any, name: str, parent: Any, attributes: Any, **more: Any) -> Any:
        copy = json.dumps(body, separators=(",", ":"))
        return real(self, name, parent, {**attributes, "copy": copy}, **more)

    monkeypatch.setattr(spans.Spans, "start", start)
    problems, _ = replay(
        file(tmp_path, interaction("https://api.openai.com/v1/chat/completions", body, ANSWER))
    )
    assert any("holds a whole request" in p for p in problems)
    assert any("holds 2 pieces" in p for p in problems)


def test_asides_are_counted_and_not_driven(tmp_path: Path) -> None:
    other = {**GOOD, "method": "GET", "uri": "https://api.openai.com/v1/models"}
    problems, words = replay(file(tmp_path, other, GOOD))
    assert problems == []
    assert words == "1 call; aside 1: GET api.openai.com"


def test_the_walk_splits_results_off_their_carriers() -> None:
    body = {
        "system": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        "messages": [
            {"role": "user", "content": "hi"},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "1"}, {"type": "text", "text": "x"}]},
            {"role": "system", "content": "later"},
        ],
        "tools": [{"name": "t"}],
    }  # fmt: skip
    walked = walk("anthropic", body)
    assert len(walked.system) == 2
    assert walked.messages == [
        Piece("user", "user"), Piece("tool-result", "user"), Piece("user", "user"),
        Piece("base", "system"),
    ]  # fmt: skip
    assert walked.tools == [Piece("registry", "")]
