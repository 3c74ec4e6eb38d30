"""Importing, forking, exiting, and files that several processes write."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from otel_footprint.trail import load
from tests.adapters.conftest import Recorded
from tests.quick import sampled

ROOT = Path(__file__).resolve().parents[2]
HELPERS = """
import sys
import otel_footprint as footprint
from tests.sdk import Server, chat, client

def agent(text, **more):
    model = client("openai", "OpenAI", Server(chat("answer to " + text)))
    footprint.wrap(model)
    with footprint.turn(text, **more):
        model.chat.completions.create(
            model="gpt-4o-mini", messages=[{"role": "user", "content": text}]
        )
"""


def python(code: str, *arguments: Any, **env: str) -> subprocess.CompletedProcess[str]:
    """Runs code in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error", **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def said(run: subprocess.CompletedProcess[str]) -> Any:
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_an_import_has_no_side_effects(tmp_path: Path) -> None:
    code = """
        import atexit, json, os, signal, sys, threading, logging
        calls = []
        atexit.register = lambda *a, **k: calls.append(str(a))
        os.register_at_fork = lambda **k: calls.append("fork")
        before = set(os.listdir(".")), signal.getsignal(signal.SIGTERM), sys.excepthook
        handlers = list(logging.getLogger().handlers)
        import otel_footprint
        otel_footprint.Budget(); otel_footprint.DeclarationError
        after = set(os.listdir(".")), signal.getsignal(signal.SIGTERM), sys.excepthook
        packages = {m.partition(".")[0] for m in sys.modules}
        print(json.dumps({
            "same": before == after, "registered": calls, "threads": threading.active_count(),
            "handlers": handlers == list(logging.getLogger().handlers),
            "sdk": "opentelemetry.sdk" in sys.modules,
            "packages": sorted(packages & {"openai", "anthropic", "genai_prices", "httpx", "httpx2",
                                           "grpc", "requests", "opentelemetry"}),
        }))
    """
    found = said(python(code))
    assert found == {
        "same": True, "registered": [], "threads": 1, "handlers": True, "sdk": False,
        "packages": [],
    }  # fmt: skip


@pytest.mark.slow
def test_a_footprint_imports_neither_a_client_nor_the_sdk() -> None:
    code = """
        import json, sys, threading
        import otel_footprint
        fp = otel_footprint.Footprint(content="full")
        with fp.turn("Hello?"):
            assert fp.tool(lambda x: x)(1) == 1
        fp.wrap(lambda: 1)()
        print(json.dumps([
            threading.active_count(),
            [m for m in ("openai", "anthropic", "opentelemetry.sdk", "genai_prices")
             if m in sys.modules],
        ]))
    """
    assert said(python(code, FOOTPRINT_QUIET="1")) == [1, []]


def test_the_reading_side_needs_no_opentelemetry() -> None:
    code = """
        import json, sys
        import otel_footprint.trail, otel_footprint.report.tree
        print(json.dumps([m for m in sys.modules if m.partition(".")[0] == "opentelemetry"]))
    """
    assert said(python(code)) == []


def test_a_call_without_a_provider_warns_once_and_works() -> None:
    other = "footprint.Footprint('other').record('openai', '/v1/chat/completions', {})"
    code = HELPERS + f"agent('one'); agent('two'); {other}; print('[]')"
    run = python(code)
    assert said(run) == []
    assert run.stderr.count("No tracer provider is set") == 1
    quiet = python(code, FOOTPRINT_QUIET="1")
    assert quiet.stderr == ""
    off = python(code, OTEL_SDK_DISABLED="true")
    assert off.stderr == ""


@pytest.mark.parametrize(("sink", "warnings"), [("log", 1), ("both", 1), ("span", 0)])
def test_a_sink_of_logs_without_a_logger_provider_is_said_once(sink: str, warnings: int) -> None:
    code = f"""
        import otel_footprint as footprint
        from opentelemetry.sdk.trace import TracerProvider
        fp = footprint.Footprint(sink={sink!r}, tracer_provider=TracerProvider())
        body = {{"model": "m", "messages": [{{"role": "user", "content": "?"}}]}}
        for _ in range(2):
            fp.record("openai", "/v1/chat/completions", body)
        print("[]")
    """
    run = python(code)
    assert said(run) == []
    assert run.stderr.count("No logger provider is set") == warnings


@pytest.mark.parametrize(
    "ending", sampled(["", "sys.exit(3)", "raise KeyError('x')", "raise SystemExit"], 4)
)
def test_what_was_recorded_is_in_the_file_when_the_process_ends(
    tmp_path: Path, ending: str
) -> None:
    file = tmp_path / "trail.jsonl"
    code = HELPERS + f"footprint.configure(file=sys.argv[1])\nagent('one', id='t1')\n{ending}"
    run = python(code, file)
    assert run.returncode == {"": 0, "sys.exit(3)": 3, "raise SystemExit": 0}.get(ending, 1)
    trail = load(file)
    assert [(t.id, t.outcome, len(t.calls)) for t in trail.turns] == [("t1", "completed", 1)]
    assert trail.problems == ()


@pytest.mark.parametrize(
    "error", sampled(["SystemExit(4)", "KeyboardInterrupt()", "OSError('x')"], 3)
)
def test_an_exit_inside_a_tool_leaves_a_whole_trail(tmp_path: Path, error: str) -> None:
    file = tmp_path / "trail.jsonl"
    code = HELPERS + textwrap.dedent(f"""
        footprint.configure(file=sys.argv[1])
        @footprint.tool
        def work():
            raise {error}
        with footprint.turn("one", id="t1"):
            work()
    """)
    run = python(code, file)
    assert run.returncode != 0
    (turn,) = load(file).turns
    assert turn.outcome == "error"
    assert [t.error for t in turn.tools] == [error.partition("(")[0]]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_after_setting_up_records_in_both(tmp_path: Path) -> None:
    file = tmp_path / "trail.jsonl"
    code = HELPERS + textwrap.dedent("""
        import os, warnings
        warnings.simplefilter("ignore", DeprecationWarning)
        handle = footprint.configure(file=sys.argv[1])
        agent("before", id="before")
        children = []
        for n in range(3):
            pid = os.fork()
            if pid == 0:
                agent(f"child {n}", id=f"child {n}")
                handle.flush()
                os._exit(0)
            children.append(pid)
        agent("after", id="after")
        codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
        assert codes == [0, 0, 0], codes
    """)
    run = python(code, file)
    assert run.returncode == 0, run.stderr
    trail = load(file)
    found = sorted((t.id, t.outcome, len(t.calls)) for t in trail.turns)
    names = ["after", "before", "child 0", "child 1", "child 2"]
    assert found == [(n, "completed", 1) for n in names]
    ids = [i for t in trail.turns for i in t.ledgers]
    assert len(set(ids)) == 5
    assert all(trail.check(i).state == "complete" for i in ids)
    assert trail.problems == ()


def test_a_stream_that_is_held_until_the_process_ends_is_recorded(tmp_path: Path) -> None:
    file = tmp_path / "trail.jsonl"
    code = HELPERS + textwrap.dedent("""
        from tests.sdk import chat_sse
        footprint.configure(file=sys.argv[1])
        model = footprint.wrap(client("openai", "OpenAI", Server(chat_sse("a", *"bcdefgh"))))
        def stream():
            messages = [{"role": "user", "content": "Hello?"}]
            return model.chat.completions.create(model="m", messages=messages, stream=True)
        with footprint.turn("one", id="t1"):
            kept = [stream(), stream()]
            next(iter(kept[1]))
    """)
    run = python(code, file)
    assert run.returncode == 0, run.stderr
    assert "otel_footprint" not in run.stderr
    trail = load(file)
    (turn,) = trail.turns
    assert [c.output_state for c in turn.calls] == ["cut", "cut"]
    assert [trail.check(i).state for i in turn.ledgers] == ["complete"]


def test_a_process_ends_while_the_catalogue_of_models_is_being_loaded(tmp_path: Path) -> None:
    """What runs at its very end may import what the catalogue imports, as SDKs do."""
    slow = "import builtins, time\nbuiltins.begun.set()\ntime.sleep(0.5)\n"
    (tmp_path / "genai_prices.py").write_text(slow)
    code = f"""
        import builtins, sys, threading
        builtins.begun = threading.Event()
        sys.path.insert(0, {str(tmp_path)!r})
        import otel_footprint as footprint
        from opentelemetry.sdk.trace import TracerProvider

        def held():
            try:
                yield
            finally:
                import genai_prices

        kept = held()
        next(kept)
        body = {{"model": "m", "messages": [{{"role": "user", "content": "?"}}]}}
        fp = footprint.Footprint(tracer_provider=TracerProvider())
        fp.record("openai", "/v1/chat/completions", body)
        assert builtins.begun.wait(30)
        print("[]")
    """
    assert said(python(code)) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("explicit", [True, False], ids=["in a turn", "no turn"])
def test_a_child_forked_in_a_turn_records_in_a_turn_of_its_own(
    tmp_path: Path, explicit: bool
) -> None:
    file = tmp_path / "trail.jsonl"
    code = HELPERS + textwrap.dedent("""
        import contextlib, os, warnings
        warnings.simplefilter("ignore", DeprecationWarning)
        handle = footprint.configure(file=sys.argv[1])
        explicit = sys.argv[2] == "True"
        client_ = footprint.wrap(client("openai", "OpenAI", Server(chat("answer"))))
        def ask(*texts):
            client_.chat.completions.create(
                model="m", messages=[{"role": "user", "content": t} for t in texts]
            )
        @footprint.tool
        def look(number):
            return number
        with footprint.turn("main", id="main") if explicit else contextlib.nullcontext():
            ask("first")
            children = []
            for n in range(2):
                pid = os.fork()
                if pid == 0:
                    ask("first", f"child {n}")
                    look(n)
                    break
                children.append(pid)
            else:
                ask("first", "second")
        if len(children) < 2:
            handle.flush()
            os._exit(0)
        assert [os.waitpid(pid, 0)[1] for pid in children] == [0, 0]
    """)
    run = python(code, file, str(explicit), OTEL_FOOTPRINT_CONTENT="full")
    assert run.returncode == 0, run.stderr
    trail = load(file)
    asked = sorted(trail.rebuild(c.id).text.count("content") for c in trail.calls)
    assert asked == [1, 2, 2, 2]
    assert len({c.id for c in trail.calls}) == 4
    states = [trail.check(i).state for t in trail.turns for i in t.ledgers]
    if explicit:
        assert states == ["complete"] * 3
        assert sorted(t.parent_turn for t in trail.turns) == ["", "main", "main"]
        assert sorted(len(t.tools) for t in trail.turns) == [0, 1, 1]
    else:  # nothing of an application ends the children's
        assert sorted(states) == ["complete", "complete", "open", "open"]


@pytest.mark.slow
def test_two_processes_write_one_file(tmp_path: Path) -> None:
    file = tmp_path / "trail.jsonl"
    code = HELPERS + textwrap.dedent("""
        footprint.configure(file=sys.argv[1])
        for n in range(40):
            agent("words " * 200, id=f"{sys.argv[2]} {n}")
    """)
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(file), name],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "OTEL_BSP_SCHEDULE_DELAY": "5"},
        )
        for name in ("one", "two")
    ]
    assert [run.wait(60) for run in runs] == [0, 0]
    trail = load(file)
    assert trail.problems == ()
    assert sorted(t.id for t in trail.turns) == sorted(
        f"{name} {n}" for name in ("one", "two") for n in range(40)
    )
    assert all(len(t.calls) == 1 and not t.gaps for t in trail.turns)


def test_a_half_written_last_line_is_named_and_the_rest_is_read(
    tmp_path: Path, recorded: Recorded
) -> None:
    from otel_footprint.telemetry.jsonfile import JsonFileExporter

    file = tmp_path / "trail.jsonl"
    for number in range(3):
        with recorded.footprint.turn(f"Turn {number}.", id=f"t{number}"):
            recorded.footprint.record("openai", "/v1/chat/completions", {"model": "m"}, {})
        JsonFileExporter(file).export(recorded.recording.spans)
        recorded.recording.exporter.clear()
    whole = file.read_bytes()
    lines = whole.splitlines(keepends=True)
    file.write_bytes(whole[: -len(lines[-1]) // 2])
    trail = load(file)
    assert [p.line for p in trail.problems] == [3]
    assert {"t0", "t1"} <= {t.id for t in trail.turns}
    with recorded.footprint.turn("Later.", id="later"):
        pass
    JsonFileExporter(file).export(recorded.recording.spans)
    trail = load(file)
    assert "later" in {t.id for t in trail.turns}
    assert [p.line for p in trail.problems] == [3]


def test_a_file_that_cannot_be_written_does_not_stop_the_agent(tmp_path: Path) -> None:
    code = HELPERS + "footprint.configure(file=sys.argv[1])\nagent('one')\nprint('[]')"
    folder = tmp_path / "folder"
    folder.mkdir()
    assert said(python(code, folder, OTEL_FOOTPRINT_RAISE="0")) == []
