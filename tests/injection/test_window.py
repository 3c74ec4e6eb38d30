"""The window keeps the history short and takes out nothing that is needed (rows MS66 to MS76)."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import otel_footprint.injection as inj
from otel_footprint.injection.history import Entry
from otel_footprint.injection.notices import dropped_notice
from otel_footprint.injection.rounds import rounds_of
from otel_footprint.injection.state import WindowState
from otel_footprint.injection.window import Look, Summary, visit, wants_summary
from otel_footprint.records.injection import CacheBroken, Removed, WindowVisit
from otel_footprint.records.view import MessageView, ToolOutcome
from tests.quick import examples

from .loop import Loop, refunding


def looping(strategy, *pieces, **facts) -> Loop:
    loop = Loop(inj.declare(pieces, window=strategy), ["look", "find"])
    loop.facts.update(facts)
    loop.says("What is it?")
    return loop


def reasons(visit_note) -> list[str]:
    return [refusal.reason for refusal in visit_note.refusals]


class TestSliding:
    def test_five_tool_calls_leave_as_the_rows_say(self):
        loop = looping(inj.sliding_window(2))
        for _ in range(6):
            loop.step("look", size=400)
        assert [(v.action, v.removed) for v in loop.of(WindowVisit)] == [
            (3, 0),
            (4, 2),
            (5, 3),
            (6, 3),
        ]
        last = loop.requests[-1]
        assert last.texts[0] == "What is it?"
        assert last.texts[1].startswith("[dropped history — 6 earlier messages were left out")
        assert "action 6 by the sliding window" in last.texts[1]
        assert "`look`" in last.texts[1]
        assert len(last.messages) == 6

    def test_each_removed_message_is_on_the_record_with_its_survival(self):
        loop = looping(inj.sliding_window(2))
        for _ in range(4):
            loop.step("look", size=400)
        removed = loop.of(Removed)
        assert [(r.key, r.reason, r.survival) for r in removed] == [
            ("k3", "window", 2),
            ("k4", "window", 2),
        ]
        assert removed[0].by.id == "sliding"
        (broken,) = [n for n in loop.of(CacheBroken) if n.slot == "messages"]
        assert (broken.at, broken.cause) == (1, "removed")

    def test_a_notice_that_would_not_be_smaller_is_left_out(self):
        loop = looping(inj.sliding_window(1))
        for _ in range(4):
            loop.step("look")
        assert all("dropped history" not in text for text in loop.requests[-1].texts)
        assert [v.removed for v in loop.of(WindowVisit)] == [0, 2, 2]

    def test_the_request_stays_and_the_refusal_says_so(self):
        loop = looping(inj.sliding_window(1))
        loop.step("look", size=400)
        loop.step("look", size=400)
        (seen,) = loop.of(WindowVisit)
        assert (seen.removed, reasons(seen)) == (0, ["current-request"])

    def test_a_later_request_lets_the_older_one_go(self):
        loop = looping(inj.sliding_window(1))
        loop.put("assistant", "An answer." + "." * 400)
        loop.says("And then?")
        assert loop.call().texts[-1] == "And then?"
        assert loop.requests[-1].texts[0].startswith("[dropped history")

    def test_time_is_counted_when_there_is_a_clock(self):
        loop = looping(inj.sliding_window(1), now=12.5)
        loop.messages[0] = loop.messages[0]._replace(seen_at=10.0)
        loop.put("assistant", "x")
        loop.says("Next?")
        loop.call()
        assert loop.of(Removed)[0].survival_ms == 2500.0


class TestKept:
    def entries(self, *views):
        return [Entry(view, n) for n, view in enumerate(views)]

    def see(self, strategy, entries, **look):
        views = [entry.view for entry in entries]
        held = {"action": 9, "measured": 999, "measured_action": 8, **look}
        return visit(strategy, entries, WindowState(), Look(**held), views)

    def test_a_system_message_in_the_middle_stays(self):
        found = self.see(
            inj.sliding_window(1),
            self.entries(
                MessageView("developer", "d"),
                MessageView("user", "x", person=True),
                MessageView("assistant", "a"),
            ),
        )
        assert reasons(found.notes[-1]) == ["system-envelope", "current-request"]
        assert not found.edits

    def test_a_call_without_its_result_stays(self):
        found = self.see(
            inj.sliding_window(1),
            self.entries(
                MessageView("assistant", call_ids=("a", "b")),
                MessageView("tool", answers=("a",)),
                MessageView("user", "x", person=True),
            ),
        )
        assert reasons(found.notes[-1]) == ["unresolved-tool-call"]

    def test_a_call_whose_result_stands_in_another_round_stays_and_so_does_that(self):
        found = self.see(
            inj.sliding_window(1),
            self.entries(
                MessageView("assistant", call_ids=("a",)),
                MessageView("user", "wait"),
                MessageView("tool", answers=("a",)),
                MessageView("user", "x", person=True),
            ),
        )
        assert reasons(found.notes[-1]) == ["unresolved-tool-call", "unresolved-tool-call"]

    def test_a_call_that_waits_for_a_person_stays(self):
        found = self.see(
            inj.sliding_window(1),
            self.entries(
                MessageView("assistant", call_ids=("a",)),
                MessageView("tool", answers=("a",)),
                MessageView("user", "x", person=True),
            ),
            paused={"a"},
        )
        assert reasons(found.notes[-1]) == ["paused-tool"]

    def test_the_words_of_the_turn_decide_which_request_is_the_current_one(self):
        views = (
            MessageView("user", "do it", person=True),
            MessageView("assistant", "a"),
            MessageView("user", "thanks", person=True),
            MessageView("assistant", "b"),
        )
        found = self.see(inj.sliding_window(1), self.entries(*views), text="do it")
        assert found.notes[-1].refusals[0] == ("current-request", 0, 0, "")
        assert [entry.view.text for entry in found.removed] == ["a", "thanks"]
        found = self.see(inj.sliding_window(1), self.entries(*views))
        assert [entry.view.text for entry in found.removed] == ["do it", "a"]

    def test_messages_of_ours_are_never_the_request(self):
        found = self.see(
            inj.sliding_window(1),
            self.entries(
                MessageView("user", "do it", person=True),
                MessageView("user", "told", "fact", "f"),
                MessageView("user", dropped_notice(2, 3, "sliding")),
                MessageView("assistant", "b"),
            ),
        )
        assert found.notes[-1].refusals[0].reason == "current-request"

    def test_parts_of_one_answer_are_one_round(self):
        rounds = rounds_of(
            self.entries(
                MessageView("assistant", "thinking"),
                MessageView("assistant", call_ids=("a",)),
                MessageView("assistant", call_ids=("b",)),
                MessageView("tool", answers=("a",)),
                MessageView("tool", answers=("b",)),
                MessageView("assistant", "done"),
            )
        )
        assert rounds == [(0, 5), (5, 6)]
        assert rounds_of(self.entries(MessageView("tool", answers=("z",)))) == [(0, 1)]
        assert rounds_of([]) == []

    def test_a_provider_whose_messages_begin_with_the_user_keeps_one_there(self):
        views = (
            MessageView("user", "old", person=True),
            MessageView("assistant", "a"),
            MessageView("assistant", "b"),
            MessageView("system", "s"),
            MessageView("user", "new", person=True),
        )
        entries = self.entries(
            views[0], views[3]._replace(role="assistant", call_ids=("q",)), views[4]
        )
        found = self.see(inj.sliding_window(2), entries, user_first=True)
        assert reasons(found.notes[-1])[-1] == "replacement-not-smaller"
        assert not self.see(inj.sliding_window(2), entries).notes[-1].refusals

    def test_a_provider_that_takes_no_two_of_a_role_in_a_row_gets_none(self):
        long = "." * 900
        views = [MessageView("user", "do it", person=True)]
        for n in range(4):
            views += [
                MessageView("assistant", call_ids=(f"c{n}",)),
                MessageView("tool", long, answers=(f"c{n}",)),
            ]
        found = self.see(inj.sliding_window(2), self.entries(*views), alternates=True)
        assert len(found.removed) == 4
        assert all(type(edit).__name__ == "RemoveMessage" for edit in found.edits)
        views = [
            MessageView("user", "do it", person=True),
            MessageView("assistant", long),
            MessageView("user", "told", "fact", "f"),
            MessageView("assistant", "b"),
        ]
        found = self.see(inj.sliding_window(2), self.entries(*views), alternates=True)
        assert reasons(found.notes[-1]) == ["current-request", "roles-collide"]
        assert found.edits == ()
        found = self.see(inj.sliding_window(2), self.entries(*views))
        assert [entry.view.text for entry in found.removed] == [long]


class TestPins:
    def test_the_newest_result_of_each_tool_stays_in_at_most_two_rounds(self):
        loop = looping(inj.sliding_window(1))
        for tool in ("find", "look", "look", "look", "look"):
            loop.step(tool, size=400)
        request = loop.call()
        texts = [text[:4] for text in request.texts if "came back" in text]
        assert texts == ["find", "look"]
        assert "last-tool-result" in {r for v in loop.of(WindowVisit) for r in reasons(v)}

    def test_of_many_tools_the_newest_two_rounds_stay(self):
        loop = looping(inj.sliding_window(1))
        for tool in ("one", "two", "three", "four"):
            loop.run(tool, size=400)
        texts = [text.split()[0] for text in loop.call().texts if "came back" in text]
        assert texts == ["two", "three", "four"]

    def test_none_are_kept_when_they_are_switched_off(self):
        loop = looping(inj.sliding_window(1, keep_tool_results=0))
        for tool in ("find", "look", "look"):
            loop.step(tool, size=400)
        assert not any("find came back" in text for text in loop.call().texts)

    def test_they_stand_down_after_two_visits_that_they_blocked(self):
        loop = looping(inj.sliding_window(1))
        loop.step("find", size=400)
        loop.step("look", size=400)
        counts = [(v.removed, v.stood_down) for v in loop.of(WindowVisit)]
        assert counts == [(0, False)]
        for _ in range(3):
            loop.call()
        counts = [(v.removed, v.stood_down) for v in loop.of(WindowVisit)]
        assert counts == [(0, False), (0, False), (0, False), (2, True)]

    def test_a_new_request_releases_them(self):
        loop = looping(inj.sliding_window(1))
        loop.step("find", size=400)
        loop.put("assistant", "Found.")
        loop.says("Next?")
        assert not any("find came back" in text for text in loop.call().texts)

    def test_a_body_of_a_skill_that_leaves_with_its_result_moves_behind_the_prompt(self):
        loop = Loop(
            inj.declare(
                [inj.skill("s", "d", "The body.")],
                window=inj.sliding_window(1, keep_tool_results=0),
            ),
            ["look"],
        )
        loop.says("Hello.")
        loop.step(("read_skill", {"skill": "s"}))
        loop.step("look", size=400)
        request = loop.call()
        assert not any("The body." in text for text in request.texts)
        assert "The body." in request.system


class TestTokens:
    def test_it_engages_on_a_measurement_over_the_threshold_once(self):
        loop = looping(inj.token_budget(1000, keep_rounds=1))
        for _ in range(3):
            loop.step("look", size=400)
        assert loop.of(WindowVisit) == []
        loop.call(measured=1000, measured_action=3)
        assert loop.of(WindowVisit) == []
        loop.call(measured=1001, measured_action=4)
        (seen,) = loop.of(WindowVisit)
        assert (seen.removed, seen.measured, seen.threshold) == (4, 1001, 1000)
        loop.call(measured=1001, measured_action=4)
        assert reasons(loop.of(WindowVisit)[-1]) == ["stale-reading"]

    def test_a_provider_that_reports_nothing_is_named_and_nothing_is_removed(self):
        loop = looping(inj.token_budget(1000, keep_rounds=1))
        loop.step("look", size=400)
        loop.call(measured=0, measured_action=1)
        (seen,) = loop.of(WindowVisit)
        assert (seen.removed, reasons(seen)) == (0, ["unmeasured"])

    def test_when_all_lies_in_the_rounds_to_keep_it_says_so(self):
        loop = looping(inj.token_budget(10, keep_rounds=9))
        loop.step("look")
        loop.call(measured=500, measured_action=1)
        assert reasons(loop.of(WindowVisit)[0]) == ["inside-keep-window"]


class TestSummary:
    def looping(self, summariser, **kwargs):
        loop = looping(inj.summarise_oldest(10, summariser, keep_rounds=1, **kwargs))
        for _ in range(3):
            loop.step("look", size=400)
        return loop

    def over(self, loop):
        return loop.call(measured=500, measured_action=loop.action)

    def test_the_oldest_rounds_become_what_the_summariser_wrote(self):
        asked = []
        loop = self.looping(lambda text: asked.append(text) or "Two looks.")
        request = self.over(loop)
        assert request.texts[1] == (
            "[compacted history — 4 earlier messages were replaced at action 4 by a summary. "
            "Summary: Two looks.]"
        )
        assert len(request.messages) == 4
        assert "look came back" in asked[0]
        assert asked[0].count("look came back") == 2

    def test_a_lone_summary_is_not_summarised_again(self):
        loop = self.looping(lambda text: "Short.")
        self.over(loop)
        self.over(loop)
        assert reasons(loop.of(WindowVisit)[-1]) == ["current-request", "only-existing-summary"]

    @pytest.mark.parametrize(
        ("summariser", "words"),
        [
            (lambda text: 1 / 0, "ZeroDivisionError"),
            (lambda text: None, "NoneType"),
            (lambda text: " ", ""),
        ],
    )
    def test_one_that_fails_removes_nothing(self, summariser, words):
        loop = self.looping(summariser)
        assert len(self.over(loop).messages) == 7
        seen = loop.of(WindowVisit)[-1]
        assert reasons(seen)[-1] == "summariser-failed"
        assert words in seen.refusals[-1].note

    def test_an_async_one_on_a_sync_agent_removes_nothing(self):
        async def later(text):
            return "x"

        loop = self.looping(later)
        assert len(self.over(loop).messages) == 7
        assert "async" in loop.of(WindowVisit)[-1].refusals[-1].note

    def test_a_summary_that_is_not_smaller_is_refused_and_not_asked_for_again(self):
        asked = []
        loop = self.looping(lambda text: asked.append(1) or "long" * 1000)
        self.over(loop)
        self.over(loop)
        assert len(asked) == 1
        assert [reasons(v)[-1] for v in loop.of(WindowVisit)] == ["replacement-not-smaller"] * 2

    def test_without_an_answer_nothing_is_removed(self):
        strategy = inj.summarise_oldest(10, str, keep_rounds=1)
        entries = [
            Entry(MessageView("assistant", "a" * 500), 0),
            Entry(MessageView("user", "b", person=True), 1),
        ]
        look = Look(2, measured=99, measured_action=1)
        assert wants_summary(strategy, entries, WindowState(), look) == "assistant: " + "a" * 500
        found = visit(strategy, entries, WindowState(), look, [entry.view for entry in entries])
        assert reasons(found.notes[0]) == ["no-summary"]
        found = visit(
            strategy, entries, WindowState(), look, [e.view for e in entries], Summary("s")
        )
        assert found.removed == (entries[0],)


class TestNotice:
    def test_it_names_up_to_four_plain_tools(self):
        names = [f"tool{n}" for n in range(20)]
        text = dropped_notice(3, 4, "sliding", names)
        assert "`tool0`, `tool1`, `tool2`, `tool3`, …" in text
        assert "tool4" not in text

    def test_odd_names_are_left_out_and_with_them_the_sentence(self):
        odd = ["with blank", "quo`te", "x" * 49, "", "new\nline"]
        assert dropped_notice(3, 4, "sliding", odd) == dropped_notice(3, 4, "sliding")
        assert "`fine`" in dropped_notice(3, 4, "sliding", [*odd, "fine"])


def test_a_procedure_goes_on_under_a_window():
    loop = refunding()
    loop.declared = inj.declare(
        [piece for piece in loop.declared.pieces if piece.id == "refund"],
        window=inj.sliding_window(1, keep_tool_results=0),
    )
    for tool in ("lookup", "charge", "export"):
        loop.step(tool, size=400)
    loop.call()
    assert loop.state.pointer.step == 4
    calls = {call for view in loop.requests[-1].messages for call in view.call_ids}
    assert {edit.call_id for edit in loop.state.history if hasattr(edit, "call_id")} <= calls


@settings(max_examples=examples(60), deadline=None)
@given(
    seed=st.integers(0, 2**32),
    keep=st.integers(1, 4),
    pins=st.integers(0, 3),
    told=st.sampled_from(["assistant", "user", None]),
)
def test_whatever_happens_the_request_is_there_and_calls_stand_with_their_results(
    seed, keep, pins, told
):
    rng = random.Random(seed)
    pieces = [inj.fact("told", "Told.", slot="messages", role=told)] if told else []
    loop = looping(inj.sliding_window(keep, keep_tool_results=pins), *pieces)
    for _ in range(rng.randint(2, 14)):
        kind = rng.random()
        if kind < 0.15:
            loop.put("assistant", "Well.")
            loop.says(f"Question {loop.number}?")
        elif kind < 0.25:
            drop = rng.randrange(len(loop.messages))
            ends = [n for n, view in enumerate(loop.messages) if view.person and n <= drop]
            del loop.messages[: ends[-1] if ends else 0]
        else:
            tools = [rng.choice(["look", "find"]) for _ in range(rng.randint(1, 3))]
            loop.step(*tools, size=rng.choice([0, 300]))
        request = loop.call()
        persons = [view for view in request.messages if view.person]
        assert persons[-1].text == loop.facts["text"]
        assert request.texts.count("Told.") <= 1
        assert sum(text.startswith("[dropped history") for text in request.texts) <= 2
    outcome = ToolOutcome("look", "x")
    assert inj.settle(loop.declared, loop.state, [outcome]).edits == ()
