"""The canonical lines that digests cover: made here for the writing and the reading side.

A line is compact JSON of our own listed fields and the hash of each content, never the content
and nothing that others add, so a pipeline that drops or shortens content breaks no digest.
A reader passes values as it found them: 1.0 for 1 makes no difference.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from ..text.jsontext import dumps

LENGTH: Final = 43
"""Characters of a digest: a whole SHA-256 in URL-safe base64 without padding."""
PREVIOUS: Final = 11
"""Characters of a digest by which another record names it: 66 bits."""

Row = tuple[str, str, str, str, str, str]
"""hash, exact, source, id, reason, frame of one piece of a slot."""


def text_identity(text: str) -> str:
    """What the identity of a piece that is one text is hashed of, behind its role and a newline.

    That is the text. What others are hashed of begins with one U+0000, and goes on with another
    character: so a text that begins with U+0000 has one more of them in front.
    """
    return f"\0{text}" if text[:1] == "\0" else text


def row_line(hash_: str, exact: str, source: str, id_: str, reason: str, frame: str) -> bytes:
    """What a slot's digest takes of one piece."""
    line = f"{hash_}:{exact}:{source}:{id_}:{reason}:{frame}\n"
    return line.encode("utf-8", "surrogatepass")


def shown(sha: bytes) -> str:
    """A digest as it stands on a record: 43 characters, a third shorter than hex."""
    return urlsafe_b64encode(sha)[:LENGTH].decode("ascii")


def slot_digest(rows: Iterable[Row]) -> str:
    """Digest of a slot: SHA-256 over the lines of its rows in order."""
    digest = sha256()
    for row in rows:
        digest.update(row_line(*row))
    return shown(digest.digest())


EMPTY_SLOT: Final = slot_digest(())
"""Digest of a slot that holds nothing."""


def start_line(seq: int, turn_id: str, ledger: str, content: str, conversation: str) -> str:
    """Of `turn started`."""
    return dumps(["start", seq, turn_id, ledger, content, conversation])


def compose_line(
    seq: int,
    slot: str,
    keyframe: bool,
    base: tuple[str, str, int],
    after: int,
    splices: Sequence[Sequence[int]],
    columns: Sequence[Sequence[Any]],
    part: tuple[int, int],
) -> str:
    """Of one compose part.

    base: whole call id, first `PREVIOUS` characters of its digest, count before (empty, empty, 0
    without a base). after: pieces now (0 but in part 1). splices: at, removed, inserted (three
    empty lists but in part 1 of a delta). columns: hash, exact, size, source, role, id, reason,
    frame of the rows of this part; an absent column is empty. part: its number, and of how many.
    """
    return dumps(["compose", seq, slot, keyframe, *base, after, *splices, *columns, *part])


def call_line(
    seq: int,
    call_id: str,
    params: str,
    slots: Sequence[str],
    used: Sequence[int],
    output: Sequence[str],
    state: str,
) -> str:
    """Of a call: its parameters' hash, slot digests, filling, output hashes and output state."""
    return dumps(["call", seq, call_id, params, list(slots), list(used), list(output), state])


def tool_line(seq: int, name: str, call_id: str, arguments: str, result: str, status: str) -> str:
    """Of a tool call: hashes of arguments and result."""
    return dumps(["tool", seq, name, call_id, arguments, result, status])


def attached_line(
    seq: int, call_id: str, answer: Mapping[str, Any], scripts: Sequence[Mapping[str, Any]]
) -> str:
    """Of what went under an answer: its fields and those of each program, without texts.

    Fields by their full names; an array and a number stand as a reader finds them.
    """
    fields = [dict(sorted(found.items())) for found in (answer, *scripts)]
    return dumps(["attached", seq, call_id, *fields])


def argument_line(asked: bool, fields: Mapping[str, Any]) -> str:
    """Of one argument of a tool call: `ArgumentRow.fields` without contents, as it was written."""
    return dumps(["argument", asked, sorted(fields.items())])


def end_line(seq: int, outcome: str, calls: int) -> str:
    """Of a turn's end, the last record of a ledger."""
    return dumps(["end", seq, outcome, calls])


def chain(previous: str, lines: Iterable[str]) -> str:
    """The digest over the lines of a call or of a record outside calls.

    `previous` is the first `PREVIOUS` characters of the digest before; empty for the first.
    """
    data = "\n".join([previous, *lines])
    return shown(sha256(data.encode("utf-8", "surrogatepass")).digest())


def seal(made: str, previous: str) -> str:
    """What a record says of its place in the chain: its digest, and how the one before begins."""
    return f"{made},{previous}" if previous else made


def unseal(said: str) -> tuple[str, str]:
    """The digest of a record, and how the one before begins; empty what it does not say."""
    made, _, previous = said.partition(",")
    return made, previous
