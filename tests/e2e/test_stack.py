"""The stack comes up, is whole, and goes down."""

from __future__ import annotations

import subprocess
import sys

from deploy.local import processes
from deploy.local.configs import ROOT
from deploy.local.health import answers, get
from deploy.local.stack import SERVICES


def test_every_service_answers(whole):
    assert [s for s in SERVICES if not answers(whole.health(s))] == []


def test_prometheus_scrapes_the_collector(whole):
    assert b'"status":"success"' in get(f"{whole.url('prometheus')}/api/v1/query?query=up")


def test_processes_belong_to_it(whole):
    assert all(processes.alive(p) for p in whole.running.values())


def test_a_person_starts_it_looks_and_stops_it(whole, tmp_path):
    def local(*arguments):
        command = [sys.executable, "-m", "deploy.local", *arguments, "--folder", str(tmp_path)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)

    try:
        up = local("up", "--free-ports")
        assert up.returncode == 0, up.stderr
        assert "send OTLP over HTTP here" in up.stdout
        again = local("up", "--free-ports")
        assert again.returncode == 1
        assert "up already" in again.stderr
        status = local("status")
        assert status.returncode == 0, status.stdout
        assert status.stdout.count(" up ") == len(SERVICES)
    finally:
        down = local("down")
    assert "Stopped" in down.stdout
    assert local("status").returncode == 1
