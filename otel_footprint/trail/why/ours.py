"""Moments of the model calls that we recorded."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from ...records.trail import SLOT_NAMES, CallTrail, Gap, PieceRow, Span, TurnTrail
from ...records.why import Ground
from ...telemetry import names
from .. import values
from ..argument_rows import row_of
from ..content import parts_of
from ..sorting import slot_of
from .view import KEPT, Moment, Piece, Sight, ToolRun, View

if TYPE_CHECKING:
    from ..reader import Trail


class OurMoments:
    """Puts the calls of turns into a view, each piece once."""

    def __init__(self, trail: Trail, view: View) -> None:
        self.trail = trail
        self.view = view
        self.pieces: dict[tuple[str, str], Piece] = {}
        self._composed = _grounds(trail)
        self._responses: dict[str, int] = {}
        self._calls: list[CallTrail] = []
        """By the index of their moments: ours come first."""
        self._kept: deque[Moment] = deque()

    def add(self, turn: TurnTrail, calls: tuple[CallTrail, ...]) -> None:
        """The calls of a turn, in their order."""
        for call in calls:
            moment = Moment(
                index=len(self.view.moments),
                id=call.id,
                number=call.number,
                turn=call.turn,
                ledger=call.ledger,
                ground=Ground(call.trace_id, call.span_id, "", call.foreign),
                make=self._front,
                ask=turn.text or "",
                start=call.start or 0,
            )
            self.view.moments.append(moment)
            self._calls.append(call)
            self._begin(call, moment)
            moment.output = tuple(self._output(call, moment))
            response = values.text(call.attributes, names.RESPONSE_ID)
            if response:
                self._responses[response] = moment.index

    def _begin(self, call: CallTrail, moment: Moment) -> None:
        """The pieces that the call's own records bring in."""
        for slot in SLOT_NAMES:
            own = self.trail.compositions.get(call.id, slot)
            for row in (own.inserted or ()) if own is not None else ():
                if row is not None:
                    piece = self._piece(call, row)
                    piece.begins.append(moment.index)
                    if piece.begun is None:
                        piece.begun = moment.index

    def begin_among(self, near: set[int]) -> None:
        """Counts pieces as begun, and as written, at the first of these moments that did so."""
        for piece in self.pieces.values():
            if piece.written is not None and piece.written not in near:
                piece.written = next((at for at in piece.writes if at in near), piece.written)
            if piece.begun is not None and piece.begun not in near:
                piece.begun = next((at for at in piece.begins if at in near), piece.begun)

    def _front(self, moment: Moment) -> tuple[Sight, ...]:
        self._kept.append(moment)
        if len(self._kept) > KEPT:
            self._kept.popleft().forget()
        moment.missing, gaps = 0, list[Gap]()
        out = self._held_by_server(moment)
        out += self._own(moment, moment, gaps)
        moment.gaps = (*gaps, *self._calls[moment.index].gaps)
        return tuple(out)

    def _own(self, of: Moment, moment: Moment, gaps: list[Gap]) -> list[Sight]:
        """What the request of a call held, as it stands in front of `moment`."""
        call, out = self._calls[of.index], list[Sight]()
        for slot in SLOT_NAMES:
            rows = self.trail.rows(call, slot)
            gaps += rows.gaps
            state = call.slots.get(slot)
            composer = state.composer if state is not None else ""
            ground = self._composed.get((composer or call.id, slot), of.ground)
            for position, row in enumerate(rows.rows):
                if row is None:
                    moment.missing += 1
                    continue
                piece = self._piece(call, row)
                out.append(Sight(piece, moment.index, slot, position, ground))
            if not rows.known and not rows.rows:
                moment.missing += 1
        return out

    def _held_by_server(self, moment: Moment) -> list[Sight]:
        """What a named earlier response brought along, as far as its calls are on the trail."""
        out: list[Sight] = []
        at, seen = moment, {moment.index}
        while previous := values.text(self._calls[at.index].attributes, names.REQUEST_PREVIOUS):
            index = self._responses.get(previous)
            if index is None or index in seen:
                what = f"the provider held the history before it (response {previous})"
                id_ = self._calls[at.index].id
                self.view.gaps.append(Gap("span", f"call {id_}: {what}", id_))
                moment.missing += 1
                break
            seen.add(index)
            at = self.view.moments[index]
            own = [s for s in self._own(at, moment, []) if s.slot == "messages"]
            out = (
                own
                + [Sight(s.piece, moment.index, "messages", -1, s.ground) for s in at.output]
                + out
            )
        return [
            Sight(s.piece, s.moment, s.slot, position, s.ground) for position, s in enumerate(out)
        ]

    def _output(self, call: CallTrail, moment: Moment) -> list[Sight]:
        out = []
        ground = moment.ground._replace(event=names.EVENT_OUTPUT)
        for position, row in enumerate(call.output):
            if row is None:
                continue
            piece = self._piece(call, row)
            piece.writes.append(moment.index)
            if piece.written is None:
                piece.written = moment.index
            out.append(Sight(piece, moment.index, "output", position, ground))
        return out

    def _piece(self, call: CallTrail, row: PieceRow) -> Piece:
        key = (row.hash, row.source if row.source != "assistant" else "")
        piece = self.pieces.get(key)
        if piece is None:
            piece = Piece(
                row.hash, row.source, row.role, row.id, row.reason,
                partial(parts_of, self.trail, call, row),
            )  # fmt: skip
            self.pieces[key] = piece
        return piece


def _grounds(trail: Trail) -> dict[tuple[str, str], Ground]:
    """The span and the event that composed each slot, by call and slot."""
    out: dict[tuple[str, str], Ground] = {}
    for span in trail.spans:
        call = values.text(span.attributes, names.CALL_ID)
        if not call:
            continue
        for event in span.events:
            if event.name == names.EVENT_COMPOSED:
                slot = values.text(event.attributes, names.SLOT) or slot_of(span)
                out.setdefault((call, slot), _ground(span, event.name))
    return out


def _ground(span: Span, event: str = "") -> Ground:
    return Ground(span.trace_id, span.span_id, event)


def read_events(trail: Trail, view: View) -> None:
    """Tool calls, and what let pieces in and took them out, by their events."""
    for turn in trail.turns:
        for tool in turn.tools:
            ground = Ground(tool.trace_id, tool.span_id)
            run = ToolRun(tool.name, tool.call_id, ground, tool.seq or 0)
            view.tools.setdefault((turn.id, tool.call_id), []).append(run)
    runs = {
        (r.ground.trace_id, r.ground.span_id): r for found in view.tools.values() for r in found
    }
    for span in trail.spans:
        call = values.text(span.attributes, names.CALL_ID)
        for event in span.events:
            a: Mapping[str, object] = event.attributes
            if event.name == names.EVENT_INJECTED:
                key = (
                    call,
                    values.text(a, names.INJECTION_SOURCE),
                    values.text(a, names.INJECTION_ID),
                )
                view.injected.setdefault(key, (_ground(span, event.name), dict(a)))
            elif event.name == names.EVENT_REMOVED:
                said = (values.text(a, names.REMOVED_BY), values.text(a, names.REMOVED_REASON))
                key_ = (call, values.text(a, names.REMOVED_KEY)[:32])
                view.removed[key_] = (_ground(span, event.name), ": ".join(filter(None, said)))
            elif event.name == names.EVENT_ARGUMENT:
                run_ = runs.get((span.trace_id, span.span_id))
                if run_ is not None:
                    run_.arguments = (*run_.arguments, row_of(a))


def link_children(trail: Trail, view: View) -> None:
    """Which tool call a sub-agent's turn ran beneath."""
    above = {(s.trace_id, s.span_id): s.parent_id for s in trail.spans}
    runs = {
        (r.ground.trace_id, r.ground.span_id): r for found in view.tools.values() for r in found
    }
    last: dict[str, int] = {}
    for moment in view.moments:
        last[moment.turn] = moment.index
    for turn in trail.turns:
        if turn.id not in last or not turn.trace_ids:
            continue
        trace, at = turn.trace_ids[0], turn.parent_id
        for _ in range(20):
            run = runs.get((trace, at))
            if run is not None or not at:
                break
            at = above.get((trace, at), "")
        if run is not None:
            run.child = last[turn.id]
