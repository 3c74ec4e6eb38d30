"""Compositions of slots: keyframes, deltas, and what of them can be put together.

A delta needs its base. Which deltas can be resolved is settled once, from the keyframes outwards,
so that chains end and a keyframe, or any composition of the same digest, heals a broken one.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from hashlib import sha256
from typing import Any, Final, NamedTuple

from ..records.digest import EMPTY_SLOT, PREVIOUS, row_line, shown
from ..records.trail import Gap, GapKind, PieceRow, Rows
from ..telemetry import names
from . import values
from .columns import Table, table

CACHED: Final = 64
"""Compositions that are kept put together."""
MAX_ROWS: Final = 250_000
"""Rows of the largest composition; a record that says more is wrong."""

Splice = tuple[int, int, int]
"""Position in the base, rows removed, rows inserted."""


class Composition:
    """A slot of a call as its `compose` spans wrote it."""

    __slots__ = (
        "after", "base", "base_call", "base_digest", "base_trace", "before", "call", "digest",
        "gaps", "hidden", "inserted", "keyframe", "resolved", "slot", "splices", "table",
    )  # fmt: skip

    def __init__(self, call: str, slot: str, parts: dict[int, values.Attributes], of: int) -> None:
        ledger = call.rpartition(".")[0]
        self.call = call
        self.slot = slot
        self.table: Table = table(parts, of)
        first = counted(parts.get(1, {}))
        self.keyframe = values.flag(first, names.KEYFRAME) is True
        self.base_call = whole_id(values.text(first, names.BASE_CALL), ledger)
        self.base_digest = values.text(first, names.BASE_DIGEST)
        self.base_trace = values.text(first, names.BASE_TRACE)
        self.before = _count(first, names.COUNT_BEFORE)
        self.after = _count(first, names.COUNT_AFTER)
        self.hidden = values.integer(first, names.HIDDEN_CHANGES) or 0
        self.splices = splices_of(first)
        self.digest = ""
        """As the call's span, or (its first digits) a delta to it, names it; empty: not named."""
        self.base: Composition | None = None
        self.resolved = False
        """True when every row can be had."""
        self.gaps: list[Gap] = []
        self.inserted = self._inserted()

    def _inserted(self) -> list[PieceRow | None] | None:
        """Its own rows, None for one that is missing; no list when their number is not known."""
        runs = [run.rows for run in self.table.runs]
        if not self.table.missing and not self.table.damaged:
            rows: list[PieceRow | None] = [row for run in runs for row in run]
            expected = self._expected()
            if expected is not None and expected != len(rows):
                self._lack("columns", f"{len(rows)} rows where {expected} are said to be")
                return _padded(rows, expected)
            return rows
        self._name_parts()
        expected = self._expected()
        if expected is None:
            return None
        gone = {*self.table.missing, *self.table.damaged}
        head = [] if 1 in gone else runs[0]
        tail = [] if self.table.of in gone or not runs or runs[-1] is head else runs[-1]
        hole = expected - len(head) - len(tail)
        if hole < 0:
            return [None] * expected
        return [*head, *([None] * hole), *tail]

    def _expected(self) -> int | None:
        if not self.table.first:
            return None
        if self.keyframe:
            return self.after
        return None if self.splices is None else sum(s[2] for s in self.splices)

    def _name_parts(self) -> None:
        if self.table.missing:
            said = ", ".join(map(str, self.table.missing[:8]))
            more = ", ..." if len(self.table.missing) > 8 else ""
            self._lack("parts", f"parts {said}{more} of {self.table.of} are missing")
        if self.table.damaged:
            said = ", ".join(map(str, self.table.damaged[:8]))
            self._lack("columns", f"the columns of part {said} do not fit each other")

    def _lack(self, kind: GapKind, what: str) -> None:
        self.gaps.append(
            Gap(kind, f"{self.slot} of call {self.call}: {what}", self.call, self.slot)
        )

    @property
    def own(self) -> bool:
        """True when its own rows are all there."""
        return self.inserted is not None and None not in self.inserted


def splices_of(first: values.Attributes) -> list[Splice] | None:
    """The splices; without columns all rows come at the end; None when they do not fit."""
    if names.SPLICE_AT not in first:
        before = _count(first, names.COUNT_BEFORE)
        after = _count(first, names.COUNT_AFTER)
        fits = before is not None and after is not None and after >= before
        return [(before, 0, after - before)] if fits else None  # type: ignore[operator, list-item]
    at = values.integers(first, names.SPLICE_AT) or []
    removed = values.integers(first, names.SPLICE_REMOVED) or []
    inserted = values.integers(first, names.SPLICE_INSERTED) or []
    if not len(at) == len(removed) == len(inserted):
        return None
    if any(not 0 <= n <= MAX_ROWS for n in (*at, *removed, *inserted)):
        return None
    return list(zip(at, removed, inserted, strict=True))


def counted(first: values.Attributes) -> values.Attributes:
    """Part 1 with its count before, which an append in one part leaves to be reckoned."""
    if names.BASE_CALL not in first or names.COUNT_BEFORE in first:
        return first
    after = _count(first, names.COUNT_AFTER)
    rows = len(values.texts(first, names.PIECE_HASH) or ())
    if after is None or after < rows:
        return first
    return {**first, names.COUNT_BEFORE: after - rows}


def _count(first: values.Attributes, name: str) -> int | None:
    found = values.integer(first, name)
    return found if found is not None and 0 <= found <= MAX_ROWS else None


def _padded(rows: list[PieceRow | None], expected: int) -> list[PieceRow | None]:
    return [None] * expected if len(rows) > expected else rows + [None] * (expected - len(rows))


def whole_id(name: str, ledger: str) -> str:
    """A call's id, where the records of its ledger name it by its number only."""
    return f"{ledger}.{name}" if name.isascii() and name.isdigit() else name


def number_of(call: str) -> int:
    """Number of a call in its ledger, from its id; 0 when the id does not say."""
    tail = call.rpartition(".")[2]
    return int(tail) if tail.isascii() and tail.isdigit() and len(tail) < 12 else 0


class Put(NamedTuple):
    """A composition put together."""

    rows: tuple[PieceRow | None, ...]
    known: bool
    state: Any
    """Running SHA-256 over the lines of its rows, while all are known."""
    gaps: tuple[Gap, ...]

    @property
    def digest(self) -> str:
        """Digest of the rows; empty while one is missing."""
        return shown(self.state.digest()) if self.state is not None else ""


class Compositions:
    """All compositions of a trail."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[str, str], Composition] = {}
        self._digests: dict[tuple[str, str], list[Composition]] = {}
        self._named: dict[tuple[str, str], str] = {}
        """Digests that calls and deltas name, by call and slot."""
        self._put: OrderedDict[int, Put] = OrderedDict()
        self._settled = False

    def add(self, composition: Composition) -> None:
        """Takes in a composition."""
        self._nodes[composition.call, composition.slot] = composition
        if composition.base_call and composition.base_digest:
            self.name(composition.base_call, composition.slot, composition.base_digest)

    def name(self, call: str, slot: str, digest: str) -> None:
        """Takes in the digest, or its first digits, that a record names for a slot of a call."""
        if len(digest) > len(self._named.get((call, slot), "")):
            self._named[call, slot] = digest

    def named(self, call: str, slot: str) -> str:
        """The digest, or its first digits, that some record names for a slot of a call."""
        return self._named.get((call, slot), "")

    def get(self, call: str, slot: str) -> Composition | None:
        """The composition that a call wrote for a slot; None: the slot did not change, or lost."""
        return self._nodes.get((call, slot))

    def find(self, call: str, slot: str, digest: str) -> Composition | None:
        """The composition that a call had in a slot: its own, or one of the same digest."""
        self.settle()
        own = self._nodes.get((call, slot))
        if own is not None and own.resolved:
            return own
        others = self._digests.get((slot, digest[:PREVIOUS]), []) if digest else []
        if digest and not others:
            others = self._search(slot, digest)
        return next((c for c in others if c.resolved), own or next(iter(others), None))

    def rows(self, call: str, slot: str, composer: str) -> Rows:
        """The rows of a slot of a call as `composer` composed it (empty: no record says which).

        Compared with the digest where one is named.
        """
        digest = self.named(composer, slot)
        found = self.find(composer, slot, digest) if composer else None
        if found is None and digest and EMPTY_SLOT.startswith(digest):
            return Rows((), True, True)
        if found is None:
            return Rows((), False, None, (_no_record(call, slot, composer),))
        put = self.put(found)
        if not put.known:
            return Rows(put.rows, False, None, put.gaps)
        if not digest:
            return Rows(put.rows, True, None, put.gaps)
        if put.digest.startswith(digest):
            return Rows(put.rows, True, True, put.gaps)
        what = f"{slot} of call {call}: its rows do not give the digest on the record"
        return Rows(put.rows, True, False, (*put.gaps, Gap("digest", what, call, slot)))

    # --- which can be resolved -----------------------------------------------------------

    def settle(self) -> None:
        """Finds the base of every delta, from the keyframes outwards."""
        if self._settled:
            return
        self._settled = True
        for key, digest in self._named.items():
            node = self._nodes.get(key)
            if node is not None:
                node.digest = digest
                self._digests.setdefault((key[1], digest[:PREVIOUS]), []).append(node)
        waiting = [n for n in self._nodes.values() if n.own and not n.keyframe]
        waiting.sort(key=lambda n: number_of(n.call))
        for node in self._nodes.values():
            node.resolved = node.keyframe and node.own
        progress = True
        while waiting and progress:
            left = [n for n in waiting if not self._resolve(n)]
            progress = len(left) < len(waiting)
            waiting = left
        for node in self._nodes.values():
            if not node.resolved and not node.keyframe and node.base is None:
                node.base = self._nodes.get((node.base_call, node.slot))

    def _resolve(self, node: Composition) -> bool:
        if node.splices is None:
            return False
        candidates = [
            *filter(None, [self._nodes.get((node.base_call, node.slot))]),
            *self._digests.get((node.slot, node.base_digest[:PREVIOUS]), ()),
        ]
        for candidate in candidates:
            if candidate.resolved:
                node.base, node.resolved = candidate, True
                return True
        if _is_empty(node.base_digest):
            node.resolved = True
        return node.resolved

    def _search(self, slot: str, digest: str) -> list[Composition]:
        """Compositions whose digest no record names, by the digest of their rows."""
        for node in self._nodes.values():
            if node.slot == slot and not node.digest and node.resolved:
                node.digest = self.put(node).digest
                self._digests.setdefault((slot, node.digest[:PREVIOUS]), []).append(node)
        return self._digests.get((slot, digest[:PREVIOUS]), [])

    # --- putting together ----------------------------------------------------------------

    def put(self, node: Composition) -> Put:
        """The composition's rows."""
        self.settle()
        chain: list[Composition] = []
        seen: set[int] = set()
        current: Composition | None = node
        put: Put | None = None
        while current is not None and put is None and id(current) not in seen:
            put = self._put.get(id(current))
            if put is not None:
                self._put.move_to_end(id(current))
                break
            seen.add(id(current))
            chain.append(current)
            current = None if current.keyframe else current.base
        for each in reversed(chain):
            put = _apply(each, put)
        if put is None:
            return Put((), False, None, ())
        self._put[id(node)] = put
        if len(self._put) > CACHED:
            self._put.popitem(last=False)
        return put


def _apply(node: Composition, base: Put | None) -> Put:
    """A composition on its base."""
    gaps = tuple(node.gaps)
    if node.keyframe or (base is None and _is_empty(node.base_digest)):
        rows = tuple(node.inserted or ())
        known = node.own
        return Put(rows, known, _state(None, rows) if known else None, gaps)
    if base is None:
        gaps = (*gaps, _no_base(node)) if node.table.first else gaps
        base = Put((None,) * (node.before or 0), False, None, ())
    gaps = (*base.gaps, *gaps)
    if node.inserted is None or node.splices is None:
        if node.splices is None and node.table.first:
            what = f"{node.slot} of call {node.call}: no column says where its rows stand"
            gaps = (*gaps, Gap("columns", what, node.call, node.slot))
        return Put((None,) * (node.after or 0), False, None, gaps)
    spliced = _splice(base.rows, node.splices, node.inserted)
    if spliced is None:
        what = f"{node.slot} of call {node.call}: its splices do not fit its base"
        gap = Gap("columns", what, node.call, node.slot)
        return Put((None,) * (node.after or 0), False, None, (*gaps, gap))
    known = base.known and node.own
    state = None
    if known:
        appended = _is_append(node.splices, len(base.rows))
        state = _state(base.state, node.inserted) if appended else _state(None, spliced)
    return Put(spliced, known, state, gaps)


def _splice(
    base: tuple[PieceRow | None, ...], splices: list[Splice], inserted: list[PieceRow | None]
) -> tuple[PieceRow | None, ...] | None:
    out: list[PieceRow | None] = []
    old = new = 0
    for at, removed, count in splices:
        if at < old or removed < 0 or count < 0 or at + removed > len(base):
            return None
        out += base[old:at]
        out += inserted[new : new + count]
        old, new = at + removed, new + count
    if new != len(inserted):
        return None
    out += base[old:]
    return tuple(out)


def _is_append(splices: list[Splice], length: int) -> bool:
    return len(splices) == 1 and splices[0][:2] == (length, 0)


def _state(base: Any, rows: Iterable[PieceRow | None]) -> Any:
    state = sha256() if base is None else base.copy()
    for row in rows:
        if row is not None:
            state.update(row_line(row.hash, row.exact, row.source, row.id, row.reason, row.frame))
    return state


def _is_empty(digest: str) -> bool:
    return bool(digest) and EMPTY_SLOT.startswith(digest)


def _no_base(node: Composition) -> Gap:
    where = f" (trace {node.base_trace})" if node.base_trace else ""
    return Gap(
        "base",
        f"{node.slot} of call {node.call}: it is a change to call {node.base_call or '?'}{where}, "
        "whose composition is missing",
        node.call,
        node.slot,
    )


def _no_record(call: str, slot: str, composer: str) -> Gap:
    if not composer:
        what = "no record says what it held"
    elif composer == call:
        what = "its composition is missing"
    else:
        what = f"it is that of call {composer}, whose composition is missing"
    return Gap("span", f"{slot} of call {call}: {what}", call, slot)


__all__ = [
    "Composition", "Compositions", "Put", "Splice", "counted", "number_of", "splices_of",
    "whole_id",
]  # fmt: skip
