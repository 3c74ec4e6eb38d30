"""Names of the trail itself: turns, ledgers, calls, compositions, tools."""

from __future__ import annotations

from typing import Final

from .catalog import attr, event, span

# --- spans ---------------------------------------------------------------------------------

SPAN_TURN: Final = span(
    "invoke_agent",
    "A turn: `invoke_agent {agent}`; ours where no other is. Of calls outside any turn it has no "
    "length and carries what else stands on `turn started`.",
)
SPAN_TURN_STARTED: Final = span(
    "turn started", "No length, exported at once: a turn can be found before it ends."
)
SPAN_TURN_ENDED: Final = span(
    "turn ended", "No length: the last record of a turn whose own span had ended before."
)
SPAN_CALL: Final = span("chat", "A model call: `chat {model}`; ours where no other is.")
SPAN_CALL_RECORD: Final = span(
    "record call", "No length: what we know of a call whose inference span is not ours."
)
SPAN_TOOL: Final = span("execute_tool", "A tool call: `execute_tool {tool}`.")
SPAN_COMPOSE: Final = span(
    "compose", "`compose {slot}`: a slot that changed; one span a part of at most 12 kB text."
)
SPAN_PARAMETERS: Final = f"{SPAN_COMPOSE} parameters"
"""The `compose` span of the request's layout, which is in no slot."""
SPAN_OUTPUT: Final = span("output", "Further parts of an output that does not fit the call's span.")
SPAN_EVENTS: Final = span("events", "No length: further events of a call that do not fit its span.")
SPAN_FEEDBACK: Final = span("feedback", "No length: carries one `gen_ai.evaluation.result`.")
SPAN_DOCTOR: Final = span("doctor", "No length: the test span of `otel-footprint doctor`.")

# --- standard attributes -------------------------------------------------------------------

OPERATION: Final = attr(
    "gen_ai.operation.name", "string", "turn, call, tool", "invoke_agent, chat or execute_tool."
)
PROVIDER: Final = attr("gen_ai.provider.name", "string", "call", "The provider that was asked.")
AGENT: Final = attr(
    "gen_ai.agent.name", "string", "turn started, turn, call, tool, metrics", "The agent."
)
CONVERSATION: Final = attr(
    "gen_ai.conversation.id",
    "string",
    "turn started, turn, call",
    "The conversation, as given.",
)
PROMPT_NAME: Final = attr(
    "gen_ai.prompt.name", "string", "turn started", "Name of the prompt in use."
)
PROMPT_VERSION: Final = attr(
    "gen_ai.prompt.version", "string", "turn started", "Version of that prompt."
)
REQUEST_MODEL: Final = attr(
    "gen_ai.request.model", "string", "call", "The model that was asked for."
)
REQUEST_STREAM: Final = attr("gen_ai.request.stream", "boolean", "call", "Only when true.")
REQUEST_TEMPERATURE: Final = attr(
    "gen_ai.request.temperature", "double", "call", "Temperature asked for."
)
REQUEST_TOP_P: Final = attr("gen_ai.request.top_p", "double", "call", "Top-p asked for.")
REQUEST_TOP_K: Final = attr("gen_ai.request.top_k", "int", "call", "Top-k asked for.")
REQUEST_MAX_TOKENS: Final = attr(
    "gen_ai.request.max_tokens", "int", "call", "Most tokens of the output asked for."
)
REQUEST_SEED: Final = attr("gen_ai.request.seed", "int", "call", "Seed asked for.")
REQUEST_CHOICES: Final = attr("gen_ai.request.choice.count", "int", "call", "When not 1.")
REQUEST_STOP: Final = attr(
    "gen_ai.request.stop_sequences", "string[]", "call", "Stop sequences asked for."
)
REQUEST_FREQUENCY_PENALTY: Final = attr(
    "gen_ai.request.frequency_penalty", "double", "call", "Frequency penalty asked for."
)
REQUEST_PRESENCE_PENALTY: Final = attr(
    "gen_ai.request.presence_penalty", "double", "call", "Presence penalty asked for."
)
REQUEST_REASONING: Final = attr(
    "gen_ai.request.reasoning.level", "string", "call", "Reasoning effort asked for."
)
REQUEST_PREVIOUS: Final = attr(
    "gen_ai.request.previous_response.id", "string", "call", "Response that the request continues."
)
OUTPUT_TYPE: Final = attr("gen_ai.output.type", "string", "call", "Kind of output asked for.")
RESPONSE_ID: Final = attr("gen_ai.response.id", "string", "call", "The response's id.")
RESPONSE_MODEL: Final = attr("gen_ai.response.model", "string", "call", "The model that answered.")
FINISH_REASONS: Final = attr(
    "gen_ai.response.finish_reasons", "string[]", "call", "Why each choice ended."
)
TIME_TO_FIRST_CHUNK: Final = attr(
    "gen_ai.response.time_to_first_chunk",
    "double",
    "call",
    "Until the first chunk of a stream.",
    "s",
)
INPUT_TOKENS: Final = attr(
    "gen_ai.usage.input_tokens",
    "int",
    "call (ours only)",
    "Tokens of the input, as reported; cached ones included.",
    "token",
)
OUTPUT_TOKENS: Final = attr(
    "gen_ai.usage.output_tokens",
    "int",
    "call (ours only)",
    "Tokens of the output, as reported.",
    "token",
)
CACHE_READ_TOKENS: Final = attr(
    "gen_ai.usage.cache_read.input_tokens",
    "int",
    "call (ours only)",
    "Input tokens read from the cache.",
    "token",
)
CACHE_WRITE_TOKENS: Final = attr(
    "gen_ai.usage.cache_write.input_tokens",
    "int",
    "call (ours only)",
    "Input tokens written to the cache.",
    "token",
)
REASONING_TOKENS: Final = attr(
    "gen_ai.usage.reasoning.output_tokens",
    "int",
    "call (ours only)",
    "Output tokens of reasoning.",
    "token",
)
INPUT_MESSAGES: Final = attr(
    "gen_ai.input.messages", "string", "call", "As the conventions have it."
)
OUTPUT_MESSAGES: Final = attr(
    "gen_ai.output.messages", "string", "call", "As the conventions have it."
)
SYSTEM_INSTRUCTIONS: Final = attr(
    "gen_ai.system_instructions", "string", "call", "As the conventions have it."
)
TOOL_NAME: Final = attr("gen_ai.tool.name", "string", "tool", "The tool.")
TOOL_CALL_ID: Final = attr(
    "gen_ai.tool.call.id", "string", "tool", "The provider's id of the tool call."
)
ERROR_TYPE: Final = attr(
    "error.type", "string", "turn, call, tool", "Class or status of the error."
)
USER_ID: Final = attr("user.id", "string", "turn started", "The user, as given, through redaction.")
EVALUATION: Final = event("gen_ai.evaluation.result", "feedback", "A verdict on a turn.")
EVALUATION_NAME: Final = attr("gen_ai.evaluation.name", "string", "evaluation", "What was judged.")
EVALUATION_SCORE: Final = attr(
    "gen_ai.evaluation.score.value", "double", "evaluation", "The verdict as a number."
)
EVALUATION_LABEL: Final = attr(
    "gen_ai.evaluation.score.label", "string", "evaluation", "The verdict as a word."
)
EVALUATION_EXPLANATION: Final = attr(
    "gen_ai.evaluation.explanation", "string", "evaluation", "The comment."
)

# --- turn ----------------------------------------------------------------------------------

FORMAT_VERSION: Final = attr("footprint.format", "int", "turn started", "Trail format.")
TURN_ID: Final = attr("footprint.turn.id", "string", "turn started, turn, feedback", "The turn.")
TURN_OUTCOME: Final = attr(
    "footprint.turn.outcome",
    "string",
    "turn",
    "completed, error, cancelled, paused, limit, implicit.",
)
TURN_CALLS: Final = attr("footprint.turn.calls", "int", "turn", "Model calls of the turn.", "call")
TURN_ACTION_BUDGET: Final = attr(
    "footprint.turn.action_budget", "int", "turn started, turn", "Actions allowed.", "call"
)
TURN_LOST: Final = attr(
    "footprint.turn.lost", "int", "turn", "Records known to be lost; absent when none.", "record"
)
TURN_UNFINISHED: Final = attr(
    "footprint.turn.unfinished",
    "int",
    "turn",
    "Steps of a procedure that were left at its end; absent when none.",
    "step",
)
TURN_TEXT: Final = attr("footprint.turn.text", "string[]", "turn started", "The person's words.")
TURN_TAGS: Final = attr("footprint.turn.tags", "string[]", "turn started", "Tags as handed in.")
TURN_METADATA_PREFIX: Final = "footprint.turn.metadata."
"""Metadata of a turn, one attribute a key, on `turn started`."""
CONTENT_MODE: Final = attr("footprint.content", "string", "turn started", "none, redacted or full.")
CONTENT_REDACTED: Final = attr(
    "footprint.content.redacted",
    "boolean",
    "turn started",
    "True in mode full when a redaction hook was on.",
)
STORE: Final = attr(
    "footprint.store", "string", "turn started", "URI of the content store, without credentials."
)
KEY_ID: Final = attr(
    "footprint.key.id", "string", "turn started", "Key of the hashes (HMAC); absent: plain SHA-256."
)
LINK_TYPE: Final = attr(
    "footprint.link.type", "string", "span links", "text, resumes, remote, evaluates, source."
)
PARENT_TURN: Final = attr("footprint.turn.parent", "string", "turn started", "The calling turn.")
PARENT_CALL: Final = attr(
    "footprint.call.parent", "string", "turn started", "The calling call, in another process."
)

# --- ledger --------------------------------------------------------------------------------

LEDGER: Final = attr("footprint.ledger", "string", "turn started, turn", "The ledger's id.")
SEQ: Final = attr(
    "footprint.trail.seq",
    "int",
    "turn started, slot.composed, call, tool, turn",
    "Number of the record in its ledger.",
)
DIGEST: Final = attr(
    "footprint.trail.digest",
    "string",
    "turn started, call, tool, turn",
    "SHA-256 (URL-safe base64, 43 characters) over the records and the second part; with a comma, "
    "the first 11 characters of the digest before.",
)
RECORDS: Final = attr("footprint.records", "int", "turn", "Records of the ledger.", "record")

# --- call ----------------------------------------------------------------------------------

CALL_ID: Final = attr(
    "footprint.call.id", "string", "call, compose, output span", "Joins all of one call."
)
CALL_ATTEMPTS: Final = attr("footprint.call.attempts", "int", "call", "HTTP attempts when > 1.")
DIALECT: Final = attr(
    "footprint.dialect", "string", "parameters", "Request format, for example openai.chat."
)
COMPLETENESS: Final = attr(
    "footprint.completeness", "string", "call", "request_only: the provider adds context."
)
SYSTEM_USED: Final = attr("footprint.slot.system.used", "int", "call", "Filling of slot system.")
MESSAGES_USED: Final = attr(
    "footprint.slot.messages.used", "int", "call", "Filling of slot messages."
)
TOOLS_USED: Final = attr("footprint.slot.tools.used", "int", "call", "Filling of slot tools.")
SLOT_CAPS: Final = attr(
    "footprint.slot.caps",
    "string",
    "call",
    "Caps of system, messages, tools, with commas; 0: none; absent: the defaults.",
)
CAPS_DECLARED: Final = attr(
    "footprint.slot.caps.declared", "string", "call", "Slots whose cap was declared, with commas."
)
SLOT_PIECES: Final = attr(
    "footprint.slot.pieces", "string", "call", "Pieces in system, messages, tools, with commas."
)
SLOT_DIGESTS: Final = attr(
    "footprint.slot.digests",
    "string",
    "call",
    "Of system, messages, tools and the layout, with commas: the digest (SHA-256, URL-safe base64; "
    "of the layout 16 hex digits of its hash) where this call wrote it, else the name of the call "
    "that did.",
)
BUDGET_UNIT: Final = attr("footprint.slot.unit", "string", "call", "tokens; absent: chars.")
TOOLS_PLANTED: Final = attr(
    "footprint.slot.tools.planted",
    "int",
    "call",
    "Characters of slot tools that are the reserved argument, which the library planted; a default "
    "cap does not count them.",
    "char",
)
OVER_SYSTEM: Final = attr(
    "footprint.slot.system.over", "boolean", "call", "True when slot system is over its cap."
)
OVER_MESSAGES: Final = attr(
    "footprint.slot.messages.over", "boolean", "call", "True when slot messages is over its cap."
)
OVER_TOOLS: Final = attr(
    "footprint.slot.tools.over", "boolean", "call", "True when slot tools is over its cap."
)
OVER: Final = (OVER_SYSTEM, OVER_MESSAGES, OVER_TOOLS)
"""In the order of the slots."""
OVER_DECLARED: Final = attr(
    "footprint.slot.over.declared", "boolean", "call", "True when a declared cap is exceeded."
)
WINDOW_SIZE: Final = attr(
    "footprint.window.size", "int", "call", "The model's context window.", "token"
)
WINDOW_TOKENS: Final = attr(
    "footprint.window.tokens", "int", "call", "Estimate of the whole request.", "token"
)
WINDOW_METHOD: Final = attr(
    "footprint.window.method", "string", "call", "estimated; absent: calibrated by reported usage."
)
WINDOW_UTILIZATION: Final = attr(
    "footprint.window.utilization", "double", "call", "tokens / size; absent: size unknown."
)
PARAMS: Final = attr(
    "footprint.params", "string", "parameters", "Hash of the request's layout, with its dialect."
)
CHUNKS: Final = attr("footprint.stream.chunks", "int", "call", "Events of the stream.")
OUTPUT_STATE: Final = attr(
    "footprint.output.state", "string", "call", "cut (left early) or unread; absent: complete."
)
REQUEST_BYTES: Final = attr(
    "footprint.request.bytes", "int", "call", "Length of the HTTP body that left.", "By"
)

# --- composition ---------------------------------------------------------------------------

SLOT: Final = attr(
    "footprint.slot",
    "string",
    "pressure, injected, removed, cache.broken, metrics",
    "system, messages or tools; of pressure also window.",
)
EVENT_COMPOSED: Final = event(
    "footprint.slot.composed", "compose", "A slot's change (delta) or whole manifest (keyframe)."
)
EVENT_OUTPUT: Final = event("footprint.output", "call, output span", "The call's output as pieces.")
EVENT_PARAMS: Final = event(
    "footprint.parameters.recorded", "compose", "The request outside the slots, when it is new."
)
EVENT_PRESSURE: Final = event(
    "footprint.budget.pressure", "compose, call", "A slot or the window is over, or nearly."
)
EVENT_INJECTED: Final = event(
    "footprint.context.injected", "compose", "A piece that something let in."
)
EVENT_REMOVED: Final = event("footprint.context.removed", "compose", "A piece was taken out.")
EVENT_SKIPPED: Final = event("footprint.context.skipped", "call", "A piece was not let in.")
EVENT_WITHHELD: Final = event("footprint.offer.withheld", "call", "A tool of ours not offered.")
EVENT_DEFERRED: Final = event("footprint.delivery.deferred", "call", "A message has to wait.")
EVENT_STUCK: Final = event("footprint.delivery.stuck", "call", "It can never be delivered.")
EVENT_WINDOW_REFUSED: Final = event("footprint.window.refused", "call", "Nothing could leave.")
EVENT_CACHE_BROKEN: Final = event("footprint.cache.broken", "compose", "The prefix changed.")
EVENT_STEP_ADVANCED: Final = event("footprint.step.advanced", "tool", "A step was done.")
EVENT_STEP_SKIPPED: Final = event("footprint.step.skipped", "tool", "A step was skipped.")
EVENT_STEPS_UNFINISHED: Final = event("footprint.steps.unfinished", "turn", "Steps remained.")
EVENT_ABANDONED: Final = event("footprint.procedure.abandoned", "call", "It lost the tenure.")
EVENT_ARGUMENT: Final = event("footprint.argument.source", "tool", "Where an argument came from.")
EVENT_ARGUMENT_ASKED: Final = event("footprint.argument.asked", "tool", "A person was asked.")
EVENT_SCRIPT: Final = event("footprint.script.attached", "turn", "A program under the answer.")
EVENT_ATTACHED: Final = event("footprint.answer.attached", "turn", "What went under the answer.")
EVENT_STANDING: Final = event("footprint.answer.standing", "turn", "How the answer stands.")

KEYFRAME: Final = attr(
    "footprint.keyframe", "boolean", "slot.composed", "True: the whole manifest; else absent."
)
BASE_CALL: Final = attr("footprint.base", "string", "slot.composed", "Call the delta is to.")
BASE_TRACE: Final = attr(
    "footprint.base.trace", "string", "slot.composed", "Trace of the base when it is another."
)
BASE_DIGEST: Final = attr(
    "footprint.base.digest", "string", "slot.composed", "First 11 characters of the base's digest."
)
COUNT_BEFORE: Final = attr("footprint.before", "int", "slot.composed", "Pieces of the base.")
COUNT_AFTER: Final = attr("footprint.after", "int", "slot.composed", "Pieces now.")
SPLICE_AT: Final = attr(
    "footprint.splice.at",
    "int[]",
    "slot.composed",
    "Positions in the base, ascending; absent in a delta: all rows come at the end.",
)
SPLICE_REMOVED: Final = attr("footprint.splice.removed", "int[]", "slot.composed", "Pieces out.")
SPLICE_INSERTED: Final = attr("footprint.splice.inserted", "int[]", "slot.composed", "Pieces in.")
HIDDEN_CHANGES: Final = attr(
    "footprint.hidden", "int", "slot.composed", "Changes that redaction hides; absent: none."
)
PART: Final = attr(
    "footprint.part", "int", "compose, parameters, output", "1-based; absent: one part."
)
PARTS: Final = attr("footprint.parts", "int", "compose, parameters, output", "Number of parts.")
PIECE_HASH: Final = attr(
    "footprint.hash",
    "string[]",
    "slot.composed, output",
    "48 hex digits: 32 of the identity, 16 of the exact spelling.",
)
PIECE_SIZE: Final = attr("footprint.size", "int[]", "slot.composed, output", "Code points of text.")
PIECE_SOURCE: Final = attr(
    "footprint.sources", "string", "slot.composed", "Who put each piece there, with commas."
)
PIECE_ROLE: Final = attr(
    "footprint.roles",
    "string[]",
    "slot.composed",
    "Role on the wire, where it is not the usual one of the source; else empty.",
)
PIECE_ID: Final = attr(
    "footprint.ids", "string[]", "slot.composed", "Tool call id, tool name or injection id."
)
PIECE_REASON: Final = attr(
    "footprint.reasons", "string[]", "slot.composed", "Why; absent: ordinary flow."
)
PIECE_FRAME: Final = attr(
    "footprint.frames", "string[]", "slot.composed", "Element around several pieces."
)
PIECE_MEDIA: Final = attr(
    "footprint.media", "string[]", "slot.composed, output", "`piece type bytes sha256 prefix`."
)
TEXT: Final = attr(
    "footprint.text", "string[]", "slot.composed, output, parameters", "Texts in chunks."
)
TEXT_STRINGS: Final = attr(
    "footprint.texts",
    "int[]",
    "slot.composed, output",
    "Texts of each piece; 0: known; absent: 1 each, or all of them of the one piece.",
)
TEXT_CHUNKS: Final = attr(
    "footprint.chunks", "int[]", "slot.composed, output", "Chunks of each text; absent: all 1."
)
TEXT_LEFT_OUT: Final = attr(
    "footprint.left_out", "int", "slot.composed, output", "Texts over the trace's bound."
)
TEXT_STORED: Final = attr(
    "footprint.stored",
    "int",
    "slot.composed, output, parameters",
    "Texts that are in the content store instead.",
)
OUTPUT_EXTRA: Final = attr(
    "footprint.output.extra",
    "string[]",
    "output",
    "Null and empty keys, by piece; absent: those of the call before.",
)
PARAMS_KEYS: Final = attr("footprint.params.keys", "string[]", "parameters", "Keys in order.")

# --- pressure ------------------------------------------------------------------------------

PRESSURE_STATE: Final = attr("footprint.pressure.state", "string", "pressure", "over or near.")
PRESSURE_CAP: Final = attr("footprint.pressure.cap", "int", "pressure", "The cap.")
PRESSURE_USED: Final = attr("footprint.pressure.used", "int", "pressure", "What it holds.")
PRESSURE_UNIT: Final = attr("footprint.pressure.unit", "string", "pressure", "chars or tokens.")
PRESSURE_ORIGIN: Final = attr(
    "footprint.pressure.origin", "string", "pressure", "default, declared or model."
)

# --- tool ----------------------------------------------------------------------------------

TOOL_STATUS: Final = attr(
    "footprint.tool.status", "string", "tool", "refused, denied or paused; absent: it ran."
)
TOOL_HASHES: Final = attr(
    "footprint.tool.hashes",
    "string",
    "tool",
    "First 16 digits of the hashes of the arguments' and the result's text, with a comma.",
)

FOREIGN_SPAN: Final = (
    CALL_ID,
    COMPLETENESS,
    SYSTEM_USED,
    MESSAGES_USED,
    TOOLS_USED,
    TOOLS_PLANTED,
    SLOT_CAPS,
    CAPS_DECLARED,
    SLOT_PIECES,
    BUDGET_UNIT,
    *OVER,
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
