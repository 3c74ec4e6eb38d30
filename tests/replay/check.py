"""Reads the trail of a file back, and holds it against what was sent."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from otel_footprint.trail import CallTrail, MediaNote, Trail, load

from .drive import Driven, Sent
from .walk import Piece, walk

LEAST = 40
"""Characters of the shortest piece that is looked for in values."""


def check(trail_file: Path, driven: Driven) -> Iterator[str]:
    """What is wrong, one sentence each."""
    trail = load(trail_file)
    for problem in trail.problems:
        yield f"the trail: {problem}"
    for gap in trail.gaps:
        yield f"the trail lacks: {gap}"
    if not driven.sent:
        return
    if len(trail.turns) != 1:
        yield f"{len(trail.turns)} turns instead of one"
        return
    calls = trail.turns[0].calls
    if len(calls) != len(driven.sent):
        yield f"{len(calls)} calls on the trail, {len(driven.sent)} were made"
        return
    for call, sent in zip(calls, driven.sent, strict=True):
        for what in _call(trail, call, sent):
            yield f"exchange {sent.exchange.number}: {what}"
    for ledger in trail.turns[0].ledgers:
        found = trail.check(ledger)
        if found.state != "complete" or found.checked < len(calls) + 2:
            yield f"the ledger is {found.state}, {found.checked} digests fit ({found.inconsistent})"
    yield from _copies(trail, driven)


def _call(trail: Trail, call: CallTrail, sent: Sent) -> Iterator[str]:
    rebuilt = trail.rebuild(call, _media_of(sent.body))
    if rebuilt.text is None:
        yield f"not rebuilt: {'; '.join(map(str, rebuilt.gaps))}"
    elif rebuilt.text.encode("utf-8", "surrogatepass") != sent.body:
        yield f"rebuilt otherwise: {_first_difference(rebuilt.text, sent.body.decode())}"
    seen = sent.sdk and sent.exchange.status < 400
    wanted = ("body",) if seen else ("body", "json")
    if rebuilt.text is not None and rebuilt.proof.level not in wanted:
        yield f"rebuilt, but its proof is {rebuilt.proof}"
    walked = walk(sent.api, json.loads(sent.body))
    for slot, pieces in zip(("system", "messages", "tools"), walked, strict=True):
        rows = trail.rows(call, slot).rows
        found = [None if r is None else Piece(r.source, r.role) for r in rows]
        if found != pieces:
            yield f"{slot}: {_words(found)} on the trail, {_words(pieces)} in the request"
        stated = next(s.pieces for n, s in call.slots.items() if n == slot)
        if stated != len(pieces):
            yield f"{slot}: {stated} pieces are stated, {len(pieces)} are in the request"


def _words(pieces: list[Any]) -> str:
    return f"{len(pieces)} (" + ", ".join("?" if p is None else "/".join(p) for p in pieces) + ")"


def _first_difference(a: str, b: str) -> str:
    at = next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )
    return f"at {at}: {a[at - 20 : at + 40]!r} instead of {b[at - 20 : at + 40]!r}"


def _media_of(body: bytes) -> Any:
    """Media bytes by hash, as a content store would give them: those of the request itself."""
    found: dict[str, bytes] = {}

    def look(value: Any) -> None:
        if isinstance(value, dict):
            for item in value.values():
                look(item)
        elif isinstance(value, list):
            for item in value:
                look(item)
        elif isinstance(value, str) and len(value) >= 32:
            try:
                data = base64.b64decode(value.rpartition("base64,")[2], validate=True)
            except ValueError:
                return
            found[hashlib.sha256(data).hexdigest()] = data

    look(json.loads(body))

    def media(note: MediaNote) -> bytes | None:
        return found.get(note.sha256)

    return media


# --- no copies -----------------------------------------------------------------------------


def _copies(trail: Trail, driven: Driven) -> Iterator[str]:
    """No value of the trail may hold two pieces of a request, or a request whole."""
    pieces = list(dict.fromkeys(text for sent in driven.sent for text in _pieces(sent)))
    bodies = [sent.body.decode() for sent in driven.sent]
    for where, value in _values(trail):
        if len(value) < 2 * LEAST:
            continue
        if any(body in value for body in bodies if len(body) > 2 * LEAST and "[" in body):
            yield f"{where} holds a whole request"
        held = [p for p in pieces if p in value]
        outer = [p for p in held if not any(p != q and p in q for q in held)]
        if len(outer) > 1:
            yield f"{where} holds {len(outer)} pieces: {outer[0][:60]!r} and {outer[1][:60]!r}"


def _pieces(sent: Sent) -> Iterator[str]:
    """The elements of a request's slots, as compact JSON."""
    body = json.loads(sent.body)
    for key in ("messages", "input", "contents", "tools", "system"):
        for element in body[key] if isinstance(body.get(key), list) else ():
            text = json.dumps(element, ensure_ascii=False, separators=(",", ":"))
            if len(text) >= LEAST:
                yield text


def _values(trail: Trail) -> Iterator[tuple[str, str]]:
    for span in trail.spans:
        yield from _strings(span.name, span.attributes)
        for event in span.events:
            yield from _strings(f"{span.name} / {event.name}", event.attributes)


def _strings(where: str, attributes: Any) -> Iterator[tuple[str, str]]:
    for key, value in attributes.items():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str):
                yield f"{where}: {key}", item
