"""What the log says of a call that `Footprint.record` cannot read."""

from __future__ import annotations

import logging
from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.telemetry import guard
from otel_footprint.wire import DIALECTS, FORMATS, dialect_for
from tests.sdk import chat

from .conftest import Recorded

CHAT = {"model": "m", "messages": [{"role": "user", "content": "words of a person"}]}
PATH = "/v1/chat/completions"


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Failures are swallowed and logged, as in an application."""
    monkeypatch.setattr(guard._state, "raising", False)
    guard.forget()
    yield lambda: [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]
    guard.forget()


@pytest.fixture
def fp(recorded: Recorded) -> footprint.Footprint:
    return recorded.footprint


def test_an_unknown_format_is_named_once_with_what_can_be_given(
    fp: footprint.Footprint, said: Any, recorded: Recorded
) -> None:
    for _ in range(2):
        fp.record("nosuch", "https://h/x/ask?key=words", {"query": "words of a person"})
    fp.record("other", "", {"query": "words of a person"})
    first, second = said()
    assert "provider 'nosuch', path '/x/ask': neither" in first
    assert "provider 'other', path ''" in second
    assert all(f"{path} ({name})" in first for name, path in FORMATS.items())
    assert "words" not in first + second
    assert guard.take_failures() == 3
    assert not recorded.recording.spans


def test_what_was_given_in_place_of_json_is_named_by_its_type(
    fp: footprint.Footprint, said: Any
) -> None:
    class Answer:
        text = "words of a person"

    fp.record("openai", PATH, [CHAT])  # type: ignore[arg-type]
    fp.record("openai", None, CHAT)  # type: ignore[arg-type]
    fp.record("openai", PATH, CHAT, Answer())
    fp.record("openai", PATH, CHAT)
    fp.record("openai", PATH, CHAT, chat())
    body, path, answer = said()
    assert f"path '{PATH}': the request's body is of type list; it is its JSON, a dict" in body
    assert "the path is of type NoneType" in path
    assert "the response is of type Answer" in answer
    assert "words" not in body + path + answer


def test_names_are_redacted_bounded_and_of_one_line(fp: footprint.Footprint, said: Any) -> None:
    fp.record("a\nb@example.com", f"/x/{'long' * 100}\n", {"q": 1})
    (line,) = said()
    assert "b@example.com" not in line
    assert "\n" not in line
    assert len(line) < 1_000


def test_many_paths_do_not_fill_the_log(fp: footprint.Footprint, said: Any) -> None:
    for i in range(100):
        fp.record("nosuch", f"/x/{i}", {})
    assert len(said()) == guard.MAX_SAID
    assert guard.take_failures() == 100


def test_failures_that_are_raised_say_the_same(fp: footprint.Footprint) -> None:
    with pytest.raises(LookupError, match="provider 'nosuch', path '/x'"):
        fp.record("nosuch", "/x", {"q": 1})


def test_each_format_is_known_by_its_path() -> None:
    assert set(FORMATS) == set(DIALECTS)
    for name, path in FORMATS.items():
        found = dialect_for("", path, {})
        assert found is not None
        assert found.name == name
