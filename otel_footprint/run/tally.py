"""Counts what injection reports: deliveries and steps."""

from __future__ import annotations

from ..records.injection import (
    Abandoned,
    Deferred,
    Note,
    StepAdvanced,
    StepSkipped,
    StepsUnfinished,
    Stuck,
)
from ..telemetry import names
from .turn import Turn


def tally(turn: Turn, note: Note) -> None:
    """Counts one note of a turn; most kinds are not counted."""
    if isinstance(note, Deferred):
        _count(turn, names.METRIC_DEFERRED, (names.LABEL_REASON, note.reason))
    elif isinstance(note, Stuck):
        _count(turn, names.METRIC_STUCK)
    elif isinstance(note, StepAdvanced):
        _step(turn, note.skill, "done")
    elif isinstance(note, StepSkipped):
        _step(turn, note.skill, "skipped")
    elif isinstance(note, Abandoned):
        _step(turn, note.skill, "abandoned", len(note.remaining))
    elif isinstance(note, StepsUnfinished) and note.how != "nudged":  # that one is still open
        _step(turn, note.skill, "unfinished", len(note.remaining))


def _step(turn: Turn, skill: str, outcome: str, n: int = 1) -> None:
    _count(
        turn,
        names.METRIC_STEPS,
        (names.LABEL_PROCEDURE, skill),
        (names.LABEL_OUTCOME, outcome),
        n=n,
    )


def _count(turn: Turn, metric: str, *labels: tuple[str, str], n: int = 1) -> None:
    span = turn.span_context
    turn.core.metrics.count(metric, ((names.AGENT, turn.said_agent), *labels), n, span)
