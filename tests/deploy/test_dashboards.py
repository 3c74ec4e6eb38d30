"""The dashboards are current, whole, and refer to what there is."""

from __future__ import annotations

import json
import re

import pytest

pytest.importorskip("grafana_foundation_sdk")

from grafana_foundation_sdk.models.dashboard import Dashboard

from deploy.dashboards.files import FILES, FOLDER, text
from deploy.dashboards.pages import PAGES
from deploy.promql import UNDERSCORES
from otel_footprint.telemetry import names

PROVISIONED = FOLDER.parent / "grafana" / "provisioning"


def panels(page):
    return [chart for part in page.parts for chart in part.charts]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_file_is_current(path) -> None:
    assert path.read_text(encoding="utf-8") == text(FILES[path]), (
        "run `python -m deploy.dashboards`"
    )


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_file_is_what_grafanas_own_types_make_of_it(path) -> None:
    said = json.loads(path.read_text(encoding="utf-8"))
    again = Dashboard.from_json(said)
    assert (again.uid, again.title) == (FILES[path].uid, FILES[path].title)
    shown = [p for p in said["panels"] if p["type"] != "row"]
    assert [p["title"] for p in shown] == [c.title for c in panels(FILES[path])]
    for panel in shown:
        assert panel["gridPos"]["w"] + panel["gridPos"]["x"] <= 24
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        assert panel["description"]
        assert panel["targets"]
    assert len({p["title"] for p in shown}) == len(shown)


def test_every_metric_is_shown() -> None:
    queries = "\n".join(q.expr for page in PAGES for c in panels(page) for q in c.queries)
    for entry in names.CATALOG.values():
        if entry.kind == "metric":
            part = "count" if entry.type == "histogram" else None
            stem = re.sub("_count$", "", UNDERSCORES.series(entry.name, part=part))
            assert re.search(rf"\b{stem}(_bucket|_sum|_count)?\{{", queries), entry.name
    assert "vector(" not in queries


def test_what_alarms_links_to_its_traces() -> None:
    exemplars = [c.title for page in PAGES for c in panels(page) if c.queries[0].exemplars]
    assert {"Window in use, 95th percentile", "Slots in use, 95th percentile"} <= set(exemplars)
    yaml = pytest.importorskip("yaml")
    said = yaml.safe_load((PROVISIONED / "datasources" / "footprint.yaml").read_text())
    sources = {source["uid"]: source for source in said["datasources"]}
    assert {s["type"] for s in sources.values()} == {
        "prometheus", "tempo", "jaeger", "alertmanager",
    }  # fmt: skip
    links = sources["prometheus"]["jsonData"]["exemplarTraceIdDestinations"]
    assert {link["name"] for link in links} == {"trace_id"}, "as Prometheus keeps OTLP exemplars"
    assert [link.get("datasourceUid", "tempo") for link in links] == ["tempo", "tempo"]
    assert "/trace/$${__value.raw}" in links[1]["url"]
    boards = yaml.safe_load((PROVISIONED / "dashboards" / "footprint.yaml").read_text())
    assert [p["type"] for p in boards["providers"]] == ["file"]
