"""The commands that read: from Jaeger they say what they say from the file."""

from __future__ import annotations

import subprocess
import sys

import pytest

from deploy.local.configs import ROOT
from otel_footprint.cli import demo
from otel_footprint.trail import load

from .kit import Sender, trail_in


@pytest.fixture(scope="module")
def run(backends, tmp_path_factory):
    """The demo in Jaeger and in a file: the file, the trace."""
    file = tmp_path_factory.mktemp("why") / "trail.jsonl"
    with Sender(backends.url("otlp_http"), file=file, name="support") as sender:
        demo.agent(sender.fp, sender.fp.wrap(demo.client()))
        sender.flush()
    (turn,) = load(file).turns
    trail_in(backends, turn.trace_ids[0])
    return file, turn.trace_ids[0]


def said(source: str, *command: str) -> tuple[int, str]:
    """Exit code and output of a command, without the source's own name."""
    code = "import sys; from otel_footprint.cli.main import main; sys.exit(main(sys.argv[1:]))"
    line = [sys.executable, "-c", code, *command, "--from", source]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=120)
    return done.returncode, (done.stdout + done.stderr).replace(source, "SOURCE")


@pytest.mark.parametrize(
    "command",
    [
        ("why",),
        ("why", "15 %"),
        ("why", "--json"),
        ("show", "--color", "never"),
        ("diff", "2", "3"),
    ],
    ids=" ".join,
)
def test_from_jaeger_as_from_the_file(run, backends, command):
    file, trace = run
    name, *rest = command
    here = said(str(file), name, trace, *rest)
    there = said(backends.url("jaeger"), name, trace, *rest)
    assert here[0] == 0, here[1]
    assert there == here
