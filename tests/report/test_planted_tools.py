"""The line of slot tools says what the library planted there, and whether the figure holds it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.report import diff, tree
from otel_footprint.trail import Trail, load

from ..arguments.loops import STEPS, TOOLS, OpenAILoop, Shop
from ..golden.test_golden import DATA
from ..sdk import Recording
from ..trail.test_why_recorded import read_back, written
from .page import page


def recorded(path: Path, **more: Any) -> Trail:
    recording = Recording()
    written(recording, path)
    fp = footprint.Footprint(
        "shop", content="full", **more, **recording.providers,
        arguments=footprint.Arguments(tools=TOOLS, ask=lambda _: {"f1": "payments"}),
    )  # fmt: skip
    Shop(fp)
    with fp.turn("Why?") as turn:
        OpenAILoop(fp, STEPS).run(turn)
    return read_back(fp, path)


def said(trail: Trail) -> str:
    """The line of the first call's tools."""
    lines = tree.render(trail, width=140, ascii_only=True)
    return next(" ".join(line.split()[3:]) for line in lines if "  tools  " in line)


def test_a_default_cap_counts_what_others_put_there(tmp_path: Path) -> None:
    trail = recorded(tmp_path / "trail.jsonl")
    own = trail.calls[0].slots["tools"]
    assert own.used is not None
    assert own.counted == own.used - own.planted == 364
    note = f"(+{own.planted:,} planted by Arguments, not counted)"
    assert said(trail) == f"364 / 2,000 18 % +2 {note}"
    text = " ".join(page(trail).text.split())
    assert f"tools 364 / 2,000 chars {note}" in text
    compared = "\n".join(diff.render(trail, trail.diff(1, 2), ascii_only=True))
    assert "tools     364 of 2,000 - 2 stayed" in compared


@pytest.mark.parametrize("cap", [9_000, 0])
def test_a_cap_that_was_declared_counts_it_too(tmp_path: Path, cap: int) -> None:
    trail = recorded(tmp_path / "trail.jsonl", budget=footprint.Budget(tools=cap))
    own = trail.calls[0].slots["tools"]
    of = "9,000 19 %" if cap else "no cap"
    note = f"({own.planted:,} of it planted by Arguments)"
    assert said(trail) == f"{own.used:,} / {of} +2 {note}"
    assert own.counted == own.used


def test_the_note_stands_on_a_line_of_its_own_where_it_does_not_fit() -> None:
    trail = load(DATA / "trail-format-1.jsonl")
    lines = list(tree.render(trail, width=100, ascii_only=True))
    at = next(i for i, line in enumerate(lines) if "  tools  " in line)
    own = trail.calls[0].slots["tools"]
    assert own.planted
    assert f" {own.counted} / 2,000 " in lines[at]
    assert lines[at].endswith(" %  +3")
    assert lines[at + 1].strip("| ") == f"(+{own.planted:,} planted by Arguments, not counted)"
