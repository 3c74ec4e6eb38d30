"""`configure`: an SDK that exports, made by the standard variables, and our processors on it.

A provider that the application has set is never replaced: our processors are added to it, or the
log says why they cannot be. Importing this module imports no SDK and starts nothing.
"""

from __future__ import annotations

import logging
import os
import weakref
from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Any, Final, NamedTuple

from opentelemetry import metrics as metrics_api
from opentelemetry import trace as trace_api

from ..errors import DeclarationError, MissingExtraError, known_options
from . import otlp
from .delivery import deliveries
from .handle import Handle, Leaving
from .metrics import Metrics
from .standby import is_set

FILE_DELAY: Final = 1000.0
"""Milliseconds that a span waits for a trail file, unless OTEL_BSP_SCHEDULE_DELAY is set."""

METRICS_AT_EXIT: Final = 2.0
"""Seconds at most that a process waits at its end for a receiver of metrics."""

logger: Final = logging.getLogger("otel_footprint")
_added: Final[weakref.WeakKeyDictionary[Any, set[str]]] = weakref.WeakKeyDictionary()
"""What we have added to each tracer provider."""


class Asked(NamedTuple):
    """Where to export, as it was declared."""

    file: str | os.PathLike[str] | None = None
    endpoint: str | None = None
    protocol: str | None = None
    headers: Mapping[str, str] | None = None

    def otlp(self, signal: otlp.Signal) -> Any:
        """The OTLP exporter of a signal."""
        return otlp.exporter(otlp.target(signal, self.endpoint, self.protocol), self.headers)


class Export(NamedTuple):
    """One way out for spans."""

    name: str
    exporter: Any
    delay: float | None = None
    """Milliseconds between two exports; None: the standard one."""


@known_options("configure", shown=False)
def configure(
    *,
    file: str | os.PathLike[str] | None = None,
    endpoint: str | None = None,
    protocol: str | None = None,
    headers: Mapping[str, str] | None = None,
    service_name: str | None = None,
    metrics: bool = True,
    logs: bool = False,
) -> Handle:
    """Sets up exporting and answers a handle.

    file: a trail file to append to. endpoint: an OTLP receiver, for example
    `http://localhost:4318`; protocol: `http/protobuf` or `grpc` (default: by the standard
    variables; gRPC for port 4317). With neither file nor endpoint, the standard OTEL_* variables
    decide where to, unless the application has a provider: then its own exporters are enough.
    Metrics and logs go to the receiver (logs also to the file); a provider of the application is
    left alone. At its end the process waits for a receiver that does not answer for 5 seconds, or
    as OTEL_EXPORTER_OTLP_TIMEOUT says (for metrics at most 2); the handle's `flush(timeout)` waits
    longer. What is lost then is counted, and the log says how much. Raises DeclarationError for
    what is declared wrongly, before anything is set up, and MissingExtraError for what is not
    installed.
    """
    _check(file, headers, service_name, metrics=metrics, logs=logs)
    asked = Asked(file, endpoint, protocol, headers)
    otlp.target("traces", endpoint, protocol)
    made = Handle()
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        logger.warning("OTEL_SDK_DISABLED is true: nothing is recorded")
        return made
    resource = _resource(service_name)
    _traces(made, asked, resource)
    if made.tracer_provider is None:
        return made
    ours = made.owned or endpoint is not None
    if metrics and ours and (endpoint is not None or file is None):
        _metrics(made, asked, resource)
    if logs and (ours or file is not None):
        _logs(made, asked, resource)
    return made


def _check(file: object, headers: object, service_name: object, **switches: object) -> None:
    """Refuses what is declared wrongly; of headers, which hold credentials, no value is shown."""
    if file is not None and (not isinstance(file, str | os.PathLike) or not os.fspath(file)):
        raise DeclarationError("file", file, "the path of a trail file, or None")
    if headers is not None and not (
        isinstance(headers, Mapping)
        and all(isinstance(text, str) for pair in headers.items() for text in pair)
    ):
        raise DeclarationError(
            "headers", f"<{type(headers).__name__}>", "a mapping of names to texts, or None"
        )
    if service_name is not None and (not isinstance(service_name, str) or not service_name):
        raise DeclarationError("service_name", service_name, "a non-empty string or None")
    for field, value in switches.items():
        if type(value) is not bool:
            raise DeclarationError(field, value, "True or False")


def install_processor(provider: object) -> bool:
    """Adds our span processor, once, to a provider; False when it is not an SDK one."""
    add = getattr(provider, "add_span_processor", None)
    if add is None:
        return False
    added = _added.setdefault(provider, set())
    if "processor" not in added:
        from .processor import FootprintSpanProcessor

        added.add("processor")
        add(FootprintSpanProcessor())
    return True


def exports_by_environment(
    protocol: str | None = None,
    headers: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> list[Export]:
    """As OTEL_TRACES_EXPORTER says: otlp (default), console, none, or what a package adds."""
    out = []
    for name in _names("OTEL_TRACES_EXPORTER"):
        if name == "otlp":
            to = otlp.target("traces", None, protocol)
            out.append(Export(f"otlp:{to.endpoint}", otlp.exporter(to, headers, timeout)))
        elif (factory := _entry_point("opentelemetry_traces_exporter", name)) is not None:
            out.append(Export(name, factory()))
    return out


def _resource(service_name: str | None) -> Any:
    try:
        from .resource import resource
    except ImportError as error:
        raise MissingExtraError("configure()", "sdk") from error
    return resource(service_name)


def _traces(made: Handle, asked: Asked, resource: Any) -> None:
    provider: Any = trace_api.get_tracer_provider()
    fresh = not is_set(provider)
    exports = _exports(asked, fresh)
    if fresh:
        from opentelemetry.sdk.trace import TracerProvider

        provider = TracerProvider(resource=resource)
        trace_api.set_tracer_provider(provider)
        made.owned = trace_api.get_tracer_provider() is provider
        if not made.owned:  # another thread was faster
            provider.shutdown()
            provider = trace_api.get_tracer_provider()
    if not install_processor(provider):
        logger.warning(
            "The tracer provider in use (%s) is not an SDK one: it takes no span processor, "
            "nothing was added to it",
            type(provider).__qualname__,
        )
        return
    made.tracer_provider = provider
    _add(made, provider, exports)
    if made.owned:
        made.started(provider)


def _exports(asked: Asked, fresh: bool) -> list[Export]:
    out = []
    if asked.file is not None:
        from .jsonfile import JsonFileExporter

        delay = None if os.environ.get("OTEL_BSP_SCHEDULE_DELAY") else FILE_DELAY
        name = f"file:{os.path.abspath(asked.file)}"
        out.append(Export(name, JsonFileExporter(asked.file), delay))
    if asked.endpoint is not None:
        to = otlp.target("traces", asked.endpoint, asked.protocol)
        out.append(Export(f"otlp:{to.endpoint}", otlp.exporter(to, asked.headers)))
    elif asked.file is None and fresh:
        out += exports_by_environment(asked.protocol, asked.headers)
    return out


def _add(made: Handle, provider: Any, exports: list[Export]) -> None:
    from .export import BoundedExporter, TrackedBatchSpanProcessor

    for export in exports:
        if export.name in _added[provider]:
            continue
        _added[provider].add(export.name)
        door = deliveries.open(provider)
        made.opened(door)
        processor = TrackedBatchSpanProcessor(
            BoundedExporter(export.exporter),
            door.acknowledged,
            door.lost,
            Metrics(),
            schedule_delay_millis=export.delay,
        )
        provider.add_span_processor(processor)
        if not made.owned:
            made.started(processor)


def _metrics(made: Handle, asked: Asked, resource: Any) -> None:
    current = metrics_api.get_meter_provider()
    if not type(current).__module__.startswith("opentelemetry.metrics"):
        return
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader

    from .export import patience

    readers: list[Any] = []
    for name in _names("OTEL_METRICS_EXPORTER"):
        found: Any = None
        if name == "otlp":
            found = asked.otlp("metrics")
        elif (factory := _entry_point("opentelemetry_metrics_exporter", name)) is not None:
            found = factory()
        if isinstance(found, MetricReader):
            readers.append(found)
        elif found is not None:
            readers.append(PeriodicExportingMetricReader(found))
    if readers:
        made.meter_provider = MeterProvider(readers, resource, shutdown_on_exit=False)
        metrics_api.set_meter_provider(made.meter_provider)
        made.started(Leaving(made.meter_provider, min(METRICS_AT_EXIT, patience("METRICS"))))


def _logs(made: Handle, asked: Asked, resource: Any) -> None:
    from opentelemetry import _logs as logs_api
    from opentelemetry.sdk._logs import LoggerProvider

    from .logexport import BriefBatchLogRecordProcessor

    provider: Any = logs_api.get_logger_provider()
    fresh = type(provider).__module__.startswith("opentelemetry._logs")
    if not fresh and not hasattr(provider, "add_log_record_processor"):
        logger.warning("The logger provider in use is not an SDK one: nothing was added to it")
        return
    exporters: list[Any] = []
    if asked.file is not None:
        from .jsonfile import JsonFileLogExporter

        exporters.append(JsonFileLogExporter(asked.file))
    by_environment = asked.file is None and fresh and "otlp" in _names("OTEL_LOGS_EXPORTER")
    if asked.endpoint is not None or by_environment:
        exporters.append(asked.otlp("logs"))
    if fresh:
        made.logger_provider = provider = LoggerProvider(resource)
        logs_api.set_logger_provider(provider)
        made.started(provider)
    for exporter in exporters:
        processor = BriefBatchLogRecordProcessor(exporter)
        provider.add_log_record_processor(processor)
        if not fresh:
            made.started(processor)


def _names(variable: str) -> list[str]:
    text = os.environ.get(variable, "").strip() or "otlp"
    return [n for n in (part.strip().lower() for part in text.split(",")) if n and n != "none"]


def _entry_point(group: str, name: str) -> Any:
    for found in entry_points(group=group, name=name):
        return found.load()
    logger.warning("No exporter is called %s: it is left out", name)
    return None
