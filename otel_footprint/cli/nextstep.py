"""What to do about what `doctor` finds wrong, and whether anything listens at an endpoint."""

from __future__ import annotations

import socket
from typing import Final
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

PATIENCE: Final = 1.0
"""Seconds for a connection to come about; who is slower than that is asked by the exporter."""

ELSEWHERE: Final = (
    "or set OTEL_EXPORTER_OTLP_ENDPOINT to one that runs (footprint.configure(endpoint=...)), or "
    'write a file without any: footprint.configure(file="trail.jsonl")'
)
RECORD: Final = "unset OTEL_SDK_DISABLED"
PROVIDER: Final = (
    "set a TracerProvider of opentelemetry-sdk, or none, and call footprint.configure()"
)
SAMPLER: Final = "unset OTEL_TRACES_SAMPLER, or set it to parentbased_always_on"
EXPORTER: Final = (
    "unset OTEL_TRACES_EXPORTER or set it to otlp, or write a file: "
    'footprint.configure(file="trail.jsonl")'
)
PROTOCOL: Final = "set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf or grpc"
CONTENT: Final = "set OTEL_FOOTPRINT_CONTENT to none, redacted or full"


def refusal(endpoint: str) -> str | None:
    """Why no connection to an endpoint comes about, where that is certain at once; else None.

    A refused connection and a host that is not known need no retries. Behind a proxy it is for
    the exporter to find out.
    """
    try:
        url = urlsplit(endpoint if "://" in endpoint else f"http://{endpoint}")
        host, port = url.hostname, url.port
    except ValueError as error:
        return str(error)
    if not host or _through_proxy(url.scheme, host):
        return None
    try:
        port = port or (443 if url.scheme == "https" else 80)
        socket.create_connection((host, port), timeout=PATIENCE).close()
    except (ConnectionRefusedError, socket.gaierror, UnicodeError) as error:
        return str(error)
    except OSError:
        return None
    return None


def _through_proxy(scheme: str, host: str) -> bool:
    proxies = getproxies()
    return bool(proxies.get(scheme) or proxies.get("all")) and not proxy_bypass(host)


def for_endpoint(endpoint: str, why: str) -> str:
    """What to do when an endpoint did not take a span, by what was said."""
    if any(status in why for status in ("401", "403", "UNAUTHENTICATED", "PERMISSION_DENIED")):
        return "set OTEL_EXPORTER_OTLP_HEADERS (authorization=Bearer%20...)"
    if any(status in why for status in ("404", "405")):
        return (
            "OTEL_EXPORTER_OTLP_ENDPOINT takes the base (http://localhost:4318, /v1/traces is put "
            "behind it), OTEL_EXPORTER_OTLP_TRACES_ENDPOINT the whole URL"
        )
    step = f"start a collector, or Jaeger, that listens at {_place(endpoint)}, {ELSEWHERE}"
    if endpoint.endswith(":4317/v1/traces"):
        return f"port 4317 speaks gRPC: OTEL_EXPORTER_OTLP_PROTOCOL=grpc, or port 4318; else {step}"
    return step


def _place(endpoint: str) -> str:
    try:
        return urlsplit(endpoint).netloc.rpartition("@")[2] or endpoint
    except ValueError:  # no URL
        return endpoint
