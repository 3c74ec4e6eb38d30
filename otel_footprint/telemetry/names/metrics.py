"""Names of metrics and their labels."""

from __future__ import annotations

from typing import Final

from .catalog import attr, metric

# --- metrics -------------------------------------------------------------------------------

_CALL = "gen_ai.agent.name, gen_ai.request.model"
METRIC_UTILIZATION: Final = metric(
    "footprint.context.utilization", "histogram", "1", _CALL, "Request tokens / window size."
)
METRIC_TOKENS: Final = metric(
    "footprint.context.tokens", "histogram", "{token}", _CALL + ", footprint.slot", "By slot."
)
METRIC_SLOT_UTILIZATION: Final = metric(
    "footprint.slot.budget.utilization",
    "histogram",
    "1",
    _CALL + ", footprint.slot, footprint.origin",
    "Used / cap.",
)
METRIC_SLOT_EXCEEDED: Final = metric(
    "footprint.slot.budget.exceeded",
    "counter",
    "{call}",
    _CALL + ", footprint.slot, footprint.origin",
    "Calls with a slot over its cap.",
)
METRIC_PIECES: Final = metric(
    "footprint.context.pieces",
    "counter",
    "{piece}",
    "gen_ai.agent.name, footprint.slot, footprint.source",
    "Pieces that came in.",
)
METRIC_EVICTED: Final = metric(
    "footprint.context.evicted",
    "counter",
    "{piece}",
    "gen_ai.agent.name, footprint.slot, footprint.reason",
    "Pieces that left: window, procedure, injection, application.",
)
METRIC_STEPS: Final = metric(
    "footprint.steps",
    "counter",
    "{step}",
    "gen_ai.agent.name, footprint.procedure, footprint.outcome",
    "Steps: done, skipped, unfinished (left when the turn ended) or abandoned.",
)
METRIC_ARGUMENTS: Final = metric(
    "footprint.argument.sources",
    "counter",
    "{argument}",
    "gen_ai.agent.name, gen_ai.tool.name, footprint.verdict, footprint.failed",
    "Arguments by verdict, and by why the model's claim did not hold.",
)
METRIC_ATTACHMENTS: Final = metric(
    "footprint.attachments",
    "counter",
    "{attachment}",
    "gen_ai.agent.name, footprint.kind",
    "Programs under an answer; the kind is the label of its run, else why it is not shown.",
)
METRIC_TURNS_STARTED: Final = metric(
    "footprint.turns.started", "counter", "{turn}", "gen_ai.agent.name", "Turns begun."
)
METRIC_TURNS_ENDED: Final = metric(
    "footprint.turns.ended", "counter", "{turn}", "gen_ai.agent.name, footprint.outcome", "Ended."
)
METRIC_ACTIONS_USED: Final = metric(
    "footprint.turn.actions", "histogram", "{call}", "gen_ai.agent.name", "Actions of a turn."
)
METRIC_ACTIONS_ALLOWED: Final = metric(
    "footprint.turn.actions.allowed", "histogram", "{call}", "gen_ai.agent.name", "Action budget."
)
METRIC_ACTIONS_EXHAUSTED: Final = metric(
    "footprint.turn.actions.exhausted",
    "counter",
    "{turn}",
    "gen_ai.agent.name",
    "Turns that took all the actions they were allowed.",
)
METRIC_DEFERRED: Final = metric(
    "footprint.deliveries.deferred",
    "counter",
    "{delivery}",
    "gen_ai.agent.name, footprint.reason",
    "Declared messages that had to wait.",
)
METRIC_STUCK: Final = metric(
    "footprint.deliveries.stuck",
    "counter",
    "{delivery}",
    "gen_ai.agent.name",
    "Declared messages that can not be delivered.",
)
METRIC_CALLS_LEFT: Final = metric(
    "footprint.window.calls_left",
    "histogram",
    "{call}",
    _CALL,
    "Calls until the window is full, from the mean growth of the last five.",
)
METRIC_DROPPED: Final = metric(
    "footprint.records.dropped", "counter", "{record}", "footprint.reason", "Records lost."
)
METRIC_OVERHEAD: Final = metric(
    "footprint.overhead.duration",
    "histogram",
    "s",
    "footprint.operation",
    "Our own inline time, of a call, a tool call or a turn.",
)

DRAIN: Final = "footprint.metrics.drain"
"""An observable instrument that never reports: at each collection it lets the queue be drained."""

LABEL_SOURCE: Final = attr("footprint.source", "string", "metrics", "Source of pieces.")
LABEL_REASON: Final = attr("footprint.reason", "string", "metrics", "Reason.")
LABEL_OUTCOME: Final = attr("footprint.outcome", "string", "metrics", "Outcome.")
LABEL_ORIGIN: Final = attr("footprint.origin", "string", "metrics", "Cap: default or declared.")
LABEL_OPERATION: Final = attr("footprint.operation", "string", "metrics", "Our own operation.")
LABEL_PROCEDURE: Final = attr("footprint.procedure", "string", "metrics", "Procedure.")
LABEL_VERDICT: Final = attr("footprint.verdict", "string", "metrics", "Verdict.")
LABEL_FAILED: Final = attr(
    "footprint.failed", "string", "metrics", "Why a claim did not hold; absent: it held, or none."
)
LABEL_KIND: Final = attr("footprint.kind", "string", "metrics", "Kind.")
