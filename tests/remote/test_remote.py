"""A turn that goes on in another process: what leaves, what is taken up, how it is read."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import baggage, propagate, trace
from opentelemetry import context as otel

import otel_footprint as footprint
from otel_footprint.telemetry import names
from otel_footprint.trail import load
from tests.losses import kit
from tests.losses.kit import Agent, Session
from tests.sdk import chat

BODY = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "hi"}]}


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session()
    yield made
    made.close()


def call(session: Session) -> None:
    session.footprint.record("openai", "/v1/chat/completions", BODY, chat("hello"))


def carried(session: Session, **options: Any) -> tuple[dict[str, str], str]:
    """Headers written in a turn, and the turn's id."""
    with session.footprint.turn(**options) as turn:
        return footprint.inject({}), turn.id


def started(session: Session, number: int) -> Any:
    return [s for s in session.spans if s.name == names.SPAN_TURN_STARTED][number]


def test_a_turn_in_another_process_hangs_under_the_calling_one(tmp_path: Path) -> None:
    session = Session()
    there = tmp_path / "there.jsonl"
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.remote.service", str(there)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    assert child.stdout is not None
    port = int(child.stdout.readline())
    with session.footprint.turn("find it", conversation="c-7") as turn:
        call(session)
        request = urllib.request.Request(f"http://127.0.0.1:{port}/", headers=footprint.inject({}))
        with urllib.request.urlopen(request, timeout=60) as answer:
            assert answer.read() == b"found it"
    assert child.wait(timeout=60) == 0
    child.stdout.close()
    session.close()
    here = tmp_path / "here.json"
    here.write_text(json.dumps(kit.as_json(session.spans)))
    trail = load([str(here), str(there)])
    outer, inner = trail.turns
    assert (outer.id, inner.parent_turn) == (turn.id, turn.id)
    assert inner.conversation == "c-7"
    assert inner.trace_ids == outer.trace_ids
    assert not set(inner.ledgers) & set(outer.ledgers)
    (root,) = trail.roots
    assert root.item is outer
    assert inner in [node.item for node in root.children]
    assert not trail.gaps


def test_what_is_carried_stands_in_w3c_headers(session: Session) -> None:
    with session.footprint.turn(conversation="order 7, or 8") as turn:
        headers = footprint.inject({"accept": "text/plain"})
    assert headers["traceparent"].split("-")[1] == f"{turn.trace_id:032x}"
    assert turn.id in headers["baggage"]
    assert headers["accept"] == "text/plain"
    with footprint.extract(headers), session.footprint.turn() as inner:
        assert inner.conversation == "order 7, or 8"


def test_our_entries_never_become_current_baggage(session: Session) -> None:
    outside = baggage.set_baggage("team", "refunds")
    token = otel.attach(outside)
    try:
        headers, _ = carried(session, conversation="c")
    finally:
        otel.detach(token)
    assert "team=refunds" in headers["baggage"]
    with footprint.extract(headers):
        assert baggage.get_all() == {"team": "refunds"}


def test_a_providers_request_carries_nothing_of_it(session: Session) -> None:
    headers, _ = carried(session)
    agent = Agent(session.footprint)
    sent: list[dict[str, str]] = []
    answer = agent.server.__class__.__call__

    class Instrumented(kit.Answers):
        """Sees what an HTTP instrumentation would put on the request."""

        def __call__(self, package: str, request: Any) -> Any:
            sent.append({**request.headers})
            propagate.inject(sent[-1])
            return answer(self, package, request)

    agent.server.__class__ = Instrumented
    with footprint.extract(headers), session.footprint.turn(conversation="c"):
        agent.say()
    assert "traceparent" in sent[0]
    assert "baggage" not in sent[0]


@pytest.mark.parametrize("form", ["upper", "bytes", "pairs", "lists"])
def test_headers_are_taken_in_any_form(session: Session, form: str) -> None:
    headers, turn_id = carried(session)
    carriers: dict[str, Any] = {
        "upper": {k.upper(): v for k, v in headers.items()},
        "bytes": [(k.encode(), v.encode()) for k, v in headers.items()],
        "pairs": list(headers.items()),
        "lists": {k: [v] for k, v in headers.items()},
    }
    with footprint.extract(carriers[form]), session.footprint.turn():
        pass
    assert started(session, 1).attributes[names.PARENT_TURN] == turn_id


def test_a_server_with_a_trace_of_its_own_is_linked(session: Session) -> None:
    headers, turn_id = carried(session)
    tracer = session.provider.get_tracer("server")
    with (
        tracer.start_as_current_span("GET /", context=otel.Context()),
        footprint.extract(headers),
        session.footprint.turn() as inner,
    ):
        pass
    (span,) = [s for s in session.spans if s.context.span_id == inner.span_id]
    (link,) = span.links
    assert link.attributes == {names.LINK_TYPE: "remote"}
    assert f"{link.context.trace_id:032x}" == headers["traceparent"].split("-")[1]
    assert started(session, 1).attributes[names.PARENT_TURN] == turn_id


def test_a_conversation_of_its_own_and_an_inner_turn_win(session: Session) -> None:
    headers, turn_id = carried(session, conversation="theirs")
    with footprint.extract(headers), session.footprint.turn(conversation="mine") as outer:
        assert outer.conversation == "mine"
        with session.footprint.turn() as inner:
            assert inner.conversation is None
    assert started(session, 1).attributes[names.PARENT_TURN] == turn_id
    assert started(session, 2).attributes[names.PARENT_TURN] == outer.id


def test_identifiers_leave_as_redaction_leaves_them() -> None:
    session = Session(content="redacted")
    headers, _ = carried(session, conversation="jane@example.org")
    assert "jane" not in headers["baggage"]
    with footprint.extract(headers), session.footprint.turn() as inner:
        assert inner.said_conversation == inner.conversation
    session.close()


class Hostile(dict[str, str]):
    def items(self) -> Any:
        raise RuntimeError("no")

    def __setitem__(self, key: str, value: str) -> None:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    "carrier",
    [
        {},
        {"traceparent": "x"},
        {"baggage": "footprint.turn.id=a"},
        {"traceparent": 7},
        Hostile(),
        3,
    ],
)
def test_a_carrier_that_says_nothing_does_no_harm(
    session: Session, carrier: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from otel_footprint.telemetry.guard import set_raising

    before = set_raising(False)
    try:
        with footprint.extract(carrier), session.footprint.turn():
            assert footprint.inject(Hostile()) == {}
    finally:
        set_raising(before)
    assert names.PARENT_TURN not in started(session, 0).attributes


async def test_it_works_around_async_code(session: Session) -> None:
    headers, turn_id = carried(session)
    async with footprint.extract(headers), session.footprint.turn():
        pass
    assert started(session, 1).attributes[names.PARENT_TURN] == turn_id
    assert not trace.get_current_span().get_span_context().is_valid
