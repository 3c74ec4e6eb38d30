"""Content keys dropped or hashed in the collector: no canary passes, and the trail stays whole."""

from __future__ import annotations

import re

import pytest

from tests.losses.kit import Agent

from .collectors import Collector
from .kit import Sender, trace_document, trail_in

CANARY = "canary-4711"
LAYERS = ["content-drop.yaml", "content-hash.yaml"]


@pytest.fixture(scope="module", params=LAYERS)
def run(request, backends, tmp_path_factory):
    """A turn with canaries in all that content stands in, as Jaeger holds it."""
    env = {"JAEGER_OTLP": f"127.0.0.1:{backends.ports['jaeger_otlp']}"}
    env["COLLECTOR_CONTENT_KEYS"] = "^(house[.]secret)$"
    layers = ["base.yaml", request.param, "export-jaeger.yaml"]
    folder = tmp_path_factory.mktemp("redaction")
    with (
        Collector(backends.programs, folder, layers, env) as collector,
        Sender(collector.url(), standard_content="full") as sender,
    ):
        agent = Agent(sender.fp, name=CANARY, size=9000)
        with sender.fp.turn(f"{CANARY} asks", id=f"turn-{sender.service}") as turn:
            for _ in range(3):
                agent.say()
            foreign(sender)
            sender.fp.feedback(turn.id, "right", 1.0, f"{CANARY} comments")
        sender.flush()
        trace = f"{turn.trace_id:032x}"
        yield request.param, trail_in(backends, trace), trace_document(backends, trace), agent


def foreign(sender):
    """Content as other instrumentations write it."""
    with sender.tracer.start_as_current_span("other") as span:
        for key in (
            "gen_ai.tool.call.arguments",
            "gen_ai.prompt.0.content",
            "llm.input_messages.0.message.content",
            "input.value",
            "traceloop.entity.input",
            "house.secret",
        ):
            span.set_attribute(key, f"{CANARY} in {key}")
        span.add_event("gen_ai.content.prompt", {"gen_ai.prompt": CANARY})


def test_no_canary_passes(run):
    text = run[2].decode()
    passed = [text[max(0, m.start() - 90) : m.end()] for m in re.finditer(CANARY, text)]
    assert passed == []


def test_the_ledger_is_still_complete(run):
    trail = run[1]
    assert [trail.check(x).state for x in trail.turns[0].ledgers] == ["complete"]


def test_no_request_is_rebuilt_and_each_gap_is_named(run):
    trail = run[1]
    assert len(trail.calls) == 3
    for call in trail.calls:
        rebuilt = trail.rebuild(call)
        assert rebuilt.text is None
        assert rebuilt.gaps
        assert not any("altered" in str(gap) for gap in rebuilt.gaps)


def test_what_is_no_content_is_still_there(run):
    trail = run[1]
    for call in trail.calls:
        assert all(state.pieces for state in call.slots.values())
        rows = trail.rows(call, "messages").rows
        assert all(row is not None and row.hash and row.size for row in rows)


def test_a_hashed_key_is_the_same_for_the_same_text(run):
    layer, _, document, _ = run
    hashed = b'"gen_ai.tool.call.arguments"' in document
    assert hashed == (layer == "content-hash.yaml")


SECRETS = {
    "key": "sk-proj-Zq8Xw3Lk5Vb7Nm2Pq9Rt4Ys6Ud1Fg",
    "mail": "maria.keller@example.org",
    "iban": "DE89370400440532013000",
    "card": "4242 4242 4242 4242",
}


def test_secrets_are_redacted_in_the_process_wherever_they_stand(backends):
    """The collector passes everything on: what is redacted was redacted before it left."""
    text = "; ".join(f"{kind} {secret}" for kind, secret in SECRETS.items())

    def look(what: str) -> str:
        raise ValueError(f"no such thing: {text}")

    with Sender(backends.url("otlp_http"), content="redacted", standard_content="full") as sender:
        sender.fp.tool(look)
        agent = Agent(sender.fp, name=SECRETS["mail"], size=3000)
        agent.messages[0]["content"] = f"The house rules. {text}"
        with sender.fp.turn(text, user=SECRETS["mail"], tags=[text], metadata={"a": text}) as turn:
            agent.say(text)
            with pytest.raises(ValueError, match="no such thing"):
                look(text)
            agent.say("word " * 390 + text)  # a chunk of a long text ends within it
        sender.flush()
        trace = f"{turn.trace_id:032x}"
        trail_in(backends, trace)
    found = trace_document(backends, trace).decode()
    assert [kind for kind, secret in SECRETS.items() if secret in found] == []
    assert "[redacted:" in found
