"""The words of a rebuilt request: how far it is proven, and what is not there of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from ..config.content import CONTENT_VARIABLE
from ..records.rebuilt import Proof, Rebuilt
from ..records.trail import CallTrail
from ..telemetry import names
from ..trail import Trail
from ..trail import values as attributes
from .plain import clean, number, plural
from .told import told

TEXTS_ON: Final = f"{CONTENT_VARIABLE}=full records texts"
"""What to do about texts that were never recorded."""
_MOST: Final = 50
_OFF: Final = "(content mode none)"


def proof_lines(trail: Trail, call: CallTrail, rebuilt: Rebuilt) -> Iterator[str]:
    """How far the request is proven, or why it cannot be rebuilt. No control characters."""
    number = f"{call.number}, " if call.number is not None else ""
    yield clean(f"call {number}{call.id}: {_proof(rebuilt.proof)}")
    yield from (clean(f"  {line}") for line in gap_lines(trail, rebuilt))
    if call.completeness:
        before = attributes.text(call.attributes, names.REQUEST_PREVIOUS)
        what = f" (it goes on from {before})" if before else ""
        yield clean(
            f"  the provider added context of its own{what}: that is in no request, so the model "
            "saw more than this"
        )
    turn = trail.turn_of(call)
    if turn is not None and turn.content == "redacted" and rebuilt.text is not None:
        yield "  content mode redacted: what left held the values that stand as [redacted:...]"


def gap_lines(trail: Trail, rebuilt: Rebuilt) -> Iterator[str]:
    """What is not there of a request: texts that were never recorded in one line."""
    gaps = [told(trail, gap.what) for gap in rebuilt.gaps]
    named = [what for what in gaps if not what.endswith(_OFF)]
    if len(named) < len(gaps):
        yield f"its texts were not recorded {_OFF}: {TEXTS_ON}"
    yield from named[:_MOST]
    if len(named) > _MOST:
        yield f"and {len(named) - _MOST} more"


def _proof(proof: Proof) -> str:
    counted = f"{number(proof.proven)} of {plural(proof.pieces, 'piece')} give their hash"
    size = proof.request_bytes
    if proof.level == "body":
        return (
            f"byte for byte: {counted}, slots and layout fit, and so does the length of the HTTP "
            f"body that left ({number(size)} bytes)"
        )
    if proof.level == "json":
        return f"equal as JSON: {counted}, slots and layout fit; no HTTP body was seen"
    if proof.level == "recorded":
        other = "" if size is None else f"; the HTTP body that left had {number(size)} bytes"
        return f"equal to what was recorded: {counted}, slots and layout fit{other}"
    if proof.level == "unproven":
        return (
            f"not proven: {counted}; the rest is as it stands on the trail (hashes are keyed: "
            "--key gives the key)"
        )
    return f"cannot be rebuilt: {counted}"


def pretty(text: str) -> str:
    """The request indented, for a person: equal as JSON, nothing in it that a terminal acts on."""
    try:
        shown = json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return "\n".join(clean(line) for line in text.splitlines())
    return "\n".join(escaped(line) for line in shown.split("\n"))


def escaped(text: str) -> str:
    """JSON with everything that a terminal might act on escaped as JSON escapes it."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)
