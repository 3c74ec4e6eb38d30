"""The metric set, drained by real readers of the real SDK."""

from __future__ import annotations

import os
import threading

import pytest
from opentelemetry import metrics as api
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import (
    InMemoryMetricReader,
    MetricExporter,
    MetricExportResult,
    PeriodicExportingMetricReader,
)
from opentelemetry.sdk.trace import TracerProvider

from otel_footprint.telemetry import buckets, drain, guard, metrics, names
from otel_footprint.telemetry.metrics import Metrics


def points(data) -> dict[str, list]:
    """Data points by metric name."""
    found: dict[str, list] = {}
    if data is None:
        return found
    for resource in data.resource_metrics:
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                found.setdefault(metric.name, []).extend(metric.data.data_points)
    return found


def by(point_list, key: str) -> dict:
    return {p.attributes.get(key): p for p in point_list}


@pytest.fixture
def reader():
    return InMemoryMetricReader()


@pytest.fixture
def m(reader):
    provider = MeterProvider([reader], shutdown_on_exit=False)
    yield Metrics(provider)
    provider.shutdown()


def one_call(m: Metrics, span=None, agent="refunds", model="gpt-x", **change):
    fields = {
        "used": (100, 12_000, 300),
        "caps": (4000, 10_000, 0),
        "origins": ("default", "declared", "default"),
        "tokens": (25, 3000, 100),
        "utilization": 0.87,
        "calls_left": 4.5,
        "pieces": {("messages", "user"): 1, ("messages", "tool-result"): 2},
        "overhead": 0.0002,
        **change,
    }
    m.call(agent, model, *fields.values(), span)


def test_a_call_lands_in_the_same_collection(m, reader):
    one_call(m)
    one_call(m)
    got = points(reader.get_metrics_data())
    assert set(got) == {
        names.METRIC_TOKENS, names.METRIC_SLOT_UTILIZATION, names.METRIC_SLOT_EXCEEDED,
        names.METRIC_UTILIZATION, names.METRIC_CALLS_LEFT, names.METRIC_PIECES,
        names.METRIC_OVERHEAD,
    }  # fmt: skip
    tokens = by(got[names.METRIC_TOKENS], names.SLOT)
    assert {slot: (p.count, p.sum) for slot, p in tokens.items()} == {
        "system": (2, 50), "messages": (2, 6000), "tools": (2, 200),
    }  # fmt: skip
    assert dict(tokens["system"].attributes) == {
        names.AGENT: "refunds", names.REQUEST_MODEL: "gpt-x", names.SLOT: "system",
    }  # fmt: skip
    filled = by(got[names.METRIC_SLOT_UTILIZATION], names.SLOT)
    assert set(filled) == {"system", "messages"}
    assert filled["messages"].sum == pytest.approx(2.4)
    assert filled["messages"].attributes[names.LABEL_ORIGIN] == "declared"
    (exceeded,) = got[names.METRIC_SLOT_EXCEEDED]
    assert exceeded.value == 2
    assert exceeded.attributes[names.SLOT] == "messages"
    pieces = by(got[names.METRIC_PIECES], names.LABEL_SOURCE)
    assert {s: p.value for s, p in pieces.items()} == {"user": 2, "tool-result": 4}
    (used,) = got[names.METRIC_UTILIZATION]
    assert tuple(used.explicit_bounds) == buckets.BOUNDARIES[names.METRIC_UTILIZATION]
    assert used.sum == pytest.approx(1.74)
    (left,) = got[names.METRIC_CALLS_LEFT]
    assert (left.count, left.sum) == (2, 9)
    (own,) = got[names.METRIC_OVERHEAD]
    assert own.attributes == {names.LABEL_OPERATION: "call"}


def test_what_is_not_known_is_not_recorded(m, reader):
    one_call(m, model="", utilization=None, calls_left=None, pieces={}, caps=(0, 0, 0))
    one_call(m, agent="", utilization=float("nan"), calls_left=float("inf"), pieces={})
    got = points(reader.get_metrics_data())
    assert names.METRIC_UTILIZATION not in got
    assert names.METRIC_CALLS_LEFT not in got
    assert names.METRIC_PIECES not in got
    whose = [dict(p.attributes) for p in got[names.METRIC_TOKENS]]
    assert {names.AGENT: "refunds", names.SLOT: "tools"} in whose
    assert {names.REQUEST_MODEL: "gpt-x", names.SLOT: "tools"} in whose


def test_turns_evictions_losses_and_every_other_metric(m, reader):
    m.turn_started("a", 12)
    m.turn_started("a")
    m.turn_ended("a", "completed", 7)
    m.turn_ended("b", "completed", 11, allowed=12)
    m.turn_ended("a", "error", 12, allowed=12)
    m.evicted("a", "messages", "budget", 3)
    m.dropped("queue_full", 2)
    m.dropped("queue_full")
    m.overhead("turn", 0.001)
    m.count(names.METRIC_STEPS, ((names.LABEL_PROCEDURE, "p"), (names.LABEL_OUTCOME, "done")), 4)
    got = points(reader.get_metrics_data())
    assert [p.value for p in got[names.METRIC_TURNS_STARTED]] == [2]
    assert [p.sum for p in got[names.METRIC_ACTIONS_ALLOWED]] == [12]
    assert by(got[names.METRIC_TURNS_ENDED], names.LABEL_OUTCOME)["completed"].value == 1
    used = by(got[names.METRIC_ACTIONS_USED], names.AGENT)
    assert {agent: p.sum for agent, p in used.items()} == {"a": 19, "b": 11}
    (exhausted,) = got[names.METRIC_ACTIONS_EXHAUSTED]
    assert (exhausted.value, exhausted.attributes[names.AGENT]) == (1, "a")
    assert by(got[names.METRIC_EVICTED], names.LABEL_REASON)["budget"].value == 3
    assert by(got[names.METRIC_DROPPED], names.LABEL_REASON)["queue_full"].value == 3
    assert by(got[names.METRIC_STEPS], names.LABEL_OUTCOME)["done"].value == 4
    assert by(got[names.METRIC_OVERHEAD], names.LABEL_OPERATION)["turn"].sum == 0.001


def test_every_histogram_of_the_catalogue_has_buckets(m, reader):
    for entry in names.CATALOG.values():
        if entry.kind == "metric":
            assert entry.type in ("histogram", "counter")
            assert (entry.type == "histogram") == (entry.name in buckets.BOUNDARIES)
            if entry.type == "histogram":
                m.record(entry.name, (), 1)
            else:
                m.count(entry.name, ())
    got = points(reader.get_metrics_data())
    assert set(got) == {e.name for e in names.CATALOG.values() if e.kind == "metric"}
    for bounds in buckets.BOUNDARIES.values():
        assert list(bounds) == sorted(bounds)


def test_a_swallowed_failure_is_counted(m, reader):
    before = guard.set_raising(False)
    guard.forget()
    try:
        with guard.guard("test"):
            raise ValueError("content")
        one_call(m)
        got = points(reader.get_metrics_data())
        assert by(got[names.METRIC_DROPPED], names.LABEL_REASON)["failure"].value == 1
        again = points(reader.get_metrics_data())
        assert by(again[names.METRIC_DROPPED], names.LABEL_REASON)["failure"].value == 1
    finally:
        guard.set_raising(before)
        guard.forget()


def test_exemplars_link_to_the_trace_without_holding_the_span(m, reader):
    tracer = TracerProvider(shutdown_on_exit=False).get_tracer("test")
    span = tracer.start_span("call")
    context = span.get_span_context()
    one_call(m, context)
    one_call(m, trace.SpanContext(1, 2, False, trace.TraceFlags(0)), calls_left=99.0)
    one_call(m, calls_left=3.0)
    span.end()
    with tracer.start_as_current_span("whoever collects"):
        got = points(reader.get_metrics_data())
    for metric in (names.METRIC_UTILIZATION, names.METRIC_SLOT_EXCEEDED, names.METRIC_PIECES):
        for point in got[metric]:
            assert [(e.trace_id, e.span_id) for e in point.exemplars] == [
                (context.trace_id, context.span_id)
            ]
    (left,) = got[names.METRIC_CALLS_LEFT]
    assert list(left.exemplars) == [], "only what one is alarmed by has exemplars"


def test_labels_are_bounded(m, reader):
    for i in range(drain.MAX_VALUES + 7):
        m.turn_started(f"agent {i}")
    got = points(reader.get_metrics_data())
    started = by(got[names.METRIC_TURNS_STARTED], names.AGENT)
    assert len(started) == drain.MAX_VALUES + 1
    assert started[drain.OTHER].value == 7
    assert by(got[names.METRIC_DROPPED], names.LABEL_REASON)["label_limit"].value == 7


class Keep(MetricExporter):
    def __init__(self):
        super().__init__()
        self.got: list = []

    def export(self, metrics_data, timeout_millis=10_000, **kwargs):
        self.got.append(metrics_data)
        return MetricExportResult.SUCCESS

    def shutdown(self, timeout_millis=30_000, **kwargs):
        pass

    def force_flush(self, timeout_millis=10_000):
        return True


def test_periodic_reader_beside_another_one():
    exporter, other = Keep(), InMemoryMetricReader()
    periodic = PeriodicExportingMetricReader(exporter, export_interval_millis=1e9)
    provider = MeterProvider([periodic, other], shutdown_on_exit=False)
    m = Metrics(provider)
    one_call(m)
    provider.force_flush()
    one_call(m)
    provider.shutdown()
    first, last = (points(d)[names.METRIC_OVERHEAD][0].count for d in exporter.got[-2:])
    assert (first, last) == (1, 2)


def test_work_before_each_collection_while_its_owner_lives(reader):
    class Owner:
        def __init__(self, m):
            self.m = m

        def work(self):
            self.m.dropped("seen")

    provider = MeterProvider([reader], shutdown_on_exit=False)
    m = Metrics(provider)
    early = Owner(m)
    m.each_collection(early.work)
    assert m.enabled
    late = Owner(m)
    m.each_collection(late.work)

    def seen():
        return by(points(reader.get_metrics_data())[names.METRIC_DROPPED], names.LABEL_REASON)

    assert seen()["seen"].value == 2
    del early
    assert seen()["seen"].value == 3
    provider.shutdown()


def test_all_metrics_of_a_provider_share_one_queue(reader):
    provider = MeterProvider([reader], shutdown_on_exit=False)
    one_call(Metrics(provider))
    m = Metrics(provider)
    one_call(m)
    assert points(reader.get_metrics_data())[names.METRIC_OVERHEAD][0].count == 2
    provider.shutdown()


def test_no_reader_collects_for_a_long_time(m, reader):
    for _ in range(metrics.BOUND * 3):
        one_call(m)
    for thread in threading.enumerate():
        if thread.name == "otel-footprint-metrics":
            thread.join()
    assert len(m._found.queue) < metrics.BOUND
    assert points(reader.get_metrics_data())[names.METRIC_OVERHEAD][0].count == metrics.BOUND * 3


def test_a_queue_that_cannot_be_drained_drops_the_oldest_and_says_so(m, reader):
    assert m.enabled
    with m._found._lock:
        for _ in range(metrics.CAPACITY + 9):
            m.turn_started("a")
        assert len(m._found.queue) == metrics.CAPACITY
    got = points(reader.get_metrics_data())
    assert by(got[names.METRIC_DROPPED], names.LABEL_REASON)["metrics_full"].value in (9, 10)


def test_many_threads(m, reader):
    def work():
        for _ in range(500):
            one_call(m)
            m.dropped("x")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        reader.get_metrics_data()
        t.join()
    got = points(reader.get_metrics_data())
    m.flush()
    got = points(reader.get_metrics_data())
    assert got[names.METRIC_OVERHEAD][0].count == 4000
    assert by(got[names.METRIC_DROPPED], names.LABEL_REASON)["x"].value == 4000


def test_without_an_sdk_provider_nothing_happens():
    m = Metrics(api.NoOpMeterProvider())
    assert not m.enabled
    one_call(m)
    m.turn_started("a")
    m.flush()
    assert m._found is None


def test_a_disabled_sdk_is_no_provider(monkeypatch):
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    provider = MeterProvider(shutdown_on_exit=False)
    assert not Metrics(provider).enabled


def test_a_global_provider_set_later_is_found(monkeypatch, reader):
    m = Metrics()
    monkeypatch.setattr(api, "get_meter_provider", api.NoOpMeterProvider)
    assert not m.enabled
    provider = MeterProvider([reader], shutdown_on_exit=False)
    monkeypatch.setattr(api, "get_meter_provider", lambda: provider)
    m._look_at = 0.0
    assert m.enabled
    one_call(m)
    assert names.METRIC_OVERHEAD in points(reader.get_metrics_data())
    provider.shutdown()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_does_not_record_what_waited_in_its_parent(m, reader):
    for _ in range(5):
        m.turn_started("a")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            m.turn_started("a")
            waiting = len(m._found.queue)
            m.flush()
            got = points(reader.get_metrics_data())[names.METRIC_TURNS_STARTED]
            status = 0 if waiting == 1 and got[0].value == 1 else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert points(reader.get_metrics_data())[names.METRIC_TURNS_STARTED][0].value == 5
