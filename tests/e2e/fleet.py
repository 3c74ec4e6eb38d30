"""Agents whose metrics go straight to Prometheus' own receiver, and what it says of them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider

import otel_footprint as footprint
from deploy.local import Stack
from deploy.local.health import get
from otel_footprint.telemetry.export import TrackedBatchSpanProcessor
from otel_footprint.telemetry.metrics import Metrics

DEAD = "http://127.0.0.1:9/v1/traces"
"""Where nobody listens."""


class Fleet:
    """One process of a service: its Footprints share the providers."""

    def __init__(self, stack: Stack, service: str, instance: str, loses_spans: bool = False):
        resource = Resource.create({"service.name": service, "service.instance.id": instance})
        self.kept = InMemoryMetricReader()
        exporter = OTLPMetricExporter(f"{stack.url('prometheus')}/api/v1/otlp/v1/metrics")
        readers = [self.kept, PeriodicExportingMetricReader(exporter, 1e9)]
        self.meters = MeterProvider(readers, resource)
        self.traces = TracerProvider(resource=resource)
        if loses_spans:
            dead = OTLPSpanExporter(DEAD, timeout=1)
            self.traces.add_span_processor(
                TrackedBatchSpanProcessor(dead, metrics=Metrics(self.meters))
            )

    def make(self, name: str, **options: Any) -> footprint.Footprint:
        """A Footprint of this process."""
        options = {"tracer_provider": self.traces, "meter_provider": self.meters, **options}
        return footprint.Footprint(name, **options)

    def send(self) -> None:
        """Sends the metrics as they are now."""
        assert self.meters.force_flush(30_000)

    def close(self) -> None:
        """Ends the process."""
        self.traces.shutdown()
        self.meters.shutdown()

    def points(self, metric: str) -> list[Any]:
        """What the SDK itself holds of a metric."""
        data = self.kept.get_metrics_data()
        return [
            point
            for resource in (data.resource_metrics if data else ())
            for scope in resource.scope_metrics
            for found in scope.metrics
            if found.name == metric
            for point in found.data.data_points
        ]

    def quantile(self, q: float, metric: str, **labels: str) -> float:
        """A quantile as Prometheus estimates it, from the SDK's own buckets."""
        counts: list[int] = []
        bounds: tuple[float, ...] = ()
        for point in self.points(metric):
            if all(point.attributes.get(k) == v for k, v in labels.items()):
                bounds = tuple(point.explicit_bounds)
                old = counts or [0] * len(point.bucket_counts)
                counts = [a + b for a, b in zip(old, point.bucket_counts, strict=True)]
        rank, below = q * sum(counts), 0
        for i, n in enumerate(counts):
            if below + n >= rank and n:
                if i == len(bounds):
                    return bounds[-1]
                low = bounds[i - 1] if i else 0.0
                if i == 0 and bounds[0] <= 0:
                    return bounds[0]
                return low + (bounds[i] - low) * (rank - below) / n
            below += n
        raise AssertionError(f"nothing was recorded of {metric} {labels}")

    def mean(self, metric: str, **labels: str) -> float:
        """A histogram's mean, from the SDK itself."""
        found = [p for p in self.points(metric) if labels.items() <= dict(p.attributes).items()]
        return float(sum(p.sum for p in found) / sum(p.count for p in found))


def query(stack: Stack, expr: str, at: float | None = None) -> list[dict[str, Any]]:
    """The result of an instant query."""
    said = urlencode({"query": expr, "time": f"{at or time.time():.3f}"})
    found = json.loads(get(f"{stack.url('prometheus')}/api/v1/query?{said}"))
    assert found["status"] == "success", found
    result: list[dict[str, Any]] = found["data"]["result"]
    return result


def named(result: Iterable[dict[str, Any]], legend: str) -> dict[str, float]:
    """Values by what the panel's legend makes of their labels."""
    out = {}
    for series in result:
        name = legend
        for part in set(legend.split("{{")[1:]):
            label = part.split("}}")[0]
            name = name.replace("{{" + label + "}}", series["metric"].get(label, ""))
        assert name not in out, f"two series are called {name}"
        out[name] = float(series["value"][1])
    return out
