"""The state of asking a person, as values: what is pending, what was answered.

A state is never changed, each step gives a new one; it holds nothing but plain data, so that it
can be kept through a pause.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ..records.arguments import Answer, Ask, Asked, AskField
from ..text.tokens import tokens
from ..text.values import kind_of, number_of, same_value, value_text
from .bind import BoundRules
from .rules import AskRule
from .spelling import is_spelled

MAX_ROUNDS: Final = 3
MAX_ANSWERS: Final = 256
"""Answers that a conversation keeps; the oldest go first."""


class Given(NamedTuple):
    """An answer of a person, and the calls that wait for it."""

    tool: str
    argument: str
    value: Any
    turn: int
    at: tuple[int, ...] = ()
    """Places of the calls of the pending batch that run with it; empty once they have run."""
    kept: bool = True
    """It may once more fill the same argument when it is left out in the same turn."""
    period: bool = False
    spelling: str | None = None

    def answer(self) -> Answer:
        """As a later claim may cite it."""
        return Answer(self.tool, self.argument, self.value, self.turn, self.period, self.spelling)


class AskState(NamedTuple):
    """All that asking remembers of a conversation."""

    given: tuple[Given, ...] = ()
    pending: Ask | None = None
    """The last ask of a batch that has not run yet."""
    invalid: frozenset[tuple[str, str]] = frozenset()
    """Tool and argument of the questions whose last answer did not fit."""

    @property
    def round(self) -> int:
        """Rounds asked for the pending batch."""
        return self.pending.round if self.pending else 0

    def answers(self) -> tuple[Answer, ...]:
        """All answers, for the corpus."""
        return tuple(given.answer() for given in self.given)


def to_json(state: AskState) -> list[dict[str, Any]]:
    """The answers of a state, as JSON; what is pending is asked again."""
    return [given._asdict() for given in state.given]


def from_json(saved: Any) -> AskState:
    """The state of such answers; an entry that cannot be read is left out."""
    found = (_given(item) for item in saved) if isinstance(saved, list) else ()
    return AskState(tuple(given for given in found if given is not None)[-MAX_ANSWERS:])


def _given(item: Any) -> Given | None:
    if not isinstance(item, Mapping):
        return None
    tool, argument, value, turn = (item.get(k) for k in ("tool", "argument", "value", "turn"))
    spelling = item.get("spelling")
    if not isinstance(tool, str) or not isinstance(argument, str) or kind_of(value) is None:
        return None
    if type(turn) is not int or not (spelling is None or isinstance(spelling, str)):
        return None
    kept, period = item.get("kept") is True, item.get("period") is True
    return Given(tool, argument, value, turn, (), kept, period, spelling)


def accept(state: AskState, replies: Any, rules: Mapping[str, BoundRules], turn: int) -> AskState:
    """The state with a person's replies by field id; what does not fit will be asked again.

    A reply fits when it is one of the choices (or a phrase declared for one), or a value of the
    argument's type; a number or a boolean may come as text.
    """
    ask = state.pending
    if ask is None:
        return state
    given, invalid = list(state.given), set[tuple[str, str]]()
    answers = replies if isinstance(replies, Mapping) else {}
    for field in ask.fields:
        bound = rules.get(field.tool)
        value = fitting(answers.get(field.id), field, bound) if bound else None
        if value is None or bound is None:
            invalid.add((field.tool, field.argument))
            continue
        period = bound.rules.period
        is_period = period is not None and period.argument == field.argument
        spelling = period.spelling if period and is_period else None
        given.append(
            Given(
                field.tool, field.argument, value, turn, field.at,
                period=is_period, spelling=spelling,
            )
        )  # fmt: skip
    return state._replace(given=tuple(given[-MAX_ANSWERS:]), invalid=frozenset(invalid))


def fitting(reply: Any, field: AskField, bound: BoundRules) -> Any:
    """The value a reply stands for; None when it does not fit."""
    rule = bound.rule(field.argument)
    if isinstance(rule, AskRule) and rule.choices:
        return _chosen(reply, rule)
    value = _typed(reply, field.type)
    period = bound.rules.period
    spelling = period.spelling if period and period.argument == field.argument else None
    if spelling and not is_spelled(value, spelling):
        return None
    return value if value is not None and bound.fits(field.argument, value) else None


def _chosen(reply: Any, rule: AskRule) -> Any:
    for choice in rule.choices:
        if same_value(reply, choice.value):
            return choice.value
    if not isinstance(reply, str):
        return None
    said = tokens(reply)
    for choice in rule.choices:
        if reply.strip() == value_text(choice.value):
            return choice.value
        if said and any(said == tokens(phrase) for phrase in choice.said):
            return choice.value
    return None


def _typed(reply: Any, kind: str) -> Any:
    if not isinstance(reply, str) or kind == "string":
        return reply
    text = reply.strip().lower()
    if kind == "boolean":
        return {"true": True, "false": False}.get(text)
    number = number_of(text)
    if number is None:
        return None
    return int(number) if number.lstrip("-").isdigit() else float(number)


class Question(NamedTuple):
    """One argument of one call that needs a person."""

    call_id: str
    at: int
    bound: BoundRules
    argument: str
    reason: Asked
    quoted: str | None = None


def ask_for(questions: list[Question], state: AskState, limit: int) -> Ask:
    """One ask for a batch: a field per tool and argument, at most `limit`; the rest waits."""
    grouped: dict[tuple[str, str], list[Question]] = {}
    for question in questions:
        name = (question.bound.rules.tool, question.argument)
        grouped.setdefault(name, []).append(question)
    fields: list[AskField] = []
    for (tool, argument), group in list(grouped.items())[:limit]:
        first = group[0]
        rule = first.bound.rule(argument)
        assert isinstance(rule, AskRule)
        reason: Asked = "invalid-answer" if (tool, argument) in state.invalid else first.reason
        fields.append(
            AskField(
                f"f{len(fields) + 1}",
                tool,
                argument,
                tuple(q.call_id for q in group),
                rule.question,
                first.bound.types[argument],  # type: ignore[arg-type]
                tuple(choice.value for choice in rule.choices),
                reason,
                next((q.quoted for q in group if q.quoted is not None), None),
                tuple(q.at for q in group),
            )
        )
    return Ask(tuple(fields), state.round + 1)
