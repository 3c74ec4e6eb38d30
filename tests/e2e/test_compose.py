"""Configuration of the compose stack, checked by the real programs; the demo agent, run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from deploy.local.configs import COLLECTOR, ROOT
from deploy.local.health import until

from .conftest import found
from .kit import query

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
