"""`otel-footprint show`: the tree of trail files, or one call whole."""

from __future__ import annotations

import os
import shutil
import sys
from argparse import Namespace
from collections.abc import Iterable, Sequence

from ..errors import TrailError
from ..report import onecall, tree
from ..report.style import takes_unicode, wants_color
from ..trail import Trail, load

USAGE = 2
"""Exit code of a command that was called wrongly."""


def run(args: Namespace) -> int:
    """The command."""
    return show(args.files, color=args.color, call=args.call, plain=args.ascii)


def show(
    files: Sequence[str], color: str = "auto", call: str | None = None, plain: bool = False
) -> int:
    """Prints the tree of the files on standard output, or one call of it.

    Returns the exit code: 1 when something could not be read (the lines are named), 2 when a file
    cannot be opened or the call is not there, else 0. A reader that closes the pipe early is no
    error.
    """
    try:
        trail = load(files)
    except OSError as error:
        return _usage(f"{error.filename or files[0]}: {error.strerror or error}")
    out = sys.stdout
    width = shutil.get_terminal_size((100, 24)).columns
    ascii_only = plain or not takes_unicode(out)
    paint = wants_color(color, out)
    try:
        if call is None:
            lines: Iterable[str] = tree.render(trail, width, paint, ascii_only)
        else:
            lines = onecall.render(trail, trail.call(call), width, paint, ascii_only)
        for line in lines:
            out.write(line + "\n")
        out.flush()
    except TrailError as error:
        return _usage(str(error))
    except BrokenPipeError:
        _close_quietly()
    return _code(trail)


def _code(trail: Trail) -> int:
    if trail.problems:
        first = trail.problems[0]
        places = len({(p.file, p.line) for p in trail.problems})
        lines = "line" if places == 1 else "lines"
        named = ", ".join(str(line) for line in dict.fromkeys(p.line for p in trail.problems[:20]))
        more = ", ..." if len(trail.problems) > 20 else ""
        sys.stderr.write(f"otel-footprint: {first.file}: could not read {lines} {named}{more}\n")
        return 1
    return 0


def _usage(what: str) -> int:
    sys.stderr.write(f"otel-footprint show: {what}\n")
    return USAGE


def _close_quietly() -> None:
    """Lets the interpreter's own flush at the end find nothing to complain about."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        return
