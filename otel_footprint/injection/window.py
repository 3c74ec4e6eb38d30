"""The window: keeps the history short, removes nothing that is needed, and says what it did.

A visit happens before each model call. It is pure: what a summariser has to say is asked for with
`wants_summary` and handed in with the visit, so that sync and async agents share the rules. The
system prompt, the current request, a tool call without its result (or apart from it), the newest
result of each tool and the newest rounds stay; where nothing can leave, the visit says why.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import NamedTuple

from ..records.frames import COMPACTED, DROPPED, frame_of
from ..records.injection import Refusal, Removed, WindowVisit
from ..records.plan import AddMessage, Cause, RemoveMessage
from ..records.view import MessageView
from ..text.jsontext import encode
from .history import Entry, place_at, side
from .notices import compacted_notice, dropped_notice
from .rounds import Round, guards_of, leaving, rounds_of
from .state import WindowState
from .strategies import Strategy

NOTICE_ID = "window"
"""Id of the notices on the record."""


class Summary(NamedTuple):
    """What a summariser answered: a text, or why there is none."""

    text: str | None
    error: str = ""


@dataclass(frozen=True)
class Look:
    """What a visit has to know beside the history."""

    action: int
    text: str = ""
    """The person's words of this turn."""
    measured: int | None = None
    """Input tokens of the last call; None: no call yet, 0: the provider reported none."""
    measured_action: int = 0
    """The action that was measured."""
    paused: Collection[str] = ()
    """Ids of tool calls that wait for a person."""
    user_first: bool = False
    """True for a provider whose messages begin with the user's."""
    alternates: bool = False
    """True for a provider that takes no two messages of one role in a row."""
    now: float | None = None
    """Seconds of the clock of `MessageView.seen_at`."""


class Visit(NamedTuple):
    """What a visit did."""

    state: WindowState
    removed: tuple[Entry, ...]
    """Messages that leave, in order."""
    edits: tuple[RemoveMessage | AddMessage, ...]
    """The edits of the caller's history: what of it leaves, and the notice that stands for all."""
    notes: tuple[Removed | WindowVisit, ...]


class _Found(NamedTuple):
    span: Round | None
    refusals: tuple[Refusal, ...]
    stands_down: bool


class _Done(NamedTuple):
    span: Round
    text: str | None
    left_out: int
    refusals: tuple[Refusal, ...]
    stood_down: bool


def visit(
    strategy: Strategy,
    entries: Sequence[Entry],
    state: WindowState,
    look: Look,
    messages: Sequence[MessageView],
    summary: Summary | None = None,
) -> Visit | None:
    """One visit; None when the strategy does not engage. `messages` is the caller's list."""
    found = _engaged(strategy, entries, state, look)
    if found is None:
        return None
    if isinstance(found, Refusal):
        return _nothing(strategy, entries, state, look, (found,))
    span, refusals = found.span, found.refusals
    if span is None:
        pinned = any(refusal.reason == "last-tool-result" for refusal in refusals)
        state = replace(state, blocked=state.blocked + 1 if pinned else 0)
        return _nothing(strategy, entries, state, look, refusals)
    state = replace(state, blocked=0)
    made: tuple[str | None, int] | Refusal
    if strategy.kind == "summarise-oldest":
        made = _summarised(entries, span, state, look, summary)
    else:
        made = _noticed(strategy, entries, span, state, look)
    if isinstance(made, Refusal):
        if made.reason == "replacement-not-smaller":
            state = replace(state, refused=(*state.refused[-15:], _span_key(entries, span)))
        return _nothing(strategy, entries, state, look, (*refusals, made))
    done = _Done(span, *made, refusals, found.stands_down)
    return _done(strategy, entries, state, look, messages, done)


def wants_summary(
    strategy: Strategy, entries: Sequence[Entry], state: WindowState, look: Look
) -> str | None:
    """The text of the rounds that the next visit is to replace by a summary; None when none is."""
    if strategy.kind != "summarise-oldest":
        return None
    found = _engaged(strategy, entries, state, look)
    if found is None or isinstance(found, Refusal) or found.span is None:
        return None
    if _only_summary(entries, found.span) or _span_key(entries, found.span) in state.refused:
        return None
    views = [entries[at].view for at in range(found.span.start, found.span.end)]
    return "\n\n".join(f"{view.role}: {view.text}" for view in views)


def _engaged(
    strategy: Strategy, entries: Sequence[Entry], state: WindowState, look: Look
) -> _Found | Refusal | None:
    if strategy.threshold is not None:
        if look.measured is None:
            return None
        if not look.measured:
            return Refusal("unmeasured", -1, -1, "the provider reported no tokens")
        if look.measured <= strategy.threshold:
            return None
        if look.measured_action <= state.acted_on:
            return Refusal("stale-reading", -1, -1, "this measurement was acted on already")
    rounds = rounds_of(entries)
    limit = len(rounds) - strategy.keep_rounds
    if limit <= 0:
        kept = Refusal("inside-keep-window", -1, -1, f"{len(rounds)} rounds")
        return kept if strategy.threshold is not None else None
    stands_down = state.blocked >= 2
    pins = 0 if stands_down else strategy.keep_tool_results
    guards = guards_of(entries, rounds, look.text, pins, limit)
    span, refusals = leaving(entries, rounds, limit, guards, look.paused)
    return _Found(span, refusals, stands_down)


def _noticed(
    strategy: Strategy, entries: Sequence[Entry], span: Round, state: WindowState, look: Look
) -> tuple[str | None, int] | Refusal:
    leaves = entries[span.start : span.end]
    size = sum(entry.view.chars for entry in leaves)
    count = _count(leaves, state)
    tools = [tool for entry in leaves if entry.view.is_result for tool in entry.view.tools]
    text: str | None = None
    for named in (tools, []):
        fits = dropped_notice(count, look.action, strategy.kind, named)
        if len(fits) < size:
            text = fits
            break
    if look.alternates:
        before, after = _around(entries, span)
        if "user" in (before, after):
            text = None
        if text is None and before == after:
            return Refusal("roles-collide", -1, span.start, f"{before} beside {after}")
    if text is None and look.user_first and not _starts_with_user(entries, span):
        return Refusal("replacement-not-smaller", -1, span.start, "a user message must come first")
    return text, count


def _summarised(
    entries: Sequence[Entry], span: Round, state: WindowState, look: Look, summary: Summary | None
) -> tuple[str | None, int] | Refusal:
    if _only_summary(entries, span):
        return Refusal("only-existing-summary", -1, span.start)
    if _span_key(entries, span) in state.refused:
        return Refusal("replacement-not-smaller", -1, span.start, "refused before")
    if summary is None:
        return Refusal("no-summary", -1, span.start, "nobody asked the summariser")
    if summary.text is None or not isinstance(summary.text, str) or not summary.text.strip():
        return Refusal("summariser-failed", -1, span.start, summary.error or "no text")
    leaves = entries[span.start : span.end]
    count = _count(leaves, state)
    text = compacted_notice(count, look.action, summary.text)
    if len(text) >= sum(entry.view.chars for entry in leaves):
        return Refusal("replacement-not-smaller", -1, span.start)
    if look.alternates and "user" in _around(entries, span):
        return Refusal("roles-collide", -1, span.start, "the summary beside a user message")
    return text, count


def _done(
    strategy: Strategy, entries: Sequence[Entry], state: WindowState, look: Look,
    messages: Sequence[MessageView], done: _Done,
) -> Visit:  # fmt: skip
    span, text = done.span, done.text
    leaves = tuple(entries[span.start : span.end])
    by = Cause("window", strategy.kind, f"left at action {look.action}", strategy.kind)
    edits: list[RemoveMessage | AddMessage] = [
        RemoveMessage(place_at(messages, entry.own), by, entry.view.key)
        for entry in leaves
        if entry.own is not None
    ]
    if text is not None:
        first = next((e.own for e in entries[span.start :] if e.own is not None), len(messages))
        stands = by._replace(id=NOTICE_ID, reason=f"stands for what left at action {look.action}")
        key = sha256(encode(text)).hexdigest()[:32]
        at = place_at(messages, first)
        edits.append(AddMessage(at, "user", text, stands, key, look.action))
    before = sum(entry.view.chars for entry in entries)
    after = before - sum(entry.view.chars for entry in leaves) + len(text or "")
    visited = _visited(strategy, look, (before, after), len(leaves), done.refusals, done.stood_down)
    state = replace(
        state, acted_on=look.measured_action, left_out=0 if text is None else done.left_out
    )
    notes: list[Removed | WindowVisit] = [_removed(entry, look, by) for entry in leaves]
    notes.append(visited)
    return Visit(state, leaves, tuple(edits), tuple(notes))


def _nothing(
    strategy: Strategy, entries: Sequence[Entry], state: WindowState, look: Look,
    refusals: tuple[Refusal, ...],
) -> Visit:  # fmt: skip
    size = sum(entry.view.chars for entry in entries)
    note = _visited(strategy, look, (size, size), 0, refusals, stood_down=False)
    return Visit(state, (), (), (note,))


def _visited(
    strategy: Strategy, look: Look, chars: tuple[int, int], removed: int,
    refusals: tuple[Refusal, ...], stood_down: bool,
) -> WindowVisit:  # fmt: skip
    measured = look.measured if strategy.threshold is not None else None
    return WindowVisit(strategy.kind, look.action, removed, *chars, refusals, measured,
                       strategy.threshold, stood_down)  # fmt: skip


def _removed(entry: Entry, look: Look, by: Cause) -> Removed:
    view = entry.view
    ms = None
    if look.now is not None and view.seen_at is not None:
        ms = max(0.0, look.now - view.seen_at) * 1000  # seen while this call was read: 0
    survival = max(0, look.action - max(1, view.since))
    return Removed(view.key, view.source, view.id, "window", survival, ms, by)


def _count(leaves: Sequence[Entry], state: WindowState) -> int:
    notices = sum(1 for entry in leaves if _is_notice(entry))
    return len(leaves) - notices + (state.left_out if notices else 0)


def _is_notice(entry: Entry) -> bool:
    return entry.view.source == "window" or frame_of(entry.view.text) in (DROPPED, COMPACTED)


def _only_summary(entries: Sequence[Entry], span: Round) -> bool:
    return span.end - span.start == 1 and _is_notice(entries[span.start])


def _span_key(entries: Sequence[Entry], span: Round) -> str:
    digest = sha256()
    for entry in entries[span.start : span.end]:
        digest.update(encode(f"{entry.view.role}\0{entry.view.text}\0"))
    return digest.hexdigest()[:32]


def _around(entries: Sequence[Entry], span: Round) -> tuple[str, str]:
    before = side(entries[span.start - 1].view) if span.start else ""
    after = side(entries[span.end].view) if span.end < len(entries) else ""
    return before, after


def _starts_with_user(entries: Sequence[Entry], span: Round) -> bool:
    return span.start > 0 or span.end == len(entries) or side(entries[span.end].view) == "user"
