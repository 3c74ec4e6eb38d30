"""Metrics that the collector makes of spans equal the SDK's own, where README.md says so."""

from __future__ import annotations

import re
from typing import Any

import pytest

from deploy.local.configs import COLLECTOR
from deploy.local.health import get, until
from otel_footprint import Budget
from otel_footprint.telemetry import names
from tests.losses.kit import Agent

from . import runs
from .collectors import Collector
from .kit import Sender, sample_values

Labels = tuple[tuple[str, str], ...]


def table() -> dict[str, str]:
    """The table of README.md: metric, and whether it is derived: yes, in part, no."""
    text = (COLLECTOR / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(footprint\.[a-z_.]+)` \| (yes|no|in part)\b", text, re.MULTILINE)
    return dict(rows)


def prometheus_name(metric: str) -> str:
    """As the collector's exporter spells it, without the suffix of a histogram's series."""
    entry = names.CATALOG[metric]
    base = metric.replace(".", "_")
    return f"{base}_total" if entry.type == "counter" else base


def test_the_table_names_every_metric():
    assert set(table()) == {n for n, e in names.CATALOG.items() if e.kind == "metric"}


RUNS = (
    runs.healthy,
    runs.refuted_source,
    runs.unfinished_steps,
    runs.left_procedure,
    runs.stuck_delivery,
    runs.waiting_delivery,
    runs.attached_program,
    runs.many_programs,
    runs.sliding,
    runs.full_window,
)
"""Beside those of `drive`; together they move every metric that is derived."""


@pytest.fixture(scope="module")
def run(programs, backends, tmp_path_factory):
    """What the SDK counted, and what the collector counted of the same spans."""
    env = {"JAEGER_OTLP": f"127.0.0.1:{backends.ports['jaeger_otlp']}", "FOOTPRINT_SHARE": "0"}
    layers = [
        "base.yaml",
        "sampling.yaml",
        "derive-metrics.yaml",
        "export-jaeger.yaml",
        "export-prometheus.yaml",
    ]
    folder = tmp_path_factory.mktemp("derive")
    with (
        Collector(programs, folder, layers, env) as collector,
        Sender(collector.url(), budget=Budget(messages=1500, system=None), name="first") as first,
        Sender(collector.url(), name="") as second,
        Sender(collector.url()) as third,
    ):
        drive(first)
        drive(second)
        for act in RUNS:
            act(third.make)
            third.flush()
        own: dict[str, dict[Labels, Any]] = {}
        for sender in (first, second, third):
            for name, points in sender.metrics_kept().items():
                for point in points:
                    labels = labels_of(point.attributes, sender.service)
                    value = (
                        point.value
                        if hasattr(point, "value")
                        else (point.count, round(point.sum, 6), tuple(point.bucket_counts))
                    )
                    own.setdefault(name, {})[labels] = value
        url = f"{collector.url('collector_metrics')}/metrics"
        ended = sum(own[names.METRIC_TURNS_ENDED].values())

        def counted() -> str | None:
            text = get(url).decode()
            found = sample_values(text, "footprint_turns_ended_total")
            return text if sum(found.values()) == ended else None

        yield own, until(counted, 60, "all turns in the collector's metrics")


def drive(sender: Sender) -> None:
    """Turns of several kinds, flushed one by one: many batches reach the connectors."""
    for turns in range(3):
        agent = Agent(sender.fp, size=900)
        with sender.fp.turn("x", action_budget=2 if turns else None):
            for _ in range(turns + 1):
                agent.say()
                sender.flush()
        sender.flush()
    agent = Agent(sender.fp)
    agent.say()  # without a turn
    agent.say()
    sender.fp.flush()
    sender.flush()


def labels_of(attributes: Any, service: str) -> Labels:
    """Labels of the SDK's point, as Prometheus spells them."""
    found = {k.replace(".", "_"): str(v) for k, v in attributes.items()}
    return tuple(sorted({**found, "job": service}.items()))


def derived(text: str, metric: str) -> dict[Labels, Any]:
    """The same of the collector's text."""
    name = prometheus_name(metric)

    def clean(labels: Labels, *without: str) -> Labels:
        kept = ((k, v) for k, v in labels if not k.startswith("otel_scope") and v)
        return tuple(sorted((k, v) for k, v in kept if k not in ("instance", *without)))

    if names.CATALOG[metric].type == "counter":
        return {clean(k): v for k, v in sample_values(text, name).items()}
    counts = {clean(k): int(v) for k, v in sample_values(text, f"{name}_count").items()}
    sums = {clean(k): round(v, 6) for k, v in sample_values(text, f"{name}_sum").items()}
    buckets: dict[Labels, list[tuple[float, int]]] = {}
    for labels, value in sample_values(text, f"{name}_bucket").items():
        edge = float(dict(labels)["le"].replace("+Inf", "inf"))
        buckets.setdefault(clean(labels, "le"), []).append((edge, int(value)))
    out = {}
    for labels, count in counts.items():
        running = [v for _, v in sorted(buckets[labels])]
        single = tuple(b - a for a, b in zip([0, *running], running, strict=False))
        out[labels] = (count, sums[labels], single)
    return out


WHOLE = [name for name, how in table().items() if how == "yes"]


@pytest.mark.parametrize("metric", WHOLE)
def test_a_derived_metric_equals_the_sdk_s_own(run, metric):
    own, text = run
    assert own[metric]
    assert derived(text, metric) == own[metric]


def test_the_runs_move_steps_and_attachments_of_all_kinds(run):
    own, _ = run

    def kinds(metric: str, label: str) -> set[str]:
        return {dict(labels)[label.replace(".", "_")] for labels in own[metric]}

    outcomes = {"done", "skipped", "unfinished", "abandoned"}
    assert kinds(names.METRIC_STEPS, names.LABEL_OUTCOME) == outcomes
    programs = {"completed", "older", "over_size", "unreadable", "unprintable"}
    assert kinds(names.METRIC_ATTACHMENTS, names.LABEL_KIND) == programs
    waits = {"role-not-last", "unanswered-tool-call"}
    assert kinds(names.METRIC_DEFERRED, names.LABEL_REASON) == waits


def test_of_what_left_that_which_a_window_took_out_is_derived(run):
    own, text = run
    agent, reason = (k.replace(".", "_") for k in (names.AGENT, names.LABEL_REASON))
    expected = {
        tuple(pair for pair in labels if pair[0] != agent): n
        for labels, n in own[names.METRIC_EVICTED].items()
        if dict(labels)[reason] == "window"
    }
    assert list(expected.values()) == [7]
    assert derived(text, names.METRIC_EVICTED) == expected


def test_calls_after_which_no_further_one_fits_are_derived(run):
    own, text = run
    found = derived(text, names.METRIC_CALLS_LEFT)
    who = {labels: own[names.METRIC_CALLS_LEFT][labels] for labels in found}
    assert {dict(labels)["gen_ai_agent_name"] for labels in who} == {"stuffed"}
    (mine,), (theirs,) = found.values(), who.values()
    assert mine[0] == mine[2][0] == sum(theirs[2][:2]), "all that are under one"


def test_what_cannot_be_derived_is_not_there(run):
    _, text = run
    for metric, how in table().items():
        if how == "no":
            assert prometheus_name(metric) not in text, metric
