"""`otel-footprint show`: the tree of a trail, or one call whole."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Sequence

from ..report import onecall, tree
from ..trail import Trail, load
from .output import put
from .source import lost, trail_of


def run(args: Namespace) -> int:
    """The command."""
    if args.list:
        from .turns import run as list_turns

        return list_turns(args)
    return print_trail(trail_of(args), args.color, args.call, args.ascii)


def show(
    files: Sequence[str], color: str = "auto", call: str | None = None, plain: bool = False
) -> int:
    """Prints the tree of files, or one call of it; see `print_trail`. Raises OSError."""
    return print_trail(load(files), color, call, plain)


def print_trail(trail: Trail, color: str, call: str | None, plain: bool) -> int:
    """Prints the tree of a trail on standard output, or one call of it.

    Returns the exit code: 1 when something could not be read (the lines are named), else 0. A
    reader that closes the pipe early is no error. Raises TrailError for a call that is not there.
    """
    chosen = None if call is None else trail.call(call)

    def render(width: int, paint: bool, ascii_only: bool) -> Iterable[str]:
        if chosen is None:
            return tree.render(trail, width, paint, ascii_only)
        return onecall.render(trail, chosen, width, paint, ascii_only)

    put(Namespace(color=color, ascii=plain), render)
    return lost(trail)
