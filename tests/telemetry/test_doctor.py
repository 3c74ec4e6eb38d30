"""`otel-footprint doctor` against endpoints that live, refuse and are dead."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF

from otel_footprint.cli import doctor as module
from otel_footprint.cli import installed
from otel_footprint.cli.doctor import doctor
from otel_footprint.cli.nextstep import for_endpoint, refusal
from otel_footprint.telemetry.delivery import deliveries
from otel_footprint.telemetry.export import TrackedBatchSpanProcessor
from otel_footprint.telemetry.setup import exports_by_environment


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    for name in list(os.environ):
        if name.startswith(("OTEL_", "ANTHROPIC_")):
            monkeypatch.delenv(name)
    monkeypatch.setattr(module, "TIMEOUT", 1.0)
    provide(monkeypatch, trace.ProxyTracerProvider())


def provide(monkeypatch, provider):
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)


def ask() -> tuple[int, dict[str, list[str]], str]:
    """Exit code, the lines by what they are about (state first), the whole text."""
    out = io.StringIO()
    code = doctor(out)
    found: dict[str, list[str]] = {}
    for line in out.getvalue().splitlines():
        found.setdefault(line[6:22].strip(), []).append(f"{line[:4].strip()} {line[24:]}")
    return code, found, out.getvalue()


def test_a_live_endpoint(receiver, monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint)
    monkeypatch.setenv("OTEL_FOOTPRINT_CONTENT", "redacted")
    monkeypatch.setenv("OTEL_SPAN_EVENT_COUNT_LIMIT", "8")
    code, found, text = ask()
    assert code == 0, text
    assert found["endpoint"] == [f"ok {receiver.endpoint}/v1/traces took a test span"]
    assert [s.name for s in receiver.spans()] == ["doctor"]
    assert f"otlp to {receiver.endpoint}/v1/traces" in found["exporter"][0]
    assert found["sampler"] == ["ok as the parent, else AlwaysOnSampler"]
    assert found["content"] == ["ok redacted (OTEL_FOOTPRINT_CONTENT)"]
    assert "events 8" in found["limits"][0]
    assert "opentelemetry-sdk" in found["versions"][0]
    assert set(found) >= {"provider", "instrumentation"}


@pytest.mark.parametrize("status", [400, 404, 413])
def test_an_endpoint_that_refuses(receiver, monkeypatch, status, capfd):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint)
    receiver.status = status
    code, found, _ = ask()
    assert code == 1
    assert "did not take a test span" in found["endpoint"][0]
    assert str(status) in found["endpoint"][0]
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("protocol", ["http/protobuf", "grpc"])
def test_a_dead_endpoint(dead_endpoint, monkeypatch, protocol):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", dead_endpoint)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
    code, found, _ = ask()
    assert code == 1
    assert found["endpoint"][0].startswith(f"FAIL {dead_endpoint}")
    assert "Max retries" not in found["endpoint"][0]
    assert found["endpoint"][1].startswith(
        f"next start a collector, or Jaeger, that listens at {dead_endpoint.removeprefix('http://')}"
    )
    assert 'footprint.configure(file="trail.jsonl")' in found["endpoint"][1]


@pytest.mark.parametrize("protocol", ["http/protobuf", "grpc"])
def test_where_nothing_listens_no_export_is_tried_that_would_be_tried_again(
    dead_endpoint, monkeypatch, protocol
):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", dead_endpoint)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
    tried = []

    def exports(**more):
        for export in exports_by_environment(**more):
            monkeypatch.setattr(export.exporter, "export", tried.append)
            yield export

    monkeypatch.setattr(module, "exports_by_environment", lambda **more: list(exports(**more)))
    code, found, _ = ask()
    assert (code, tried) == (1, [])
    assert "refused" in found["endpoint"][0]


@pytest.mark.parametrize("url", ["http://[bad", "http://host:999999", "http://xn--..:4318"])
def test_an_endpoint_that_is_no_url_is_said(monkeypatch, url):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
    code, found, _ = ask()
    assert code == 1
    assert "did not take a test span" in found["endpoint"][0]


def test_a_reader_that_has_seen_enough_is_no_error(dead_endpoint):
    command = [sys.executable, "-m", "otel_footprint.cli.main", "doctor"]
    more = {"OTEL_EXPORTER_OTLP_ENDPOINT": dead_endpoint}
    with subprocess.Popen(
        command, env={**os.environ, **more}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        running.stdout.close()
        assert running.stderr is not None
        assert running.stderr.read() == b""
    assert running.returncode == 1


def test_behind_a_proxy_the_exporter_finds_out(receiver, monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector.invalid:4318")
    monkeypatch.setenv("http_proxy", receiver.endpoint)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert refusal("http://collector.invalid:4318/v1/traces") is None
    monkeypatch.setenv("no_proxy", "127.0.0.1,collector.invalid")
    assert refusal("http://collector.invalid:4318/v1/traces") is not None


@pytest.mark.parametrize(
    ("endpoint", "why", "said"),
    [
        ("http://host:4318/v1/traces", "401 Unauthorized", "OTEL_EXPORTER_OTLP_HEADERS"),
        ("https://host/v1/traces", "404 Not Found", "takes the base"),
        ("http://host:4317/v1/traces", "connection reset", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"),
        ("http://u:secret@host:1/v1/traces", "refused", "listens at host:1,"),
    ],
)
def test_the_next_step_goes_by_what_the_endpoint_said(endpoint, why, said):
    found = for_endpoint(endpoint, why)
    assert said in found
    assert "secret" not in found


def test_credentials_of_the_endpoint_are_not_printed(receiver, monkeypatch):
    secret = receiver.endpoint.replace("://", "://user:hunter2@")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", secret)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer hunter3")
    receiver.status = 500
    _, _, text = ask()
    assert "hunter" not in text
    assert "[redacted:credentials]@" in text


@pytest.mark.parametrize(
    ("env", "what", "expected"),
    [
        ({"OTEL_SDK_DISABLED": "true"}, "SDK", "OTEL_SDK_DISABLED"),
        ({"OTEL_TRACES_EXPORTER": "none"}, "exporter", "leaves nothing"),
        ({"OTEL_TRACES_EXPORTER": "nosuch"}, "exporter", "nosuch"),
        ({"OTEL_TRACES_SAMPLER": "always_off"}, "sampler", "no span is kept"),
        ({"OTEL_TRACES_SAMPLER": "parentbased_always_off"}, "sampler", "no span is kept"),
        ({"OTEL_FOOTPRINT_CONTENT": "all"}, "content", "none, redacted or full"),
        (
            {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "yes"},
            "content",
            "is no value of it",
        ),
    ],
)
def test_settings_that_record_nothing_or_are_wrong_fail(receiver, monkeypatch, env, what, expected):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    code, found, _ = ask()
    assert code == 1
    assert any(line.startswith("FAIL") and expected in line for line in found[what])
    assert found[what][-1].startswith("next ")


def test_a_protocol_that_there_is_not_is_named_in_the_next_step(receiver, monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
    code, found, _ = ask()
    assert code == 1
    assert any(x.startswith("next set OTEL_EXPORTER_OTLP_PROTOCOL to") for x in found["exporter"])


def test_a_console_exporter_is_not_tried(monkeypatch):
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "console")
    code, found, _ = ask()
    assert code == 0
    assert found["endpoint"] == ["note not tried: not an OTLP exporter"]


def test_the_application_s_own_provider(monkeypatch):
    memory = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(memory))
    provide(monkeypatch, provider)
    code, found, _ = ask()
    assert code == 0
    assert found["endpoint"] == ["note a test span was handed to the application's exporters"]
    assert [s.name for s in memory.get_finished_spans()] == ["doctor"]
    assert "set by the application" in found["provider"][0]


@pytest.mark.parametrize("works", [True, False])
def test_a_provider_whose_deliveries_are_known(monkeypatch, works):
    from opentelemetry.sdk.trace.export import SpanExportResult

    class Exporter(InMemorySpanExporter):
        def export(self, spans):
            return SpanExportResult.SUCCESS if works else SpanExportResult.FAILURE

    provider = TracerProvider(shutdown_on_exit=False)
    door = deliveries.open(provider)
    provider.add_span_processor(TrackedBatchSpanProcessor(Exporter(), door.acknowledged, door.lost))
    provide(monkeypatch, provider)
    code, found, _ = ask()
    provider.shutdown()
    door.close()
    assert code == (0 if works else 1)
    expected = "ok took a test span" if works else "FAIL a test span was lost"
    assert found["endpoint"][0] == expected
    assert [line[:4] for line in found["endpoint"][1:]] == ([] if works else ["next"])


def test_providers_that_cannot_record(monkeypatch):
    provide(monkeypatch, trace.NoOpTracerProvider())
    code, found, _ = ask()
    assert code == 1
    assert "no SDK provider" in found["provider"][0]
    provide(monkeypatch, TracerProvider(sampler=ALWAYS_OFF, shutdown_on_exit=False))
    code, found, _ = ask()
    assert code == 1
    assert found["endpoint"] == ["note not tried: the test span was not sampled"]


def test_versions(monkeypatch, receiver):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint)
    given = {"openai": "4.0.1", "anthropic": "0.59.9", "opentelemetry-sdk": "1.39.0"}
    monkeypatch.setattr(installed, "version", lambda p: given.get(p, installed.SUPPORTED[p][0]))
    code, found, _ = ask()
    assert code == 1
    assert found["version"] == [
        "FAIL openai 4.0.1 is not supported: 1.99 or newer, below 4",
        "next pip install 'openai>=1.99,<4'",
        "FAIL anthropic 0.59.9 is not supported: 0.60 or newer, below 3",
        "next pip install 'anthropic>=0.60,<3'",
    ]

    def missing(package):
        raise installed.PackageNotFoundError(package)

    monkeypatch.setattr(installed, "version", missing)
    code, found, _ = ask()
    assert code == 1
    assert "FAIL opentelemetry-sdk is not installed" in found["version"]
    assert "endpoint" not in found


def test_the_table_of_versions_is_that_of_the_project():
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    lines = project["dependencies"] + [
        line for extra in project["optional-dependencies"].values() for line in extra
    ]
    seen = set()
    for line in lines:
        for package, (oldest, beyond) in installed.SUPPORTED.items():
            if line.startswith(f"{package}>="):
                assert line.startswith(f"{package}>={oldest}"), line
                assert f",<{beyond}" in line or package == "opentelemetry-instrumentation", line
                seen.add(package)
    assert seen == set(installed.SUPPORTED)


def test_other_instrumentations_are_named_with_their_state(monkeypatch):
    class Active:
        is_instrumented_by_opentelemetry = True

    class Entry(types.SimpleNamespace):
        def load(self):
            if self.value.startswith("broken"):
                raise ImportError
            return Active

    dist = types.SimpleNamespace(name="some-package", version="1.2")
    entries = [
        Entry(name="openai", value="x.openai:I", module="here", dist=dist),
        Entry(name="anthropic", value="x.anthropic:I", module="not.imported", dist=None),
        Entry(name="more", value="broken.openai:I", module="here", dist=dist),
        Entry(name="requests", value="x.requests:I", module="here", dist=dist),
        Entry(name="otel_footprint", value="x.openai:I", module="here", dist=dist),
    ]
    monkeypatch.setattr(installed, "entry_points", lambda group: entries)
    monkeypatch.setattr(installed, "version", lambda p: "2.14.0")
    monkeypatch.setitem(sys.modules, "here", types.ModuleType("here"))
    lines: list[tuple[str, str, str]] = []
    installed.instrumentations(lambda *line: lines.append(line))
    assert lines == [
        ("note", "instrumentation", "x.anthropic:I, not active in this process"),
        ("note", "instrumentation", "some-package 1.2, state unknown (ImportError)"),
        ("note", "instrumentation", "some-package 1.2, active"),
        ("note", "instrumentation", "anthropic 2.14.0 makes spans of its own"),
    ]
    monkeypatch.setenv("ANTHROPIC_OPEN_TELEMETRY", "false")
    monkeypatch.setattr(installed, "entry_points", lambda group: [])
    lines.clear()
    installed.instrumentations(lambda *line: lines.append(line))
    assert lines[0][0] == "ok"
