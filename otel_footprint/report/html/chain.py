"""The walk from an answer to its causes, for the page: nested lists, each step where it stands."""

from __future__ import annotations

from typing import Final, NamedTuple

from ...errors import TrailError
from ...records.trail import SLOT_NAMES
from ...records.why import Finding, Hop, Place, Suspect, Why
from ...trail import Trail
from ..plain import plural
from ..why import ENDS, ground_words, hop_words
from .anchors import Anchors
from .view import Link

TURNS: Final = 20
"""Turns whose answers are walked back; of the others the command `why` does it."""
DEEP: Final = 12
HOPS: Final = 40
"""Hops that are drawn beneath one suspect."""
SUSPECTS: Final = 4
FINDINGS: Final = 40


class HopView(NamedTuple):
    """A step of the walk."""

    what: str
    quote: tuple[str, str, str]
    """Before the value, the value where it stands there verbatim, after it."""
    link: Link | None
    ground: str
    end: str
    gap: bool
    causes: tuple[HopView, ...]


class SuspectView(NamedTuple):
    """A piece that carries a value."""

    rank: int
    reasons: str
    hop: HopView


class FindingView(NamedTuple):
    """A value of the answer."""

    value: str
    kind: str
    word: str
    what: str
    first: str
    """The first suspect in a few words."""
    suspects: tuple[SuspectView, ...]
    more: str
    near: tuple[SuspectView, ...]


class WhyView(NamedTuple):
    """The walk from one answer."""

    title: str
    foreign: str
    findings: tuple[FindingView, ...]
    more: int
    gaps: tuple[str, ...]


class Chains:
    """Makes the walks of a page."""

    def __init__(self, trail: Trail, anchors: Anchors) -> None:
        self._trail = trail
        self._anchors = anchors
        self._left = TURNS

    @property
    def spent(self) -> bool:
        """As many answers are walked back as one page holds."""
        return self._left <= 0

    def of(self, call: str | None) -> WhyView | None:
        """The walk from a call's answer; None: the last answer. None where there is nothing."""
        if self.spent:
            return None
        self._left -= 1
        try:
            why = self._trail.why(None, call)
        except TrailError:
            return None
        return self._view(why) if why.findings else None

    def _view(self, why: Why) -> WhyView:
        return WhyView(
            title=f"call {why.number}" if why.number else "the last model call",
            foreign=why.foreign,
            findings=tuple(map(self._finding, why.findings[:FINDINGS])),
            more=max(0, len(why.findings) - FINDINGS),
            gaps=tuple(gap.what for gap in why.gaps[:8]),
        )

    def _finding(self, finding: Finding) -> FindingView:
        shown = finding.suspects[:SUSPECTS]
        left = len(finding.suspects) - len(shown)
        return FindingView(
            value=finding.value,
            kind="" if finding.kind == "given" else finding.kind,
            word=finding.word,
            what=finding.what,
            first=shown[0].hop.what if shown else "",
            suspects=tuple(self._suspect(s, finding.value) for s in shown),
            more=plural(left, "further suspect") if left else "",
            near=tuple(self._suspect(s, finding.value) for s in finding.near[:2]),
        )

    def _suspect(self, suspect: Suspect, value: str) -> SuspectView:
        budget = [HOPS]
        hop = self._hop(suspect.hop, value, 0, budget)
        return SuspectView(suspect.rank, "; ".join(suspect.reasons), hop)

    def _hop(self, hop: Hop, value: str, depth: int, budget: list[int]) -> HopView:
        causes = []
        for cause in hop.causes if depth < DEEP else ():
            budget[0] -= 1
            if budget[0] < 0:
                break
            causes.append(self._hop(cause, cause.value, depth + 1, budget))
        return HopView(
            what=hop_words(hop),
            quote=_marked(hop.quote, value),
            link=self._link(hop.place),
            ground=ground_words(hop.ground),
            end=ENDS[hop.end],
            gap=hop.end == "gap",
            causes=tuple(causes),
        )

    def _link(self, place: Place | None) -> Link | None:
        found = self._anchors.call(place.call) if place is not None else None
        if found is None or place is None:
            return None
        known = place.slot in SLOT_NAMES and self._has(place)
        return found._replace(anchor=f"{found.anchor}-{place.slot}") if known else found

    def _has(self, place: Place) -> bool:
        try:
            return place.slot in self._trail.call(place.call).slots
        except TrailError:
            return False


def _marked(quote: str, value: str) -> tuple[str, str, str]:
    at = quote.find(value) if value else -1
    return (quote, "", "") if at < 0 else (quote[:at], value, quote[at + len(value) :])
