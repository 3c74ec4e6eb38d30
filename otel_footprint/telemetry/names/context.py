"""Names of what lets context in: injections, deliveries, the window, procedures."""

from __future__ import annotations

from typing import Final

from .catalog import attr

# --- injection ---------------------------------------------------------------------------

INJECTION_ID: Final = attr(
    "footprint.injection.id", "string", "injected, skipped, removed, withheld", "Id of the piece."
)
INJECTION_SOURCE: Final = attr(
    "footprint.injection.source",
    "string",
    "injected, skipped, removed, withheld",
    "fact, steering, instruction, skill, memory, rag, custom, procedure or window.",
)
INJECTION_TRIGGER: Final = attr(
    "footprint.injection.trigger", "string", "injected", "What let it in, e.g. tool return: look."
)
INJECTION_REASON: Final = attr(
    "footprint.injection.reason", "string", "injected", "The author's description, else a default."
)
INJECTION_NAME: Final = attr(
    "footprint.injection.name", "string", "injected", "Of a tool its name, of a message its role."
)
INJECTION_SCORE: Final = attr(
    "footprint.injection.score", "double", "injected", "Retrieval score as handed in."
)
INJECTION_RANK: Final = attr(
    "footprint.injection.rank", "int", "injected", "Rank of the retrieval as handed in."
)
INJECTION_THRESHOLD: Final = attr(
    "footprint.injection.threshold", "double", "injected", "Threshold of the score as handed in."
)
SKIPPED_REASON: Final = attr(
    "footprint.injection.skip",
    "string",
    "skipped",
    "parked, missing-fact, trigger-raised, async-trigger, unknown-trigger or no-text.",
)
SKIPPED_ERROR: Final = attr(
    "footprint.injection.error", "string", "skipped", "Missing facts, or the exception."
)
SKIPPED_DOOR: Final = attr(
    "footprint.injection.door", "string", "skipped", "The door that stopped a text that is none."
)
OFFER_TOOL: Final = attr("footprint.offer.tool", "string", "withheld", "Tool that was not offered.")
OFFER_REASON: Final = attr(
    "footprint.offer.reason",
    "string",
    "withheld",
    "no-dispatcher, name-taken, not-in-request; "
    "of the reserved argument also validated, author, no-schema, not-an-object, combined, closed, "
    "reference, and `rules-do-not-fit: ...`.",
)
REMOVED_KEY: Final = attr(
    "footprint.removed.hash", "string", "removed", "Hash of the piece in the composition before."
)
REMOVED_REASON: Final = attr("footprint.removed.reason", "string", "removed", "window, place-lost.")
REMOVED_SURVIVAL: Final = attr(
    "footprint.removed.survival", "int", "removed", "Calls of the turn it was sent with.", "call"
)
REMOVED_SURVIVAL_MS: Final = attr(
    "footprint.removed.survival_ms", "double", "removed", "Since it was first seen.", "ms"
)
REMOVED_BY: Final = attr("footprint.removed.by", "string", "removed", "What took it out.")
CACHE_AT: Final = attr("footprint.cache.at", "int", "cache.broken", "First piece that differs.")
CACHE_CAUSE: Final = attr(
    "footprint.cache.cause", "string", "cache.broken", "changed, inserted, removed or reordered."
)
CACHE_LOST: Final = attr(
    "footprint.cache.lost", "int", "cache.broken", "Pieces whose cached prefix is lost.", "piece"
)

# --- delivery and window -----------------------------------------------------------------

DELIVERY_ROLE: Final = attr("footprint.delivery.role", "string", "delivery", "Role of the message.")
DELIVERY_KEY: Final = attr(
    "footprint.delivery.key", "string", "injected", "Equal for the same id, role and text."
)
DELIVERY_AT: Final = attr(
    "footprint.delivery.at", "int", "injected", "Its index in the messages of the request."
)
DELIVERY_REASON: Final = attr(
    "footprint.delivery.reason",
    "string",
    "delivery",
    "unanswered-tool-call, role-collision, role-not-carried or role-not-last.",
)
DELIVERY_NOTE: Final = attr(
    "footprint.delivery.note", "string", "delivery", "What stood in the way, and the remedy."
)
DELIVERY_BOUNDARIES: Final = attr(
    "footprint.delivery.boundaries", "int", "delivery", "Boundaries in a row it has waited.", "call"
)
VISIT_STRATEGY: Final = attr(
    "footprint.window.strategy", "string", "window", "sliding, token-budget or summarise-oldest."
)
VISIT_REASONS: Final = attr(
    "footprint.window.reasons", "string[]", "window", "Why rounds stayed, from the oldest on."
)
VISIT_ROUNDS: Final = attr(
    "footprint.window.rounds", "int[]", "window", "Those rounds; -1: the visit as a whole."
)
VISIT_NOTES: Final = attr("footprint.window.notes", "string[]", "window", "Beside each reason.")
VISIT_REMOVED: Final = attr(
    "footprint.window.removed", "int", "window", "Messages that left.", "message"
)
VISIT_BEFORE: Final = attr(
    "footprint.window.chars.before", "int", "window", "Code points of the history before."
)
VISIT_AFTER: Final = attr(
    "footprint.window.chars.after", "int", "window", "Code points of the history after."
)
VISIT_MEASURED: Final = attr(
    "footprint.window.measured", "int", "window", "Input tokens of the last call.", "token"
)
VISIT_THRESHOLD: Final = attr(
    "footprint.window.threshold", "int", "window", "Tokens above which it engages.", "token"
)
VISIT_STOOD_DOWN: Final = attr(
    "footprint.window.stood_down", "boolean", "window", "Newest tool results were not kept."
)

# --- steps -------------------------------------------------------------------------------

STEP_PROCEDURE: Final = attr(
    "footprint.step.procedure", "string", "steps", "Id of the skill whose procedure it is."
)
STEP_INDEX: Final = attr("footprint.step.index", "int", "steps", "The step, 1-based.")
STEP_TOTAL: Final = attr("footprint.step.total", "int", "steps", "Steps of the procedure.")
STEP_TOOL: Final = attr("footprint.step.tool", "string", "steps", "Its tool.")
STEP_NOTE: Final = attr("footprint.step.note", "string", "steps", "The author's note.")
STEP_REASON: Final = attr(
    "footprint.step.reason", "string", "step.skipped", "The model's words, bounded, in every mode."
)
STEP_POLICY: Final = attr("footprint.step.policy", "string", "step.skipped", "advance or hold.")
STEP_COMPLETED: Final = attr(
    "footprint.step.completed", "boolean", "step.advanced", "True: it was the last one."
)
STEP_ACTION: Final = attr(
    "footprint.step.action", "int", "steps", "The model call whose tools came back, 1-based."
)
STEP_REMAINING: Final = attr(
    "footprint.step.remaining", "int[]", "steps.unfinished, abandoned", "Numbers of the steps left."
)
STEP_REMAINING_TOOLS: Final = attr(
    "footprint.step.remaining.tools", "string[]", "steps.unfinished, abandoned", "Their tools."
)
STEPS_OUTCOME: Final = attr(
    "footprint.step.outcome", "string", "steps.unfinished", "nudged, accepted or cut-short."
)
STEPS_OUTCOME_REASON: Final = attr(
    "footprint.step.outcome.reason",
    "string",
    "steps.unfinished",
    "answered-early, nudge-spent, cannot-continue, action-budget, loop-limit, "
    "unanswered-tool-call or failed.",
)
ABANDONED_BY: Final = attr(
    "footprint.step.abandoned_by", "string", "abandoned", "The skill that took over; absent: none."
)
