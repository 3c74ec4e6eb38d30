"""Every kind of piece, from its declaration to the request that left and to the record."""

from __future__ import annotations

from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.errors import DeclarationError
from otel_footprint.telemetry import names
from tests.injecting.kit import Loop, call, calls, tool
from tests.sdk import chat, client


def let_in(loop: Loop) -> list[tuple[Any, ...]]:
    keys = (names.SLOT, names.INJECTION_SOURCE, names.INJECTION_ID, names.INJECTION_TRIGGER)
    return [tuple(e[key] for key in keys) for e in loop.events(names.EVENT_INJECTED)]


def test_an_instruction_comes_in_when_its_rule_says_so_and_leaves_again() -> None:
    loop = Loop(
        calls(call("c1", "look")),
        chat("Done."),
        context=[
            footprint.instruction("second", "Hurry.", when=lambda ctx: ctx.action == 2),
            footprint.instruction("after", "You looked.", when=footprint.after_tool("look")),
            footprint.instruction("first", "Start.", when=footprint.on_action(1)),
            footprint.instruction(
                "back", "It is back.", when=footprint.on_tool_return("look", status="ok")
            ),
        ],
    )
    loop.tools, loop.functions = [tool("look")], {"look": lambda: "found"}
    with loop.footprint.turn("Hello?") as turn:
        loop.run("Hello?", turn)
    assert loop.texts(0)[1:] == ["Start.", "Hello?"]
    assert loop.texts(1)[1:4] == ["Hurry.", "You looked.", "It is back."]
    assert [e[2] for e in let_in(loop)] == ["first", "second", "after", "back"]


def test_a_tool_that_ran_where_we_could_not_see_it_is_a_return_of_unknown_status() -> None:
    loop = Loop(
        calls(call("c1", "look")),
        chat("Done."),
        context=[
            footprint.instruction("any", "It is back.", when=footprint.on_tool_return("look")),
            footprint.instruction(
                "ok", "It went well.", when=footprint.on_tool_return("look", status="ok")
            ),
        ],
    )
    loop.functions = {"look": lambda: "found"}
    with loop.footprint.turn("Hello?"):
        loop.run("Hello?")
    assert loop.texts(1)[1:3] == ["It is back.", "Hello?"]


def test_memory_and_retrieval_are_handed_in_for_one_turn_with_their_scores() -> None:
    loop = Loop(chat("One."), chat("Two."), context=[footprint.fact("shop", "In Ghent.")])
    found = [
        footprint.memory("likes", "Likes tea.", score=0.9),
        footprint.rag("doc-7", "Returns take 14 days.", score=0.71, rank=1, threshold=0.5),
    ]
    with loop.footprint.turn("Hello?", context=found):
        loop.run("Hello?")
    with loop.footprint.turn("And now?"):
        loop.run("And now?")
    assert loop.texts(0)[1:4] == ["In Ghent.", "Likes tea.", "Returns take 14 days."]
    assert loop.texts(1)[1:3] == ["In Ghent.", "Hello?"]
    events = loop.events(names.EVENT_INJECTED)
    by_id = {e[names.INJECTION_ID]: e for e in events}
    assert by_id["likes"][names.INJECTION_SCORE] == 0.9
    assert by_id["doc-7"][names.INJECTION_SOURCE] == "rag"
    assert by_id["doc-7"][names.INJECTION_RANK] == 1
    assert by_id["doc-7"][names.INJECTION_THRESHOLD] == 0.5


def test_a_turn_may_hand_in_pieces_where_the_footprint_declares_none() -> None:
    loop = Loop(chat("One."))
    with loop.footprint.turn("Hello?", context=[footprint.memory("likes", "Likes tea.")]):
        loop.run("Hello?")
    assert loop.texts(0)[1] == "Likes tea."
    with pytest.raises(DeclarationError, match="context"):
        loop.footprint.turn("Hello?", context=["Likes tea."])


def test_the_general_form_brings_text_message_and_tool_together() -> None:
    piece = footprint.injection(
        "bundle",
        source="custom",
        when=footprint.on_action(1),
        system="Use the map.",
        messages=[("user", "A map is there."), ("assistant", "Seen.")],
        tools=[tool("map")],
        description="the map is near",
    )
    loop = Loop(chat("Hi."), chat("Done."), context=[piece], dispatch=True)
    loop.messages += [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]
    with loop.footprint.turn("Go."):
        loop.go_on()
    assert loop.texts(0)[1] == "Use the map."
    assert loop.texts(0)[-2:] == ["A map is there.", "Seen."]
    assert list(loop.offered(0)) == ["map"]
    assert [e[:3] for e in let_in(loop)] == [
        ("system", "custom", "bundle"),
        ("messages", "custom", "bundle"),
        ("messages", "custom", "bundle"),
        ("tools", "custom", "bundle"),
    ]
    assert ("custom", "bundle", "the map is near") in loop.rows("messages")
    assert loop.rows("tools") == [("custom", "bundle", "the map is near")]


def test_a_skill_may_come_by_a_rule_or_by_itself() -> None:
    loop = Loop(
        calls(call("c1", "look")),
        chat("Done."),
        context=[
            footprint.skill(
                "ruled", "By a rule.", "Ruled body.", when=footprint.after_tool("look")
            ),
            footprint.skill(
                "auto", "By itself.", "Auto body.", auto_activate=footprint.from_action(2)
            ),
        ],
        dispatch=True,
    )
    loop.functions = {"look": lambda: "found"}
    with loop.footprint.turn("Hello?") as turn:
        loop.run("Hello?", turn)
    assert loop.texts(0)[1:] == ["Hello?"]
    assert loop.texts(1)[1:3] == ["Ruled body.", "Auto body."]


def test_skills_are_listed_and_read_by_the_loop_of_the_application() -> None:
    loop = Loop(
        calls(call("c1", "list_skills"), call("c2", "read_skill", skill="tea")),
        chat("Done."),
        context=[footprint.skill("tea", "How to make tea.", "Boil water.", tools=[tool("kettle")])],
        dispatch=True,
        list_skills=True,
    )
    with loop.footprint.turn("Tea?") as turn:
        loop.run("Tea?", turn)
    assert set(loop.offered(0)) == {"read_skill", "list_skills"}
    assert set(loop.offered(1)) == {"read_skill", "list_skills", "kettle"}
    listed, read = loop.texts(1)[-2:]
    assert "tea" in listed
    assert "How to make tea." in listed
    assert "Boil water." in read
    assert ("messages", "skill", "tea", "read_skill") in let_in(loop)
    (ran,) = loop.recording.named("execute_tool read_skill")
    assert ran.attributes[names.TOOL_CALL_ID] == "c2"


def test_a_loop_that_cannot_run_our_tools_is_offered_none_and_it_is_on_the_record() -> None:
    loop = Loop(
        chat("Done."),
        context=[footprint.skill("tea", "How to make tea.", "Boil water.")],
    )
    loop.tools = [tool("look")]
    with loop.footprint.turn("Tea?"):
        loop.run("Tea?")
    assert list(loop.offered()) == ["look"]
    (withheld,) = loop.events(names.EVENT_WITHHELD, "chat")
    assert withheld[names.OFFER_TOOL] == "read_skill"
    assert withheld[names.OFFER_REASON] == "no-dispatcher"


def test_a_tool_of_the_application_keeps_a_name_of_ours() -> None:
    loop = Loop(
        calls(call("c1", "read_skill", skill="tea")),
        chat("Done."),
        context=[footprint.skill("tea", "How to make tea.", "Boil water.")],
        dispatch=True,
    )
    loop.tools = [tool("read_skill")]
    loop.functions = {"read_skill": lambda skill: f"mine: {skill}"}
    with loop.footprint.turn("Tea?") as turn:
        loop.run("Tea?", turn)
    assert loop.offered() == {"read_skill": "Runs read_skill."}
    assert loop.texts()[-1] == "mine: tea"
    assert loop.events(names.EVENT_WITHHELD)[0][names.OFFER_REASON] == "name-taken"


def test_a_tool_that_the_application_forces_is_never_held_back() -> None:
    piece = footprint.skill(
        "two", "Two steps.", "Body.", tools=["one", "other"],
        steps=[footprint.Step("one", "first"), footprint.Step("other", "second")],
        auto_activate=footprint.always(),
    )  # fmt: skip
    loop = Loop(chat("Done."), context=[piece], dispatch=True)
    with loop.footprint.turn("Go."):
        loop.client.chat.completions.create(
            model="gpt-4o-mini",
            messages=[{"role": "user", "content": "Go."}],
            tools=[tool("one"), tool("other")],  # type: ignore[list-item]
            tool_choice={"type": "function", "function": {"name": "other"}},
        )
    assert "other" in loop.offered()


def test_a_trigger_that_raises_is_on_the_record_and_the_run_goes_on() -> None:
    loop = Loop(
        chat("Done."),
        context=[
            footprint.instruction("bad", "Never.", when=lambda ctx: 1 / 0),  # type: ignore[arg-type]
            footprint.fact("shop", "In Ghent."),
        ],
    )
    with loop.footprint.turn("Go."):
        assert loop.run("Go.") == "Done."
    assert loop.texts()[1:] == ["In Ghent.", "Go."]
    (skipped,) = loop.events(names.EVENT_SKIPPED, "chat")
    assert skipped[names.SKIPPED_REASON] == "trigger-raised"
    assert skipped[names.SKIPPED_ERROR].startswith("ZeroDivisionError")


def test_what_a_client_cannot_carry_is_refused_where_it_is_wrapped() -> None:
    async def later(ctx: Any) -> bool:
        return True

    def wrapped(piece: Any, package: str = "openai", cls: str = "OpenAI") -> None:
        fp = footprint.Footprint(context=[piece])
        fp.wrap(client(package, cls, lambda *_: None))  # type: ignore[arg-type]

    awaiting = footprint.instruction("later", "Later.", when=later)
    with pytest.raises(DeclarationError, match="not async"):
        wrapped(awaiting)
    wrapped(awaiting, cls="AsyncOpenAI")
    developer = footprint.fact("dev", "Dev.", slot="messages", role="developer")
    with pytest.raises(DeclarationError, match="anthropic carries assistant, user"):
        wrapped(developer, "anthropic", "Anthropic")
    wrapped(developer)

    class Object:
        name = "map"

    with pytest.raises(DeclarationError, match="a definition with a schema"):
        wrapped(footprint.injection("map", tools=[Object()]))


def test_what_does_not_go_together_is_refused_where_it_is_declared() -> None:
    twice = [footprint.fact("a", "One."), footprint.fact("a", "Two.")]
    with pytest.raises(DeclarationError, match="id"):
        footprint.Footprint(context=twice)
    for wrong in ("a text", [1], None, {"a": 1}):
        with pytest.raises(DeclarationError, match="context"):
            footprint.Footprint(context=wrong)  # type: ignore[arg-type]
    for field in ("cache_marks", "list_skills", "dispatch"):
        with pytest.raises(DeclarationError, match=field):
            footprint.Footprint(**{field: 1})  # type: ignore[arg-type]
