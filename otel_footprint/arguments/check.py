"""One claim against one corpus: does the value stand where the model says it comes from?

    claim     what is checked, in this order
    user      the quote stands in a person's words; then the value, or a phrase declared for it,
              stands inside the quote; else the value is a *reading* of the person's words
    result    a result of that id is in front of the model and holds the value
    turn      a person answered it when asked before, in the same or a convertible spelling
    app       the application's own text holds the value, labelled grounds first
    assumed   nothing; so for no claim

A claim that does not hold leaves the value with the model, says why, and adds the hint where the
value stands anyway. "Cannot tell" is an outcome of its own. Membership cannot see a negation. A
value that equals the declared default and is not the person's is the default, whatever was
claimed. Nothing here raises.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, cast

from ..records.arguments import Answer, Claim, Claimed, Failed, Matched, Ref, Verdict
from ..records.hints import Hint
from ..text.carriers import EXACT, Needle, Searchable
from ..text.values import kind_of, same_value
from .prepared import Prepared, PreparedResult
from .spelling import respelled

_RESTS_ON: Final[dict[Failed, tuple[str, ...]]] = {
    "quote-not-found": ("person",),
    "unknown-result": ("result",),
    "not-in-app-text": ("app",),
    "no-earlier-turn": ("person", "result", "app"),
    "not-in-earlier-turns": ("person", "result", "app"),
}
"""Kinds of pieces of which all have to be at hand for a claim to have failed."""
ABSENT: Final = object()
"""No declared default."""


class Subject(NamedTuple):
    """The argument a claim is about, and what its author declared."""

    tool: str = ""
    argument: str = ""
    phrases: tuple[str, ...] = ()
    """Spoken phrases of the choice that has this value."""
    period: bool = False
    spelling: str | None = None
    default: Any = ABSENT
    grounds: frozenset[str] | None = None


def check(claim: Claim | None, value: Any, corpus: Prepared, subject: Subject) -> Verdict:
    """The verdict on one argument of a call."""
    claimed = cast(Claimed, claim.source if claim else "none")
    if kind_of(value) is None:
        failed: Failed | None = "uncheckable" if claim else None
        return Verdict("model", claimed, failed=failed)
    verdict = _judge(claim, claimed, Needle(value), value, corpus, subject)
    is_persons = verdict.is_traced and verdict.source in ("said", "answered")
    if not is_persons and equals(value, subject.default):
        return Verdict("default", claimed, failed=verdict.failed)
    return verdict


def equals(value: Any, other: Any) -> bool:
    """True for the same plain value, by itself or by its tokens."""
    if other is ABSENT or kind_of(value) is None or kind_of(value) != kind_of(other):
        return False
    return bool(value == other) or same_value(value, other)


def _judge(
    claim: Claim | None,
    claimed: Claimed,
    needle: Needle,
    value: Any,
    corpus: Prepared,
    subject: Subject,
) -> Verdict:
    found: Verdict | Failed | None = None
    if claim is None:
        pass
    elif claimed == "user":
        found = _user(claim.quote or "", needle, corpus, subject)
    elif claimed == "result":
        found = _result(claim.id or "", needle, corpus, subject)
    elif claimed == "turn":
        found = _turn(needle, value, corpus, subject)
    elif claimed == "app":
        found = _app(needle, corpus)
    if isinstance(found, Verdict):
        return found._replace(claimed=claimed)
    if found is not None and not corpus.corpus.missing.isdisjoint(_RESTS_ON.get(found, ())):
        found = "uncheckable"
    hint = corpus.hint(needle, subject.tool, subject.argument)
    return _model(claimed, found, hint)


def _model(claimed: Claimed, failed: Failed | None, hint: Hint) -> Verdict:
    earlier = claimed == "turn" and failed is None and hint.earlier
    return Verdict(
        "model",
        claimed,
        failed=failed,
        earlier=earlier,
        coincides=hint.coincides,
        carriers=hint.carriers,
    )


# --- user ------------------------------------------------------------------------------------


def _user(quote: str, needle: Needle, corpus: Prepared, subject: Subject) -> Verdict | Failed:
    quoted = Needle(quote)
    if not quoted.tokens:
        return "uncheckable"
    found, unread = corpus.said(quoted)
    persons = [(at, record) for at, record in found if not record.composed]
    if not persons:
        if found:
            return "composed-message"
        return "uncheckable" if unread else "quote-not-found"
    if not needle.tokens:
        return "uncheckable"
    matched = _matched_in(quote, needle, subject)
    return Verdict(
        "said",
        matched=matched,
        reading=matched is None,
        earlier=all(record.earlier for _, record in persons),
        carriers=tuple(Ref("person", at, key=record.key) for at, record in persons[:16]),
    )


def _matched_in(quote: str, needle: Needle, subject: Subject) -> Matched | None:
    text = Searchable(quote, parts=False)
    if text.holds(needle):
        return "quote"
    if any(text.holds(Needle(phrase)) for phrase in subject.phrases):
        return "phrase"
    return "spelling" if text.respelled(needle) in EXACT else None


# --- result ----------------------------------------------------------------------------------


def _result(call_id: str, needle: Needle, corpus: Prepared, subject: Subject) -> Verdict | Failed:
    named = [(at, r) for at, r in enumerate(corpus.results) if r.record.id == call_id]
    if not named or not call_id:
        return "unknown-result"
    readable = [(at, r) for at, r in named if any(r.record.texts or ())]
    if not readable:
        return "uncheckable"
    kept = [(at, r) for at, r in readable if not r.record.placed]
    if not kept:
        return "placed-result"
    if not needle.tokens:
        return "uncheckable"
    held = [(at, r, _holds(r, needle)) for at, r in kept]
    holding = [(at, r, how) for at, r, how in held if how]
    if not holding:
        unread = any(how is None for *_, how in held) or len(kept) < len(named)
        return "uncheckable" if unread else "not-in-result"
    record = holding[0][1].record
    grounds = subject.grounds
    return Verdict(
        "result",
        matched="spelling" if holding[0][2] == "spelling" else None,
        earlier=all(r.record.earlier for _, r, _ in holding),
        result=call_id,
        set_aside=record.set_aside,
        arguments_from=None
        if grounds is None
        else ("listed" if record.tool in grounds else "unlisted"),
        carriers=tuple(Ref("result", at, id=call_id, key=r.record.key) for at, r, _ in holding),
    )


def _holds(result: PreparedResult, needle: Needle) -> str | None:
    """`tokens` or `spelling`; empty: not held; None: cannot tell."""
    held = [block.holds(needle) for block in result.blocks]
    if any(held):
        return "tokens"
    if any(block.respelled(needle) in EXACT for block in result.blocks):
        return "spelling"
    return None if None in held else ""


# --- turn ------------------------------------------------------------------------------------


def _turn(
    needle: Needle, value: Any, corpus: Prepared, subject: Subject
) -> Verdict | Failed | None:
    if not needle.tokens:
        return "uncheckable"
    answers = corpus.corpus.answers
    candidates = [a for a in answers if _answers(a, subject)]
    for answer in candidates:
        if answer.readable and same_value(answer.value, value):
            return _answered(answer, corpus.corpus.turn, None)
    for answer in candidates:
        other = respelled(answer.value, answer.spelling, subject.spelling)
        if answer.readable and subject.period and other is not None and same_value(other, value):
            return _answered(answer, corpus.corpus.turn, "spelling")
    if any(not answer.readable for answer in candidates):
        return "uncheckable"
    if not answers and corpus.corpus.turn <= 1:
        return "no-earlier-turn"
    hint = corpus.hint(needle, subject.tool, subject.argument)
    if hint.earlier:
        return None
    return "only-in-model-answer" if corpus.by_model(needle) else "not-in-earlier-turns"


def _answers(answer: Answer, subject: Subject) -> bool:
    if answer.tool == subject.tool and answer.argument == subject.argument:
        return True
    return subject.period and answer.period


def _answered(answer: Answer, turn: int, matched: Matched | None) -> Verdict:
    return Verdict("answered", matched=matched, earlier=answer.turn < turn)


# --- app -------------------------------------------------------------------------------------


def _app(needle: Needle, corpus: Prepared) -> Verdict | Failed:
    if not needle.tokens:
        return "uncheckable"
    unread = False
    labelled_first = sorted(enumerate(corpus.app), key=lambda item: not item[1][0].label)
    for at, (record, text) in labelled_first:
        held = text.holds(needle)
        spelled = not held and text.respelled(needle) in EXACT
        if held or spelled:
            return Verdict(
                "app",
                matched="spelling" if spelled else None,
                app_source=record.label or None,
                carriers=(Ref("app", at, id=record.label, key=record.key),),
            )
        unread = unread or held is None
    return "uncheckable" if unread else "not-in-app-text"
