"""Hops: from a piece to what let it in, to the tool call behind it, to that call's arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from ...records.arguments import RESERVED, ArgumentRow
from ...records.plan import plain_reason
from ...records.why import NO_GROUND, End, Hop
from ...telemetry import names
from ...text.places import Place as Stretch
from ...text.searchable import Needle
from ...text.values import Leaf, leaves, value_text
from ...wire.values import json_or_text
from .. import values
from .context import Around, words_in
from .order import LOOSE, Node, Order, ask_of
from .search import near
from .view import Moment, Piece, Sight, ToolRun, View

DEPTH: Final = 8
"""Calls that a walk goes back at most; every one of its hops is on the trail."""
ARGUMENTS: Final = 12
"""Arguments of a tool call that are followed."""
QUOTE: Final = 160
"""Characters of a quote."""

Ordered = Callable[[str, Moment, Around], Order]
"""Puts the carriers of a value in front of a moment in order."""

_SAID: Final = {
    "fact": "a fact", "steering": "a steering text", "instruction": "an instruction",
    "skill": "a skill", "memory": "a memory", "rag": "a retrieved text",
    "procedure": "a procedure", "window": "a summary of the window", "custom": "a custom piece",
}  # fmt: skip


class Walk:
    """Makes the hops of one `why`."""

    def __init__(self, view: View, ordered: Ordered, asked: Moment | None = None) -> None:
        self.view = view
        self.ordered = ordered
        self.asked = asked
        self._shown: set[tuple[str, str, int]] = set()

    def piece(self, node: Node, order: Order, depth: int = 0) -> Hop:
        """The hop of a carrier, and what it came from."""
        piece, sight = node.piece, node.sight
        wrote = self._written_at(piece)
        quote = quote_of(node)
        key = (piece.key, order.needle.text, order.moment.index)
        known = key in self._shown
        self._shown.add(key)
        end: End = ""
        causes: tuple[Hop, ...] = ()
        if known or depth >= DEPTH:
            end = "shown" if known else "gap"
        else:
            end, causes = self._causes(node, order, depth)
        return Hop(
            kind="output" if piece.source == "assistant" else "piece",
            what=self.described(piece, sight),
            quote=quote,
            value=order.needle.text,
            how=node.carried.how,
            place=self.view.place(sight),
            ground=wrote.ground if wrote is not None else sight.ground,
            end=end,
            causes=causes,
        )

    # --- what a piece came from ------------------------------------------------------------

    def _causes(self, node: Node, order: Order, depth: int) -> tuple[End, tuple[Hop, ...]]:
        piece = node.piece
        if piece.source == "assistant":
            return self._model(node, order, depth)
        if piece.source == "tool-result":
            return "", (self._tool(node, order, depth),)
        injected = self._injected(node)
        if injected is not None:
            return "", (injected,)
        if piece.source == "user":
            giver = self.view.handed.get(piece)
            hops = tuple(
                self.piece(p, order, depth + 1) for p, _ in node.parents
                if giver is not None and self.view.wrote(giver, p.piece)
            )  # fmt: skip
            return ("", hops) if hops else ("gap" if giver is not None else "person", ())
        if piece.source in ("base", "registry") or piece.source in _SAID:
            return "app", ()
        return "gap", ()

    def _model(self, node: Node, order: Order, depth: int) -> tuple[End, tuple[Hop, ...]]:
        """What stood in front of the call that wrote it."""
        piece = node.piece
        if piece.written is None:
            earlier = [p for p, weight in node.parents if p is node.best]
            hops = tuple(self.piece(p, order, depth + 1) for p in earlier)
            return ("", hops) if hops else ("gap", ())
        parents = sorted(
            (p for p, _ in node.parents if p.linked >= LOOSE or p is node.best),
            key=lambda p: -p.score,
        )
        if node.explained < 0.5 or not parents:
            return "model", ()
        return "", tuple(self.piece(p, order, depth + 1) for p in parents[:2])

    def _injected(self, node: Node) -> Hop | None:
        """What let a piece in, by its event, else by the row's own reason."""
        piece, sight = node.piece, node.sight
        if piece.source not in _SAID and not piece.reason:
            return None
        call = self.view.moments[sight.moment].id
        found = self.view.injected.get((call, piece.source, piece.id))
        if found is None:
            found = next(
                (v for (_, s, i), v in self.view.injected.items()
                 if piece.id and (s, i) == (piece.source, piece.id)),
                None,
            )  # fmt: skip
        said = f"let in as {_SAID.get(piece.source, piece.source)}"
        if piece.id:
            said += f" ({piece.id})"
        if found is None:
            if not piece.reason:
                return None
            return Hop(
                "injection", said, piece.reason, ground=sight.ground, end="app",
                place=self.view.place(sight),
            )  # fmt: skip
        ground, a = found
        trigger = values.text(a, names.INJECTION_TRIGGER)
        reason = values.text(a, names.INJECTION_REASON) or piece.reason
        if trigger:
            said += f", trigger: {trigger}"
            reason = "" if reason == plain_reason(piece.source, piece.id) else reason
        for name, word in (
            (names.INJECTION_SCORE, "score"), (names.INJECTION_RANK, "rank"),
            (names.INJECTION_THRESHOLD, "threshold"),
        ):  # fmt: skip
            number = values.number(a, name)
            if number is not None:
                said += f", {word} {number:g}"
        return Hop(
            "injection", said, reason, ground=ground, end="app", place=self.view.place(sight)
        )

    # --- tools -----------------------------------------------------------------------------

    def _tool(self, node: Node, order: Order, depth: int) -> Hop:
        """The tool call behind a result."""
        piece = node.piece
        moment = self.view.moments[node.sight.moment]
        asked = ask_of(piece, moment)
        run = self.view.tool(moment.turn, piece.id)
        if run is None and moment.foreign:
            result = " ".join(t.text for t in piece.texts)
            run = self.view.tool_by_text(moment.turn, asked[1] if asked else "", result)
        name = (run.name if run else "") or (asked[1] if asked else "") or "a tool"
        if run is not None and run.child is not None:
            return self._sub_agent(node, run, name, order, depth)
        asking = self._written_at(asked[0]) if asked is not None else None
        told = run.argument_text if run is not None else None
        text: str | None = asked[2] if asked is not None else told
        causes: tuple[Hop, ...] = ()
        if text is not None and asking is not None:
            causes = self._arguments(name, asking, text, run, depth + 1)
        elif text is not None:
            causes = tuple(
                Hop("argument", f"argument {leaf.path or 'text'}", value=value_text(leaf.value),
                    end="gap", ground=run.ground if run else NO_GROUND)
                for leaf in _leaves(text)
            )  # fmt: skip
        what = f"given back by tool {name}" if run or asked else "given back by a tool call"
        if run is None:
            what += "; its own span is not on the trail"
        end: End = "" if causes else "tool"
        if asked is None and run is None:
            end = "gap"
        ground = run.ground if run is not None else moment.ground
        return Hop("tool", what, text or "", ground=ground, end=end, causes=causes)

    def _sub_agent(self, node: Node, run: ToolRun, name: str, order: Order, depth: int) -> Hop:
        """A tool that another agent stands behind: the walk goes on in its turn."""
        child = self.view.moments[run.child or 0]
        written = {s.piece for s in child.output}
        causes = tuple(
            self.piece(parent, order, depth + 1) for parent, _ in node.parents
            if parent.piece in written
        )  # fmt: skip
        what = f"answered by another agent through tool {name}"
        return Hop("tool", what, ground=run.ground, end="" if causes else "gap", causes=causes)

    def _written_at(self, piece: Piece) -> Sight | None:
        """A piece among what its call wrote."""
        if piece.written is None:
            return None
        moment = self.view.moments[piece.written]
        return next((s for s in moment.output if s.piece is piece), None)

    def _arguments(
        self, name: str, asked: Sight, text: str, run: ToolRun | None, depth: int
    ) -> tuple[Hop, ...]:
        """The arguments of a tool call, each with where it came from.

        `asked`: the message that asks for the call, among what its call wrote.
        """
        declared = {row.argument: row for row in run.arguments} if run else {}
        said = " ".join(p.text for p in asked.piece.parts or () if p.kind in ("text", "reasoning"))
        target = Around()
        target.add(words_in(text[:2000]), 0.5)
        target.add(words_in(said[:2000]), 0.5)
        target.add(words_in(self.question(self.view.moments[asked.moment])[:2000]), 0.5)
        out = []
        for leaf in _leaves(text):
            own = target.merged(Around())
            own.add(words_in(f"{name} {leaf.path}"), 0.8)
            row = declared.get(leaf.path)
            made = self._argument(leaf, asked, own, depth, row)
            out.append(made if row is None or run is None else _declared(made, row, run))
        if run is not None:
            written = {hop.what.partition(":")[0] for hop in out}
            out += [h for h in _put_in(run) if h.what.partition(":")[0] not in written]
        return tuple(out)

    def _argument(
        self, leaf: Leaf, asked: Sight, target: Around, depth: int, row: ArgumentRow | None
    ) -> Hop:
        """One argument, by a search of what stood in front of the call that wrote it."""
        value = value_text(leaf.value)
        said = f"argument {leaf.path}" if leaf.path else "its argument"
        needle = Needle(value)
        moment = self.view.moments[asked.moment]
        if not needle.wide or depth >= DEPTH:
            end: End = "gap" if depth >= DEPTH else "model"
            return Hop("argument", said, value=value, ground=asked.ground, end=end)
        order = self.ordered(value, moment, target.without(words_in(value)))
        found = _recorded(order, row) or _origins(order)
        hops = tuple(self.piece(n, order, depth + 1) for n in found)
        if not hops:
            hops = tuple(self._near(needle, moment))
            carried = "no piece in front of the call carries it"
            said += f": {carried} as it stands" if hops else f": {carried}"
            if order.unread and not hops:
                return Hop("argument", said, value=value, ground=asked.ground, end="gap")
        elif all(n.linked < LOOSE for n in found):
            said += ": it may be the model's own choice, what carries it may do so by chance"
        return Hop(
            "argument", said, value=value, ground=asked.ground, end="" if hops else "model",
            causes=hops,
        )  # fmt: skip

    def _near(self, needle: Needle, moment: Moment) -> list[Hop]:
        """The piece in front that holds most of a value that none holds whole."""
        sights = {s.piece: s for s in reversed(moment.front)}
        found = near(needle, sights)[:1]
        out = []
        for each in found:
            piece, part = each.piece, (each.piece.parts or ())[each.part]
            first = self.view.first(piece) or sights[piece]
            ends: dict[str, End] = {"user": "person", "assistant": "model", "tool-result": "tool"}
            out.append(
                Hop("piece", f"near it: {self.described(piece, first)}",
                    excerpt(part.text, each.found), needle.text, each.how, self.view.place(first),
                    first.ground, ends.get(piece.source, "app"))
            )  # fmt: skip
        return out

    def question(self, moment: Moment) -> str:
        """The person's last words in front of a call."""
        if moment.ask:
            return moment.ask
        for sight in reversed(moment.front):
            if sight.piece.source == "user":
                return " ".join(t.text for t in sight.piece.texts)
        return ""

    # --- words -----------------------------------------------------------------------------

    def described(self, piece: Piece, sight: Sight) -> str:
        """What a piece is and where it stood, in one sentence."""
        if piece.written is not None:
            moment = self.view.moments[piece.written]
            kind = "the model's own words" if not _asks(piece) else "what the model wrote"
            return f"{kind} in {self.named(moment)}"
        moment = self.view.moments[sight.moment]
        what = {
            "user": "a person's message", "assistant": "earlier words of the model",
            "base": "the system prompt", "registry": f"the definition of tool {piece.id}",
        }.get(piece.source) or _SAID.get(piece.source) or ""  # fmt: skip
        if piece.source == "tool-result":
            asked = ask_of(piece, moment)
            run = self.view.tool(moment.turn, piece.id)
            name = asked[1] if asked is not None else run.name if run is not None else ""
            what = f"the result of tool {name}" if name else "a tool's result"
        if self.view.handed.get(piece) is not None:
            what = "a message that hands on what the model wrote"
        what = what or f"a piece of source {piece.source or '?'}"
        if piece.source in _SAID and piece.id:
            what += f" ({piece.id})"
        return f"{what}, {sight.slot} {sight.position + 1}, first in front of {self.named(moment)}"

    def named(self, moment: Moment) -> str:
        """How a moment is called beside the one that is asked about: numbers begin anew in each
        turn."""
        asked = self.asked
        if asked is None or moment.foreign or moment.turn == asked.turn:
            return call_name(moment)
        return f"{call_name(moment)} of turn {moment.turn}"


def call_name(moment: Moment) -> str:
    """How a moment is called."""
    if moment.foreign:
        return f"model call {moment.id}"
    return f"call {moment.number}" if moment.number is not None else f"call {moment.id}"


def quote_of(node: Node) -> str:
    """The words around the value in a piece."""
    parts = node.piece.parts or ()
    if node.carried.part >= len(parts):
        return ""
    return excerpt(parts[node.carried.part].text, node.carried.found)


def excerpt(text: str, found: tuple[Stretch, ...]) -> str:
    """The stretch of a text around a place, at most `QUOTE` characters, cut at blanks."""
    if len(text) <= QUOTE:
        return text
    at = found[0] if found else Stretch(0, 0)
    start = max(0, at.start - (QUOTE - (at.end - at.start)) // 2)
    end = min(len(text), start + QUOTE)
    start = max(0, min(start, end - QUOTE))
    if start and (blank := text.find(" ", start, at.start)) >= 0:
        start = blank + 1
    if end < len(text) and (blank := text.rfind(" ", at.end, end)) > 0:
        end = blank
    return ("\u2026 " if start else "") + text[start:end] + (" \u2026" if end < len(text) else "")


def _origins(order: Order) -> list[Node]:
    """Where a value most likely came from: the first suspect, or those of its tie."""
    return [n for n, rank in zip(order.nodes, order.ranks(), strict=True) if rank == 1][:2]


def _recorded(order: Order, row: ArgumentRow | None) -> list[Node]:
    """The carriers that the record of an argument's source names."""
    if row is None:
        return []
    keys = {ref.key[:32] for ref in row.carriers if ref.key}
    return [
        n for n in order.nodes
        if n.piece.key[:32] in keys or (row.result and n.piece.id == row.result)
    ][:2]  # fmt: skip


def _leaves(text: str) -> list[Leaf]:
    parsed = json_or_text(text)
    if isinstance(parsed, dict):
        parsed = {key: value for key, value in parsed.items() if key != RESERVED}
    return list(leaves(parsed))[:ARGUMENTS]


def _asks(piece: Piece) -> bool:
    return any(p.kind == "tool_call" for p in piece.parts or ())


_VERDICTS: Final[dict[str, tuple[str, End]]] = {
    "said": ("a person said it", "person"),
    "answered": ("a person gave it when asked", "person"),
    "result": ("an earlier result gave it", ""),
    "app": ("the application's text gave it", "app"),
    "default": ("the declared default", "default"),
    "model": ("the model chose it", "model"),
    "hint": ("some piece carries it, and no source was declared", ""),
    "nowhere": ("no piece carries it, the model chose it", "model"),
    "uncheckable": ("its source cannot be told", "gap"),
}


def _declared(hop: Hop, row: ArgumentRow, run: ToolRun) -> Hop:
    """The hop of an argument with what the record of its source says; the record goes first."""
    word, end = _verdict(row)
    value, quote = hop.value, hop.quote
    asked = row.verdict == "answered" and (row.claimed != "turn" or row.proposed is not None)
    if asked and row.value is None:
        value = ""
        word += "; the value that the tool got is not on the trail"
    elif asked:
        value = row.value or ""
        if row.proposed not in (None, row.value):
            quote = row.proposed or ""
            word += ", in place of what the model wrote"
    causes = () if asked or end in ("model", "default") else hop.causes
    return replace(
        hop, what=f"{hop.what.partition(':')[0]}: {word}", value=value, quote=quote, causes=causes,
        end="" if causes else end or hop.end,
        ground=run.ground._replace(event=names.EVENT_ARGUMENT),
    )  # fmt: skip


def _put_in(run: ToolRun) -> Iterator[Hop]:
    """The arguments that a tool got and that may not stand in the model's own call."""
    for row in run.arguments:
        if row.verdict in ("answered", "default"):
            word, end = _verdict(row)
            yield Hop(
                "argument", f"argument {row.argument}: {word}", value=row.value or "", end=end,
                ground=run.ground._replace(event=names.EVENT_ARGUMENT),
            )  # fmt: skip


def _verdict(row: ArgumentRow) -> tuple[str, End]:
    """What the record of an argument's source says."""
    word = row.verdict or ""
    said, end = _VERDICTS.get(word, (f"verdict {word or 'not given'}", "gap"))
    if row.claimed != "none":
        said += f" (declared: {row.claimed})"
    if row.failed:
        said += f", the declaration did not hold: {row.failed}"
    if row.result:
        said += f", tool call {row.result}"
    return said, end
