"""A turn that was paused and went on: its calls are numbered over all of its ledgers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from otel_footprint.cli.main import main
from otel_footprint.errors import TrailError
from otel_footprint.report import tree
from otel_footprint.telemetry import names
from otel_footprint.trail import Trail, load
from tests.arguments.loops import Asked, OpenAILoop
from tests.sdk import Recording

from .builder import Turn, Writer, as_lines, assistant, user
from .test_why_recorded import hosting, written


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two calls and a tool, a pause, two more calls; a sub-agent's turn within the tool."""
    recording = Recording()
    path = written(recording, tmp_path_factory.mktemp("paused") / "trail.jsonl")
    outer = hosting(recording, "Found it.")
    before = OpenAILoop(outer, [[Asked("t1", "hosts", {})], [Asked("t2", "hosts", {})], "Paid?"])
    after = OpenAILoop(outer, ["So 17.53 is paid.", "Yes, 17.53."])
    with outer.turn("What?") as turn:
        before.run(turn)
        state = turn.pause()
    with outer.turn("It is.", resume=state) as turn:
        after.messages = before.messages
        after.run(turn)
        after.messages.append({"role": "user", "content": "Sure?"})
        after.run(turn)
    outer.flush()
    return path


def outer_calls(trail: Trail) -> list[Any]:
    (turn,) = [t for t in trail.turns if t.agent == "outer"]
    return list(turn.calls)


def test_numbers_go_on_where_the_turn_went_on(file: Path) -> None:
    trail = load(file)
    assert [c.number for c in outer_calls(trail)] == [1, 2, 3, 4, 5]
    assert len({c.ledger for c in outer_calls(trail)}) == 2
    within = [c.number for t in trail.turns if t.agent == "inner" for c in t.calls]
    assert within == [1, 1]  # a sub-agent's turn is a turn of its own
    assert repr(outer_calls(trail)[3]).startswith("<call 4 of turn ")


def test_the_order_in_the_file_does_not_matter(file: Path) -> None:
    spans = load(file).spans
    turned = Trail(list(reversed(spans)))
    assert [c.id for c in outer_calls(turned)] == [c.id for c in outer_calls(load(file))]
    assert [c.number for c in outer_calls(turned)] == [1, 2, 3, 4, 5]


def test_a_call_that_is_lost_keeps_its_number(file: Path) -> None:
    trail = load(file)
    last = outer_calls(trail)[2].id  # the last one before the pause
    left = Trail([s for s in trail.spans if s.attributes.get(names.CALL_ID) != last])
    assert [c.number for c in outer_calls(left)] == [1, 2, 4, 5]


def test_every_command_takes_and_prints_these_numbers(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trail = load(file)
    calls, id_ = outer_calls(trail), outer_calls(trail)[0].turn

    def said(*words: str) -> str:
        assert main([*words]) == 0
        out, err = capsys.readouterr()
        return out + err

    shown = said("show", str(file), id_, "--ascii").splitlines()
    heads = [found[1] for x in shown if (found := re.match(r"[|`]- (\d+)  ", x))]
    assert heads == ["1", "2", "3", "4", "5"]
    assert "(call 3): Paid?" in "\n".join(shown)
    for which in ("4", calls[3].id):
        assert "So 17.53 is paid." in said("show", str(file), id_, "--call", which)
    found = said("why", "--from", str(file), id_, "17.53", "--ascii")
    assert found.startswith("answer of call 5 ")
    assert "first in front of call 2\n" in found
    assert "the model's own words in call 4" in found
    assert said("why", "--from", str(file), id_, "17.53", "--call", "4").startswith(
        "answer of call 4 "
    )
    compared = said("diff", str(file), id_, "4", "--ascii")  # with the call before the pause
    assert compared.startswith("call 3 -> call 4 ")
    assert "by the model, in call 3 - first in call 4" in compared
    rebuilt = said("rebuild", "--from", str(file), id_, "--call", "4", "--provider", "json")
    assert f"call 4, {calls[3].id}: byte for byte" in rebuilt


def test_a_tool_asked_for_before_the_pause_is_named_behind_it(file: Path) -> None:
    trail = load(file)
    call = outer_calls(trail)[3]
    results = [row for row in trail.rows(call, "messages").rows if row and row.id == "t2"]
    assert [trail.origins.entered(call, row).by for row in results] == ["tool hosts"]


def test_the_page_names_each_call_once(file: Path) -> None:
    from otel_footprint.report.html.anchors import Anchors

    trail = load(file)
    anchors = Anchors(trail)
    links = [link.text for c in trail.calls if (link := anchors.call(c.id))]
    assert len(set(links)) == len(links) == 7


def test_the_first_call_behind_the_pause_is_compared_with_what_stood_before_it(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trail = load(file)
    calls = outer_calls(trail)
    change = trail.change(calls[3], "messages")
    assert change is not None
    assert (change.base, [row.source for row in change.added]) == (calls[2].id, ["assistant"])
    assert not change.removed
    system = trail.change(calls[3], "system")
    assert system is not None
    assert system.same
    assert main(["show", str(file), calls[0].turn, "--ascii"]) == 0
    block = capsys.readouterr().out.partition("- 4  ")[2].partition("- 5  ")[0]
    assert block.count("unchanged") == 2  # system and tools
    assert "compared with" not in block


def told(trail: Trail) -> list[str]:
    """The tree's own lines beneath the outer turn: calls by number, and pauses."""
    lines = tree.render(trail, ascii_only=True)
    return [x[3:].partition("  ")[0] for x in lines if re.match(r"[|`]- (\d|\|)", x)]


def test_the_tree_says_where_the_turn_was_paused_and_went_on(file: Path) -> None:
    trail = load(file)
    first, second = next(t for t in trail.turns if t.agent == "outer").ledgers
    *before, pause, four, five = told(trail)
    assert (before, four, five) == (["1", "2", "3"], "4", "5")
    assert re.fullmatch(r"\|\| paused here - went on after [\d.]+ m?s - \"It is.\"", pause)
    text = "\n".join(tree.render(trail, ascii_only=True))
    assert text.count('"What?"') == text.count('"It is."') == 1
    spans = list(reversed(trail.spans))
    assert told(Trail(spans)) == told(trail)

    def without(ledger: str, name: str) -> Trail:
        own = [s for s in spans if s.attributes.get(names.LEDGER) == ledger]
        return Trail([s for s in spans if s not in own or not s.name.startswith(name)])

    gone = Trail(
        [s for s in spans if s.trace_id not in trail.call(f"{trail.turns[0].id}.4").trace_id]
    )
    assert told(gone)[3:] == ["|| paused here - nothing on this trail says that it went on"]
    lost = without(first, "invoke_agent")  # what follows says by its link that it goes on
    assert told(lost)[3] == '|| paused here - went on - "It is."'
    unended = without(second, "invoke_agent")
    assert told(unended) == told(trail)


def test_the_page_says_it_at_the_call_behind_the_pause(file: Path) -> None:
    pytest.importorskip("jinja2")
    from otel_footprint.report.html.steps import Steps
    from otel_footprint.report.sheet import Sheet

    trail = load(file)
    steps = Steps(Sheet(trail, 100, color=False, ascii_only=False))
    views: Any = [view for root in trail.roots for view in steps.views(root)]
    said = {
        view.title
        for view in views
        if view.view == "call" and "the turn was paused before this call" in " ".join(view.facts)
    }
    assert said == {"Call 4"}
    assert next(v for v in views if v.view == "turn").text == "What?"


def test_a_number_that_several_turns_have_is_refused_with_each_of_them(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = outer_calls(load(file))[0]
    for name, *asked in (["show", "--call", "1"], ["diff", "1", "2"], ["why", "--call", "1"]):
        assert main([name, str(file), *asked]) == 2
        said = capsys.readouterr().err
        assert f"name one as {first.turn}.1 (outer), " in said
    assert main(["show", str(file), "--call", "9"]) == 2
    assert f"{first.turn}.1, {first.turn}.2, " in capsys.readouterr().err
    assert main(["diff", str(file)]) == 2
    assert f"(calls: {first.turn}.1, " in capsys.readouterr().err


def test_a_call_is_named_by_its_turn_as_the_tree_prints_it(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trail = load(file)
    shown = list(tree.render(trail))
    for turn in trail.turns:
        assert any(f"turn {turn.id} " in line for line in shown)
        call, cut = turn.calls[0], turn.id[:12]
        assert trail.call(f"{turn.id}.1") is trail.call(f"{cut}.1") is call
        for name in ("show", "rebuild", "why"):
            outputs = []
            for which in (call.id, f"{turn.id}.1", f"{cut}.1"):
                assert main([name, "--from", str(file), "--call", which]) in (0, 4)
                outputs.append(capsys.readouterr())
            assert outputs[0] == outputs[1] == outputs[2]
            assert outputs[0].out
    inner = [t.id for t in trail.turns if t.agent == "inner"]
    assert main(["diff", str(file), *(f"{id_}.1" for id_ in inner)]) == 0
    assert capsys.readouterr().out.startswith("call 1 → call 1 · gpt-4o-mini · turn " + inner[0])
    assert main(["show", str(file), "--call", f"{inner[0]}.2"]) == 2
    assert f"no call {inner[0]}.2 in this trail (there are: {inner[0]}.1)" in (
        capsys.readouterr().err
    )


def test_turns_whose_ids_the_application_chose_are_named_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = Writer()
    for id_ in ("order.1", "order.12", "a b"):
        turn = Turn(writer, id_=id_)
        turn.call([], [user(id_)], output=[assistant("Yes.")])
        turn.end()
    file = tmp_path / "trail.jsonl"
    file.write_bytes(as_lines(writer.spans))
    trail = load(file)
    odd = trail.turns[2].calls[0]  # as a shell would not take it: then by its id
    with pytest.raises(TrailError) as several:
        trail.call(1)
    assert f" order.1.1 (bot), order.12.1 (bot), {odd.id} (bot)" in str(several.value)
    assert trail.call("order.1.1").turn == "order.1"
    with pytest.raises(TrailError, match=r"name one as order\.1\.1 "):
        trail.call("ord.1")
    diff = ["diff", "--from", str(file)]
    for words, turns in (
        (["order.1.1", "order.12.1"], "order.1 → order.12"),
        (["order.12.1", odd.id], "order.12 → a b"),
        (["order.1", "order.12", "1"], "order.1 → order.12"),
    ):
        assert main([*diff, *words]) == 0
        assert f"· turn {turns}" in capsys.readouterr().out.splitlines()[0]
    assert main([*diff, "order.1", "order.12"]) == 0  # two turns, call by call
    assert capsys.readouterr().out.startswith("call 1 · messages ~1")
