"""Two calls compared: what came, left, changed and moved, by whom and why."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from otel_footprint.records.comparison import CallDiff, PieceDiff
from otel_footprint.trail.compare import paired

from .builder import Piece, Turn, Writer, assistant, result, system, tool, user
from .conftest import read

LAYOUT = '{"model":"m-1","messages":[#s,#m],"tools":[#t],"options":{"seed":%s}}'
FEE = system("The fee is 15 % of the price, and we say so in every answer that we give.")
FEE20 = system("The fee is 20 % of the price, and we say so in every answer that we give.")


def story() -> Writer:
    writer = Writer()
    turn = Turn(writer)
    asks = assistant("Let me look.", ("c1", "lookup", "{}"))
    fact = Piece({"role": "user", "content": "In the EU."}, "fact", "user", "eu", "after lookup")
    turn.call([FEE, system("Kind."), system("Short.")], [user("Why?")], [tool("lookup", "Looks.")],
              [asks], LAYOUT % 1)  # fmt: skip
    turn.call([FEE, system("Kind."), system("Short.")], [user("Why?"), asks, result("c1", "No.")],
              [tool("lookup", "Looks.")], [assistant("Hm.")], LAYOUT % 1)  # fmt: skip
    turn.call([FEE20, system("Short."), system("Kind.")], [asks, result("c1", "No."), fact],
              [tool("lookup", "Looks it up.")], [assistant("So.")], LAYOUT % 2)  # fmt: skip
    turn.end()
    return writer


def only(diff: CallDiff, slot: str, kind: str) -> PieceDiff:
    (found,) = [p for p in diff.slot(slot).pieces if p.kind == kind]
    return found


def test_what_came_says_who_let_it_in_and_why() -> None:
    diff = read(story().spans).diff(2, 3)
    came = only(diff, "messages", "added")
    assert (came.text_after, came.at_after) == ("In the EU.", 2)
    assert came.origin.by == "fact eu"
    assert came.origin.reason == "after lookup"


def test_over_several_calls_each_piece_names_the_call_it_came_with() -> None:
    diff = read(story().spans).diff(1, 3)
    came = [p for p in diff.slot("messages").pieces if p.kind == "added"]
    assert [p.origin.by for p in came] == ["the model, in call 1", "tool lookup", "fact eu"]
    assert [p.origin.call.rpartition(".")[2] for p in came] == ["2", "2", "3"]


def test_what_left_changed_and_moved() -> None:
    diff = read(story().spans).diff(2, 3)
    assert only(diff, "messages", "removed").text_before == "Why?"
    changed = only(diff, "system", "changed")
    assert (changed.before, changed.after) != (None, None)
    assert "15 %" in (changed.text_before or "")
    assert "20 %" in (changed.text_after or "")
    assert only(diff, "system", "moved").text_after in ("Kind.", "Short.")
    assert only(diff, "tools", "changed").before != only(diff, "tools", "changed").after
    assert diff.slot("messages").kept == 2


def test_parameters_by_their_path() -> None:
    diff = read(story().spans).diff(2, 3)
    assert diff.parameters is not None
    assert [k._asdict() for k in diff.parameters] == [
        {"path": "options.seed", "before": "1", "after": "2"}
    ]


def test_a_call_differs_from_itself_in_nothing() -> None:
    trail = read(story().spans)
    assert trail.diff(2, 2).same
    assert not trail.diff(1, 2).same


def test_two_traces_are_compared_with_their_outputs() -> None:
    one, two = read(story().spans), read(story().spans)
    diff = one.diff(2, 3, two)
    assert [s.slot for s in diff.slots] == ["system", "messages", "tools", "output"]
    assert only(diff, "output", "changed").text_after == "So."


def test_keys_and_gaps_are_named_and_nothing_is_called_the_same() -> None:
    keyed = Writer(key=b"k" * 16, content="none")
    turn = Turn(keyed)
    turn.call([FEE], [user("Why?")])
    turn.end()
    diff = read(story().spans).diff(1, 1, read(keyed.spans))
    assert any("different keys" in note for note in diff.notes)
    assert diff.parameters is None
    writer = story()
    lost = [s for s in writer.spans if s["name"] != "compose messages"]
    diff = read(lost).diff(1, 2)
    assert any("messages of call" in note for note in diff.notes)
    assert not diff.same


@given(st.lists(st.integers(0, 6), max_size=12), st.lists(st.integers(0, 6), max_size=12))
def test_every_piece_of_both_sides_is_in_it_once(old: list[int], new: list[int]) -> None:
    def rows(of: list[int]) -> list[Any]:
        return [None if n == 6 else read_row(n) for n in of]

    pairs = paired(rows(old), rows(new), str, str)
    assert [p.new for p in pairs if p.new is not None] == list(range(len(new)))
    assert sorted(p.old for p in pairs if p.old is not None) == list(range(len(old)))


def read_row(number: int) -> Any:
    from otel_footprint.records.trail import PieceRow

    return PieceRow(f"{number:032x}", "", number, "user" if number % 2 else "base")
