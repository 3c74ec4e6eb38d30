"""Judges what `why` says of a scenario, and what plain text search would have said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from otel_footprint.records.why import CONFIDENT, Finding, Suspect
from otel_footprint.trail import Trail, load
from otel_footprint.trail.content import parts_of
from otel_footprint.trail.why import why

from .scenario import Scenario, names


class Judged(NamedTuple):
    """How one scenario came out."""

    scenario: Scenario
    word: str
    place: int
    """1-based place of the first true piece among the suspects; 0: not among them."""
    first: bool
    """Only true pieces stand first; where several are true, all of them."""
    confident: bool
    earliest: bool
    """The earliest hit of plain text search is a true piece."""
    latest: bool
    finding: Finding

    @property
    def tied(self) -> bool:
        """A tie that was not there."""
        return self.word == "tie" and len(self.scenario.truth) < 2


def judge(scenario: Scenario, path: Path) -> Judged:
    """Asks `why` of the trail that a scenario left."""
    trail = load(path)
    (finding, *_) = why(trail, scenario.value).findings
    truth = true_hashes(trail, scenario)
    hits = [_is_true(s, truth) for s in finding.suspects]
    first = [_is_true(s, truth) for s in finding.first]
    enough = len(first) >= len(scenario.truth) or len(scenario.truth) < 2
    found = text_search(trail, scenario.value)
    return Judged(
        scenario,
        finding.word,
        hits.index(True) + 1 if True in hits else 0,
        bool(first) and all(first) and enough,
        finding.word in CONFIDENT,
        bool(found) and found[0] in truth,
        bool(found) and found[-1] in truth,
        finding,
    )


def _is_true(suspect: Suspect, truth: set[str]) -> bool:
    return suspect.place.hash in truth


def true_hashes(trail: Trail, scenario: Scenario) -> set[str]:
    """Identities of the true pieces on the trail."""
    known = names(scenario)
    wanted = {known[name]: name.endswith(".arguments") for name in scenario.truth}
    cuts = {
        name: size for turn in scenario.turns for call in turn["calls"]
        for name, size in call.get("cut", {}).items()
    }  # fmt: skip
    for name, size in cuts.items():
        if name in scenario.truth:
            wanted[known[name][:size] + " [cut]"] = False
    tools = {t["name"] for t in scenario.tools if t.get("as") in scenario.truth}
    out: set[str] = set()
    for call in trail.calls:
        rows = [(slot, r) for slot in call.slots for r in trail.rows(call, slot).rows]
        for slot, row in [*rows, *(("output", r) for r in call.output)]:
            if row is None:
                continue
            if slot == "tools":
                if row.id in tools:
                    out.add(row.hash)
                continue
            for part in parts_of(trail, call, row) or ():
                arguments = wanted.get(part.text)
                if part.kind == "tool_call":
                    arguments = _same_json(part.text, wanted)
                if arguments is not None and arguments == (part.kind == "tool_call"):
                    out.add(row.hash)
    return out


def _same_json(text: str, wanted: dict[str, bool]) -> bool | None:
    """Arguments are compared as JSON: a client may spell them in another way."""
    for each, arguments in wanted.items():
        if arguments and json.loads(each) == json.loads(text or "null"):
            return True
    return None


def text_search(trail: Trail, value: str) -> list[str]:
    """Identities of the pieces in which the value stands as a plain substring, in order.

    The order is that in which they came in front of a model: call by call, system, tools, then
    messages. The answer itself is left out.
    """
    out: dict[str, None] = {}
    for call in trail.calls:
        for slot in ("system", "tools", "messages"):
            for row in trail.rows(call, slot).rows:
                if row is None or row.hash in out:
                    continue
                if any(value in p.text for p in parts_of(trail, call, row) or ()):
                    out[row.hash] = None
    return list(out)
