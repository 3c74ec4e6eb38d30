"""Everything declared at once: what left is rebuilt, trails are whole, keys stay out of them."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.telemetry import names
from tests.losses.kit import trail_of

from . import kit
from .kit import CODE, DONE, GOT, SECRET, WORDS, Together

WAYS: dict[str, dict[str, Any]] = {
    "sync": {},
    "async": {"asynchronous": True},
    "stream": {"stream": True},
    "async stream": {"stream": True, "asynchronous": True},
    "raw": {"raw": True},
    "async raw": {"raw": True, "asynchronous": True},
    "retry": {"retry": True},
    "async retry": {"retry": True, "asynchronous": True},
}


def proven(made: Together, bodies: list[bytes] | None = None) -> Any:
    """The trail is whole, and gives the bodies that left, byte for byte."""
    made.footprint.flush()
    trail = trail_of(made.recording.spans)
    assert not trail.problems
    assert not trail.gaps
    assert {trail.check(ledger).state for turn in trail.turns for ledger in turn.ledgers} == {
        "complete"
    }
    rebuilt = [trail.rebuild(call) for turn in trail.turns for call in turn.calls]
    left = made.server.bodies if bodies is None else bodies
    assert sorted(str(one.text) for one in rebuilt) == sorted(body.decode() for body in left)
    assert {one.proof.level for one in rebuilt} == {"body"}
    return trail


@pytest.mark.parametrize(
    ("package", "way"),
    [("openai", way) for way in WAYS] + [("anthropic", way) for way in WAYS if "stream" not in way],
)
def test_what_left_is_what_is_read_back(package: str, way: str) -> None:
    made = Together(package, **WAYS[way])
    text = made.run()
    assert text.startswith(DONE)
    assert "41 + 1" in text
    assert made.got == GOT
    bodies = made.server.bodies
    if "retry" in way:
        assert bodies[0] == bodies[1]
        bodies = bodies[1:]
    proven(made, bodies)


@pytest.mark.parametrize("content", ["none", "redacted"])
@pytest.mark.parametrize("package", ["openai", "anthropic"])
def test_keys_reach_no_span(package: str, content: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [
        {"argument": "order", "source": "user", "quote": WORDS},
        {"argument": "other", "source": "result", "id": SECRET},
        {"argument": "order", "source": SECRET},
    ]
    steps = [
        [("c0", "read_skill", {"skill": "refund"})],
        [
            ("c1", "lookup", {"order": SECRET, kit.RESERVED: {"from": entries}}),
            ("c2", "lookup", {"order": SECRET, SECRET: 1}),
        ],
        [("c3", "run_code", {"code": CODE})],
        [("c4", "skip_step", {"step": 1, "reason": f"because of {SECRET}"})],
    ]
    monkeypatch.setattr(kit, "asked", lambda: steps)
    made = Together(package, content=content)

    def lookup(**_: Any) -> str:
        raise ValueError(SECRET)

    made.footprint.tool(lookup, name="lookup")
    monkeypatch.setattr(made, "_tool", _caught)
    assert made.run().startswith(DONE)
    assert not proven_whole(made).gaps
    for span in made.recording.spans:
        said = [dict(e.attributes or {}) for e in span.events]
        assert SECRET not in repr((span.name, dict(span.attributes or {}), said, span.status))


def _caught(turn: Any, call: Any) -> Any:
    try:
        return turn.tool(call)
    except ValueError as error:
        return str(error)


def proven_whole(made: Together) -> Any:
    trail = trail_of(made.recording.spans)
    (turn,) = trail.turns
    assert [trail.check(ledger).state for ledger in turn.ledgers] == ["complete"]
    return trail


def test_what_let_a_piece_in_is_known_also_where_a_slot_is_written_whole_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    more = [[(f"d{n}", "lookup", {"order": str(n)})] for n in range(9)]
    monkeypatch.setattr(kit, "asked", lambda: more)
    made = Together("openai")
    made.run()
    trail = proven(made)
    calls = trail.turns[0].calls
    whole = [
        span.attributes[names.CALL_ID]
        for span in made.recording.named("compose system")
        if any(names.KEYFRAME in event.attributes for event in span.events)
    ]
    assert set(whole) - {calls[0].id}
    for call in calls:
        rows = trail.rows(call, "system").rows
        assert [(row.source, row.id) for row in rows][:4] == [
            ("base", ""),
            ("fact", "shop"),
            ("steering", "calm"),
            ("instruction", "n"),
        ]
        sources = [row.source for row in trail.rows(call, "tools").rows]
        assert sources == ["registry", "registry", "skill"]


def test_tools_in_threads() -> None:
    made = Together("openai")
    with made.footprint.turn(WORDS) as turn, ThreadPoolExecutor(4) as pool:
        calls: list[Any] = [None]
        while calls:
            calls = made._asked(made.client.chat.completions.create(**made._request()))
            made._results(calls, list(pool.map(turn.tool, calls)))
    assert sorted(made.got) == sorted(GOT)
    proven(made)


@pytest.mark.parametrize("package", ["openai", "anthropic"])
def test_a_request_where_nothing_applies_leaves_as_it_is(package: str) -> None:
    never = footprint.steering("never", "Never.", when=lambda _: False)
    bodies = []
    for bare in (True, False):
        made = Together(package, bare=bare, context=[never])
        made.server.answers = [made._done()]
        more: dict[str, Any] = {
            "model": "m",
            "messages": [{"role": "user", "content": "é\u2028"}],
            "extra_body": {"b": 1, "a": {"z": 1.0, "y": None}},
        }
        if package == "anthropic":
            made.client.messages.create(max_tokens=9, **more)
        else:
            made.client.chat.completions.create(temperature=0.10, **more)
        bodies += made.server.bodies
    assert bodies[0] == bodies[1]
    assert json.loads(bodies[0])["a"] == {"z": 1.0, "y": None}
