"""The rules in the SDK's own names, in a Prometheus whose receiver keeps them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from deploy.local import Ports, Stack, configs
from deploy.local.health import until
from deploy.promql import DOTS
from deploy.rules.alerts import ALERTS, Times

from . import runs
from .conftest import found
from .fleet import Fleet, query

TIMES = Times()
RUNS = {
    "FootprintSlotOverBudget": runs.over_budget,
    "FootprintWindowUtilizationHigh": runs.full_window,
    "FootprintWindowAboutToOverflow": runs.full_window,
    "FootprintActionBudgetExhausted": runs.spent_actions,
    "FootprintStepsUnfinished": runs.unfinished_steps,
    "FootprintSourcesRefuted": runs.refuted_source,
    "FootprintDeliveriesStuck": runs.stuck_delivery,
    "FootprintRecordsDropped": runs.spent_actions,
    "FootprintTurnsIncomplete": runs.open_turn,
}


@pytest.fixture(scope="module")
def stack(tmp_path_factory, module_monkeypatch) -> Iterator[Stack]:
    plain = configs.prometheus

    def dotted(*args):
        return {**plain(*args), "otlp": {"translation_strategy": "NoTranslation"}}

    module_monkeypatch.setattr(configs, "prometheus", dotted)
    folder, programs = tmp_path_factory.mktemp("dots"), found("prometheus")
    with Stack(folder, Ports.free(), programs, services=("prometheus",), rules=[]) as made:
        yield made


@pytest.fixture(scope="module")
def module_monkeypatch() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as made:
        yield made


@pytest.mark.parametrize("alert", ALERTS, ids=lambda a: a.name)
def test_each_alert_finds_its_metric(stack, alert):
    lossy = alert.name == "FootprintRecordsDropped"
    fleet = Fleet(stack, alert.name, "i1", loses_spans=lossy)
    held = RUNS[alert.name](fleet.make)
    fleet.traces.force_flush(10_000)
    fleet.send()
    later = 16 * 60 if alert.name == "FootprintTurnsIncomplete" else 0

    def firing() -> list[str]:
        said = query(stack, alert.expr(DOTS, TIMES), time.time() + later)
        return [json.dumps(s["metric"]) for s in said if s["metric"]["job"] == alert.name]

    until(firing, 30, f"{alert.name} in dots")
    if held is not None:
        held.end()
    fleet.close()
