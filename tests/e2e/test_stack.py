"""The stack comes up, is whole, and goes down."""

from __future__ import annotations

from deploy.local import processes
from deploy.local.health import answers, get
from deploy.local.stack import SERVICES


def test_every_service_answers(backends):
    assert [s for s in SERVICES if not answers(backends.health(s))] == []


def test_prometheus_scrapes_the_collector(backends):
    assert b'"status":"success"' in get(f"{backends.url('prometheus')}/api/v1/query?query=up")


def test_processes_belong_to_it(backends):
    assert all(processes.alive(p) for p in backends.running.values())
