"""Corpus, hints, rows, standing, sentences: what is put in and what comes out."""

from __future__ import annotations

import random
from typing import Any

import pytest

from otel_footprint.arguments import (
    Passage,
    Prepared,
    build_corpus,
    call_hints,
    plant,
    standing,
)
from otel_footprint.arguments.corpus import own_text
from otel_footprint.arguments.rows import Place, clip_quote, row_of
from otel_footprint.records.arguments import (
    CONTENT_FIELDS,
    AppText,
    ArgumentRow,
    Claim,
    Corpus,
    PersonText,
    Ref,
    ResultText,
    ToolText,
    Verdict,
)
from otel_footprint.records.frames import ARGUMENT_CHECK, STEPS_UNRUN, frame_of, framed
from otel_footprint.records.sentence import SENTENCES
from otel_footprint.telemetry.names import ARGUMENT_FIELDS, CATALOG
from otel_footprint.text.tokens import MAX_TOKENS

from ..injection.law import broken

# --- corpus ----------------------------------------------------------------------------------


def test_pieces_go_where_their_source_says() -> None:
    corpus = build_corpus(
        [
            Passage("system", "base", "be brief", "k1"),
            Passage("system", "fact", "region eu", "k2", id="region"),
            Passage("messages", "rag", "doc text", "k3", id="doc-7"),
            Passage("messages", "user", "hi", "k4", earlier=True),
            Passage("messages", "assistant", "hello", "k5"),
            Passage("messages", "tool-result", "42", "k6", id="t1", tool="calc"),
            Passage("tools", "registry", key="k7", id="calc", definition={"name": "calc"}),
        ],
        turn=3,
        grounds=[AppText("row 9", "viewer-selection")],
    )
    assert corpus.turn == 3
    assert corpus.person == (PersonText("hi", True, False, "k4"),)
    assert corpus.results == (ResultText("t1", ("42",), "calc", key="k6"),)
    assert [m.text for m in corpus.model] == ["hello"]
    assert [(a.text, a.label) for a in corpus.app] == [
        ("be brief", ""),
        ("region eu", ""),
        ("doc text", "doc-7"),
        ("row 9", "viewer-selection"),
    ]
    assert corpus.tools == (ToolText("calc", {"name": "calc"}, "k7"),)


def test_as130_a_framed_message_is_nobodys_word() -> None:
    nudge = framed(STEPS_UNRUN, "step 2 of s1 was unrun")
    corpus = build_corpus(
        [
            Passage("messages", "user", nudge),
            Passage("messages", "user", "not a person", person=False),
        ]
    )
    assert corpus.person == ()


def test_as131_what_the_library_wrote_is_not_the_applications() -> None:
    corpus = build_corpus(
        [
            Passage("system", "instruction", "ours 17", ours=True),
            Passage("system", "instruction", "theirs 18"),
        ]
    )
    assert [a.text for a in corpus.app] == ["theirs 18"]


def test_as123_as124_a_note_behind_a_result_is_cut_off() -> None:
    note = "[step 1 of 2 was done; srv-9]"
    piece = Passage("messages", "tool-result", '{"n":41,"ok":true}\n' + note, id="t1")
    corpus = build_corpus([piece], notes=[note])
    assert corpus.results[0].texts == ('{"n":41,"ok":true}',)
    prepared = Prepared(corpus)
    rows = call_hints("t", "c", {"a": 41, "b": True, "c": "srv-9"}, prepared).rows
    assert [row.verdict for row in rows] == ["hint", "hint", "nowhere"]
    assert own_text("result\nn1\nn2", ["n1", "n2"]) == "result"


def test_as125_a_result_may_come_in_blocks_or_without_bytes() -> None:
    corpus = build_corpus(
        [
            Passage("messages", "tool-result", id="t1", blocks=("a", "b")),
            Passage("messages", "tool-result", id="t2", unread=True),
        ]
    )
    assert [r.texts for r in corpus.results] == [("a", "b"), None]


def test_as129_a_composed_request_leaves_earlier_words_a_persons() -> None:
    corpus = build_corpus(
        [
            Passage("messages", "user", "before", earlier=True),
            Passage("messages", "user", "now"),
        ],
        composed=True,
    )
    assert [(p.text, p.composed) for p in corpus.person] == [("before", False), ("now", True)]


# --- hints -----------------------------------------------------------------------------------

AIRLINE = {
    "type": "function",
    "function": {
        "name": "book",
        "description": "Books a flight, such as from SFO.",
        "parameters": {
            "type": "object",
            "properties": {
                "cabin": {"type": "string", "enum": ["economy", "business"]},
                "flights": {"type": "array", "items": {"properties": {"kind": {"const": "x1"}}}},
            },
            "required": ["cabin"],
        },
    },
}


def hint(value: Any, corpus: Corpus, argument: str = "a", tool: str = "book") -> ArgumentRow:
    (row,) = call_hints(tool, "c1", {argument: value}, Prepared(corpus)).rows
    return row


@pytest.mark.parametrize(
    ("value", "argument", "how"),
    [
        ("economy", "cabin", "own choice"),
        ("economy", "other", "choice"),
        ("cabin", "other", "name"),
        ("book", "other", "name"),
        ("SFO", "cabin", "prose"),
        ("object", "cabin", None),
        ("required", "cabin", None),
    ],
)
def test_the_tools_slot_carries_its_words_and_not_its_grammar(
    value: str, argument: str, how: str | None
) -> None:
    row = hint(value, Corpus(tools=(ToolText("book", AIRLINE),)), argument)
    assert [ref.how for ref in row.carriers] == ([how] if how else [])
    assert row.verdict == ("hint" if how else "nowhere")
    assert row.coincides == ("tools" if how else None)


def test_a_nested_choice_is_its_arguments_own() -> None:
    prepared = Prepared(Corpus(tools=(ToolText("book", AIRLINE),)))
    (row,) = call_hints("book", "c1", {"flights": [{"kind": "x1"}]}, prepared).rows
    assert (row.argument, row.carriers[0].how) == ("flights[0].kind", "own choice")


def test_the_reserved_argument_is_no_word_of_the_author() -> None:
    served = plant({"type": "object", "properties": {"a": {"type": "string"}}}).schema
    tools = (ToolText("t", {"name": "t", "parameters": served}),)
    assert hint("assumed", Corpus(tools=tools)).verdict == "nowhere"
    assert hint("a", Corpus(tools=tools), "b").verdict == "hint"


def test_a_definition_with_a_cycle_or_without_sense_has_words_all_the_same() -> None:
    loop: dict[str, Any] = {"enum": ["x-1"], "properties": 5, "description": {"title": "y-2"}}
    loop["items"] = loop["more"] = loop
    tools = (ToolText("t", loop), ToolText("u", None), ToolText("v", {"enum": None, 5: [1]}))
    assert hint("x-1", Corpus(tools=tools)).verdict == "hint"


def test_a_value_too_long_to_be_looked_for_cannot_be_told() -> None:
    assert hint("word " * 10_001, Corpus()).verdict == "uncheckable"
    assert hint("word " * 10_000, Corpus()).verdict == "nowhere"


def test_a_long_name_is_cut() -> None:
    assert len(hint("v", Corpus(), "n" * 1000).argument) == 200


def test_kinds_come_in_order_and_exact_before_near() -> None:
    corpus = Corpus(
        person=(PersonText("May 20", key="p"),),
        results=(ResultText("t1", ("2024-05-20",), key="r"),),
        app=(AppText("2024-05-20", key="a"),),
    )
    row = hint("2024-05-20", corpus)
    assert row.coincides == "result"
    assert [(ref.kind, ref.how) for ref in row.carriers] == [
        ("result", "verbatim"),
        ("person", "near"),
        ("app", "verbatim"),
    ]
    assert row.produced_by == ("t1",)
    assert hint("2024-05-20", Corpus(person=corpus.person)).coincides == "person"


def test_the_models_own_words_are_no_hint() -> None:
    corpus = build_corpus([Passage("messages", "assistant", "use srv-1")])
    assert hint("srv-1", corpus).verdict == "nowhere"


def test_composed_words_are_no_hint() -> None:
    assert hint("srv-1", Corpus(person=(PersonText("srv-1", composed=True),))).verdict == "nowhere"


def test_what_cannot_be_told_is_not_nowhere() -> None:
    long = Corpus(results=(ResultText("t1", ("word " * (MAX_TOKENS + 1),)),))
    assert hint("srv-1", long).verdict == "uncheckable"
    assert hint("——", Corpus()).verdict == "uncheckable"


def test_many_carriers_are_counted() -> None:
    corpus = Corpus(results=tuple(ResultText(f"t{i}", ("srv-1",), key=str(i)) for i in range(40)))
    row = hint("srv-1", corpus)
    assert (len(row.carriers), row.more_carriers) == (16, 24)


# --- rows ------------------------------------------------------------------------------------


def test_every_field_of_a_row_has_a_name_in_the_catalogue() -> None:
    row = ArgumentRow(
        "t", "c", "a", "said", "user", "quote", True, True, "t1", "noise", "listed", "l",
        "person", "uncheckable", "ask", True, "missing", 2, 5, True,
        (Ref("person", 0, key="k"),), 3, 2, "v", "p", "q",
    )  # fmt: skip
    assert set(row.fields(content=True)) == set(ARGUMENT_FIELDS)
    assert all(name in CATALOG for name in ARGUMENT_FIELDS.values())
    assert len(set(ARGUMENT_FIELDS.values())) == len(ARGUMENT_FIELDS)


def test_neither_value_nor_quote_is_written_without_content() -> None:
    place = Place("t", "c", "a")
    claim = Claim("a", "user", quote="my secret words")
    row = row_of(place, Verdict("model", "user"), "s3cret", claim, proposed="pr0posed")
    fields = row.fields()
    assert not CONTENT_FIELDS & set(fields)
    assert "s3cret" not in repr(fields)
    assert "words" not in repr(fields)
    assert fields["size"] == 6
    assert row.fields(content=True)["value"] == "s3cret"


def test_absent_fields_are_left_out_and_a_size_of_zero_is_not() -> None:
    row = row_of(Place("t", "c", "a"), Verdict("model"), "")
    assert row.fields() == {
        "tool": "t", "call_id": "c", "argument": "a", "verdict": "model", "claimed": "none",
        "size": 0, "common": True, "turn": 1,
    }  # fmt: skip


def test_values_and_quotes_are_cut_and_say_so() -> None:
    row = row_of(Place("t", "c", "a"), Verdict("model"), "x" * 200)
    assert row.value is not None
    assert (len(row.value), row.value[-1], row.size) == (80, "…", 200)
    assert clip_quote("y" * 250).endswith("… [10 more chars]")
    assert clip_quote("short") == "short"


@pytest.mark.parametrize("value", [[1, {"a": object()}], object(), b"x", "10**5000"])
def test_any_value_has_a_row(value: Any) -> None:
    value = 10**5000 if value == "10**5000" else value
    assert row_of(Place("t", "c", "a"), Verdict("model"), value).verdict == "model"


# --- standing --------------------------------------------------------------------------------


def row(**fields: Any) -> ArgumentRow:
    name = fields.pop("argument", "a")
    return ArgumentRow("t", "c1", name, **fields)


@pytest.mark.parametrize(
    ("rows", "known", "word", "reasons"),
    [
        ([], False, "not-assessed", []),
        ([], True, "known", []),
        ([row(verdict="hint", coincides="result")], False, "not-assessed", []),
        ([row(verdict="model")], False, "not-assessed", []),
        ([row(verdict="said", claimed="user")], False, "consistent", []),
        ([row(verdict="said", claimed="user")], True, "known", []),
        ([row(asked="missing")], True, "ask", ["argument-asked"]),
        ([row(verdict="default")], True, "not-sure", ["argument-assumed"]),
        ([row(verdict="model", claimed="assumed")], False, "not-sure", ["argument-assumed"]),
        (
            [row(verdict="model", claimed="result", failed="not-in-result")],
            False,
            "not-sure",
            ["argument-unverified"],
        ),
        ([row(verdict="model", claimed="turn")], False, "not-sure", ["argument-unverified"]),
        ([row(verdict="model", rule="assume")], False, "not-sure", ["argument-unverified"]),
        ([row(verdict="said", claimed="user", reading=True)], False, "not-sure", ["argument-read"]),
        (
            [row(verdict="result", claimed="result", set_aside="open")],
            False,
            "not-sure",
            ["value-contingent"],
        ),
        (
            [row(asked="unverified"), row(argument="b", verdict="default")],
            False,
            "ask",
            ["argument-asked", "argument-assumed"],
        ),
    ],
)
def test_standing(rows: list[ArgumentRow], known: bool, word: str, reasons: list[str]) -> None:
    found = standing(rows, known)
    assert found.word == word
    assert [reason.split()[0] for reason in found.reasons] == reasons


def test_a_traced_source_never_gives_known() -> None:
    traced = [row(verdict=v, claimed="user") for v in ("said", "answered", "result", "app")]
    assert standing(traced).word == "consistent"


def test_a_later_row_replaces_an_earlier_one() -> None:
    found = standing([row(asked="unverified"), row(verdict="answered")])
    assert (found.word, found.assessed, found.of) == ("consistent", 1, 1)


def test_at_most_twelve_reasons_and_assumed_ones_are_never_cut() -> None:
    rows = [row(argument=f"u{i}", verdict="model", failed="uncheckable") for i in range(20)]
    rows += [row(argument=f"d{i}", verdict="default") for i in range(3)]
    random.Random(1).shuffle(rows)
    reasons = standing(rows).reasons
    assert len(reasons) == 12
    assert sum(r.startswith("argument-assumed") for r in reasons) == 3


# --- sentences -------------------------------------------------------------------------------


def test_every_sentence_is_registered_and_renders() -> None:
    ours = {n: s for n, s in SENTENCES.items() if n.startswith("arguments.")}
    assert len(ours) == 6
    for sentence in ours.values():
        assert all(text.strip() for text in sentence.samples())
        lasting = sentence.surface == "tool-result"
        assert sentence.lifetime == ("lasting" if lasting else "fleeting")


def test_lasting_notes_keep_the_law_and_name_their_call() -> None:
    for name, sentence in SENTENCES.items():
        if name.startswith("arguments.") and sentence.lifetime == "lasting":
            for text in sentence.samples():
                assert broken(sentence, text) == {}
                assert "call c1 of t1" in text
                assert frame_of(text) == ARGUMENT_CHECK
