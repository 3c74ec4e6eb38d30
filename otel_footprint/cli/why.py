"""`otel-footprint why`: from an answer back to the pieces of context that carry it."""

from __future__ import annotations

from argparse import Namespace
from typing import Final

from ..report import why as printed
from .output import put, put_json
from .source import lost, trail_of

UNREAD: Final = 4
"""Exit code where there was no answer to read; the same as `verify` has for what is unreadable."""


def run(args: Namespace) -> int:
    """The command; returns `UNREAD` where there is nothing to go by, else as `lost` says."""
    trail = trail_of(args)
    unread = False
    if args.absent is not None:
        missing = trail.absent(args.absent, args.call)
        unread = missing.unread
        if args.json:
            put_json(args, missing.to_json())
        else:
            put(args, lambda width, color, plain: printed.render_absent(
                trail, missing, width, color, plain))  # fmt: skip
    else:
        found = trail.why(args.value, args.call)
        unread = found.unread
        if args.json:
            put_json(args, found.to_json())
        else:
            put(args, lambda width, color, plain: printed.render(
                trail, found, width, color, plain))  # fmt: skip
    code = lost(trail)
    return UNREAD if unread else code
