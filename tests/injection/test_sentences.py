"""Every sentence that a model reads keeps the language law, and is registered."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

from otel_footprint import injection
from otel_footprint.injection import notices
from otel_footprint.injection.procedures import sentences
from otel_footprint.records.frames import FRAMES, frame_of
from otel_footprint.records.sentence import SENTENCES, Sentence, register

from .law import broken

OURS = [s for s in SENTENCES.values() if s.name.split(".")[0] in ("steps", "skills", "window")]


@pytest.mark.parametrize("sentence", OURS, ids=lambda s: s.name)
def test_a_lasting_sentence_speaks_of_the_past_and_promises_and_denies_nothing(sentence):
    samples = sentence.samples()
    assert samples
    for text in samples:
        assert broken(sentence, text) == {}, text


@pytest.mark.parametrize(
    "sentence",
    [s for s in OURS if s.lifetime == "lasting" and s.name != "skills.catalog"],
    ids=lambda s: s.name,
)
def test_a_lasting_sentence_names_the_call_the_message_or_the_action_it_belongs_to(sentence):
    for text in sentence.samples():
        assert re.search(r"[Tt]hat (\S+ )?call|message|action \d", text), text


@pytest.mark.parametrize(
    "text",
    [
        "Step 2 is current.",
        "Now on step 2.",
        "The tool will be offered.",
        "You can call it again.",
        "This cannot be done.",
        "There is no such skill.",
        "When this call returned, it stood at 2.",
        "The tool stays available.",
    ],
)
def test_the_law_finds_what_it_is_for(text):
    assert broken(Sentence("x", "tool-result", "lasting", lambda: (text,)), text)


def test_a_fleeting_text_is_let_through():
    text = "Step 2 is current."
    assert broken(Sentence("x", "system-text", "fleeting", lambda: (text,)), text) == {}


def test_a_user_message_of_ours_opens_with_a_registered_frame():
    for sentence in OURS:
        if sentence.surface == "user-message":
            assert all(frame_of(text) is not None for text in sentence.samples())


def places_that_build(role: str) -> set[str]:
    """Functions of the package that put in a message of a literal role."""
    found = set()
    for path in Path(injection.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        for function in ast.walk(tree):
            if not isinstance(function, ast.FunctionDef):
                continue
            for call in ast.walk(function):
                if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "AddMessage":
                    roles = [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
                    if role in roles:
                        found.add(f"{path.stem}.{function.name}")
    return found


def test_every_place_that_builds_a_user_message_is_known_and_takes_a_framed_text():
    assert places_that_build("user") == {"boundary.nudge_edits", "window._done"}
    assert places_that_build("assistant") == {"boundary.nudge_edits"}


def test_no_frame_begins_like_another():
    prefixes = [frame.prefix for frame in FRAMES]
    for one in prefixes:
        assert [p for p in prefixes if p.startswith(one)] == [one]


def test_every_function_that_renders_a_sentence_is_rendered_by_a_registered_one():
    silent = {"framed", "register", "bounded", "make_plan", "read_skill_schema"}
    for module in (sentences, notices):
        source = inspect.getsource(module)
        for name, _ in inspect.getmembers(module, inspect.isfunction):
            if not name.startswith("_") and name not in silent:
                assert source.count(f"{name}(") >= 2, f"{module.__name__}.{name} is not registered"


def test_a_name_is_registered_once():
    with pytest.raises(ValueError, match="twice"):
        register("steps.nudge", "user-message", "lasting", lambda: ())
