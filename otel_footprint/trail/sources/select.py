"""Which trace or turn is meant: by its id, by the beginning of it, or the newest."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from ...errors import TrailError
from ...records.listing import Meant
from ...records.trail import Span
from ...telemetry import names
from .. import values

FOLLOWED: Final = frozenset({"text", "resumes", "remote"})
"""Kinds of links that lead to more of the same conversation."""
MOST_LINKED: Final = 200
"""Earlier traces that are read for one; further ones are named."""
_HEX: Final = re.compile(r"[0-9a-fA-F]+\Z")


def meant(which: str, turns: Collection[str], traces: Collection[str]) -> Meant:
    """The turn or trace of this id, or the only one whose id begins so.

    Raises TrailError when there is none, or when the beginning fits several.
    """
    which = which.strip()
    lower = which.lower()
    if which in turns:
        return Meant(which, "")
    if lower in traces:
        return Meant("", lower)
    of_turns = sorted({t for t in turns if t.startswith(which)}) if which else []
    of_traces = sorted({t for t in traces if t.startswith(lower)}) if which else []
    found = len(of_turns) + len(of_traces)
    if found == 1:
        return Meant(of_turns[0], "") if of_turns else Meant("", of_traces[0])
    if not found:
        raise TrailError(
            f"no turn or trace {which!r} in this source (show --list names what is there)"
        )
    said = ", ".join([*(f"turn {t}" for t in of_turns[:4]), *(f"trace {t}" for t in of_traces[:4])])
    more = ", ..." if found > min(len(of_turns), 4) + min(len(of_traces), 4) else ""
    raise TrailError(f"{which!r} is the beginning of several ids: {said}{more}")


def is_trace_id(text: str) -> bool:
    """True for a text that can be a whole trace id."""
    return len(text) == 32 and _HEX.match(text) is not None


def turn_id(span: Span) -> str:
    """Id of the turn that a span names; empty when it names none."""
    return values.text(span.attributes, names.TURN_ID)


def linked(spans: Iterable[Span]) -> dict[str, str]:
    """Traces that spans of ours lead to as more of the same conversation, with the link's kind.

    A store that keeps no attributes of links keeps no kinds: there every link of ours counts.
    """
    out: dict[str, str] = {}
    for span in spans:
        for link in span.links:
            kind = values.text(link.attributes, names.LINK_TYPE)
            ours = span.scope == names.SCOPE and not link.attributes
            if link.trace_id and (kind in FOLLOWED or ours):
                out.setdefault(link.trace_id, kind)
        base = [values.text(e.attributes, names.BASE_TRACE) for e in span.events]
        for trace in filter(None, base):
            out.setdefault(trace.lower(), "text")
    return out
