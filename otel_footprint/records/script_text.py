"""The text under an answer: its wording, how it is built from the record, and built again.

A pure function of the recorded form, so that whoever has the record has the text, byte for byte.
All lines are in the past tense, name the call, and say nothing of where the answer was shown.
"""

from __future__ import annotations

import re
from typing import Final

from .script_reader import Recorded
from .scripts import MAX_TEXT_BYTES, Attached, Call, Script, Unshown

ATTACHED: Final = "the library attached it out of the record."
KEPT: Final = "its text was left out here and kept in the record."
LEFT_OUT: Final = "its text was left out here."

_NAME_LENGTH: Final = 80
_LANGUAGE: Final = re.compile(r"[^A-Za-z0-9_+#.-]+")
_RUNS: Final = {char: re.compile(char + "+") for char in "`~"}


def outcome(call: Call) -> str:
    """The words of a label."""
    if call.label == "completed":
        code = call.exit_code
        return "completed" if code is None else f"completed with exit code {code}"
    return {
        "started": "had started and its outcome was still open",
        "failed": "failed, raised by the tool itself",
        "timed_out": "ran out of time",
        "cancelled": "was cancelled",
    }[call.label]


def naming(call: Call) -> str:
    """Names a call and says how it came out."""
    subject = f"call {quoted(call.call)}" if call.call else "a call"
    return f"{subject} to {quoted(call.tool)} {outcome(call)}"


def label_line(script: Script, number: int, count: int, kept: bool) -> str:
    """The line above a program, or in place of one that is withheld."""
    tail = ATTACHED if not script.withheld else KEPT if kept else LEFT_OUT
    return f"Recorded program {number} of {count}: {naming(script)}; {tail}"


def cut_line(script: Script, number: int) -> str:
    """Says of how much of a program was attached."""
    return (
        f"Program {number} was cut: {script.shown_bytes} of {script.byte_count} bytes were "
        "attached, not the whole program."
    )


def unshown_line(entry: Unshown) -> str:
    """Stands for a program without text."""
    line = f"Recorded without its text: {naming(entry)}"
    if entry.why != "over_size":
        return line + "."
    return f"{line}; its program had {entry.byte_count} bytes, over the {MAX_TEXT_BYTES} kept."


def older_line(count: int) -> str:
    """Counts programs that newer ones displaced."""
    noun = "program" if count == 1 else "programs"
    return f"Recorded and left out: {count} earlier {noun} of the turn that this answer closed."


def rowless_line(count: int) -> str:
    """Counts calls that the ledger no longer keeps."""
    noun = "call" if count == 1 else "calls"
    return f"Recorded by number only: {count} earlier {noun} of the turn that this answer closed."


def quoted(name: str) -> str:
    """A name between backticks: one line, no backtick, bounded."""
    clean = "".join(c if c.isprintable() and c != "`" else "_" for c in name[: _NAME_LENGTH + 1])
    return f"`{clean[:_NAME_LENGTH]}…`" if len(name) > _NAME_LENGTH else f"`{clean or '_'}`"


def info_string(language: str | None) -> str:
    """A language as a fence may carry it."""
    return _LANGUAGE.sub("", language or "")[:32]


def fenced(text: str, language: str | None) -> str:
    """A program between fences that it cannot break out of.

    The fence is longer than any run of its character in the program; backticks, unless tildes
    need a shorter one.
    """
    runs = {c: max((len(r) for r in _RUNS[c].findall(text)), default=0) for c in "`~"}
    char = "`" if max(runs["`"], 2) <= max(runs["~"], 2) else "~"
    fence = char * max(3, runs[char] + 1)
    end = "" if not text or text.endswith("\n") else "\n"
    return f"{fence}{info_string(language)}\n{text}{end}{fence}"


def block(attached: Attached) -> str | None:
    """The block: label lines and programs, then what was omitted. Empty when there is nothing.

    None when a program that has to be shown has no text on the record.
    """
    parts: list[str] = []
    count = len(attached.shown)
    for number, script in enumerate(attached.shown, 1):
        parts.append(label_line(script, number, count, attached.kept))
        if script.withheld:
            continue
        if script.text is None:
            return None
        parts.append(fenced(script.text, script.language))
        if script.shown_bytes is not None:
            parts.append(cut_line(script, number))
    parts.extend(unshown_line(entry) for entry in attached.unshown)
    if attached.older > 0:
        parts.append(older_line(attached.older))
    if attached.without_row and attached.which == "all":
        parts.append(rowless_line(attached.without_row))
    return "\n\n".join(parts)


def appended(attached: Attached) -> str | None:
    """All that was put behind an answer: line break, closing line, blank line, block.

    Empty when no text travelled; None when it cannot be built from this record.
    """
    if attached.form != "text" or attached.boundary is None:
        return ""
    body = block(attached)
    if body is None or attached.after == "nothing":
        return body
    closing = attached.boundary.closing_line
    start = "" if attached.after == "newline" else "\n"
    return f"{start}{closing}\n\n{body}" if closing else f"{start}\n{body}"


def rebuild(recorded: Recorded) -> str | None:
    """The text that was put behind the answer, byte for byte; None when it cannot be proved.

    That is when anything is unread, or the capture mode kept the programs off the record.
    """
    attached = recorded.attached()
    return None if attached is None else appended(attached)
