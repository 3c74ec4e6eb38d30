"""Lines on standard output, for a terminal, a pipe or a file."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping

from ..report.style import takes_unicode, wants_color

_PATIENCE = 0.2
"""Seconds after which a line that is there is seen by a reader of a pipe."""

Render = Callable[[int, bool, bool], Iterable[str]]
"""Takes width, colour, ASCII only; gives the lines."""


def put(args: Namespace, render: Render) -> None:
    """Prints what `render` gives. A reader that closes the pipe early is no error.

    `args.color` and `args.ascii` say how; the width is the terminal's.
    """
    out = sys.stdout
    width = shutil.get_terminal_size((100, 24)).columns
    ascii_only = args.ascii or not takes_unicode(out)
    flushed = 0.0
    try:
        for line in render(width, wants_color(args.color, out), ascii_only):
            out.write(line + "\n")
            now = time.monotonic()
            if now - flushed > _PATIENCE:
                out.flush()
                flushed = now
        out.flush()
    except BrokenPipeError:
        close_quietly()


def close_quietly() -> None:
    """Lets the interpreter's own flush at the end find nothing to complain about."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        return


def put_json(args: Namespace, value: Mapping[str, object]) -> None:
    """Prints a JSON object, indented and in ASCII; see `put`."""
    text = json.dumps(value, ensure_ascii=True, indent=2)
    put(args, lambda *_: text.splitlines())
