"""`otel-footprint show --list`: finds turns, and prints each as soon as it is known."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timezone

from ..errors import TrailError
from ..records.trail import Problem
from ..report.plain import clean
from ..report.turnlines import heading, line
from .output import put
from .source import lost_of, named

NAMED = 20
"""Problems that are named one by one; the rest is counted."""
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_AGO = re.compile(r"(\d{1,9})([smhdw])\Z")


def add_options(command: argparse.ArgumentParser) -> None:
    """`--list` and what narrows it down."""
    group = command.add_argument_group("finding turns")
    group.add_argument("--list", action="store_true", help="list the turns instead of one trail")
    group.add_argument("--since", metavar="TIME", help="that ran after this: 2h, 3d, or ISO 8601")
    group.add_argument("--until", metavar="TIME", help="that began before this")
    group.add_argument("--agent", default="", metavar="NAME", help="of this agent")
    group.add_argument("--conversation", default="", metavar="ID", help="of this conversation")
    group.add_argument("--error", action="store_true", help="in which something failed")
    group.add_argument(
        "--pressure", action="store_true", help="in which a budget was under pressure"
    )
    group.add_argument(
        "--limit", type=_count, metavar="N", help="at most so many (default of a backend: 50)"
    )


def run(args: argparse.Namespace) -> int:
    """Prints a line for each turn, at once; returns 1 when something could not be read, else 0."""
    from ..trail.sources import source_of
    from ..trail.sources.listing import Filter
    from ..trail.store import ContentStore

    sources, which = named(args)
    if which:
        raise TrailError(f"--list takes no TRACE: {which}")
    if args.store is not None:  # a list needs none of it, but a wrong one is a mistake here too
        store = ContentStore(args.store)
        if store.absent:
            sys.stderr.write(f"otel-footprint show: {clean(store.absent)}: a list needs none\n")
    narrowed = Filter(
        moment(args.since), moment(args.until), args.agent, args.conversation, args.error,
        args.pressure,
    )  # fmt: skip
    problems: list[Problem] = []
    found = source_of(sources).turns(narrowed, args.limit)

    def render(width: int, color: bool, ascii_only: bool) -> Iterator[str]:
        count = 0
        for each in found:
            if isinstance(each, Problem):
                problems.append(each)
                if len(problems) <= NAMED:
                    sys.stderr.write(f"{clean(str(each))}\n")
                continue
            if not count:
                yield heading(color)
            count += 1
            yield line(each, width, color, ascii_only)
        if not count:
            sys.stderr.write("otel-footprint show: no turn fits\n")

    put(args, render)
    return lost_of(problems)


def moment(text: str | None) -> int | None:
    """Nanoseconds since the epoch: `2h` (ago), or a date and time (UTC where it has no zone).

    Raises TrailError for anything else.
    """
    if text is None:
        return None
    ago = _AGO.match(text.strip())
    if ago:
        return time.time_ns() - int(ago[1]) * _UNITS[ago[2]] * 1_000_000_000
    try:
        found = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except ValueError:
        raise TrailError(f"{text!r} is no time: write 2h, 3d, or 2026-01-31T12:00") from None
    if found.tzinfo is None:
        found = found.replace(tzinfo=timezone.utc)
    return int(found.timestamp() * 1_000_000) * 1_000


def _count(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 10_000:
        raise ValueError(text)
    return number
