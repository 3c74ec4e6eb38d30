"""Configuration of the compose stack, checked by the real programs; the demo agent, run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlencode

import pytest
import yaml

from deploy.local.configs import COLLECTOR, ROOT
from deploy.local.health import get, until

from .conftest import found
from .kit import query, spans_of

FOLDER = ROOT / "deploy" / "compose"


def ran(*command: str | Path, env: dict[str, str] | None = None) -> str:
    said = subprocess.run(
        [str(c) for c in command],
        env={**os.environ, **(env or {})},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert said.returncode == 0, said.stdout + said.stderr
    return said.stdout


def test_the_collector_takes_its_configuration():
    stack = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
    service = stack["services"]["collector"]
    layers = [f"--config={COLLECTOR / Path(c).name}" for c in service["command"]]
    program = found("collector").find("collector")
    ran(program, "validate", *layers, env=service["environment"])


def test_jaeger_takes_its_configuration():
    ran(found("jaeger").find("jaeger"), "validate", f"--config={FOLDER / 'jaeger.yaml'}")


def test_prometheus_takes_its_configuration():
    program = found("promtool").find("promtool")
    ran(program, "check", "config", "--syntax-only", FOLDER / "prometheus.yaml")


def test_alertmanager_takes_its_configuration():
    found("alertmanager")
    amtool = shutil.which("amtool")
    if amtool is None:
        pytest.skip("amtool is not installed")
    ran(amtool, "check-config", FOLDER / "alertmanager.yaml")


def test_the_demo_agent_is_seen_in_all_backends(whole):
    from otel_footprint.errors import TrailError
    from otel_footprint.trail.sources import open_source

    env = {"OTEL_EXPORTER_OTLP_ENDPOINT": whole.url("otlp_http")}
    said = ran(sys.executable, "-m", "deploy.demo", "--turns", "2", "--every", "0", env=env)
    assert "turn 2 is over" in said

    def seen():
        try:
            trail = open_source(whole.url("jaeger"), "newest")
        except TrailError:
            return None
        return trail if trail.asked and len(trail.asked[0].calls) == 7 else None

    assert until(seen, 60, "the demo's turn in Jaeger").asked[0].agent == "support"
    ended = 'footprint_turns_ended_total{job="support-agent",footprint_outcome="completed"}'
    until(lambda: [s["value"][1] for s in query(whole, ended)] == ["2"], 60, "both turns counted")
    over = 'footprint_slot_budget_exceeded_total{job="support-agent",footprint_origin="declared"}'
    assert [s["value"][1] for s in query(whole, over)] == ["4"]  # two calls of seven, in each turn
    until(
        lambda: "FootprintSlotOverBudget" in json.dumps(whole.alerts()),
        60,
        "the alert at the webhook",
    )
    for panel in ("Window in use, 95th percentile", "Slots in use, 95th percentile"):
        assert all(spans_of(whole, trace) for trace in linked(whole, panel)), panel


def linked(stack, panel: str) -> set[str]:
    """Traces to which the points of a panel link: Grafana asks for exemplars of its query."""
    (expr,) = (
        target["expr"]
        for path in (ROOT / "deploy" / "dashboards").glob("*.json")
        for shown in json.loads(path.read_text(encoding="utf-8"))["panels"]
        if shown["title"] == panel
        for target in shown["targets"]
        if target["exemplar"]
    )
    expr = expr.replace("$__rate_interval", "5m").replace("$job", "support-agent")
    asked = {"query": expr.replace("$agent", ".*"), "start": time.time() - 600, "end": time.time()}
    url = f"{stack.url('prometheus')}/api/v1/query_exemplars?{urlencode(asked)}"
    found = json.loads(get(url))["data"]
    traces = {e["labels"]["trace_id"] for series in found for e in series["exemplars"]}
    assert traces, panel
    return traces
