"""What is declared wrongly is refused where it is declared; the rest becomes a frozen piece."""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from types import SimpleNamespace
from uuid import UUID

import pytest

import otel_footprint.injection as inj
from otel_footprint.errors import DeclarationError
from otel_footprint.injection.pieces import Injection, ToolSpec
from otel_footprint.injection.procedures.declaration import StepError
from otel_footprint.records.credit import credit_of

DEFINITION = {"name": "look", "description": "Looks.", "input_schema": {"type": "object"}}


def refused(*words: str):
    return pytest.raises(DeclarationError, match=".*".join(words))


def test_a_fact_and_steering_are_always_in_and_always_cacheable():
    for piece in (inj.fact("f", "A."), inj.steering("s", "B.")):
        assert (piece.trigger.name, piece.cache) == ("always", "always")
        assert piece.cause[:4] == (piece.source, piece.id, f"{piece.source} {piece.id} active",
                                   "always")  # fmt: skip


def test_a_description_is_the_reason_on_the_record():
    assert inj.fact("f", "A.", description="for refunds").cause.reason == "for refunds"


def test_a_piece_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        inj.fact("f", "A.").id = "g"


@pytest.mark.parametrize("id_", [7, UUID(int=7)])
def test_what_is_retrieved_has_the_id_and_the_score_that_a_database_gives(id_):
    for make in (inj.memory, inj.rag):
        piece = make(id_, "A.", score=Decimal("0.5"), slot="messages", role="user")
        assert (piece.id, piece.cause.id, piece.cause.score) == (str(id_), str(id_), 0.5)
    for odd in (Decimal("NaN"), Decimal("Infinity")):
        with refused("score"):
            inj.memory("m", "A.", score=odd)
    assert credit_of(inj.credit("A.", source="rag", id=id_)).cause.id == str(id_)


@pytest.mark.parametrize("id_", ["", " ", "\ufeff\u00a0", None, 3.5])
def test_a_blank_id_is_refused(id_):
    for make in (inj.fact, inj.steering, inj.instruction, inj.memory, inj.rag):
        with refused("id"):
            make(id_, "A.")
    with refused("id"):
        inj.injection(id_, system="A.")
    with refused("id"):
        inj.skill(id_, "d", "b")


@pytest.mark.parametrize("text", ["", None, 3, b"A"])
def test_a_text_that_is_none_is_refused(text):
    for make in (inj.fact, inj.steering, inj.memory, inj.rag):
        with refused("text"):
            make("x", text)


def test_white_space_is_a_text():
    assert inj.instruction("x", " \n").system == " \n"


class TestInstruction:
    @pytest.mark.parametrize("text", ["A.", ""])
    def test_text_and_template_together_are_refused(self, text):
        with refused("text", "not both"):
            inj.instruction("x", text, template="{{action}}")

    @pytest.mark.parametrize("template", [None, ""])
    def test_neither_is_refused_naming_both_doors_and_the_words(self, template):
        with refused("text=", "template=", "{{action}}", "{{contextRemaining}}"):
            inj.instruction("x", template=template)

    def test_a_template_is_marked_never_cached_and_keeps_its_raw_text(self):
        piece = inj.instruction("x", template="Action {{action}}.")
        assert piece.template is not None
        assert (piece.system, piece.cache) == ("Action {{action}}.", "never")

    def test_an_unknown_word_is_refused(self):
        with refused("template", "{{Action}}", "{{actionBudget}}"):
            inj.instruction("x", template="{{Action}}")

    def test_a_template_in_the_messages_is_refused_with_the_reason(self):
        with refused("slot", "delivered once"):
            inj.instruction("x", template="{{action}}", slot="messages", role="user")

    @pytest.mark.parametrize("cache", ["always", "while-active", inj.until(bool)])
    def test_a_template_that_is_to_be_cached_is_refused_with_the_reason(self, cache):
        with refused("cache", "bytes that stay the same"):
            inj.instruction("x", template="{{action}}", cache=cache)

    def test_a_template_without_placeholders_is_an_ordinary_text(self):
        piece = inj.instruction("x", template="Plain.", cache="always")
        assert piece.template is None
        piece = inj.instruction("x", template="Plain.", slot="messages", role="assistant")
        assert [m[:2] for m in piece.messages] == [("assistant", "Plain.")]

    def test_a_message_has_no_default_role_and_is_never_a_result(self):
        with refused("role", "no default"):
            inj.instruction("x", "A.", slot="messages")
        with refused("role"):
            inj.instruction("x", "A.", slot="messages", role="tool")
        with refused("role"):
            inj.instruction("x", "A.", role="user")

    def test_an_unknown_slot_is_refused(self):
        with refused("slot", "'system' or 'messages'"):
            inj.instruction("x", "A.", slot="system-prompt")

    def test_an_unknown_cache_policy_is_refused(self):
        with refused("cache", "'while-active'"):
            inj.instruction("x", "A.", cache="sometimes")

    @pytest.mark.parametrize("when", [3, "always", Injection, True])
    def test_a_trigger_that_is_none_is_refused(self, when):
        with refused("when", "callable"):
            inj.instruction("x", "A.", when=when)


class TestInjection:
    def test_any_slots_may_come_together(self):
        piece = inj.injection(
            "x",
            system="S.",
            messages=[("user", "U."), {"role": "assistant", "content": "A."}],
            tools=["mine", DEFINITION],
        )
        assert [m[:2] for m in piece.messages] == [("user", "U."), ("assistant", "A.")]
        assert [tool.name for tool in piece.tools] == ["look"]
        assert piece.claims == ("mine",)

    def test_no_messages_are_no_declaration(self):
        assert inj.injection("x", system="S.", messages=[]).messages == ()

    @pytest.mark.parametrize("source", ["user", "skill", "", None])
    def test_an_unknown_source_is_refused(self, source):
        with refused("source"):
            inj.injection("x", source=source, system="S.")

    def test_nothing_at_all_is_refused(self):
        with refused("injection 'x'"):
            inj.injection("x")

    @pytest.mark.parametrize(
        "messages", ["user", {"role": "user"}, [("tool", "x")], [("user", None)], ["user"], 3]
    )
    def test_messages_that_are_none_are_refused(self, messages):
        with refused("injection 'x'"):
            inj.injection("x", system="S.", messages=messages)


class TestRetrieved:
    def test_scores_stand_on_the_record_as_they_are(self):
        cause = inj.rag("x", "A.", score=0.25, rank=2, threshold=0.2).cause
        assert (cause.source, cause.score, cause.rank, cause.threshold) == ("rag", 0.25, 2, 0.2)
        assert inj.memory("x", "A.").cause.score is None

    @pytest.mark.parametrize("score", ["high", True, float("nan"), float("inf"), [1]])
    def test_a_score_that_is_no_finite_number_is_refused(self, score):
        with refused("score"):
            inj.memory("x", "A.", score=score)

    @pytest.mark.parametrize("rank", [-1, 1.0, True, "1"])
    def test_a_rank_that_is_none_is_refused(self, rank):
        with refused("rank"):
            inj.rag("x", "A.", rank=rank)


class TestSkill:
    def test_it_is_activated_by_the_model(self):
        piece = inj.skill("s", "Does s.", "Do s.")
        assert piece.is_listed
        assert (piece.trigger.name, piece.cache) == ("read_skill", "while-active")

    def test_with_a_rule_it_is_not_listed(self):
        assert not inj.skill("s", "d", "b", when=lambda ctx: True).is_listed

    @pytest.mark.parametrize(
        ("name", "value"), [("description", " "), ("body", ""), ("body", None)]
    )
    def test_a_blank_text_is_refused(self, name, value):
        with refused(name):
            inj.skill("s", **{"description": "d", "body": "b", name: value})

    def test_tools_are_claimed_by_name_or_function_and_brought_as_definition_or_object(self):
        def mine() -> None: ...

        held = SimpleNamespace(name="held", description="Held.")
        openai = {"type": "function", "function": {"name": "o", "parameters": {"type": "object"}}}
        spec = ToolSpec("spec", "", {"type": "object"}, None)
        piece = inj.skill("s", "d", "b", tools=["named", mine, held, openai, spec])
        assert piece.claims == ("named", "mine")
        assert [(t.name, t.schema is not None) for t in piece.tools] == [
            ("held", False), ("o", True), ("spec", True),
        ]  # fmt: skip
        assert piece.tools[0].raw is held

    @pytest.mark.parametrize(
        "tools",
        ["look", {"name": "x"}, 3, [None], [3], [{}], ["a", "a"], ["a", {"name": "a"}], [""]],
    )
    def test_tools_that_are_none_are_refused(self, tools):
        with refused("tools"):
            inj.skill("s", "d", "b", tools=tools)

    @pytest.mark.parametrize("name", inj.LIBRARY_TOOLS)
    def test_the_librarys_names_are_reserved(self, name):
        with refused("tools", name):
            inj.skill("s", "d", "b", tools=[name])

    def test_a_procedure_needs_a_tenure_that_lasts(self):
        with refused("when", "tenure"):
            inj.skill("s", "d", "b", tools=["a"], steps=[inj.Step("a", "n")], when=lambda c: True)
        with refused("not both"):
            inj.skill("s", "d", "b", when=lambda c: True, auto_activate=lambda c: True)

    def test_a_body_that_nobody_would_read_is_refused(self):
        for surface in ("tool", "both"):
            with refused("surface"):
                inj.skill("s", "d", "b", surface=surface, when=lambda c: True)
        with refused("surface"):
            inj.skill("s", "d", "b", surface="tool", auto_activate=lambda c: True)
        with refused("surface", "'auto'"):
            inj.skill("s", "d", "b", surface="nowhere")


class TestSteps:
    """Rows SS01 to SS18."""

    @staticmethod
    def make(steps, on_skip=None, tools=("find", "check")):
        return inj.skill("s", "d", "b", tools=tools, steps=steps, on_skip=on_skip)

    @pytest.mark.parametrize(
        ("steps", "on_skip", "tools", "kind", "step"),
        [
            (None, "advance", ["find"], "on_skip_without_steps", None),
            (None, "", ["find"], "on_skip_without_steps", None),
            ([], "later", ["find"], "empty_steps", None),
            ([], None, [], "empty_steps", None),
            ([None], "later", [], "unknown_on_skip", None),
            ([None], 1, ["find"], "unknown_on_skip", None),
            ([None], None, [], "skill_without_tools", None),
            ([None], None, ["find"], "step_without_tool", 1),
            (["find"], None, ["find"], "step_without_tool", 1),
            ([{"tool": 5, "note": "n"}], None, ["find"], "step_without_tool", 1),
            ([{"tool": " \ufeff", "note": "n"}], None, ["find"], "step_without_tool", 1),
            ([{"tool": "find"}], None, ["find"], "step_without_note", 1),
            ([{"tool": "find", "note": "\u00a0"}], None, ["find"], "step_without_note", 1),
            ([{"tool": "other", "note": ""}], None, ["find"], "step_without_note", 1),
            ([inj.Step("find", "n"), inj.Step("other", "n")], None, ["find"], "unknown_tool", 2),
            ([{"tool": " find", "note": "n"}], None, ["find"], "unknown_tool", 1),
            ([{"produces": [], "consumes": ""}], None, ["find"], "vocabulary", 1),
            ([{"tool": "find", "note": "n", "consumes": ["a", "a"]}], None, ["find"],
             "vocabulary", 1),
            ([{"tool": "find", "note": "n", "produces": ["a", " "]}], None, ["find"],
             "vocabulary", 1),
            ("find", None, ["find"], "steps_not_a_list", None),
            ({"tool": "find"}, None, ["find"], "steps_not_a_list", None),
        ],
    )  # fmt: skip
    def test_the_first_wrong_thing_is_refused(self, steps, on_skip, tools, kind, step):
        with pytest.raises(StepError) as caught:
            self.make(steps, on_skip, tools)
        assert (caught.value.kind, caught.value.step) == (kind, step)
        assert "skill 's'" in str(caught.value)

    def test_produces_is_judged_before_consumes(self):
        with pytest.raises(StepError, match="produces"):
            self.make([{"tool": "find", "note": "n", "produces": [], "consumes": []}])

    def test_a_refusal_names_the_value_and_the_words_allowed(self):
        with pytest.raises(StepError, match=r"'later'.*'advance' or 'hold'"):
            self.make([inj.Step("find", "n")], "later")

    def test_the_same_tool_may_stand_in_several_steps(self):
        plan = self.make([inj.Step("find", "a"), inj.Step("check", "b"), inj.Step("find", "c")])
        assert plan.skill.plan.tools == ("find", "check")
        assert plan.skill.plan.on_skip == "advance"

    def test_without_steps_there_is_no_plan(self):
        assert self.make(None).skill.plan is None


class TestDeclare:
    def test_an_id_is_given_once(self):
        with refused("id", "'f'"):
            inj.declare([inj.fact("f", "A."), inj.rag("f", "B.")])

    def test_what_is_no_piece_is_refused(self):
        with refused("context"):
            inj.declare(["be nice"])

    def test_one_name_for_two_tools_is_refused_and_one_tool_in_two_hands_is_not(self):
        other = dict(DEFINITION)
        with refused("tools", "'look'", "same tool"):
            inj.declare([
                inj.skill("a", "d", "b", tools=[DEFINITION]),
                inj.skill("b", "d", "b", tools=[other]),
            ])  # fmt: skip
        with refused("tools", "'look'"):
            inj.declare([
                inj.skill("a", "d", "b", tools=[DEFINITION]),
                inj.skill("b", "d", "b", tools=["look"]),
            ])  # fmt: skip
        inj.declare([
            inj.skill("a", "d", "b", tools=[DEFINITION, "own"]),
            inj.skill("b", "d", "b", tools=[DEFINITION, "own"]),
        ])  # fmt: skip

    def test_a_hint_joins_a_procedure_and_the_authors_own_replaces_it(self):
        stepped = inj.skill("s", "d", "b", tools=["a"], steps=[inj.Step("a", "n")])
        assert inj.declare([stepped]).pieces[-1].id == "steps-hint"
        own = inj.instruction("steps-hint", "Mine.")
        assert inj.declare([own, stepped]).pieces == (own, stepped)
        assert len(inj.declare([inj.skill("s", "d", "b")]).pieces) == 1

    def test_what_the_wrapped_agent_cannot_do_is_refused_there(self):
        async def later(ctx): ...

        declared = inj.declare([
            inj.fact("f", "A.", when=later),
            inj.fact("m", "A.", slot="messages", role="system"),
            inj.skill("s", "d", "b", tools=[DEFINITION, "a"], steps=[inj.Step("a", "n")]),
        ])  # fmt: skip
        inj.refuse_unfit(declared)
        inj.refuse_unfit(declared, is_async=True, carries={"system"}, tools=["a", "other"])
        with refused("'f'", "sync"):
            inj.refuse_unfit(declared, is_async=False)
        with refused("'m'", "system", "anthropic carries assistant, user"):
            inj.refuse_unfit(declared, provider="anthropic", carries={"user", "assistant"})
        with refused("skip_step"):
            inj.refuse_unfit(declared, tools=["skip_step"])
        with refused("look"):
            inj.refuse_unfit(declared, tools=["look"])

    def test_without_steps_the_name_skip_step_is_free_for_the_agent(self):
        inj.refuse_unfit(inj.declare([inj.fact("f", "A.")]), tools=["skip_step"])

    def test_a_window_that_is_none_is_refused(self):
        with refused("window"):
            inj.declare([], window="sliding")

    def test_pieces_of_one_turn_stand_behind_the_declared_ones(self):
        stepped = inj.skill("s", "d", "b", tools=["a"], steps=[inj.Step("a", "n")])
        declared = inj.declare([stepped], list_skills=True, cache_marks=True)
        more = inj.extended(declared, [inj.rag("r", "A.")])
        assert [p.id for p in more.pieces] == ["s", "r", "steps-hint"]
        assert more.list_skills
        assert more.cache_marks
        assert inj.extended(declared, []) is declared

    def test_nothing_declared_is_false(self):
        assert not inj.declare([])
        assert not inj.NOTHING_DECLARED
        assert inj.declare([], window=inj.sliding_window(2))


class TestWindowOptions:
    @pytest.mark.parametrize("keep", [0, -1, True, 1.0, None, "2"])
    def test_rounds_are_a_whole_number_from_one_on(self, keep):
        with refused("keep_rounds"):
            inj.sliding_window(keep)

    @pytest.mark.parametrize("threshold", [0, -5, True, 1.5, None])
    def test_a_threshold_is_a_whole_number_from_one_on(self, threshold):
        with refused("threshold"):
            inj.token_budget(threshold)
        with refused("threshold"):
            inj.summarise_oldest(threshold, str)

    @pytest.mark.parametrize("pins", [-1, True, 1.0])
    def test_pins_are_a_whole_number_from_zero_on(self, pins):
        with refused("keep_tool_results"):
            inj.sliding_window(2, keep_tool_results=pins)

    def test_a_summariser_is_a_callable(self):
        with refused("summariser"):
            inj.summarise_oldest(100, "gpt")
