"""The fixture `trail`, as a user's test suite has it: in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = any(e.name == "otel_footprint" for e in entry_points(group="pytest11"))
APP = """
import json
from importlib import import_module
import openai
import otel_footprint as footprint

base = import_module("openai._base_client")
http = getattr(base, "httpx2", None) or base.httpx
POLICY = "Opened headphones are taken back less a restocking fee of 15 %."

def _answer(request):
    asked = json.loads(request.content)["messages"]
    message = {"role": "assistant", "content": "You pay 15 %."}
    if len(asked) < 3:
        call = {"id": "c1", "type": "function", "function": {"name": "policy", "arguments": "{}"}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return http.Response(200, json={
        "id": "x", "object": "chat.completion", "created": 1, "model": "gpt-4o-mini",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}})

def make(kind="", **options):
    cls = getattr(openai, kind + "OpenAI")
    client = getattr(http, kind + "Client")
    return footprint.wrap(cls(api_key="k", base_url="http://localhost/v1", max_retries=0,
                          http_client=client(transport=http.MockTransport(_answer))))

client = make()          # at import, as applications do: no provider, no content mode

def ask(question, client=client):
    messages = [{"role": "user", "content": question}]
    for _ in range(2):
        got = client.chat.completions.create(model="gpt-4o-mini", messages=messages)
        message = got.choices[0].message.to_dict()
        messages.append(message)
        for call in message.get("tool_calls") or []:
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": POLICY})
    return message["content"]

async def ask_async(question):
    client = make("Async")
    await client.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": question}])
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{pytester.path}")
    monkeypatch.delenv("OTEL_FOOTPRINT_CONTENT", raising=False)
    pytester.makepyfile(app=APP)
    pytester.makeini("[pytest]\nasyncio_mode = auto\nfilterwarnings = error\n"
                     "asyncio_default_fixture_loop_scope = function\n")  # fmt: skip
    return pytester


def run(suite: pytest.Pytester, *options: str) -> pytest.RunResult:
    plugin = [] if INSTALLED else ["-p", "otel_footprint.pytest_plugin"]
    return suite.runpytest_subprocess(*plugin, "-p", "no:cacheprovider", *options)


@pytest.mark.slow
def test_a_test_says_what_was_in_front_of_the_model(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        test_app="""
        import pytest, app
        import otel_footprint as footprint

        def test_saw(trail: footprint.Trail):
            assert app.ask("How much?") == "You pay 15 %."
            assert trail.calls[1].saw("restocking fee")
            assert not trail.calls[0].saw("restocking fee")
            assert trail.calls[1].saw("How much?", source="user")
            assert not trail.pressure
            assert not trail.gaps
            assert trail.why("15 %").findings
            assert trail.rebuild(2).text

        def test_each_test_has_its_own(trail):
            assert len(trail.calls) == 0
            app.ask("How much?")                     # the same words as in the test before
            assert len(trail.calls) == 2
            assert not trail.gaps
            assert len(trail.turns) == 1

        def test_without_the_fixture_nothing_is_kept():
            app.ask("How much?")

        async def test_async(trail):
            await app.ask_async("And when?")
            assert trail.calls[0].saw("And when?")

        def test_declared_modes_stay(trail):
            quiet = footprint.Footprint("quiet", content="none")
            client = app.make()
            quiet.wrap(client)
            app.ask("How much?", client)
            with pytest.raises(footprint.TrailError, match="content is off"):
                assert not trail.calls[0].saw("restocking fee")

        @pytest.mark.parametrize("n", range(3))
        def test_turns_and_tools(trail, n):
            fp = footprint.Footprint("support")
            with fp.turn("Hello", conversation=f"c{n}") as turn:
                app.ask("How much?", fp.wrap(app.make()))
            assert [t.conversation for t in trail.turns] == [f"c{n}"]
            assert trail.turns[0].outcome == "completed"
        """
    )
    run(suite).assert_outcomes(passed=8)
    run(suite, "-n", "2", "-p", "xdist").assert_outcomes(passed=8)


@pytest.mark.slow
def test_a_provider_of_the_application_is_used_and_left_alone(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        test_app="""
        import app
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        exporter = InMemorySpanExporter()

        def test_none_is_set_yet(trail):
            app.ask("How much?")
            assert len(trail.calls) == 2
            assert type(trace.get_tracer_provider()).__name__ == "ProxyTracerProvider"

        def test_it_is_set_in_a_test(trail):
            provider = TracerProvider()
            provider.add_span_processor(SimpleSpanProcessor(exporter))
            trace.set_tracer_provider(provider)
            with trace.get_tracer("shop").start_as_current_span("request"):
                app.ask("How much?")
            assert len(trail.calls) == 2
            assert trail.calls[1].saw("restocking fee")
            assert "request" in [s.name for s in trail.spans]
            assert len(exporter.get_finished_spans()) >= len(trail.spans)

        def test_it_is_there_already(trail):
            exporter.clear()
            app.ask("How much?")
            assert len(trail.calls) == 2
            assert exporter.get_finished_spans()

        def test_afterwards_it_still_exports():
            exporter.clear()
            app.ask("How much?")
            assert exporter.get_finished_spans()
        """
    )
    run(suite).assert_outcomes(passed=4)


@pytest.mark.slow
def test_a_failure_shows_the_trail(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        test_app="""
        import app
        import otel_footprint as footprint

        def test_wrong(trail):
            app.ask("How much?")
            assert trail.calls[1].saw("free of charge")

        def test_nothing(trail):
            assert trail.calls

        def test_no_such_call(trail):
            app.ask("How much?")
            assert trail.call(9).saw("free of charge")

        def test_cannot_tell(trail):
            client = app.make()
            footprint.Footprint("quiet", content="none").wrap(client)
            app.ask("How much?", client)
            assert trail.call(2).saw("free of charge")
        """
    )
    result = run(suite)
    result.assert_outcomes(failed=4)
    result.stdout.no_fnmatch_line("*otel_footprint/*.py*")  # of a failure the test's own lines
    result.stdout.fnmatch_lines(
        ["E *TrailError: no call 9 in this trail (there are: 1, 2)",
         "E *TrailError: cannot tell whether call 2 saw 'free of charge': *"]
    )  # fmt: skip
    result.stdout.fnmatch_lines(
        [
            "*assert <call 2 did not see 'free of charge': none of 3 pieces has it>*",
            "*footprint trail*",
            "*turn*2 calls*",
            "*tool-result*restocking fee*",
        ]
    )
    result.stdout.fnmatch_lines(["*trail without a model call: no wrapped client was called*"])


def test_loading_it_imports_nothing_that_takes_long() -> None:
    code = (
        "import sys, otel_footprint.pytest_plugin;"
        "heavy = ('opentelemetry', 'pydantic', 'wrapt', 'otel_footprint.trail', 'openai');"
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.strip() == b"[]"


def test_it_is_declared_for_pytest_to_find() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    declared = '[project.entry-points.pytest11]\notel_footprint = "otel_footprint.pytest_plugin"'
    assert declared in text
