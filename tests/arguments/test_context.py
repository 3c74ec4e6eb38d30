"""What claims may rest on: context let in on purpose, earlier turns, and nothing that is hidden."""

from __future__ import annotations

import json
from typing import Any

import otel_footprint as footprint
from otel_footprint.telemetry import names
from tests.sdk import Recording

from .loops import Asked, OpenAILoop, Shop, declared, source, written


def recorder(
    recording: Recording, content: str = "full", context: Any = (), **declared_: Any
) -> footprint.Footprint:
    arguments = footprint.Arguments(**declared_)
    return footprint.Footprint(
        "shop", content=content, context=context, arguments=arguments, **recording.providers
    )


def run(fp: footprint.Footprint, arguments: Any, **turn_: Any) -> Any:
    Shop(fp)
    with fp.turn(**turn_) as turn:
        OpenAILoop(fp, [[Asked("t1", "lookup", arguments)], "Done."]).run(turn)
    return turn


def test_context_that_was_let_in_is_the_applications_text(recording: Recording) -> None:
    context = [
        footprint.fact("tier", "The customer has tier gold."),
        footprint.instruction("limit", "Never look at more than 77 rows.", when=lambda _: True),
    ]
    fp = recorder(recording, context=context)
    claim = declared(
        {"host": "gold", "limit": 77, "window": "12h"},
        source("host", "app"),
        source("limit", "app"),
        source("window", "app"),
    )
    memory = footprint.memory("note", "Last time it was 12h.")
    run(fp, claim, context=[memory])
    rows = written(recording, "t1").rows
    assert {n: (r.verdict, r.app_source) for n, r in rows.items()} == {
        "host": ("app", None),
        "limit": ("app", None),
        "window": ("app", "note"),
    }
    assert all(r.carriers[0].key for r in rows.values())


def test_what_carries_a_value_is_named_by_the_hash_that_is_on_the_record(
    recording: Recording,
) -> None:
    run(recorder(recording), {"window": "24h"})
    (row,) = written(recording, "t1").rows.values()
    hashes = {
        hash_[:32]
        for span in recording.named("compose messages")
        for event in span.events
        for hash_ in (event.attributes or {}).get(names.PIECE_HASH, ())
    }
    assert row.carriers[0].key in hashes


def test_an_argument_that_is_hidden_stands_nowhere(recording: Recording) -> None:
    asked = []

    def person(ask: Any) -> dict[str, str]:
        asked.append(ask.payload())
        return {"f1": "payments"}

    rules = {"lookup": {"arguments": {"team": {"ask": "Which team?"}}, "hidden": ["host", "team"]}}
    fp = recorder(recording, tools=rules, ask=person)
    claim = declared(
        {"host": "db-secret", "team": "search", "window": "24h"},
        source("host", "user", quote="look at db-secret"),
        source("team", "user", quote="checkout slow"),
        source("window", "user", quote="the last 24h"),
    )
    run(fp, claim)
    found = written(recording, "t1")
    assert found.rows["host"].value == "[redacted:argument]"
    assert found.rows["host"].size is None
    assert {r.quote for r in found.rows.values() if r.quote} == {"[redacted:argument]"}
    assert "quoted" not in asked[0]["fields"][0]
    said = json.dumps([dict(e.attributes or {}) for e in found.span.events])
    assert "db-secret" not in said
    assert "payments" not in said


def test_names_and_paths_pass_redaction(recording: Recording) -> None:
    arguments = {"host": {"ann@example.com": {"x": "db-9"}}}
    run(recorder(recording, content="redacted"), arguments)
    (row,) = written(recording, "t1").rows.values()
    assert row.argument == "[redacted:email].x"


def test_an_earlier_turn_of_the_history_is_told_from_the_current_request(
    recording: Recording,
) -> None:
    fp = recorder(recording)
    Shop(fp)
    claim = declared(
        {"host": "db-1", "window": "24h"},
        source("host", "user", quote="look at db-1"),
        source("window", "user", quote="the last 24h"),
    )
    loop = OpenAILoop(fp, [[Asked("t1", "lookup", claim)], "Done."])
    now = loop.messages.pop()
    loop.messages += [
        {"role": "user", "content": "Please look at db-1."},
        {"role": "assistant", "content": "It is fine."},
        now,
    ]
    with fp.turn() as turn:
        loop.run(turn)
    rows = written(recording, "t1").rows
    assert {n: (r.verdict, r.earlier, r.turn) for n, r in rows.items()} == {
        "host": ("said", True, 2),
        "window": ("said", False, 2),
    }


def test_words_that_another_program_handed_on_are_not_a_persons(recording: Recording) -> None:
    fp = recorder(recording, message_from="composed")
    claim = declared({"window": "24h"}, source("window", "user", quote="the last 24h"))
    run(fp, claim)
    (row,) = written(recording, "t1").rows.values()
    assert (row.verdict, row.failed) == ("model", "composed-message")


def test_a_note_of_the_library_is_no_part_of_a_result(recording: Recording) -> None:
    fp = recorder(recording, tools={"lookup": {"arguments": {"limit": {"assume": 4711}}}})
    got: list[Any] = []
    fp.tool(lambda **arguments: got.append(arguments) or "41 rows", name="lookup")
    cited = declared({"limit": 4711}, source("limit", "result", id="t1"))
    steps: list[Any] = [[Asked("t1", "lookup", {})], [Asked("t2", "lookup", cited)], "Done."]
    loop = OpenAILoop(fp, steps)
    with fp.turn() as turn:
        loop.run(turn)
    assert "4711" in loop.result(2, "t1")
    row = written(recording, "t2").rows["limit"]
    assert (row.verdict, row.claimed, row.failed) == ("default", "result", "not-in-result")
