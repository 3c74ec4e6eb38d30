"""OTLP exporters by endpoint and protocol, honouring the standard OTEL_EXPORTER_OTLP_* variables.

What is declared in code wins over the variable of the signal, that over the general one. Headers,
certificates, compression and timeouts are read by the exporters themselves. Imports the exporter
packages when they are needed, and names the extra that brings them.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import urlsplit

from ..errors import DeclarationError, MissingExtraError

Signal = Literal["traces", "metrics", "logs"]
Protocol = Literal["http/protobuf", "grpc"]

PROTOCOLS: Final[tuple[Protocol, ...]] = ("http/protobuf", "grpc")
HTTP_DEFAULT: Final = "http://localhost:4318"
GRPC_DEFAULT: Final = "http://localhost:4317"
_GRPC_PORT: Final = 4317
_CLASSES: Final[dict[tuple[str, str], tuple[str, str]]] = {
    ("traces", "http/protobuf"): ("http.trace_exporter", "OTLPSpanExporter"),
    ("metrics", "http/protobuf"): ("http.metric_exporter", "OTLPMetricExporter"),
    ("logs", "http/protobuf"): ("http._log_exporter", "OTLPLogExporter"),
    ("traces", "grpc"): ("grpc.trace_exporter", "OTLPSpanExporter"),
    ("metrics", "grpc"): ("grpc.metric_exporter", "OTLPMetricExporter"),
    ("logs", "grpc"): ("grpc._log_exporter", "OTLPLogExporter"),
}

logger: Final = logging.getLogger("otel_footprint")


class Target(NamedTuple):
    """Where a signal goes."""

    signal: Signal
    protocol: Protocol
    endpoint: str
    """Of HTTP the whole URL with the signal's path, of gRPC the base URL."""
    declared: bool
    """False: from the environment, or the default."""


def target(
    signal: Signal,
    endpoint: str | None = None,
    protocol: str | None = None,
    env: Mapping[str, str] = os.environ,
) -> Target:
    """Where a signal goes. Raises DeclarationError for a protocol that is not known, or an
    endpoint that is no text."""
    if endpoint is not None and (not isinstance(endpoint, str) or not endpoint.strip()):
        raise DeclarationError("endpoint", endpoint, "a URL, for example 'http://localhost:4318'")
    chosen = _protocol(signal, endpoint, protocol, env)
    if endpoint is not None:
        _check_url(endpoint, chosen)
        return Target(signal, chosen, _whole(_with_scheme(endpoint), signal, chosen), True)
    own = env.get(f"OTEL_EXPORTER_OTLP_{signal.upper()}_ENDPOINT", "").strip()
    if own:
        return Target(signal, chosen, own, False)
    base = env.get("OTEL_EXPORTER_OTLP_ENDPOINT", "").strip()
    if not base:
        base = GRPC_DEFAULT if chosen == "grpc" else HTTP_DEFAULT
    whole = base if chosen == "grpc" else f"{base.rstrip('/')}/v1/{signal}"
    return Target(signal, chosen, whole, False)


def _protocol(
    signal: Signal, endpoint: str | None, declared: str | None, env: Mapping[str, str]
) -> Protocol:
    if declared is not None:
        if declared not in PROTOCOLS:
            raise DeclarationError("protocol", declared, "'http/protobuf' or 'grpc'")
        return declared
    for name in (f"OTEL_EXPORTER_OTLP_{signal.upper()}_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        found = env.get(name, "").strip().lower()
        if found in PROTOCOLS:
            return found
        if found:
            logger.warning("%s=%s is not supported here: http/protobuf is used", name, found)
            return "http/protobuf"
    if endpoint is not None and _port(endpoint) == _GRPC_PORT:
        return "grpc"
    return "http/protobuf"


def _check_url(endpoint: str, protocol: Protocol) -> None:
    """Refuses what no exporter could send to; gRPC knows further schemes (`unix:`, `dns:`)."""
    try:
        url = urlsplit(_with_scheme(endpoint))
        fine = protocol == "grpc" or (url.scheme in ("http", "https") and bool(url.hostname))
        _ = url.port
    except ValueError:
        fine = protocol == "grpc"
    if not fine:
        allowed = "a URL of http or https, for example 'http://localhost:4318'"
        raise DeclarationError("endpoint", _without_user(endpoint), allowed)


def _without_user(endpoint: str) -> str:
    """The endpoint as it may be shown: without user and password."""
    scheme, mark, rest = endpoint.rpartition("://")
    return scheme + mark + rest.rpartition("@")[2]


def _port(endpoint: str) -> int | None:
    try:
        return urlsplit(_with_scheme(endpoint)).port
    except ValueError:
        return None


def _with_scheme(endpoint: str) -> str:
    return endpoint if "://" in endpoint else f"http://{endpoint}"


def _whole(endpoint: str, signal: Signal, protocol: Protocol) -> str:
    """A declared endpoint as the exporter takes it: HTTP wants the signal's path."""
    path = f"/v1/{signal}"
    if protocol == "grpc" or endpoint.rstrip("/").endswith(path):
        return endpoint
    return endpoint.rstrip("/") + path


def exporter(
    to: Target, headers: Mapping[str, str] | None = None, timeout: float | None = None
) -> Any:
    """An exporter for a target. Raises MissingExtraError when its package is not installed."""
    module, name = _CLASSES[to.signal, to.protocol]
    try:
        made = getattr(import_module(f"opentelemetry.exporter.otlp.proto.{module}"), name)
    except ImportError as error:
        extra = "grpc" if to.protocol == "grpc" else "sdk"
        raise MissingExtraError(f"exporting {to.signal} over {to.protocol}", extra) from error
    options: dict[str, Any] = {}
    if to.declared:
        options["endpoint"] = to.endpoint
    if headers:
        options["headers"] = dict(headers)
    if timeout is not None:
        options["timeout"] = timeout if to.protocol != "grpc" else max(1, int(timeout))
    return made(**options)
