"""Every span, event, attribute and metric name, with what it holds. Nothing else spells one.

Names that start with `gen_ai.`, `error.`, `user.` and `server.` are those of the OpenTelemetry
conventions (semantic-conventions-genai, newest spelling); all others are ours and start with
`footprint.`. `CATALOG` is the same as data: documentation, dashboards and tests are made from it.
Importing this module imports no OpenTelemetry.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

FORMAT: Final = 1
"""Version of the trail format. A reader reads all older ones."""
SCOPE: Final = "otel_footprint"
"""Name of our instrumentation scope."""

Type = Literal["string", "int", "double", "boolean", "string[]", "int[]", "double[]"]


class Entry(NamedTuple):
    """One line of the catalogue."""

    name: str
    kind: Literal["span", "event", "attribute", "metric"]
    type: str
    """Of an attribute its type; of a metric its instrument; else empty."""
    unit: str
    where: str
    """Where it stands: span or event names, comma separated; of a metric its attributes."""
    meaning: str


CATALOG: dict[str, Entry] = {}


def _add(entry: Entry) -> str:
    if entry.name in CATALOG:
        raise ValueError(f"{entry.name} is in the catalogue twice")
    CATALOG[entry.name] = entry
    return entry.name


def _span(name: str, meaning: str) -> str:
    return _add(Entry(name, "span", "", "", "", meaning))


def _event(name: str, where: str, meaning: str) -> str:
    return _add(Entry(name, "event", "", "", where, meaning))


def _attr(name: str, type_: Type, where: str, meaning: str, unit: str = "") -> str:
    return _add(Entry(name, "attribute", type_, unit, where, meaning))


def _metric(name: str, instrument: str, unit: str, where: str, meaning: str) -> str:
    return _add(Entry(name, "metric", instrument, unit, where, meaning))


# --- spans ---------------------------------------------------------------------------------

SPAN_TURN: Final = _span("invoke_agent", "A turn: `invoke_agent {agent}`; ours where no other is.")
SPAN_TURN_STARTED: Final = _span(
    "turn started", "No length, exported at once: a turn can be found before it ends."
)
SPAN_TURN_ENDED: Final = _span(
    "turn ended", "No length: the last record of a turn whose own span had ended before."
)
SPAN_CALL: Final = _span("chat", "A model call: `chat {model}`; ours where no other is.")
SPAN_CALL_RECORD: Final = _span(
    "record call", "No length: what we know of a call whose inference span is not ours."
)
SPAN_TOOL: Final = _span("execute_tool", "A tool call: `execute_tool {tool}`.")
SPAN_COMPOSE: Final = _span(
    "compose", "`compose {slot}`: a slot that changed; one span a part of at most 12 kB text."
)
SPAN_OUTPUT: Final = _span(
    "output", "Further parts of an output that does not fit the call's span."
)
SPAN_FEEDBACK: Final = _span("feedback", "No length: carries one `gen_ai.evaluation.result`.")
SPAN_DOCTOR: Final = _span("doctor", "No length: the test span of `otel-footprint doctor`.")

# --- standard attributes -------------------------------------------------------------------

OPERATION: Final = _attr("gen_ai.operation.name", "string", "turn, call, tool", "Standard.")
PROVIDER: Final = _attr("gen_ai.provider.name", "string", "call", "Standard.")
AGENT: Final = _attr("gen_ai.agent.name", "string", "turn, call, metrics", "Standard.")
CONVERSATION: Final = _attr(
    "gen_ai.conversation.id", "string", "turn, call", "Standard; only when one was given."
)
PROMPT_NAME: Final = _attr("gen_ai.prompt.name", "string", "turn, call", "Standard.")
PROMPT_VERSION: Final = _attr("gen_ai.prompt.version", "string", "turn, call", "Standard.")
REQUEST_MODEL: Final = _attr("gen_ai.request.model", "string", "call", "Standard.")
REQUEST_STREAM: Final = _attr("gen_ai.request.stream", "boolean", "call", "Only when true.")
REQUEST_TEMPERATURE: Final = _attr("gen_ai.request.temperature", "double", "call", "Standard.")
REQUEST_TOP_P: Final = _attr("gen_ai.request.top_p", "double", "call", "Standard.")
REQUEST_TOP_K: Final = _attr("gen_ai.request.top_k", "int", "call", "Standard.")
REQUEST_MAX_TOKENS: Final = _attr("gen_ai.request.max_tokens", "int", "call", "Standard.")
REQUEST_SEED: Final = _attr("gen_ai.request.seed", "int", "call", "Standard.")
REQUEST_CHOICES: Final = _attr("gen_ai.request.choice.count", "int", "call", "When not 1.")
REQUEST_STOP: Final = _attr("gen_ai.request.stop_sequences", "string[]", "call", "Standard.")
REQUEST_FREQUENCY_PENALTY: Final = _attr(
    "gen_ai.request.frequency_penalty", "double", "call", "Standard."
)
REQUEST_PRESENCE_PENALTY: Final = _attr(
    "gen_ai.request.presence_penalty", "double", "call", "Standard."
)
REQUEST_REASONING: Final = _attr("gen_ai.request.reasoning.level", "string", "call", "Standard.")
REQUEST_PREVIOUS: Final = _attr(
    "gen_ai.request.previous_response.id", "string", "call", "Standard."
)
OUTPUT_TYPE: Final = _attr("gen_ai.output.type", "string", "call", "Standard.")
RESPONSE_ID: Final = _attr("gen_ai.response.id", "string", "call", "Standard.")
RESPONSE_MODEL: Final = _attr("gen_ai.response.model", "string", "call", "Standard.")
FINISH_REASONS: Final = _attr("gen_ai.response.finish_reasons", "string[]", "call", "Standard.")
TIME_TO_FIRST_CHUNK: Final = _attr(
    "gen_ai.response.time_to_first_chunk", "double", "call", "Standard; streams only.", "s"
)
INPUT_TOKENS: Final = _attr(
    "gen_ai.usage.input_tokens", "int", "call (ours only)", "Standard; includes cached.", "token"
)
OUTPUT_TOKENS: Final = _attr(
    "gen_ai.usage.output_tokens", "int", "call (ours only)", "Standard.", "token"
)
CACHE_READ_TOKENS: Final = _attr(
    "gen_ai.usage.cache_read.input_tokens", "int", "call (ours only)", "Standard.", "token"
)
CACHE_WRITE_TOKENS: Final = _attr(
    "gen_ai.usage.cache_write.input_tokens", "int", "call (ours only)", "Standard.", "token"
)
REASONING_TOKENS: Final = _attr(
    "gen_ai.usage.reasoning.output_tokens", "int", "call (ours only)", "Standard.", "token"
)
INPUT_MESSAGES: Final = _attr(
    "gen_ai.input.messages", "string", "call", "Standard; with standard_content=full only."
)
OUTPUT_MESSAGES: Final = _attr(
    "gen_ai.output.messages", "string", "call", "Standard; see standard_content."
)
SYSTEM_INSTRUCTIONS: Final = _attr(
    "gen_ai.system_instructions", "string", "call", "Standard; with standard_content=full only."
)
TOOL_NAME: Final = _attr("gen_ai.tool.name", "string", "tool", "Standard.")
TOOL_CALL_ID: Final = _attr("gen_ai.tool.call.id", "string", "tool", "Standard.")
TOOL_TYPE: Final = _attr("gen_ai.tool.type", "string", "tool", "Standard.")
ERROR_TYPE: Final = _attr("error.type", "string", "turn, call, tool", "Standard: class or status.")
SERVER_ADDRESS: Final = _attr("server.address", "string", "call", "Standard.")
SERVER_PORT: Final = _attr("server.port", "int", "call", "Standard; when not the default.")
USER_ID: Final = _attr("user.id", "string", "turn", "Standard; as handed in, through redaction.")
EVALUATION: Final = _event("gen_ai.evaluation.result", "feedback", "Standard: a verdict on a turn.")
EVALUATION_NAME: Final = _attr("gen_ai.evaluation.name", "string", "evaluation", "Standard.")
EVALUATION_SCORE: Final = _attr(
    "gen_ai.evaluation.score.value", "double", "evaluation", "Standard."
)
EVALUATION_LABEL: Final = _attr(
    "gen_ai.evaluation.score.label", "string", "evaluation", "Standard."
)
EVALUATION_EXPLANATION: Final = _attr(
    "gen_ai.evaluation.explanation", "string", "evaluation", "Standard; the comment."
)

# --- turn ----------------------------------------------------------------------------------

FORMAT_VERSION: Final = _attr("footprint.format", "int", "turn started", "Trail format.")
TURN_ID: Final = _attr("footprint.turn.id", "string", "turn, call, tool", "The turn.")
TURN_OUTCOME: Final = _attr(
    "footprint.turn.outcome", "string", "turn", "completed, error, cancelled, paused, implicit."
)
TURN_CALLS: Final = _attr("footprint.turn.calls", "int", "turn", "Model calls of the turn.", "call")
TURN_ACTION_BUDGET: Final = _attr(
    "footprint.turn.action_budget", "int", "turn started", "Actions allowed.", "call"
)
TURN_LOST: Final = _attr(
    "footprint.turn.lost", "int", "turn", "Records known to be lost; absent when none.", "record"
)
TURN_TEXT: Final = _attr("footprint.turn.text", "string[]", "turn started", "The person's words.")
TURN_TAGS: Final = _attr("footprint.turn.tags", "string[]", "turn started", "Tags as handed in.")
TURN_METADATA_PREFIX: Final = "footprint.turn.metadata."
"""Metadata of a turn, one attribute a key, on `turn started`."""
CONTENT_MODE: Final = _attr(
    "footprint.content", "string", "turn started", "none, redacted or full."
)
KEY_ID: Final = _attr(
    "footprint.key.id", "string", "turn started", "Key of the hashes (HMAC); absent: plain SHA-256."
)
LINK_TYPE: Final = _attr(
    "footprint.link.type", "string", "span links", "text, resumes, remote, evaluates, source."
)
PARENT_TURN: Final = _attr("footprint.turn.parent", "string", "turn started", "The calling turn.")

# --- ledger --------------------------------------------------------------------------------

LEDGER: Final = _attr("footprint.ledger", "string", "turn started, turn", "The ledger's id.")
SEQ: Final = _attr("footprint.seq", "int", "every record", "Number of the record in its ledger.")
DIGEST: Final = _attr(
    "footprint.digest", "string", "call, tool, turn", "SHA-256, hex, over the records and `prev`."
)
PREVIOUS: Final = _attr(
    "footprint.prev", "string", "call, tool, turn", "First 16 digits of the digest before."
)
RECORDS: Final = _attr("footprint.records", "int", "turn", "Records of the ledger.", "record")

# --- call ----------------------------------------------------------------------------------

CALL_ID: Final = _attr("footprint.call.id", "string", "call, compose", "Joins all of one call.")
CALL_ATTEMPTS: Final = _attr("footprint.call.attempts", "int", "call", "HTTP attempts when > 1.")
DIALECT: Final = _attr(
    "footprint.dialect", "string", "parameters", "Request format, for example openai.chat."
)
COMPLETENESS: Final = _attr(
    "footprint.completeness", "string", "call", "request_only: the provider adds context."
)
SYSTEM_USED: Final = _attr("footprint.system.used", "int", "call", "Filling of slot system.")
MESSAGES_USED: Final = _attr("footprint.messages.used", "int", "call", "Filling of slot messages.")
TOOLS_USED: Final = _attr("footprint.tools.used", "int", "call", "Filling of slot tools.")
SLOT_CAPS: Final = _attr(
    "footprint.caps",
    "string",
    "call",
    "Caps of system, messages, tools, with commas; 0: none; absent: the defaults.",
)
CAPS_DECLARED: Final = _attr(
    "footprint.caps.declared", "string", "call", "Slots whose cap was declared, with commas."
)
SLOT_PIECES: Final = _attr(
    "footprint.pieces", "string", "call", "Pieces in system, messages, tools, with commas."
)
SLOT_DIGESTS: Final = _attr(
    "footprint.digests",
    "string",
    "call",
    "Of system, messages, tools, with commas: the digest (SHA-256, hex) of a slot that this call "
    "composed, else the name of the call that did.",
)
BUDGET_UNIT: Final = _attr("footprint.unit", "string", "call", "tokens; absent: chars.")
OVER: Final = _attr(
    "footprint.over", "string", "call", "Slots over their cap, comma separated; absent: none."
)
OVER_DECLARED: Final = _attr(
    "footprint.over.declared", "boolean", "call", "True when a declared cap is exceeded."
)
WINDOW_SIZE: Final = _attr(
    "footprint.window.size", "int", "call", "The model's context window.", "token"
)
WINDOW_TOKENS: Final = _attr(
    "footprint.window.tokens", "int", "call", "Estimate of the whole request.", "token"
)
WINDOW_METHOD: Final = _attr(
    "footprint.window.method", "string", "call", "estimated; absent: calibrated by reported usage."
)
WINDOW_UTILIZATION: Final = _attr(
    "footprint.window.utilization", "double", "call", "tokens / size; absent: size unknown."
)
PARAMS: Final = _attr(
    "footprint.params", "string", "parameters", "Hash of the request's layout, with its dialect."
)
PARAMS_OF: Final = _attr(
    "footprint.params.of", "string", "call", "Call that recorded the layout; absent: this one."
)
CHUNKS: Final = _attr("footprint.stream.chunks", "int", "call", "Events of the stream.")
OUTPUT_STATE: Final = _attr(
    "footprint.output.state", "string", "call", "cut (left early) or unread; absent: complete."
)
REQUEST_BYTES: Final = _attr(
    "footprint.request.bytes", "int", "call", "Length of the HTTP body that left.", "By"
)

# --- composition ---------------------------------------------------------------------------

SLOT: Final = _attr(
    "footprint.slot",
    "string",
    "events, metrics",
    "system, messages or tools; of a compose span: its name.",
)
EVENT_COMPOSED: Final = _event(
    "footprint.slot.composed", "compose", "A slot's change (delta) or whole manifest (keyframe)."
)
EVENT_OUTPUT: Final = _event("footprint.output", "call", "The call's output as pieces.")
EVENT_PARAMS: Final = _event(
    "footprint.parameters.recorded", "compose", "The request outside the slots, when it is new."
)
EVENT_PRESSURE: Final = _event(
    "footprint.budget.pressure", "compose, call", "A slot or the window is over, or nearly."
)
EVENT_INJECTED: Final = _event(
    "footprint.context.injected", "compose", "A piece that something let in."
)
EVENT_REMOVED: Final = _event("footprint.context.removed", "compose", "A piece was taken out.")
EVENT_SKIPPED: Final = _event("footprint.context.skipped", "call", "A piece was not let in.")
EVENT_WITHHELD: Final = _event("footprint.offer.withheld", "call", "A tool of ours not offered.")
EVENT_DEFERRED: Final = _event("footprint.delivery.deferred", "call", "A message has to wait.")
EVENT_STUCK: Final = _event("footprint.delivery.stuck", "call", "It can never be delivered.")
EVENT_WINDOW_REFUSED: Final = _event("footprint.window.refused", "call", "Nothing could leave.")
EVENT_CACHE_BROKEN: Final = _event("footprint.cache.broken", "compose", "The prefix changed.")
EVENT_STEP_ADVANCED: Final = _event("footprint.step.advanced", "tool", "A step was done.")
EVENT_STEP_SKIPPED: Final = _event("footprint.step.skipped", "tool", "A step was skipped.")
EVENT_STEPS_UNFINISHED: Final = _event("footprint.steps.unfinished", "turn", "Steps remained.")
EVENT_ABANDONED: Final = _event("footprint.procedure.abandoned", "call", "It lost the tenure.")
EVENT_ARGUMENT: Final = _event("footprint.argument.source", "tool", "Where an argument came from.")
EVENT_ARGUMENT_ASKED: Final = _event("footprint.argument.asked", "tool", "A person was asked.")
EVENT_SCRIPT: Final = _event("footprint.script.attached", "turn", "A program under the answer.")
EVENT_ATTACHED: Final = _event("footprint.answer.attached", "turn", "What went under the answer.")
EVENT_STANDING: Final = _event("footprint.answer.standing", "turn", "How the answer stands.")

KEYFRAME: Final = _attr(
    "footprint.keyframe", "boolean", "slot.composed", "True: the whole manifest; else absent."
)
BASE_CALL: Final = _attr("footprint.base", "string", "slot.composed", "Call the delta is to.")
BASE_TRACE: Final = _attr(
    "footprint.base.trace", "string", "slot.composed", "Trace of the base when it is another."
)
BASE_DIGEST: Final = _attr(
    "footprint.base.digest", "string", "slot.composed", "First 16 digits of the base's digest."
)
COUNT_BEFORE: Final = _attr("footprint.before", "int", "slot.composed", "Pieces of the base.")
COUNT_AFTER: Final = _attr("footprint.after", "int", "slot.composed", "Pieces now.")
SPLICE_AT: Final = _attr(
    "footprint.splice.at",
    "int[]",
    "slot.composed",
    "Positions in the base, ascending; absent in a delta: all rows come at the end.",
)
SPLICE_REMOVED: Final = _attr("footprint.splice.removed", "int[]", "slot.composed", "Pieces out.")
SPLICE_INSERTED: Final = _attr("footprint.splice.inserted", "int[]", "slot.composed", "Pieces in.")
HIDDEN_CHANGES: Final = _attr(
    "footprint.hidden", "int", "slot.composed", "Changes that redaction hides; absent: none."
)
PART: Final = _attr("footprint.part", "int", "compose, output", "1-based; absent: one part.")
PARTS: Final = _attr("footprint.parts", "int", "compose, output", "Number of parts.")
PIECE_HASH: Final = _attr(
    "footprint.hash",
    "string[]",
    "slot.composed, output",
    "48 hex digits: 32 of the identity, 16 of the exact spelling.",
)
PIECE_SIZE: Final = _attr(
    "footprint.size", "int[]", "slot.composed, output", "Code points of text."
)
PIECE_SOURCE: Final = _attr(
    "footprint.sources", "string", "slot.composed", "Who put each piece there, with commas."
)
PIECE_ROLE: Final = _attr(
    "footprint.roles",
    "string[]",
    "slot.composed",
    "Role on the wire, where it is not the usual one of the source; else empty.",
)
PIECE_ID: Final = _attr(
    "footprint.ids", "string[]", "slot.composed", "Tool call id, tool name or injection id."
)
PIECE_REASON: Final = _attr(
    "footprint.reasons", "string[]", "slot.composed", "Why; absent: ordinary flow."
)
PIECE_FRAME: Final = _attr(
    "footprint.frames", "string[]", "slot.composed", "Element around several pieces."
)
PIECE_MEDIA: Final = _attr(
    "footprint.media", "string[]", "slot.composed, output", "`piece type bytes sha256 prefix`."
)
TEXT: Final = _attr(
    "footprint.text", "string[]", "slot.composed, output, parameters", "Texts in chunks."
)
TEXT_STRINGS: Final = _attr(
    "footprint.texts",
    "int[]",
    "slot.composed, output",
    "Texts of each piece; 0: known; absent: 1 each.",
)
TEXT_CHUNKS: Final = _attr(
    "footprint.chunks", "int[]", "slot.composed, output", "Chunks of each text; absent: all 1."
)
TEXT_LEFT_OUT: Final = _attr(
    "footprint.left_out", "int", "slot.composed, output", "Texts over the trace's bound."
)
OUTPUT_EXTRA: Final = _attr(
    "footprint.output.extra",
    "string[]",
    "output",
    "Null and empty keys, by piece; absent: those of the call before.",
)
PARAMS_KEYS: Final = _attr("footprint.params.keys", "string[]", "parameters", "Keys in order.")

# --- pressure ------------------------------------------------------------------------------

PRESSURE_STATE: Final = _attr("footprint.pressure.state", "string", "pressure", "over or near.")
PRESSURE_CAP: Final = _attr("footprint.pressure.cap", "int", "pressure", "The cap.")
PRESSURE_USED: Final = _attr("footprint.pressure.used", "int", "pressure", "What it holds.")
PRESSURE_UNIT: Final = _attr("footprint.pressure.unit", "string", "pressure", "chars or tokens.")
PRESSURE_ORIGIN: Final = _attr(
    "footprint.pressure.origin", "string", "pressure", "default, declared or model."
)

# --- tool ----------------------------------------------------------------------------------

TOOL_HASHES: Final = _attr(
    "footprint.tool.hashes",
    "string",
    "tool",
    "First 16 digits of the hashes of the arguments' and the result's text, with a comma.",
)

# --- injection ---------------------------------------------------------------------------

INJECTION_ID: Final = _attr(
    "footprint.injection.id", "string", "injected, skipped, removed, withheld", "Id of the piece."
)
INJECTION_SOURCE: Final = _attr(
    "footprint.injection.source",
    "string",
    "injected, skipped, removed, withheld",
    "fact, steering, instruction, skill, memory, rag, custom, procedure or window.",
)
INJECTION_TRIGGER: Final = _attr(
    "footprint.injection.trigger", "string", "injected", "What let it in, e.g. tool return: look."
)
INJECTION_REASON: Final = _attr(
    "footprint.injection.reason", "string", "injected", "The author's description, else a default."
)
INJECTION_NAME: Final = _attr(
    "footprint.injection.name", "string", "injected", "Of a tool its name, of a message its role."
)
INJECTION_SCORE: Final = _attr(
    "footprint.injection.score", "double", "injected", "Retrieval score as handed in."
)
INJECTION_RANK: Final = _attr(
    "footprint.injection.rank", "int", "injected", "Rank of the retrieval as handed in."
)
INJECTION_THRESHOLD: Final = _attr(
    "footprint.injection.threshold", "double", "injected", "Threshold of the score as handed in."
)
SKIPPED_REASON: Final = _attr(
    "footprint.injection.skip",
    "string",
    "skipped",
    "parked, missing-fact, trigger-raised, async-trigger, unknown-trigger or no-text.",
)
SKIPPED_ERROR: Final = _attr(
    "footprint.injection.error", "string", "skipped", "Missing facts, or the exception."
)
SKIPPED_DOOR: Final = _attr(
    "footprint.injection.door", "string", "skipped", "The door that stopped a text that is none."
)
OFFER_TOOL: Final = _attr(
    "footprint.offer.tool", "string", "withheld", "Tool that was not offered."
)
OFFER_REASON: Final = _attr(
    "footprint.offer.reason", "string", "withheld", "no-dispatcher, name-taken, not-in-request."
)
REMOVED_KEY: Final = _attr(
    "footprint.removed.hash", "string", "removed", "Hash of the piece in the composition before."
)
REMOVED_REASON: Final = _attr(
    "footprint.removed.reason", "string", "removed", "window, place-lost."
)
REMOVED_SURVIVAL: Final = _attr(
    "footprint.removed.survival", "int", "removed", "Calls of the turn it was sent with.", "call"
)
REMOVED_SURVIVAL_MS: Final = _attr(
    "footprint.removed.survival_ms", "double", "removed", "Since it was first seen.", "ms"
)
REMOVED_BY: Final = _attr("footprint.removed.by", "string", "removed", "What took it out.")
CACHE_AT: Final = _attr("footprint.cache.at", "int", "cache.broken", "First piece that differs.")
CACHE_CAUSE: Final = _attr(
    "footprint.cache.cause", "string", "cache.broken", "changed, inserted, removed or reordered."
)
CACHE_LOST: Final = _attr(
    "footprint.cache.lost", "int", "cache.broken", "Pieces whose cached prefix is lost.", "piece"
)

# --- delivery and window -----------------------------------------------------------------

DELIVERY_ROLE: Final = _attr(
    "footprint.delivery.role", "string", "delivery", "Role of the message."
)
DELIVERY_KEY: Final = _attr(
    "footprint.delivery.key", "string", "injected", "Equal for the same id, role and text."
)
DELIVERY_AT: Final = _attr(
    "footprint.delivery.at", "int", "injected", "Its index in the messages of the request."
)
DELIVERY_REASON: Final = _attr(
    "footprint.delivery.reason",
    "string",
    "delivery",
    "unanswered-tool-call, role-collision, role-not-carried or role-not-last.",
)
DELIVERY_NOTE: Final = _attr(
    "footprint.delivery.note", "string", "delivery", "What stood in the way, and the remedy."
)
DELIVERY_BOUNDARIES: Final = _attr(
    "footprint.delivery.boundaries", "int", "delivery", "Boundaries in a row it has waited.", "call"
)
VISIT_STRATEGY: Final = _attr(
    "footprint.window.strategy", "string", "window", "sliding, token-budget or summarise-oldest."
)
VISIT_REASONS: Final = _attr(
    "footprint.window.reasons", "string[]", "window", "Why rounds stayed, from the oldest on."
)
VISIT_ROUNDS: Final = _attr(
    "footprint.window.rounds", "int[]", "window", "Those rounds; -1: the visit as a whole."
)
VISIT_NOTES: Final = _attr("footprint.window.notes", "string[]", "window", "Beside each reason.")
VISIT_REMOVED: Final = _attr(
    "footprint.window.removed", "int", "window", "Messages that left.", "message"
)
VISIT_BEFORE: Final = _attr(
    "footprint.window.chars.before", "int", "window", "Code points of the history before."
)
VISIT_AFTER: Final = _attr(
    "footprint.window.chars.after", "int", "window", "Code points of the history after."
)
VISIT_MEASURED: Final = _attr(
    "footprint.window.measured", "int", "window", "Input tokens of the last call.", "token"
)
VISIT_THRESHOLD: Final = _attr(
    "footprint.window.threshold", "int", "window", "Tokens above which it engages.", "token"
)
VISIT_STOOD_DOWN: Final = _attr(
    "footprint.window.stood_down", "boolean", "window", "Newest tool results were not kept."
)

# --- steps -------------------------------------------------------------------------------

STEP_PROCEDURE: Final = _attr(
    "footprint.step.procedure", "string", "steps", "Id of the skill whose procedure it is."
)
STEP_INDEX: Final = _attr("footprint.step.index", "int", "steps", "The step, 1-based.")
STEP_TOTAL: Final = _attr("footprint.step.total", "int", "steps", "Steps of the procedure.")
STEP_TOOL: Final = _attr("footprint.step.tool", "string", "steps", "Its tool.")
STEP_NOTE: Final = _attr("footprint.step.note", "string", "steps", "The author's note.")
STEP_REASON: Final = _attr(
    "footprint.step.reason", "string", "step.skipped", "The model's words, bounded, in every mode."
)
STEP_POLICY: Final = _attr("footprint.step.policy", "string", "step.skipped", "advance or hold.")
STEP_COMPLETED: Final = _attr(
    "footprint.step.completed", "boolean", "step.advanced", "True: it was the last one."
)
STEP_ACTION: Final = _attr(
    "footprint.step.action", "int", "steps", "The model call whose tools came back, 1-based."
)
STEP_REMAINING: Final = _attr(
    "footprint.step.remaining", "int[]", "steps.unfinished, abandoned", "Numbers of the steps left."
)
STEP_REMAINING_TOOLS: Final = _attr(
    "footprint.step.remaining.tools", "string[]", "steps.unfinished, abandoned", "Their tools."
)
STEPS_OUTCOME: Final = _attr(
    "footprint.step.outcome", "string", "steps.unfinished", "nudged, accepted or cut-short."
)
STEPS_OUTCOME_REASON: Final = _attr(
    "footprint.step.outcome.reason",
    "string",
    "steps.unfinished",
    "answered-early, nudge-spent, cannot-continue, action-budget, loop-limit, "
    "unanswered-tool-call or failed.",
)
ABANDONED_BY: Final = _attr(
    "footprint.step.abandoned_by", "string", "abandoned", "The skill that took over; absent: none."
)

# --- arguments ---------------------------------------------------------------------------

ARGUMENT_NAME: Final = _attr(
    "footprint.argument.name", "string", "argument", "The argument; of a nested value its path."
)
ARGUMENT_VERDICT: Final = _attr(
    "footprint.argument.verdict",
    "string",
    "argument",
    "said, answered, result, app, default or model; of a hint: hint, nowhere or uncheckable.",
)
ARGUMENT_CLAIMED: Final = _attr(
    "footprint.argument.claimed", "string", "argument", "user, result, turn, app, assumed or none."
)
ARGUMENT_MATCHED: Final = _attr(
    "footprint.argument.matched", "string", "argument", "quote, phrase or spelling."
)
ARGUMENT_READING: Final = _attr(
    "footprint.argument.reading", "boolean", "argument", "The value is read into the words."
)
ARGUMENT_EARLIER: Final = _attr(
    "footprint.argument.earlier", "boolean", "argument", "Its source is from before the request."
)
ARGUMENT_RESULT: Final = _attr(
    "footprint.argument.result", "string", "argument", "Tool call that produced the value."
)
ARGUMENT_SET_ASIDE: Final = _attr(
    "footprint.argument.set_aside", "string", "argument", "open, noise or ruled-out: that result."
)
ARGUMENT_GROUNDS: Final = _attr(
    "footprint.argument.grounds",
    "string",
    "argument",
    "listed or unlisted: the tool that produced it, among those declared.",
)
ARGUMENT_APP_SOURCE: Final = _attr(
    "footprint.argument.app_source", "string", "argument", "Label of the application's text."
)
ARGUMENT_COINCIDES: Final = _attr(
    "footprint.argument.coincides",
    "string",
    "argument",
    "Hint: person, result, app or tools carry the value; never a source.",
)
ARGUMENT_FAILED: Final = _attr(
    "footprint.argument.failed", "string", "argument", "Why the claim did not hold."
)
ARGUMENT_RULE: Final = _attr("footprint.argument.rule", "string", "argument", "ask or assume.")
ARGUMENT_PERIOD: Final = _attr(
    "footprint.argument.period", "boolean", "argument", "It is the tool's period of time."
)
ARGUMENT_ASKED: Final = _attr(
    "footprint.argument.ask", "string", "argument", "missing, unverified or invalid-answer."
)
ARGUMENT_MALFORMED: Final = _attr(
    "footprint.argument.malformed",
    "int",
    "argument, tool",
    "Entries of the declaration that were dropped; on the call's first event and its span.",
)
ARGUMENT_LEFT_OUT: Final = _attr(
    "footprint.argument.left_out", "int", "tool", "Nested values without an event of their own."
)
ARGUMENT_SIZE: Final = _attr(
    "footprint.argument.size", "int", "argument", "Code points of the value; absent: hidden."
)
ARGUMENT_COMMON: Final = _attr(
    "footprint.argument.common", "boolean", "argument", "Too short or usual to tell much."
)
ARGUMENT_CARRIERS: Final = _attr(
    "footprint.argument.carriers", "string[]", "argument", "Hashes of the pieces that carry it."
)
ARGUMENT_CARRIER_KINDS: Final = _attr(
    "footprint.argument.carrier.kinds", "string[]", "argument", "Of each its kind and spelling."
)
ARGUMENT_CARRIER_IDS: Final = _attr(
    "footprint.argument.carrier.ids", "string[]", "argument", "Tool call id, tool name or label."
)
ARGUMENT_CARRIERS_MORE: Final = _attr(
    "footprint.argument.carriers.more", "int", "argument", "Carriers that are not listed."
)
ARGUMENT_TURN: Final = _attr(
    "footprint.argument.turn", "int", "argument", "Turn of the conversation, 1-based."
)
ARGUMENT_VALUE: Final = _attr(
    "footprint.argument.value", "string", "argument", "Content mode full only: the value, cut."
)
ARGUMENT_PROPOSED: Final = _attr(
    "footprint.argument.proposed", "string", "argument", "Content mode full only: the model's."
)
ARGUMENT_QUOTE: Final = _attr(
    "footprint.argument.quote", "string", "argument", "Content mode full only: the claimed words."
)

ARGUMENT_FIELDS: Final[dict[str, str]] = {
    "tool": TOOL_NAME,
    "call_id": TOOL_CALL_ID,
    "argument": ARGUMENT_NAME,
    "verdict": ARGUMENT_VERDICT,
    "claimed": ARGUMENT_CLAIMED,
    "matched": ARGUMENT_MATCHED,
    "reading": ARGUMENT_READING,
    "earlier": ARGUMENT_EARLIER,
    "result": ARGUMENT_RESULT,
    "set_aside": ARGUMENT_SET_ASIDE,
    "arguments_from": ARGUMENT_GROUNDS,
    "app_source": ARGUMENT_APP_SOURCE,
    "coincides": ARGUMENT_COINCIDES,
    "failed": ARGUMENT_FAILED,
    "rule": ARGUMENT_RULE,
    "period": ARGUMENT_PERIOD,
    "asked": ARGUMENT_ASKED,
    "malformed": ARGUMENT_MALFORMED,
    "size": ARGUMENT_SIZE,
    "common": ARGUMENT_COMMON,
    "carriers": ARGUMENT_CARRIERS,
    "carrier_kinds": ARGUMENT_CARRIER_KINDS,
    "carrier_ids": ARGUMENT_CARRIER_IDS,
    "more_carriers": ARGUMENT_CARRIERS_MORE,
    "turn": ARGUMENT_TURN,
    "value": ARGUMENT_VALUE,
    "proposed": ARGUMENT_PROPOSED,
    "quote": ARGUMENT_QUOTE,
}
"""Attributes of an `ArgumentRow`'s fields (`records.arguments`), by their short names."""

STANDING_WORD: Final = _attr(
    "footprint.standing",
    "string",
    "answer.standing, turn",
    "ask, not-sure, known, consistent or not-assessed.",
)
STANDING_REASONS: Final = _attr(
    "footprint.standing.reasons", "string[]", "answer.standing", "Reasons, each with tool.argument."
)
STANDING_ASSESSED: Final = _attr(
    "footprint.standing.assessed", "int", "answer.standing", "Arguments that were judged."
)
STANDING_OF: Final = _attr(
    "footprint.standing.of", "int", "answer.standing", "Arguments of the turn."
)

# --- scripts ------------------------------------------------------------------------------

SCRIPT_INDEX: Final = _attr(
    "footprint.script.index",
    "int",
    "script",
    "Position under the answer, from 0; a gap: one is lost.",
)
SCRIPT_CALL: Final = _attr(
    "footprint.script.call", "string", "script", "Tool call id; empty when the provider gives none."
)
SCRIPT_TOOL: Final = _attr(
    "footprint.script.tool", "string", "script", "The tool it was submitted to."
)
SCRIPT_LANGUAGE: Final = _attr(
    "footprint.script.language",
    "string",
    "script",
    "As declared or as the call says; absent: unsaid.",
)
SCRIPT_LABEL: Final = _attr(
    "footprint.script.label",
    "string",
    "script",
    "started, completed, failed, timed_out or cancelled.",
)
SCRIPT_EXIT_CODE: Final = _attr(
    "footprint.script.exit_code", "int", "script", "Of a completed call, when there is one."
)
SCRIPT_BYTES: Final = _attr(
    "footprint.script.bytes", "int", "script", "UTF-8 bytes of the whole program.", "By"
)
SCRIPT_DIGEST: Final = _attr(
    "footprint.script.digest", "string", "script", "32 hex digits over the whole program."
)
SCRIPT_SHOWN_BYTES: Final = _attr(
    "footprint.script.shown_bytes", "int", "script", "Bytes shown of a cut one; absent: all.", "By"
)
SCRIPT_WITHHELD: Final = _attr(
    "footprint.script.withheld", "boolean", "script", "True: it stands in the data only."
)
SCRIPT_TEXT: Final = _attr(
    "footprint.script.text", "string[]", "script", "What was shown, in chunks; by content mode."
)
ATTACHMENT_WHICH: Final = _attr(
    "footprint.attachment.which", "string", "answer.attached", "last or all, as declared."
)
ATTACHMENT_FORM: Final = _attr(
    "footprint.attachment.form", "string", "answer.attached", "text, data (a typed answer) or none."
)
ATTACHMENT_SHOWN: Final = _attr(
    "footprint.attachment.shown", "int", "answer.attached", "Programs shown; each has its event."
)
ATTACHMENT_OMITTED: Final = _attr(
    "footprint.attachment.omitted", "int", "answer.attached", "Programs that could not be shown."
)
ATTACHMENT_WITHOUT_ROW: Final = _attr(
    "footprint.attachment.without_row",
    "int",
    "answer.attached",
    "Calls of which no row is kept.",
    "call",
)
ATTACHMENT_KEPT: Final = _attr(
    "footprint.attachment.kept",
    "boolean",
    "answer.attached",
    "Whether the programs' texts are on the record.",
)
ATTACHMENT_BOUNDARY: Final = _attr(
    "footprint.attachment.boundary",
    "string",
    "answer.attached",
    "clean, closed or unsettled; absent: no text.",
)
ATTACHMENT_AFTER: Final = _attr(
    "footprint.attachment.after",
    "string",
    "answer.attached",
    "What the block followed: nothing, newline or text.",
)
ATTACHMENT_FENCE_CHAR: Final = _attr(
    "footprint.attachment.fence.char", "string", "answer.attached", "backtick or tilde; of closed."
)
ATTACHMENT_FENCE_LENGTH: Final = _attr(
    "footprint.attachment.fence.length", "int", "answer.attached", "Of the fence that was closed."
)
ATTACHMENT_UNSHOWN_CALL: Final = _attr(
    "footprint.attachment.unshown.call",
    "string[]",
    "answer.attached",
    "Calls whose program has no text.",
)
ATTACHMENT_UNSHOWN_TOOL: Final = _attr(
    "footprint.attachment.unshown.tool", "string[]", "answer.attached", "Of each its tool."
)
ATTACHMENT_UNSHOWN_LABEL: Final = _attr(
    "footprint.attachment.unshown.label", "string[]", "answer.attached", "Of each its label."
)
ATTACHMENT_UNSHOWN_WHY: Final = _attr(
    "footprint.attachment.unshown.why",
    "string[]",
    "answer.attached",
    "over_size, unreadable, unprintable, withheld.",
)
ATTACHMENT_UNSHOWN_DIGEST: Final = _attr(
    "footprint.attachment.unshown.digest",
    "string[]",
    "answer.attached",
    "Of each its digest; empty: none.",
)
ATTACHMENT_UNSHOWN_EXIT_CODE: Final = _attr(
    "footprint.attachment.unshown.exit_code",
    "string[]",
    "answer.attached",
    "Of each its exit code; empty: none.",
)
ATTACHMENT_UNSHOWN_BYTES: Final = _attr(
    "footprint.attachment.unshown.bytes",
    "int[]",
    "answer.attached",
    "Of each its bytes; -1: unknown.",
    "By",
)

SCRIPT_FIELDS: Final = {
    "index": SCRIPT_INDEX,
    "call": SCRIPT_CALL,
    "tool": SCRIPT_TOOL,
    "language": SCRIPT_LANGUAGE,
    "label": SCRIPT_LABEL,
    "exit_code": SCRIPT_EXIT_CODE,
    "byte_count": SCRIPT_BYTES,
    "digest": SCRIPT_DIGEST,
    "shown_bytes": SCRIPT_SHOWN_BYTES,
    "withheld": SCRIPT_WITHHELD,
    "text": SCRIPT_TEXT,
}
"""Names of the fields of `records.script_fields.script_fields`."""
ATTACHMENT_FIELDS: Final = {
    "which": ATTACHMENT_WHICH,
    "form": ATTACHMENT_FORM,
    "shown": ATTACHMENT_SHOWN,
    "omitted": ATTACHMENT_OMITTED,
    "without_row": ATTACHMENT_WITHOUT_ROW,
    "kept": ATTACHMENT_KEPT,
    "boundary": ATTACHMENT_BOUNDARY,
    "after": ATTACHMENT_AFTER,
    "fence.char": ATTACHMENT_FENCE_CHAR,
    "fence.length": ATTACHMENT_FENCE_LENGTH,
    "unshown.call": ATTACHMENT_UNSHOWN_CALL,
    "unshown.tool": ATTACHMENT_UNSHOWN_TOOL,
    "unshown.label": ATTACHMENT_UNSHOWN_LABEL,
    "unshown.why": ATTACHMENT_UNSHOWN_WHY,
    "unshown.digest": ATTACHMENT_UNSHOWN_DIGEST,
    "unshown.exit_code": ATTACHMENT_UNSHOWN_EXIT_CODE,
    "unshown.byte_count": ATTACHMENT_UNSHOWN_BYTES,
}
"""Names of the fields of `records.script_fields.attachment_fields`."""

# --- metrics -------------------------------------------------------------------------------

_CALL = "gen_ai.agent.name, gen_ai.request.model"
METRIC_UTILIZATION: Final = _metric(
    "footprint.context.utilization", "histogram", "1", _CALL, "Request tokens / window size."
)
METRIC_TOKENS: Final = _metric(
    "footprint.context.tokens", "histogram", "{token}", _CALL + ", footprint.slot", "By slot."
)
METRIC_SLOT_UTILIZATION: Final = _metric(
    "footprint.slot.budget.utilization",
    "histogram",
    "1",
    _CALL + ", footprint.slot, footprint.origin",
    "Used / cap.",
)
METRIC_SLOT_EXCEEDED: Final = _metric(
    "footprint.slot.budget.exceeded",
    "counter",
    "{call}",
    _CALL + ", footprint.slot, footprint.origin",
    "Calls with a slot over its cap.",
)
METRIC_PIECES: Final = _metric(
    "footprint.context.pieces",
    "counter",
    "{piece}",
    "gen_ai.agent.name, footprint.slot, footprint.source",
    "Pieces that came in.",
)
METRIC_EVICTED: Final = _metric(
    "footprint.context.evicted",
    "counter",
    "{piece}",
    "gen_ai.agent.name, footprint.slot, footprint.reason",
    "Pieces that left.",
)
METRIC_STEPS: Final = _metric(
    "footprint.steps", "counter", "{step}", "footprint.procedure, footprint.outcome", "Steps."
)
METRIC_ARGUMENTS: Final = _metric(
    "footprint.argument.sources",
    "counter",
    "{argument}",
    "gen_ai.tool.name, footprint.verdict",
    "Arguments by verdict.",
)
METRIC_ATTACHMENTS: Final = _metric(
    "footprint.attachments", "counter", "{attachment}", "footprint.kind", "Scripts attached."
)
METRIC_TURNS_STARTED: Final = _metric(
    "footprint.turns.started", "counter", "{turn}", "gen_ai.agent.name", "Turns begun."
)
METRIC_TURNS_ENDED: Final = _metric(
    "footprint.turns.ended", "counter", "{turn}", "gen_ai.agent.name, footprint.outcome", "Ended."
)
METRIC_ACTIONS_USED: Final = _metric(
    "footprint.turn.actions", "histogram", "{call}", "gen_ai.agent.name", "Actions of a turn."
)
METRIC_ACTIONS_ALLOWED: Final = _metric(
    "footprint.turn.actions.allowed", "histogram", "{call}", "gen_ai.agent.name", "Action budget."
)
METRIC_DEFERRED: Final = _metric(
    "footprint.deliveries.deferred",
    "counter",
    "{delivery}",
    "gen_ai.agent.name, footprint.reason",
    "Declared messages that had to wait.",
)
METRIC_CALLS_LEFT: Final = _metric(
    "footprint.window.calls_left",
    "histogram",
    "{call}",
    _CALL,
    "Calls until the window is full, from the mean growth of the last five.",
)
METRIC_DROPPED: Final = _metric(
    "footprint.records.dropped", "counter", "{record}", "footprint.reason", "Records lost."
)
METRIC_OVERHEAD: Final = _metric(
    "footprint.overhead.duration", "histogram", "s", "footprint.operation", "Our own inline time."
)

DRAIN: Final = "footprint.metrics.drain"
"""An observable instrument that never reports: at each collection it lets the queue be drained."""

LABEL_SOURCE: Final = _attr("footprint.source", "string", "metrics", "Source of pieces.")
LABEL_REASON: Final = _attr("footprint.reason", "string", "metrics", "Reason.")
LABEL_OUTCOME: Final = _attr("footprint.outcome", "string", "metrics", "Outcome.")
LABEL_ORIGIN: Final = _attr("footprint.origin", "string", "metrics", "Cap: default or declared.")
LABEL_OPERATION: Final = _attr("footprint.operation", "string", "metrics", "Our own operation.")
LABEL_PROCEDURE: Final = _attr("footprint.procedure", "string", "metrics", "Procedure.")
LABEL_VERDICT: Final = _attr("footprint.verdict", "string", "metrics", "Verdict.")
LABEL_KIND: Final = _attr("footprint.kind", "string", "metrics", "Kind.")

FOREIGN_SPAN: Final = (
    CALL_ID,
    COMPLETENESS,
    SYSTEM_USED,
    MESSAGES_USED,
    TOOLS_USED,
    SLOT_CAPS,
    CAPS_DECLARED,
    SLOT_PIECES,
    BUDGET_UNIT,
    OVER,
    OVER_DECLARED,
    WINDOW_SIZE,
    WINDOW_TOKENS,
    WINDOW_METHOD,
    WINDOW_UTILIZATION,
    CHUNKS,
    OUTPUT_STATE,
)
"""All that we ever put on a span that another instrumentation made; no token counts."""

INFERENCE_OPERATIONS: Final = frozenset({"chat", "generate_content", "text_completion"})
"""Values of `gen_ai.operation.name` that make a span an inference span."""
