"""Run, SDK, collector, Prometheus, Alertmanager, webhook: each alert of `deploy/rules`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from deploy.local import Ports, Stack
from deploy.local.health import get, until
from deploy.promql import UNDERSCORES
from deploy.rules.alerts import ALERTS, Times
from deploy.rules.files import groups
from tests.losses.kit import Agent

from . import runs
from .conftest import found
from .kit import Sender, query

FAST = Times(window="30m", turn="8s", memory="20m", whole="21m", hold="1s")
"""The rules as they are, with shorter waits."""
Notes = set[tuple[str, str]]


@pytest.fixture(scope="module")
def stack(tmp_path_factory):
    programs = found("collector", "jaeger", "prometheus", "alertmanager")
    folder = tmp_path_factory.mktemp("alerts")
    rules = folder / "rules.json"
    ports = Ports.free()
    pages = f"http://localhost:{ports['runbooks']}"
    rules.write_text(json.dumps(groups(UNDERSCORES, FAST, pages)))
    with Stack(folder / "stack", ports, programs, rules=[rules], interval="1s") as made:
        yield made


@pytest.fixture
def sender(stack):
    with Sender(stack.url("otlp_http"), metrics=stack.url("otlp_http")) as made:
        yield made


def notified(stack: Stack, sender: Sender) -> Notes:
    """Names and severities of the alerts of this sender that reached the webhook."""
    return {
        (alert["labels"]["alertname"], alert["labels"]["severity"])
        for note in stack.alerts()
        for alert in note["alerts"]
        if alert["status"] == "firing" and alert["labels"].get("job") == sender.service
    }


def records_dropped(make: runs.Make) -> None:
    """Spans that no receiver takes."""
    fp = make("unheard")
    agent = Agent(fp)
    with fp.turn("x"):
        agent.say()


CAUSES: dict[str, tuple[Callable[[runs.Make], Any], set[str]]] = {
    "FootprintSlotOverBudget": (runs.over_budget, set()),
    "FootprintWindowUtilizationHigh": (runs.full_window, {"FootprintWindowAboutToOverflow"}),
    "FootprintWindowAboutToOverflow": (runs.full_window, {"FootprintWindowUtilizationHigh"}),
    "FootprintActionBudgetExhausted": (runs.spent_actions, set()),
    "FootprintStepsUnfinished": (runs.unfinished_steps, set()),
    "FootprintSourcesRefuted": (runs.refuted_source, set()),
    "FootprintDeliveriesStuck": (runs.stuck_delivery, set()),
    "FootprintRecordsDropped": (records_dropped, {"FootprintTurnsIncomplete"}),
    "FootprintTurnsIncomplete": (runs.open_turn, set()),
}
"""By alert: the run that causes it, and what else this run causes."""


def test_every_alert_has_a_run_that_causes_it():
    assert set(CAUSES) == {alert.name for alert in ALERTS}


@pytest.mark.parametrize("alert", ALERTS, ids=lambda a: a.name)
def test_it_reaches_the_webhook_and_alone(stack, alert):
    cause, others = CAUSES[alert.name]
    nowhere = f"http://127.0.0.1:{Ports.free()['webhook']}"
    url = nowhere if cause is records_dropped else stack.url("otlp_http")
    with Sender(url, metrics=stack.url("otlp_http"), timeout=1) as sender:
        held = cause(sender.make)  # an open turn ends when it is let go
        sender.flush()
        until(
            lambda: (alert.name, alert.severity) in notified(stack, sender),
            60,
            f"{alert.name} of {sender.service} at the webhook",
        )
        assert {name for name, _ in notified(stack, sender)} <= {alert.name, *others}
        del held


@pytest.mark.parametrize("run", [runs.healthy, runs.over_default], ids=lambda r: r.__name__)
def test_a_healthy_run_alarms_nobody(stack, sender, run):
    run(sender.make)
    sender.flush()
    last = f'footprint_turns_ended_total{{job="{sender.service}"}}'
    until(lambda: query(stack, last), 60, "the turn in Prometheus")
    # past the turns' time limit, each rule has been evaluated on it
    rule = f"count_over_time({last}[5m]) > 12"
    until(lambda: query(stack, rule), 60, "twelve evaluations")
    assert notified(stack, sender) == set()


def test_an_alert_links_to_its_runbook_and_says_who(stack):
    firing = [a for note in stack.alerts() for a in note["alerts"]]
    assert firing
    for alert in firing:
        page = get(alert["annotations"]["runbook_url"]).decode()
        assert page.startswith(f"# {alert['labels']['alertname']}\n")
        assert alert["labels"]["job"] in alert["annotations"]["summary"]
