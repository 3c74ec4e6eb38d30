"""Alerts for applications that send traces only: those that collector/README.md promises fire."""

from __future__ import annotations

import json
import re

import pytest

from deploy.local import Ports, Stack
from deploy.local.configs import COLLECTOR
from deploy.local.health import until
from deploy.promql import UNDERSCORES
from deploy.rules.alerts import ALERTS
from deploy.rules.files import groups

from . import runs
from .conftest import found
from .kit import Sender
from .test_alerts import FAST, notified

LAYERS = ("base.yaml", "derive-metrics.yaml", "export-jaeger.yaml", "export-prometheus.yaml")


def silent() -> set[str]:
    """Alerts of which README.md says that they need the SDK's metrics."""
    text = (COLLECTOR / "README.md").read_text(encoding="utf-8")
    (said,) = re.findall(r"Without the SDK's metrics one alert never fires, (.+?);", text)
    return set(re.findall(r"`(Footprint\w+)`", said))


@pytest.fixture(scope="module")
def stack(tmp_path_factory):
    programs = found("collector", "jaeger", "prometheus", "alertmanager")
    folder = tmp_path_factory.mktemp("derived-alerts")
    rules = folder / "rules.json"
    rules.write_text(json.dumps(groups(UNDERSCORES, FAST)))
    options = {"layers": LAYERS, "rules": [rules], "interval": "1s"}
    with Stack(folder / "stack", Ports.free(), programs, **options) as made:
        yield made


def test_all_but_those_named_reach_the_webhook(stack):
    expected = {alert.name for alert in ALERTS} - silent()
    with Sender(stack.url("otlp_http")) as sender:
        for run in (
            runs.over_budget,
            runs.full_window,
            runs.spent_actions,
            runs.unfinished_steps,
            runs.refuted_source,
            runs.stuck_delivery,
        ):
            run(sender.make)
        held = runs.open_turn(sender.make)
        sender.flush()

        def names() -> set[str]:
            return {name for name, _ in notified(stack, sender)}

        until(lambda: names() >= expected, 60, f"{expected} at the webhook")
        assert names() == expected
        held.end()


def test_a_healthy_run_alarms_nobody(stack):
    with Sender(stack.url("otlp_http")) as sender:
        runs.healthy(sender.make)
        with Sender(stack.url("otlp_http")) as later:
            sender.flush()
            runs.unfinished_steps(later.make)
            later.flush()
            until(lambda: notified(stack, later), 60, "an alert that came after it")
        assert notified(stack, sender) == set()
