"""Ledgers: which numbers are there, which are missing, and whether the digests fit.

A digest covers our own fields and the hashes of contents, so content that a pipeline withheld or
shortened breaks none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..records import digest
from ..records.trail import SLOT_NAMES, CallTrail, Span, ToolTrail
from ..telemetry import names
from . import values
from .argument_rows import row_of
from .attached import AttachedBundle
from .columns import rows_of
from .compositions import Compositions, counted, splices_of, whole_id
from .sorting import CallBundle, Sorted

State = Literal["complete", "open", "incomplete", "inconsistent"]


MOST = 100_000
"""Missing numbers that are believed; a number that would make it more is wrong itself."""


@dataclass(frozen=True, slots=True)
class LedgerCheck:
    """What the numbers and digests of one ledger say.

    state: `inconsistent`: a digest does not fit its records, or not the one before; `incomplete`:
    numbers are missing, or fields that a digest covers; `open`: no last record (still running, or
    the process died); else `complete`.
    """

    ledger: str
    state: State
    records: int
    """Numbers that are there."""
    missing: tuple[int, ...]
    inconsistent: tuple[int, ...]
    """Numbers of the records whose digest does not fit."""
    checked: int
    """Digests that fit."""
    unchecked: tuple[int, ...] = ()
    """Numbers of records that are there without all that their digest covers, or without it."""


@dataclass(slots=True)
class _Sealed:
    """A record that carries a digest."""

    seq: int
    digest: str
    previous: str
    lines: list[str] | None
    """None when not all of its lines are there."""


class Ledgers:
    """The ledgers of a trail."""

    def __init__(
        self,
        found: Sorted,
        calls: Mapping[str, CallTrail],
        tools: Iterable[tuple[Span, ToolTrail, str]],
        compositions: Compositions,
        attached: Iterable[AttachedBundle] = (),
    ) -> None:
        self._compositions = compositions
        self.numbers: dict[str, set[int]] = {}
        self.last: dict[str, int] = {}
        """Number of the last record, where it is there."""
        self._sealed: dict[str, list[_Sealed]] = {}
        self._unsealed: dict[str, set[int]] = {}
        """Numbers of records that should carry a digest and do not."""
        for turn in found.turns.values():
            for span in turn.all:
                self._add_turn(span, turn.id)
        for bundle in found.calls.values():
            self._add_call(bundle, calls[bundle.id])
        for span, tool, ledger in tools:
            self._add_tool(span, tool, ledger)
        for answer in attached:
            self._add_attached(answer)

    def missing(self, ledger: str) -> tuple[int, ...]:
        """Numbers that are not there, up to the highest that is, or the last one."""
        there = self.numbers.get(ledger, set())
        most = len(there) + MOST
        top = max((n for n in (*there, self.last.get(ledger, 0)) if n <= most), default=0)
        if len(there) >= top:
            return ()
        return tuple(n for n in range(1, top + 1) if n not in there)

    def check(self, ledger: str) -> LedgerCheck:
        """Compares every digest with the lines of its records."""
        sealed = sorted(self._sealed.get(ledger, ()), key=lambda s: s.seq)
        bad: dict[int, None] = {}
        unchecked = set(self._unsealed.get(ledger, ()))
        good = 0
        before: _Sealed | None = None
        for record in sealed:
            if record.lines is None:
                unchecked.add(record.seq)
            elif digest.chain(record.previous, record.lines) != record.digest:
                bad[record.seq] = None
            else:
                good += 1
            if not self._follows(ledger, before, record):
                bad[record.seq] = None
            before = record
        missing = self.missing(ledger)
        unchecked -= set(bad)
        state: State = "complete"
        if bad:
            state = "inconsistent"
        elif missing or unchecked:
            state = "incomplete"
        elif ledger not in self.last:
            state = "open"
        return LedgerCheck(
            ledger,
            state,
            len(self.numbers.get(ledger, ())),
            missing,
            tuple(bad),
            good,
            tuple(sorted(unchecked)),
        )

    def _follows(self, ledger: str, before: _Sealed | None, record: _Sealed) -> bool:
        """False when a record names another digest as the one before than that record carries.
        Nothing is said where a record between them is not here, or has lost its digest."""
        first = before.seq + 1 if before is not None else 1
        there = self.numbers.get(ledger, set())
        lost = self._unsealed.get(ledger, set())
        if record.seq - first > len(there):
            return True
        between = range(first, record.seq)
        if any(n not in there or n in lost for n in between):
            return True
        expected = before.digest[: digest.PREVIOUS] if before is not None else ""
        return record.previous == expected

    # --- taking in -----------------------------------------------------------------------

    def _note(self, ledger: str, seq: int | None) -> None:
        if ledger and seq is not None and seq > 0:
            self.numbers.setdefault(ledger, set()).add(seq)

    def _seal(self, ledger: str, a: values.Attributes, lines: list[str] | None) -> None:
        seq = values.integer(a, names.SEQ)
        made, previous = digest.unseal(values.text(a, names.DIGEST))
        if seq is not None and not made:
            self._unsealed.setdefault(ledger, set()).add(seq)
        if seq is not None and made:
            self._sealed.setdefault(ledger, []).append(_Sealed(seq, made, previous, lines))

    def _add_turn(self, span: Span, turn: str) -> None:
        a = span.attributes
        ledger, seq = values.text(a, names.LEDGER), values.integer(a, names.SEQ)
        self._note(ledger, seq)
        if seq is None:
            return
        outcome = values.text(a, names.TURN_OUTCOME)
        if names.FORMAT_VERSION in a:
            mode, conversation = (
                values.text(a, n) for n in (names.CONTENT_MODE, names.CONVERSATION)
            )
            self._seal(ledger, a, [digest.start_line(seq, turn, ledger, mode, conversation)])
        elif outcome:
            self.last[ledger] = seq
            calls = values.integer(a, names.TURN_CALLS) or 0
            self._seal(ledger, a, [digest.end_line(seq, outcome, calls)])

    def _add_call(self, bundle: CallBundle, call: CallTrail) -> None:
        composed: list[tuple[int, str]] = []
        for slot, parts in bundle.composed.items():
            for number, part in parts.items():
                seq = values.integer(part, names.SEQ)
                self._note(bundle.ledger, seq)
                if seq is not None:
                    part_of = (number, bundle.of[slot])
                    line = compose_line(bundle.ledger, seq, slot, part, _keyframe(parts), part_of)
                    composed.append((seq, line))
        self._note(bundle.ledger, call.seq)
        if call.seq is None:
            return
        own = self._call_line(call, bundle)
        lines = None if own is None else [*(line for _, line in sorted(composed)), own]
        self._seal(bundle.ledger, call.attributes, lines)

    def _call_line(self, call: CallTrail, bundle: CallBundle) -> str | None:
        """The call's canonical line; None when a part or a digest that it covers is not here."""
        digests: list[str] = []
        for slot in SLOT_NAMES:
            state = call.slots[slot]
            digests.append(state.digest or self._compositions.named(state.composer, slot))
            if state.digest:
                own = self._compositions.get(call.id, slot)
                if own is None or own.table.missing:
                    return None
        if any(len(d) != digest.LENGTH for d in digests):
            return None
        if not call.params:
            return None
        if len(bundle.output) < bundle.output_of or None in call.output:
            return None
        return digest.call_line(
            call.seq or 0,
            call.id,
            _layout_said(call),
            digests,
            [call.slots[slot].used or 0 for slot in SLOT_NAMES],
            [row.hash for row in call.output if row is not None],
            call.output_state,
        )

    def _add_tool(self, span: Span, tool: ToolTrail, ledger: str) -> None:
        self._note(ledger, tool.seq)
        if tool.seq is None or not ledger:
            return
        status = values.text(span.attributes, names.TOOL_STATUS)
        status = "error" if tool.error else status or "ok"
        line = digest.tool_line(
            tool.seq, tool.name, tool.call_id, tool.arguments, tool.result, status
        )
        rows = [
            digest.argument_line(
                event.name == names.EVENT_ARGUMENT_ASKED, row_of(event.attributes).fields()
            )
            for event in span.events
            if event.name in (names.EVENT_ARGUMENT, names.EVENT_ARGUMENT_ASKED)
        ]
        whole = len(rows) == (values.integer(span.attributes, names.ARGUMENT_ROWS) or 0)
        self._seal(ledger, span.attributes, [line, *sorted(rows)] if whole else None)

    def _add_attached(self, answer: AttachedBundle) -> None:
        ledger, seq = answer.call.rpartition(".")[0], answer.seq
        self._note(ledger, seq)
        if seq is not None and ledger:
            line = answer.line()
            self._seal(ledger, answer.answers[0], None if line is None else [line])


def _layout_said(call: CallTrail) -> str:
    """The hash of a call's layout; what the call says itself where that is not how it begins."""
    said = values.listed(call.attributes, names.SLOT_DIGESTS)[len(SLOT_NAMES) :]
    own = said[0] if said and call.params_of == call.id else ""
    return call.params if call.params.startswith(own) else own


def _keyframe(parts: Mapping[int, values.Attributes]) -> bool:
    return values.flag(parts.get(1, {}), names.KEYFRAME) is True


def compose_line(
    ledger: str,
    seq: int,
    slot: str,
    part: values.Attributes,
    keyframe: bool,
    part_of: tuple[int, int],
) -> str:
    """The canonical line of a compose part as it arrived."""
    part = counted(part)
    base = (
        whole_id(values.text(part, names.BASE_CALL), ledger),
        values.text(part, names.BASE_DIGEST),
        values.integer(part, names.COUNT_BEFORE) or 0,
    )
    made = splices_of(part) or [] if names.BASE_CALL in part else []
    splices = [list(column) for column in zip(*made, strict=True)] or [[], [], []]
    rows = rows_of(part) or []
    columns: list[list[Any]] = [
        [row.hash for row in rows],
        [row.exact for row in rows],
        [row.size for row in rows],
        [row.source for row in rows],
    ]
    for column in (
        [row.role for row in rows],
        [row.id for row in rows],
        [row.reason for row in rows],
        [row.frame for row in rows],
    ):
        columns.append(column if any(column) else [])
    after = values.integer(part, names.COUNT_AFTER) or 0
    return digest.compose_line(seq, slot, keyframe, base, after, splices, columns, part_of)
