"""For each alert: series that fire it, with what it then says, and series that do not."""

from __future__ import annotations

from typing import Any, NamedTuple

from otel_footprint.telemetry import names

Series = tuple[str, dict[str, str], str]
"""Metric (with the part of a histogram), labels, values a minute in promtool's notation."""

JOB = {"job": "shop", "instance": "i1"}
WHO = {**JOB, names.AGENT: "support"}
CALL = {**WHO, names.REQUEST_MODEL: "m"}


class Case(NamedTuple):
    """What fires an alert at minute `at`, its labels (beside severity) and summary."""

    firing: list[Series]
    labels: dict[str, str]
    summary: str
    healthy: list[Series]
    at: int = 20


def _call(metric: str, values: str, **more: str) -> Series:
    return metric, {**CALL, **{_LABELS[k]: v for k, v in more.items()}}, values


_LABELS = {
    "slot": names.SLOT,
    "origin": names.LABEL_ORIGIN,
    "le": "le",
    "outcome": names.LABEL_OUTCOME,
    "procedure": names.LABEL_PROCEDURE,
    "tool": names.TOOL_NAME,
    "verdict": names.LABEL_VERDICT,
    "failed": names.LABEL_FAILED,
    "reason": names.LABEL_REASON,
}


def _who(metric: str, values: str, **more: str) -> Series:
    return metric, {**WHO, **{_LABELS[k]: v for k, v in more.items()}}, values


def _buckets(metric: str, bounds: dict[str, str]) -> list[Series]:
    return [_call(f"{metric}_bucket", values, le=le) for le, values in bounds.items()]


def _instance(id_: str, started: str, ended: str) -> list[Series]:
    """A further process: its turns begun and ended."""
    who = {**WHO, "instance": id_}
    return [
        (names.METRIC_TURNS_STARTED, who, started),
        (names.METRIC_TURNS_ENDED, {**who, names.LABEL_OUTCOME: "completed"}, ended),
    ]


def _said(**more: str) -> dict[str, str]:
    return {"job": "shop", names.AGENT: "support", **{_LABELS[k]: v for k, v in more.items()}}


MODEL = {names.REQUEST_MODEL: "m"}
CASES: dict[str, Case] = {
    "FootprintSlotOverBudget": Case(
        [_call(names.METRIC_SLOT_EXCEEDED, "_x12 3x20", slot="messages", origin="declared")],
        _said(slot="messages"),
        "Agent support of shop: slot messages was over its declared cap in 3 calls.",
        [
            _call(names.METRIC_SLOT_EXCEEDED, "0+9x20", slot="messages", origin="default"),
            _call(names.METRIC_SLOT_EXCEEDED, "4x30", slot="tools", origin="declared"),
        ],
    ),
    "FootprintWindowUtilizationHigh": Case(
        _buckets(
            names.METRIC_UTILIZATION,
            {"0.9": "0+1x30", "0.95": "0+10x30", "1.0": "0+10x30", "+Inf": "0+10x30"},
        ),
        {**_said(), **MODEL},
        "Agent support of shop: one request in twenty fills 0.947 of the window of m or more.",
        _buckets(
            names.METRIC_UTILIZATION,
            {"0.5": "0+9x30", "0.9": "0+10x30", "1.0": "0+10x30", "+Inf": "0+10x30"},
        ),
    ),
    "FootprintWindowAboutToOverflow": Case(
        _buckets(
            names.METRIC_CALLS_LEFT, {"1.0": "_x12 0x20", "2.0": "_x12 1x20", "+Inf": "_x12 4x20"}
        ),
        {**_said(), **MODEL},
        "Agent support of shop: after 1 calls there was room for two more at most in the window "
        "of m.",
        _buckets(names.METRIC_CALLS_LEFT, {"2.0": "0x30", "3.0": "0x30", "+Inf": "0+5x30"}),
    ),
    "FootprintActionBudgetExhausted": Case(
        [_who(names.METRIC_ACTIONS_EXHAUSTED, "_x12 1x20")],
        _said(),
        "Agent support of shop: 1 turns took all the actions they were allowed.",
        [_who(names.METRIC_ACTIONS_EXHAUSTED, "2x30")],
    ),
    "FootprintStepsUnfinished": Case(
        [_who(names.METRIC_STEPS, "_x12 2x20", procedure="refund", outcome="unfinished")],
        _said(procedure="refund"),
        "Agent support of shop: 2 steps of procedure refund were left when turns ended.",
        [
            _who(names.METRIC_STEPS, "0+4x30", procedure="refund", outcome="done"),
            _who(names.METRIC_STEPS, "0+1x30", procedure="refund", outcome="skipped"),
        ],
    ),
    "FootprintSourcesRefuted": Case(
        [
            _who(
                names.METRIC_ARGUMENTS,
                "_x12 1x20",
                tool="refund",
                verdict="model",
                failed="quote-not-found",
            )
        ],
        _said(tool="refund", failed="quote-not-found"),
        "Agent support of shop: 1 arguments of refund did not come from where the model said "
        "(quote-not-found).",
        [
            _who(names.METRIC_ARGUMENTS, "0+3x30", tool="refund", verdict="said"),
            _who(
                names.METRIC_ARGUMENTS,
                "0+3x30",
                tool="refund",
                verdict="model",
                failed="uncheckable",
            ),
        ],
    ),
    "FootprintDeliveriesStuck": Case(
        [_who(names.METRIC_STUCK, "_x12 1x20")],
        _said(),
        "Agent support of shop: 1 declared messages could not be delivered.",
        [_who(names.METRIC_DEFERRED, "0+1x30", reason="role-collision")],
    ),
    "FootprintRecordsDropped": Case(
        [(names.METRIC_DROPPED, {**JOB, names.LABEL_REASON: "queue_full"}, "_x12 7x20")],
        {"job": "shop", names.LABEL_REASON: "queue_full"},
        "shop lost 7 records of its trails: queue_full.",
        [(names.METRIC_DROPPED, {**JOB, names.LABEL_REASON: "label_limit"}, "0+7x30")],
    ),
    "FootprintTurnsIncomplete": Case(
        [
            # one of three did not end, and then the process is gone; another one comes
            _who(names.METRIC_TURNS_STARTED, "0 1 3 3 3 _x60"),
            _who(names.METRIC_TURNS_ENDED, "_ _ 1 2 2 _x60", outcome="completed"),
            *_instance("i2", "_x5 1x60", "_x5 1x60"),
            # a process dies with two, and begins anew under the same id, where all of five end
            *_instance("i3", "5 7 9 9 9 0 1 4 5x50", "5 6 7 7 7 _ 1 2 5x50"),
        ],
        _said(),
        "shop: 3 turns or records of them are missing (agent: support).",
        [
            # a long turn under its limit, ended ones, and a process whose counters begin anew
            _who(names.METRIC_TURNS_STARTED, "0 1 3 3 3 3 3 3 3 3 4x50"),
            _who(names.METRIC_TURNS_ENDED, "_ _ 1 2 3x15 4x50", outcome="completed"),
            *_instance("i2", "9 9 9 9 0 1x50", "9 9 9 9 _ 1x50"),
            # that one has counted more in its second life than in the first
            *_instance("i3", "2 2 2 2 0 3 9x50", "2 2 2 2 _ 3 9x50"),
        ],
        at=30,
    ),
}


def case_file(rules: str, case: Case, alert: str, severity: str, url: str, spell: Any) -> Any:
    """promtool's test file for one case."""
    said = {
        "exp_labels": {spell_label(k, spell): v for k, v in case.labels.items()}
        | {"severity": severity},
        "exp_annotations": {"summary": case.summary, "runbook_url": url},
    }
    return {
        "rule_files": [rules],
        "evaluation_interval": "1m",
        "tests": [
            _test(case.firing, alert, case.at, [said], spell),
            _test(case.healthy, alert, case.at, [], spell),
        ],
    }


def spell_label(label: str, spell: Any) -> str:
    """A label as it is named in a result."""
    return label if spell.dots else label.replace(".", "_")


def _test(series: list[Series], alert: str, at: int, expected: list[Any], spell: Any) -> Any:
    return {
        "interval": "1m",
        "input_series": [
            {"series": _series(metric, labels, spell), "values": values}
            for metric, labels, values in series
        ],
        "alert_rule_test": [{"eval_time": f"{at}m", "alertname": alert, "exp_alerts": expected}],
    }


def _series(metric: str, labels: dict[str, str], spell: Any) -> str:
    name, part = metric, None
    if metric.endswith("_bucket"):
        name, part = metric.removesuffix("_bucket"), "bucket"
    return spell.series(name, *(spell.matcher(k, v) for k, v in labels.items()), part=part)
