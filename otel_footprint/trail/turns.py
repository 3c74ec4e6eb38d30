"""Turns: beginning, end and everything between, merged from what arrived of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..records.trail import CallTrail, Gap, Span, ToolTrail, TurnPart, TurnTrail, Verdict
from ..telemetry import names
from . import values
from .sorting import TurnBundle

_IMPLICIT = "implicit"
_RESUMES = "resumes"


def tool_trail(span: Span, turn: str, ledger: str = "") -> ToolTrail:
    """One tool call."""
    a = span.attributes
    arguments, result, *_ = [*values.listed(a, names.TOOL_HASHES), "", ""]
    return ToolTrail(
        name=values.text(a, names.TOOL_NAME) or span.name.removeprefix(names.SPAN_TOOL + " "),
        call_id=values.text(a, names.TOOL_CALL_ID),
        turn=turn,
        trace_id=span.trace_id,
        span_id=span.span_id,
        parent_id=span.parent_id,
        start=span.start,
        end=span.end,
        error=values.text(a, names.ERROR_TYPE),
        arguments=arguments,
        result=result,
        seq=values.integer(a, names.SEQ),
        ledger=ledger,
    )


def turn_trail(
    bundle: TurnBundle,
    ledgers: Iterable[str],
    calls: Iterable[CallTrail],
    tools: Iterable[ToolTrail],
    gaps: Iterable[Gap],
) -> TurnTrail:
    """The turn with its calls and tool calls."""
    ledgers, calls, tools = tuple(ledgers), tuple(calls), tuple(tools)
    said = _merged(bundle)
    implicit = values.text(said, names.TURN_OUTCOME) == _IMPLICIT
    ends = [s for s in [*bundle.ended, *bundle.spans] if _outcome(s)]
    chosen = max(ends, key=lambda s: s.end or 0) if ends else None
    own = [s for s in bundle.spans if not _is_implicit(s)]
    start = _least(s.start for s in [*bundle.spans, *bundle.started])
    if start is None:
        start = _least(c.start for c in calls)
    end = _most(s.end for s in own if s.end is not None) if own else None
    if end is None and (implicit or not own) and chosen is not None:
        end = _most([*(c.end for c in calls), *(t.end for t in tools)])
    return TurnTrail(
        id=bundle.id,
        ledgers=ledgers,
        trace_ids=_distinct([*(s.trace_id for s in bundle.all), *(c.trace_id for c in calls)]),
        span_ids=_distinct(
            [*(s.span_id for s in bundle.spans), *(s.parent_id for s in bundle.started)]
        ),
        parent_id=next((s.parent_id for s in bundle.spans if s.parent_id), ""),
        parent_turn=values.text(said, names.PARENT_TURN),
        agent=values.text(said, names.AGENT) or next((c.agent for c in calls if c.agent), ""),
        conversation=values.text(said, names.CONVERSATION)
        or next((found for c in calls if (found := _conversation(c))), ""),
        user=values.text(said, names.USER_ID),
        text=_joined(values.texts(said, names.TURN_TEXT)),
        tags=tuple(values.texts(said, names.TURN_TAGS) or ()),
        metadata=_metadata(said),
        content=values.text(said, names.CONTENT_MODE),
        redacted=values.flag(said, names.CONTENT_REDACTED) is True,
        store=values.text(said, names.STORE),
        key_id=values.text(said, names.KEY_ID),
        format=values.integer(said, names.FORMAT_VERSION),
        action_budget=values.integer(said, names.TURN_ACTION_BUDGET),
        started=names.FORMAT_VERSION in said,
        outcome=_outcome(chosen) if chosen is not None else "",
        implicit=implicit,
        error=next((e for s in own if (e := values.text(s.attributes, names.ERROR_TYPE))), ""),
        start=start,
        end=end,
        lost=values.integer(chosen.attributes, names.TURN_LOST) if chosen is not None else None,
        calls=calls,
        tools=tools,
        verdicts=_verdicts([*bundle.spans, *bundle.feedback]),
        gaps=tuple(gaps),
        parts=tuple(_part(ledger, bundle) for ledger in ledgers),
    )


def _part(ledger: str, bundle: TurnBundle) -> TurnPart:
    own = [s for s in bundle.all if values.text(s.attributes, names.LEDGER) == ledger]
    ends = [s for s in own if _outcome(s)]
    said = [values.texts(s.attributes, names.TURN_TEXT) for s in own]
    return TurnPart(
        ledger=ledger,
        start=_least(s.start for s in own),
        end=_most(s.end for s in ends),
        outcome=next(map(_outcome, ends), ""),
        resumes=any(values.text(x.attributes, names.LINK_TYPE) == _RESUMES
                    for s in own for x in s.links),
        text=_joined(next((t for t in said if t is not None), None)),
    )  # fmt: skip


def _merged(bundle: TurnBundle) -> Mapping[str, Any]:
    out: dict[str, Any] = {}
    for spans in (bundle.ended, bundle.spans, bundle.started):
        for span in sorted(spans, key=lambda s: s.start or 0):
            out.update(span.attributes)
    outcomes = [values.text(s.attributes, names.TURN_OUTCOME) for s in bundle.spans]
    if _IMPLICIT in outcomes:
        out[names.TURN_OUTCOME] = _IMPLICIT
    return out


def _is_implicit(span: Span) -> bool:
    return values.text(span.attributes, names.TURN_OUTCOME) == _IMPLICIT


def _outcome(span: Span) -> str:
    found = values.text(span.attributes, names.TURN_OUTCOME)
    return "" if found == _IMPLICIT else found


def _conversation(call: CallTrail) -> str:
    return values.text(call.attributes, names.CONVERSATION)


def _metadata(said: values.Attributes) -> dict[str, Any]:
    prefix = names.TURN_METADATA_PREFIX
    return {k[len(prefix) :]: v for k, v in said.items() if k.startswith(prefix)}


def _verdicts(spans: Iterable[Span]) -> tuple[Verdict, ...]:
    out = []
    for span in spans:
        for event in span.events:
            if event.name == names.EVALUATION:
                out.append(
                    Verdict(
                        values.text(event.attributes, names.EVALUATION_NAME),
                        values.number(event.attributes, names.EVALUATION_SCORE),
                        values.text(event.attributes, names.EVALUATION_LABEL),
                        values.text(event.attributes, names.EVALUATION_EXPLANATION),
                    )
                )
    return tuple(out)


def _joined(strings: list[str] | None) -> str | None:
    return None if strings is None else "".join(strings)


def _distinct(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f for f in found if f))


def _least(times: Iterable[int | None]) -> int | None:
    return min((t for t in times if t is not None), default=None)


def _most(times: Iterable[int | None]) -> int | None:
    return max((t for t in times if t is not None), default=None)
