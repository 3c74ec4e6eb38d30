"""The arguments' part of a turn, without any adapter: offered, answered, found, settled, run."""

from __future__ import annotations

from typing import Any

import pytest

from otel_footprint.arguments import RESERVED, Arguments, Passage, ToolCall
from otel_footprint.records.arguments import ArgumentRow
from otel_footprint.run.batches import Sight, parsed
from otel_footprint.run.sources import Run, Sources
from otel_footprint.run.talks import Declared
from otel_footprint.wire.toolspec import ToolSpec, tool_spec

LOOKUP = {
    "type": "function",
    "function": {
        "name": "lookup",
        "parameters": {
            "type": "object",
            "properties": {
                "host": {"type": "string"},
                "window": {"type": "string", "enum": ["1h", "24h"]},
                "limit": {"type": "integer"},
            },
            "required": ["host"],
        },
    },
}
WORDS = "Why was srv-4417 slow over the last 24h?"
PERSON = Passage("messages", "user", WORDS, key="k1")
RESULT = Passage("messages", "tool-result", '{"host":"db-9","rows":41200}', "k2", "t1", "hosts")
RULES = {"lookup": {"arguments": {"window": {"ask": "Over which time?"}}}}
ASSUME = {"lookup": {"arguments": {"limit": {"assume": 50}}}}


def sources(*, see: bool = True, **declared: Any) -> Sources:
    made = Sources(Declared(Arguments(**declared)), "c")
    made.offer(specs(LOOKUP), lambda name: name == "lookup")
    return made


def specs(*definitions: Any) -> list[ToolSpec]:
    return [spec for d in definitions if (spec := tool_spec(d)) is not None]


def call(arguments: Any, id_: str = "a1", planted: bool = True) -> ToolCall:
    return ToolCall(id_, "lookup", arguments, planted)


def answered(
    made: Sources, *calls: ToolCall, passages: tuple[Passage, ...] = (PERSON, RESULT)
) -> None:
    made.answered(calls, lambda: Sight(passages), "led.1", None, 5)


def run(made: Sources, arguments: Any, id_: str = "a1") -> Run:
    found = made.find("lookup", id_, arguments)
    assert found is not None
    decision = made.settle(found.batch, 7)
    assert decision.ask is None
    return made.run(found, arguments)


def row(ran: Run, argument: str) -> ArgumentRow:
    (found,) = [r for r in ran.rows if r.argument == argument]
    return found


def said(argument: str, quote: str) -> dict[str, str]:
    return {"argument": argument, "source": "user", "quote": quote}


# --- offering --------------------------------------------------------------------------------


def test_the_argument_is_planted_where_the_tool_runs_through_us_and_withheld_elsewhere() -> None:
    made = Sources(Declared(Arguments()), "c")
    other = {"type": "function", "function": {"name": "other", "parameters": {"type": "object"}}}
    offer = made.offer(specs(LOOKUP, other), lambda name: name == "lookup")
    (edit,) = offer.plan.tools
    assert (edit.tool, edit.name, edit.required) == ("lookup", RESERVED, False)  # type: ignore[union-attr]
    assert offer.planted == {"lookup": False}
    assert offer.withheld == (("other", "no-dispatcher"),)
    assert made.offer(specs(LOOKUP, other), lambda name: name == "lookup").withheld == ()


def test_without_sources_nothing_is_planted_and_nothing_is_said() -> None:
    made = Sources(Declared(Arguments(sources=False)), "c")
    offer = made.offer(specs(LOOKUP), lambda _: True)
    assert not offer.plan
    assert offer.withheld == ()


def test_a_schema_that_cannot_take_it_says_why() -> None:
    made = Sources(Declared(Arguments()), "c")
    cyclic = {"$defs": {"A": {"$ref": "#/$defs/A"}}, "$ref": "#/$defs/A"}
    tools = [{"name": "a", "input_schema": cyclic}, {"name": "b", "input_schema": None}]
    offer = made.offer(specs(*tools), lambda _: True)
    assert offer.planted == {}
    assert dict(offer.withheld) == {"a": "reference", "b": "no-schema"}


# --- running ---------------------------------------------------------------------------------


def test_the_tool_never_sees_the_argument() -> None:
    made = sources()
    given = {"host": "srv-4417", RESERVED: {"from": [said("host", "srv-4417")]}}
    answered(made, call(given))
    ran = run(made, dict(given))
    assert ran.arguments == {"host": "srv-4417"}
    assert (row(ran, "host").verdict, row(ran, "host").matched) == ("said", "quote")


def test_without_it_the_arguments_are_the_same_object() -> None:
    made = sources()
    given = {"host": "srv-4417"}
    answered(made, call(dict(given)))
    ran = run(made, given)
    assert ran.arguments is given
    assert (row(ran, "host").verdict, row(ran, "host").coincides) == ("model", "person")


def test_a_claim_that_does_not_hold_says_why_and_where_the_value_stands_anyway() -> None:
    made = sources()
    given = {
        "host": "db-9",
        RESERVED: {"from": [said("host", "db-9 please"), {"argument": "host"}, 7]},
    }
    answered(made, call(given))
    found = row(run(made, given), "host")
    assert (found.verdict, found.failed, found.coincides) == ("model", "quote-not-found", "result")
    assert found.malformed == 2
    assert found.produced_by == ("t1",)


def test_a_call_is_found_by_its_arguments_where_ids_are_equal_or_empty() -> None:
    made = sources()
    one, two = {"host": "srv-4417"}, {"host": "db-9"}
    answered(made, call(one, ""), call(two, ""))
    second, first = run(made, dict(two), ""), run(made, dict(one), "")
    assert row(second, "host").coincides == "result"
    assert row(first, "host").coincides == "person"


def test_a_call_that_is_run_again_has_the_same_arguments_and_no_second_row() -> None:
    made = sources()
    given = {"host": "srv-4417", RESERVED: {"from": []}}
    answered(made, call(given))
    assert run(made, given).rows
    again = run(made, given)
    assert (again.arguments, again.rows) == ({"host": "srv-4417"}, ())


def test_what_something_changed_behind_the_model_reads_as_assumed() -> None:
    made = sources()
    given = {"host": "srv-4417", RESERVED: {"from": [said("host", "srv-4417")]}}
    answered(made, call(given))
    ran = run(made, {**given, "host": "db-1"})
    assert ran.arguments == {"host": "db-1"}
    assert (row(ran, "host").verdict, row(ran, "host").claimed) == ("model", "assumed")


def test_a_value_left_out_is_filled_in_and_its_note_goes_behind_the_result_from_then_on() -> None:
    made = sources(tools=ASSUME)
    given = {"host": "srv-4417"}
    answered(made, call(given))
    ran = run(made, given)
    assert ran.arguments == {"host": "srv-4417", "limit": 50}
    assert given == {"host": "srv-4417"}
    assert (row(ran, "limit").verdict, row(ran, "limit").rule) == ("default", "assume")
    (note,) = ran.notes
    assert "declared default 50" in note
    made.talk.note("a1", note)
    later = Sources(made.declared, "c").offer(specs(LOOKUP), lambda _: True)
    (edit,) = later.plan.history
    assert (edit.call_id, edit.text) == ("a1", note)  # type: ignore[union-attr]
    assert made.standing().word == "not-sure"


def test_a_call_that_no_answer_asked_for_runs_with_its_own_arguments_and_says_nothing() -> None:
    made = sources()
    given = {"host": "db-1"}
    assert made.find("lookup", "z9", given) is None
    found = made.unknown("lookup", "z9", given)
    made.settle(found.batch, 1)
    ran = made.run(found, given)
    assert ran.arguments is given
    assert [r.verdict for r in ran.rows] == ["model"]


def test_what_another_process_planted_is_taken_out() -> None:
    made = Sources(Declared(Arguments()), "c")
    given = {"host": "db-1", RESERVED: {"from": []}}
    found = made.unknown("lookup", "z9", given)
    made.settle(found.batch, 1)
    assert made.run(found, given).arguments == {"host": "db-1"}


@pytest.mark.parametrize("text", ["", "{}", "[1]", "nul", '"a"', "{" * 5000])
def test_arguments_that_are_no_object_stay_what_they_are(text: str) -> None:
    value = parsed(text)
    assert value == {} if text in ("", "{}") else value == text
    made = sources()
    answered(made, call(value))
    run(made, value)


# --- asking ----------------------------------------------------------------------------------


def test_a_batch_is_asked_once_and_runs_with_the_answer() -> None:
    made = sources(tools=RULES)
    one, two = {"host": "srv-4417"}, {"host": "db-9"}
    answered(made, call(one, "a1"), call(two, "a2"))
    found = made.find("lookup", "a1", one)
    assert found is not None
    ask = made.settle(found.batch, 7).ask
    assert ask is not None
    assert [(f.argument, f.calls, f.reason) for f in ask.fields] == [
        ("window", ("a1", "a2"), "missing")
    ]
    assert made.standing().word == "ask"
    made.reply(found.batch, {"f1": "24h"})
    assert made.settle(found.batch, 8).ask is None
    ran = made.run(found, one)
    assert ran.arguments == {"host": "srv-4417", "window": "24h"}
    assert [(r.argument, at) for r, at in ran.asked] == [("window", 7)]
    assert row(ran, "window").verdict == "answered"
    assert run(made, two, "a2").arguments == {"host": "db-9", "window": "24h"}
    assert made.standing().word == "consistent"


def test_an_answer_may_be_cited_in_a_later_turn_of_the_conversation() -> None:
    made = sources(tools=RULES)
    given = {"host": "srv-4417"}
    answered(made, call(given))
    found = made.find("lookup", "a1", given)
    assert found is not None
    made.settle(found.batch, 7)
    made.reply(found.batch, {"f1": "24h"})
    made.settle(found.batch, 8)
    later = Sources(made.declared, "c")
    later.offer(specs(LOOKUP), lambda _: True)
    cited = {
        "host": "db-9",
        "window": "24h",
        RESERVED: {"from": [{"argument": "window", "source": "turn"}]},
    }
    answered(later, call(cited, "b1"))
    claimed = row(run(later, cited, "b1"), "window")
    assert (claimed.verdict, claimed.earlier, claimed.turn) == ("answered", True, 2)


def test_where_nobody_can_be_asked_the_call_is_refused() -> None:
    made = sources(tools=RULES)
    given = {"host": "srv-4417"}
    answered(made, call(given))
    found = made.find("lookup", "a1", given)
    assert found is not None
    made.settle(found.batch, 7, can_ask=False)
    refused = made.run(found, given).refused
    assert refused is not None
    assert "was not run: without a question to the person" in refused


def test_a_tool_whose_rules_cannot_be_read_is_refused() -> None:
    made = Sources(Declared(Arguments(tools=RULES)), "c")
    broken = {"name": "lookup", "input_schema": {"type": "object", "properties": {"w": {}}}}
    made.offer(specs(broken), lambda _: True)
    given = {"host": "srv-4417"}
    answered(made, call(given))
    found = made.find("lookup", "a1", given)
    assert found is not None
    made.settle(found.batch, 7)
    assert "unreadable" in (made.run(found, given).refused or "")


# --- what did not run through us -------------------------------------------------------------


def test_calls_that_did_not_run_through_us_get_hints_once_their_result_is_there() -> None:
    made = Sources(Declared(Arguments(tools=RULES)), "c")
    answered(made, call({"host": "db-9", "x": "zz"}, "a1", False), call({}, "a2", False))
    assert made.left_over(lambda id_: id_ == "other") == []
    (left,) = made.left_over(lambda id_: id_ == "a1")
    assert [(r.argument, r.verdict, r.coincides) for r in left.rows] == [
        ("host", "hint", "result"),
        ("x", "nowhere", None),
    ]
    assert made.left_over(lambda id_: id_ == "a1") == []
    assert made.find("lookup", "a2", {}) is not None
    assert made.left_over() == []


def test_batches_that_are_forgotten_get_their_hints_first() -> None:
    made = sources()
    left = []
    for number in range(20):
        calls = [call({"host": "srv-4417"}, f"a{number}", False)]
        left += made.answered(calls, lambda: Sight((PERSON,)), "led.1", None, 5)
    assert [over.rows[0].call_id for over in left] == ["a0", "a1", "a2", "a3"]
