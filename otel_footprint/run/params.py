"""The request's layout: every key outside the slots, in order, once while unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..slots.copies import copies
from ..telemetry import names
from ..text.chunks import chunk, size_of
from ..text.skeleton import printable
from ..wire.layout import layout_text
from ..wire.types import Layout
from .secrets import without

if TYPE_CHECKING:
    from .call import Call


def params(call: Call, layout: Layout) -> tuple[str, str]:
    """Hash of a call's layout, written when it is new, and the call that recorded it.

    Under the ledger's lock.
    """
    memory, content = call.ledger.memory, call.content
    items = [("", call.dialect.name), *layout.rest.items()]
    known = memory.layout(items)
    if known is not None and memory.texts.said(known[0]):
        return known
    rest = without(layout.rest, call.secrets())
    if content.redacts:
        rest = content.redactor.value(rest, "parameters")
    text = layout_text(rest)
    hash_ = content.hash(f"{call.dialect.name}\n{text}")
    memory.add_layout(hash_, copies(items)[1], call.call_id)
    _write(call, hash_, [str(k) for k in rest], printable(text))
    return hash_, call.call_id


def _write(call: Call, hash_: str, keys: list[str], text: str) -> None:
    texts = call.ledger.memory.texts
    event: dict[str, Any] = {
        names.PARAMS: hash_,
        names.PARAMS_KEYS: keys,
        names.DIALECT: call.dialect.name,
    }
    chunks = chunk(text, call.bounds.chunk)
    if not call.content.writes:
        chunks = []
    elif not texts.take(size_of(chunks)):
        stored = texts.put_away(hash_, [text])
        chunks, event[names.TEXT_STORED if stored else names.TEXT_LEFT_OUT] = [], 1
        if not stored:
            texts.leave_out(hash_)
    if names.TEXT_LEFT_OUT not in event:
        texts.write(hash_, call.trace_id)
    per_span = max(1, call.bounds.span // call.bounds.chunk)
    groups = [chunks[i : i + per_span] for i in range(0, len(chunks), per_span)] or [[]]
    for number, group in enumerate(groups, 1):
        if group:
            event[names.TEXT] = group
        if len(groups) > 1:
            event[names.PART], event[names.PARTS] = number, len(groups)
        call.core.spans.instant(
            names.SPAN_PARAMETERS,
            call.parent,
            {names.CALL_ID: call.call_id},
            [(names.EVENT_PARAMS, event)],
            call.core.clock(),
            before=lambda span_id: texts.handed_over(span_id, [hash_]),
        )
        event = {names.PARAMS: hash_}


__all__ = ["params"]
