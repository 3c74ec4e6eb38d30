"""What becomes of a batch: rows AS115 to AS134, asking, filling, refusing."""

from __future__ import annotations

from typing import Any

import pytest

from otel_footprint.arguments import (
    Arguments,
    AskState,
    Bindings,
    Corpus,
    Decision,
    ToolCall,
    accept,
    decide,
    rewritten,
    standing,
)
from otel_footprint.arguments.bind import BoundRules
from otel_footprint.records.arguments import REDACTED, AppText, PersonText, ResultText

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "window": {"type": "string"},
        "limit": {"type": "integer"},
        "host": {"type": "string"},
        "since": {"type": "string"},
        "deep": {"type": "object"},
    },
}
CHOICES = [
    "1h",
    {"value": "24h", "said": ["last day", "past day"]},
    {"value": "7d", "said": ["last week"]},
]
ASK = {"window": {"ask": "Over which time?", "choices": CHOICES}}
BOTH = {**ASK, "limit": {"assume": 50}}
WEEK = Corpus(person=(PersonText("CPU over the last week"),))


def bindings(rules: dict[str, Any] | None = None, **more: Any) -> Bindings:
    tools = {"get_metrics": {"arguments": rules, **more.pop("tool", {})}} if rules else {}
    made = Bindings(Arguments(tools=tools, **more))
    for tool in tools:
        made.bind(tool, SCHEMA)
    return made


def call(args: Any, *sources: dict[str, Any], call_id: str = "c1", **more: Any) -> ToolCall:
    if sources:
        args = {**args, "_findings": {"from": list(sources)}}
    return ToolCall(call_id, "get_metrics", args, planted=True, **more)


def user(argument: str, quote: str) -> dict[str, Any]:
    return {"argument": argument, "source": "user", "quote": quote}


def reply(decision: Decision, made: Bindings, replies: Any, turn: int = 1) -> AskState:
    bound = made.of("get_metrics")
    assert isinstance(bound, BoundRules)
    return accept(decision.state, replies, {"get_metrics": bound}, turn)


def test_as115_a_traced_value_runs() -> None:
    done = decide([call({"window": "7d"}, user("window", "last week"))], bindings(ASK), WEEK)
    (row,) = done.rows
    assert done.ask is None
    assert (row.verdict, row.matched, row.claimed, row.rule) == ("said", "phrase", "user", "ask")
    assert done.calls[0].arguments == {"window": "7d"}
    assert standing(done.rows).word == "consistent"


def test_as116_an_untraced_value_pauses_before_anything_runs() -> None:
    args = {"window": "24h"}
    asked = decide([call(args), call({"window": "1h"}, call_id="c2")], bindings(ASK), WEEK)
    assert asked.ask is not None
    (field,) = asked.ask.fields
    assert (field.id, field.tool, field.argument, field.calls) == (
        "f1", "get_metrics", "window", ("c1", "c2"),
    )  # fmt: skip
    row = asked.rows[0]
    assert (row.verdict, row.asked, row.proposed, row.claimed) == (
        None, "unverified", "24h", "none",
    )  # fmt: skip
    assert standing(asked.rows).word == "ask"


def test_the_models_value_never_rides_the_ask() -> None:
    rules = {"host": {"ask": "Which host?"}}
    asked = decide([call({"host": "srv-secret-9"})], bindings(rules), Corpus())
    assert asked.ask is not None
    assert "srv-secret-9" not in repr(asked.ask)
    assert "srv-secret-9" not in repr(asked.ask.payload())
    assert asked.ask.payload()["fields"][0]["question"] == "Which host?"


def test_as117_the_answer_runs_and_is_noted() -> None:
    made, batch = bindings(ASK), [call({"window": "24h", "host": "a"})]
    asked = decide(batch, made, WEEK)
    done = decide(batch, made, WEEK, reply(asked, made, {"f1": "1h"}))
    assert done.ask is None
    assert done.calls[0].arguments == {"window": "1h", "host": "a"}
    assert done.calls[0].changed == ("window",)
    row = done.rows[0]
    assert (row.verdict, row.value, row.proposed) == ("answered", "1h", "24h")
    (note,) = done.calls[0].notes
    assert "1h" in note
    assert "c1" in note
    assert "source turn" in note
    assert standing([*asked.rows, *done.rows]).word == "consistent"
    assert batch[0].arguments == {"window": "24h", "host": "a"}


def test_as118_a_reading_shows_the_persons_words() -> None:
    asked = decide([call({"window": "7d"}, user("window", "CPU over the"))], bindings(ASK), WEEK)
    assert asked.ask is not None
    assert asked.ask.fields[0].quoted == "CPU over the"
    (row,) = asked.rows
    assert (row.reading, row.asked) == (True, "unverified")


def test_as119_the_declared_default_is_the_default() -> None:
    corpus = Corpus(app=(AppText("at most 50 rows"),))
    batch = [call({"limit": 50}, {"argument": "limit", "source": "app"})]
    done = decide(batch, bindings(BOTH | {"window": {"assume": "1h"}}), corpus)
    row = done.rows[0]
    assert (row.verdict, row.value, row.claimed, row.app_source) == ("default", "50", "app", None)
    assert standing([row]).reasons == ("argument-assumed get_metrics.limit",)


def test_as120_a_false_quote_on_a_free_argument() -> None:
    batch = [call({"host": "srv-1"}, user("host", "use srv-1"))]
    (row,) = decide(batch, bindings(), Corpus()).rows
    assert (row.rule, row.verdict, row.failed) == (None, "model", "quote-not-found")
    found = standing([row])
    assert (found.word, found.reasons) == ("not-sure", ("argument-unverified get_metrics.host",))


def test_as121_drops_are_counted_on_the_first_row_and_the_call() -> None:
    batch = [call({"host": "a", "since": "b"}, {}, user("nope", "x"))]
    (decided,) = decide(batch, bindings(), Corpus()).calls
    assert [row.malformed for row in decided.rows] == [2, 0]
    assert decided.malformed == 2
    empty = decide([ToolCall("c1", "t", {"_findings": 7}, True)], bindings(), Corpus())
    assert (empty.rows, empty.calls[0].malformed) == ((), 1)


def test_drops_are_counted_once_although_a_person_was_asked() -> None:
    made, batch = bindings(ASK), [call({"window": "24h"}, {})]
    asked = decide(batch, made, Corpus())
    done = decide(batch, made, Corpus(), reply(asked, made, {"f1": "1h"}))
    assert sum(row.malformed for row in (*asked.rows, *done.rows)) == 1


def test_as122_a_value_from_a_result_set_aside() -> None:
    corpus = Corpus(results=(ResultText("t1", ("srv-1",), set_aside="noise"),))
    batch = [call({"host": "srv-1"}, {"argument": "host", "source": "result", "id": "t1"})]
    (row,) = decide(batch, bindings(), corpus).rows
    assert (row.verdict, row.set_aside, row.rule) == ("result", "noise", None)
    assert row.produced_by == ("t1",)
    found = standing([row])
    assert (found.word, found.reasons) == ("not-sure", ("value-contingent get_metrics.host",))


def test_as126_a_labelled_ground_on_a_free_argument_while_another_asks() -> None:
    corpus = Corpus(app=(AppText("srv-1", "viewer-selection"),), person=WEEK.person)
    batch = [
        call(
            {"host": "srv-1", "window": "24h"},
            {"argument": "host", "source": "app"},
            user("window", "CPU"),
        )
    ]
    made = bindings(ASK)
    asked = decide(batch, made, corpus)
    assert asked.ask is not None
    done = decide(batch, made, corpus, reply(asked, made, {"f1": "24h"}))
    assert [(r.argument, r.verdict, r.app_source) for r in done.rows] == [
        ("host", "app", "viewer-selection"),
        ("window", "answered", None),
    ]


def test_as127_a_period_answered_in_another_spelling_in_an_earlier_turn() -> None:
    made = Bindings(
        Arguments(
            tools={
                "get_metrics": {
                    "arguments": {"window": {"ask": "?"}},
                    "period": {"argument": "window", "spelling": "lookback"},
                },
                "get_logs": {
                    "arguments": {"since": {"ask": "?"}},
                    "period": {"argument": "since", "spelling": "signed-lookback"},
                },
            }
        )
    )
    made.bind("get_metrics", SCHEMA)
    made.bind("get_logs", SCHEMA)
    first = [call({})]
    asked = decide(first, made, Corpus(1))
    state = reply(asked, made, {"f1": "24h"})
    state = decide(first, made, Corpus(1), state).state
    cited = {"argument": "since", "source": "turn"}
    args = {"since": "-24h", "_findings": {"from": [cited]}}
    done = decide([ToolCall("c9", "get_logs", args, True)], made, Corpus(2), state)
    (row,) = done.rows
    assert (row.verdict, row.matched, row.earlier, row.turn) == ("answered", "spelling", True, 2)


def test_as128_a_turn_claim_without_an_answer() -> None:
    batch = [call({"window": "24h"}, {"argument": "window", "source": "turn"})]
    asked = decide(batch, bindings(ASK), Corpus())
    assert asked.ask is not None
    assert asked.rows[0].failed == "no-earlier-turn"


@pytest.mark.parametrize("rule", ["ask", "assume"])
def test_as129_words_of_a_composed_message(rule: str) -> None:
    corpus = Corpus(person=(PersonText("the last day", composed=True),))
    rules = ASK if rule == "ask" else {"window": {"assume": "24h"}}
    found = decide([call({"window": "24h"}, user("window", "last day"))], bindings(rules), corpus)
    (row,) = found.rows
    assert row.failed == "composed-message"
    assert (row.verdict, found.ask is None) == (
        (None, False) if rule == "ask" else ("default", True)
    )


def test_as133_a_hidden_argument_appears_nowhere() -> None:
    made = bindings(ASK, tool={"hidden": ["window"]})
    batch = [call({"window": "7d"}, user("window", "over the"))]
    asked = decide(batch, made, WEEK)
    assert asked.ask is not None
    assert asked.ask.fields[0].quoted is None
    assert (asked.rows[0].proposed, asked.rows[0].quote) == (REDACTED, REDACTED)
    done = decide(batch, made, WEEK, reply(asked, made, {"f1": "24h"}))
    (row,) = done.rows
    assert (row.value, row.proposed, row.quote, row.size) == (REDACTED, REDACTED, REDACTED, None)
    assert "24h" not in "".join(done.calls[0].notes)
    assert "size" not in row.fields()


def test_as134_one_hidden_argument_hides_every_quote() -> None:
    made = bindings(ASK, tool={"hidden": ["host"]})
    asked = decide([call({"window": "7d"}, user("window", "over the"))], made, WEEK)
    assert asked.ask is not None
    assert asked.ask.fields[0].quoted is None
    assert asked.rows[0].quote == REDACTED
    assert asked.rows[0].proposed == "7d"


# --- missing values --------------------------------------------------------------------------


@pytest.mark.parametrize("args", [{}, {"window": None}, {"window": " "}, {"window": "\ufeff"}])
def test_a_missing_value_is_asked_for(args: dict[str, Any]) -> None:
    asked = decide([call(args)], bindings(ASK), Corpus())
    assert asked.ask is not None
    (row,) = asked.rows
    assert (row.asked, row.verdict, row.proposed, row.size) == ("missing", None, None, None)


def test_a_missing_value_is_filled_with_the_default_and_noted() -> None:
    args = {"host": "a"}
    (decided,) = decide([call(args)], bindings({"limit": {"assume": 50}}), Corpus()).calls
    assert decided.arguments == {"host": "a", "limit": 50}
    assert args == {"host": "a"}
    assert decided.rows[1][:4] == ("get_metrics", "c1", "limit", "default")
    assert "50" in decided.notes[0]


def test_an_untraced_value_with_a_default_runs_and_is_flagged() -> None:
    (decided,) = decide([call({"limit": 7})], bindings({"limit": {"assume": 50}}), Corpus()).calls
    assert decided.arguments == {"limit": 7}
    assert (decided.rows[0].verdict, decided.rows[0].rule) == ("model", "assume")
    assert standing(decided.rows).word == "not-sure"


def test_a_kept_answer_fills_the_same_argument_once_in_the_same_turn() -> None:
    made = bindings(ASK)
    asked = decide([call({})], made, Corpus())
    state = decide([call({})], made, Corpus(), reply(asked, made, {"f1": "1h"})).state
    again = decide([call({}, call_id="c2")], made, Corpus(), state)
    assert again.ask is None
    assert again.calls[0].arguments == {"window": "1h"}
    assert decide([call({}, call_id="c3")], made, Corpus(), again.state).ask is not None
    assert decide([call({}, call_id="c2")], made, Corpus(2), state).ask is not None


def test_a_later_claim_may_cite_the_answer() -> None:
    made = bindings(ASK)
    asked = decide([call({})], made, Corpus())
    state = decide([call({})], made, Corpus(), reply(asked, made, {"f1": "1h"})).state
    batch = [call({"window": "1h"}, {"argument": "window", "source": "turn"}, call_id="c2")]
    (row,) = decide(batch, made, Corpus(2), state).rows
    assert (row.verdict, row.earlier) == ("answered", True)


# --- rounds ----------------------------------------------------------------------------------


def test_three_rounds_then_the_call_is_refused_and_the_others_run() -> None:
    made = bindings(ASK)
    batch = [call({"window": "24h"}), ToolCall("c2", "other", {"x": 1}, True)]
    decision, seen = decide(batch, made, Corpus()), []
    for _ in range(3):
        assert decision.ask is not None
        seen.append((decision.ask.round, decision.ask.fields[0].reason))
        decision = decide(batch, made, Corpus(), reply(decision, made, {"f1": "soon"}))
    assert seen == [(1, "unverified"), (2, "invalid-answer"), (3, "invalid-answer")]
    assert decision.ask is None
    refused, other = decision.calls
    assert refused.refused is not None
    assert "c1" in refused.refused
    assert "window" in refused.refused
    assert refused.notes == ()
    assert (other.refused, other.arguments) == (None, {"x": 1})
    assert standing(decision.rows).word == "ask"


@pytest.mark.parametrize("replies", [None, [], "1h", {}, {"f1": None}, {"f2": "1h"}, {"f1": [1]}])
def test_a_reply_that_is_none_is_asked_again(replies: Any) -> None:
    made, batch = bindings(ASK), [call({})]
    state = reply(decide(batch, made, Corpus()), made, replies)
    again = decide(batch, made, Corpus(), state)
    assert again.ask is not None
    assert (again.ask.round, again.ask.fields[0].reason) == (2, "invalid-answer")


@pytest.mark.parametrize(
    ("said", "value"),
    [("24h", "24h"), ("24H", "24h"), ("the last day", None), ("last day", "24h"), (" 1h ", "1h")],
)
def test_a_choice_is_chosen_by_value_or_phrase(said: str, value: str | None) -> None:
    made, batch = bindings(ASK), [call({})]
    done = decide(batch, made, Corpus(), reply(decide(batch, made, Corpus()), made, {"f1": said}))
    assert (None if done.ask else done.calls[0].arguments["window"]) == value


@pytest.mark.parametrize(
    ("argument", "said", "value"),
    [
        ("limit", 7, 7), ("limit", "7", 7), ("limit", "7.5", None), ("limit", True, None),
        ("limit", "many", None), ("host", "srv-1", "srv-1"), ("host", 5, None),
    ],
)  # fmt: skip
def test_a_free_reply_has_the_arguments_type(argument: str, said: Any, value: Any) -> None:
    made, batch = bindings({argument: {"ask": "?"}}), [call({})]
    done = decide(batch, made, Corpus(), reply(decide(batch, made, Corpus()), made, {"f1": said}))
    assert (None if done.ask else done.calls[0].arguments[argument]) == value


def test_at_most_32_questions_a_round() -> None:
    names = [f"a{i}" for i in range(40)]
    schema = {"properties": {n: {"type": "string"} for n in names}}
    half = {"arguments": {n: {"ask": "?"} for n in names[:20]}}
    made = Bindings(Arguments(tools={"t1": half, "t2": half}))
    made.bind("t1", schema)
    made.bind("t2", schema)
    batch = [ToolCall("c1", "t1", {}, True), ToolCall("c2", "t2", {}, True)]
    asked = decide(batch, made, Corpus())
    assert asked.ask is not None
    assert [f.id for f in asked.ask.fields] == [f"f{i}" for i in range(1, 33)]
    rules: dict[str, Any] = {"t1": made.of("t1"), "t2": made.of("t2")}
    replies = {f"f{i}": "x" for i in range(1, 33)}
    rest = decide(batch, made, Corpus(), accept(asked.state, replies, rules, 1))
    assert rest.ask is not None
    assert len(rest.ask.fields) == 8


def test_calls_with_equal_or_empty_ids_do_not_share_later_answers() -> None:
    made = bindings(ASK)
    batch = [call({"window": "24h"}, call_id=""), call({"window": "7d"}, call_id="")]
    asked = decide(batch, made, Corpus())
    done = decide(batch, made, Corpus(), reply(asked, made, {"f1": "1h"}))
    assert [d.arguments for d in done.calls] == [{"window": "1h"}, {"window": "1h"}]
    later = decide([call({"window": "24h"}, call_id="")], made, Corpus(), done.state)
    assert later.ask is not None


def test_an_ask_that_was_left_open_does_not_reach_another_batch() -> None:
    made = bindings(ASK)
    asked = decide([call({"window": "24h"})], made, Corpus())
    state = reply(asked, made, {"f1": "1h"})
    other = decide([call({"window": "24h"}, call_id="c7")], made, Corpus(), state)
    assert other.ask is not None
    assert other.ask.round == 1


def test_deciding_again_with_the_same_state_gives_the_same() -> None:
    made, batch = bindings(BOTH), [call({"window": "24h"})]
    assert decide(batch, made, WEEK) == decide(batch, made, WEEK)


# --- the rest --------------------------------------------------------------------------------


def test_calls_whose_rules_cannot_be_read_are_refused() -> None:
    made = Bindings(Arguments(tools={"get_metrics": {"arguments": ASK}}))
    (decided,) = decide([call({"window": "24h"})], made, Corpus()).calls
    assert decided.refused is not None
    assert decided.rows == ()


def test_without_declared_sources_only_missing_values_are_asked_for() -> None:
    made = bindings(ASK, sources=False)
    present = ToolCall("c1", "get_metrics", {"window": "24h"})
    done = decide([present], made, Corpus())
    assert done.ask is None
    assert done.calls[0].arguments is present.arguments
    assert done.rows[0].verdict == "model"
    assert decide([ToolCall("c1", "get_metrics", {})], made, Corpus()).ask is not None


def test_without_declarations_and_rules_the_arguments_are_the_same_object() -> None:
    args = {"host": "srv-1", "deep": {"rows": ["x-9", None, 7]}}
    plain = ToolCall("c1", "other", args)
    corpus = Corpus(results=(ResultText("t1", ("host srv-1, x-9",)),))
    (decided,) = decide([plain], bindings(), corpus).calls
    assert decided.arguments is args
    assert [(r.argument, r.verdict, r.coincides) for r in decided.rows] == [
        ("host", "hint", "result"),
        ("deep.rows[0]", "hint", "result"),
        ("deep.rows[2]", "nowhere", None),
    ]


def test_nested_values_get_hints_beside_claims_and_are_counted_beyond_64() -> None:
    args = {"host": "srv-1", "deep": {"rows": [f"v-{i}" for i in range(100)]}}
    (decided,) = decide([call(args, user("host", "srv-1"))], bindings(), Corpus()).calls
    assert len(decided.rows) == 64
    assert decided.left_out == 37
    assert (decided.rows[0].verdict, decided.rows[1].verdict) == ("model", "nowhere")


@pytest.mark.parametrize("args", [None, "text", [1], 7])
def test_arguments_that_are_no_object_pass_through(args: Any) -> None:
    (decided,) = decide([ToolCall("c1", "get_metrics", args, True)], bindings(), Corpus()).calls
    assert decided.arguments is args
    assert decided.rows == ()


def test_a_value_changed_behind_the_check_reads_as_assumed() -> None:
    batch = [call({"window": "7d", "host": "a-1"}, user("window", "last week"))]
    (decided,) = decide(batch, bindings(ASK), WEEK).calls
    rows = rewritten(decided, {"window": "1h", "host": "a-1"})
    assert rows[0] == decided.rows[1]
    assert (rows[1].verdict, rows[1].claimed, rows[1].value) == ("model", "assumed", "1h")
    assert rows[1].rule == "ask"
    assert rewritten(decided, decided.arguments) is decided.rows


def test_values_put_in_or_taken_out_behind_the_check() -> None:
    batch = [call({"host": "a-1", "deep": {"rows": ["x", "y"]}}, {})]
    (decided,) = decide(batch, bindings(), Corpus()).calls
    rows = rewritten(decided, {"deep": {"rows": ["z"]}, "since": "1h"})
    assert [(r.argument, r.claimed) for r in rows] == [("deep", "assumed"), ("since", "assumed")]
    assert [r.malformed for r in rows] == [1, 0]


@pytest.mark.parametrize("value", [["24h"], {"a": 1}, float("nan")])
def test_a_value_of_a_wrong_kind_is_asked_for_where_a_rule_asks(value: Any) -> None:
    asked = decide([call({"window": value})], bindings(ASK), WEEK)
    assert asked.ask is not None
    assert asked.rows[0].asked == "unverified"
