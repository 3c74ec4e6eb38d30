"""One model call: composed before it leaves, finished when its answer is there or given up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, Final

from ..config import SLOTS
from ..records import digest
from ..slots.entry import Fresh
from ..slots.lineage import Composition
from ..telemetry import inference, names
from ..telemetry.guard import guard
from ..telemetry.instant import put
from ..telemetry.spans import annotate, current, ids
from ..text import jsontext
from ..wire import credentials
from ..wire.types import Dialect, Facts, Layout, Response
from . import parts as p
from . import pressure, standard, summary
from .compose import EVENTS, Maker, Origin, SlotState, compose
from .params import params

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span

    from .turn import Turn

COMPLETE: Final = "complete"
CUT: Final = "cut"
UNREAD: Final = "unread"
NO_ORIGINS: Final[Mapping[int, Origin]] = {}


class Call:
    """A call under way: `begin`, then one of `finish`, `fail`, `abandon`; later ones do nothing."""

    __slots__ = (
        "__weakref__",
        "adopted",
        "attempts",
        "body",
        "bounds",
        "by_another",
        "call_id",
        "came_in",
        "chunks",
        "composed",
        "content",
        "core",
        "counted",
        "dialect",
        "ended_at",
        "facts",
        "first_chunk",
        "foreign",
        "held",
        "index",
        "inner",
        "ledger",
        "let_out",
        "lines",
        "model",
        "notes",
        "origins",
        "over",
        "owed",
        "own",
        "params",
        "parent",
        "planted",
        "provider",
        "request_bytes",
        "settled",
        "slots",
        "spent",
        "started",
        "trace_id",
        "turn",
        "went_out",
        "window",
    )

    def __init__(self, turn: Turn, dialect: Dialect, provider: str, parent: Context) -> None:
        self.turn = turn
        self.core = turn.core
        self.content = turn.content
        self.ledger = turn.ledger
        self.trace_id = turn.trace_id
        self.dialect = dialect
        self.provider = provider
        self.parent = parent
        """Context in which the call's spans stand."""
        self.started = turn.core.clock()
        self.lines: list[str] = []
        self.attempts = 1
        """HTTP requests that were sent for it."""
        self.chunks = 0
        """Events of its stream."""
        self.first_chunk: int | None = None
        """When the first bytes of its stream came, in ns since the epoch."""
        self.ended_at: int | None = None
        """When its answer was whole, in ns since the epoch; None: when it is read."""
        self.request_bytes = 0
        """Of the HTTP body that left; 0: not seen."""
        self.settled = False
        self.spent = 0
        """Our own inline time so far, in ns."""
        self.came_in: dict[tuple[str, str], int] = {}
        """Pieces that came in, by slot and source."""
        self.planted = 0
        """Characters that the library planted into the tools."""
        self.went_out: dict[str, int] = {}
        """Pieces that left, by slot."""
        self.let_out: dict[tuple[str, str], int] = {}
        """Those among them that went on our account, by slot and reason."""
        self.origins: Mapping[int, Origin] = NO_ORIGINS
        """What of ours is in the request, by the id of the element it is in."""
        self.composed: tuple[Composition, ...] = ()
        """Its slots as they were composed; kept only where something declared looks at them."""
        self.notes: dict[str, list[tuple[str, dict[str, Any]]]] = {}
        """Events to be written: by the slot on whose span they stand, else on the call's own."""
        self.inner = False
        """True when another instrumentation will open the inference span beneath us."""
        self.by_another = False
        """True while another instrumentation's wrapper, which called us, has not returned."""
        self.owed: tuple[dict[str, Any], str | None, int] | None = None
        """Our inference span, for when that wrapper opens none: attributes, error, end."""
        self.own: Span | None = None
        """Our inference span."""
        self.foreign: Span | None = None
        """Another instrumentation's inference span."""
        self.adopted = False
        """True once a foreign span took this call; the span processor sets it."""
        self.held: tuple[int, ...] = ()
        """What each slot holds, in the budget's unit."""
        self.counted: tuple[int, ...] = ()
        """The same as it counts against the caps."""
        self.over: list[int] = []
        """Positions of the slots that are over their cap."""

    def note(self, event: tuple[str, dict[str, Any]], slot: str = "") -> None:
        """Takes an event for the call's span, or for that of a slot."""
        self.notes.setdefault(slot, []).append(event)

    def secrets(self) -> tuple[str, ...]:
        """Credentials in the request's body, to be kept off every record."""
        return credentials(self.body)

    def adopt(self, span: Span) -> None:
        """Takes another instrumentation's inference span, which has just started for us."""
        if self.own is not None:  # it came unannounced: ours stays, theirs has the call's id
            return
        self.foreign = span
        summary.on_foreign(self, span)
        owed, self.owed = self.owed, None
        if owed is not None:
            annotate(span, {k: v for k, v in owed[0].items() if k in names.FOREIGN_SPAN})

    def pay(self) -> None:
        """Opens our inference span after all: the wrapper around us opened none."""
        owed, self.owed = self.owed, None
        if owed is None or self.foreign is not None:
            return
        self.adopted = True
        attributes, error, end = owed
        span = self._open(self.started)
        span.set_attributes(attributes)
        if error is not None:
            summary.mark_error(span)
        span.end(end)

    # --- before ------------------------------------------------------------------------------

    def begin(
        self, body: dict[str, Any], layout: Layout, facts: Facts, model: str | None = None
    ) -> None:
        """Composes and writes what changed; opens our span where no other does."""
        clock = perf_counter_ns()
        with self.ledger.lock:
            self.call_id, self.index = self.ledger.next_call()
            self.body: dict[str, Any] = body
            self.bounds: p.Bounds = self.core.bounds()
            self.slots: list[SlotState] = compose(self, layout)
            pressure.weigh(self)
            if self.turn.features is not None:
                lineages = self.ledger.memory.lineages
                self.composed = tuple(lineages[slot].recent[0] for slot in SLOTS)
            self.facts = facts
            self.model = summary.said(self, model or self.facts.model or "")
            self.window = summary.window(self)
            self.params = params(self, layout) if self.ledger.recording else ("", "")
        self.started = self.core.clock()  # after what it was composed of: pages sort by time
        outer = self._outer()
        if outer is not None:
            self.adopted, self.foreign = True, outer
            summary.on_foreign(self, outer)
        elif not self.inner and not self.by_another and self.ledger.recording:
            self.own = self._open(self.started, layout)
        pressure.warn(self)
        self.spent += perf_counter_ns() - clock

    def _outer(self) -> Span | None:
        """The inference span that another instrumentation has opened around us."""
        span = current()
        if span is not self.turn.span and span.is_recording() and inference.is_inference(span):
            return span
        inference.wait(None)
        found: Span | None = inference.last_started() if self.by_another else None
        return found

    def _open(self, start: int, layout: Layout | None = None) -> Span:
        if not self.ledger.recording:  # of a trace that was sampled out no sampler is asked again
            return self.turn.stand_in
        name = f"{names.SPAN_CALL} {self.model}" if self.model else names.SPAN_CALL
        span = self.core.spans.start(
            name, self.parent, summary.request(self), client=True, start=start
        )
        if span.is_recording():
            put(span, summary.details(self))
            said = {} if layout is None else standard.request(self, layout)
            if said:
                put(span, said)
        return span

    # --- after -------------------------------------------------------------------------------

    def finish(self, response: Response | None, state: str = COMPLETE) -> None:
        """The answer is there; None when it could not be read.

        Its values are nobody else's: what came back is told by comparing with them.
        """
        if self._settle():
            self._close(response, state, None)

    def fail(self, error: BaseException) -> None:
        """The call raised."""
        if self._settle():
            self._close(None, UNREAD, type(error).__qualname__)

    def abandon(self, response: Response | None = None, error: str = "") -> None:
        """The caller left a stream early, or never read it; or an error of this type ended it."""
        if self._settle():
            self._close(response, CUT, summary.said(self, error) if error else None)

    def _settle(self) -> bool:
        first, self.settled = not self.settled, True
        return first and not self.turn.inherited

    def _close(self, response: Response | None, state: str, error: str | None) -> None:
        clock = perf_counter_ns()
        now = self.ended_at or self.core.clock()
        span = self.foreign
        if span is None and not self._owing():
            self.adopted = True
            span = self.own = self.own if self.own is not None else self._open(self.started)
        attributes: dict[str, Any] = {}
        if self.foreign is not None:
            attributes = summary.outcome(self, state)
        elif span is None or span.is_recording():
            attributes = summary.response(self, response, state, error)
        with guard("call.close"):
            self._record(span, response, state, attributes, now)
        if span is None:
            self._owe(attributes, error, now)
        elif self.foreign is None:
            if attributes:
                put(span, attributes)
        elif span.is_recording():
            annotate(span, attributes)
        if span is not None and self.foreign is None:
            if error is not None:
                summary.mark_error(span)
            span.end(now)
        self.spent += perf_counter_ns() - clock
        summary.measure(self, response, current() if span is None else span)
        self.turn.call_ended(response)

    def left(self) -> None:
        """Our part of the call is over: what starts for it from now on starts after it."""
        if self.by_another and not self.adopted:
            inference.wait(self)
        self.by_another = False

    def _owing(self) -> bool:
        """True while another's inference span may still come, after our call."""
        return self.by_another and self.own is None

    def _owe(self, attributes: dict[str, Any], error: str | None, now: int) -> None:
        self.owed = attributes, error, now
        self.turn.owe(self)

    def _record(
        self,
        span: Span | None,
        response: Response | None,
        state: str,
        attributes: dict[str, Any],
        now: int,
    ) -> None:
        """Writes the call's own record: output, parameters, digest."""
        if not self.ledger.recording:
            return
        record = attributes
        if span is not None and self.foreign is None:
            holder = span
        else:
            record = summary.record(self)
            holder = self.core.spans.start(
                names.SPAN_CALL_RECORD, self.parent, {names.CALL_ID: self.call_id}, start=now
            )
        fresh = self._output(response)
        if self.foreign is None:
            attributes.update(standard.output(self, fresh))
        for event in pressure.of_call(self):
            self.core.spans.event(
                holder, names.EVENT_PRESSURE, event, now, {names.CALL_ID: self.call_id}
            )
        self._write_notes(holder, now)
        with self.ledger.lock:
            for f in fresh:
                self.ledger.memory.outputs.append((f.value, f))
            exacts = self._write_output(holder, response, fresh)
            seq = self.ledger.next_record()
            hashes = [f.entry.hash for f in fresh]
            self.lines.append(
                digest.call_line(
                    seq,
                    self.call_id,
                    self.params[0],
                    [s.digest for s in self.slots],
                    self.held,
                    hashes,
                    state,
                )
            )
            sealed = self.ledger.seal(self.lines)
            self.ledger.memory.texts.handed_over(ids(holder)[1], exacts)
        record[names.SEQ] = seq
        record[names.DIGEST] = sealed
        if holder is not span:
            record.update(summary.outcome(self, state))
            put(holder, record)
            holder.end(now)

    def _write_notes(self, holder: Span, now: int) -> None:
        """Events of the call, and those of slots that were not written; many on more spans."""
        if not self.notes:
            return
        left = [event for events in self.notes.values() for event in events]
        self.notes = {}
        said = {names.CALL_ID: self.call_id}
        for name, event in left[:EVENTS]:
            self.core.spans.event(holder, name, event, now, said)
        for at in range(EVENTS, len(left), EVENTS):
            more = left[at : at + EVENTS]
            whose = {**said, **self.turn.who}
            self.core.spans.instant(names.SPAN_EVENTS, self.parent, whose, more, now)

    def _output(self, response: Response | None) -> list[Fresh]:
        if response is None:
            return []
        maker = Maker(self, "output")
        redact = self.content.redactor.value if self.content.redacts else None
        out = []
        for item in response.items:
            if redact is not None:
                item = item._replace(value=redact(item.value, "output"))
            fresh = maker.fresh(item)
            out.append(fresh)
        return out

    def _extra(self, event: dict[str, Any], extra: Sequence[dict[str, Any]]) -> None:
        """Null and empty keys of the output, which the pieces leave out; once while unchanged."""
        if not self.content.writes:
            return
        texts = [jsontext.dumps(e) if e else "" for e in extra]
        if texts != self.ledger.memory.extra and (any(texts) or self.ledger.memory.extra):
            event[names.OUTPUT_EXTRA] = texts
            self.ledger.memory.extra = texts

    def _write_output(
        self, holder: Span, response: Response | None, fresh: list[Fresh]
    ) -> list[str]:
        """The output, on the call's span and further ones; the texts that the span holds."""
        exacts: list[str] = []
        spans = self.core.spans
        if not fresh or response is None:
            return exacts
        made = p.trim(
            p.build(
                fresh,
                self.ledger.memory.texts,
                self.content.writes,
                self.bounds,
                self.core.find_media,
                self.trace_id,
            )
        )
        for number, part in enumerate(made, 1):
            event = p.columns(part, self.bounds.chunk, sources=False)
            if len(made) > 1:
                event[names.PART], event[names.PARTS] = number, len(made)
            if number == 1:
                self._extra(event, response.extra)
                exacts += part.exacts
                spans.event(holder, names.EVENT_OUTPUT, event, None, {names.CALL_ID: self.call_id})
                continue
            spans.instant(
                names.SPAN_OUTPUT,
                self.parent,
                {names.CALL_ID: self.call_id},
                [(names.EVENT_OUTPUT, event)],
                self.started,
                before=partial(self.ledger.memory.texts.handed_over, exacts=part.exacts),
            )
        return exacts
