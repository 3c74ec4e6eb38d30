"""`otel-footprint why`: from an answer back to the pieces of context that carry it."""

from __future__ import annotations

import json
from argparse import Namespace

from ..report import why as printed
from .output import put
from .source import lost, trail_of


def run(args: Namespace) -> int:
    """The command."""
    trail = trail_of(args)
    if args.absent is not None:
        missing = trail.absent(args.absent, args.call)
        if args.json:
            _put_json(args, missing.to_json())
        else:
            put(args, lambda width, color, plain: printed.render_absent(
                trail, missing, width, color, plain))  # fmt: skip
    else:
        found = trail.why(args.value, args.call)
        if args.json:
            _put_json(args, found.to_json())
        else:
            put(args, lambda width, color, plain: printed.render(
                trail, found, width, color, plain))  # fmt: skip
    return lost(trail)


def _put_json(args: Namespace, made: dict[str, object]) -> None:
    text = json.dumps(made, ensure_ascii=True, indent=2)
    put(args, lambda *_: text.splitlines())
