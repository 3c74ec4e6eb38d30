"""`otel-footprint show`: the tree of a trail, or one call whole."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable

from ..report import onecall, tree
from ..trail import Trail
from .output import put
from .source import lost, trail_of


def run(args: Namespace) -> int:
    """The command."""
    if args.list:
        from .turns import run as list_turns

        return list_turns(args)
    return print_trail(trail_of(args), args.color, args.call, args.ascii)


def print_trail(trail: Trail, color: str, call: str | None = None, ascii_only: bool = False) -> int:
    """Prints the tree of a trail on standard output, or one call of it.

    Returns the exit code: 1 when something could not be read (the lines are named), else 0. A
    reader that closes the pipe early is no error. Raises TrailError for a call that is not there.
    """
    chosen = None if call is None else trail.call(call)

    def render(width: int, paint: bool, plain: bool) -> Iterable[str]:
        if chosen is None:
            return tree.render(trail, width, paint, plain)
        return onecall.render(trail, chosen, width, paint, plain)

    put(Namespace(color=color, ascii=ascii_only), render)
    return lost(trail)
