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


def table() -> dict[str, bool]:
    """The table of README.md: metric, and whether it is derived."""
    text = (COLLECTOR / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(footprint\.[a-z_.]+)` \| (yes|no|in part)\b", text, re.MULTILINE)
    return {name: word != "no" for name, word in rows}


def prometheus_name(metric: str) -> str:
    """As the collector's exporter spells it, without the suffix of a histogram's series."""
    entry = names.CATALOG[metric]
    base = metric.replace(".", "_")
    return f"{base}_total" if entry.type == "counter" else base


def test_the_table_names_every_metric():
    assert set(table()) == {n for n, e in names.CATALOG.items() if e.kind == "metric"}


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
        for act in (runs.healthy, runs.refuted_source, runs.unfinished_steps, runs.stuck_delivery):
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


MOVED = (
    names.METRIC_TURNS_STARTED,
    names.METRIC_TURNS_ENDED,
    names.METRIC_ACTIONS_USED,
    names.METRIC_ACTIONS_ALLOWED,
    names.METRIC_ACTIONS_EXHAUSTED,
    names.METRIC_UTILIZATION,
    names.METRIC_SLOT_UTILIZATION,
    names.METRIC_SLOT_EXCEEDED,
    names.METRIC_ARGUMENTS,
    names.METRIC_STUCK,
)
"""What the runs above move, and what is derived as a whole."""


@pytest.mark.parametrize("metric", MOVED)
def test_a_derived_metric_equals_the_sdk_s_own(run, metric):
    own, text = run
    assert table()[metric]
    assert own[metric]
    assert derived(text, metric) == own[metric]


def test_of_steps_those_that_ran_are_derived(run):
    own, text = run
    ran = ("done", "skipped")
    label = names.LABEL_OUTCOME.replace(".", "_")
    expected = {k: v for k, v in own[names.METRIC_STEPS].items() if dict(k)[label] in ran}
    assert len(expected) < len(own[names.METRIC_STEPS])
    assert derived(text, names.METRIC_STEPS) == expected


def test_what_cannot_be_derived_is_not_there(run):
    _, text = run
    for metric, is_derived in table().items():
        if not is_derived:
            assert prometheus_name(metric) not in text, metric
