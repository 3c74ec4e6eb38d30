"""Declared sources of arguments as a feature of a turn: `run.sources` decides, this binds it.

Rows go on the span of the tool call they belong to; those of calls that did not run through us,
on a span of no length (`events`) once their results are in front of the model, or at the end.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ..arguments import ToolCall
from ..records.arguments import ArgumentRow, Standing
from ..records.plan import AppendToResult, EndAnswer, OfferTool, Plan
from ..records.view import ToolStatus
from ..slots.lineage import Composition
from ..telemetry import names
from ..telemetry.spans import ids, link
from ..wire.toolspec import ToolSpec, tool_spec
from . import argument_events as events
from . import asking
from .ahead import AHEAD
from .batches import Batch, Found, See, Sight, parsed
from .compose import LINKS
from .features import Action, Answer, Feature, ToolRun
from .passages import Passages
from .request import Request
from .sources import LeftOver, Offer, Run, Sources, prepared
from .talks import Declared, SpanIds
from .turn import PAUSED

if TYPE_CHECKING:
    from .call import Call
    from .turn import Turn

OFFERS: Final = 32
"""Requests under way whose offer is remembered."""
ORIGIN: Final = "source"
"""Type of the link from a tool call to the one that produced a value."""


class Sourcing(Feature):
    """Where the arguments of one turn come from."""

    name = "arguments"

    def __init__(self, declared: Declared, runs_here: Callable[[str], bool], turn: Turn) -> None:
        self.turn = turn
        self.declared = declared
        self.runs_here = runs_here
        """True for a tool whose execution passes through us, whatever the loop."""
        self.sources = Sources(declared, turn.conversation, turn.fields.resume is not None)
        self.passages = Passages()
        self._offers: OrderedDict[int, tuple[Request, Offer]] = OrderedDict()
        """By a request's object id, which the request itself holds."""
        self._notes: dict[int, tuple[str, ...]] = {}
        """Texts to go behind the results of calls that are running."""
        declared.turns.add(self)

    def saved(self) -> dict[str, Any]:
        """What was answered, as JSON."""
        return self.sources.saved()

    def restore(self, saved: Any, goes_on: bool) -> None:
        """See `Feature`: answers are the conversation's."""
        if isinstance(saved, Mapping):
            self.sources.restore(saved, goes_on)

    # --- model calls -------------------------------------------------------------------------

    def plan(self, request: Request) -> Plan:
        """See `Feature`: plants the reserved argument where it can be taken out again."""
        edits = request.plan.tools
        offered = [
            ToolSpec(edit.name, edit.schema)
            for edit in edits
            if isinstance(edit, OfferTool) and edit.schema is not None and edit.raw is not None
        ]
        ours = request.abilities.ours
        specs = [
            spec
            for definition in request.layout.tools
            if (spec := tool_spec(definition)) is not None and spec.name not in ours
        ]
        abilities = request.abilities
        offer = self.sources.offer(
            [*specs, *offered],
            lambda name: abilities.dispatch or self.runs_here(name),
            abilities.validated,
        )
        self._offers[id(request)] = request, offer
        if len(self._offers) > OFFERS:
            self._offers.popitem(last=False)
        return offer.plan

    def composed(self, action: Action, call: Call) -> None:
        """See `Feature`: what is withheld, and calls whose results came back without us."""
        found = self._offers.get(id(action.request))
        if found is None:
            return
        call.planted = found[1].added
        for tool, reason in found[1].withheld:
            call.note(events.withheld_event(tool, reason, call.content))

    def began(self, call: Call) -> None:
        """See `Feature`: while the model thinks its texts are made ready for search."""
        dialect, slots = call.dialect, call.composed
        if slots and slots[2].elements:
            AHEAD.put(lambda: prepared(lambda: self.passages.of(dialect, slots)))

    def answered(self, action: Action, answer: Answer) -> EndAnswer | None:
        """See `Feature`: the batch of tool calls, and what was in front of the model."""
        found = self._offers.pop(id(action.request), None)
        planted = found[1].planted if found is not None else {}
        call = action.call
        self._over(self._results(action))
        if not any(part.kind == "tool_call" for part in answer.parts):
            return None
        asked = []
        for one in answer.asked:
            strict = planted.get(one.name)
            arguments = parsed(one.arguments)
            asked.append(
                ToolCall(one.call_id, one.name, arguments, strict is not None, bool(strict))
            )
            if call is not None and (span := call.own or call.foreign) is not None:
                self.sources.talk.produced(one.call_id, ids(span))
        for edit in action.plan.history:
            if isinstance(edit, AppendToResult):
                self.sources.talk.wrote(edit.text)
        slots = self._slots(action)
        dialect = action.request.dialect

        def see() -> Sight:
            return self.passages.of(dialect, slots)

        context = self.turn.context if call is None else call.parent
        where = "" if call is None else call.call_id, context, self.turn.core.clock()
        for left in self.sources.answered(asked, see, *where):
            self._write_left(left)
        theirs = _run_by_provider(answer)
        left_over = self.sources.elsewhere(theirs, lambda: _within(see()), *where)
        if left_over is not None:
            self._write_left(left_over)
        return None

    def observed(self, action: Action, answer: Answer) -> None:
        """See `Feature`: nothing was planted, so tool calls that do not run here get hints."""
        for definition in action.request.layout.tools:
            spec = tool_spec(definition)
            if spec is not None:
                self.sources.learn(spec)
        self.answered(action, answer)

    def _slots(self, action: Action) -> tuple[Composition, ...]:
        if action.call is not None and action.call.composed:
            return tuple(action.call.composed)
        sent = action.request.dialect.layout(dict(action.sent))
        return tuple(
            Composition(list(elements), [], None)
            for elements in (sent.system, sent.messages, sent.tools)
        )

    def _results(self, action: Action) -> frozenset[str]:
        """Ids of the results that were in front of the model; of a call without an id, empty."""
        if not self.sources.batches.open():
            return frozenset()
        dialect, messages = action.request.dialect, self._slots(action)[1]
        if messages.entries:
            return frozenset(e.id for e in messages.entries if e.source == "tool-result") | {""}
        items = (i for e in messages.elements for i in dialect.items("messages", e))
        return frozenset(i.id for i in items if i.source == "tool-result") | {""}

    def _over(self, results: frozenset[str]) -> None:
        if results:
            for left in self.sources.left_over(results.__contains__):
                self._write_left(left)

    # --- tool calls --------------------------------------------------------------------------

    def before_tool(self, run: ToolRun) -> None:
        """See `Feature`: what the tool runs with, once its batch is settled."""
        if run.instead is not None:
            return
        found = self._find(run)
        batch = found.batch
        with batch.lock:
            can_ask = asking.has_asker(self.declared.arguments, awaits=False)
            while batch.decision is None:
                decision = self.sources.settle(batch, self.turn.core.clock(), can_ask)
                if decision.ask is not None:
                    replies, can_ask = asking.ask(self.declared.arguments, decision.ask)
                    self.sources.reply(batch, replies)
        self._begin(run, self.sources.run(found, run.arguments))

    async def before_tool_async(self, run: ToolRun) -> None:
        """See `Feature`: the same, where a person is awaited and other calls go on."""
        if run.instead is not None:
            return
        found = self._find(run)
        batch = found.batch
        if batch.waiting is None:
            batch.waiting = asyncio.Lock()
        async with batch.waiting:
            can_ask = asking.has_asker(self.declared.arguments, awaits=True)
            while batch.decision is None:
                decision = self.sources.settle(batch, self.turn.core.clock(), can_ask)
                if decision.ask is not None:
                    replies, can_ask = await asking.ask_async(self.declared.arguments, decision.ask)
                    self.sources.reply(batch, replies)
        self._begin(run, self.sources.run(found, run.arguments))

    def _find(self, run: ToolRun) -> Found:
        found = self.sources.find(run.name, run.call_id, run.arguments)
        if found is None and self.sources.goes_on_with_waiting():
            found = self.sources.find(run.name, run.call_id, run.arguments)
        return found or self.sources.unknown(run.name, run.call_id, run.arguments)

    def _begin(self, run: ToolRun, ran: Run) -> None:
        """The call runs, or not: arguments, events, links."""
        run.arguments = ran.arguments
        if ran.notes:
            self._notes[id(run)] = ran.notes
        if ran.refused is not None:
            run.instead, run.status = ran.refused, "refused"
        if run.record is None:
            self._count(ran.rows)
            return
        span = run.record.ids
        if span is not None:
            self.sources.talk.produced(run.call_id, span)
        content = self.turn.content
        run.events += [events.event_of(row, content) for row, _ in ran.asked]
        made, over = events.events_of(ran.rows, content)
        run.events += made
        run.record.say(events.counts(ran.rows, ran.malformed, ran.left_out + over))
        for trace_id, span_id in self._origins(ran.rows):
            run.record.link(trace_id, span_id, ORIGIN)
        self._count(ran.rows)

    def after_tool(self, run: ToolRun, status: ToolStatus, result: Any) -> None:  # noqa: ARG002
        """See `Feature`: notes go behind a text at once, else behind the result in requests."""
        for text in self._notes.pop(id(run), ()):
            if type(result) is str and run.instead is None:
                run.notes.append("\n\n" + text)
            else:
                self.sources.talk.note(run.call_id, text)
        for text in run.notes:
            self.sources.talk.wrote(text)

    # --- asking through a framework's own interrupt --------------------------------------------

    def pending(self, calls: Sequence[ToolCall], see: See) -> Batch:
        """The batch of an answer's tool calls, in front of all of them.

        That is the one that the answer began, also in a turn that was paused since; `see` stands
        in where no process remembers it.
        """
        self.sources.goes_on_with_waiting()
        for batch in reversed(self.sources.batches.all()):
            if [c.id for c in batch.calls] == [c.id for c in calls]:
                self.sources.again(batch)
                return batch
        planted = self.declared.served
        found = [
            call._replace(
                planted=self.sources.is_planted(call), strict=planted.get(call.tool, False)
            )
            for call in calls
        ]
        self.sources.answered(found, see, "", self.turn.context, self.turn.core.clock())
        return self.sources.batches.all()[-1]

    def question(self, batch: Batch) -> dict[str, Any] | None:
        """What a person has to be asked before anything of a batch runs; None: it is settled."""
        ask = self.sources.settle(batch, self.turn.core.clock()).ask
        return None if ask is None else ask.payload()

    def replied(self, batch: Batch, replies: Any) -> None:
        """What a person answered; that it was asked is on the record already."""
        batch.asked = []
        self.sources.reply(batch, replies)

    def waits(self, batch: Batch) -> None:
        """The framework pauses for a person: what is asked goes on the record now."""
        rows, batch.asked = [row for _, row, _ in batch.asked], []
        if rows and self.turn.ledger.recording:
            made = [events.event_of(row, self.turn.content) for row in rows]
            said = {names.CALL_ID: batch.at} if batch.at else {names.TURN_ID: self.turn.said_id}
            context = batch.context if batch.at else self.turn.context
            self.turn.core.spans.instant(
                names.SPAN_EVENTS, context, {**said, **self.turn.who}, made, self.turn.core.clock()
            )
        self._count(rows)

    # --- the turn ----------------------------------------------------------------------------

    def standing(self) -> Standing:
        """How the answer stands by the arguments of the turn so far."""
        return self.sources.standing()

    def confirm(self) -> None:
        """A person or a check has confirmed the answer."""
        self.sources.known = True

    def follows(self, earlier: Any) -> None:
        """See `Feature`: answers and notes are those of the conversation."""
        if isinstance(earlier, Sourcing) and not self.turn.conversation:
            self.sources.goes_on(earlier.sources)

    def ended(self, outcome: str) -> None:
        """See `Feature`: what did not run through us, and the standing."""
        self.declared.turns.discard(self)
        if outcome == PAUSED:
            self.sources.waits()
        for left in self.sources.left_over():
            self._write_left(left)
        if self.sources.has_rows:
            name, attributes = events.standing_event(self.standing(), self.turn.content)
            self.turn.event(name, attributes)
            self.turn.say({names.STANDING_WORD: attributes[names.STANDING_WORD]})

    # --- writing -----------------------------------------------------------------------------

    def _write_left(self, left: LeftOver) -> None:
        """The rows of calls that did not run through us, on spans of no length."""
        self._count(left.rows)
        turn, at = self.turn, left.batch.at
        if not at or not turn.ledger.recording:
            return
        made = [events.event_of(row, turn.content) for row in left.rows]
        whose: dict[str, Any] = {names.CALL_ID: at, **turn.who}
        said = {**whose, **events.counts(left.rows, left.malformed, left.left_out)}
        spans = turn.core.spans
        for first in range(0, len(made), events.EVENTS):
            part = made[first : first + events.EVENTS]
            origins = self._origins(left.rows[first : first + events.EVENTS])
            links = [link(*span, ORIGIN) for span in origins]
            spans.instant(
                names.SPAN_EVENTS, left.batch.context, said, part, left.batch.time, links=links
            )
            said = whose

    def _origins(self, rows: Sequence[ArgumentRow]) -> list[SpanIds]:
        """The spans of the calls that produced the values of these rows."""
        found = {
            span: None
            for row in rows
            for call_id in row.produced_by
            if (span := self.sources.talk.producer(call_id)) is not None
        }
        return list(found)[:LINKS]

    def _count(self, rows: Sequence[ArgumentRow]) -> None:
        content, metrics = self.turn.content, self.turn.core.metrics
        kinds = Counter((r.tool, r.verdict or "asked", r.failed or "") for r in rows)
        for (tool, verdict, why), n in kinds.items():
            labels = (
                (names.AGENT, self.turn.said_agent),
                (names.TOOL_NAME, content.redactor.text(tool, "tool name")),
                (names.LABEL_VERDICT, verdict),
                (names.LABEL_FAILED, why),
            )
            metrics.count(names.METRIC_ARGUMENTS, labels, n, self.turn.span_context)


def _run_by_provider(answer: Answer) -> list[ToolCall]:
    """Tool calls of an answer that the application does not run."""
    asked = {(one.name, one.call_id) for one in answer.asked}
    return [
        ToolCall(part.id, part.name, parsed(part.text))
        for part in answer.parts
        if part.kind == "tool_call" and part.name and (part.name, part.id) not in asked
    ]


def _within(sight: Sight) -> Sight:
    """What was in front of the model in the middle of its answer: results in it are not known."""
    return sight._replace(missing=sight.missing | {"result"})
