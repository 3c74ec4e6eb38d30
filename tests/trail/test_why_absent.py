"""What was to be had and was not in front of the model: removed, left, skipped, later, withheld."""

from __future__ import annotations

from typing import Any

import pytest

from otel_footprint.report.why import render_absent
from otel_footprint.trail import Trail

from .builder import Turn, Writer, assistant, system, user
from .conftest import read

RULES = system("You are the agent of a shop.")
NOTE = user("Members may send goods back within 14 days of delivery.")
ASK, ANSWER = user("How long?"), assistant("A while.")


def two_calls(writer: Writer, first: list[Any], second: list[Any], *events: Any) -> Trail:
    turn = Turn(writer)
    turn.call([RULES], first, [], [assistant("I look.")])
    turn.call([RULES], second, [], [ANSWER], events=list(events))
    turn.end()
    return read(writer.spans)


def kinds(trail: Trail, text: str, call: int | None = None) -> list[str]:
    return [m.kind for m in trail.absent(text, call).found]


def test_what_was_in_front_is_said_to_have_been(writer: Writer) -> None:
    trail = two_calls(writer, [NOTE, ASK], [NOTE, ASK])
    found = trail.absent("14 days")
    assert found.in_front
    assert found.found[0].ground.event == "footprint.slot.composed"
    assert found.found[0].what.endswith(
        "(a person's message, messages 1, first in front of call 1)"
    )
    assert "  in front  it stood there" in "\n".join(render_absent(trail, found))


def test_what_left_without_a_word_is_told_from_what_was_taken_out(writer: Writer) -> None:
    assert kinds(two_calls(writer, [NOTE, ASK], [ASK]), "14 days") == ["left"]
    other = Writer(2)
    row = Turn(other).w.row(NOTE)
    event = {"footprint.removed.hash": row.hash, "footprint.removed.reason": "window"}
    trail = two_calls(Writer(3), [NOTE, ASK], [ASK], ("footprint.context.removed", event))
    (found,) = trail.absent("14 days").found
    assert (found.kind, found.ground.event) == ("removed", "footprint.context.removed")
    assert found.what.startswith("it stood in front of call 1 and was taken out before call 2")
    assert "window" in found.what


def test_what_came_later_is_said_to_have(writer: Writer) -> None:
    assert kinds(two_calls(writer, [ASK], [ASK, NOTE]), "14 days", 1) == ["later"]


def test_the_reason_is_printed_once(writer: Writer) -> None:
    trail = two_calls(writer, [ASK], [ASK, NOTE])
    found = trail.absent("14 days", 1)
    said = " ".join(" ".join(render_absent(trail, found)).split())
    assert said.count("it came in only with call 2") == 1
    assert "it was to be had and not in front of call 1 later it came in only with" in said


@pytest.mark.parametrize(
    ("event", "attributes", "kind"),
    [
        ("footprint.context.skipped", {"injection.id": "terms", "injection.skip": "missing-fact",
         "injection.error": "{country}"}, "skipped"),
        ("footprint.delivery.deferred", {"injection.id": "terms",
         "delivery.reason": "unanswered-tool-call"}, "deferred"),
        ("footprint.offer.withheld", {"offer.tool": "terms", "offer.reason": "no-dispatcher"},
         "withheld"),
    ],
)  # fmt: skip
def test_what_was_not_let_in_is_named_with_the_reason(
    writer: Writer, event: str, attributes: dict[str, str], kind: str
) -> None:
    made = {f"footprint.{k}": v for k, v in attributes.items()}
    trail = two_calls(writer, [ASK], [ASK], (event, made))
    (found,) = trail.absent("terms").found
    assert (found.kind, found.ground.event) == (kind, event)
    assert list(attributes.values())[-1] in found.what
    unnamed = trail.absent("14 days")
    assert (unnamed.found, [m.kind for m in unnamed.near]) == ((), [kind])


def test_what_nothing_had_is_said_to_be_nowhere(writer: Writer) -> None:
    found = two_calls(writer, [ASK], [ASK]).absent("zebra crossing")
    assert (found.found, found.near) == ((), ())
    assert "nothing on the trail had it" in found.what
    assert kinds(two_calls(Writer(content="none"), [ASK], [ASK]), "zebra") == ["unread"]
