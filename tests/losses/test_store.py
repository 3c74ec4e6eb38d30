"""The content store: large texts and media stand there by hash; requests are rebuilt from it."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.cli.main import main
from otel_footprint.errors import DeclarationError, TrailError
from otel_footprint.telemetry import names
from otel_footprint.telemetry.guard import set_raising
from otel_footprint.telemetry.store import Store
from otel_footprint.trail import ContentStore, Trail, load
from otel_footprint.trail.verify import verify

from . import kit
from .kit import Agent, Session

pytest.importorskip("fsspec")
PICTURE = bytes(range(256)) * 40


def picture_message() -> dict[str, Any]:
    data = base64.b64encode(PICTURE).decode()
    url = f"data:image/png;base64,{data}"
    return {
        "role": "user",
        "content": [
            {"type": "text", "text": "What is in this picture?"},
            {"type": "image_url", "image_url": {"url": url}},
        ],
    }


def read(session: Session, store: Path | None) -> Trail:
    document = io.BytesIO(json.dumps(kit.as_json(session.spans)).encode())
    return load(document, store=None if store is None else ContentStore(str(store)))


def test_media_are_put_back_from_the_store(tmp_path: Path) -> None:
    session = Session(store=str(tmp_path))
    agent = Agent(session.footprint)
    with session.footprint.turn():
        agent.messages.append(picture_message())
        agent.call()
        agent.say("And its colour?")
    session.footprint.flush()
    session.close()
    digest = hashlib.sha256(PICTURE).hexdigest()
    assert (tmp_path / "media" / digest[:2] / digest).read_bytes() == PICTURE
    trail = read(session, tmp_path)
    for call, body in zip(trail.calls, agent.bodies, strict=True):
        kit.assert_rebuilt(trail, call, body)
    assert verify(trail).texts.left_out == ()
    alone = read(session, None)
    assert len(verify(alone).texts.left_out) == 1
    gap = alone.rebuild(alone.calls[0]).gaps[0]
    assert gap.kind == "media"
    assert digest in gap.what


@pytest.mark.parametrize("padding", ["=", ""])
def test_media_in_the_url_safe_alphabet_are_put_back_as_they_were(
    tmp_path: Path, padding: str
) -> None:
    picture = PICTURE + b"\xfb"
    data = base64.urlsafe_b64encode(picture).decode()
    assert data.endswith("=")
    data = data.rstrip("=") + padding
    body = {
        "contents": [
            {
                "role": "user",
                "parts": [
                    {"text": "What?"},
                    {"inlineData": {"mimeType": "image/png", "data": data}},
                ],
            }
        ]
    }
    session = Session(store=str(tmp_path))
    path = "/v1beta/models/gemini-2.5-flash:generateContent"
    session.footprint.record("gemini", path, body)
    session.footprint.flush()
    session.close()
    digest = hashlib.sha256(picture).hexdigest()
    assert (tmp_path / "media" / digest[:2] / digest).read_bytes() == picture
    assert data[:200] not in json.dumps(kit.as_json(session.spans))
    rebuilt = read(session, tmp_path).rebuild(1)
    assert rebuilt.text is not None
    assert json.loads(rebuilt.text) == body
    assert rebuilt.proof.level == "json"


def test_large_texts_stand_in_the_store_and_not_on_spans(tmp_path: Path) -> None:
    session = Session(store=str(tmp_path))
    agent = Agent(session.footprint)
    with session.footprint.turn():
        agent.say(kit.prose("a contract", 300_000))
        agent.say("Summarise it.")
    session.footprint.flush()
    session.close()
    assert sum(kit.sizes(session.spans)) < 60_000
    trail = read(session, tmp_path)
    for call, body in zip(trail.calls, agent.bodies, strict=True):
        kit.assert_rebuilt(trail, call, body)
    alone = read(session, None)
    rebuilt = alone.rebuild(alone.calls[1])
    assert rebuilt.text is None
    assert f"is in the content store {tmp_path}" in rebuilt.gaps[0].what


def test_a_store_that_was_never_written_to_is_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    declared = tmp_path / "store"
    session = Session(store=str(declared))
    agent = Agent(session.footprint)
    with session.footprint.turn("Hello?"):
        agent.say("Hello.")
    session.footprint.flush()
    session.close()
    assert not declared.exists()
    trail = read(session, declared)
    assert trail.turns[0].store == str(declared)
    assert not trail.needs_store
    kit.assert_rebuilt(trail, trail.calls[0], agent.bodies[0])
    path = tmp_path / "trail.json"
    path.write_text(json.dumps(kit.as_json(session.spans)))
    for command in (["verify"], ["rebuild"], ["show", "--call", "1"]):
        assert main([*command, str(path), "--store", str(declared)]) == 0
        assert capsys.readouterr().err.startswith(
            f"otel-footprint: {declared}: No such folder (content store): nothing of it is needed"
        )


@pytest.mark.parametrize("said", ["a text", "a picture"])
def test_a_store_that_is_mistyped_is_noticed_where_the_trail_needs_it(
    tmp_path: Path, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    session = Session(store=str(tmp_path / "store"))
    agent = Agent(session.footprint)
    with session.footprint.turn():
        if said == "a picture":
            agent.messages.append(picture_message())
            agent.call()
        else:
            agent.say(kit.prose("a contract", 300_000))
    session.footprint.flush()
    session.close()
    mistyped = tmp_path / "stroe"
    with pytest.raises(TrailError, match="stroe: No such folder"):
        read(session, mistyped)
    path = tmp_path / "trail.json"
    path.write_text(json.dumps(kit.as_json(session.spans)))
    for command, code in ((["verify"], 4), (["rebuild"], 2), (["show"], 2)):
        assert main([*command, str(path), "--store", str(mistyped)]) == code
        out, err = capsys.readouterr()
        assert out == ""
        assert err.endswith(f"{mistyped}: No such folder (content store)\n")


def test_what_a_trace_has_no_room_for_goes_to_the_store(tmp_path: Path) -> None:
    session = Session(store=str(tmp_path), max_content_bytes=5_000)
    agent = Agent(session.footprint, size=1_500)
    with session.footprint.turn():
        for _ in range(6):
            agent.say()
    session.footprint.flush()
    session.close()
    trail = read(session, tmp_path)
    for call, body in zip(trail.calls, agent.bodies, strict=True):
        kit.assert_rebuilt(trail, call, body)
    stored = [
        event.attributes[names.TEXT_STORED]
        for span in session.spans
        for event in span.events
        if names.TEXT_STORED in event.attributes
    ]
    assert sum(stored) == len(list(tmp_path.glob("text/*/*.json")))


@pytest.mark.parametrize("mode", ["none", "redacted"])
def test_other_modes_put_no_media_there(tmp_path: Path, mode: str) -> None:
    session = Session(store=str(tmp_path), content=mode)
    agent = Agent(session.footprint)
    with session.footprint.turn():
        agent.messages.append(picture_message())
        agent.say(kit.prose("write to jane@example.org", 100_000))
    session.footprint.flush()
    session.close()
    assert not list(tmp_path.glob("media/*/*"))
    for path in tmp_path.glob("text/*/*.json"):
        assert mode == "redacted"
        assert "jane@example.org" not in path.read_text()


def test_a_store_that_cannot_be_written_costs_the_agent_nothing(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("a file where the folder should be")
    before = set_raising(False)
    try:
        session = Session(store=str(blocked))
        agent = Agent(session.footprint)
        with session.footprint.turn():
            agent.say(kit.prose("a contract", 300_000))
            session.footprint.core.store.flush()
            agent.say("Summarise it.")
        session.footprint.flush()
        session.close()
    finally:
        set_raising(before)
    assert len(agent.bodies) == 2
    assert not list(tmp_path.glob("file/*"))
    trail = read(session, None)
    assert trail.rebuild(trail.calls[0]).text is None


def test_a_lost_content_is_put_there_again(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    folder.write_text("not a folder yet")
    before = set_raising(False)
    try:
        session = Session(store=str(folder))
        agent = Agent(session.footprint)
        with session.footprint.turn():
            agent.say(kit.prose("a contract", 300_000))
            session.footprint.core.store.flush()
            folder.unlink()
            agent.say("Summarise it.")
        session.footprint.flush()
        session.close()
    finally:
        set_raising(before)
    trail = read(session, folder)
    kit.assert_rebuilt(trail, trail.calls[1], agent.bodies[1])


def test_the_turn_says_where_its_store_is_without_credentials() -> None:
    store = Store("memory://user:secret@bucket/trails?token=abc#x")
    assert store.shown == "memory://bucket/trails"
    session = Session(store="memory://here/trails")
    with session.footprint.turn():
        pass
    session.close()
    (started,) = [s for s in session.spans if s.name == names.SPAN_TURN_STARTED]
    assert started.attributes[names.STORE] == "memory://here/trails"


@pytest.mark.parametrize("store", ["", 7, "no-such-protocol://x"])
def test_a_wrong_store_is_refused_where_it_is_declared(store: Any) -> None:
    with pytest.raises(DeclarationError, match="store"):
        footprint.Footprint(store=store)


def test_a_redaction_hook_in_full_mode_is_on_the_record() -> None:
    session = Session(redact=lambda text, where: text.replace("parcel", "thing"))
    agent = Agent(session.footprint)
    with session.footprint.turn():
        agent.say()
    session.close()
    trail = session.trail()
    assert trail.turns[0].redacted
    assert trail.rebuild(trail.calls[0]).proof.level == "recorded"
