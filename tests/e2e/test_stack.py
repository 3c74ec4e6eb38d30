"""The stack comes up, is whole, and goes down."""

from __future__ import annotations

from deploy.local import processes
from deploy.local.health import answers, get
from deploy.local.stack import SERVICES


def test_every_service_answers(whole):
    assert [s for s in SERVICES if not answers(whole.health(s))] == []


def test_prometheus_scrapes_the_collector(whole):
    assert b'"status":"success"' in get(f"{whole.url('prometheus')}/api/v1/query?query=up")


def test_processes_belong_to_it(whole):
    assert all(processes.alive(p) for p in whole.running.values())
