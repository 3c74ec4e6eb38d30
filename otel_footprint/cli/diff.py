"""`otel-footprint diff`: two calls of a trail, or two trails call by call."""

from __future__ import annotations

import re
from argparse import Namespace
from typing import NamedTuple

from ..errors import TrailError
from ..records.comparison import CallDiff
from ..records.trail import CallTrail
from ..report import diff as printed
from ..report.diff_json import as_json
from ..trail import Trail
from ..trail.naming import names_of
from .output import put, put_json
from .source import is_source, lost, named, opened, trail_of

_CALL = re.compile(r"\d{1,9}|[0-9a-f]+\.\d{1,9}")
_OF_TURN = re.compile(r".+\.\d{1,9}")
"""A call of a turn whose id the application chose; the id of a turn may look the same."""


def run(args: Namespace) -> int:
    """The command."""
    given = _given(args)
    if len(given.trails) == 2:
        first, second = given.trails
        if given.calls:
            diffs = [first.diff(given.calls[0], given.calls[-1], second)]
        else:
            diffs = _pairs(first, second)
    else:
        first = second = given.trails[0]
        diffs = [_of_one(first, given.calls)]
    if args.json:
        made = [as_json(diff) for diff in diffs]
        put_json(args, made[0] if given.calls else {"calls": made})
    elif given.calls:
        put(args, lambda width, color, plain: printed.render(second, diffs[0], width, color, plain))
    else:
        put(
            args,
            lambda width, color, plain: printed.pairs(first, second, diffs, width, color, plain),
        )
    return max(lost(trail) for trail in dict.fromkeys((first, second)))


class _Given(NamedTuple):
    trails: list[Trail]
    calls: list[str]


def _given(args: Namespace) -> _Given:
    """The trails and calls that the words name."""
    words = [w for w in args.trace if not is_source(w)]
    calls = [w for w in words if _CALL.fullmatch(w)]
    more = [w for w in words if w in calls or _OF_TURN.fullmatch(w)]
    if len(calls) < len(more) <= 2 and not any(w.isdecimal() for w in calls):
        trail = _holding(args, more)
        if trail is not None:
            return _Given([trail], more)
    if len(calls) > 2:
        raise TrailError(f"two calls at a time, not {', '.join(calls)}")
    names = [w for w in args.trace if w not in calls]
    files = [] if args.sources else [n for n in names if is_source(n)]
    ids = [n for n in names if n not in files]
    if len(files) == 2 and not ids:
        return _Given([opened(args, [f]) for f in files], calls)
    if len(ids) == 2:
        sources, _ = named(Namespace(trace=files + ids[:1], sources=args.sources))
        return _Given([opened(args, sources, i) for i in ids], calls)
    return _Given([trail_of(Namespace(**{**vars(args), "trace": names}))], calls)


def _holding(args: Namespace, calls: list[str]) -> Trail | None:
    """The trail that the other words name, where it holds these calls."""
    names = [w for w in args.trace if w not in calls]
    try:
        trail = trail_of(Namespace(**{**vars(args), "trace": names}))
        for call in calls:
            trail.call(call)
    except TrailError:
        return None
    return trail


def _of_one(trail: Trail, calls: list[str]) -> CallDiff:
    if not calls:
        there = names_of([c for t in trail.asked for c in t.calls])
        raise TrailError(f"name one call or two, or two traces (calls: {there})")
    after = trail.call(calls[-1])
    before = trail.call(calls[0]) if len(calls) == 2 else _before(trail, after)
    return trail.diff(before, after)


def _before(trail: Trail, call: CallTrail) -> CallTrail:
    turn = trail.turn_of(call)
    own = turn.calls if turn else ()
    at = next((i for i, c in enumerate(own) if c.id == call.id), 0)
    if not at:
        raise TrailError(f"call {call.number or call.id} is the first of its turn: name two calls")
    return own[at - 1]


def _pairs(first: Trail, second: Trail) -> list[CallDiff]:
    """The calls of two trails by their order, as far as both have them."""
    own, other = ([c for t in trail.asked for c in t.calls] for trail in (first, second))
    if not own or not other:
        raise TrailError("there is no model call in one of the two")
    return [first.diff(a, b, second) for a, b in zip(own, other, strict=False)]
