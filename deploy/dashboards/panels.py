"""Panels: a graph over time, or bars of totals over the shown range."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from grafana_foundation_sdk.builders import bargauge, common, dashboard, prometheus, timeseries
from grafana_foundation_sdk.models import common as common_model
from grafana_foundation_sdk.models import dashboard as model

from otel_footprint.telemetry import names

from ..promql import UNDERSCORES as SPELL

SOURCE: Final = "${datasource}"
STEP: Final = "$__rate_interval"
"""The window of a graph's points."""
RANGE: Final = "$__range"
"""The shown range."""
WIDTH: Final = 24
HEIGHT: Final = 8


class Query(NamedTuple):
    """A query and how its series are called. exemplars: links to traces are shown."""

    expr: str
    legend: str
    exemplars: bool = False


class Chart(NamedTuple):
    """A panel as it is declared."""

    title: str
    description: str
    queries: Sequence[Query]
    unit: str
    kind: str = "line"
    """line, bars (stacked, over time), or totals (over the range)."""
    limit: float | None = None
    """From where values are red."""


class Part(NamedTuple):
    """A row of panels."""

    title: str
    charts: Sequence[Chart]


class Page(NamedTuple):
    """A dashboard."""

    uid: str
    title: str
    description: str
    parts: Sequence[Part]


def chosen(*more: str, agent: bool = True) -> list[str]:
    """Matchers of what the page's variables choose."""
    made = [SPELL.matcher("job", "$job", "=~")]
    if agent:
        made.append(SPELL.matcher(names.AGENT, "$agent", "=~"))
    return [*made, *more]


def legend(*labels: str) -> str:
    """The values of labels, joined."""
    return " · ".join("{{" + label.replace(".", "_") + "}}" for label in labels)


def built(page: Page) -> model.Dashboard:
    """The dashboard of a page."""
    made = (
        dashboard.Dashboard(page.title)
        .uid(page.uid)
        .description(page.description)
        .tags(["otel-footprint"])
        .time("now-3h", "now")
        .refresh("1m")
        .timezone("browser")
        .readonly()
        .tooltip(model.DashboardCursorSync.CROSSHAIR)
        .with_variable(dashboard.DatasourceVariable("datasource").label("Prometheus").type(_TYPE))
        .with_variable(_variable("job", "job", "Service"))
        .with_variable(_variable("agent", SPELL.label(names.AGENT), "Agent"))
        .link(
            dashboard.DashboardLink("Other dashboards of the trail")
            .type(model.DashboardLinkType.DASHBOARDS)
            .tags(["otel-footprint"])
            .as_dropdown(True)
            .include_vars(True)
            .keep_time(True)
        )
    )
    for part in page.parts:
        made = made.with_row(dashboard.Row(part.title))
        width = WIDTH // len(part.charts)
        for chart in part.charts:
            made = made.with_panel(_panel(chart, width))
    return made.build()


_TYPE: Final = "prometheus"


def _variable(name: str, label: str, said: str) -> dashboard.QueryVariable:
    started = SPELL.series(names.METRIC_TURNS_STARTED)
    return (
        dashboard.QueryVariable(name)
        .label(said)
        .datasource(_source())
        .query(f"label_values({started}, {label})")
        .refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(model.VariableSort.ALPHABETICAL_ASC)
        .multi(True)
        .include_all(True)
        .all_value(".*")
        .current(model.VariableOption(selected=True, text="All", value="$__all"))
    )


def _source() -> model.DataSourceRef:
    return model.DataSourceRef(type_val=_TYPE, uid=SOURCE)


def _panel(chart: Chart, width: int) -> Any:
    made: Any = _totals(chart) if chart.kind == "totals" else _graph(chart)
    made = (
        made.title(chart.title)
        .description(chart.description)
        .datasource(_source())
        .unit(chart.unit)
        .min(0)
        .height(HEIGHT)
        .span(width)
        .thresholds(_thresholds(chart.limit))
    )
    for query in chart.queries:
        made = made.with_target(_target(query, chart.kind == "totals"))
    return made


def _graph(chart: Chart) -> timeseries.Panel:
    made = timeseries.Panel().legend(
        common.VizLegendOptions()
        .show_legend(True)
        .display_mode(common_model.LegendDisplayMode.LIST)
        .placement(common_model.LegendPlacement.BOTTOM)
    )
    if chart.kind == "bars":
        stacked = common.StackingConfig().mode(common_model.StackingMode.NORMAL)
        return made.draw_style(common_model.GraphDrawStyle.BARS).fill_opacity(80).stacking(stacked)
    made = made.show_points(common_model.VisibilityMode.AUTO).span_nulls(True)
    if chart.limit is not None:
        line = common_model.GraphThresholdsStyleMode.LINE
        made = made.thresholds_style(common.GraphThresholdsStyleConfig().mode(line))
    return made


def _totals(chart: Chart) -> bargauge.Panel:
    calm = chart.limit is None
    scheme = model.FieldColorModeId.PALETTE_CLASSIC if calm else model.FieldColorModeId.THRESHOLDS
    return (
        bargauge.Panel()
        .orientation(common_model.VizOrientation.HORIZONTAL)
        .display_mode(common_model.BarGaugeDisplayMode.BASIC)
        .reduce_options(common.ReduceDataOptions().values(False).calcs(["lastNotNull"]))
        .color_scheme(dashboard.FieldColor().mode(scheme))
    )


def _thresholds(limit: float | None) -> dashboard.ThresholdsConfig:
    steps = [model.Threshold(value=None, color="green")]
    if limit is not None:
        steps.append(model.Threshold(value=limit, color="red"))
    return dashboard.ThresholdsConfig().mode(model.ThresholdsMode.ABSOLUTE).steps(steps)


def _target(query: Query, instant: bool) -> prometheus.Dataquery:
    made = prometheus.Dataquery().expr(query.expr).legend_format(query.legend)
    if instant:
        return made.instant()
    return made.range().exemplar(query.exemplars)
