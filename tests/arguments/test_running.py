"""Where tools run: in the turn, in threads, in no turn, in tasks, by the application alone."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.arguments import RESERVED
from otel_footprint.telemetry import names
from otel_footprint.trail.argument_rows import row_of
from tests.sdk import Recording, Server, chat, client

from .loops import (
    FOUND,
    AnthropicLoop,
    Asked,
    OpenAILoop,
    declared,
    openai_answer,
    openai_tools,
    source,
    written,
)

SAID = source("service", "user", quote="checkout slow")
CALL = Asked("t1", "hosts", declared({"service": "checkout"}, SAID))
TEAM = {"lookup": {"arguments": {"team": {"ask": "Which team?"}}}}


def recorder(recording: Recording, **declared_: Any) -> footprint.Footprint:
    arguments = footprint.Arguments(**declared_)
    return footprint.Footprint("shop", content="full", arguments=arguments, **recording.providers)


def arguments_of(call: Any) -> Any:
    return json.loads(call.function.arguments)


def test_a_tool_in_a_thread_belongs_to_the_turn_that_asked_for_it(recording: Recording) -> None:
    fp = recorder(recording)
    got = []

    @fp.tool
    def hosts(service: str) -> str:
        got.append(service)
        return FOUND

    with fp.turn() as turn, ThreadPoolExecutor(1) as pool:
        loop = OpenAILoop(fp, [[CALL], "Done."])
        (asked,) = loop.call()
        assert pool.submit(hosts, **arguments_of(asked)).result() == FOUND
        assert turn.standing is not None
        assert turn.standing.word == "consistent"
    assert got == ["checkout"]
    (span,) = recording.named(names.SPAN_TOOL)
    (root,) = recording.named("invoke_agent")
    assert span.context.trace_id == root.context.trace_id
    assert [row_of(dict(e.attributes)).verdict for e in span.events] == ["said"]


def test_a_tool_of_calls_in_no_turn_never_sees_the_argument(recording: Recording) -> None:
    fp = recorder(recording)
    got = []

    @fp.tool
    def hosts(service: str) -> str:
        got.append(service)
        return FOUND

    loop = OpenAILoop(fp, [[CALL], "Done."])
    (asked,) = loop.call()
    loop.put([(asked, hosts(**arguments_of(asked)))])
    loop.call()
    fp.flush()
    assert got == ["checkout"]
    (span,) = recording.named(names.SPAN_TOOL)
    assert [row_of(dict(e.attributes)).verdict for e in span.events] == ["said"]
    (end,) = recording.named("turn ended")
    assert end.attributes[names.STANDING_WORD] == "consistent"


def test_a_tool_that_is_run_while_nothing_is_recorded_never_sees_it(recording: Recording) -> None:
    fp = recorder(recording)
    got = []

    @fp.tool
    def hosts(service: str) -> str:
        got.append(service)
        return FOUND

    with fp.turn():
        (asked,) = OpenAILoop(fp, [[CALL]]).call()
        with footprint.suppress():
            hosts(**arguments_of(asked))
    assert got == ["checkout"]


def test_with_telemetry_off_rules_and_planting_are_the_same() -> None:
    asks = []

    def person(ask: Any) -> dict[str, str]:
        asks.append(ask)
        return {"f1": "payments"}

    fp = footprint.Footprint("shop", arguments=footprint.Arguments(tools=TEAM, ask=person))
    got: list[Any] = []

    @fp.tool
    def lookup(**arguments: Any) -> str:
        got.append(arguments)
        return "slow"

    loop = OpenAILoop(fp, [[Asked("t2", "lookup", declared({"host": "db-9"}))], "Done."])
    with fp.turn() as turn:
        loop.run(turn)
        assert turn.standing is not None
    assert got == [{"host": "db-9", "team": "payments"}]
    assert RESERVED in loop.schema(1, "lookup")["properties"]
    assert len(asks) == 1


def test_an_application_may_hand_on_only_what_its_function_takes(recording: Recording) -> None:
    fp = recorder(recording)

    @fp.tool
    def hosts(service: str) -> str:
        return service

    two = Asked("t2", "hosts", {"service": "db-1", "more": 5})
    with fp.turn():
        for asked in OpenAILoop(fp, [[CALL, two]]).call():
            hosts(service=arguments_of(asked)["service"])
    first, second = recording.named(names.SPAN_TOOL)
    assert [row_of(dict(e.attributes)).verdict for e in first.events] == ["said"]
    assert [row_of(dict(e.attributes)).argument for e in second.events] == ["service"]


async def test_parallel_calls_of_a_batch_are_asked_once(recording: Recording) -> None:
    asked = 0

    async def person(ask: Any) -> dict[str, str]:
        nonlocal asked
        asked += 1
        await asyncio.sleep(0)
        return {field.id: "payments" for field in ask.fields}

    fp = recorder(recording, tools=TEAM, ask=person)
    got: list[Any] = []

    @fp.tool
    async def lookup(**arguments: Any) -> str:
        await asyncio.sleep(0)
        got.append(arguments)
        return "slow"

    batch = [Asked(f"t{i}", "lookup", {"host": f"db-{i}"}) for i in range(3)]
    server = Server(openai_answer(batch), chat("Done."))
    ai = fp.wrap(client("openai", "AsyncOpenAI", server))
    async with fp.turn() as turn:
        made = await ai.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "db-0?"}], tools=openai_tools()
        )
        calls = made.choices[0].message.tool_calls
        await asyncio.gather(*(turn.tool(call) for call in calls))
    assert asked == 1
    assert sorted(a["host"] for a in got) == ["db-0", "db-1", "db-2"]
    assert {a["team"] for a in got} == {"payments"}
    for i in range(3):
        found = written(recording, f"t{i}")
        assert found.asked["team"].asked == "missing"
        assert found.rows["team"].verdict == "answered"


def refused(recording: Recording, fp: footprint.Footprint) -> str:
    """Runs a call that cannot be confirmed; what stands in place of its result."""
    ran = []

    @fp.tool
    def lookup(**arguments: Any) -> str:
        ran.append(arguments)
        return "slow"

    with fp.turn() as turn:
        (asked,) = OpenAILoop(fp, [[Asked("t2", "lookup", {"host": "db-9"})]]).call()
        text = turn.tool(asked)
        assert turn.standing is not None
        assert turn.standing.word == "ask"
    assert ran == []
    span = written(recording, "t2").span
    assert span.attributes[names.TOOL_STATUS] == "refused"
    assert span.status.is_ok or span.status.is_unset
    return str(text)


def test_three_rounds_then_the_call_is_refused(recording: Recording) -> None:
    rounds = []

    def person(ask: Any) -> None:
        rounds.append((ask.round, ask.fields[0].reason))

    text = refused(recording, recorder(recording, tools=TEAM, ask=person))
    assert rounds == [(1, "missing"), (2, "invalid-answer"), (3, "invalid-answer")]
    assert "was not run: after 3 rounds of questions" in text


def test_a_handler_that_raises_is_nobodys_answer(
    recording: Recording, caplog: pytest.LogCaptureFixture
) -> None:
    def person(ask: Any) -> Any:
        raise ConnectionError("secret of the application")

    text = refused(recording, recorder(recording, tools=TEAM, ask=person))
    assert "was not run" in text
    assert "secret" not in caplog.text


async def test_a_tool_that_cannot_await_is_refused_where_only_a_coroutine_can_ask(
    recording: Recording,
) -> None:
    async def person(ask: Any) -> Any:
        raise AssertionError("it cannot be awaited here")

    assert "was not run" in refused(recording, recorder(recording, tools=TEAM, ask=person))


def test_a_coroutine_can_ask_where_no_loop_runs(recording: Recording) -> None:
    async def person(ask: Any) -> dict[str, str]:
        await asyncio.sleep(0)
        return {"f1": "payments"}

    fp = recorder(recording, tools=TEAM, ask=person)
    got: list[Any] = []

    @fp.tool
    def lookup(**arguments: Any) -> str:
        got.append(arguments)
        return "slow"

    with fp.turn() as turn:
        OpenAILoop(fp, [[Asked("t2", "lookup", {"host": "db-9"})], "Done."]).run(turn)
    assert got == [{"host": "db-9", "team": "payments"}]


def test_a_rule_that_asks_is_refused_at_wrap_where_nobody_can_be_asked() -> None:
    fp = footprint.Footprint("shop", arguments=footprint.Arguments(tools=TEAM))
    with pytest.raises(footprint.DeclarationError, match=r"lookup.*team"):
        fp.wrap(client("openai", "OpenAI", Server(chat())))
    with pytest.raises(footprint.DeclarationError, match=r"lookup.*team"):
        fp.wrap(lambda: None)
    with pytest.raises(footprint.DeclarationError, match="arguments"):
        footprint.Footprint("shop", arguments={"lookup": {}})  # type: ignore[arg-type]


@pytest.mark.parametrize("loop", [OpenAILoop, AnthropicLoop])
def test_where_tools_do_not_run_through_us_there_are_hints(
    recording: Recording, loop: type[Any]
) -> None:
    fp = recorder(recording)
    steps = [
        [Asked("t1", "hosts", {"service": "checkout"})],
        [Asked("t2", "lookup", {"host": "db-9", "window": "7d", "limit": 13})],
        "Done.",
    ]
    made = loop(fp, steps)
    with fp.turn() as turn:
        for result in (FOUND, "slow", None):
            asked = made.call()
            made.put([(call, result) for call in asked])
        assert turn.standing is not None
        assert turn.standing.word == "not-assessed"
    assert RESERVED not in made.schema(1, "lookup")["properties"]
    (first,) = [s for s in recording.named("chat") if s.attributes[names.CALL_ID].endswith(".1")]
    withheld = {
        (e.attributes[names.OFFER_TOOL], e.attributes[names.OFFER_REASON])
        for e in first.events
        if e.name == names.EVENT_WITHHELD
    }
    assert withheld == {("hosts", "no-dispatcher"), ("lookup", "no-dispatcher")}
    one, two = recording.named(names.SPAN_EVENTS)
    assert [s.attributes[names.CALL_ID][-2:] for s in (one, two)] == [".1", ".2"]
    rows = [row_of(dict(e.attributes)) for s in (one, two) for e in s.events]
    assert [(r.argument, r.claimed, r.verdict, r.coincides) for r in rows] == [
        ("service", "none", "hint", "person"),
        ("host", "none", "hint", "result"),
        ("window", "none", "hint", "tools"),
        ("limit", "none", "nowhere", None),
    ]
    asked_in = [s for s in recording.named("chat") if s.attributes[names.CALL_ID].endswith(".1")]
    assert [link.context.span_id for link in two.links] == [asked_in[0].context.span_id]


def test_a_process_that_goes_on_with_a_paused_turn_knows_what_was_answered(
    recording: Recording,
) -> None:
    def person(ask: Any) -> dict[str, str]:
        return {"f1": "payments"}

    fp = recorder(recording, tools=TEAM, ask=person)
    fp.tool(lambda **_: "slow", name="lookup")
    with fp.turn() as turn:
        OpenAILoop(fp, [[Asked("t2", "lookup", {"host": "db-9"})], "Done."]).run(turn)
        saved = json.loads(json.dumps(turn.pause()))
    other = recorder(recording, tools=TEAM, ask=lambda _: pytest.fail("it was answered"))
    other.tool(lambda **_: "slow", name="lookup")
    cited = declared({"host": "db-9", "team": "payments"}, source("team", "turn"))
    with other.turn(resume=saved) as turn:
        OpenAILoop(other, [[Asked("t3", "lookup", cited)], "Done."]).run(turn)
    assert written(recording, "t3").rows["team"].verdict == "answered"
