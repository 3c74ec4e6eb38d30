"""What happens to a batch of tool calls: state in, state out; nothing runs here.

| present value          | assume       | ask                    | no rule |
|------------------------|--------------|------------------------|---------|
| traced                 | run          | run                    | run     |
| the default, not said  | run, default |                        |         |
| untraced               | run, flagged | ask, nothing runs yet  | run     |
| missing                | filled       | a kept answer, or ask  |         |

A batch asks once, before anything of it runs, at most three rounds; a call whose arguments are
then still unconfirmed is refused. Without declared sources a rule asks only for what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..records.arguments import (
    ArgumentRow,
    Ask,
    Asked,
    Claim,
    Corpus,
    RuleWord,
    Verdict,
)
from ..text.cache import SHARED, SearchCache
from ..text.values import kind_of
from . import sentences
from .asking import MAX_ROUNDS, AskState, Given, Question, ask_for, fitting
from .bind import BoundRules
from .check import ABSENT, Subject, check
from .declaration import Bindings
from .prepared import Prepared
from .reader import Peeled, is_missing, peel
from .rows import MAX_LEAVES, Place, clip_quote, hint_rows, row_of
from .rules import MAX_ASKS, AskRule, AssumeRule


class ToolCall(NamedTuple):
    """A tool call as the model made it."""

    id: str
    tool: str
    arguments: Any
    planted: bool = False
    """The tool was served with the reserved argument."""
    strict: bool = False
    """It was served as nullable."""


class Decided(NamedTuple):
    """What becomes of one call."""

    call: ToolCall
    arguments: Any
    """What the tool runs with; the call's own object when nothing was taken out or filled in."""
    rows: tuple[ArgumentRow, ...] = ()
    changed: tuple[str, ...] = ()
    """Arguments that were filled in or answered."""
    notes: tuple[str, ...] = ()
    """Texts that go behind the result."""
    refused: str | None = None
    """Text that stands in place of the result; the tool does not run."""
    malformed: int = 0
    """Entries of the declaration that were dropped; also on the call's first row."""
    left_out: int = 0
    """Nested values that got no row."""


class Decision(NamedTuple):
    """What becomes of a batch."""

    calls: tuple[Decided, ...]
    """While a person is asked: rows of the arguments that are asked for, and nothing runs."""
    ask: Ask | None
    state: AskState

    @property
    def rows(self) -> tuple[ArgumentRow, ...]:
        """All rows, in the order of the calls."""
        return tuple(row for decided in self.calls for row in decided.rows)


def decide(
    calls: Sequence[ToolCall],
    bindings: Bindings,
    corpus: Corpus,
    state: AskState | None = None,
    cache: SearchCache = SHARED,
    can_ask: bool = True,
) -> Decision:
    """Decides on a batch; again with the state of `accept` when a person has answered.

    `can_ask` is false where nobody can be asked (any more): what would be asked is then refused.
    """
    state = _batch(state or AskState(), calls)
    corpus = corpus._replace(answers=(*corpus.answers, *state.answers()))
    prepared = Prepared(corpus, cache)
    looks = [_Look(call, i, bindings, prepared, state) for i, call in enumerate(calls)]
    for look in looks:
        state = look.go(state)
    questions = [question for look in looks for question in look.questions]
    if questions and can_ask and state.round < MAX_ROUNDS:
        ask = ask_for(questions, state, MAX_ASKS)
        pending = tuple(look.waiting() for look in looks)
        return Decision(pending, ask, state._replace(pending=ask))
    done = tuple(look.done(state.round) for look in looks)
    return Decision(done, None, _settled(state))


def _batch(state: AskState, calls: Sequence[ToolCall]) -> AskState:
    """The state, without what is pending when that belongs to another batch."""
    if state.pending is None:
        return state
    for field in state.pending.fields:
        for call_id, at in zip(field.calls, field.at, strict=False):
            if at >= len(calls) or (calls[at].id, calls[at].tool) != (call_id, field.tool):
                return _settled(state)
    return state


def _settled(state: AskState) -> AskState:
    return AskState(tuple(given._replace(at=()) for given in state.given))


class _Look:
    """One call as it is gone through."""

    def __init__(
        self, call: ToolCall, index: int, bindings: Bindings, corpus: Prepared, state: AskState
    ) -> None:
        self.call = call
        self.at = index
        self.first = state.pending is None
        self.corpus = corpus
        self.declaration = bindings.arguments
        found = bindings.of(call.tool)
        self.problem = found if isinstance(found, str) else None
        self.bound = found if isinstance(found, BoundRules) else None
        self.peeled: Peeled = peel(call.arguments, call.planted, call.strict)
        self.claims = {claim.argument: claim for claim in self.peeled.claims.kept}
        self.arguments = self.peeled.arguments
        self.rows: list[ArgumentRow] = []
        self.questions: list[Question] = []
        self.changed: list[str] = []
        self.notes: list[str] = []
        self.left_out = 0
        self.armed = self.declaration.sources and call.planted

    def go(self, state: AskState) -> AskState:
        """Looks at every argument; gives the state, in which a kept answer may be used up."""
        if self.problem is None and isinstance(self.arguments, dict):
            for name in self._names():
                state = self._argument(name, state)
        return state

    def _names(self) -> Iterator[str]:
        yield from (name for name in self.arguments if isinstance(name, str))
        if self.bound:
            yield from (n for n in self.bound.rules.arguments if n not in self.arguments)

    def _argument(self, name: str, state: AskState) -> AskState:
        rule = self.bound.rule(name) if self.bound else None
        given, state = self._given(name, isinstance(rule, AskRule), state)
        if given is not None:
            self._answered(name, given)
        elif is_missing(self.arguments, name):
            if isinstance(rule, AssumeRule):
                self._fill(name, rule)
            elif isinstance(rule, AskRule):
                self._ask(name, "missing", None, None)
        else:
            self._present(name, rule)
        return state

    def _given(self, name: str, asks: bool, state: AskState) -> tuple[Given | None, AskState]:
        if not asks or self.bound is None:
            return None, state
        missing = is_missing(self.call.arguments, name)
        for at in range(len(state.given) - 1, -1, -1):
            given = state.given[at]
            if (given.tool, given.argument) != (self.call.tool, name):
                continue
            if self.at in given.at:
                return (given if self._fits(given) else None), state
            if missing and given.kept and not given.at and given.turn == self.turn:
                used = given._replace(at=(self.at,), kept=False)
                changed = (*state.given[:at], used, *state.given[at + 1 :])
                return used, state._replace(given=changed)
        return None, state

    def _fits(self, given: Given) -> bool:
        """An answer is looked at again when the call runs: it may have come through a store."""
        assert self.bound is not None
        field = ask_for([Question("", 0, self.bound, given.argument, "missing")], AskState(), 1)
        return fitting(given.value, field.fields[0], self.bound) is not None

    @property
    def turn(self) -> int:
        return self.corpus.corpus.turn

    def _place(self, name: str) -> Place:
        rules = self.bound.rules if self.bound else None
        rule = rules.arguments.get(name) if rules else None
        word: RuleWord | None = None
        if rule is not None:
            word = "ask" if isinstance(rule, AskRule) else "assume"
        return Place(
            self.call.tool,
            self.call.id,
            name,
            self.turn,
            word,
            bool(rules and rules.period and rules.period.argument == name),
            bool(rules and name in rules.hidden),
            not self.declaration.hides,
        )

    def _answered(self, name: str, given: Given) -> None:
        proposed = None if is_missing(self.arguments, name) else self.arguments[name]
        place = self._place(name)
        verdict = Verdict("answered", earlier=given.turn < self.turn)
        self.rows.append(
            row_of(place, verdict, given.value, self.claims.get(name), proposed=proposed)
        )
        self._put(name, given.value)
        self.notes.append(
            sentences.answered_note(self.call.tool, self.call.id, name, given.value, place.hidden)
        )

    def _fill(self, name: str, rule: AssumeRule) -> None:
        place = self._place(name)
        self.rows.append(row_of(place, Verdict("default"), rule.value))
        self._put(name, rule.value)
        self.notes.append(
            sentences.filled_note(self.call.tool, self.call.id, name, rule.value, place.hidden)
        )

    def _put(self, name: str, value: Any) -> None:
        self.arguments = {**self.arguments, name: value}
        self.changed.append(name)

    def _ask(self, name: str, reason: Asked, verdict: Verdict | None, claim: Claim | None) -> None:
        assert self.bound is not None
        place = self._place(name)
        quoted = None
        if verdict and verdict.reading and claim and claim.quote and place.quotes:
            quoted = clip_quote(claim.quote)
        self.questions.append(Question(self.call.id, self.at, self.bound, name, reason, quoted))
        value = None if is_missing(self.arguments, name) else self.arguments[name]
        self.rows.append(row_of(place, verdict, value, claim, asked=reason))

    def _present(self, name: str, rule: AskRule | AssumeRule | None) -> None:
        value, place = self.arguments[name], self._place(name)
        claim = self.claims.get(name)
        if rule is None and (kind_of(value) is None or not self.armed):
            room = MAX_LEAVES - len(self.rows)
            hints = hint_rows(place, value, self.corpus, max(0, room))
            self.rows.extend(hints.rows)
            self.left_out += hints.left_out
            return
        verdict = self._verdict(name, value, rule, claim)
        untraced = not verdict.is_traced
        if isinstance(rule, AskRule) and self.armed and untraced:
            self._ask(name, "unverified", verdict, claim)
        else:
            self.rows.append(row_of(place, verdict, value, claim))

    def _verdict(
        self, name: str, value: Any, rule: AskRule | AssumeRule | None, claim: Claim | None
    ) -> Verdict:
        default = rule.value if isinstance(rule, AssumeRule) else ABSENT
        choice = self.bound.choice(name, value) if self.bound else None
        rules = self.bound.rules if self.bound else None
        period = rules.period if rules else None
        is_period = period is not None and period.argument == name
        subject = Subject(
            self.call.tool,
            name,
            choice.said if choice else (),
            is_period,
            period.spelling if period and is_period else None,
            default,
            rules.grounds if rules else None,
        )
        return check(claim, value, self.corpus, subject)

    def _counted(self, rows: list[ArgumentRow]) -> tuple[ArgumentRow, ...]:
        malformed = self.peeled.claims.malformed
        if rows and malformed and self.first:
            rows = [rows[0]._replace(malformed=malformed), *rows[1:]]
        return tuple(rows)

    def waiting(self) -> Decided:
        """The call while a person is asked."""
        asked = self._counted([row for row in self.rows if row.asked])
        return Decided(self.call, self.call.arguments, asked)

    def done(self, rounds: int) -> Decided:
        """The call as it runs, or is refused."""
        refused = None
        if self.problem is not None:
            refused = sentences.unruled_note(self.call.tool, self.call.id)
        elif self.questions:
            names = [question.argument for question in self.questions]
            refused = sentences.refused_note(self.call.tool, self.call.id, names, rounds)
        return Decided(
            self.call,
            self.arguments,
            self._counted(self.rows),
            tuple(self.changed),
            () if refused else tuple(self.notes),
            refused,
            self.peeled.claims.malformed,
            self.left_out,
        )


def rewritten(decided: Decided, final: Any) -> tuple[ArgumentRow, ...]:
    """The rows of a call whose arguments something else changed after they were checked.

    A value that is no longer the one that was checked reads as assumed: one row for it, in place
    of those it had.
    """
    own = decided.arguments
    if final is own or not isinstance(final, dict) or not isinstance(own, dict):
        return decided.rows
    names = [name for name in {**own, **final} if isinstance(name, str)]
    touched = [n for n in names if n not in own or n not in final or own[n] != final[n]]
    old = tuple(row for row in decided.rows if not _is_of(row.argument, touched))
    checked = {row.argument: row for row in decided.rows}
    new = []
    for name in touched:
        if name in final:
            was = checked.get(name)
            place = Place(decided.call.tool, decided.call.id, name)
            if was is not None:
                hidden = was.size is None
                place = place._replace(
                    turn=was.turn, rule=was.rule, period=was.period, hidden=hidden
                )
            new.append(row_of(place, Verdict("model", "assumed"), final[name]))
    rows = [*old, *new]
    if decided.malformed and rows and not any(row.malformed for row in rows):
        rows[0] = rows[0]._replace(malformed=sum(row.malformed for row in decided.rows))
    return tuple(rows)


def _is_of(path: str, names: list[str]) -> bool:
    return any(path == n or path.startswith((n + ".", n + "[")) for n in names)
