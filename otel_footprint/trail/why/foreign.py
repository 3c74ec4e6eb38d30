"""Moments of model calls that other instrumentations recorded."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from ...records.trail import Span
from ...records.why import Ground
from ...telemetry import names
from ...wire.types import Part
from .. import foreign, values
from ..messages import Said, messages_of, tool_of
from .view import Moment, Piece, Sight, ToolRun, View

if TYPE_CHECKING:
    from ..reader import Trail

Key = tuple[str, str]
_UNNAMED: Final = "another instrumentation"
"""Stands for a scope that a store has lost."""


class ForeignMoments:
    """Puts calls that are not ours into a view, each piece of a trace once."""

    def __init__(self, trail: Trail, view: View) -> None:
        self.view = view
        self.spans = {(s.trace_id, s.span_id): s for s in trail.spans}
        self.ours = {(c.trace_id, c.span_id) for c in trail.calls if c.span_id}
        self.pieces: dict[tuple[str, str], Piece] = {}
        self.kinds = {key: foreign.kind(s) for key, s in self.spans.items() if not _is_ours(s)}

    def add(self) -> None:
        """The calls in the order of their beginning, and the tool calls among them."""
        for key in sorted((k for k, kind in self.kinds.items() if kind == "tool"), key=self._start):
            self._add_tool(self.spans[key])
        found = {k: m for k, kind in self.kinds.items() if kind == "call"
                 and not self._covered(k) and (m := messages_of(self.spans[k]))}  # fmt: skip
        found = {k: m for k, m in found.items() if not self._has_above(k, set(found))}
        traces = {trace for trace, _ in found} | {trace for trace, _ in self.ours}
        for key, said in sorted(found.items(), key=lambda kv: self._start(kv[0])):
            self._add_call(self.spans[key], said)
        self._add_agents(traces)

    # --- which spans are calls -------------------------------------------------------------

    def _start(self, key: Key) -> tuple[int, str]:
        return self.spans[key].start or 0, key[1]

    def _above(self, key: Key) -> list[Key]:
        out: list[Key] = []
        span = self.spans.get(key)
        while span is not None and span.parent_id and len(out) < 100:
            above = (span.trace_id, span.parent_id)
            if above in out:
                break
            out.append(above)
            span = self.spans.get(above)
        return out

    def _covered(self, key: Key) -> bool:
        """True for a call that we recorded ourselves, on this span or one around it."""
        span = self.spans[key]
        if values.text(span.attributes, names.CALL_ID) or key in self.ours:
            return True
        return any(above in self.ours for above in self._above(key)) or any(
            key in self._above(own) for own in self.ours if own[0] == key[0]
        )

    def _has_above(self, key: Key, calls: set[Key]) -> bool:
        """True for the inner one of two spans of one call."""
        return any(above in calls for above in self._above(key))

    # --- adding ----------------------------------------------------------------------------

    def _add_tool(self, span: Span) -> ToolRun:
        said = tool_of(span)
        name = foreign.tool(span.attributes) or span.name
        run = ToolRun(name, said.id, _ground(span), argument_text=said.arguments)
        run.result_text = said.result
        self.view.nested = True
        run.above = frozenset(id_ for _, id_ in self._above((span.trace_id, span.span_id)))
        self.view.tools.setdefault((span.trace_id, said.id), []).append(run)
        return run

    def _add_call(self, span: Span, said: list[Said]) -> Moment:
        moment = Moment(
            index=len(self.view.moments), id=span.span_id, number=None, turn=span.trace_id,
            ledger="", ground=_ground(span), foreign=span.scope or _UNNAMED, start=span.start or 0,
        )  # fmt: skip
        self.view.moments.append(moment)
        front: list[Sight] = []
        output: list[Sight] = []
        counts: dict[str, int] = {}
        for each in said:
            position = counts.get(each.slot, 0)
            counts[each.slot] = position + 1
            piece = self._piece(span.trace_id, each)
            sight = Sight(piece, moment.index, each.slot, position, _ground(span, each.event))
            if each.slot == "output":
                if piece.written is None and piece.begun is None:
                    piece.written = moment.index
                output.append(sight)
            else:
                if piece.begun is None:
                    piece.begun = moment.index
                front.append(sight)
        made = tuple(front)
        moment.make, moment.output = (lambda _: made), tuple(output)
        return moment

    def _add_agents(self, traces: set[str]) -> None:
        """Of a trace without any model call the outermost agent: its question and its answer.

        What its tools gave back stands before the answer, in the order of their ends.
        """
        found = {k: m for k, kind in self.kinds.items() if kind == "agent" and k[0] not in traces
                 and (m := messages_of(self.spans[k]))}  # fmt: skip
        for key, said in sorted(found.items(), key=lambda kv: self._start(kv[0])):
            if self._has_above(key, set(found)):
                continue
            tools = [
                s for k, s in self.spans.items()
                if self.kinds.get(k) == "tool" and key in self._above(k)
            ]  # fmt: skip
            more: list[Said] = []
            for span in sorted(tools, key=lambda s: s.end or s.start or 0):
                told = tool_of(span)
                id_ = told.id or span.span_id
                if told.result is not None:
                    part = Part("tool_result", told.result, foreign.tool(span.attributes), id_)
                    more.append(Said("messages", "tool", "tool-result", (part,), id_))
                    run = self.view.tools.get((span.trace_id, told.id), [])
                    self.view.tools[span.trace_id, id_] = [
                        r for r in run if r.ground.span_id == span.span_id
                    ] or run
            answer = [s for s in said if s.slot == "output"][-1:]
            self._add_call(self.spans[key], [s for s in said if s.slot != "output"] + more + answer)

    def _piece(self, trace: str, said: Said) -> Piece:
        """One piece for equal texts of one source: an output is known when it comes back."""
        made = [(p.kind, p.name, _plain(p.text)) for p in said.parts]
        identity = json.dumps([said.source, said.id, made], ensure_ascii=False)
        hash_ = sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        piece = self.pieces.get((trace, hash_))
        if piece is None:
            piece = Piece(hash_, said.source, said.role, said.id, "", lambda: said.parts)
            self.pieces[trace, hash_] = piece
        return piece


def _plain(text: str) -> str:
    """JSON in one spelling, any other text without blanks at its ends."""
    try:
        return json.dumps(json.loads(text), sort_keys=True)
    except (ValueError, RecursionError):
        return text.strip()


def _ground(span: Span, event: str = "") -> Ground:
    return Ground(span.trace_id, span.span_id, event, span.scope or _UNNAMED)


def _is_ours(span: Span) -> bool:
    return span.scope == names.SCOPE
