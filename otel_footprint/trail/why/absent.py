"""Whether a text was to be had and was not in front of the model, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ...errors import TrailError
from ...records.digest import text_identity
from ...records.roles import meant
from ...records.trail import Span
from ...records.why import Absent, AbsentKind, Ground, Missing
from ...telemetry import names
from ...text.searchable import Needle, Searchable
from .. import values
from .findings import Case
from .search import Carried, carriers, near
from .unanswered import no_moment
from .view import Moment, Piece, Sight
from .walk import call_name, excerpt

if TYPE_CHECKING:
    from ..reader import Trail

MOST: Final = 20
"""Ways that are named; the first of each kind go first."""
_NEAR: Final = 5
_EVENTS: Final[dict[str, tuple[AbsentKind, str]]] = {
    names.EVENT_SKIPPED: ("skipped", "was not let in"),
    names.EVENT_DEFERRED: ("deferred", "had to wait"),
    names.EVENT_STUCK: ("deferred", "could not be delivered"),
    names.EVENT_WITHHELD: ("withheld", "was not offered"),
    names.EVENT_REMOVED: ("removed", "was taken out"),
    names.EVENT_ABANDONED: ("dormant", "was given up"),
}
_WHY: Final = (
    names.SKIPPED_REASON, names.SKIPPED_ERROR, names.SKIPPED_DOOR, names.OFFER_REASON,
    names.DELIVERY_REASON, names.DELIVERY_NOTE, names.REMOVED_REASON, names.REMOVED_BY,
    names.ABANDONED_BY,
)  # fmt: skip
_SAID: Final = (*_WHY, names.INJECTION_ID, names.OFFER_TOOL, names.INJECTION_NAME,
                names.STEP_PROCEDURE)  # fmt: skip
_ORDER: Final[tuple[AbsentKind, ...]] = (
    "in-front", "removed", "skipped", "deferred", "withheld", "dormant", "left", "returned",
    "later", "elsewhere", "unread",
)  # fmt: skip


def absent(trail: Trail, text: str, call: str | int | None = None) -> Absent:
    """Looks for a text that a call did not have, see `Trail.absent`."""
    case = Case(trail, call)
    moment = case.moment
    if moment is None:
        raise TrailError(no_moment(trail))
    return _Search(case, moment, text).result()


@dataclass(frozen=True, slots=True)
class _Told:
    """An event that says of something that it was not there."""

    kind: AbsentKind
    said: str
    name: str
    why: str
    ground: Ground
    call: str
    words: str
    hash: str = ""
    """Identity of a piece that was taken out."""
    source: str = ""


class _Search:
    def __init__(self, case: Case, moment: Moment, text: str) -> None:
        self.case, self.moment, self.text = case, moment, text
        self.needle = Needle(text)
        self.view = case.view
        self.near = [self.view.moments[i] for i in sorted(case.around(moment))]
        held: dict[Piece, list[Sight]] = {}
        for each in self.near:
            for sight in (*each.front, *each.output):
                held.setdefault(sight.piece, []).append(sight)
        self.pieces = list(held)
        self.carried = carriers(self.needle, held).exact
        self.places = {piece: held[piece] for piece in self.carried}
        self.told = list(_told(case.trail.spans))
        self.line = _line(self.view.moments, moment)

    def result(self) -> Absent:
        found = sorted(_once(self._found()), key=lambda m: _ORDER.index(m.kind))[:MOST]
        close = [] if found else self._close()
        unread = sum(1 for p in self.pieces if p.parts is None)
        if unread and not found:
            what = f"{unread} pieces of this trail cannot be read: their texts are not on it"
            found.append(Missing("unread", what, ground=self.moment.ground))
        elif self.moment.missing and not {m.kind for m in found} & {"in-front", "removed"}:
            what = f"not all that stood in front of {call_name(self.moment)} is on the trail"
            found.append(Missing("unread", what, ground=self.moment.ground))
        return Absent(
            self.text, self.moment.id, self.moment.number, self.moment.turn,
            self._said(found, close), tuple(found), tuple(close), self.moment.gaps,
            self.moment.foreign,
        )  # fmt: skip

    def _said(self, found: list[Missing], close: list[Missing]) -> str:
        where = call_name(self.moment)
        kept_out = sum(1 for m in close if not m.quote)
        if not found and kept_out:
            return (
                f"it was not in front of {where}; the trail holds no such text, and names "
                f"{kept_out} piece{'s' if kept_out > 1 else ''} without a text that did not come in"
            )
        if not found:
            return f"it was not in front of {where}, and nothing on the trail had it to give"
        if found[0].kind == "in-front":
            return f"it was in front of {where}"
        if any(m.kind == "unread" for m in found):
            return f"it cannot be told whether it was in front of {where}"
        return f"it was to be had and not in front of {where}: {found[0].what}"

    # --- pieces ----------------------------------------------------------------------------

    def _found(self) -> Iterator[Missing]:
        for sight in self.moment.front:
            carried = self.carried.get(sight.piece)
            if carried is not None:
                yield self._missing("in-front", sight, carried, "it stood there")
        yield from self._dormant()
        if not any(s.piece in self.carried for s in self.moment.front):
            for piece, carried in self.carried.items():
                yield from self._elsewhere(piece, carried)
            yield from self._returned()
        yield from self._events()

    def _elsewhere(self, piece: Piece, carried: Carried) -> Iterator[Missing]:
        """Where a piece stood, when it was not in front of this call."""
        places = self.places[piece]
        own = [s for s in places if s.moment in self.line]
        before = [s for s in own if self._is_before(s)]
        if before:
            yield self._gone(piece, before[-1], carried)
        elif own:
            name = self.case.walk.named(self.view.moments[own[0].moment])
            wrote = own[0].slot == "output"
            said = f"the model wrote it only in {name}" if wrote else f"it came in only with {name}"
            yield self._missing("later", own[0], carried, said)
        elif places:
            moment = self.view.moments[places[0].moment]
            other = f"another turn ({moment.turn})" if moment.turn else "another agent"
            yield self._missing("elsewhere", places[0], carried, f"only {other} had it")

    def _is_before(self, sight: Sight) -> bool:
        return sight.moment < self.moment.index

    def _gone(self, piece: Piece, last: Sight, carried: Carried) -> Missing:
        """It stood there in an earlier call: what took it out, if something says so."""
        name = self.case.walk.named(self.view.moments[last.moment])
        if last.slot == "output":
            said = f"the model wrote it in {name}, and it was not sent back"
            return self._missing("left", last, carried, said)
        for moment in self.view.moments[last.moment : self.moment.index + 1]:
            removed = self.view.removed.get((moment.id, piece.key))
            if removed is not None:
                ground, why = removed
                said = f"it stood in front of {name} and was taken out before {call_name(moment)}"
                made = self._missing("removed", last, carried, f"{said}: {why}" if why else said)
                return Missing(made.kind, made.what, made.quote, made.how, made.place, ground)
        said = f"it stood in front of {name} and not any more: no record says what took it out"
        if self.moment.missing:
            said = f"it stood in front of {name}, and no record says that it was taken out"
        return self._missing("left", last, carried, said)

    def _missing(self, kind: AbsentKind, sight: Sight, carried: Carried, said: str) -> Missing:
        part = (sight.piece.parts or ())[carried.part]
        first = self.view.first(sight.piece) or sight
        what = f"{said} ({self.case.walk.described(sight.piece, first)})"
        return Missing(
            kind, what, excerpt(part.text, carried.found), carried.how, self.view.place(sight),
            sight.ground,
        )  # fmt: skip

    def _returned(self) -> Iterator[Missing]:
        """What a tool gave back by its own span, and no message brought to a model."""
        for (turn, _), runs in self.view.tools.items():
            for run in runs:
                text = Searchable(run.result_text or "")
                if turn == self.moment.turn and run.result_text and text.find(self.needle):
                    said = f"tool {run.name} gave it back, and no message brought it to the model"
                    yield Missing("returned", said, excerpt(run.result_text, ()), ground=run.ground)

    def _dormant(self) -> Iterator[Missing]:
        """A skill that was offered by its id, and whose text did not come in."""
        wanted = self.text.strip().lower()
        have = {s.piece.id.lower() for s in self.moment.front if s.piece.source == "skill"}
        skills = {p.id.lower() for p in self.pieces if p.source == "skill"}
        if wanted in have or wanted not in skills:
            return
        for moment in self.near:
            for sight in moment.front:
                piece = sight.piece
                if piece.source == "skill" and piece.id.lower() == wanted:
                    if moment.index < self.moment.index:
                        return
                    what = (
                        f"skill {piece.id} became active only with {self.case.walk.named(moment)}"
                    )
                    yield Missing(
                        "dormant", what, place=self.view.place(sight), ground=sight.ground
                    )
                    return

    # --- events ----------------------------------------------------------------------------

    def _events(self) -> Iterator[Missing]:
        """What events say was not there, where they name it, or the piece that carries it."""
        ids = {p.id.lower() for p in self.carried if p.id and p.source != "tool-result"}
        here = {self.view.moments[i].id for i in self.line if i <= self.moment.index}
        for told in self.told:
            if told.call and told.call not in here:
                continue
            named = told.name.lower()
            by_id = bool(named) and (named in ids or named == self.text.strip().lower())
            if told.hash and self._is_text_of(told):
                what = f"exactly this text was taken out before it was sent: {told.why}"
                yield Missing("removed", what, how="hash", ground=told.ground)
            elif by_id or (told.kind != "removed" and Searchable(told.words).find(self.needle)):
                yield _event(told)

    def _is_text_of(self, told: _Told) -> bool:
        """Whether the text, taken as a whole message, gives the hash of what was taken out."""
        if any(p.key == told.hash for p in self.pieces):
            return False
        fits = self.case.trail.texts.hashes.fits
        identity = text_identity(self.text)
        roles = (meant(told.source, ""), "user", "assistant", "system", "developer")
        return any(fits(f"{role}\n{identity}", told.hash) for role in dict.fromkeys(roles))

    def _close(self) -> list[Missing]:
        """Pieces near the text, and whatever else was not let in: their texts are not known."""
        sights = {s.piece: s for m in self.near for s in m.front}
        out: list[Missing] = []
        for carried in near(self.needle, sights)[:_NEAR]:
            sight = sights[carried.piece]
            kind: AbsentKind = "in-front" if sight.piece in self.moment.pieces else "elsewhere"
            out.append(self._missing(kind, sight, carried, "something near it"))
        here = {self.view.moments[i].id for i in self.line if i <= self.moment.index}
        known = {p.key for p in self.pieces}
        told = [t for t in self.told if t.call in here and (not t.hash or t.hash not in known)]
        return out + _once(_event(t) for t in told)[-_NEAR:]


def _once(found: Iterator[Missing]) -> list[Missing]:
    """Each way once: of those that read the same, the last."""
    return list({(m.kind, m.what, m.quote): m for m in found}.values())


def _event(told: _Told) -> Missing:
    name = told.name or (f"a message of {told.source}" if told.hash else "something")
    what = f"{name} {told.said}" + (f": {told.why}" if told.why else "")
    return Missing(told.kind, what, ground=told.ground)


def _line(moments: list[Moment], moment: Moment) -> set[int]:
    """The moments of the same turn, and of the ones before it in its conversation."""
    own = {m.index for m in moments if m.turn == moment.turn}
    held = moment.pieces
    for other in moments:
        if other.index < moment.index and any(s.piece in held for s in other.output):
            own |= {m.index for m in moments if m.turn == other.turn}
    return own


def _told(spans: list[Span]) -> Iterator[_Told]:
    for span in spans:
        for event in span.events:
            found = _EVENTS.get(event.name)
            if found is None:
                continue
            a = event.attributes
            name = (
                values.text(a, names.OFFER_TOOL)
                or values.text(a, names.INJECTION_ID)
                or values.text(a, names.STEP_PROCEDURE)
            )
            why = ", ".join(filter(None, (values.text(a, key) for key in _WHY)))
            words = " \n ".join(filter(None, (values.text(a, key) for key in _SAID)))
            source = values.text(a, names.INJECTION_SOURCE)
            kind, said = found
            yield _Told(
                kind, said, name, why, Ground(span.trace_id, span.span_id, event.name),
                values.text(span.attributes, names.CALL_ID), f"{source} {words}",
                values.text(a, names.REMOVED_KEY)[:32], source,
            )  # fmt: skip
