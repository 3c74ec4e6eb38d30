"""A local OTLP/HTTP receiver, and the state of our own modules put back after each test."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from otel_footprint.telemetry import guard

_REQUESTS = {
    "/v1/traces": ExportTraceServiceRequest,
    "/v1/metrics": ExportMetricsServiceRequest,
    "/v1/logs": ExportLogsServiceRequest,
}


class Receiver:
    """Takes OTLP/HTTP requests; `status` is what it answers (a function decides by request)."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, int, Any, dict[str, str]]] = []
        """Path, bytes, message, headers."""
        self.status: Any = 200
        self.arrived = threading.Semaphore(0)
        self.hold = threading.Event()
        """Cleared: requests wait until it is set."""
        self.hold.set()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                if self.headers.get("content-encoding") == "gzip":
                    body = gzip.decompress(body)
                receiver.arrived.release()
                receiver.hold.wait(30)
                message = _REQUESTS[self.path].FromString(body)
                status = receiver.status(message) if callable(receiver.status) else receiver.status
                if status == 200:
                    headers = {k.lower(): v for k, v in self.headers.items()}
                    receiver.requests.append((self.path, len(body), message, headers))
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def spans(self) -> list[Any]:
        return [
            span
            for path, _, message, _ in self.requests
            if path == "/v1/traces"
            for resource in message.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def ids(self) -> list[tuple[int, int]]:
        return [
            (int.from_bytes(s.trace_id, "big"), int.from_bytes(s.span_id, "big"))
            for s in self.spans()
        ]

    def close(self) -> None:
        self.hold.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()


@pytest.fixture
def dead_endpoint() -> str:
    """An endpoint on which nothing listens."""
    made = Receiver()
    made.close()
    return made.endpoint


@pytest.fixture(autouse=True)
def raising() -> Iterator[None]:
    """Failures of ours are raised, unless a test says otherwise."""
    before = guard.set_raising(True)
    guard.forget()
    yield
    guard.set_raising(before)
    guard.forget()
