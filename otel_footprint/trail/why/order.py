"""The order of suspicion: which carrier of a value is its origin.

Every carrier in the causal past of a call is a node. What the trail records ties them: an output
came after what stood in front of its call, a tool's result after the arguments it was called with.
What it does not record is a possibility: a later piece can repeat an earlier one, never the other
way round. A node is suspected by how much it has in common with the answer, by itself or through
what came of it, and the less, the better an earlier carrier explains it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from ...records.why import Relation
from ...text.searchable import Needle
from .context import Around, Words, around, rarity, words_in
from .handed import handed_on
from .search import Carried, carriers
from .view import Moment, Piece, Sight, View

RECORDED: Final = 0.97
"""How far a carrier explains what the model wrote after it stood in front of it."""
REPEATED: Final = 0.7
"""How far an earlier carrier explains a later one where nothing records that it was copied."""
TOLD: Final = 0.8
"""The same for words of the model that stood in the history before the trail began."""
ALONE: Final = 0.75
"""How far a rare value alone ties what the model said to what the record puts in front of it."""
RIVAL: Final = 0.6
"""What is left of the suspicion against a piece that holds the value of something else."""
LOOSE: Final = 0.3
"""Likeness below which only the value itself connects a piece to the answer."""
_TIE: Final = 0.05
"""Scores that differ by less are equal."""
_DEPTH: Final = 40
MOST: Final = 100
"""Carriers that are put in order; of more only the likeliest."""


@dataclass(slots=True, eq=False)
class Node:
    """A carrier in the order."""

    carried: Carried
    sight: Sight
    around: Around
    in_front: bool
    shared: float = 0.0
    """Weight of what it has in common with the answer, by itself."""
    likeness: float = 0.0
    """With the answer, by itself."""
    linked: float = 0.0
    """With the answer, by itself or through what came of it."""
    score: float = 0.0
    parents: list[tuple[Node, float]] = field(default_factory=list)
    """Earlier carriers, each with how far it could explain this one at most."""
    best: Node | None = None
    """The parent that explains it best."""
    explained: float = 0.0
    tied: float = 0.0
    """How much the record ties it to that parent."""
    relation: Relation = "origin"

    @property
    def piece(self) -> Piece:
        """Its piece."""
        return self.carried.piece

    @property
    def stated(self) -> bool:
        """True when the model said it, and did not choose it for an argument."""
        return self.piece.source == "assistant" and not self.chosen

    @property
    def chosen(self) -> bool:
        """True when the value stands in arguments that the model wrote."""
        parts = self.piece.parts or ()
        return self.carried.part < len(parts) and parts[self.carried.part].kind == "tool_call"


class Order:
    """Carriers of one value in the causal past of one call, in the order of suspicion."""

    def __init__(
        self, view: View, common: Words, needle: Needle, moment: Moment, target: Around
    ) -> None:
        self.view = view
        self.common = common
        self.needle = needle
        self.moment = moment
        self.target = target
        self.rarity = rarity(needle)
        self.read = self.unread = self.left_out = 0
        self._nodes: dict[Piece, Node] = {}
        self._seen: set[int] = set()
        self._earlier: dict[Node, set[Node]] = {}
        self._asked: dict[Piece, tuple[Piece, str, str] | None] = {}
        self._collect(moment, 0)
        self._keep_likeliest()
        self._tie_parents()
        self._score()
        self.nodes = sorted(self._nodes.values(), key=lambda n: (-n.score, _place(n)))
        """The first suspect first."""

    # --- collecting ------------------------------------------------------------------------

    def _collect(self, moment: Moment, depth: int) -> None:
        """The carriers in front of a moment, and in front of the calls that wrote them."""
        if moment.index in self._seen or depth > _DEPTH:
            return
        self._seen.add(moment.index)
        sights: dict[Piece, Sight] = {}
        for sight in moment.front:
            sights.setdefault(sight.piece, sight)
        found = carriers(self.needle, sights)
        if depth == 0:
            self.read, self.unread = found.read, found.unread + moment.missing
        for piece, carried in found.exact.items():
            if piece not in self._nodes:
                around_ = self._around(carried, moment)
                self._nodes[piece] = Node(carried, sights[piece], around_, depth == 0)
        for piece in found.exact:
            if piece.written is not None:
                self._collect(self.view.moments[piece.written], depth + 1)
            child = self._child(piece, moment)
            if child is not None:
                self._collect_output(child, depth + 1)
            giver = handed_on(self.view, piece, moment)
            if giver is not None:
                self._collect_output(giver, depth + 1)

    def _collect_output(self, moment: Moment, depth: int) -> None:
        """A sub-agent's answer, and what stood in front of it."""
        found = carriers(self.needle, [s.piece for s in moment.output])
        for sight in moment.output:
            carried = found.exact.get(sight.piece)
            if carried is not None and sight.piece not in self._nodes:
                self._nodes[sight.piece] = Node(
                    carried, sight, self._around(carried, moment), False
                )
        self._collect(moment, depth)

    def _child(self, piece: Piece, moment: Moment) -> Moment | None:
        if piece.source != "tool-result" or not piece.id:
            return None
        run = self.view.tool(moment.turn, piece.id)
        if run is None or run.child is None or run.child == moment.index:
            return None
        return self.view.moments[run.child]

    def _around(self, carried: Carried, moment: Moment) -> Around:
        """The words around the value in a piece, and what names the piece."""
        piece = carried.piece
        part = (piece.parts or ())[carried.part]
        out = around(part.text, carried.found, self.needle)
        label = Around()
        if part.kind == "tool_call":
            label.add(words_in(part.name), 0.7)
        elif piece.source == "tool-result":
            asked = ask_of(piece, moment)
            run = self.view.tool(moment.turn, piece.id)
            if asked is not None:
                label.add(words_in(f"{asked[1]} {asked[2][:2000]}"), 0.6)
            elif run is not None:
                label.add(words_in(f"{run.name} {(run.argument_text or '')[:2000]}"), 0.6)
        elif piece.source == "registry":
            label.add(words_in(piece.id), 0.6)
        else:
            label.add(words_in(f"{piece.id} {piece.reason}"), 0.4)
        return out.merged(label.without(words_in(self.needle.text)))

    def _keep_likeliest(self) -> None:
        """Keeps the number of carriers of a very common value in bounds."""
        for node in self._nodes.values():
            node.shared = self.common.shared(node.around, self.target)
            node.likeness = node.linked = self.common.likeness(node.around, self.target)
        if len(self._nodes) > MOST:
            kept = sorted(self._nodes.values(), key=lambda n: (-n.likeness, _place(n)))[:MOST]
            self.left_out = len(self._nodes) - MOST
            self._nodes = {node.piece: node for node in kept}
        for node in self._nodes.values():
            if node.sight.slot != "output":
                node.sight = self.view.first(node.piece) or node.sight

    # --- what explains what ----------------------------------------------------------------

    def _tie_parents(self) -> None:
        for node in self._nodes.values():
            for other in self._nodes.values():
                if other is node:
                    continue
                weight = self._explains(other, node)
                if weight:
                    node.parents.append((other, weight))

    def _explains(self, earlier: Node, later: Node) -> float:
        """How far one carrier could explain another at most; 0: it came later or apart."""
        piece = later.piece
        if piece.written is not None:
            return RECORDED if self._in_front_of(earlier, piece.written) else 0.0
        if piece.source == "tool-result":
            asked = self._ask(later)
            if asked is not None and asked[0] is earlier.piece:
                return RECORDED if earlier.chosen else 0.0
            child = self._child(piece, self.view.moments[later.sight.moment])
            if child is not None and any(s.piece is earlier.piece for s in child.output):
                return RECORDED
        giver = self.view.handed.get(piece)
        if giver is not None and self.view.wrote(giver, earlier.piece):
            return RECORDED
        if self._is_within(earlier, later):
            return RECORDED
        if not _is_before(earlier, later) and not self._is_asked_after(earlier, later):
            return 0.0
        if piece.source == "assistant":
            return TOLD
        return REPEATED if piece.source == "tool-result" else 0.4

    def _is_within(self, inner: Node, outer: Node) -> bool:
        """Whether one tool call ran inside another one, as a sub-agent's does."""
        if not self.view.nested or {inner.piece.source, outer.piece.source} != {"tool-result"}:
            return False
        a = self.view.tool(self.view.moments[inner.sight.moment].turn, inner.piece.id)
        b = self.view.tool(self.view.moments[outer.sight.moment].turn, outer.piece.id)
        return a is not None and b is not None and b.ground.span_id in a.above

    def _is_asked_after(self, earlier: Node, later: Node) -> bool:
        """Whether a result in the history was asked for after another piece had come in."""
        a, b = earlier.sight, later.sight
        if later.piece.source != "tool-result" or a.moment != b.moment or a.slot != "messages":
            return False
        asked = self._ask(later)
        front = self.view.moments[b.moment].front
        at = next((s.position for s in front if asked and s.piece is asked[0]), -1)
        return a.position < at

    def _ask(self, node: Node) -> tuple[Piece, str, str] | None:
        if node.piece not in self._asked:
            self._asked[node.piece] = ask_of(node.piece, self.view.moments[node.sight.moment])
        return self._asked[node.piece]

    def _in_front_of(self, node: Node, moment: int) -> bool:
        return node.piece in self.view.moments[moment].pieces

    # --- scoring ---------------------------------------------------------------------------

    def _score(self) -> None:
        for node in self._nodes.values():
            strength = -1.0
            for parent, weight in node.parents:
                like = self.common.likeness(parent.around, node.around)
                if node.likeness >= LOOSE or node.stated:
                    like = max(like, 0.7 * parent.likeness)
                rare = ALONE if weight == RECORDED and node.stated else 0.5
                explained = weight * _or(like, rare * self.rarity)
                if weight < TOLD or node.chosen:
                    explained *= self._same_matter(parent, node)
                node.explained = max(node.explained, explained)
                if explained * (0.5 + parent.likeness) > strength:
                    strength, node.best = explained * (0.5 + parent.likeness), parent
                    node.tied = _or(like, 0.2 * self.rarity) if weight >= TOLD else 0.0
        for _ in range(4):
            for node in self._nodes.values():
                if node.best is not None and node.tied:
                    through = 0.9 * node.tied * node.linked
                    node.best.linked = max(node.best.linked, through)
        for node in self._nodes.values():
            node.score = _or(node.linked, 0.25 * self.rarity) * (1 - node.explained)
            if any(self._is_rival(node, other) for other in self._nodes.values()):
                node.score *= RIVAL
        for node in sorted(self._nodes.values(), key=_place):
            if node.best is not None and node.explained >= 0.5 and node.best.linked >= LOOSE:
                node.score = min(node.score, 0.9 * node.best.score)
        for node in self._nodes.values():
            node.relation = self._relation(node)

    def _same_matter(self, earlier: Node, later: Node) -> float:
        """How likely two pieces are about the same thing, 0 to 1.

        An earlier piece that has less in common with the answer, and words of its own that
        neither the later piece nor the answer knows, holds the value of something else. It is
        asked where no record ties the two, and of what the model chose for an argument: it may
        choose what stands elsewhere by chance.
        """
        if later.shared <= earlier.shared or _defines(earlier, later):
            return 1.0
        if self._is_of_another(earlier, later):
            return 0.0
        lead = 1 - earlier.shared / later.shared
        known = later.around.weights.keys() | self.target.weights.keys()
        return max(0.0, 1 - 4 * lead * self.common.foreign(earlier.around, known))

    def _is_rival(self, node: Node, other: Node) -> bool:
        """Whether a piece speaks of another thing than the answer does, and a better one is there.

        What the model wrote after the piece, and results of that, cannot count against it.
        """
        if other is node or other.likeness < LOOSE or node.piece.source == "assistant":
            return False
        return self._is_of_another(node, other) and node not in self._recorded(other)

    def _recorded(self, node: Node) -> set[Node]:
        """The carriers that the record ties a piece to, directly or over others."""
        if node not in self._earlier:
            found: set[Node] = set()
            stack = [node]
            while stack:
                for parent, weight in stack.pop().parents:
                    if weight >= TOLD and parent not in found:
                        found.add(parent)
                        stack.append(parent)
            self._earlier[node] = found
        return self._earlier[node]

    def _is_of_another(self, a: Node, b: Node) -> bool:
        """Whether all that one piece shares with the answer, another shares too, and more.

        What the other one knows besides names the thing that the answer is about (the studio, not
        the garage), where the first one has telling words of its own instead.
        """
        known = self.target.weights
        mine = a.around.weights.keys() & known.keys()
        more = (b.around.weights.keys() & known.keys()) - mine
        if not mine <= b.around.weights.keys():
            return False
        names = [w for w in more if known[w] >= 0.6 and self.common.weight(w) >= 0.6]
        own = b.around.weights.keys() | known.keys()
        return bool(names) and self.common.foreign(a.around, own) >= 0.2

    def _relation(self, node: Node) -> Relation:
        model = node.piece.source == "assistant"
        if node.explained >= 0.5:
            return "echo" if model else "copy"
        if model:
            return "model"
        return "chance" if node.linked < LOOSE else "origin"

    def ranks(self) -> list[int]:
        """The rank of each node, 1-based; those that nothing tells apart share one."""
        out: list[int] = []
        for i, node in enumerate(self.nodes):
            if i and self._is_tie(self.nodes[out[-1] - 1], node):
                out.append(out[-1])
            else:
                out.append(i + 1)
        return out

    def _is_tie(self, a: Node, b: Node) -> bool:
        if abs(a.score - b.score) > _TIE * max(a.score, 0.1):
            return False
        if a.piece in [p.piece for p, _ in b.parents] or b.piece in [p.piece for p, _ in a.parents]:
            return False
        return (a.relation == "model") == (b.relation == "model")


def ask_of(piece: Piece, moment: Moment) -> tuple[Piece, str, str] | None:
    """The message that asked for a result: the piece, the tool's name, its arguments.

    Where the call or the result has no id (Gemini, Ollama) the call is known by its tool's name; of
    several in one message the results stand in their order.
    """
    found, unnamed, results = None, [], 0
    names = {piece.id, *(p.name for p in piece.parts or () if p.kind == "tool_result")} - {""}
    has_id = bool(piece.id) and not any(p.name == piece.id for p in piece.parts or ())
    for sight in moment.front:
        other = sight.piece
        if other is piece:
            break
        if other.source == "assistant":
            calls = [part for part in other.parts or () if part.kind == "tool_call"]
            for part in calls:
                if part.id and part.id == piece.id:
                    found = (other, part.name, part.text)
            if alike := [p for p in calls if p.name in names and not (p.id and has_id)]:
                unnamed, results = [(other, p.name, p.text) for p in alike], 0
        elif other.source == "tool-result" and unnamed:
            results += any(p.name in names for p in other.parts or ()) or other.id in names
    if found is None and unnamed:
        found = unnamed[min(results, len(unnamed) - 1)]
    return found


def _is_before(earlier: Node, later: Node) -> bool:
    """Whether one piece stood in front of a model before another one came in."""
    a, b = earlier.sight, later.sight
    if a.moment != b.moment:
        return a.moment < b.moment and a.slot != "output"
    return (
        a.slot == b.slot == "messages"
        and a.position < b.position
        and later.piece.source == "assistant"
    )


def _defines(earlier: Node, later: Node) -> bool:
    """True for the definition of the very tool that the model called."""
    parts = later.piece.parts or ()
    called = parts[later.carried.part].name if later.chosen else ""
    return earlier.piece.source == "registry" and bool(called) and earlier.piece.id == called


def _or(a: float, b: float) -> float:
    """How likely one of two things is that do not depend on each other."""
    return 1 - (1 - a) * (1 - b)


def _place(node: Node) -> tuple[int, int, int]:
    slots = {"system": 0, "tools": 1, "messages": 2, "output": 3}
    return node.sight.moment, slots.get(node.sight.slot, 4), node.sight.position
