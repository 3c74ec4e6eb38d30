"""Trail files: equal to the official encoder's JSON, shared by processes, never in the way."""

from __future__ import annotations

import base64
import json
import logging
import math
import subprocess
import sys

import pytest
from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry import trace
from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult

from otel_footprint.telemetry.jsonfile import JsonFileExporter, JsonFileLogExporter
from otel_footprint.telemetry.otlpjson import dump, logs_json, spans_json
from tests.quick import examples

IDS = ("traceId", "spanId", "parentSpanId")


def official(message) -> dict:
    """The official encoder's message as OTLP/JSON: protobuf's JSON with hex ids."""

    def hexed(value):
        if isinstance(value, list):
            return [hexed(v) for v in value]
        if isinstance(value, dict):
            return {
                k: base64.b64decode(v).hex() if k in IDS and isinstance(v, str) else hexed(v)
                for k, v in value.items()
            }
        return value

    return hexed(json_format.MessageToDict(message, use_integers_for_enums=True))


VALUES = (
    st.text(max_size=20)
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.just(math.nan)
    | st.lists(st.text(max_size=20), max_size=4)
    | st.lists(st.integers(-(2**63), 2**63 - 1), max_size=4)
    | st.lists(st.floats(allow_nan=False), max_size=4)
    | st.lists(st.booleans(), max_size=4)
)
CLEAN = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
ATTRIBUTES = st.dictionaries(CLEAN.filter(bool), VALUES, max_size=8)


@settings(max_examples=examples(40), deadline=None)
@given(CLEAN, ATTRIBUTES, ATTRIBUTES, ATTRIBUTES, st.booleans(), st.sampled_from(trace.SpanKind))
def test_spans_equal_the_official_encoding(name, attributes, event, resource, remote, kind):
    attributes = {k: v for k, v in attributes.items() if utf8(v)}
    event = {k: v for k, v in event.items() if utf8(v)}
    resource = {k: v for k, v in resource.items() if utf8(v)}
    provider = TracerProvider(resource=Resource(resource, "https://x/1"), shutdown_on_exit=False)
    bare = TracerProvider(resource=Resource({}), shutdown_on_exit=False)
    state = trace.TraceState([("a", "1"), ("b", "2")])
    far = trace.SpanContext(3, 4, remote, trace.TraceFlags(1), state)
    parent = trace.set_span_in_context(trace.NonRecordingSpan(far))
    spans = []
    for tracer in (
        provider.get_tracer("one", "1.0", "https://y/2", {"scope": name}),
        bare.get_tracer("two"),
        provider.get_tracer("one", "1.0", "https://y/2", {"scope": name}),
    ):
        span = tracer.start_span(name, parent, kind, attributes, [trace.Link(far, event)], 5)
        span.add_event(name, event, 7)
        span.add_event("bare", None, 8)
        if remote:
            span.set_status(trace.StatusCode.ERROR, name)
        span.end(9)
        spans.append(span)
    root = bare.get_tracer("two").start_span("root")
    root.end()
    spans.append(root)
    expected = official(encode_spans(spans))
    got = json.loads(dump(spans_json(spans)))
    assert strip_nan(got) == strip_nan(expected)
    back = json_format.ParseDict(unhexed(got), ExportTraceServiceRequest())
    assert back.SerializeToString(deterministic=True) == encode_spans(spans).SerializeToString(
        deterministic=True
    )


def utf8(value) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def strip_nan(value):
    return json.loads(json.dumps(value).replace("-0.0", "0.0"))


def unhexed(value):
    if isinstance(value, list):
        return [unhexed(v) for v in value]
    if isinstance(value, dict):
        return {
            k: base64.b64encode(bytes.fromhex(v)).decode()
            if k in IDS and isinstance(v, str)
            else unhexed(v)
            for k, v in value.items()
        }
    return value


def test_limits_are_told_as_dropped_counts():
    from opentelemetry.sdk.trace import SpanLimits

    limits = SpanLimits(max_span_attributes=1, max_events=1, max_links=1, max_event_attributes=1)
    provider = TracerProvider(span_limits=limits, shutdown_on_exit=False)
    far = trace.SpanContext(3, 4, False)
    span = provider.get_tracer("t").start_span(
        "s", attributes={"a": 1, "b": 2}, links=[trace.Link(far), trace.Link(far)]
    )
    span.add_event("e", {"a": 1, "b": 2})
    span.add_event("e", {"a": 1, "b": 2})
    span.end()
    got = spans_json([span])["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    assert got["droppedAttributesCount"] == 1
    assert got["droppedEventsCount"] == 1
    assert got["droppedLinksCount"] == 1
    assert got["events"][0]["droppedAttributesCount"] == 1
    assert spans_json([span]) == official(encode_spans([span]))


def test_values_that_only_new_sdks_or_no_encoder_take():
    deep: list = []
    for _ in range(300):
        deep = [deep]
    span = ReadableSpan(
        "lone \ud800",
        context=trace.SpanContext(1, 2, False),
        attributes={
            "map": {"a": {"b": [1, None, "x"]}, 3: 0.5},
            "bytes": b"\x00\xff",
            "none": None,
            "big": 2**70,
            "lone": "\udfff",
            "numbers": (float("nan"), float("inf"), float("-inf")),
            "object": object(),
            "deep": deep,
            "empty": (),
        },
        resource=Resource({}),
    )
    line = dump(spans_json([span]))
    assert line.count(b"\n") == 1
    assert b"NaN" not in line.replace(b'"NaN"', b"")
    one = json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    found = {a["key"]: a["value"] for a in one["attributes"]}
    assert one["name"] == "lone \ufffd"
    assert found["map"] == {
        "kvlistValue": {
            "values": [
                {
                    "key": "a",
                    "value": {
                        "kvlistValue": {
                            "values": [
                                {
                                    "key": "b",
                                    "value": {
                                        "arrayValue": {
                                            "values": [{"intValue": "1"}, {}, {"stringValue": "x"}]
                                        }
                                    },
                                }
                            ]
                        }
                    },
                },
                {"key": "3", "value": {"doubleValue": 0.5}},
            ]
        }
    }
    assert found["bytes"] == {"bytesValue": "AP8="}
    assert found["none"] == {}
    assert found["big"] == {"stringValue": str(2**70)}
    assert found["lone"] == {"stringValue": "\ufffd"}
    assert found["object"] == {}
    assert found["empty"] == {"arrayValue": {}}
    assert [v["doubleValue"] for v in found["numbers"]["arrayValue"]["values"]] == [
        "NaN", "Infinity", "-Infinity",
    ]  # fmt: skip


def test_logs_equal_the_official_encoding():
    memory = InMemoryLogRecordExporter()
    provider = LoggerProvider(Resource({"service.name": "s"}), shutdown_on_exit=False)
    provider.add_log_record_processor(SimpleLogRecordProcessor(memory))
    logger = provider.get_logger("scope", "1", "https://y/2")
    span = trace.NonRecordingSpan(trace.SpanContext(3, 4, False, trace.TraceFlags(1)))
    logger.emit(
        LogRecord(
            timestamp=5, observed_timestamp=6, context=trace.set_span_in_context(span),
            severity_number=SeverityNumber.INFO, severity_text="INFO", body="text ä",
            event_name="footprint.slot.composed", attributes={"a": [1, 2], "b": "x", "c": 0.5},
        )
    )  # fmt: skip
    logger.emit(LogRecord(timestamp=7, observed_timestamp=8, body={"k": [1, "x"]}))
    records = memory.get_finished_logs()
    assert json.loads(json.dumps(logs_json(records))) == official(encode_logs(records))


def span_of(name="s"):
    span = TracerProvider(shutdown_on_exit=False).get_tracer("t").start_span(name)
    span.end()
    return span


def test_a_line_a_batch(tmp_path):
    path = tmp_path / "new" / "trail.jsonl"
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(JsonFileExporter(path)))
    assert not path.parent.exists()
    provider.get_tracer("t").start_span("a ü").end()
    JsonFileExporter(str(path)).export([span_of(), span_of()])
    first, second = path.read_text("utf-8").splitlines()
    assert '"name":"a ü"' in first
    assert len(json.loads(second)["resourceSpans"]) == 1
    provider.shutdown()
    assert JsonFileExporter(path).export([]) is SpanExportResult.SUCCESS


def test_a_half_line_of_a_process_that_died_stays_alone(tmp_path):
    path = tmp_path / "trail.jsonl"
    path.write_text('{"resourceSpans":[{"re')
    exporter = JsonFileExporter(path)
    exporter.export([span_of()])
    exporter.export([span_of()])
    half, *whole = path.read_text().splitlines()
    assert half == '{"resourceSpans":[{"re'
    assert [set(json.loads(line)) for line in whole] == [{"resourceSpans"}] * 2


def test_a_file_that_cannot_be_written_is_a_failed_export(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    exporter = JsonFileExporter(tmp_path / "file" / "trail.jsonl")
    with caplog.at_level(logging.WARNING):
        assert exporter.export([span_of("secret name")]) is SpanExportResult.FAILURE
        assert exporter.export([span_of("secret name")]) is SpanExportResult.FAILURE
        logs = JsonFileLogExporter(tmp_path / "file" / "trail.jsonl")
        provider = LoggerProvider()
        provider.add_log_record_processor(SimpleLogRecordProcessor(logs))
        provider.get_logger("a").emit(LogRecord(body="secret"))
    (record,) = caplog.records  # one warning for the file, however often and by whom it is tried
    assert str(tmp_path / "file" / "trail.jsonl") in record.getMessage()
    assert "secret" not in caplog.text


def test_after_shutdown_nothing_is_written(tmp_path):
    exporter = JsonFileExporter(tmp_path / "t.jsonl")
    exporter.shutdown()
    assert exporter.export([span_of()]) is SpanExportResult.FAILURE
    assert exporter.force_flush()
    logs = JsonFileLogExporter(tmp_path / "t.jsonl")
    logs.shutdown()
    assert logs.export([]).name == "FAILURE"
    assert not (tmp_path / "t.jsonl").exists()


WRITER = """
import sys
from opentelemetry.sdk.trace import TracerProvider
from otel_footprint.telemetry.jsonfile import JsonFileExporter
exporter = JsonFileExporter(sys.argv[1])
tracer = TracerProvider(shutdown_on_exit=False).get_tracer("t")
for i in range(200):
    span = tracer.start_span(sys.argv[2], attributes={"text": "x" * 5000, "n": i})
    span.end()
    exporter.export([span])
"""


def test_two_processes_write_one_file(tmp_path):
    path = tmp_path / "t.jsonl"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), name]) for name in ("one", "two")
    ]
    assert [w.wait(120) for w in writers] == [0, 0]
    seen: dict[str, list[int]] = {"one": [], "two": []}
    for line in path.read_text().splitlines():
        span = json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
        seen[span["name"]].append(int(span["attributes"][1]["value"]["intValue"]))
    assert seen == {"one": list(range(200)), "two": list(range(200))}


@pytest.mark.parametrize("module", ["names", "guard", "sanitize", "redact", "delivery"])
def test_modules_of_the_hot_path_and_of_readers_import_no_sdk(module):
    code = (
        f"import sys, otel_footprint.telemetry.{module}\n"
        "bad = [m for m in sys.modules if m.startswith('opentelemetry')]\n"
        "sys.exit(', '.join(bad) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("module", ["metrics", "context", "limits", "setup"])
def test_modules_that_need_the_api_only(module):
    code = (
        f"import sys, threading, otel_footprint.telemetry.{module}\n"
        "bad = [m for m in sys.modules if m.startswith('opentelemetry.sdk')"
        " or m.startswith('opentelemetry.exporter')]\n"
        "assert threading.active_count() == 1\n"
        "sys.exit(', '.join(bad) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
