"""Requests stay small, and every span is acknowledged or lost, once, with its own ids."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF

from otel_footprint.telemetry import names
from otel_footprint.telemetry.delivery import Deliveries
from otel_footprint.telemetry.export import BoundedExporter, TrackedBatchSpanProcessor
from otel_footprint.telemetry.metrics import Metrics
from otel_footprint.telemetry.sizes import shared_size, span_size
from tests.quick import examples

Id = tuple[int, int]
LARGE = 3_600_000.0


class Account:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.ok: list[Id] = []
        self.gone: list[tuple[Id, str]] = []
        self.told = threading.Semaphore(0)

    def acknowledged(self, spans: Sequence[Id]) -> None:
        self.ok += spans
        self.told.release()

    def lost(self, spans: Sequence[Id], reason: str) -> None:
        self.gone += [(span, reason) for span in spans]
        self.told.release()


class Steps(SpanExporter):
    """An exporter whose answers and waits a test decides."""

    def __init__(self, *answers) -> None:
        self.answers = list(answers)
        self.batches: list[list[ReadableSpan]] = []
        self.entered = threading.Semaphore(0)
        self.go = threading.Event()
        self.go.set()

    def export(self, spans):
        self.entered.release()
        assert self.go.wait(30)
        self.batches.append(list(spans))
        answer = self.answers.pop(0) if self.answers else SpanExportResult.SUCCESS
        if isinstance(answer, Exception):
            raise answer
        return answer

    def shutdown(self):
        pass

    def force_flush(self, timeout_millis=30_000):
        return True


def id_of(span) -> Id:
    context = span.get_span_context()
    return context.trace_id, context.span_id


def tracked(exporter, account, queue=16, batch=4, **more):
    provider = TracerProvider(shutdown_on_exit=False)
    processor = TrackedBatchSpanProcessor(
        exporter, account.acknowledged, account.lost, max_queue_size=queue,
        max_export_batch_size=batch, schedule_delay_millis=LARGE, **more,
    )  # fmt: skip
    provider.add_span_processor(processor)
    return provider, processor


def emit(provider, n, **attributes) -> list[Id]:
    tracer = provider.get_tracer("test")
    ids = []
    for i in range(n):
        span = tracer.start_span(f"s{i}", attributes=attributes)
        span.end()
        ids.append(id_of(span))
    return ids


# --- size ----------------------------------------------------------------------------------


def test_no_request_is_over_the_bound_and_nothing_is_missing(receiver):
    exporter = BoundedExporter(OTLPSpanExporter(f"{receiver.endpoint}/v1/traces"))
    account = Account()
    provider, _ = tracked(exporter, account, queue=2048, batch=512)
    tracer = provider.get_tracer("test")
    ids = []
    for i in range(400):
        span = tracer.start_span("compose messages")
        text = ("ä" if i % 2 else "a") * (1000 if i % 2 else 2000)
        span.add_event("footprint.slot.composed", {"footprint.text": [text] * 6})
        span.end()
        ids.append(id_of(span))
    provider.force_flush()
    sizes = [size for _, size, _, _ in receiver.requests]
    assert max(sizes) <= 3_000_000
    assert len(sizes) >= 2
    assert sum(sizes) / len(sizes) > 1_000_000
    assert receiver.ids() == ids
    assert sorted(account.ok) == sorted(ids)
    assert not account.gone
    provider.shutdown()


def test_a_grpc_receiver_with_its_default_limit_takes_everything():
    grpc = pytest.importorskip("grpc")
    from concurrent.futures import ThreadPoolExecutor

    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as messages
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc as services

    from otel_footprint.telemetry import otlp

    sizes: list[int] = []
    arrived: list[int] = []

    class Service(services.TraceServiceServicer):
        def Export(self, request, context):
            sizes.append(request.ByteSize())
            for resource in request.resource_spans:
                for scope in resource.scope_spans:
                    arrived.extend(int.from_bytes(s.span_id, "big") for s in scope.spans)
            return messages.ExportTraceServiceResponse()

    server = grpc.server(ThreadPoolExecutor(2))
    services.add_TraceServiceServicer_to_server(Service(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    account = Account()
    exporter = otlp.exporter(otlp.target("traces", f"http://127.0.0.1:{port}", "grpc"))
    provider, _ = tracked(BoundedExporter(exporter), account, queue=512, batch=512)
    ids = emit(provider, 512, text=["x" * 2000] * 6)
    provider.force_flush()
    provider.shutdown()
    server.stop(None).wait()
    assert account.ok == ids
    assert arrived == [span for _, span in ids]
    assert len(sizes) == 3
    assert max(sizes) <= 3_000_000


def test_a_single_span_over_the_bound_is_sent_alone():
    inner = Steps()
    provider = TracerProvider(shutdown_on_exit=False)
    tracer = provider.get_tracer("test")
    spans = []
    for size in (10, 100_000, 10, 10, 100_000, 100_000):
        span = tracer.start_span("s", attributes={"text": "x" * size})
        span.end()
        spans.append(span)
    assert BoundedExporter(inner, 50_000).export(spans) is SpanExportResult.SUCCESS
    assert [len(batch) for batch in inner.batches] == [1, 1, 2, 1, 1]
    assert [s for batch in inner.batches for s in batch] == spans


VALUES = st.recursive(
    st.text(max_size=50) | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(),
    lambda v: st.lists(v, max_size=5),
    max_leaves=8,
)
TEXT_LISTS = st.lists(st.text(max_size=80), max_size=30)
ATTRIBUTES = st.dictionaries(st.text(min_size=1, max_size=30), VALUES | TEXT_LISTS, max_size=12)


@settings(max_examples=examples(40), deadline=None)
@given(
    name=st.text(max_size=50),
    attributes=ATTRIBUTES,
    event=ATTRIBUTES,
    resource=ATTRIBUTES,
    times=st.integers(1, 4),
)
@pytest.mark.filterwarnings("ignore")
def test_the_estimate_is_never_below_the_encoded_size(name, attributes, event, resource, times):
    provider = TracerProvider(resource=Resource(resource, "https://x/1"), shutdown_on_exit=False)
    tracer = provider.get_tracer("scope " + name, "1.0", "https://y/2", {"k": name})
    link = trace.Link(trace.SpanContext(2**128 - 1, 2**64 - 1, True), attributes)
    spans = []
    for _ in range(times):
        span = tracer.start_span(name, attributes=attributes, links=[link] * times)
        for _ in range(times):
            span.add_event(name, event)
        span.set_status(trace.StatusCode.ERROR, name)
        span.end()
        spans.append(span)
    encoded = len(encode_spans(spans).SerializePartialToString())
    assert sum(map(span_size, spans)) + shared_size(spans[0]) >= encoded


def test_the_estimate_knows_the_values_that_only_new_sdks_take():
    span = ReadableSpan(
        "s",
        context=trace.SpanContext(1, 2, False),
        attributes={
            "map": {"a": {"b": [1, None, "ä"]}}, "bytes": b"x" * 100, "mixed": ("a", 1, None),
            "none": None,
        },
    )  # fmt: skip
    assert span_size(span) >= 160 + 100


def test_shutdown_and_flush_go_through():
    calls = []

    class Inner(SpanExporter):
        def shutdown(self, timeout_millis=1):
            calls.append(timeout_millis)

        def force_flush(self, timeout_millis=1):
            calls.append("flush")
            return True

    bounded = BoundedExporter(Inner())
    assert bounded.force_flush()
    bounded.shutdown(77)
    BoundedExporter(Steps()).shutdown()
    assert calls == ["flush", 77]


# --- account -------------------------------------------------------------------------------


def test_acknowledged_in_order_once():
    account, exporter = Account(), Steps()
    provider, _ = tracked(exporter, account)
    ids = emit(provider, 10)
    provider.force_flush()
    provider.shutdown()
    assert account.ok == ids
    assert not account.gone


def test_a_full_queue_loses_the_oldest_and_says_which():
    account, exporter = Account(), Steps()
    reader = InMemoryMetricReader()
    meters = MeterProvider([reader], shutdown_on_exit=False)
    provider, _ = tracked(exporter, account, metrics=Metrics(meters))
    exporter.go.clear()
    first = emit(provider, 4)
    assert exporter.entered.acquire(timeout=30)  # the exporter holds the first batch
    rest = emit(provider, 16 + 7)
    exporter.go.set()
    provider.force_flush()
    assert [span for span, _ in account.gone] == rest[:7]
    assert {reason for _, reason in account.gone} == {"queue_full"}
    assert account.ok == first + rest[7:]
    data = reader.get_metrics_data().resource_metrics[0].scope_metrics[0].metrics
    (dropped,) = [m for m in data if m.name == names.METRIC_DROPPED]
    (point,) = dropped.data.data_points
    assert (point.value, dict(point.attributes)) == (7, {names.LABEL_REASON: "queue_full"})
    provider.shutdown()
    meters.shutdown()


@pytest.mark.parametrize("failure", [SpanExportResult.FAILURE, RuntimeError("no")])
def test_a_failed_batch_is_lost_and_the_next_is_not(failure, caplog):
    account, exporter = Account(), Steps(failure)
    provider, _ = tracked(exporter, account, batch=8)
    ids = emit(provider, 8)
    provider.force_flush()
    more = emit(provider, 8)
    provider.force_flush()
    assert account.gone == [(i, "export_failed") for i in ids]
    assert account.ok == more
    provider.shutdown()


def test_of_a_split_batch_only_the_part_that_failed_is_lost():
    account = Account()
    inner = Steps(SpanExportResult.SUCCESS, SpanExportResult.FAILURE, SpanExportResult.SUCCESS)
    provider, _ = tracked(BoundedExporter(inner, 5000), account, batch=6)
    ids = emit(provider, 6, text="x" * 2000)
    provider.force_flush()
    assert [len(batch) for batch in inner.batches] == [2, 2, 2]
    assert account.ok == ids[:2] + ids[4:]
    assert account.gone == [(i, "export_failed") for i in ids[2:4]]
    provider.shutdown()


def test_a_receiver_that_was_away(receiver, monkeypatch, caplog):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    account = Account()
    exporter = BoundedExporter(OTLPSpanExporter(f"{receiver.endpoint}/v1/traces"))
    provider, _ = tracked(exporter, account, queue=32, batch=8)
    before = emit(provider, 8)
    provider.force_flush()
    receiver.status = 400
    away = emit(provider, 8)
    provider.force_flush()
    receiver.status = 200
    after = emit(provider, 8)
    provider.force_flush()
    assert account.ok == before + after == receiver.ids()
    assert account.gone == [(i, "export_failed") for i in away]
    provider.shutdown()


def test_unsampled_spans_are_no_part_of_the_account():
    account, exporter = Account(), Steps()
    provider = TracerProvider(sampler=ALWAYS_OFF, shutdown_on_exit=False)
    processor = TrackedBatchSpanProcessor(exporter, account.acknowledged, account.lost)
    provider.add_span_processor(processor)
    emit(provider, 5)
    provider.shutdown()
    assert not account.ok
    assert not account.gone


def test_what_ends_after_shutdown_is_lost():
    account, exporter = Account(), Steps()
    provider, processor = tracked(exporter, account)
    ids = emit(provider, 3)
    processor.shutdown()
    processor.shutdown()
    assert account.ok == ids
    assert account.told.acquire(timeout=30)
    (late,) = emit(provider, 1)
    assert account.told.acquire(timeout=30)
    assert account.gone == [(late, "shutdown")]


def test_losses_far_beyond_the_queue_are_told_before_the_exporter_comes_back(monkeypatch):
    from otel_footprint.telemetry import export

    monkeypatch.setattr(export, "EXCESS", 10)
    account, exporter = Account(), Steps()
    provider, processor = tracked(exporter, account)
    exporter.go.clear()
    first = emit(provider, 4)
    assert exporter.entered.acquire(timeout=30)
    rest = emit(provider, 50)
    assert account.told.acquire(timeout=30)
    assert account.gone
    exporter.go.set()
    provider.force_flush()
    provider.shutdown()
    for thread in threading.enumerate():
        if thread.name == "otel-footprint-lost":
            thread.join()
    assert account.ok == first + rest[-16:]
    assert sorted(account.gone) == sorted((i, "queue_full") for i in rest[:-16])
    assert not processor._waiting


def test_many_threads_and_a_small_queue_account_for_every_span(caplog):
    account, exporter = Account(), Steps()
    provider, _ = tracked(exporter, account, queue=8, batch=2)
    ids: list[Id] = []
    lock = threading.Lock()

    def work():
        mine = emit(provider, 300)
        with lock:
            ids.extend(mine)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    provider.shutdown()
    lost = [span for span, _ in account.gone]
    assert sorted(account.ok + lost) == sorted(ids)
    assert sorted(id_of(s) for batch in exporter.batches for s in batch) == sorted(account.ok)


def test_a_queue_smaller_than_the_default_batch(monkeypatch):
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "10")
    account, exporter = Account(), Steps()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(TrackedBatchSpanProcessor(exporter, account.acknowledged))
    ids = emit(provider, 5)
    provider.shutdown()
    assert account.ok == ids


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_keeps_its_own_account():
    account, exporter = Account(), Steps()
    provider, _ = tracked(exporter, account)
    ids = emit(provider, 3)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            mine = emit(provider, 2)
            provider.force_flush()
            status = 0 if account.ok == mine and not account.gone else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    provider.force_flush()
    assert account.ok == ids
    provider.shutdown()


# --- deliveries ----------------------------------------------------------------------------


def test_one_processor_is_passed_on():
    hub, account = Deliveries(), Account()
    hub.subscribe(account)
    door = hub.open()
    door.acknowledged([(1, 1)])
    door.lost([(1, 2)], "queue_full")
    assert account.ok == [(1, 1)]
    assert account.gone == [((1, 2), "queue_full")]


def test_of_two_processors_both_must_acknowledge_and_the_first_loss_counts():
    hub, account = Deliveries(), Account()
    hub.subscribe(account)
    one, two = hub.open(), hub.open()
    one.acknowledged([(1, 1), (1, 2), (1, 3)])
    assert not account.ok
    two.acknowledged([(1, 1)])
    two.lost([(1, 2), (1, 4)], "queue_full")
    one.lost([(1, 4)], "export_failed")
    two.lost([(1, 5)], "queue_full")
    one.acknowledged([(1, 5)])
    assert account.ok == [(1, 1)]
    assert account.gone == [((1, n), "queue_full") for n in (2, 4, 5)]
    assert list(hub._open) == [(1, 3)]
    two.close()
    one.acknowledged([(1, 6)])
    assert account.ok == [(1, 1), (1, 6)]


def test_listeners_are_held_weakly_and_providers_are_known():
    class Provider:
        pass

    hub, provider = Deliveries(), Provider()
    assert not hub.tracks(provider)
    door = hub.open(provider)
    assert hub.tracks(provider)
    account = Account()
    hub.subscribe(account)
    del account
    assert len(hub._listeners) == 0
    door.close()
    assert not hub.tracks(provider)
