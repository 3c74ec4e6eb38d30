"""What the dashboards show."""

from __future__ import annotations

from typing import Final

from otel_footprint.telemetry import names

from ..promql import UNDERSCORES as SPELL
from ..promql import Part as HistogramPart
from ..promql import grown, quantile, total, unfinished
from ..rules.alerts import Times
from .panels import RANGE, STEP, Chart, Page, Part, Query, chosen, legend

_AGENT: Final = names.AGENT
_MODEL: Final = names.REQUEST_MODEL
_DECLARED: Final = SPELL.matcher(names.LABEL_ORIGIN, "declared")


def _series(metric: str, *more: str, part: HistogramPart | None = None, agent: bool = True) -> str:
    return SPELL.series(metric, *chosen(*more, agent=agent), part=part)


def _sums(metric: str, window: str, *labels: str, more: tuple[str, ...] = ()) -> Query:
    return Query(total(SPELL, _series(metric, *more), window, *labels), legend(*labels))


def _quantile(q: float, metric: str, *labels: str) -> Query:
    made = quantile(q, SPELL, _series(metric, part="bucket"), STEP, *labels)
    return Query(made, legend(*labels), exemplars=True)


def _mean(metric: str, said: str, *labels: str) -> Query:
    summed = total(SPELL, _series(metric, part="sum"), STEP, *labels)
    counted = total(SPELL, _series(metric, part="count"), STEP, *labels)
    return Query(f"{summed} / {counted}", " · ".join(filter(None, (said, legend(*labels)))))


CONTEXT: Final = Page(
    "footprint-context",
    "Context pressure",
    "How full agents' context is, of what, and what is about to overflow.",
    [
        Part(
            "Pressure by agent and slot",
            [
                Chart(
                    "Window in use, 95th percentile",
                    "Tokens of a request / the model's window. Points are calls: click one for its "
                    "trace.",
                    [_quantile(0.95, names.METRIC_UTILIZATION, _AGENT, _MODEL)],
                    "percentunit",
                    limit=0.9,
                ),
                Chart(
                    "Slots in use, 95th percentile",
                    "What a slot holds / its cap, declared or default.",
                    [
                        _quantile(
                            0.95,
                            names.METRIC_SLOT_UTILIZATION,
                            _AGENT,
                            names.SLOT,
                            names.LABEL_ORIGIN,
                        )
                    ],
                    "percentunit",
                    limit=1.0,
                ),
            ],
        ),
        Part(
            "Over, or soon",
            [
                Chart(
                    "Calls with a slot over its declared cap",
                    "In the shown range.",
                    [
                        _sums(
                            names.METRIC_SLOT_EXCEEDED,
                            RANGE,
                            _AGENT,
                            names.SLOT,
                            more=(_DECLARED,),
                        )
                    ],
                    "short",
                    "totals",
                    limit=1,
                ),
                Chart(
                    "Calls with a slot over any cap",
                    "Default caps are small; a declared one is an author's word.",
                    [
                        _sums(
                            names.METRIC_SLOT_EXCEEDED,
                            STEP,
                            _AGENT,
                            names.SLOT,
                            names.LABEL_ORIGIN,
                        )
                    ],
                    "short",
                    "bars",
                ),
                Chart(
                    "Calls left before the window is full",
                    "One call in twenty has no more than this left, at the mean growth of the last "
                    "five.",
                    [_quantile(0.05, names.METRIC_CALLS_LEFT, _AGENT, _MODEL)],
                    "short",
                ),
            ],
        ),
        Part(
            "What fills the window",
            [
                Chart(
                    "Tokens of a request, by slot",
                    "Mean, estimated.",
                    [_mean(names.METRIC_TOKENS, "", names.SLOT)],
                    "short",
                    "bars",
                ),
                Chart(
                    "Pieces that came in, by source",
                    "Messages, fragments of the system prompt and tools, when they first appear.",
                    [_sums(names.METRIC_PIECES, STEP, names.LABEL_SOURCE)],
                    "short",
                    "bars",
                ),
                Chart(
                    "Pieces that came in, by slot and source",
                    "In the shown range.",
                    [_sums(names.METRIC_PIECES, RANGE, names.SLOT, names.LABEL_SOURCE)],
                    "short",
                    "totals",
                ),
                Chart(
                    "Pieces that left, by reason",
                    "`application`: the agent's own loop; `window`: a strategy of ours.",
                    [_sums(names.METRIC_EVICTED, STEP, names.SLOT, names.LABEL_REASON)],
                    "short",
                    "bars",
                ),
            ],
        ),
        Part(
            "Actions",
            [
                Chart(
                    "Actions of a turn, used and allowed",
                    "Mean. Turns without an action budget are in `used` only.",
                    [
                        _mean(names.METRIC_ACTIONS_USED, "used", _AGENT),
                        _mean(names.METRIC_ACTIONS_ALLOWED, "allowed", _AGENT),
                    ],
                    "short",
                ),
                Chart(
                    "Turns that took all their actions",
                    "In the shown range.",
                    [_sums(names.METRIC_ACTIONS_EXHAUSTED, RANGE, _AGENT)],
                    "short",
                    "totals",
                    limit=1,
                ),
            ],
        ),
    ],
)
EVIDENCE: Final = Page(
    "footprint-evidence",
    "Evidence: procedures, arguments, attachments",
    "Which steps ran, where arguments came from, which programs stand under answers.",
    [
        Part(
            "Procedures",
            [
                Chart(
                    "Steps by outcome",
                    "done, skipped, unfinished when the turn ended, abandoned.",
                    [_sums(names.METRIC_STEPS, STEP, names.LABEL_OUTCOME)],
                    "short",
                    "bars",
                ),
                Chart(
                    "Steps by procedure and outcome",
                    "In the shown range.",
                    [_sums(names.METRIC_STEPS, RANGE, names.LABEL_PROCEDURE, names.LABEL_OUTCOME)],
                    "short",
                    "totals",
                ),
            ],
        ),
        Part(
            "Argument verdicts",
            [
                Chart(
                    "Arguments by verdict",
                    "Where the value was found; without declared sources hint, nowhere or "
                    "uncheckable.",
                    [_sums(names.METRIC_ARGUMENTS, STEP, names.LABEL_VERDICT)],
                    "short",
                    "bars",
                ),
                Chart(
                    "Refuted sources, by tool and reason",
                    "The model said where the argument came from, and it does not stand there. In "
                    "the shown range.",
                    [
                        _sums(
                            names.METRIC_ARGUMENTS,
                            RANGE,
                            names.TOOL_NAME,
                            names.LABEL_FAILED,
                            more=(
                                SPELL.matcher(names.LABEL_FAILED, "", "!="),
                                SPELL.matcher(names.LABEL_FAILED, "uncheckable", "!="),
                            ),
                        )
                    ],
                    "short",
                    "totals",
                    limit=1,
                ),
            ],
        ),
        Part(
            "Attachments",
            [
                Chart(
                    "Programs under answers",
                    "By the label of their run, or why they are not shown.",
                    [_sums(names.METRIC_ATTACHMENTS, STEP, names.LABEL_KIND)],
                    "short",
                    "bars",
                ),
                Chart(
                    "Programs under answers, by agent",
                    "In the shown range.",
                    [_sums(names.METRIC_ATTACHMENTS, RANGE, _AGENT, names.LABEL_KIND)],
                    "short",
                    "totals",
                ),
            ],
        ),
        Part(
            "Deliveries",
            [
                Chart(
                    "Declared messages that had to wait, by reason",
                    "They are delivered at a later boundary, if they can.",
                    [_sums(names.METRIC_DEFERRED, STEP, names.LABEL_REASON)],
                    "short",
                    "bars",
                ),
                Chart(
                    "Declared messages that cannot be delivered",
                    "In the shown range.",
                    [_sums(names.METRIC_STUCK, RANGE, _AGENT)],
                    "short",
                    "totals",
                    limit=1,
                ),
            ],
        ),
    ],
)
_T: Final = Times()
_LOST: Final = _series(names.METRIC_DROPPED, agent=False)
TRAIL: Final = Page(
    "footprint-trail",
    "Health of the trail",
    "Whether the trail itself is whole, and what it costs.",
    [
        Part(
            "Turns",
            [
                Chart(
                    "Turns begun and ended",
                    "By outcome.",
                    [
                        Query(
                            total(SPELL, _series(names.METRIC_TURNS_STARTED), STEP, _AGENT),
                            f"begun · {legend(_AGENT)}",
                        ),
                        _sums(names.METRIC_TURNS_ENDED, STEP, names.LABEL_OUTCOME, _AGENT),
                    ],
                    "short",
                ),
                Chart(
                    "Incomplete turns",
                    f"Began more than {_T.turn} ago and did not end, in processes alive or dead.",
                    [
                        Query(
                            unfinished(
                                SPELL, _T.turn, _T.memory, _T.whole, *chosen(), by=("job", _AGENT)
                            ),
                            legend("job", _AGENT),
                        )
                    ],
                    "short",
                    limit=1,
                ),
            ],
        ),
        Part(
            "Losses",
            [
                Chart(
                    "Records dropped, by reason",
                    "Of all agents of a service.",
                    [
                        Query(
                            f"sum {SPELL.by(names.LABEL_REASON)} ({grown(_LOST, STEP)})",
                            legend(names.LABEL_REASON),
                        )
                    ],
                    "short",
                    "bars",
                ),
                Chart(
                    "Records dropped, by service and reason",
                    "In the shown range.",
                    [
                        Query(
                            total(SPELL, _LOST, RANGE, "job", names.LABEL_REASON),
                            legend("job", names.LABEL_REASON),
                        )
                    ],
                    "short",
                    "totals",
                    limit=1,
                ),
            ],
        ),
        Part(
            "Own overhead",
            [
                Chart(
                    "Our inline time",
                    "What recording adds to a call, a tool call and a turn, in the agent's thread.",
                    [
                        Query(
                            quantile(
                                q,
                                SPELL,
                                _series(names.METRIC_OVERHEAD, part="bucket", agent=False),
                                STEP,
                                names.LABEL_OPERATION,
                            ),
                            f"p{q * 100:.0f} · {legend(names.LABEL_OPERATION)}",
                        )
                        for q in (0.5, 0.95)
                    ],
                    "s",
                ),
                Chart(
                    "What was recorded",
                    "In the shown range.",
                    [
                        Query(
                            total(
                                SPELL,
                                _series(names.METRIC_OVERHEAD, part="count", agent=False),
                                RANGE,
                                "job",
                                names.LABEL_OPERATION,
                            ),
                            legend("job", names.LABEL_OPERATION),
                        )
                    ],
                    "short",
                    "totals",
                ),
            ],
        ),
    ],
)
PAGES: Final = (CONTEXT, EVIDENCE, TRAIL)
