"""Each panel's query, run in a real Prometheus that real runs have filled, says what they were."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

pytest.importorskip("grafana_foundation_sdk")

from deploy.dashboards.pages import PAGES
from deploy.dashboards.panels import Chart
from deploy.local import Ports, Stack
from deploy.local.health import get, until
from otel_footprint.telemetry import names

from . import runs
from .conftest import found
from .fleet import Fleet, named, query

CHARTS = {chart.title: chart for page in PAGES for part in page.parts for chart in part.charts}


@pytest.fixture(scope="module")
def stack(tmp_path_factory) -> Iterator[Stack]:
    folder, programs = tmp_path_factory.mktemp("panels"), found("prometheus")
    with Stack(folder, Ports.free(), programs, services=("prometheus",), rules=[]) as made:
        yield made


@pytest.fixture(scope="module")
def fleet(stack) -> Iterator[Fleet]:
    """A service in which everything happened once, sent to Prometheus."""
    made = Fleet(stack, "shop", "i1", loses_spans=True)
    runs.healthy(made.make)
    runs.over_budget(made.make)
    runs.over_default(made.make)
    runs.full_window(made.make)
    runs.spent_actions(made.make)
    runs.unfinished_steps(made.make)
    runs.refuted_source(made.make)
    runs.stuck_delivery(made.make)
    runs.attached_program(made.make)
    runs.shorter_history(made.make)
    open_turn = runs.open_turn(made.make)
    made.traces.force_flush(10_000)
    made.send()
    until(lambda: query(stack, "footprint_turns_started_total"), 30, "the metrics in Prometheus")
    yield made
    open_turn.end()
    made.close()


def shown(stack: Stack, chart: Chart, at: float | None = None, window: str = "1h"):
    """What a panel shows of service `shop`."""
    out: dict[str, float] = {}
    for one in chart.queries:
        expr = one.expr.replace("$__rate_interval", window).replace("$__range", window)
        expr = expr.replace("$job", "shop").replace("$agent", ".*")
        assert "$" not in expr
        out |= named(query(stack, expr, at), one.legend)
    return out


EXACT = {
    "Calls with a slot over its declared cap": {"crowded · messages": 2},
    "Calls with a slot over any cap": {
        "crowded · messages · declared": 2,
        "plain · messages · default": 1,
    },
    "Turns that took all their actions": {"hasty": 1},
    "Steps by outcome": {"done": 3, "unfinished": 2},
    "Steps by procedure and outcome": {"care · done": 3, "care · unfinished": 2},
    "Refuted sources, by tool and reason": {"look · quote-not-found": 1},
    "Programs under answers": {"completed": 1},
    "Programs under answers, by agent": {"coder · completed": 1},
    "Declared messages that had to wait, by reason": {"role-not-last": 1},
    "Declared messages that cannot be delivered": {"mute": 1},
}
"""Panels of counts, by what the runs in `runs` do."""
AGENTS = (
    "steady", "crowded", "plain", "stuffed", "hasty", "early", "liar", "mute", "coder", "brief",
)  # fmt: skip


@pytest.mark.parametrize("title", EXACT)
def test_counts_are_those_of_the_runs(stack, fleet, title):
    assert shown(stack, CHARTS[title]) == EXACT[title]


def test_turns_begun_ended_and_incomplete(stack, fleet):
    assert shown(stack, CHARTS["Turns begun and ended"]) == {
        **{f"begun · {agent}": 1 for agent in (*AGENTS, "gone")},
        **{f"completed · {agent}": 1 for agent in AGENTS},
    }
    assert shown(stack, CHARTS["Incomplete turns"]) == {}, "its time is not over"
    later = time.time() + 16 * 60
    assert shown(stack, CHARTS["Incomplete turns"], later) == {"shop · gone": 1}


def test_window_and_slots(stack, fleet):
    used = shown(stack, CHARTS["Window in use, 95th percentile"])
    assert used[f"stuffed · {runs.SMALL}"] == pytest.approx(
        fleet.quantile(0.95, names.METRIC_UTILIZATION, **{names.AGENT: "stuffed"})
    )
    assert used[f"stuffed · {runs.SMALL}"] > 0.9
    slots = shown(stack, CHARTS["Slots in use, 95th percentile"])
    for agent, slot, origin in (
        ("crowded", "messages", "declared"),
        ("steady", "messages", "declared"),
        ("plain", "messages", "default"),
    ):
        labels = {names.AGENT: agent, names.SLOT: slot, names.LABEL_ORIGIN: origin}
        assert slots[f"{agent} · {slot} · {origin}"] == pytest.approx(
            fleet.quantile(0.95, names.METRIC_SLOT_UTILIZATION, **labels)
        )
    left = shown(stack, CHARTS["Calls left before the window is full"])
    assert left[f"stuffed · {runs.SMALL}"] == pytest.approx(
        fleet.quantile(0.05, names.METRIC_CALLS_LEFT, **{names.AGENT: "stuffed"})
    )


def test_what_fills_the_window(stack, fleet):
    tokens = shown(stack, CHARTS["Tokens of a request, by slot"])
    assert tokens == {
        slot: pytest.approx(fleet.mean(names.METRIC_TOKENS, **{names.SLOT: slot}))
        for slot in ("system", "messages", "tools")
    }
    pieces: dict[str, float] = {}
    by_slot: dict[str, float] = {}
    for point in fleet.points(names.METRIC_PIECES):
        source, slot = point.attributes[names.LABEL_SOURCE], point.attributes[names.SLOT]
        pieces[source] = pieces.get(source, 0) + point.value
        by_slot[f"{slot} · {source}"] = by_slot.get(f"{slot} · {source}", 0) + point.value
    assert pieces["fact"] == 1
    assert pieces["user"] == len(AGENTS) + 1, "one question a turn, two in the one that is cut"
    assert shown(stack, CHARTS["Pieces that came in, by source"]) == pieces
    assert shown(stack, CHARTS["Pieces that came in, by slot and source"]) == by_slot


def test_what_left(stack, fleet):
    assert shown(stack, CHARTS["Pieces that left, by reason"])["messages · application"] == 1


def test_actions(stack, fleet):
    means = shown(stack, CHARTS["Actions of a turn, used and allowed"])
    assert means["used · steady"] == 4
    assert means["used · hasty"] == means["allowed · hasty"] == 2
    assert means["allowed · steady"] == 9
    assert {k for k in means if k.startswith("allowed")} == {"allowed · hasty", "allowed · steady"}


def test_verdicts(stack, fleet):
    verdicts = shown(stack, CHARTS["Arguments by verdict"])
    assert verdicts == {"said": 2, "model": 1, "hint": 1}, "a hint: of read_skill"


def test_losses_and_overhead(stack, fleet):
    dropped = shown(stack, CHARTS["Records dropped, by service and reason"])
    assert set(dropped) == {"shop · export_failed"}
    lost = sum(p.value for p in fleet.points(names.METRIC_DROPPED))
    assert dropped["shop · export_failed"] == lost > 20
    assert shown(stack, CHARTS["Records dropped, by reason"]) == {"export_failed": lost}
    counts = {
        p.attributes[names.LABEL_OPERATION]: p.count for p in fleet.points(names.METRIC_OVERHEAD)
    }
    assert counts["turn"] == len(AGENTS)
    assert counts["call"] > counts["tool"] > counts["turn"]
    recorded = shown(stack, CHARTS["What was recorded"])
    assert recorded == {f"shop · {operation}": n for operation, n in counts.items()}
    own = shown(stack, CHARTS["Our inline time"])
    for q in (0.5, 0.95):
        for operation in counts:
            label = {names.LABEL_OPERATION: operation}
            expected = fleet.quantile(q, names.METRIC_OVERHEAD, **label)
            assert own[f"p{q * 100:.0f} · {operation}"] == pytest.approx(expected)


def test_no_panel_is_left_out(stack, fleet):
    for title, chart in CHARTS.items():
        if title != "Incomplete turns":
            assert shown(stack, chart), title


def test_a_point_links_to_its_trace(stack, fleet):
    asked = "query_exemplars?query=footprint_context_utilization_bucket"
    at = time.time()
    url = f"{stack.url('prometheus')}/api/v1/{asked}&start={at - 600:.0f}&end={at + 60:.0f}"
    series_found = json.loads(get(url))["data"]
    traces = {e["labels"]["trace_id"] for series in series_found for e in series["exemplars"]}
    assert traces
    assert all(len(trace) == 32 for trace in traces)


def test_what_grows_later_is_counted_too(stack):
    made = Fleet(stack, "late", "i1")
    expr = CHARTS["Turns begun and ended"].queries[0].expr
    expr = expr.replace("$job", "late").replace("$agent", ".*").replace("$__rate_interval", "4s")
    for _ in range(3):
        runs.spent_actions(made.make)

    def sent_for_a_while() -> bool:
        made.send()
        return bool(query(stack, 'footprint_turns_started_total{job="late"} offset 4s'))

    until(sent_for_a_while, 30, "a sample of 4 s ago")
    for _ in range(2):
        runs.spent_actions(made.make)
    made.send()
    (series,) = query(stack, expr)
    assert 2 <= float(series["value"][1]) < 3, "what was there 4 s ago is not counted again"
    made.close()
