"""`otel-footprint rebuild`: the exact request of a call, and how far it is proven."""

from __future__ import annotations

import sys
from argparse import Namespace

from ..errors import TrailError
from ..records.listing import NEWEST
from ..records.trail import CallTrail
from ..trail import Trail
from .source import lost, trail_of


def run(args: Namespace) -> int:
    """Prints the request on standard output, its proof on standard error.

    Returns 1 when it cannot be rebuilt, is not proven, or something could not be read; else 0.
    """
    from ..report.rebuilt import escaped, pretty, proof_lines

    by_id = args.call is not None and "." in args.call
    trail = trail_of(args, "" if by_id else NEWEST)
    call = chosen(trail, args.call)
    rebuilt = trail.rebuild(call)
    for line in proof_lines(trail, call, rebuilt):
        sys.stderr.write(line + "\n")
    if rebuilt.text is not None:
        out = sys.stdout
        if args.provider is None:
            _write(pretty(rebuilt.text) + "\n")
        elif out.isatty():
            _write(escaped(rebuilt.text) + "\n")
        else:
            out.flush()
            out.buffer.write(rebuilt.text.encode("utf-8", "surrogatepass"))
            out.buffer.flush()
    unproven = rebuilt.text is None or rebuilt.proof.level in ("none", "unproven")
    return lost(trail) or int(unproven)


def chosen(trail: Trail, which: str | None) -> CallTrail:
    """The call that is meant; without a number or an id the last one."""
    if which is not None:
        return trail.call(which)
    calls = [call for turn in trail.asked for call in turn.calls]
    if not calls:
        raise TrailError("no call of ours is in this trail")
    return calls[-1]


def _write(text: str) -> None:
    out = sys.stdout
    encoding = getattr(out, "encoding", None) or "utf-8"
    out.write(text.encode(encoding, "backslashreplace").decode(encoding))
    out.flush()
