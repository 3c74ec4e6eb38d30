"""What a call made of a slot: added, removed, changed, moved."""

from __future__ import annotations

from otel_footprint.trail import Change, Trail

from .builder import Piece, Turn, Writer, assistant, result, user
from .conftest import read


def pieces(writer: Writer, *calls: list[Piece], keyframe: bool = False) -> Trail:
    turn = Turn(writer)
    for i, messages in enumerate(calls):
        turn.call([], messages, keyframe=keyframe and i > 0)
    return read(writer.spans)


def change(trail: Trail, number: int) -> Change:
    found = trail.change(trail.call(number), "messages")
    assert found is not None
    return found


def said(change: Change, field: str, trail: Trail) -> list[str]:
    return [trail.texts.shown(row) or "" for row in getattr(change, field)]


def test_of_a_first_call_all_is_new(writer: Writer) -> None:
    trail = pieces(writer, [user("a"), user("b")])
    assert len(change(trail, 1).added) == 2
    assert change(trail, 1).base == ""
    assert trail.change(trail.call(1), "tools") == Change("tools", "", (), (), (), (), 0)


def test_a_slot_that_stayed_has_no_change(writer: Writer) -> None:
    trail = pieces(writer, [user("a")], [user("a")])
    assert trail.change(trail.call(2), "messages") is None
    assert trail.call(2).slots["messages"].composer == trail.call(1).id


def test_added_and_removed_for_deltas_and_keyframes(writer: Writer) -> None:
    for keyframe in (False, True):
        trail = pieces(
            Writer(), [user("a"), user("b"), user("c")], [user("b"), user("c"), assistant("d")],
            keyframe=keyframe,
        )  # fmt: skip
        found = change(trail, 2)
        assert ["a" in t for t in said(found, "removed", trail)] == [True]
        assert ['"d"' in t for t in said(found, "added", trail)] == [True]
        assert found.changed == found.moved == ()
        assert found.base == trail.call(1).id


def test_a_piece_of_the_same_id_in_the_same_place_changed(writer: Writer) -> None:
    trail = pieces(writer, [user("a"), result("c1", "long")], [user("a"), result("c1", "short")])
    found = change(trail, 2)
    assert [(c.before is not None and c.before.id, c.after.id) for c in found.changed] == [
        ("c1", "c1")
    ]
    assert found.added == found.removed == ()


def test_another_spelling_of_a_piece_changed(writer: Writer) -> None:
    one = Piece({"role": "user", "content": "a"}, "user", "user", identity="same")
    two = Piece({"content": "a", "role": "user"}, "user", "user", identity="same")
    found = change(pieces(writer, [one], [two]), 2)
    assert found.changed[0].before is not None
    assert found.changed[0].before.hash == found.changed[0].after.hash
    assert found.changed[0].before.exact != found.changed[0].after.exact


def test_a_piece_that_stands_elsewhere_moved(writer: Writer) -> None:
    trail = pieces(writer, [user("a"), user("b"), user("c")], [user("c"), user("a"), user("b")])
    found = change(trail, 2)
    assert ["c" in t for t in said(found, "moved", trail)] == [True]
    assert found.added == found.removed == ()


def test_rows_that_are_missing_are_counted_not_guessed(writer: Writer) -> None:
    turn = Turn(writer)
    turn.call([], [user(f"{i}") for i in range(6)], parts=3)
    lost = [s for s in writer.spans if s["name"] == "compose messages"][1]
    found = change(read([s for s in writer.spans if s is not lost]), 1)
    assert found.unknown == 2
    assert len(found.added) == 4
