"""`otel-footprint doctor`: what is set up, and whether the endpoint takes a span.

Run it with the environment of the application, or call `doctor(sys.stdout)` inside it: then the
provider that the application has set is looked at. Nothing secret is printed: no headers, and URLs
go through redaction.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TextIO

from ..config import content_mode
from ..config.content import CONTENT_MODES, CONTENT_VARIABLE, STANDARD_VALUES, STANDARD_VARIABLE
from ..errors import FootprintError, MissingExtraError
from ..telemetry import names
from ..telemetry.delivery import SpanId, deliveries
from ..telemetry.limits import limits_of
from ..telemetry.redact import redact_known
from ..telemetry.setup import Export, exports_by_environment
from ..telemetry.standby import is_set
from . import nextstep
from .installed import State, installed, instrumentations, versions

TIMEOUT: Final = 5.0
"""Seconds that the endpoint has to answer."""


class Report:
    """Prints line by line and remembers whether anything failed."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self.failed = False

    def line(self, state: State, what: str, text: str) -> None:
        """One finding; `next` says what to do about the one before."""
        self.failed = self.failed or state == "FAIL"
        self._out.write(f"{state:<4}  {what:<16}  {redact_known(text)}\n")


def doctor(out: TextIO) -> int:
    """Prints the findings to `out`; 1 when anything failed, else 0."""
    report = Report(out)
    versions(report.line)
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        report.line("FAIL", "SDK", "OTEL_SDK_DISABLED is true: nothing is recorded")
        report.line("next", "SDK", nextstep.RECORD)
    elif installed("opentelemetry-sdk") is not None:
        _traces(report)
    _content(report)
    instrumentations(report.line)
    return 1 if report.failed else 0


# --- traces ----------------------------------------------------------------------------------


def _traces(report: Report) -> None:
    from opentelemetry import trace

    provider: Any = trace.get_tracer_provider()
    if not is_set(provider):
        from opentelemetry.sdk.trace import TracerProvider

        provider = TracerProvider(shutdown_on_exit=False)
        report.line("ok", "provider", "none is set in this process: one by the environment")
        _send_by_environment(report)
    elif hasattr(provider, "add_span_processor"):
        report.line("ok", "provider", f"{_type(provider)}, set by the application")
        _send_by_provider(report, provider)
    else:
        report.line("FAIL", "provider", f"{_type(provider)} is no SDK provider: it records nothing")
        report.line("next", "provider", nextstep.PROVIDER)
        return
    _sampler(report, provider)
    found = limits_of(provider)
    report.line(
        "ok",
        "limits",
        f"attributes {_limit(found.attributes)}, events {_limit(found.events)}, event attributes "
        f"{_limit(found.event_attributes)}, length of values {_limit(found.value_length)}",
    )


def _type(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _limit(value: int | None) -> str:
    return "unlimited" if value is None else str(value)


def _sampler(report: Report, provider: Any) -> None:
    sampler = getattr(provider, "sampler", None)
    text = sampler.get_description() if sampler is not None else "unknown"
    if text.startswith("ParentBased{root:"):
        text = "as the parent, else " + text.removeprefix("ParentBased{root:").split(",")[0]
    off = text.endswith(("AlwaysOffSampler", "TraceIdRatioBased{0.0}"))
    report.line("FAIL" if off else "ok", "sampler", text + (": no span is kept" if off else ""))
    if off:
        report.line("next", "sampler", nextstep.SAMPLER)


def _send_by_environment(report: Report) -> None:
    with _heard() as said:
        try:
            exports = exports_by_environment(timeout=TIMEOUT)
        except (FootprintError, ValueError, TypeError) as error:
            report.line("FAIL", "exporter", str(error))
            if not isinstance(error, MissingExtraError):  # that one says it itself
                report.line("next", "exporter", nextstep.EXPORTER)
            return
    for text in said:
        report.line("FAIL", "exporter", text)
    if not exports:
        report.line("FAIL", "exporter", "none: OTEL_TRACES_EXPORTER leaves nothing to export with")
    if said or not exports:
        of_protocol = exports and all("_PROTOCOL=" in text for text in said)
        report.line("next", "exporter", nextstep.PROTOCOL if of_protocol else nextstep.EXPORTER)
    for export in exports:
        _send(report, export)


def _send(report: Report, export: Export) -> None:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExportResult
    from opentelemetry.sdk.trace.sampling import ALWAYS_ON

    report.line(
        "ok", "exporter", f"{export.name.replace(':', ' to ', 1)}, {_type(export.exporter)}"
    )
    if not export.name.startswith("otlp:"):
        report.line("note", "endpoint", "not tried: not an OTLP exporter")
        return
    endpoint = export.name.removeprefix("otlp:")
    refused = nextstep.refusal(endpoint)
    if refused is not None:
        export.exporter.shutdown()
        _not_taken(report, endpoint, refused)
        return
    provider = TracerProvider(sampler=ALWAYS_ON, shutdown_on_exit=False)
    span: Any = provider.get_tracer(names.SCOPE).start_span(names.SPAN_DOCTOR)
    span.end()
    with _heard() as said:
        try:
            taken = export.exporter.export([span]) is SpanExportResult.SUCCESS
        except Exception as error:
            taken = False
            said.append(type(error).__name__)
        finally:
            export.exporter.shutdown()
    if taken:
        report.line("ok", "endpoint", f"{endpoint} took a test span")
    else:
        _not_taken(report, endpoint, said[0] if said else "")


def _not_taken(report: Report, endpoint: str, why: str) -> None:
    because = f" ({why})" if why else ""
    report.line("FAIL", "endpoint", f"{endpoint} did not take a test span{because}")
    report.line("next", "endpoint", nextstep.for_endpoint(endpoint, why))


class _Told:
    def __init__(self) -> None:
        self.taken: list[SpanId] = []
        self.gone: list[tuple[SpanId, str]] = []

    def acknowledged(self, spans: Sequence[SpanId]) -> None:
        self.taken += spans

    def lost(self, spans: Sequence[SpanId], reason: str) -> None:
        self.gone += [(span, reason) for span in spans]


def _send_by_provider(report: Report, provider: Any) -> None:
    told = _Told()
    deliveries.subscribe(told)
    span = provider.get_tracer(names.SCOPE).start_span(names.SPAN_DOCTOR)
    span.end()
    context = span.get_span_context()
    key = (context.trace_id, context.span_id)
    with _heard() as said:
        flushed = provider.force_flush()
    if key in told.taken:
        report.line("ok", "endpoint", "took a test span")
    elif not context.trace_flags.sampled:
        report.line("note", "endpoint", "not tried: the test span was not sampled")
    elif key in [span for span, _ in told.gone] or not flushed:
        why = f" ({said[0]})" if said else ""
        report.line("FAIL", "endpoint", f"a test span was lost{why}")
        report.line("next", "endpoint", f"see that its receiver runs, {nextstep.ELSEWHERE}")
    else:
        report.line("note", "endpoint", "a test span was handed to the application's exporters")


def _short(record: logging.LogRecord) -> str:
    """The innermost error that the message holds (who refused, and why), else the message."""
    for held in record.args if isinstance(record.args, tuple) else ():
        if isinstance(held, BaseException):
            while deeper := held.__cause__ or held.__context__:
                held = deeper
            return " ".join(str(held).split())[:300] or type(held).__name__
    return " ".join(record.getMessage().split())[:300]


@contextmanager
def _heard() -> Iterator[list[str]]:
    """What OpenTelemetry and we log meanwhile, in short; it is not printed twice."""
    said: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(_short(record))

    handler = Keep(logging.WARNING)
    loggers = [logging.getLogger(name) for name in ("opentelemetry", "otel_footprint")]
    before = [found.propagate for found in loggers]
    for found in loggers:
        found.addHandler(handler)
        found.propagate = False
    try:
        yield said
    finally:
        for found, propagate in zip(loggers, before, strict=True):
            found.removeHandler(handler)
            found.propagate = propagate


# --- content ---------------------------------------------------------------------------------


def _content(report: Report) -> None:
    ours = os.environ.get(CONTENT_VARIABLE, "").strip().lower()
    standard = os.environ.get(STANDARD_VARIABLE, "").strip().lower()
    if ours and ours not in CONTENT_MODES:
        text = f"{CONTENT_VARIABLE}={ours} is no mode: none, redacted or full; none is used"
        report.line("FAIL", "content", text)
        report.line("next", "content", nextstep.CONTENT)
    elif not ours and standard not in STANDARD_VALUES:
        text = f"{STANDARD_VARIABLE}={standard} is no value of it: none is used"
        report.line("FAIL", "content", text)
        report.line("next", "content", nextstep.CONTENT)
    else:
        by = CONTENT_VARIABLE if ours else STANDARD_VARIABLE if standard else "default"
        report.line("ok", "content", f"{content_mode()} ({by})")
