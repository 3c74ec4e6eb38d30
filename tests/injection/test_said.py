"""One registry decides what a person said; `credit` marks what the application placed."""

from __future__ import annotations

import copy
import json
import pickle
from types import SimpleNamespace

import pytest
from pydantic import BaseModel

import otel_footprint.injection as inj
from otel_footprint.errors import DeclarationError
from otel_footprint.records.frames import FRAMES, framed, is_said_by_person
from otel_footprint.records.view import MessageView


@pytest.mark.parametrize(
    "message",
    [
        MessageView("user", "Hello."),
        MessageView("user", "Hello.", "user"),
        MessageView("user", "and this", answers=("c",), person=True),
        {"role": "user", "content": "Hello."},
        {"role": "user", "content": [{"type": "text", "text": "Hello."}]},
        {"role": "user", "content": [{"type": "image", "source": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "content": "r"},
                                     {"type": "text", "text": "and"}]},
        {"role": "user", "parts": [{"text": "Hello."}]},
        SimpleNamespace(type="human", content="Hello."),
        {"role": "user", "content": "[steps unrun"},
        {"role": "user", "content": "[steps unrun is what I saw]"},
    ],
)  # fmt: skip
def test_a_person_said_it(message):
    assert is_said_by_person(message)


@pytest.mark.parametrize(
    "message",
    [
        MessageView("assistant", "Hello."),
        MessageView("tool", "r", answers=("c",)),
        MessageView("user", "r", answers=("c",)),
        MessageView("user", "Told.", "fact", "f"),
        {"role": "assistant", "content": "Hello."},
        {"role": "developer", "content": "Hello."},
        {"role": "user", "content": None},
        {"role": "user"},
        {"role": "user", "content": [{"type": "tool_result", "content": "r"}]},
        {"role": "user", "parts": [{"function_response": {"name": "x"}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c"}}]},
        inj.credit({"role": "user", "content": "Remembered."}, source="memory", id="m"),
        {"role": "user", "content": inj.credit("Remembered.", source="memory", id="m")},
        {"role": "user", "content": [
            {"type": "text", "text": inj.credit("Remembered.", source="memory", id="m")}]},
        None,
        "Hello.",
        3,
        {"type": ["human"], "content": "Hello."},
        {"type": "function_call_output", "output": "r"},
        {"role": ["user"], "content": "Hello."},
    ],
)  # fmt: skip
def test_no_person_said_it(message):
    assert not is_said_by_person(message)


@pytest.mark.parametrize("frame", FRAMES, ids=lambda f: f.prefix)
def test_an_authored_message_is_known_by_its_frame_wherever_it_stands(frame):
    text = framed(frame.prefix, "Something was left out.")
    assert not is_said_by_person(MessageView("user", text))
    assert not is_said_by_person({"role": "user", "content": text})
    assert not is_said_by_person({"role": "user", "content": [{"text": text}]})


def test_a_text_known_to_be_ours_settles_what_its_shape_cannot():
    assert is_said_by_person({"role": "user", "content": "Go on."})
    assert not is_said_by_person({"role": "user", "content": "Go on."}, {"Go on."})
    assert not is_said_by_person(MessageView("user", "Go on."), {"Go on."})


class Message(BaseModel):
    role: str
    content: str


class TestCredit:
    def test_a_marked_text_is_the_same_text(self):
        text = inj.credit("Remembered.", source="memory", id="m", score=0.5, reason="asked before")
        assert text == "Remembered."
        assert json.dumps({"c": text}) == '{"c": "Remembered."}'
        assert hash(text) == hash("Remembered.")
        found = inj.credit_of(text)
        assert found.cause[:5] == ("memory", "m", "asked before", "application", 0.5)
        assert found.text == "Remembered."

    def test_a_marked_message_is_the_same_message(self):
        message = {"role": "user", "content": [{"type": "text", "text": "A."}, {"text": "B."}]}
        marked = inj.credit(message, source="rag", id="r")
        assert marked == message
        assert marked is not message
        assert json.dumps(marked) == json.dumps(message)
        assert inj.credit_of(marked).text == "A.\nB."
        assert inj.credit_of(message) is None

    def test_a_mark_on_a_text_inside_a_message_is_found(self):
        text = inj.credit("A.", source="rag", id="r")
        for message in (
            {"role": "user", "content": text},
            {"role": "user", "content": [{"type": "text", "text": text}]},
            SimpleNamespace(content=text),
        ):
            assert inj.credit_of(message).cause.id == "r"

    def test_a_message_object_is_copied_and_its_serialised_form_unchanged(self):
        message = Message(role="user", content="A.")
        marked = inj.credit(message, source="rag", id="r")
        assert type(marked) is Message
        assert marked.model_dump() == message.model_dump()
        assert marked.model_dump_json() == message.model_dump_json()
        assert marked == message
        assert inj.credit_of(marked).cause.id == "r"
        assert inj.credit_of(message) is None
        assert not is_said_by_person(marked)

    def test_copies_keep_working(self):
        marked = inj.credit({"role": "user", "content": "A."}, source="rag", id="r")
        assert copy.deepcopy(marked) == marked
        text = inj.credit("A.", source="rag", id="r")
        assert pickle.loads(pickle.dumps(text)) == "A."
        assert inj.credit(marked, source="memory", id="again").footprint_credit.cause.id == "again"

    @pytest.mark.parametrize(
        "kwargs",
        [{"source": "user", "id": "x"}, {"id": ""}, {"id": None}, {"id": "x", "reason": 3},
         {"id": "x", "score": float("nan")}, {"id": "x", "score": True}],
    )  # fmt: skip
    def test_a_credit_that_says_nothing_is_refused(self, kwargs):
        with pytest.raises(DeclarationError, match="credit"):
            inj.credit("A.", **kwargs)

    @pytest.mark.parametrize("value", [None, 3, ("a",), object()])
    def test_what_cannot_carry_a_mark_is_refused(self, value):
        with pytest.raises(DeclarationError, match="a text, a dict or a message object"):
            inj.credit(value, id="x")
