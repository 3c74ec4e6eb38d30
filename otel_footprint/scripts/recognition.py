"""Our own block when it comes back in a later request: text of the library, not of the model.

By memory it is certain (this process appended exactly this text); by form it is likely (another
process of ours did, or someone imitated it). Both are answered in time linear in the text.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from typing import Final, NamedTuple

from ..records.script_text import ATTACHED, KEPT, LEFT_OUT
from ..text.jsontext import encode

_NAME = r"`[^`\n]{1,81}`"
_OUTCOME = (
    r"(?:completed(?: with exit code -?\d+)?|had started and its outcome was still open|failed, "
    r"raised by the tool itself|ran out of time|was cancelled)"
)
_NAMING = rf"(?:call {_NAME}|a call) to {_NAME} {_OUTCOME}"
_LABEL: Final = re.compile(
    rf"Recorded program ([1-8]) of ([1-8]): {_NAMING}; "
    rf"(?:({re.escape(ATTACHED)})|{re.escape(KEPT)}|{re.escape(LEFT_OUT)})"
)
_FENCE: Final = re.compile(r"\n\n(`{3,}|~{3,})[A-Za-z0-9_+#.-]{0,32}\n")
_CUT: Final = re.compile(
    r"\n\nProgram [1-8] was cut: \d+ of \d+ bytes were attached, not the whole program\."
)
_OMISSION: Final = re.compile(
    rf"Recorded without its text: {_NAMING}(?:; its program had \d+ bytes, over the \d+ kept)?\."
    r"|Recorded (?:and left out: \d+ earlier programs?|by number only: \d+ earlier calls?)"
    r" of the turn that this answer closed\."
)
_BEGIN: Final = re.compile(
    r"^(?=Recorded program 1 of |Recorded without its text: |Recorded and left out: "
    r"|Recorded by number only: )",
    re.MULTILINE,
)
_TRIES: Final = 16


class Found(NamedTuple):
    """An attachment at the end of a text."""

    start: int
    """Where our text begins: the line break, closing line and blank line before the block too.

    Known by memory; by form only the line breaks before the block count, since a closing line may
    be the model's own.
    """
    certain: bool
    """True when this process appended exactly this text."""
    by: str = ""
    """Id of the model call under whose answer it was put; empty when that is not known."""


class Memory:
    """What this process appended lately: digests of the last 256 texts."""

    def __init__(self, size: int = 256) -> None:
        self._size = size
        self._known: OrderedDict[tuple[int, str], tuple[str, str]] = OrderedDict()

    def remember(self, appended: str, by: str = "") -> None:
        """Keeps the digest of a text that was appended under the answer of a call."""
        begin = _BEGIN.search(appended)
        if begin is None:
            return
        block = appended[begin.start() :].rstrip()
        key = (len(block), _digest(block))
        self._known[key] = appended[: begin.start()], by
        self._known.move_to_end(key)
        if len(self._known) > self._size:
            self._known.popitem(last=False)

    def before(self, block: str) -> tuple[str, str] | None:
        """What was appended before a block, and by which call; None for a block not known."""
        return self._known.get((len(block), _digest(block)))

    def may_know(self, length: int) -> bool:
        """False when no block of this length was written."""
        return any(known == length for known, _ in list(self._known))


def find(text: str, memory: Memory | None = None) -> Found | None:
    """The attachment that `text` ends with, or None. Blanks at the very end do not matter."""
    text = text.rstrip()
    begins = [match.start() for match in _BEGIN.finditer(text)]
    if memory is not None:
        for begin in begins:
            if not memory.may_know(len(text) - begin):
                continue
            known = memory.before(text[begin:])
            if known is not None:
                before, by = known
                start = begin - len(before) if text.endswith(before, 0, begin) else begin
                return Found(start, True, by)
    for begin in (
        begins if len(begins) <= _TRIES else begins[: _TRIES // 2] + begins[-_TRIES // 2 :]
    ):
        if _parse(text, begin) == len(text):
            return Found(_start(text, begin), False)
    return None


def _parse(text: str, at: int) -> int:
    """Where a block ends that begins at `at`; -1 when none does."""
    end = at
    label = _LABEL.match(text, at)
    number, count = 0, int(label.group(2)) if label else 0
    while label is not None and number < count:
        number += 1
        if (int(label.group(1)), int(label.group(2))) != (number, count):
            return -1
        end = _program(text, label.end()) if label.group(3) else label.end()
        if end < 0:
            return -1
        label = _LABEL.match(text, end + 2) if text.startswith("\n\n", end) else None
    if number < count:
        return -1
    omission = _OMISSION.match(text, at if not number else end + 2)
    while omission is not None and (end == at or text.startswith("\n\n", end)):
        end = omission.end()
        omission = _OMISSION.match(text, end + 2)
    return end if end > at else -1


def _program(text: str, at: int) -> int:
    """Where a fenced program ends, with its cut notice; -1 when there is none."""
    fence = _FENCE.match(text, at)
    if fence is None:
        return -1
    closing = "\n" + fence.group(1)
    end = text.find(closing, fence.end() - 1)
    if end < 0:
        return -1
    end += len(closing)
    cut = _CUT.match(text, end)
    return cut.end() if cut else end


def _start(text: str, block: int) -> int:
    """Where the line breaks begin that stand before a block, two at most."""
    return block - 2 if text.endswith("\n\n", 0, block) else block


def _digest(text: str) -> str:
    return hashlib.sha256(encode(text)).hexdigest()[:32]
