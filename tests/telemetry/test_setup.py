"""`configure`: honours the environment, replaces nobody's provider, works after a fork.

Providers are set once a process, so each test runs its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from otel_footprint.errors import DeclarationError, MissingExtraError
from otel_footprint.telemetry import otlp
from otel_footprint.telemetry.handle import Handle
from otel_footprint.telemetry.setup import configure, install_processor

BEGIN = """
import os, sys, json, logging, threading
from opentelemetry import trace, metrics
from otel_footprint.telemetry.setup import configure
def span(name="s"):
    made = trace.get_tracer("app").start_span(name)
    made.end()
    return made
def processors(provider):
    return [type(p).__name__ for p in provider._active_span_processor._span_processors]
"""


def run(code: str, **env: str) -> str:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("OTEL_")}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BEGIN + code],
        env={**clean, "OTEL_FOOTPRINT_RAISE": "1", **env},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def names_in(path: Path) -> list[str]:
    return [
        span["name"]
        for line in path.read_text().splitlines()
        for resource in json.loads(line).get("resourceSpans", [])
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]


def test_the_end_of_a_process_exports_metrics_once():
    """A second time they would have no exemplars, and be all that a later scrape sees."""
    out = run(
        """
h = configure()
metrics.get_meter("app").create_counter("n").add(1)
assert h.shutdown()
""",
        OTEL_TRACES_EXPORTER="none",
        OTEL_METRICS_EXPORTER="console",
    )
    assert out.count('"resource_metrics"') == 1


def test_each_process_is_an_instance_of_its_own_unless_it_is_named():
    code = """
h = configure(endpoint="http://127.0.0.1:9", service_name="shop", metrics=False)
print(h.tracer_provider.resource.attributes["service.instance.id"])
"""
    assert len({run(code), run(code)}) == 2
    assert run(code, OTEL_RESOURCE_ATTRIBUTES="service.instance.id=pod-1").strip() == "pod-1"


def test_a_trail_file(tmp_path):
    path = tmp_path / "trail.jsonl"
    run(
        f"""
h = configure(file={str(path)!r}, service_name="shop", metrics=True)
assert h.owned and h.meter_provider is None
assert processors(h.tracer_provider) == ["FootprintSpanProcessor", "TrackedBatchSpanProcessor"]
span("one")
assert h.flush()
assert open({str(path)!r}).read().count("\\n") == 1
span("two")
assert h.shutdown() and h.shutdown() and h.flush()
"""
    )
    assert names_in(path) == ["one", "two"]
    attributes = json.loads(path.read_text().splitlines()[0])["resourceSpans"][0]["resource"]
    assert {"key": "service.name", "value": {"stringValue": "shop"}} in attributes["attributes"]


def test_what_waits_at_exit_is_written(tmp_path):
    path = tmp_path / "trail.jsonl"
    run(f"configure(file={str(path)!r}); span('last')")
    assert names_in(path) == ["last"]


def test_the_environment_decides(receiver):
    run(
        """
h = configure()
assert h.meter_provider is not None
assert span().get_span_context().trace_flags.sampled
from otel_footprint.telemetry.metrics import Metrics
Metrics().turn_started("a")
assert h.flush() and h.shutdown()
""",
        OTEL_EXPORTER_OTLP_ENDPOINT=receiver.endpoint,
        OTEL_EXPORTER_OTLP_HEADERS="x-team=blue",
        OTEL_SERVICE_NAME="from-env",
        OTEL_RESOURCE_ATTRIBUTES="deployment.environment=test",
    )
    _, _, message, headers = next(r for r in receiver.requests if r[0] == "/v1/traces")
    assert headers["x-team"] == "blue"
    found = {a.key: a.value.string_value for a in message.resource_spans[0].resource.attributes}
    assert found["service.name"] == "from-env"
    assert found["deployment.environment"] == "test"
    assert [s.name for s in receiver.spans()] == ["s"]
    metric_names = {
        m.name
        for p, _, message, _ in receiver.requests
        if p == "/v1/metrics"
        for r in message.resource_metrics
        for s in r.scope_metrics
        for m in s.metrics
    }
    assert "footprint.turns.started" in metric_names


def test_declared_wins_over_the_environment(receiver):
    run(
        f"""
h = configure(endpoint={receiver.endpoint!r}, service_name="declared", headers={{"a": "b"}})
span()
h.shutdown()
""",
        OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9",
        OTEL_SERVICE_NAME="from-env",
        OTEL_METRICS_EXPORTER="none",
    )
    (request,) = receiver.requests
    found = {a.key: a.value.string_value for a in request[2].resource_spans[0].resource.attributes}
    assert found["service.name"] == "declared"
    assert request[3]["a"] == "b"


@pytest.mark.parametrize(
    ("env", "code"),
    [
        (
            {"OTEL_SDK_DISABLED": "true"},
            "assert h.tracer_provider is None and not span().is_recording()",
        ),
        (
            {"OTEL_TRACES_SAMPLER": "always_off"},
            "assert not span().get_span_context().trace_flags.sampled",
        ),
        (
            {"OTEL_TRACES_EXPORTER": "none", "OTEL_METRICS_EXPORTER": "none"},
            "assert processors(h.tracer_provider) == ['FootprintSpanProcessor']\n"
            "assert h.meter_provider is None",
        ),
        (
            {"OTEL_TRACES_EXPORTER": "console,nosuch", "OTEL_METRICS_EXPORTER": "none"},
            "span('on the console'); h.flush()",
        ),
        (
            {"OTEL_BSP_MAX_QUEUE_SIZE": "7"},
            "p = h.tracer_provider._active_span_processor._span_processors[1]\n"
            "assert p._most == 14",
        ),
    ],
)
def test_standard_variables(env, code):
    out = run("h = configure()\n" + code + "\nos._exit(0)", **env)
    if "console" in env.get("OTEL_TRACES_EXPORTER", ""):
        assert "on the console" in out
        assert "nosuch" in out


def test_a_provider_of_the_application_is_kept_and_gets_our_processor():
    run(
        """
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.metrics import MeterProvider
mine, meters = TracerProvider(), MeterProvider()
trace.set_tracer_provider(mine)
metrics.set_meter_provider(meters)
h = configure()
h = configure()
assert trace.get_tracer_provider() is mine is h.tracer_provider and not h.owned
assert metrics.get_meter_provider() is meters and h.meter_provider is None
assert processors(mine) == ["FootprintSpanProcessor"]
assert h.shutdown()
assert span().is_recording() is False and span().get_span_context().is_valid
"""
    )


def test_a_declared_way_out_is_added_to_the_application_s_provider(tmp_path, receiver):
    path = tmp_path / "trail.jsonl"
    run(
        f"""
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
mine, memory = TracerProvider(), InMemorySpanExporter()
mine.add_span_processor(SimpleSpanProcessor(memory))
trace.set_tracer_provider(mine)
h = configure(file={str(path)!r}, endpoint={receiver.endpoint!r}, metrics=False)
configure(file={str(path)!r}, endpoint={receiver.endpoint!r}, metrics=False)
span("a")
assert h.flush()
assert h.shutdown()
span("b")
assert [s.name for s in memory.get_finished_spans()] == ["a", "b"]
"""
    )
    assert names_in(path) == ["a"]
    assert [s.name for s in receiver.spans()] == ["a"]


def test_a_provider_that_takes_no_processor_is_left_alone_and_named():
    out = run(
        """
class Other(trace.NoOpTracerProvider):
    pass
other = Other()
trace.set_tracer_provider(other)
h = configure(endpoint="http://127.0.0.1:9")
assert trace.get_tracer_provider() is other and h.tracer_provider is None and h.flush()
"""
    )
    assert "Other" in out
    assert "not an SDK one" in out


def test_logs_go_to_the_file_and_to_the_receiver(tmp_path, receiver):
    path = tmp_path / "trail.jsonl"
    run(
        f"""
from opentelemetry._logs import LogRecord, get_logger
h = configure(file={str(path)!r}, endpoint={receiver.endpoint!r}, metrics=False, logs=True)
get_logger("app").emit(LogRecord(event_name="footprint.slot.composed", attributes={{"a": 1}}))
span()
assert h.logger_provider is not None and h.flush() and h.shutdown()
"""
    )
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert {key for line in lines for key in line} == {"resourceSpans", "resourceLogs"}
    assert "/v1/logs" in {r[0] for r in receiver.requests}


SILENT = """
import socket
from otel_footprint.telemetry import export, setup
export.AT_EXIT = setup.METRICS_AT_EXIT = 0.2
silent = socket.create_server(("127.0.0.1", 0))  # takes connections and never answers
endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
"""


def test_a_receiver_that_does_not_answer_holds_up_no_exit():
    """Its exporter alone would wait for 10 s, and then nothing would be told as lost here."""
    out = run(
        SILENT
        + """
h = configure(endpoint=endpoint)
from otel_footprint.telemetry.metrics import Metrics
Metrics().turn_started("a")
span("one"); span("two")
print("leaving")
"""
    )
    assert "leaving" in out
    assert "2 spans are lost: their receiver did not take them within 0.2 seconds" in out


def test_what_cannot_be_sent_before_the_exit_is_told_as_lost():
    out = run(
        SILENT
        + """
from otel_footprint.telemetry.delivery import deliveries
class Listen:
    gone = []
    def acknowledged(self, spans): raise AssertionError(spans)
    def lost(self, spans, reason): self.gone += [reason] * len(spans)
listen = Listen()
deliveries.subscribe(listen)
h = configure(endpoint=endpoint, metrics=False)
provider = h.tracer_provider
for _ in range(600):
    span()
provider.shutdown()
assert listen.gone and set(listen.gone) == {"shutdown"}, listen.gone
print("lost", len(listen.gone))
"""
    )
    assert "600 spans are lost" in out
    assert "lost 88" in out  # and 512 are at the exporter: of those nobody can tell yet


@pytest.mark.parametrize(
    ("env", "seconds"),
    [
        ({}, 5.0),
        ({"OTEL_EXPORTER_OTLP_TIMEOUT": "12"}, 12.0),
        ({"OTEL_EXPORTER_OTLP_TIMEOUT": "12", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "1.5"}, 1.5),
        ({"OTEL_EXPORTER_OTLP_TIMEOUT": "soon"}, 5.0),
        ({"OTEL_EXPORTER_OTLP_TIMEOUT": "-1"}, 5.0),
    ],
)
def test_how_long_an_exit_may_take_is_the_exporters_own_timeout(env, seconds, monkeypatch):
    from otel_footprint.telemetry.export import patience

    for name in ("OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert patience() == seconds


def test_a_trail_file_that_cannot_be_written_is_named_once(tmp_path):
    path = tmp_path / "file" / "trail.jsonl"
    (tmp_path / "file").write_text("")
    out = run(f"configure(file={str(path)!r}, logs=True); span('a')")
    assert out.count(f"The trail file {path} cannot be written") == 1
    assert "could not record" not in out


def test_after_a_fork_parent_and_child_both_export(tmp_path, receiver):
    path = tmp_path / "trail.jsonl"
    run(
        f"""
h = configure(file={str(path)!r}, endpoint={receiver.endpoint!r})
span("before")
pid = os.fork()
if pid == 0:
    span("child")
    ok = h.flush()
    os._exit(0 if ok else 1)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
span("parent")
assert h.shutdown()
"""
    )
    assert sorted(names_in(path)) == ["before", "child", "parent"]
    assert sorted(s.name for s in receiver.spans()) == ["before", "child", "parent"]


def test_deliveries_tell_what_became_of_each_span(tmp_path, receiver, dead_endpoint):
    out = run(
        f"""
from otel_footprint.telemetry.delivery import deliveries
class Listen:
    ok, gone = [], []
    def acknowledged(self, spans): self.ok += spans
    def lost(self, spans, reason): self.gone += [(s, reason) for s in spans]
listen = Listen()
deliveries.subscribe(listen)
h = configure(file={str(tmp_path / "t")!r}, endpoint={receiver.endpoint!r}, metrics=False)
assert deliveries.tracks(trace.get_tracer_provider())
c = span().get_span_context()
h.flush()
assert listen.ok == [(c.trace_id, c.span_id)] and not listen.gone
more = configure(endpoint={dead_endpoint!r}, metrics=False)
c = span().get_span_context()
more.tracer_provider.force_flush()
assert len(listen.ok) == 1
assert listen.gone == [((c.trace_id, c.span_id), "export_failed")], listen.gone
h.shutdown(); more.shutdown()
assert not deliveries.tracks(trace.get_tracer_provider())
print("done")
""",
        OTEL_EXPORTER_OTLP_TIMEOUT="1",
    )
    assert "done" in out


def test_a_wrong_protocol_is_refused_where_it_is_written():
    with pytest.raises(DeclarationError, match=r"protocol='thrift'.*'grpc'"):
        configure(protocol="thrift")


def test_a_missing_package_names_its_extra(monkeypatch):
    to = otlp.target("traces", "localhost:4317")
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.grpc.trace_exporter", None)
    with pytest.raises(MissingExtraError, match=r"otel-footprint\[grpc\]"):
        otlp.exporter(to)
    to = otlp.target("traces")
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(MissingExtraError, match=r"otel-footprint\[sdk\]"):
        otlp.exporter(to)
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.resources", None)
    with pytest.raises(MissingExtraError, match=r"otel-footprint\[sdk\]"):
        configure()


@pytest.mark.parametrize(
    ("endpoint", "protocol", "env", "expected"),
    [
        (None, None, {}, ("http/protobuf", "http://localhost:4318/v1/traces")),
        (None, "grpc", {}, ("grpc", "http://localhost:4317")),
        ("http://c:4318", None, {}, ("http/protobuf", "http://c:4318/v1/traces")),
        ("http://c:4318/", None, {}, ("http/protobuf", "http://c:4318/v1/traces")),
        ("https://c/otlp", None, {}, ("http/protobuf", "https://c/otlp/v1/traces")),
        ("https://c/v1/traces", None, {}, ("http/protobuf", "https://c/v1/traces")),
        ("c:4317", None, {}, ("grpc", "http://c:4317")),
        (
            "c:4317",
            None,
            {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"},
            ("http/protobuf", "http://c:4317/v1/traces"),
        ),
        (
            None,
            None,
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://e:1/p", "OTEL_EXPORTER_OTLP_PROTOCOL": "x"},
            ("http/protobuf", "http://e:1/p/v1/traces"),
        ),
        (
            None,
            None,
            {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://e:1/mine"},
            ("http/protobuf", "http://e:1/mine"),
        ),
        (
            None,
            None,
            {
                "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "grpc",
                "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://e:1",
            },
            ("grpc", "http://e:1"),
        ),
    ],
)
def test_where_traces_go(endpoint, protocol, env, expected):
    found = otlp.target("traces", endpoint, protocol, env)
    assert (found.protocol, found.endpoint) == expected
    assert found.declared == (endpoint is not None)


@pytest.mark.parametrize("endpoint", [5, "", " "])
def test_an_endpoint_that_is_no_url_is_refused_by_name(endpoint):
    with pytest.raises(DeclarationError, match=r"^endpoint=.* expected: a URL"):
        configure(endpoint=endpoint)


@pytest.mark.parametrize("signal", ["traces", "metrics", "logs"])
@pytest.mark.parametrize("protocol", ["http/protobuf", "grpc"])
def test_an_exporter_of_each_kind(signal, protocol):
    made = otlp.exporter(otlp.target(signal, "http://127.0.0.1:9", protocol), {"a": "b"}, 1)
    made.shutdown()
    kind = {"traces": "Span", "metrics": "Metric", "logs": "Log"}[signal]
    assert type(made).__name__ == f"OTLP{kind}Exporter"
    assert f".proto.{protocol.split('/')[0]}." in type(made).__module__


def test_flush_does_not_wait_for_ever_and_tells_a_failure(caplog):
    import threading

    never = threading.Event()

    class Part:
        def force_flush(self):
            return never.wait(60)

        def shutdown(self):
            raise RuntimeError("content")

    handle = Handle()
    handle.started(Part())
    assert handle.flush(0.01) is False
    never.set()
    assert handle.flush() is True
    assert handle.shutdown() is False
    assert "RuntimeError" in caplog.text
    assert "content" not in caplog.text


def test_our_processor_is_added_once():
    from opentelemetry.sdk.trace import TracerProvider

    provider = TracerProvider(shutdown_on_exit=False)
    assert install_processor(provider)
    assert install_processor(provider)
    assert len(provider._active_span_processor._span_processors) == 1
    assert not install_processor(object())
