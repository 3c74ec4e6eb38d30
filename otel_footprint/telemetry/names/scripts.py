"""Names of programs that travel with an answer."""

from __future__ import annotations

from typing import Final

from .catalog import attr

# --- scripts ------------------------------------------------------------------------------

SCRIPT_INDEX: Final = attr(
    "footprint.script.index",
    "int",
    "script",
    "Position under the answer, from 0; a gap: one is lost.",
)
SCRIPT_CALL: Final = attr(
    "footprint.script.call", "string", "script", "Tool call id; empty when the provider gives none."
)
SCRIPT_TOOL: Final = attr(
    "footprint.script.tool", "string", "script", "The tool it was submitted to."
)
SCRIPT_LANGUAGE: Final = attr(
    "footprint.script.language",
    "string",
    "script",
    "As declared or as the call says; absent: unsaid.",
)
SCRIPT_LABEL: Final = attr(
    "footprint.script.label",
    "string",
    "script",
    "started, completed, failed, timed_out or cancelled.",
)
SCRIPT_EXIT_CODE: Final = attr(
    "footprint.script.exit_code", "int", "script", "Of a completed call, when there is one."
)
SCRIPT_BYTES: Final = attr(
    "footprint.script.bytes", "int", "script", "UTF-8 bytes of the whole program.", "By"
)
SCRIPT_DIGEST: Final = attr(
    "footprint.script.digest", "string", "script", "32 hex digits over the whole program."
)
SCRIPT_SHOWN_BYTES: Final = attr(
    "footprint.script.shown_bytes", "int", "script", "Bytes shown of a cut one; absent: all.", "By"
)
SCRIPT_WITHHELD: Final = attr(
    "footprint.script.withheld", "boolean", "script", "True: it stands in the data only."
)
SCRIPT_TEXT: Final = attr(
    "footprint.script.text", "string[]", "script", "What was shown, in chunks; by content mode."
)
ATTACHMENT_WHICH: Final = attr(
    "footprint.attachment.which", "string", "answer.attached", "last or all, as declared."
)
ATTACHMENT_FORM: Final = attr(
    "footprint.attachment.form", "string", "answer.attached", "text, data (a typed answer) or none."
)
ATTACHMENT_SHOWN: Final = attr(
    "footprint.attachment.shown", "int", "answer.attached", "Programs shown; each has its event."
)
ATTACHMENT_OMITTED: Final = attr(
    "footprint.attachment.omitted", "int", "answer.attached", "Programs that could not be shown."
)
ATTACHMENT_WITHOUT_ROW: Final = attr(
    "footprint.attachment.without_row",
    "int",
    "answer.attached",
    "Calls of which no row is kept.",
    "call",
)
ATTACHMENT_KEPT: Final = attr(
    "footprint.attachment.kept",
    "boolean",
    "answer.attached",
    "Whether the programs' texts are on the record.",
)
ATTACHMENT_BOUNDARY: Final = attr(
    "footprint.attachment.boundary",
    "string",
    "answer.attached",
    "clean, closed or unsettled; absent: no text.",
)
ATTACHMENT_AFTER: Final = attr(
    "footprint.attachment.after",
    "string",
    "answer.attached",
    "What the block followed: nothing, newline or text.",
)
ATTACHMENT_FENCE_CHAR: Final = attr(
    "footprint.attachment.fence.char", "string", "answer.attached", "backtick or tilde; of closed."
)
ATTACHMENT_FENCE_LENGTH: Final = attr(
    "footprint.attachment.fence.length", "int", "answer.attached", "Of the fence that was closed."
)
ATTACHMENT_UNSHOWN_CALL: Final = attr(
    "footprint.attachment.unshown.call",
    "string[]",
    "answer.attached",
    "Calls whose program has no text.",
)
ATTACHMENT_UNSHOWN_TOOL: Final = attr(
    "footprint.attachment.unshown.tool", "string[]", "answer.attached", "Of each its tool."
)
ATTACHMENT_UNSHOWN_LABEL: Final = attr(
    "footprint.attachment.unshown.label", "string[]", "answer.attached", "Of each its label."
)
ATTACHMENT_UNSHOWN_WHY: Final = attr(
    "footprint.attachment.unshown.why",
    "string[]",
    "answer.attached",
    "over_size, unreadable, unprintable, withheld.",
)
ATTACHMENT_UNSHOWN_DIGEST: Final = attr(
    "footprint.attachment.unshown.digest",
    "string[]",
    "answer.attached",
    "Of each its digest; empty: none.",
)
ATTACHMENT_UNSHOWN_EXIT_CODE: Final = attr(
    "footprint.attachment.unshown.exit_code",
    "string[]",
    "answer.attached",
    "Of each its exit code; empty: none.",
)
ATTACHMENT_UNSHOWN_BYTES: Final = attr(
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
