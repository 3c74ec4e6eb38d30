"""One claim against one corpus: rows AS084 to AS114."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.arguments import Corpus, Prepared, Subject, check
from otel_footprint.records.arguments import (
    Answer,
    AppText,
    Claim,
    ModelText,
    PersonText,
    ResultText,
    ToolText,
    Verdict,
)
from otel_footprint.text.tokens import MAX_TOKENS

WEEK = ("last week", "past week")


def user(quote: str) -> Claim:
    return Claim("window", "user", quote=quote)


def result(call_id: str) -> Claim:
    return Claim("host", "result", id=call_id)


def says(source: str) -> Claim:
    return Claim("window", source)


def judged(claim: Claim | None, value: Any, corpus: Corpus, **subject: Any) -> Verdict:
    about = {"tool": "get_metrics", "argument": claim.argument if claim else "window", **subject}
    return check(claim, value, Prepared(corpus), Subject(**about))


def persons(*texts: str, **fields: Any) -> Corpus:
    return Corpus(person=tuple(PersonText(text, **fields) for text in texts))


# --- user ------------------------------------------------------------------------------------


def test_as084_the_value_in_the_persons_words() -> None:
    found = judged(user("the last 24h"), "24h", persons("Show me the last 24h, please."))
    assert (found.source, found.claimed, found.matched) == ("said", "user", "quote")
    assert found.is_traced
    assert [(c.kind, c.at) for c in found.carriers] == [("person", 0)]


def test_as085_a_phrase_declared_for_the_value() -> None:
    found = judged(
        user("over the last week"), "7d", persons("CPU over the last week"), phrases=WEEK
    )
    assert (found.source, found.matched, found.reading) == ("said", "phrase", False)
    assert found.is_traced


def test_as086_a_phrase_of_another_value_is_a_reading() -> None:
    found = judged(user("the past day"), "7d", persons("in the past day"), phrases=WEEK)
    assert (found.source, found.reading, found.matched) == ("said", True, None)
    assert not found.is_traced


def test_as087_words_that_nobody_said() -> None:
    found = judged(user("for 24h"), "24h", persons("the last 24h"))
    assert (found.source, found.failed, found.coincides) == ("model", "quote-not-found", "person")
    assert not found.is_traced


def test_as088_words_of_an_earlier_turn() -> None:
    corpus = Corpus(person=(PersonText("the last week", earlier=True), PersonText("and now?")))
    found = judged(user("last week"), "7d", corpus, phrases=WEEK)
    assert (found.source, found.matched, found.earlier) == ("said", "phrase", True)


def test_words_said_before_and_now_are_not_earlier() -> None:
    corpus = Corpus(person=(PersonText("last week", earlier=True), PersonText("last week!")))
    assert not judged(user("last week"), "7d", corpus, phrases=WEEK).earlier


def test_as089_words_that_another_program_handed_on() -> None:
    found = judged(user("the last 24h"), "24h", persons("the last 24h", composed=True))
    assert (found.source, found.failed, found.coincides) == ("model", "composed-message", None)


def test_as090_a_quote_without_a_token_cannot_be_told() -> None:
    found = judged(user("２４ｈ"), "24h", persons("２４ｈ"))
    assert (found.source, found.failed) == ("model", "uncheckable")


def test_as091_membership_cannot_see_a_negation() -> None:
    found = judged(user("not the last week"), "7d", persons("not the last week"), phrases=WEEK)
    assert (found.source, found.matched) == ("said", "phrase")


def test_a_quote_of_the_models_own_words_is_not_a_persons() -> None:
    corpus = Corpus(model=(ModelText("I will use the last 24h"),))
    found = judged(user("the last 24h"), "24h", corpus)
    assert (found.failed, found.coincides) == ("quote-not-found", None)


def test_a_quote_that_may_stand_in_a_text_too_long_to_read() -> None:
    found = judged(user("the last 24h"), "24h", persons("word " * (MAX_TOKENS + 1)))
    assert found.failed == "uncheckable"


def test_a_value_without_a_token_cannot_be_told() -> None:
    assert judged(user("last week"), "——", persons("last week")).failed == "uncheckable"


def test_an_empty_quote_cannot_be_told() -> None:
    assert judged(user(""), "7d", persons("last week")).failed == "uncheckable"


@pytest.mark.parametrize(
    ("value", "quote"),
    [("2024-05-20", "on May 20th, 2024"), (1200, "1.200,00 €")],
)
def test_the_same_value_in_another_spelling(value: object, quote: str) -> None:
    found = judged(user(quote), value, persons(f"please {quote} then"))
    assert (found.source, found.matched, found.reading) == ("said", "spelling", False)


@pytest.mark.parametrize(("value", "quote"), [("2024-05-20", "May 20"), ("2024-06-05", "5/6/2024")])
def test_what_only_comes_near_is_a_reading(value: str, quote: str) -> None:
    assert judged(user(quote), value, persons(f"on {quote}")).reading


def test_as114_quotes_without_the_value_are_readings() -> None:
    rng = random.Random(7)
    vocabulary = [
        "please",
        "show",
        "the",
        "host",
        "cpu",
        "of",
        "all",
        "disks",
        "over",
        "some",
        "time",
        "now",
        "and",
        "then",
    ]
    for _ in range(1000):
        quote = " ".join(rng.choices(vocabulary, k=rng.randint(1, 6)))
        found = judged(user(quote), "7d", persons(f"{quote} again"), phrases=WEEK)
        assert (found.source, found.reading, found.is_traced) == ("said", True, False)


# --- result ----------------------------------------------------------------------------------

HOSTS = Corpus(
    results=(
        ResultText("t1", ('{"host":"srv-4417","rows":[41200]}',), "list_hosts"),
        ResultText("t2", ("nothing of note",), "list_hosts"),
    )
)


def test_as092_the_result_that_holds_it() -> None:
    found = judged(result("t1"), "srv-4417", HOSTS)
    assert (found.source, found.claimed, found.result) == ("result", "result", "t1")
    assert found.is_traced


def test_as093_another_result_holds_it() -> None:
    found = judged(result("t2"), "srv-4417", HOSTS)
    assert (found.source, found.failed, found.coincides) == ("model", "not-in-result", "result")
    assert [c.id for c in found.carriers] == ["t1"]


@pytest.mark.parametrize("call_id", ["0", "", "T1", "none"])
def test_as094_an_id_that_is_none(call_id: str) -> None:
    assert judged(result(call_id), "srv-4417", HOSTS).failed == "unknown-result"


def test_as095_a_ticket_for_a_placed_result() -> None:
    corpus = Corpus(results=(ResultText("t1", ("see ticket 7",), placed=True),))
    assert judged(result("t1"), "7", corpus).failed == "placed-result"


@pytest.mark.parametrize("texts", [None, (), ("",)])
def test_as096_an_id_without_bytes(texts: tuple[str, ...] | None) -> None:
    corpus = Corpus(results=(ResultText("t1", texts),))
    assert judged(result("t1"), "srv", corpus).failed == "uncheckable"


def test_as097_a_result_set_aside_and_grounds_of_another_tool() -> None:
    corpus = Corpus(results=(HOSTS.results[0]._replace(earlier=True, set_aside="noise"),))
    found = judged(result("t1"), "srv-4417", corpus, grounds=frozenset({"other"}))
    assert (found.source, found.earlier, found.set_aside) == ("result", True, "noise")
    assert found.arguments_from == "unlisted"
    listed = judged(result("t1"), "srv-4417", corpus, grounds=frozenset({"list_hosts"}))
    assert listed.arguments_from == "listed"


def test_as125_blocks_are_read_one_by_one() -> None:
    corpus = Corpus(results=(ResultText("t1", ('{"a":"x1"}', '{"b":"y2"}')),))
    assert judged(result("t1"), "y2", corpus).source == "result"
    assert judged(result("t1"), "x1 y2", corpus).failed == "not-in-result"


def test_parallel_calls_with_one_id_are_all_looked_at() -> None:
    corpus = Corpus(results=(ResultText("t1", ("first",)), ResultText("t1", ("second",))))
    found = judged(result("t1"), "second", corpus)
    assert (found.source, [c.at for c in found.carriers]) == ("result", [1])
    assert judged(result("t1"), "third", corpus).failed == "not-in-result"


def test_a_result_too_long_to_read_cannot_be_told() -> None:
    corpus = Corpus(results=(ResultText("t1", ("word " * (MAX_TOKENS + 1),)),))
    assert judged(result("t1"), "srv", corpus).failed == "uncheckable"
    assert judged(result("t1"), "word", corpus).source == "result"


# --- turn ------------------------------------------------------------------------------------


def answered(value: Any, turn: int = 1, **fields: Any) -> Answer:
    return Answer("get_metrics", "window", value, turn, **fields)


def test_as098_an_answer_of_an_earlier_turn() -> None:
    found = judged(says("turn"), "24h", Corpus(2, answers=(answered("24h"),)))
    assert (found.source, found.earlier, found.matched) == ("answered", True, None)
    assert not judged(says("turn"), "24h", Corpus(1, answers=(answered("24h"),))).earlier


def test_as099_a_period_in_a_convertible_spelling_of_another_tool() -> None:
    other = Answer("other", "span", "24h", 1, period=True, spelling="lookback")
    found = judged(
        says("turn"), "-24h", Corpus(2, answers=(other,)), period=True, spelling="signed-lookback"
    )
    assert (found.source, found.matched, found.earlier) == ("answered", "spelling", True)
    assert judged(says("turn"), "-24h", Corpus(2, answers=(other,))).source == "model"


def test_as100_no_earlier_turn() -> None:
    assert judged(says("turn"), "24h", Corpus(1)).failed == "no-earlier-turn"


def test_as101_only_earlier_words_hold_it() -> None:
    corpus = Corpus(2, person=(PersonText("the last 24h", earlier=True),))
    found = judged(says("turn"), "24h", corpus)
    assert (found.source, found.earlier, found.coincides) == ("model", True, "person")
    assert (found.failed, found.is_traced) == (None, False)


def test_as102_only_the_model_said_it() -> None:
    corpus = Corpus(2, model=(ModelText("over 24h then"),))
    assert judged(says("turn"), "24h", corpus).failed == "only-in-model-answer"


def test_as103_nowhere() -> None:
    assert judged(says("turn"), "24h", Corpus(2)).failed == "not-in-earlier-turns"


def test_as104_an_answer_that_can_no_longer_be_read() -> None:
    corpus = Corpus(2, answers=(answered("[redacted:argument]", readable=False),))
    assert judged(says("turn"), "24h", corpus).failed == "uncheckable"


def test_the_answer_to_another_argument_is_none() -> None:
    corpus = Corpus(2, answers=(Answer("get_metrics", "host", "24h", 1),))
    assert judged(says("turn"), "24h", corpus).failed == "not-in-earlier-turns"


# --- app and the rest ------------------------------------------------------------------------


def test_as105_the_applications_own_text() -> None:
    found = judged(says("app"), "eu-west", Corpus(app=(AppText("Region: eu-west."),)))
    assert (found.source, found.app_source, found.is_traced) == ("app", None, True)


def test_as106_a_labelled_ground_comes_first() -> None:
    corpus = Corpus(app=(AppText("eu-west"), AppText("eu-west", "viewer-selection")))
    assert judged(says("app"), "eu-west", corpus).app_source == "viewer-selection"


def test_as107_nowhere_in_it() -> None:
    assert judged(says("app"), "eu-west", Corpus()).failed == "not-in-app-text"


def test_an_app_text_too_long_to_read_cannot_be_told() -> None:
    corpus = Corpus(app=(AppText("word " * (MAX_TOKENS + 1)),))
    assert judged(says("app"), "eu-west", corpus).failed == "uncheckable"


def test_as108_assumed_and_nowhere() -> None:
    found = judged(says("assumed"), "24h", Corpus())
    assert found == Verdict("model", "assumed")


def test_as109_nothing_declared_and_in_the_persons_words() -> None:
    found = judged(None, "24h", persons("the last 24h"))
    assert (found.source, found.claimed, found.coincides) == ("model", "none", "person")


def test_the_tools_slot_is_a_hint_and_no_source() -> None:
    tool = ToolText("get_metrics", {"properties": {"window": {"enum": ["24h", "7d"]}}})
    found = judged(None, "24h", Corpus(tools=(tool,)))
    assert (found.source, found.coincides) == ("model", "tools")
    assert found.carriers[0].how == "own choice"


@pytest.mark.parametrize("claim", [says("app"), result("t1")])
def test_as110_the_default_claimed_from_somewhere(claim: Claim) -> None:
    corpus = Corpus(app=(AppText("50 rows"),), results=(ResultText("t1", ("50",)),))
    found = judged(claim, 50, corpus, default=50)
    assert found == Verdict("default", claim.source)  # type: ignore[arg-type]


def test_as111_the_default_claimed_with_words_nobody_said() -> None:
    found = judged(user("show 50"), 50, persons("show all"), default=50)
    assert found == Verdict("default", "user", failed="quote-not-found")


def test_as112_the_default_that_the_person_said() -> None:
    found = judged(user("show 50"), 50, persons("show 50"), default=50)
    assert (found.source, found.matched) == ("said", "quote")


def test_the_default_read_into_words_is_the_default() -> None:
    assert judged(user("a few"), 50, persons("show a few"), default=50).source == "default"


def test_a_default_is_compared_by_kind() -> None:
    assert judged(None, "50", Corpus(), default=50).source == "model"
    assert judged(None, True, Corpus(), default=1).source == "model"
    assert judged(None, 50.0, Corpus(), default=50).source == "default"
    assert judged(None, "北京", Corpus(), default="北京").source == "default"


@pytest.mark.parametrize("value", [[1], {"a": 1}, None, float("nan")])
def test_as113_a_value_that_is_none(value: object) -> None:
    assert judged(says("app"), value, Corpus()) == Verdict("model", "app", failed="uncheckable")
    assert judged(None, value, Corpus()) == Verdict("model", "none")


TEXT = st.text(max_size=20)


@given(
    st.sampled_from(["user", "result", "turn", "app", "assumed"]),
    TEXT,
    st.one_of(TEXT, st.integers(), st.floats(), st.booleans(), st.none(), st.lists(TEXT)),
    st.lists(TEXT, max_size=3),
)
def test_a_verdict_of_anything_never_raises_and_never_traces_a_failure(
    source: str, word: str, value: Any, texts: list[str]
) -> None:
    corpus = Corpus(
        2,
        tuple(PersonText(t) for t in texts),
        tuple(ResultText(t, (t,)) for t in texts),
        tuple(ModelText(t) for t in texts),
        tuple(AppText(t, t) for t in texts),
        tuple(ToolText(t, {t: [t]}) for t in texts),
        tuple(answered(t) for t in texts),
    )
    claim = Claim("window", source, word if source == "user" else None, word)
    found = judged(claim, value, corpus, phrases=tuple(texts))
    assert found.claimed == source
    assert not (found.is_traced and found.failed)
