"""The alerts, in the words of `telemetry.names`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from otel_footprint.telemetry import names

from ..promql import Spelling, grown, quantile, total, unfinished

LOST: Final = "queue_full|export_failed|shutdown"
"""Reasons of `footprint.records.dropped` that make a trail incomplete."""
HELD: Final = ("", "uncheckable")
"""Values of `footprint.failed` that refute nothing."""


@dataclass(frozen=True)
class Times:
    """Durations in the rules; tests run them faster.

    window: in which something happened. turn: a turn's time limit. memory: how long a turn that
    did not end is remembered; whole: turn and memory together. hold: how long a high quantile has
    to last.
    """

    window: str = "10m"
    turn: str = "15m"
    memory: str = "1h"
    whole: str = "75m"
    hold: str = "5m"


@dataclass(frozen=True)
class Alert:
    """One alert. expr: of a spelling and times. summary: with `{label}` for values of labels."""

    name: str
    severity: Literal["critical", "warning"]
    page: str
    labels: tuple[str, ...]
    summary: str
    expr: Callable[[Spelling, Times], str]
    holds: bool = False

    def text(self, spelling: Spelling) -> str:
        """The summary as a template of Prometheus."""
        out = self.summary
        for label in self.labels:
            out = out.replace("{" + label + "}", spelling.value(label))
        return out.replace("{value}", "{{ $value | printf `%.3g` }}")


_WHO: Final = ("job", names.AGENT)
_CALL: Final = (*_WHO, names.REQUEST_MODEL)


def _slot_over(s: Spelling, t: Times) -> str:
    declared = s.matcher(names.LABEL_ORIGIN, "declared")
    series = s.series(names.METRIC_SLOT_EXCEEDED, declared)
    return f"{total(s, series, t.window, *_WHO, names.SLOT)} > 0"


def _window_high(s: Spelling, t: Times) -> str:
    series = s.series(names.METRIC_UTILIZATION, part="bucket")
    return f"{quantile(0.95, s, series, t.window, *_CALL)} > 0.9"


def _window_ends(s: Spelling, t: Times) -> str:
    two = s.matcher("le", r"2(\\.0)?", "=~")
    series = s.series(names.METRIC_CALLS_LEFT, two, part="bucket")
    return f"{total(s, series, t.window, *_CALL)} > 0"


def _actions_spent(s: Spelling, t: Times) -> str:
    return f"{total(s, s.series(names.METRIC_ACTIONS_EXHAUSTED), t.window, *_WHO)} > 0"


def _steps_left(s: Spelling, t: Times) -> str:
    left = s.matcher(names.LABEL_OUTCOME, "unfinished")
    series = s.series(names.METRIC_STEPS, left)
    return f"{total(s, series, t.window, *_WHO, names.LABEL_PROCEDURE)} > 0"


def _refuted(s: Spelling, t: Times) -> str:
    failed = [s.matcher(names.LABEL_FAILED, word, "!=") for word in HELD]
    series = s.series(names.METRIC_ARGUMENTS, *failed)
    return f"{total(s, series, t.window, *_WHO, names.TOOL_NAME, names.LABEL_FAILED)} > 0"


def _stuck(s: Spelling, t: Times) -> str:
    return f"{total(s, s.series(names.METRIC_STUCK), t.window, *_WHO)} > 0"


def _dropped(s: Spelling, t: Times) -> str:
    lost = s.matcher(names.LABEL_REASON, "label_limit", "!=")
    series = s.series(names.METRIC_DROPPED, lost)
    return f"{total(s, series, t.window, 'job', names.LABEL_REASON)} > 0"


def _incomplete(s: Spelling, t: Times) -> str:
    open_ = unfinished(s, t.turn, t.memory, t.whole, by=_WHO)
    dropped = s.series(names.METRIC_DROPPED, s.matcher(names.LABEL_REASON, LOST, "=~"))
    return f"{open_} or sum by (job) ({grown(dropped, t.window)}) > 0"


_AGENT: Final = f"{{{names.AGENT}}}"
ALERTS: Final = (
    Alert(
        "FootprintSlotOverBudget",
        "warning",
        "slot-over-budget",
        (*_WHO, names.SLOT),
        f"Agent {_AGENT} of {{job}}: slot {{{names.SLOT}}} was over its declared cap in {{value}} "
        "calls.",
        _slot_over,
    ),
    Alert(
        "FootprintWindowUtilizationHigh",
        "warning",
        "window-utilization-high",
        _CALL,
        f"Agent {_AGENT} of {{job}}: one request in twenty fills {{value}} of the window of "
        f"{{{names.REQUEST_MODEL}}} or more.",
        _window_high,
        holds=True,
    ),
    Alert(
        "FootprintWindowAboutToOverflow",
        "critical",
        "window-about-to-overflow",
        _CALL,
        f"Agent {_AGENT} of {{job}}: after {{value}} calls there was room for two more at most in "
        f"the window of {{{names.REQUEST_MODEL}}}.",
        _window_ends,
    ),
    Alert(
        "FootprintActionBudgetExhausted",
        "warning",
        "action-budget-exhausted",
        _WHO,
        f"Agent {_AGENT} of {{job}}: {{value}} turns took all the actions they were allowed.",
        _actions_spent,
    ),
    Alert(
        "FootprintStepsUnfinished",
        "warning",
        "steps-unfinished",
        (*_WHO, names.LABEL_PROCEDURE),
        f"Agent {_AGENT} of {{job}}: {{value}} steps of procedure {{{names.LABEL_PROCEDURE}}} were "
        "left when turns ended.",
        _steps_left,
    ),
    Alert(
        "FootprintSourcesRefuted",
        "critical",
        "sources-refuted",
        (*_WHO, names.TOOL_NAME, names.LABEL_FAILED),
        f"Agent {_AGENT} of {{job}}: {{value}} arguments of {{{names.TOOL_NAME}}} did not come "
        f"from where the model said ({{{names.LABEL_FAILED}}}).",
        _refuted,
    ),
    Alert(
        "FootprintDeliveriesStuck",
        "warning",
        "deliveries-stuck",
        _WHO,
        f"Agent {_AGENT} of {{job}}: {{value}} declared messages could not be delivered.",
        _stuck,
    ),
    Alert(
        "FootprintRecordsDropped",
        "warning",
        "records-dropped",
        ("job", names.LABEL_REASON),
        f"{{job}} lost {{value}} records of its trails: {{{names.LABEL_REASON}}}.",
        _dropped,
    ),
    Alert(
        "FootprintTurnsIncomplete",
        "warning",
        "turns-incomplete",
        _WHO,
        f"{{job}}: {{value}} turns or records of them are missing (agent: {_AGENT}).",
        _incomplete,
    ),
)
