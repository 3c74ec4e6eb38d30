"""From an answer, or one value of it, to its suspects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...errors import TrailError
from ...records.trail import Gap
from ...records.why import Finding, FindingWord, Hop, Suspect, Why
from ...text.places import places
from ...text.searchable import Needle
from ...text.tokens import words
from ..naming import listed
from .context import Around, Words, around, words_in
from .foreign import ForeignMoments
from .order import LOOSE, Node, Order
from .ours import OurMoments, link_children, read_events
from .picked import Value, values_of
from .reckon import reckoned
from .search import Carried, near
from .unanswered import no_answer, no_moment
from .view import Moment, Piece, Sight, View
from .walk import Walk, call_name, excerpt

if TYPE_CHECKING:
    from ..reader import Trail

SUSPECTS: Final = 8
"""Suspects of one value that are given back; the others are counted."""
NEAR: Final = 5
READ: Final = 2_000
"""Pieces by which it is told how usual a word is."""
SENTENCE: Final = 4
"""Tokens from which on a value that nothing carries as a whole is also looked at in parts."""


class Case:
    """Everything that a question about one answer needs; made once."""

    def __init__(self, trail: Trail, call: str | int | None = None, value: str = "") -> None:
        self.trail = trail
        self.view = View()
        ours = OurMoments(trail, self.view)
        for turn in trail.turns:
            ours.add(turn, turn.calls)
        ForeignMoments(trail, self.view).add()
        read_events(trail, self.view)
        link_children(trail, self.view)
        self.moment = self._moment(call, value)
        if self.moment is not None:
            ours.begin_among(self.around(self.moment))
        seen = list(dict.fromkeys(s.piece for s in self.moment.front)) if self.moment else []
        self.common = Words([t.text for t in p.texts] for p in seen[-READ:])
        self._orders: dict[tuple[str, int], Order] = {}
        self.walk = Walk(self.view, self.ordered, self.moment)

    # --- which answer ----------------------------------------------------------------------

    def _moment(self, call: str | int | None, value: str) -> Moment | None:
        """The call that is asked about: as named, else the one that wrote the last answer."""
        moments = self.view.moments
        if call is not None:
            named = next((m for m in moments if m.id == call), None)
            if named is not None:
                return named
            others = [m.id for m in moments if m.foreign]
            if others and not self.trail.calls:
                raise TrailError(f"no call {call} in this trail (there are: {listed(others)})")
            id_ = self.trail.call(call).id
            return next((m for m in moments if m.id == id_), None)
        asked_ = self._asked(moments)
        needle, last = Needle(value), None
        for moment in reversed(asked_):
            said = answer_of(moment)
            if said is None:
                continue
            if not value or places(needle, said):
                return moment
            last = last or moment
        return last or (asked_[-1] if asked_ else None)

    def _asked(self, moments: list[Moment]) -> list[Moment]:
        """The calls of what was asked for; of turns within turns only the outermost."""
        asked = self.trail.asked
        ids = {t.id for t in asked}
        outer = {t.id for t in asked if t.parent_turn not in ids or not t.parent_turn}
        if not asked:
            return moments
        children = {r.child for found in self.view.tools.values() for r in found}
        inner = {self.view.moments[c].turn for c in children if c is not None}
        turns = (outer - inner) or outer
        traces = {trace for t in asked for trace in t.trace_ids}
        return [
            m for m in moments
            if (m.turn in turns if not m.foreign else m.ground.trace_id in traces)
        ]  # fmt: skip

    def around(self, moment: Moment) -> set[int]:
        """The moments of the same turn, conversation and trace, and of agents within."""
        turns = {t.id: t for t in self.trail.turns}
        own = turns.get(moment.turn)
        if own is None:
            return {m.index for m in self.view.moments if m.turn == moment.turn}
        traces = set(own.trace_ids)
        near_ = {
            t.id for t in turns.values()
            if t is own or traces & set(t.trace_ids) or t.parent_turn == own.id
            or (own.conversation and t.conversation == own.conversation)
        }  # fmt: skip
        return {m.index for m in self.view.moments if m.turn in near_}

    # --- order -----------------------------------------------------------------------------

    def ordered(self, value: str, moment: Moment, target: Around) -> Order:
        """The carriers of a value in front of a moment; made once for each."""
        key = (value, moment.index)
        order = self._orders.get(key)
        if order is None:
            order = Order(self.view, self.common, Needle(value), moment, target)
            self._orders[key] = order
        return order

    def target(self, moment: Moment, needle: Needle, at: int | None = None) -> Around:
        """What the answer and the question say around a value."""
        out = Around()
        answer = answer_of(moment) or ""
        found = places(needle, answer)
        if at is not None:
            found = tuple(p for p in found if p.start <= at < p.end) or found
        if found:
            out = around(answer, found, needle)
        out.add(words_in(answer[:4000]), 0.3)
        out.add(words_in(self.walk.question(moment)[:2000]), 0.6)
        return out.without(words_in(needle.text))


def why(trail: Trail, value: str | None = None, call: str | int | None = None) -> Why:
    """Walks from an answer to the pieces of context that carry it, see `Trail.why`."""
    case = Case(trail, call, value or "")
    moment = case.moment
    if moment is None:
        raise TrailError(no_moment(trail))
    answer = answer_of(moment)
    asked: list[tuple[Value, bool]]
    if value is not None:
        at = next(iter(places(Needle(value), answer or "")), None)
        asked = [(Value(value, "given", at.start if at else -1), at is not None)]
    else:
        asked = [(v, True) for v in values_of(answer or "")]
    findings: list[Finding] = []
    for found, inside in asked:
        made = finding(case, moment, found, inside)
        findings.append(made)
        if found.kind == "given" and not made.suspects and len(words(found.text)) >= SENTENCE:
            for part in values_of(found.text):
                part_at = next(iter(places(Needle(part.text), answer or "")), None)
                findings.append(
                    finding(case, moment, part._replace(at=part_at.start if part_at else -1),
                            part_at is not None)
                )  # fmt: skip
    gaps = [*moment.gaps, *case.view.gaps]
    unanswered = no_answer(trail, moment) if answer is None else ""
    if unanswered:
        gaps.append(Gap("text", f"{call_name(moment)}: {unanswered}", moment.id))
    return Why(
        call=moment.id,
        number=moment.number,
        turn=moment.turn,
        answer=answer,
        ground=moment.ground,
        findings=tuple(findings),
        gaps=tuple(dict.fromkeys(gaps)),
        foreign=moment.foreign,
        unanswered=unanswered,
    )


def finding(case: Case, moment: Moment, value: Value, in_answer: bool) -> Finding:
    """The suspects of one value."""
    needle = Needle(value.text)
    if not needle.wide:
        what = f"\u201c{value.text}\u201d holds nothing that can be looked for"
        return Finding(value.text, value.kind, "unread", what, in_answer)
    order = Order(
        case.view, case.common, needle, moment,
        case.target(moment, needle, value.at if value.at >= 0 else None),
    )  # fmt: skip
    ranks = order.ranks()
    suspects = tuple(
        _suspect(case, order, node, rank)
        for node, rank in list(zip(order.nodes, ranks, strict=True))[:SUSPECTS]
    )
    word, what = _said(order, moment, suspects)
    sum_ = "" if word in ("named", "tie") else reckoned(value.text, answer_of(moment) or "")
    if sum_ or not in_answer:  # reckoned, or nothing that needs a cause
        what = what.removesuffix(_NOT_HERE)
    if sum_:
        what += f"; other figures of the answer give it: {sum_}"
    close = () if word in ("named", "tie") else _near(case, moment, needle, order)
    return Finding(
        value.text, value.kind, word, what, in_answer, suspects, close, order.read, order.unread,
        sum_,
    )  # fmt: skip


_NOT_HERE: Final = ": the cause is not on the trail"


def _said(order: Order, moment: Moment, suspects: tuple[Suspect, ...]) -> tuple[FindingWord, str]:
    where = f"in front of {call_name(moment)}"
    if not suspects:
        if order.unread and not order.read:
            return "unread", f"no piece {where} can be read: the trail does not tell"
        if order.unread:
            return "unread", (
                f"none of the {order.read} pieces {where} that can be read carries it, and "
                f"{order.unread} cannot be read: the trail does not tell"
            )
        return "none", f"no piece {where} carries it{_NOT_HERE}"
    first = [n for n, s in zip(order.nodes, suspects, strict=False) if s.rank == 1]
    if all(n.relation == "model" and not n.chosen for n in first):
        if any(n.parents for n in first):
            return "chance", (
                "the model's own earlier words carry it; what held it in front of the model then "
                "speaks of something else, and may do so by chance"
            )
        return "none", (
            "only the model's own earlier words carry it, and nothing that stood in front of it "
            "then: what they came from is not on the trail"
        )
    if all(n.linked < LOOSE for n in first):
        return "chance", (
            "pieces hold it that share nothing else with the answer: it may stand there by chance, "
            "and the cause may not be on the trail"
        )
    if len(first) > 1:
        return (
            "tie",
            f"{len(first)} pieces carry it first, and nothing on the trail tells them apart",
        )
    if first[0].relation == "model":
        return "named", f"the model chose it itself: {_unexplained(first[0])}"
    others = len(order.nodes) - 1 + order.left_out
    more = f", before {others} other carrier{'s' if others > 1 else ''}" if others else ""
    return "named", f"one piece stands first{more}"


def _unexplained(node: Node) -> str:
    """Why what the model wrote counts as its own choice."""
    if node.parents:
        return "what carried it in front of the model at that call speaks of something else"
    return "nothing in front of the model at that call carried it"


def _suspect(case: Case, order: Order, node: Node, rank: int) -> Suspect:
    hop = case.walk.piece(node, order)
    return Suspect(
        rank=rank,
        score=round(node.score, 4),
        relation=node.relation,
        place=case.view.place(node.sight),
        quote=hop.quote,
        reasons=tuple(_reasons(case, order, node)),
        hop=hop,
        in_front=node.in_front,
    )


_HOWS: Final = {
    "verbatim": "exactly", "tokens": "in other case or punctuation",
    "number": "as the same number, grouped otherwise", "date": "as the same day, written otherwise",
    "unit": "as the same number, tied to a unit", "near": "a day that may be another",
    "words": "some of its words", "part": "inside a longer word", "rounded": "a number close to it",
    "in words": "in words", "share": "as a share of one",
}  # fmt: skip


def _reasons(case: Case, order: Order, node: Node) -> list[str]:
    out = [f"holds it {_HOWS.get(node.carried.how, node.carried.how)}"]
    shared = case.common.common(node.around, order.target)
    if shared:
        out.append("shares with answer and question: " + ", ".join(shared))
    else:
        out.append("shares nothing else with answer and question")
    if node.best is not None and node.explained >= 0.5:
        best = case.walk.described(node.best.piece, node.best.sight)
        if node.relation == "echo":
            out.append(f"the model wrote it after {best} had carried it")
        else:
            out.append(f"can have been taken over from {best}")
    elif node.relation == "model":
        out.append(_unexplained(node))
    if not node.in_front:
        here = case.view.moments[node.sight.moment].turn == order.moment.turn
        gone = "was not in front of the model any more" if here else "never stood there itself"
        out.append(f"{gone} when it wrote the answer")
    return out


def _near(case: Case, moment: Moment, needle: Needle, order: Order) -> tuple[Suspect, ...]:
    """Pieces near the value, and carriers that had left before the answer."""
    exact = {n.piece for n in order.nodes}
    sights: dict[Piece, Sight] = {}
    for sight in moment.front:
        if sight.piece not in exact:
            sights.setdefault(sight.piece, sight)
    found: list[tuple[float, Carried, Sight, bool]] = []
    for carried in near(needle, sights):
        text = (carried.piece.parts or ())[carried.part].text
        like = case.common.likeness(around(text, carried.found, needle), order.target)
        found.append((carried.weight * (0.4 + 0.6 * like), carried, sights[carried.piece], True))
    found.sort(key=lambda each: -each[0])
    out = []
    for rank, (score, carried, sight, in_front) in enumerate(found[:NEAR], 1):
        text = (carried.piece.parts or ())[carried.part].text
        quote = excerpt(text, carried.found)
        first = case.view.first(carried.piece) or sight
        hop = Hop(
            "piece", case.walk.described(carried.piece, first), quote, needle.text, carried.how,
            case.view.place(first), first.ground,
        )  # fmt: skip
        reasons = (f"near it: {_HOWS.get(carried.how, carried.how)}",)
        out.append(
            Suspect(rank, round(score, 4), "near", hop.place or case.view.place(first), quote,
                    reasons, hop, in_front)
        )  # fmt: skip
    return tuple(out)


def answer_of(moment: Moment) -> str | None:
    """The text of a call's output; of one that only asks for tools None."""
    parts = [p for s in moment.output for p in s.piece.parts or () if p.text]
    said = [p.text for p in parts if p.kind in ("text", "refusal")]
    said = said or [p.text for p in parts if p.kind == "opaque"]
    return "\n".join(said) if said else None


__all__ = ["Case", "why"]
