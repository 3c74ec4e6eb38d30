"""What is put under one answer."""

from __future__ import annotations

from typing import NamedTuple

from ..records.script_text import appended
from ..records.scripts import After, Attached, Boundary
from .boundary import Reading, read
from .selection import Selection


class Attachment(NamedTuple):
    """The text to append to an answer, and the record of it."""

    appended: str
    """Empty when no text travels. As it is: the last chunk of a stream."""
    record: Attached
    reason: str
    """Why the boundary is unsettled: `html` or `math`; else empty."""

    def to(self, answer: str) -> str:
        """The answer with what belongs under it; the very same object when nothing does."""
        return answer + self.appended if self.appended else answer


def attach(
    selection: Selection, answer: str, *, typed: bool = False, kept: bool = True
) -> Attachment:
    """What goes under `answer`, the whole text that precedes it (of a stream as assembled).

    `typed` answers (structured output) get the data only. `kept` says whether the texts of the
    programs stand on the record (capture mode). Without anything to attach no boundary is read.
    """
    base = Attached(
        selection.which,
        shown=selection.shown,
        omitted=selection.omitted,
        unshown=selection.unshown,
        without_row=selection.without_row,
        kept=kept,
    )
    if not selection:
        return Attachment("", base, "")
    if typed:
        return Attachment("", base._replace(form="data"), "")
    boundary, reason = read(answer) if answer else Reading(Boundary("clean"), "")
    after: After = "text"
    if not answer:
        after = "nothing"
    elif answer.endswith("\n"):
        after = "newline"
    record = base._replace(form="text", boundary=boundary, after=after)
    if boundary.kind == "unsettled":
        shown = (script.model_copy(update={"withheld": True}) for script in record.shown)
        record = record._replace(shown=tuple(shown))
    return Attachment(appended(record) or "", record, reason)
