"""Messages in a person's place that an application made of what a model wrote.

A chain gives the answer of one call to the next one as a user message, and a sub-agent gets as its
question what another agent's model wrote as an argument. Such a message is no person's words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...text.values import leaves
from ...wire.values import json_or_text
from .view import Moment, Piece, View

WHOLE: Final = 12
"""Characters from which on a text within a message is taken to be handed on; a person may say less
by chance."""


def handed_on(view: View, piece: Piece, moment: Moment) -> Moment | None:
    """The moment whose output a user message holds, word for word; None: a person may have said it.

    moment: a call that had the message in front of it. The outputs of earlier calls of its trace
    are searched, the latest first.
    """
    if piece.source != "user" or piece.written is not None:
        return None
    if piece not in view.handed:
        view.handed[piece] = _giver(view, piece, moment)
    giver = view.handed[piece]
    return None if giver is None else view.moments[giver]


def _giver(view: View, piece: Piece, moment: Moment) -> int | None:
    first = piece.begun if piece.begun is not None else moment.index
    held = "\n".join(part.text for part in piece.parts or () if part.kind == "text")
    for other in reversed(view.moments):
        before = other.index < first or (other.turn != moment.turn and other.start < moment.start)
        if not before or other.ground.trace_id != moment.ground.trace_id:
            continue
        if any(len(text) >= WHOLE and text in held for text in _written(other)):
            return other.index
    return None


def _written(moment: Moment) -> Iterator[str]:
    """The texts that a call wrote: its answer, and the texts among the arguments of tool calls."""
    for sight in moment.output:
        for part in sight.piece.parts or ():
            if part.kind == "text":
                yield part.text.strip()
            elif part.kind == "tool_call":
                for leaf in leaves(json_or_text(part.text)):
                    if isinstance(leaf.value, str):
                        yield leaf.value.strip()
