"""Local servers that answer as the documentation of Jaeger's and Tempo's query APIs says.

Real Jaeger is asked in tests/e2e; Tempo cannot be run where these tests were written, so its
documented answers are all that was ever tried.
"""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from .otlpjson import document

Spans = list[dict[str, Any]]
Answer = Callable[[str, dict[str, str]], tuple[int, Any]]


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """The base URL of a server; `answer(path, query)` gives status and JSON (or bytes)."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {k: v[0] for k, v in parse_qs(parts.query).items()}
            query["header"] = self.headers.get("X-Scope-OrgID", "")
            query["authorization"] = self.headers.get("Authorization", "")
            status, body = answer(parts.path, query)
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def by_trace(spans: Spans) -> dict[str, Spans]:
    out: dict[str, Spans] = {}
    for span in spans:
        out.setdefault(span["traceId"], []).append(span)
    return out


def plain(value: dict[str, Any]) -> Any:
    """The Python value of an OTLP value."""
    ((kind, item),) = value.items()
    if kind == "arrayValue":
        return [plain(v) for v in item["values"]]
    return int(item) if kind == "intValue" else item


def said(span: dict[str, Any]) -> dict[str, Any]:
    return {a["key"]: plain(a["value"]) for a in span["attributes"]}


def carries(spans: Spans, tags: dict[str, str]) -> bool:
    """True when one of the spans carries all the tags, values compared as text."""
    return any(all(str(said(s).get(k)) == v for k, v in tags.items()) for s in spans)


# --- Jaeger --------------------------------------------------------------------------------


def jaeger(spans: Spans, v3: bool = True) -> Answer:
    """Answers of a Jaeger that holds these spans, all of one service."""
    traces = by_trace(spans)

    def answer(path: str, query: dict[str, str]) -> tuple[int, Any]:
        if path.startswith("/api/v3/"):
            if not v3:
                return 200, b"<!doctype html><title>Jaeger UI</title>"
            if path == "/api/v3/services":
                return 200, {"services": ["tests"]}
            found = traces.get(path.rpartition("/")[2])
            if found is None:
                return 404, {"error": {"httpCode": 404, "message": "No traces found"}}
            return 200, {"result": document([sorted_keys(s) for s in found])}
        if path == "/api/services":
            return 200, {"data": ["tests"], "total": 1}
        if path == "/api/traces":
            assert query["service"] == "tests"
            tags = json.loads(query["tags"])
            chosen = [t for t, found in traces.items() if carries(found, tags)]
            return 200, {"data": [jaeger_trace(t, traces[t]) for t in chosen]}
        if path.startswith("/api/traces/"):
            id_ = path.rpartition("/")[2]
            if id_ in traces:
                return 200, {"data": [jaeger_trace(id_, traces[id_])]}
            return 404, {"data": None, "errors": [{"code": 404, "msg": "trace not found"}]}
        return 404, b"404 page not found"

    return answer


def sorted_keys(span: dict[str, Any]) -> dict[str, Any]:
    return {**span, "attributes": sorted(span["attributes"], key=lambda a: str(a["key"]))}


def jaeger_trace(id_: str, spans: Spans) -> dict[str, Any]:
    """A trace as `/api/traces` gives it: sorted tags, arrays as strings, whole microseconds."""
    return {
        "traceID": id_.lstrip("0"),
        "spans": [_jaeger_span(s) for s in spans],
        "processes": {"p1": {"serviceName": "tests", "tags": []}},
        "warnings": None,
    }


def _jaeger_span(span: dict[str, Any]) -> dict[str, Any]:
    start, end = int(span["startTimeUnixNano"]) // 1000, int(span["endTimeUnixNano"]) // 1000
    references = []
    if span.get("parentSpanId"):
        parent = {"traceID": span["traceId"].lstrip("0"), "spanID": span["parentSpanId"]}
        references.append({"refType": "CHILD_OF", **parent})
    for link in span.get("links", ()):
        other = {"traceID": link["traceId"], "spanID": link["spanId"]}
        references.append({"refType": "FOLLOWS_FROM", **other})
    kind = {1: "internal", 3: "client"}[span["kind"]]
    own = {"span.kind": kind, "otel.scope.name": span["scope"], "internal.span.format": "otlp"}
    return {
        "traceID": span["traceId"].lstrip("0"),
        "spanID": span["spanId"],
        "operationName": span["name"],
        "references": references,
        "startTime": start,
        "duration": end - start,
        "tags": _tags({**said(span), **own}),
        "logs": [
            {
                "timestamp": int(e["timeUnixNano"]) // 1000,
                "fields": _tags({"event": e["name"], **said(e)}),
            }
            for e in span["events"]
        ],
        "processID": "p1",
        "warnings": None,
    }


def _tags(values: dict[str, Any]) -> list[dict[str, Any]]:
    out = []
    for key, value in sorted(values.items()):
        kind = {bool: "bool", int: "int64", float: "float64"}.get(type(value), "string")
        shown = value
        if isinstance(value, list):
            shown = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
            shown = shown.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
        out.append({"key": key, "type": kind, "value": shown})
    return out


# --- Tempo ---------------------------------------------------------------------------------

_CONDITION = re.compile(r'span\.([\w.]+) (=|>=) (?:"((?:[^"\\]|\\.)*)"|(\d+))')


def tempo(spans: Spans, v2: bool = True, partial: bool = False) -> Answer:
    """Answers of a Tempo that holds these spans: ids in base64, as protobuf's JSON has them."""
    traces = by_trace(spans)

    def answer(path: str, query: dict[str, str]) -> tuple[int, Any]:
        if path == "/api/echo":
            return 200, b"echo"
        if path == "/api/search":
            found = [t for t, s in traces.items() if _fits(s, query["q"])]
            return 200, {"traces": [_summary(t, traces[t]) for t in found], "metrics": {}}
        groups = document([_in_base64(s) for s in traces.get(path.rpartition("/")[2], ())])
        there = bool(groups["resourceSpans"][0]["scopeSpans"])
        if there and v2 and path.startswith("/api/v2/traces/"):
            state = {"status": "PARTIAL", "message": "trace exceeds max size"} if partial else {}
            return 200, {"trace": groups, "metrics": {}, **state}
        if there and path.startswith("/api/traces/"):
            return 200, {"batches": groups["resourceSpans"]}
        return 404, b"trace not found" if "trace" in path else b"404 page not found"

    return answer


def _fits(spans: Spans, query: str) -> bool:
    conditions = [
        (name, text.replace('\\"', '"').replace("\\\\", "\\") or number)
        for name, _, text, number in _CONDITION.findall(query)
    ]
    assert conditions
    return carries(spans, dict(conditions))


def _summary(id_: str, spans: Spans) -> dict[str, Any]:
    start = min(int(s["startTimeUnixNano"]) for s in spans)
    return {
        "traceID": id_.lstrip("0"), "rootServiceName": "tests", "rootTraceName": "",
        "startTimeUnixNano": str(start), "durationMs": 7,
    }  # fmt: skip


def _in_base64(span: dict[str, Any]) -> dict[str, Any]:
    out = dict(span, kind=f"SPAN_KIND_{ {1: 'INTERNAL', 3: 'CLIENT'}[span['kind']] }")
    for key in ("traceId", "spanId", "parentSpanId"):
        if key in span:
            out[key] = base64.b64encode(bytes.fromhex(span[key])).decode()
    out["links"] = [
        {**x, **{k: base64.b64encode(bytes.fromhex(x[k])).decode() for k in ("traceId", "spanId")}}
        for x in span.get("links", ())
    ]
    return out
