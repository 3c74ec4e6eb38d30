"""`opentelemetry-instrument python app.py`, and the instrumentor by itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from otel_footprint.adapters.instrumentor import FootprintInstrumentor
from otel_footprint.adapters.stainless import uninstall
from otel_footprint.adapters.stainless.sdk import SDKS
from otel_footprint.telemetry import names
from tests.adapters.test_clients import ANTHROPIC, OPENAI
from tests.sdk import Recording, Server, chat, client, message
from tests.telemetry.conftest import Receiver

from .peers import PEERS, Peer, counts_as_call, together

ROOT = Path(__file__).resolve().parents[2]
APP = """
from tests.sdk import Server, chat, client

asked = [{"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{}"}}]
openai = client("openai", "OpenAI", Server(chat(None, asked), chat("three")))
messages = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "What is one and two?"},
]
while True:
    reply = openai.chat.completions.create(model="gpt-4o-mini", messages=messages)
    message = reply.choices[0].message
    messages.append(message)
    if not message.tool_calls:
        break
    messages.append({"role": "tool", "tool_call_id": "c1", "content": "3"})
assert message.content == "three"
"""


def instrumented(tmp_path: Path, before: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    """Runs the loop under `opentelemetry-instrument`, with more variables."""
    pytest.importorskip("opentelemetry.distro", reason="opentelemetry-distro is not installed")
    command = Path(sys.executable).parent / "opentelemetry-instrument"
    group = entry_points(group="opentelemetry_instrumentor")
    found = {e.name for e in group}
    if "otel_footprint" not in found or not command.exists():
        pytest.skip("the package and opentelemetry-instrument are not installed here")
    app = tmp_path / "app.py"
    app.write_text(before + APP)
    done = subprocess.run(
        [str(command), sys.executable, str(app)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "OTEL_TRACES_EXPORTER": "console",
            "OTEL_METRICS_EXPORTER": "none",
            "OTEL_LOGS_EXPORTER": "none",
            "OTEL_PYTHON_DISABLED_INSTRUMENTATIONS": ",".join(sorted(found - {"otel_footprint"})),
            **more,
        },
    )
    assert done.returncode == 0, done.stderr
    return done


def run_app(tmp_path: Path, before: str = "") -> list[dict[str, Any]]:
    """The same; the spans that it printed."""
    done = instrumented(tmp_path, before)
    assert "Error" not in done.stderr, done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    return list(objects(done.stdout))


def objects(text: str) -> Iterator[dict[str, Any]]:
    """JSON objects one after another."""
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        found, end = decoder.raw_decode(text, at)
        yield found
        at = text.find("{", end)


@pytest.mark.slow
def test_a_loop_is_recorded_without_a_line_of_code(tmp_path: Path) -> None:
    spans = run_app(tmp_path)
    calls = [s for s in spans if s["name"] == "chat gpt-4o-mini"]
    assert [c["attributes"][names.INPUT_TOKENS] for c in calls] == [10, 10]
    composed = [s["name"] for s in spans if s["name"].startswith("compose")]
    assert composed.count("compose messages") == 2
    assert composed.count("compose system") == 1
    joined = {s["attributes"][names.CALL_ID] for s in spans if s["name"].startswith("compose")}
    assert joined == {c["attributes"][names.CALL_ID] for c in calls}
    assert len({s["context"]["trace_id"] for s in spans}) == 1
    assert [s["name"] for s in spans].count(names.SPAN_TURN_ENDED) == 1


@pytest.mark.slow
def test_beside_another_instrumentation_there_is_one_span_a_call(tmp_path: Path) -> None:
    peer = PEERS[0]
    peer.make()
    spans = run_app(
        tmp_path,
        f"from {peer.module} import OpenAIInstrumentor\nOpenAIInstrumentor().instrument()\n",
    )
    calls = [s for s in spans if s["attributes"].get(names.OPERATION) == "chat"]
    assert len(calls) == 2
    assert all(names.MESSAGES_USED in c["attributes"] for c in calls)
    assert not [c for c in calls if names.SLOT_DIGESTS in c["attributes"]]
    records = [s for s in spans if s["name"] == names.SPAN_CALL_RECORD]
    ids = {c["attributes"][names.CALL_ID] for c in calls}
    assert {r["attributes"][names.CALL_ID] for r in records} == ids


@pytest.mark.slow
def test_the_sdk_s_own_variable_shortens_what_an_exit_waits_for_a_receiver(tmp_path: Path) -> None:
    asked: list[str] = []

    def unavailable(message: Any) -> int:
        asked.append(type(message).__name__)
        return 503

    receiver = Receiver()
    receiver.status = unavailable
    try:
        instrumented(
            tmp_path,
            OTEL_TRACES_EXPORTER="otlp",
            OTEL_METRICS_EXPORTER="otlp",
            OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf",
            OTEL_EXPORTER_OTLP_ENDPOINT=receiver.endpoint,
            OTEL_EXPORTER_OTLP_TIMEOUT="1",
        )
    finally:
        receiver.close()
    tries = {signal: asked.count(signal) for signal in set(asked)}
    assert set(tries) == {"ExportTraceServiceRequest", "ExportMetricsServiceRequest"}
    assert max(tries.values()) <= 2  # in its own ten seconds the SDK tries four times


@pytest.fixture
def recording() -> Iterator[Recording]:
    made = Recording()
    for sdk in SDKS:
        uninstall(sdk)
    yield made
    if FootprintInstrumentor().is_instrumented_by_opentelemetry:
        FootprintInstrumentor().uninstrument()
    for sdk in SDKS:
        uninstall(sdk)
    made.tracer_provider.shutdown()
    made.meter_provider.shutdown()


def methods() -> dict[str, Any]:
    """What stands on the client classes."""
    return {
        f"{cls.__module__}.{cls.__qualname__}.{name}": vars(cls)[name]
        for sdk in SDKS
        for classes in sdk.classes
        for cls in classes
        for name in ("request", "_process_response", "copy", "with_options")
        if name in vars(cls)
    }


def ask(recording: Recording) -> int:
    """One call of each SDK; how many were recorded in all."""
    client("openai", "OpenAI", Server(chat())).chat.completions.create(**OPENAI)
    client("anthropic", "Anthropic", Server(message())).messages.create(**ANTHROPIC)
    return len([s for s in recording.spans if counts_as_call(s)])


def test_instrumenting_and_taking_out_twice(recording: Recording) -> None:
    before = methods()
    for round_ in (1, 2):
        FootprintInstrumentor().instrument(**recording.providers)
        assert ask(recording) == 2 * round_
        FootprintInstrumentor().uninstrument()
        assert ask(recording) == 2 * round_
        assert methods() == before
    assert all(methods()[name] is original for name, original in before.items())


def test_a_client_that_is_wrapped_too_is_recorded_once(recording: Recording) -> None:
    import otel_footprint as footprint

    FootprintInstrumentor().instrument(**recording.providers)
    own = footprint.Footprint("own", **recording.providers)
    wrapped = own.wrap(client("openai", "OpenAI", Server(chat())))
    wrapped.chat.completions.create(**OPENAI)
    (call,) = [s for s in recording.spans if counts_as_call(s)]
    assert call.attributes[names.AGENT] == "own"


def test_a_subclass_that_is_wrapped_as_well_is_recorded_once(recording: Recording) -> None:
    """Base and subclass both carry a `request` of their own."""
    import openai

    import otel_footprint as footprint

    class Client(openai.OpenAI):
        def request(self, *args: Any, **kwargs: Any) -> Any:
            return super().request(*args, **kwargs)

    server = Server(chat())
    plain = client("openai", "OpenAI", server)
    own = footprint.Footprint("own", **recording.providers)
    made = own.wrap(
        Client(api_key="sk-test", base_url="http://local.test/v1", http_client=plain._client)
    )
    made.chat.completions.create(**OPENAI)
    made.with_options(timeout=3).chat.completions.create(**OPENAI)
    assert len([s for s in recording.spans if counts_as_call(s)]) == 2


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("peer", PEERS, ids=[f"{p.name} {p.package}" for p in PEERS])
def test_taking_us_out_from_beneath_another_library(recording: Recording, peer: Peer) -> None:
    """The other library wrapped over us: it works on, and nothing of us is left when it goes."""
    peer.make()
    before = methods()
    with together(peer, "us first", peer.package) as made:
        made.stop_us()
        if peer.package == "openai":
            client("openai", "OpenAI", Server(chat())).chat.completions.create(**OPENAI)
        else:
            client("anthropic", "Anthropic", Server(message())).messages.create(**ANTHROPIC)
        assert len(made.inference) == 1
        assert made.ours == []
    after = methods()
    assert all(after[name] is original for name, original in before.items())


def test_a_library_that_wrapped_our_request_gets_the_original_back(recording: Recording) -> None:
    import openai
    import wrapt

    base = openai._base_client.SyncAPIClient
    original = vars(base)["request"]
    FootprintInstrumentor().instrument(**recording.providers)
    seen = []

    def over(wrapped: Any, _instance: Any, args: Any, kwargs: Any) -> Any:
        seen.append(1)
        return wrapped(*args, **kwargs)

    theirs = wrapt.FunctionWrapper(vars(base)["request"], over)
    base.request = theirs
    try:
        assert ask(recording) == 2
        FootprintInstrumentor().uninstrument()
        assert vars(base)["request"] is theirs
        assert theirs.__wrapped__ is original
        assert ask(recording) == 2
        assert len(seen) == 2
    finally:
        base.request = original
