"""Names of where arguments come from."""

from __future__ import annotations

from typing import Final

from .catalog import attr
from .trail import TOOL_CALL_ID, TOOL_NAME

# --- arguments ---------------------------------------------------------------------------

ARGUMENT_NAME: Final = attr(
    "footprint.argument.name", "string", "argument", "The argument; of a nested value its path."
)
ARGUMENT_VERDICT: Final = attr(
    "footprint.argument.verdict",
    "string",
    "argument",
    "said, answered, result, app, default or model; of a hint: hint, nowhere or uncheckable.",
)
ARGUMENT_CLAIMED: Final = attr(
    "footprint.argument.claimed", "string", "argument", "user, result, turn, app, assumed or none."
)
ARGUMENT_MATCHED: Final = attr(
    "footprint.argument.matched", "string", "argument", "quote, phrase or spelling."
)
ARGUMENT_READING: Final = attr(
    "footprint.argument.reading", "boolean", "argument", "The value is read into the words."
)
ARGUMENT_EARLIER: Final = attr(
    "footprint.argument.earlier", "boolean", "argument", "Its source is from before the request."
)
ARGUMENT_RESULT: Final = attr(
    "footprint.argument.result", "string", "argument", "Tool call that produced the value."
)
ARGUMENT_SET_ASIDE: Final = attr(
    "footprint.argument.set_aside", "string", "argument", "open, noise or ruled-out: that result."
)
ARGUMENT_GROUNDS: Final = attr(
    "footprint.argument.grounds",
    "string",
    "argument",
    "listed or unlisted: the tool that produced it, among those declared.",
)
ARGUMENT_APP_SOURCE: Final = attr(
    "footprint.argument.app_source", "string", "argument", "Label of the application's text."
)
ARGUMENT_COINCIDES: Final = attr(
    "footprint.argument.coincides",
    "string",
    "argument",
    "Hint: person, result, app or tools carry the value; never a source.",
)
ARGUMENT_FAILED: Final = attr(
    "footprint.argument.failed", "string", "argument", "Why the claim did not hold."
)
ARGUMENT_RULE: Final = attr("footprint.argument.rule", "string", "argument", "ask or assume.")
ARGUMENT_PERIOD: Final = attr(
    "footprint.argument.period", "boolean", "argument", "It is the tool's period of time."
)
ARGUMENT_ASKED: Final = attr(
    "footprint.argument.ask", "string", "argument", "missing, unverified or invalid-answer."
)
ARGUMENT_MALFORMED: Final = attr(
    "footprint.argument.malformed",
    "int",
    "argument, tool",
    "Entries of the declaration that were dropped; on the call's first event and its span.",
)
ARGUMENT_REFUTED: Final = attr(
    "footprint.argument.refuted",
    "boolean",
    "tool",
    "True when a claim did not hold for a reason other than uncheckable.",
)
ARGUMENT_LEFT_OUT: Final = attr(
    "footprint.argument.left_out", "int", "tool", "Nested values without an event of their own."
)
ARGUMENT_ROWS: Final = attr(
    "footprint.argument.rows", "int", "tool", "Argument events on the span; absent: none."
)
ARGUMENT_SIZE: Final = attr(
    "footprint.argument.size", "int", "argument", "Code points of the value; absent: hidden."
)
ARGUMENT_COMMON: Final = attr(
    "footprint.argument.common", "boolean", "argument", "Too short or usual to tell much."
)
ARGUMENT_CARRIERS: Final = attr(
    "footprint.argument.carriers", "string[]", "argument", "Hashes of the pieces that carry it."
)
ARGUMENT_CARRIER_KINDS: Final = attr(
    "footprint.argument.carrier.kinds", "string[]", "argument", "Of each its kind and spelling."
)
ARGUMENT_CARRIER_IDS: Final = attr(
    "footprint.argument.carrier.ids", "string[]", "argument", "Tool call id, tool name or label."
)
ARGUMENT_CARRIERS_MORE: Final = attr(
    "footprint.argument.carriers.more", "int", "argument", "Carriers that are not listed."
)
ARGUMENT_TURN: Final = attr(
    "footprint.argument.turn", "int", "argument", "Turn of the conversation, 1-based."
)
ARGUMENT_VALUE: Final = attr(
    "footprint.argument.value", "string", "argument", "Content mode full only: the value, cut."
)
ARGUMENT_PROPOSED: Final = attr(
    "footprint.argument.proposed", "string", "argument", "Content mode full only: the model's."
)
ARGUMENT_QUOTE: Final = attr(
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

STANDING_WORD: Final = attr(
    "footprint.standing",
    "string",
    "answer.standing, turn",
    "ask, not-sure, known, consistent or not-assessed.",
)
STANDING_REASONS: Final = attr(
    "footprint.standing.reasons", "string[]", "answer.standing", "Reasons, each with tool.argument."
)
STANDING_ASSESSED: Final = attr(
    "footprint.standing.assessed", "int", "answer.standing", "Arguments that were judged."
)
STANDING_OF: Final = attr(
    "footprint.standing.of", "int", "answer.standing", "Arguments of the turn."
)
