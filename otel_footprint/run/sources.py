"""The arguments' part of a turn: planted, taken out, checked, and remembered until it is written.

    offer     what is planted into the tools of a request, and what is withheld
    answered  the tool calls of an answer, and what was in front of the model
    find      the batch of a call that is about to run
    settle    decides on a whole batch, or says what a person has to be asked
    run       what one call runs with
    left_over the calls that were never run through us: hints only
    standing  how the answer stands

Nothing is written here and nothing waits; `run.sourcing` does both.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ..arguments import (
    RESERVED,
    ArgumentRow,
    Corpus,
    Decided,
    Decision,
    Prepared,
    Standing,
    ToolCall,
    accept,
    build_corpus,
    decide,
    peel,
    rewritten,
    standing,
)
from ..records.plan import NOTHING, Plan, PlantArgument
from ..text import jsontext
from ..wire.toolspec import ToolSpec
from .batches import Batch, Batches, Found, See, Sight
from .talks import Declared, Talk

LOG: Final = logging.getLogger("otel_footprint")
MAX_ROWS: Final = 8_192
"""Rows of a turn that its standing is told from."""
REASON: Final = 300
"""Characters of the reason why rules do not fit."""
_UNSEEN: Final = Sight((), missing=frozenset({"person", "result", "app", "tools"}))
_HINTS: Final = frozenset({"hint", "nowhere", "uncheckable"})


class Offer(NamedTuple):
    """What becomes of the tools of one request."""

    plan: Plan = NOTHING
    planted: Mapping[str, bool] = {}
    """Tools that are served with the reserved argument, and whether as nullable."""
    withheld: tuple[tuple[str, str], ...] = ()
    """Tools that are served without it, and why; also those whose rules do not fit them."""
    added: int = 0
    """Characters that are planted into the tools."""


class Run(NamedTuple):
    """What one call runs with."""

    arguments: Any
    """The object that was handed in when nothing is taken out or filled in."""
    rows: tuple[ArgumentRow, ...] = ()
    refused: str | None = None
    """Stands in place of the result; the tool does not run."""
    malformed: int = 0
    left_out: int = 0
    asked: tuple[tuple[ArgumentRow, int], ...] = ()
    """What a person was asked about it, with the time in ns."""
    notes: tuple[str, ...] = ()
    """Texts that go behind its result."""


class LeftOver(NamedTuple):
    """A batch with calls that did not run through us, and their rows."""

    batch: Batch
    rows: tuple[ArgumentRow, ...]
    malformed: int
    left_out: int


class Sources:
    """The arguments' part of one turn. Safe to use from several threads."""

    def __init__(
        self, declared: Declared, conversation: str | None = None, resumes: bool = False
    ) -> None:
        self.declared = declared
        self.talk: Talk = declared.talk(conversation)
        with self.talk.lock:
            if not resumes or not self.talk.turns:
                self.talk.turns += 1
            self.number = self.talk.turns
            """Turn of the conversation, as far as it is known."""
        self.batches = Batches()
        self.known = False
        """A person or a check has confirmed the answer."""
        self._rows: dict[tuple[str, str, str], ArgumentRow] = {}
        self._withheld: set[tuple[str, str]] = set()

    # --- the request -------------------------------------------------------------------------

    def offer(
        self,
        specs: Iterable[ToolSpec],
        runs_here: Callable[[str], bool],
        validated: bool = False,
    ) -> Offer:
        """Plants into the tools that run through us; the plan also puts notes behind results.

        `validated`: something else holds the arguments against a schema before we see them, so
        nothing is planted. What is withheld, and why, is said once a turn.
        """
        declared = self.declared
        edits: list[PlantArgument] = []
        planted: dict[str, bool] = {}
        withheld: list[tuple[str, str]] = []
        added = 0
        for spec in specs:
            self.learn(spec)
            problem = declared.bindings.of(spec.name)
            if isinstance(problem, str):
                self._withhold(spec.name, f"rules-do-not-fit: {problem}"[:REASON], withheld)
            if not declared.arguments.plants(spec.name):
                continue
            here = runs_here(spec.name)
            reason: str | None = "validated" if here and validated else "no-dispatcher"
            if here and not validated:
                made = declared.planter.plant(spec.name, spec.schema, spec.strict)
                edit = made.edit(spec.name)
                reason = made.reason
                if made.planted and edit is None and made.schema is not spec.schema:
                    reason = "reference"
                if reason is None:
                    planted[spec.name] = declared.served[spec.name] = made.strict
                    if edit is not None:
                        edits.append(edit)
                        added += made.added
            if reason is not None:
                self._withhold(spec.name, reason, withheld)
        notes = self.talk.notes()
        plan = Plan(history=notes, tools=tuple(edits)) if notes or edits else NOTHING
        return Offer(plan, planted, tuple(withheld), added)

    def _withhold(self, tool: str, reason: str, withheld: list[tuple[str, str]]) -> None:
        if (tool, reason) not in self._withheld:
            self._withheld.add((tool, reason))
            withheld.append((tool, reason))

    def learn(self, spec: ToolSpec) -> None:
        """Binds the rules of a tool that is seen while running; says once that they do not fit."""
        problem = self.declared.bindings.learn(spec.name, spec.schema)
        if problem is not None:
            LOG.warning("Calls of %s will be refused: %s", spec.name, problem)

    # --- the answer --------------------------------------------------------------------------

    def answered(
        self, calls: Sequence[ToolCall], see: See | None, at: str, context: Any, time: int
    ) -> list[LeftOver]:
        """Takes in the tool calls of an answer; gives what is forgotten for them.

        see: what was in front of the model. at: id of the model call. context: where a record of
        calls stands that do not run through us. time: in ns.
        """
        if not calls:
            return []
        gone = self.batches.add(Batch(calls, see, at, context, time))
        return [left for batch in gone if (left := self._left(batch, None)) is not None]

    def elsewhere(
        self, calls: Sequence[ToolCall], see: See, at: str, context: Any, time: int
    ) -> LeftOver | None:
        """Tool calls that a provider has run itself: their rows, at once."""
        return self._left(Batch(calls, see, at, context, time), None) if calls else None

    # --- running -----------------------------------------------------------------------------

    def find(self, tool: str, call_id: str, arguments: Any) -> Found | None:
        """The call that is about to run; None when no answer is known that asked for it."""
        return self.batches.find(tool, call_id, arguments)

    def unknown(self, tool: str, call_id: str, arguments: Any) -> Found:
        """A call that no known answer asked for, as a batch of its own."""
        strict = self.declared.served.get(tool)
        planted = strict is not None or self._may_be_planted(tool, arguments)
        batch = Batch(
            [ToolCall(call_id, tool, arguments, planted, bool(strict))], None, "", None, 0
        )
        return Found(batch, 0, True)

    def saved(self) -> dict[str, Any]:
        """What has to outlive a pause, as JSON."""
        return {**self.talk.saved(), "tools": self.declared.saved()}

    def restore(self, saved: Mapping[str, Any], goes_on: bool) -> None:
        """Takes over what an earlier turn, or (`goes_on`) this one before a pause, has left."""
        self.declared.restore(saved.get("tools"))
        self.talk.restore(saved, 0 if goes_on else 1)
        self.number = self.talk.turns

    def is_planted(self, call: ToolCall) -> bool:
        """True for a call whose tool was served with the reserved argument, as far as is known."""
        return call.tool in self.declared.served or self._may_be_planted(call.tool, call.arguments)

    def _may_be_planted(self, tool: str, arguments: Any) -> bool:
        """True for what another process may have planted, as when a run is resumed."""
        findings = arguments.get(RESERVED) if isinstance(arguments, dict) else None
        return (
            self.declared.arguments.plants(tool)
            and isinstance(findings, dict)
            and "from" in findings
        )

    def settle(self, batch: Batch, time: int, can_ask: bool = True) -> Decision:
        """Decides on a batch. With `ask` set nothing may run: `reply`, then settle again."""
        with batch.lock:
            if batch.decision is not None:
                return batch.decision
            if batch.state is None:
                batch.began = batch.state = self.talk.state
            decision = decide(
                batch.calls,
                self.declared.bindings,
                self._corpus(batch),
                batch.state,
                can_ask=can_ask,
            )
            batch.state = decision.state
            for at, decided in enumerate(decision.calls if decision.ask else ()):
                for row in decided.rows:
                    batch.asked.append((at, row, time))
                    self._keep(row)
            if decision.ask is None:
                self._final(batch, decision)
            return decision

    def _final(self, batch: Batch, decision: Decision) -> None:
        if batch.see is None:  # what carries a value cannot be told
            decision = decision._replace(
                calls=tuple(
                    d._replace(rows=tuple(r for r in d.rows if r.verdict not in _HINTS))
                    for d in decision.calls
                )
            )
        batch.decision = decision
        batch.corpus = None
        if batch.began is not None:
            self.talk.settle(batch.began, decision.state)

    def waits(self) -> None:
        """The turn is paused: its last batch may go on in the turn that resumes it."""
        self.talk.waiting = self.batches.take_open()

    def goes_on_with_waiting(self) -> bool:
        """Takes the batch over that an earlier turn was paused with; False when there is none."""
        with self.talk.lock:
            batch, self.talk.waiting = self.talk.waiting, None
        if batch is not None:
            self.batches.add(batch)
        return batch is not None

    def again(self, batch: Batch) -> None:
        """Begins a batch anew that was not settled: its answers are handed in once more."""
        with batch.lock:
            if batch.decision is None:
                batch.state, batch.asked = batch.began, []

    def reply(self, batch: Batch, replies: Any) -> None:
        """Takes in what a person answered to the ask of a batch."""
        with batch.lock:
            if batch.state is not None and batch.decision is None:
                bindings = self.declared.bindings
                tools = {call.tool for call in batch.calls}
                bound = {t: b for t in tools if not isinstance(b := bindings.of(t), str | None)}
                turn = self._corpus(batch).turn
                batch.state = accept(batch.state, replies, bound, turn)

    def run(self, found: Found, arguments: Any) -> Run:
        """What a call of a settled batch runs with; `arguments` are those that it was given.

        Where something changed them after the model, the tool gets what was given, and what was
        changed reads as assumed.
        """
        decided = found.batch.decided(found.at)
        if decided is None:
            return Run(arguments)
        own = decided.call.arguments
        rows = decided.rows
        if _same(arguments, own):
            final = arguments if decided.arguments is own else decided.arguments
        else:
            final = self._merged(decided, arguments)
            if isinstance(final, dict):
                rows = rewritten(decided, final)
        if not found.first:
            return Run(final, refused=decided.refused)
        for row in rows:
            self._keep(row)
        asked = tuple(found.batch.take_asked(found.at))
        return Run(
            final,
            rows,
            decided.refused,
            decided.malformed,
            decided.left_out,
            asked,
            decided.notes,
        )

    def _merged(self, decided: Decided, given: Any) -> Any:
        """Arguments that were changed behind the model, with what was filled in or answered."""
        call = decided.call
        own = peel(given, call.planted, call.strict).arguments
        if not isinstance(own, dict) or not isinstance(decided.arguments, dict):
            return own
        before = call.arguments if isinstance(call.arguments, dict) else {}
        filled = {
            name: decided.arguments[name]
            for name in decided.changed
            if (name in own) == (name in before) and own.get(name) == before.get(name)
        }
        return {**own, **filled} if filled else own

    # --- what did not run through us -----------------------------------------------------------

    def left_over(self, results: Callable[[str], bool] | None = None) -> list[LeftOver]:
        """Calls that are over and did not run through us, each once.

        `results` says of a call id whether its result is in front of the model by now; without
        it all calls are over.
        """
        found = (self._left(batch, results) for batch in self.batches.all())
        return [left for left in found if left is not None]

    def _left(self, batch: Batch, results: Callable[[str], bool] | None) -> LeftOver | None:
        if not batch.lock.acquire(blocking=False):  # a person is being asked: it is not over
            return None
        try:
            over = [
                at
                for at, call in enumerate(batch.calls)
                if at not in batch.taken and (results is None or results(call.id))
            ]
            if not over or batch.see is None:
                return None
            batch.taken.update(over)
            made = batch.decision or decide(
                batch.calls, self.declared.unruled, self._corpus(batch), can_ask=False
            )
            if len(batch.taken) == len(batch.calls):
                batch.corpus = None
        finally:
            batch.lock.release()
        decided = [made.calls[at] for at in over]
        rows = tuple(row for d in decided for row in d.rows)
        for row in rows:
            self._keep(row)
        return LeftOver(
            batch, rows, sum(d.malformed for d in decided), sum(d.left_out for d in decided)
        )

    def goes_on(self, earlier: Sources) -> None:
        """This turn follows another of the same conversation, which has no name."""
        self.talk = earlier.talk
        with self.talk.lock:
            self.talk.turns += 1
            self.number = self.talk.turns

    # --- standing ----------------------------------------------------------------------------

    def standing(self) -> Standing:
        """How the answer stands by the arguments seen so far."""
        return standing(list(self._rows.values()), self.known)

    @property
    def has_rows(self) -> bool:
        """True once an argument was looked at."""
        return bool(self._rows)

    def _keep(self, row: ArgumentRow) -> None:
        key = row.tool, row.call_id, row.argument
        self._rows.pop(key, None)
        if len(self._rows) < MAX_ROWS:
            self._rows[key] = row._replace(carriers=(), value=None, proposed=None, quote=None)

    # --- in front of the model -----------------------------------------------------------------

    def _corpus(self, batch: Batch) -> Corpus:
        if batch.corpus is not None:
            return batch.corpus
        sight = _UNSEEN if batch.see is None else batch.see()
        number = max(self.number, sight.number)
        composed = self.declared.arguments.message_from == "composed"
        notes = list(self.talk.texts)
        batch.corpus = build_corpus(
            sight.passages, number, composed, notes=notes, missing=sight.missing
        )
        return batch.corpus


def prepared(see: See) -> Iterator[None]:
    """Makes texts ready for search, a piece at a time, so that no check has to."""
    sight = see()
    yield
    yield from Prepared(build_corpus(sight.passages)).warm()


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    try:
        return bool(a == b) or jsontext.dumps(a) == jsontext.dumps(b)
    except Exception:  # no JSON, or an object whose own methods raise
        return False


__all__ = ["LeftOver", "Offer", "Run", "Sources", "prepared"]
