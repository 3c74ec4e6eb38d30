"""The events of programs under an answer: on the turn's span, and on more spans when many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..records import digest
from ..records.scripts import Attached
from ..scripts import Attachment, attachment_fields, script_fields
from ..scripts.selection import Selection
from ..telemetry import names
from ..telemetry.sanitize import clean_attributes
from ..text.chunks import size_of
from .injected import Event

if TYPE_CHECKING:
    from .turn import Turn

_EVENTS: Final = 64
"""Events of ours on the turn's span: half of what an SDK keeps."""


class Holder:
    """Where a turn's events of programs go."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._events = 0
        self._bytes = 0

    def takes(self, selection: Selection) -> bool:
        """Whether the record holds the texts of these programs; takes the room for them."""
        turn = self._turn
        if not turn.content.writes or not turn.active or not turn.ledger.recording:
            return False
        size = size_of([script.text or "" for script in selection.shown])
        with turn.ledger.lock:
            return turn.ledger.memory.texts.take(size)

    def write(self, call_id: str, attachment: Attachment) -> None:
        """Writes what went under one answer."""
        turn = self._turn
        if not turn.active or not turn.ledger.recording:
            return
        bound = turn.core.bounds().span
        more: list[Event] = []
        size = 0
        for event in self._made(call_id, attachment.record, bound):
            text = size_of(event[1].get(names.SCRIPT_TEXT, ()))
            if self._events < _EVENTS and self._bytes + text <= bound:
                self._events += 1
                self._bytes += text
                turn.event(*event)
                continue
            if more and size + text > bound:
                self._further(call_id, more)
                more, size = [], 0
            more.append(event)
            size += text
        if more:
            self._further(call_id, more)

    def _further(self, call_id: str, events: list[Event]) -> None:
        turn = self._turn
        said = {names.TURN_ID: turn.said_id, **turn.who}
        if call_id:
            said[names.CALL_ID] = call_id
        turn.core.spans.instant(names.SPAN_EVENTS, turn.context, said, events, turn.core.clock())

    def _made(self, call_id: str, attached: Attached, bound: int) -> list[Event]:
        chunk = self._turn.core.bounds().chunk
        answer = {names.ATTACHMENT_FIELDS[k]: v for k, v in attachment_fields(attached).items()}
        scripts = [
            {names.SCRIPT_FIELDS[k]: v for k, v in script_fields(attached, i, chunk).items()}
            for i in range(len(attached.shown))
        ]
        head = {names.CALL_ID: call_id} if call_id else {}
        out: list[Event] = []
        for script in scripts:
            out += [(names.EVENT_SCRIPT, {**head, **part}) for part in _parts(script, bound)]
        answer.update(self._sealed(call_id, answer, scripts))
        out.append((names.EVENT_ATTACHED, {**head, **answer}))
        return [(name, clean_attributes(values)) for name, values in out]

    def _sealed(
        self, call_id: str, answer: dict[str, Any], scripts: list[dict[str, Any]]
    ) -> dict[str, Any]:
        ledger = self._turn.ledger
        with ledger.lock:
            seq = ledger.next_record()
            bare = [{k: v for k, v in s.items() if k != names.SCRIPT_TEXT} for s in scripts]
            sealed = ledger.seal([digest.attached_line(seq, call_id, answer, bare)])
        return {names.SEQ: seq, names.DIGEST: sealed}


def _parts(script: dict[str, Any], bound: int) -> list[dict[str, Any]]:
    """The event of a program; with a long text, one event a part of it."""
    text = script.get(names.SCRIPT_TEXT, ())
    if size_of(text) <= bound:
        return [script]
    parts: list[list[str]] = [[]]
    size = 0
    for piece in text:
        more = size_of((piece,))
        if parts[-1] and size + more > bound:
            parts.append([])
            size = 0
        parts[-1].append(piece)
        size += more
    index = {names.SCRIPT_INDEX: script[names.SCRIPT_INDEX]}
    out = [{**index, names.SCRIPT_TEXT: part} for part in parts]
    out[0] = {**script, names.SCRIPT_TEXT: parts[0]}
    for number, event in enumerate(out, 1):
        event[names.PART], event[names.PARTS] = number, len(out)
    return out
