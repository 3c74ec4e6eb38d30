"""Triggers give the same answer to the same facts, and a failing one only skips its piece."""

from __future__ import annotations

import re

import pytest

import otel_footprint.injection as inj
from otel_footprint.errors import DeclarationError
from otel_footprint.injection.context import Context, Position
from otel_footprint.injection.evaluate import evaluate
from otel_footprint.records.view import ToolOutcome


def on(when, **facts) -> bool:
    found = evaluate(inj.declare([inj.fact("f", "A.", when=when)]), Context(**facts))
    assert not found.skipped
    return bool(found.active)


def back(*names: str, status="ok") -> tuple[ToolOutcome, ...]:
    return tuple(ToolOutcome(name, f"c{i}", status) for i, name in enumerate(names))


def test_always_is_at_every_call():
    assert on(None)
    assert on(inj.always(), action=99)


def test_a_rule_counts_by_its_truth():
    assert on(lambda ctx: ctx.action > 2, action=3)
    assert not on(lambda ctx: ctx.action > 2, action=2)
    assert on(lambda ctx: [1])
    assert not on(lambda ctx: None)


def test_a_tools_return_counts_at_the_next_call_wherever_it_stood_in_the_batch():
    when = inj.on_tool_return("look")
    assert on(when, results=back("other", "look", "third"))
    assert not on(when, results=back("lookup"))
    assert not on(when, called=("look",))


def test_a_status_counts_alone_or_with_the_tool():
    assert on(inj.on_tool_return(status="error"), results=back("any", status="error"))
    assert not on(inj.on_tool_return(status="error"), results=back("any"))
    when = inj.on_tool_return("look", status="denied")
    assert on(when, results=back("look", status="denied"))
    assert not on(when, results=back("other", status="denied"))


def test_after_a_tool_counts_for_the_rest_of_the_turn():
    assert on(inj.after_tool("look"), called=("other", "look"))
    assert not on(inj.after_tool("look"), called=())
    assert on(inj.after_tool(re.compile("^lo")), called=("look",))


def test_an_action_number_counts_at_its_calls():
    assert [on(inj.on_action(3), action=n) for n in (2, 3, 4)] == [False, True, False]
    assert [on(inj.on_action(3, 4), action=n) for n in (2, 3, 4, 5)] == [False, True, True, False]
    assert [on(inj.from_action(3), action=n) for n in (2, 3, 99)] == [False, True, True]


def test_a_pattern_gives_the_same_answer_to_the_same_facts_again_and_again():
    when = inj.on_tool_return(re.compile("look", re.IGNORECASE))
    results = back("doLOOKup")
    assert [on(when, results=results) for _ in range(5)] == [True] * 5


@pytest.mark.parametrize(
    "make",
    [
        lambda: inj.on_tool_return(),
        lambda: inj.on_tool_return(" "),
        lambda: inj.on_tool_return(re.compile(b"x")),
        lambda: inj.on_tool_return("x", status="bad"),
        lambda: inj.after_tool(None),
        lambda: inj.on_action(0),
        lambda: inj.on_action(True),
        lambda: inj.on_action(3, 2),
        lambda: inj.from_action("3"),
        lambda: inj.until("x"),
    ],
)
def test_a_trigger_that_could_never_be_meant_is_refused(make):
    with pytest.raises(DeclarationError):
        make()


def test_triggers_are_named_on_the_record():
    names = [
        inj.fact("f", "A.", when=when).cause.trigger
        for when in (
            None, bool, inj.on_tool_return("look"), inj.on_tool_return(re.compile("a|b")),
            inj.on_tool_return("look", status="error"), inj.on_tool_return(status="denied"),
            inj.after_tool("look"), inj.on_action(3), inj.on_action(3, 5), inj.from_action(2),
        ) if when is not bool
    ]  # fmt: skip
    assert names == [
        "always", "tool return: look", "tool return: /a|b/", "tool return: look error",
        "tool return: denied", "after tool: look", "action 3", "action 3 to 5", "from action 2",
    ]  # fmt: skip


class TestSkipped:
    def run(self, when, **kwargs):
        declared = inj.declare([inj.fact("a", "A."), inj.fact("f", "F.", when=when),
                                inj.fact("z", "Z.")])  # fmt: skip
        return evaluate(declared, Context(), **kwargs)

    def test_a_trigger_that_raises_skips_its_piece_and_no_other(self):
        found = self.run(lambda ctx: 1 / 0)
        assert [one.piece.id for one in found.active] == ["a", "z"]
        (skip,) = found.skipped
        assert skip == ("fact", "f", "trigger-raised", "ZeroDivisionError: division by zero")

    def test_a_truth_that_cannot_be_told_skips_it(self):
        class Odd:
            def __bool__(self):
                raise RuntimeError("no truth")

        (skip,) = self.run(lambda ctx: Odd()).skipped
        assert skip.error == "RuntimeError: no truth"

    def test_an_exception_whose_text_raises_is_named_by_its_type(self):
        class Hostile(Exception):
            def __str__(self):
                raise RuntimeError

        def when(ctx):
            raise Hostile

        (skip,) = self.run(when).skipped
        assert skip.error == "Hostile: "

    def test_an_awaitable_is_no_truth_where_nothing_is_awaited(self):
        async def later(ctx):
            return True

        for when in (later, lambda ctx: later(ctx)):
            (skip,) = self.run(when).skipped
            assert skip.reason == "async-trigger"

    def test_a_parked_piece_is_skipped_before_its_trigger_is_asked(self):
        asked = []
        found = self.run(lambda ctx: asked.append(1), parked={"f"})
        assert found.skipped[0][:3] == ("fact", "f", "parked")
        assert not asked

    def test_interrupts_pass_through(self):
        def when(ctx):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            self.run(when)

    def test_a_trigger_that_says_no_is_neither(self):
        found = self.run(lambda ctx: False)
        assert [one.piece.id for one in found.active] == ["a", "z"]
        assert found.skipped == ()


class TestTemplates:
    declared = inj.declare(
        [inj.instruction("t", template="{{actionBudget}} {{actionsRemaining}} {{action}}")]
    )

    def test_a_template_with_a_missing_fact_is_skipped_as_a_whole(self):
        found = evaluate(self.declared, Context(action=2))
        assert found.active == ()
        assert found.skipped == (
            ("instruction", "t", "missing-fact", "{{actionBudget}}, {{actionsRemaining}}"),
        )

    def test_with_all_facts_it_is_rendered(self):
        found = evaluate(self.declared, Context(action=25, action_budget=30))
        assert [one.text for one in found.active] == ["30 5 25"]
        assert found.skipped == ()

    def test_a_template_whose_trigger_says_no_is_not_skipped(self):
        declared = inj.declare(
            [inj.instruction("t", template="{{actionBudget}}", when=lambda c: False)]
        )
        assert evaluate(declared, Context()) == ((), ())

    def test_a_static_text_is_the_identical_text(self):
        piece = inj.instruction("s", "Static.")
        found = evaluate(inj.declare([piece]), Context())
        assert found.active[0].text is piece.system


class TestContext:
    def test_it_cannot_be_changed(self):
        with pytest.raises(AttributeError):
            Context().action = 2

    def test_it_says_what_came_back(self):
        ctx = Context(results=back("look", status="error"))
        assert ctx.returned("look")
        assert ctx.returned("look", "error")
        assert not ctx.returned("look", "ok")

    def test_a_rule_sees_where_the_procedure_stands(self):
        assert on(lambda c: c.procedure.step == 2, procedure=Position("s", 2, 3, "check"))
