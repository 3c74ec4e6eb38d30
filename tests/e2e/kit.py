"""Agents whose spans and metrics go to a real collector, and what backends say of them."""

from __future__ import annotations

import json
import re
import uuid
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlencode

from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import (
    OTLPSpanExporter as GrpcSpanExporter,
)
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import (
    InMemoryMetricReader,
    MetricReader,
    PeriodicExportingMetricReader,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import otel_footprint as footprint
from deploy.local import Stack
from deploy.local.health import get, until
from otel_footprint.telemetry.delivery import deliveries
from otel_footprint.telemetry.export import BoundedExporter, TrackedBatchSpanProcessor
from otel_footprint.telemetry.jsonfile import JsonFileExporter
from otel_footprint.telemetry.metrics import Metrics
from otel_footprint.trail import Trail
from otel_footprint.trail.sources import open_source

PATIENCE = 60.0
"""Seconds in which what was sent must have arrived."""


class Sender:
    """A Footprint that sends as `configure()` does, but beside other ones in this process.

    url: the collector's OTLP endpoint over HTTP, or `host:port` for gRPC. file: a trail file beside
    it. metrics: a collector's URL for metrics; they are kept as well, see `metrics_kept`.
    """

    def __init__(
        self,
        url: str,
        *,
        file: Path | None = None,
        metrics: str | None = None,
        queue: int = 2048,
        timeout: float = 10,
        **options: Any,
    ) -> None:
        self.service = f"e2e-{uuid.uuid4().hex[:12]}"
        resource = Resource.create({"service.name": self.service})
        self.kept = InMemoryMetricReader()
        readers: list[MetricReader] = [self.kept]
        if metrics:
            exporter = OTLPMetricExporter(f"{metrics}/v1/metrics")
            readers.append(PeriodicExportingMetricReader(exporter, 500))
        self.meters = MeterProvider(readers, resource)
        self.traces = TracerProvider(resource=resource)
        self._seen = InMemorySpanExporter()
        self.traces.add_span_processor(SimpleSpanProcessor(self._seen))
        if file is not None:
            self.traces.add_span_processor(SimpleSpanProcessor(JsonFileExporter(file)))
        http = url.startswith("http")
        self.exporter = (
            OTLPSpanExporter(f"{url}/v1/traces", timeout=timeout)
            if http
            else GrpcSpanExporter(url, insecure=True, timeout=timeout)
        )
        self.door = deliveries.open(self.traces)
        self.traces.add_span_processor(
            TrackedBatchSpanProcessor(
                BoundedExporter(self.exporter),
                self.door.acknowledged,
                self.door.lost,
                Metrics(self.meters),
                max_queue_size=queue,
                schedule_delay_millis=100,
            )
        )
        self.fp = footprint.Footprint(
            options.pop("name", "agent"),
            tracer_provider=self.traces,
            meter_provider=self.meters,
            **{"content": "full", **options},
        )
        self.tracer = self.traces.get_tracer("tests.e2e")

    def make(self, name: str, **options: Any) -> footprint.Footprint:
        """A further Footprint of this sender."""
        providers = {"tracer_provider": self.traces, "meter_provider": self.meters}
        return footprint.Footprint(name, **providers, **options)

    def flush(self) -> bool:
        """Sends what waits; False when that did not work."""
        return self.traces.force_flush(30_000)

    @property
    def seen(self) -> list[ReadableSpan]:
        """The spans that have ended, wherever they went."""
        return list(self._seen.get_finished_spans())

    @property
    def trace_ids(self) -> list[str]:
        """Ids of the traces whose first spans have ended, in order."""
        return list(dict.fromkeys(f"{s.context.trace_id:032x}" for s in self.seen if s.context))

    def __enter__(self) -> Sender:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.traces.shutdown()
        self.meters.shutdown()
        self.door.close()

    def metrics_kept(self) -> dict[str, list[Any]]:
        """Data points of the SDK's own metrics, by name."""
        data = self.kept.get_metrics_data()
        found: dict[str, list[Any]] = {}
        for resource in data.resource_metrics if data else ():
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    found.setdefault(metric.name, []).extend(metric.data.data_points)
        return found


# --- what backends say -------------------------------------------------------------------


def trace_document(stack: Stack, trace: str) -> bytes | None:
    """The OTLP document of a trace in Jaeger; None while it is not there."""
    try:
        return get(f"{stack.url('jaeger')}/api/v3/traces/{trace}")
    except OSError:
        return None


def spans_of(stack: Stack, trace: str) -> list[dict[str, Any]]:
    """The spans of a trace in Jaeger as OTLP JSON; none while it is not there."""
    found = trace_document(stack, trace)
    if found is None:
        return []
    document = json.loads(found)
    document = document.get("result", document)
    return [
        span
        for resource in document.get("resourceSpans", ())
        for scope in resource.get("scopeSpans", ())
        for span in scope.get("spans", ())
    ]


def arrived(stack: Stack, sender: Sender) -> None:
    """Waits until every span that the sender's traces ended with is in Jaeger."""
    ended = Counter(f"{s.context.trace_id:032x}" for s in sender.seen if s.context)
    for trace, count in ended.items():
        until(
            lambda trace=trace, count=count: len(spans_of(stack, trace)) >= count,
            PATIENCE,
            f"all {count} spans of {trace} in Jaeger",
        )


def trail_in(stack: Stack, trace: str, ready: Callable[[Trail], bool] | None = None) -> Trail:
    """The trail of a trace as Jaeger holds it, once it is `ready` (default: no turn is open)."""
    fits = ready or (lambda trail: bool(trail.turns) and not any(t.open for t in trail.turns))

    def ask() -> Trail | None:
        if not spans_of(stack, trace):
            return None
        found = open_source(stack.url("jaeger"), trace)
        return found if fits(found) else None

    return until(ask, PATIENCE, f"the trail of {trace} in Jaeger")


def query(stack: Stack, expression: str) -> list[dict[str, Any]]:
    """The series that Prometheus answers now."""
    url = f"{stack.url('prometheus')}/api/v1/query?{urlencode({'query': expression})}"
    found: list[dict[str, Any]] = json.loads(get(url))["data"]["result"]
    return found


def own_metric(url: str, name: str) -> float:
    """The sum of one of a collector's own metrics over its labels; 0 while it is not there."""
    return sum(sample_values(get(f"{url}/metrics").decode(), name).values())


def sample_values(text: str, name: str) -> dict[tuple[tuple[str, str], ...], float]:
    """Samples of a metric in Prometheus' text format, by labels."""
    line = re.compile(rf"^{re.escape(name)}(?:\{{(?P<labels>.*)\}})? (?P<value>\S+)", re.MULTILINE)
    label = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
    return {
        tuple(sorted(label.findall(found["labels"] or ""))): float(found["value"])
        for found in line.finditer(text)
    }
