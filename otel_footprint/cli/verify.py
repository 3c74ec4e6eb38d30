"""`otel-footprint verify`: whether a trail is whole, by exit code."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import Final

from ..errors import FootprintError
from ..records.trail import NEWEST
from ..report.plain import clean
from .output import put
from .source import trail_of

CODES: Final = {"complete": 0, "inconsistent": 1, "incomplete": 2, "open": 3, "unreadable": 4}


def run(args: Namespace) -> int:
    """Prints the verdict; returns its code: complete 0, inconsistent 1, incomplete 2, open 3,
    unreadable (also: not there, or not to be reached) 4."""
    from ..report.verify import render
    from ..trail.verify import verify

    try:
        trail = trail_of(args, NEWEST)
    except FootprintError as error:
        sys.stderr.write(f"otel-footprint verify: unreadable: {clean(str(error))}\n")
        return CODES["unreadable"]
    found = verify(trail)
    put(args, lambda width, color, plain: render(trail, found, width, color, plain))
    return CODES[found.state]
