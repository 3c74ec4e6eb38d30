"""Where calls stand on the page: ids that hold nothing of the trail."""

from __future__ import annotations

from ...trail import Trail
from .view import Link


class Anchors:
    """The ids of calls and turns on the page, and what they are called in a link."""

    def __init__(self, trail: Trail) -> None:
        several = len(trail.turns) > 1
        self._of: dict[str, Link] = {}
        self._turns: dict[str, Link] = {}
        for at, turn in enumerate(trail.turns, 1):
            self._turns[turn.id] = Link(f"turn{at}", f"turn {at}" if several else "the turn")
            for call in turn.calls:
                name = f"call {call.number or '?'}"
                name += f" of turn {at}" if several else ""
                self._of[call.id] = Link(f"c{len(self._of) + 1}", name)
        self._names = {link.anchor: link for link in self._of.values()}

    def call(self, id_: str) -> Link | None:
        """The place of a call; None when it is not on the page."""
        return self._of.get(id_)

    def turn(self, id_: str) -> Link:
        """The place of a turn."""
        return self._turns[id_]

    def named(self, anchor: str) -> Link | None:
        """The call that stands at an anchor."""
        return self._names.get(anchor)
