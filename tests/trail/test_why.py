"""From an answer to its cause: origins, echoes, copies, chance, ties, gaps, arguments."""

from __future__ import annotations

from typing import Any

import pytest

from otel_footprint.errors import TrailError
from otel_footprint.records.why import Finding, Hop
from otel_footprint.trail import Trail
from otel_footprint.trail.why.reckon import reckoned

from .builder import Turn, Writer, assistant, result, system, tool, user
from .conftest import read
from .pieces import Piece

RULES = system("You are the agent of a shop. Answer in one sentence.")
ASK = user("How long may I keep the kettle before I send it back?")
ANSWER = assistant("You can send the kettle back within 14 days of delivery.")
POLICY = "Members may send goods back within 14 days of delivery."
CHANCE = system("Shelf 14 of the warehouse holds spare lids.")
LOOK = ("c1", "read_policy", '{"page": "returns"}')


def fact(text: str, id_: str, **more: Any) -> Piece:
    return Piece({"role": "system", "content": text}, "fact", "system", id_, **more)


def one(writer: Writer, *calls: tuple[list[Piece], list[Piece], list[Piece]], **more: Any) -> Trail:
    """A turn of calls: system, messages, output."""
    turn = Turn(writer)
    for at, (rules, messages, output) in enumerate(calls):
        last = more if at == len(calls) - 1 else {}
        turn.call(rules, messages, [tool("read_policy", "Reads a page.")], output, **last)
        for piece in output:
            for each in piece.value.get("tool_calls", ()):
                turn.tool(
                    each["function"]["name"], each["id"], each["function"]["arguments"], "found"
                )
    turn.end()
    return read(writer.spans)


def only(trail: Trail, value: str = "14") -> Finding:
    (found,) = trail.why(value).findings
    return found


def test_the_piece_that_carries_a_value_is_named_with_the_span_it_stands_on(writer: Writer) -> None:
    trail = one(writer, ([RULES, system(POLICY)], [ASK], [ANSWER]))
    why = trail.why("14")
    (found,) = why.findings
    assert (found.word, found.in_answer, why.number, why.foreign) == ("named", True, 1, "")
    (suspect,) = found.suspects
    assert (suspect.place.slot, suspect.place.position, suspect.relation) == ("system", 1, "origin")
    assert suspect.hop.end == "app"
    assert "14 days" in suspect.quote
    span = next(s for s in trail.spans if s.span_id == suspect.hop.ground.span_id)
    assert span.name == "compose system"
    assert suspect.hop.ground.event in [e.name for e in span.events]


def test_a_common_number_that_stands_somewhere_by_chance_is_no_cause(writer: Writer) -> None:
    found = only(one(writer, ([RULES, CHANCE, system(POLICY)], [ASK], [ANSWER])))
    assert [s.place.position for s in found.suspects] == [2, 1]
    assert found.suspects[1].relation == "chance"
    found = only(one(Writer(2), ([RULES, CHANCE], [ASK], [ANSWER])))
    assert found.word == "chance"


def test_no_carrier_is_said_to_be_no_cause_on_the_trail(writer: Writer) -> None:
    near = system("Members may send goods back within fourteen days.")
    found = only(one(writer, ([RULES, near], [ASK], [ANSWER])))
    assert (found.word, found.suspects) == ("none", ())
    assert [(s.relation, s.hop.how) for s in found.near] == [("near", "in words")]


def test_an_echo_and_a_later_copy_stand_behind_their_origin(writer: Writer) -> None:
    first = assistant("I look it up.", LOOK)
    echo = assistant("The policy gives 14 days to send it back.", ("c2", "label", "{}"))
    one_ = [ASK, first, result("c1", POLICY)]
    two = [*one_, echo, result("c2", "Label: send back within 14 days.")]
    trail = one(
        writer, ([RULES], [ASK], [first]), ([RULES], one_, [echo]), ([RULES], two, [ANSWER])
    )
    found = only(trail)
    assert [s.relation for s in found.suspects] == ["origin", "copy", "echo"]
    hop = found.suspects[0].hop
    assert hop.place is not None
    assert hop.place.id == "c1"
    (back,) = hop.causes
    assert (back.kind, back.causes[0].kind, back.causes[0].value) == ("tool", "argument", "returns")
    assert back.causes[0].end == "model"


def test_the_walk_goes_through_arguments_to_a_persons_words(writer: Writer) -> None:
    ask = user("Where is order K-311?")
    first = assistant(None, ("c1", "find", '{"order": "K-311"}'))
    found = [ask, first, result("c1", "It lies in depot Norden.")]
    answer = assistant("It lies in depot Norden.")
    why = one(writer, ([RULES], [ask], [first]), ([RULES], found, [answer])).why("Norden")
    kinds = [(d, h.kind, h.end) for d, h in why.findings[0].suspects[0].hop.walk()]
    assert kinds == [(0, "piece", ""), (1, "tool", ""), (2, "argument", ""), (3, "piece", "person")]


def test_an_argument_that_the_model_chose_is_its_own_choice(writer: Writer) -> None:
    first = assistant("I open it.", ("c1", "open_return", '{"days": 14}'))
    one_ = [ASK, first, result("c1", "Return opened, 14 days to send it back.")]
    found = only(one(writer, ([RULES, CHANCE], [ASK], [first]), ([RULES, CHANCE], one_, [ANSWER])))
    assert (found.word, found.suspects[0].relation) == ("named", "model")
    assert found.suspects[0].hop.end == "model"
    assert found.suspects[0].place.slot == "messages"


def test_words_of_the_model_without_a_carrier_name_no_cause(writer: Writer) -> None:
    first = assistant("The policy gives 14 days to send it back.", LOOK)
    one_ = [ASK, first, result("c1", "Nothing found.")]
    found = only(one(writer, ([RULES], [ASK], [first]), ([RULES], one_, [ANSWER])))
    assert found.word == "none"
    assert [s.relation for s in found.suspects] == ["model"]


def test_what_the_model_said_leads_to_the_one_piece_in_front_of_it_that_held_it(
    writer: Writer,
) -> None:
    """Also where the two share no other word: a rare value is not there by chance."""
    listed = result("c1", "Price list 2019: adult 18.50")
    said = assistant("A ticket is 18.50 euro.", ("c2", "write_down", "{}"))
    asked = assistant(None, LOOK)
    later = [ASK, said, result("c2", "Done.")]
    answer = assistant("The ticket costs 18.50 euro.")
    trail = one(
        writer, ([RULES], [ASK], [asked]), ([RULES], [ASK, asked, listed], [said]),
        ([RULES], later, [answer]),
    )  # fmt: skip
    found = only(trail, "18.50")
    assert (found.word, found.suspects[0].relation) == ("named", "echo")
    (cause,) = found.suspects[0].hop.causes
    assert cause.quote == "Price list 2019: adult 18.50"


def test_a_common_figure_that_was_there_is_not_denied(writer: Writer) -> None:
    said = assistant("The policy gives 14 days to send it back.", LOOK)
    later = [ASK, said, result("c1", "Nothing found.")]
    trail = one(writer, ([CHANCE], [ASK], [said]), ([RULES], later, [ANSWER]))
    found = only(trail)
    assert found.suspects[0].relation == "model"
    assert found.word == "chance"
    assert "and nothing that stood in front of it" not in found.what


def test_two_pieces_that_nothing_tells_apart_are_a_tie(writer: Writer) -> None:
    pieces = [RULES, fact(POLICY, "a"), fact(POLICY + " ", "b")]
    found = only(one(writer, (pieces, [ASK], [ANSWER])))
    assert (found.word, [s.rank for s in found.suspects]) == ("tie", [1, 1])


def test_a_piece_that_had_left_is_found_behind_the_models_echo(writer: Writer) -> None:
    note = user(POLICY)
    echo = assistant("I note: 14 days to send goods back.", LOOK)
    later = [ASK, echo, result("c1", "Nothing.")]
    trail = one(writer, ([RULES], [note, ASK], [echo]), ([RULES], later, [ANSWER]))
    found = only(trail)
    assert (found.suspects[0].in_front, found.suspects[0].place.source) == (False, "user")
    assert "not in front of the model any more" in " ".join(found.suspects[0].reasons)


def test_an_injected_piece_shows_what_let_it_in(writer: Writer) -> None:
    event = {
        "footprint.injection.id": "window",
        "footprint.injection.source": "fact",
        "footprint.injection.trigger": "tool return: look",
        "footprint.injection.reason": "The shop's terms.",
        "footprint.injection.score": 0.7,
    }
    trail = one(
        writer, ([RULES, fact(POLICY, "window")], [ASK], [ANSWER]),
        events=[("footprint.context.injected", event)],
    )  # fmt: skip
    (cause,) = only(trail).suspects[0].hop.causes
    assert (cause.kind, cause.end, cause.quote) == ("injection", "app", "The shop's terms.")
    assert "trigger: tool return: look, score 0.7" in cause.what
    assert cause.ground.event == "footprint.context.injected"


def test_without_a_value_the_answers_own_are_taken_one_by_one(writer: Writer) -> None:
    answer = assistant(
        "1. Odile Varga said \u201cno later\u201d: send K-311 by May 20, 2024 for 1,200.00 euro."
    )
    why = one(writer, ([RULES], [ASK], [answer])).why()
    assert [(f.value, f.kind) for f in why.findings] == [
        ("Odile Varga", "name"),
        ("no later", "quote"),
        ("K-311", "name"),
        ("May 20, 2024", "date"),
        ("1,200.00", "figure"),
    ]


def test_a_time_is_one_value_and_no_sum(writer: Writer) -> None:
    page = system("The ferry leaves at 07:40 and costs 212.50 euro. The desk is open 24/7.")
    answer = assistant("It leaves at 07:40: be there 17 minutes before. The desk is open 24/7.")
    why = one(writer, ([RULES, page], [ASK], [answer])).why()
    assert [(f.value, f.kind, f.word) for f in why.findings] == [
        ("07:40", "figure", "named"),
        ("17", "figure", "none"),
        ("24/7", "figure", "named"),
    ]
    assert "other figures" not in why.findings[1].what


def test_a_sentence_is_looked_at_in_parts_when_nothing_carries_it_whole(writer: Writer) -> None:
    trail = one(writer, ([RULES, system(POLICY)], [ASK], [ANSWER]))
    whole, part = trail.why("send the kettle back within 14 days of delivery").findings
    assert (whole.word, whole.in_answer) == ("none", True)
    assert whole.near[0].place.slot == "system"
    assert (part.value, part.word) == ("14", "named")


def test_texts_that_are_not_on_the_trail_leave_it_open() -> None:
    writer = Writer(content="none")
    why = one(writer, ([RULES], [ASK], [ANSWER])).why("14")
    assert (why.answer, why.findings[0].word) == (None, "unread")
    assert why.gaps


def test_a_call_that_is_not_there_is_refused(writer: Writer) -> None:
    trail = one(writer, ([RULES], [ASK], [ANSWER]))
    with pytest.raises(TrailError, match="no call 9"):
        trail.why("14", call=9)
    with pytest.raises(TrailError, match="no model call"):
        Trail([]).why()


def test_it_becomes_json(writer: Writer) -> None:
    made = one(writer, ([RULES, system(POLICY)], [ASK], [ANSWER])).why("14").to_json()
    hop = made["findings"][0]["suspects"][0]["hop"]
    assert hop["ground"]["event"] == "footprint.slot.composed"
    assert hop["place"]["slot"] == "system"


def recorded(writer: Writer, verdict: str, **more: str) -> Hop:
    """The hop of an argument whose source was recorded."""
    ask = user("Where is order K-311?")
    first = assistant(None, ("c1", "find", '{"order": "K-311"}'))
    turn = Turn(writer)
    turn.call([RULES], [ask], [], [first])
    span_id = turn.tool("find", "c1", '{"order": "K-311"}', "x")
    event = {
        "footprint.argument.name": "order",
        "footprint.argument.verdict": verdict,
        **{f"footprint.argument.{k}": v for k, v in more.items()},
    }
    span = next(s for s in writer.spans if s["spanId"] == span_id)
    span["events"] = [
        {
            "timeUnixNano": "1",
            "name": "footprint.argument.source",
            "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in event.items()],
        }
    ]
    turn.call([RULES], [ask, first, result("c1", "In depot Norden.")], [], [assistant("Norden.")])
    turn.end()
    why = read(writer.spans).why("Norden")
    return why.findings[0].suspects[0].hop.causes[0].causes[0]


def test_the_record_of_an_arguments_source_goes_before_a_search(writer: Writer) -> None:
    hop = recorded(writer, "model", claimed="user", failed="quote-not-found")
    assert (hop.end, hop.causes, hop.ground.event) == ("model", (), "footprint.argument.source")
    assert "the declaration did not hold: quote-not-found" in hop.what
    hop = recorded(Writer(3), "said", claimed="user")
    assert hop.causes[0].end == "person"


@pytest.mark.parametrize(
    ("value", "answer", "said"),
    [
        ("19.35", "129.00 less a fee of 19.35 (15 %) plus 4.90", "15 % of 129.00"),
        ("114.55", "114.55: 129.00 less 19.35 (15 %), plus 4.90", "129.00 less 19.35 plus 4.90"),
        ("1,200", "3 nights at 400 make 1,200", "3 times 400"),
        ("77", "129.00 and 4.90", ""),
        ("Odile", "129.00 and 4.90", ""),
    ],
)
def test_a_figure_that_other_figures_give_is_said_to_be_reckoned(
    value: str, answer: str, said: str
) -> None:
    assert reckoned(value, answer) == said


def test_a_bare_echo_is_still_an_echo(writer: Writer) -> None:
    """Words of the model that share nothing but the value with the carrier before them."""
    ask = user("What is the fare to Oslo?")
    first = assistant(None, ("c1", "fare", '{"to": "Oslo"}'))
    bare = assistant("It is 412.50.")
    one_ = [ask, first, result("c1", "fare to Oslo 412.5")]
    trail = one(
        writer, ([RULES], [ask], [first]), ([RULES], one_, [bare]),
        ([RULES], [*one_, bare, user("And in all?")], [assistant("To Oslo: 412.50 in all.")]),
    )  # fmt: skip
    assert [s.relation for s in only(trail, "412.50").suspects] == ["origin", "echo"]


@pytest.mark.parametrize("ids", [("", ""), ("c1", "c2")])
def test_a_result_without_an_id_leads_to_the_call_of_its_tool(
    writer: Writer, ids: tuple[str, str]
) -> None:
    """Gemini and Ollama may give calls no ids; results stand in the order of their calls."""
    pages = ('{"page": "lids"}', '{"page": "kettles"}')
    calls = [(id_, "read_policy", page) for id_, page in zip(ids, pages, strict=True)]
    asked = assistant(None, *calls)
    lids, kettles = (
        Piece(
            {"role": "tool", "name": "read_policy", "content": said},
            "tool-result", "tool", "read_policy",
        )
        for said in ("Lids are not taken back.", POLICY)
    )  # fmt: skip
    trail = one(
        writer,
        ([RULES], [ASK], [asked]),
        ([RULES], [ASK, asked, lids, kettles], [ANSWER]),
    )
    (suspect, *_) = only(trail).suspects
    assert suspect.place.position == 3
    assert suspect.hop.what.startswith("the result of tool read_policy")
    assert "kettles" in str(suspect.hop.causes)
    assert "lids" not in str(suspect.hop.causes)
