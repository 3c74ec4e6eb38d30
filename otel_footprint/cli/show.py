"""`otel-footprint show`: the tree of a trail, or one call whole."""

from __future__ import annotations

import os
import shutil
import sys
from argparse import Namespace
from collections.abc import Iterable, Sequence

from ..report import onecall, tree
from ..report.style import takes_unicode, wants_color
from ..trail import Trail, load
from .source import lost, trail_of


def run(args: Namespace) -> int:
    """The command."""
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
    out = sys.stdout
    width = shutil.get_terminal_size((100, 24)).columns
    ascii_only = plain or not takes_unicode(out)
    paint = wants_color(color, out)
    if call is None:
        lines: Iterable[str] = tree.render(trail, width, paint, ascii_only)
    else:
        lines = onecall.render(trail, trail.call(call), width, paint, ascii_only)
    try:
        for line in lines:
            out.write(line + "\n")
        out.flush()
    except BrokenPipeError:
        _close_quietly()
    return lost(trail)


def _close_quietly() -> None:
    """Lets the interpreter's own flush at the end find nothing to complain about."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        return
