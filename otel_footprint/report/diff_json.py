"""Two calls compared, as JSON for machines."""

from __future__ import annotations

from typing import Any

from ..records.comparison import CallDiff, PieceDiff
from ..records.trail import CallTrail, PieceRow


def as_json(diff: CallDiff) -> dict[str, Any]:
    """The comparison as plain JSON values.

    `before`, `after`: the calls. `slots`: of each its `pieces` (kind, before, after, by, reason,
    call), `kept`, `unknown`, `hidden`. `parameters`: path, before, after as JSON texts; null when
    not on the trail. `notes`: what could not be compared. Places count from 0.
    """
    return {
        "same": diff.same,
        "before": _call(diff.before),
        "after": _call(diff.after),
        "slots": [
            {
                "slot": slot.slot,
                "kept": slot.kept,
                "unknown": slot.unknown,
                "hidden": slot.hidden,
                "pieces": [_piece(piece) for piece in slot.pieces],
            }
            for slot in diff.slots
        ],
        "parameters": None
        if diff.parameters is None
        else [key._asdict() for key in diff.parameters],
        "notes": list(diff.notes),
    }


def _call(call: CallTrail) -> dict[str, Any]:
    return {
        "id": call.id,
        "number": call.number,
        "turn": call.turn,
        "trace": call.trace_id,
        "span": call.span_id,
        "model": call.model,
        "used": {name: state.used for name, state in call.slots.items()},
    }


def _piece(piece: PieceDiff) -> dict[str, Any]:
    return {
        "kind": piece.kind,
        "before": _row(piece.before, piece.at_before, piece.text_before),
        "after": _row(piece.after, piece.at_after, piece.text_after),
        "by": piece.origin.by,
        "reason": piece.origin.reason,
        "call": piece.origin.call,
    }


def _row(row: PieceRow | None, at: int | None, text: str | None) -> dict[str, Any] | None:
    if row is None:
        return None
    return {
        "at": at,
        "hash": row.hash,
        "exact": row.exact,
        "size": row.size,
        "source": row.source,
        "role": row.role,
        "id": row.id,
        "text": text,
    }
