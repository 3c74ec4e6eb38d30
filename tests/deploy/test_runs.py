"""What runs that go wrong are counted as: the figures behind every alert and panel."""

from __future__ import annotations

from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.telemetry import names
from tests.e2e import runs
from tests.sdk import Recording


@pytest.fixture
def make(recording: Recording) -> runs.Make:
    return lambda name, **options: footprint.Footprint(name, **options, **recording.providers)


def counted(recording: Recording, metric: str, *labels: str) -> dict[Any, float]:
    """Values of a counter, or counts of a histogram, by labels."""
    out: dict[Any, float] = {}
    data = recording.reader.get_metrics_data()
    for resource in data.resource_metrics if data else ():
        for scope in resource.scope_metrics:
            for found in scope.metrics:
                for point in found.data.data_points if found.name == metric else ():
                    key = tuple(point.attributes.get(label, "") for label in labels)
                    n = point.value if hasattr(point, "value") else point.count
                    out[key] = out.get(key, 0) + n
    return out


def test_steps_by_outcome(make: runs.Make, recording: Recording) -> None:
    runs.healthy(make)
    runs.unfinished_steps(make)
    got = counted(
        recording, names.METRIC_STEPS, names.AGENT, names.LABEL_PROCEDURE, names.LABEL_OUTCOME
    )
    assert got == {
        ("steady", "care", "done"): 2,
        ("early", "care", "done"): 1,
        ("early", "care", "unfinished"): 2,
    }


def test_verdicts_and_why_a_claim_did_not_hold(make: runs.Make, recording: Recording) -> None:
    runs.healthy(make)
    runs.refuted_source(make)
    labels = (names.AGENT, names.TOOL_NAME, names.LABEL_VERDICT, names.LABEL_FAILED)
    got = counted(recording, names.METRIC_ARGUMENTS, *labels)
    assert got[("steady", "look", "said", "")] == 1
    assert [k for k in got if k[3]] == [("liar", "look", "model", "quote-not-found")]


def test_deliveries_that_wait_and_that_are_stuck(make: runs.Make, recording: Recording) -> None:
    runs.stuck_delivery(make)
    assert counted(recording, names.METRIC_STUCK, names.AGENT) == {("mute",): 1}
    deferred = counted(recording, names.METRIC_DEFERRED, names.AGENT, names.LABEL_REASON)
    assert deferred == {("mute", "role-not-last"): 1}


def test_budgets(make: runs.Make, recording: Recording) -> None:
    runs.healthy(make)
    runs.over_budget(make)
    runs.over_default(make)
    runs.spent_actions(make)
    labels = (names.AGENT, names.SLOT, names.LABEL_ORIGIN)
    assert counted(recording, names.METRIC_SLOT_EXCEEDED, *labels) == {
        ("crowded", "messages", "declared"): 2,
        ("plain", "messages", "default"): 1,
    }
    assert counted(recording, names.METRIC_ACTIONS_EXHAUSTED, names.AGENT) == {("hasty",): 1}


def test_a_turn_that_does_not_end(make: runs.Make, recording: Recording) -> None:
    runs.healthy(make)
    kept = runs.open_turn(make)
    assert counted(recording, names.METRIC_TURNS_STARTED, names.AGENT) == {
        ("steady",): 1,
        ("gone",): 1,
    }
    assert counted(recording, names.METRIC_TURNS_ENDED, names.AGENT) == {("steady",): 1}
    kept.end()
