"""`otel-footprint report`: a trail as one HTML file."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from pathlib import Path

from ..errors import TrailError
from ..report.html import write
from ..report.plain import clean, number, plural
from ..trail import Trail
from .source import lost, trail_of


def run(args: Namespace) -> int:
    """The command: writes the file, says what is in it. Exit code as of `lost`."""
    trail = trail_of(args)
    if args.output == "-":
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
        write(trail, sys.stdout)
        return lost(trail)
    path = Path(args.output)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as out:
            write(trail, out)
        beside.replace(path)
    except OSError as error:
        raise TrailError(f"{path}: {error.strerror or error}") from error
    finally:
        beside.unlink(missing_ok=True)
    sys.stdout.write(_said(trail, path) + "\n")
    return lost(trail)


def _said(trail: Trail, path: Path) -> str:
    said = [plural(len(trail.turns), "turn"), plural(len(trail.calls), "call")]
    if trail.spans and not trail.turns:
        said = [f"{plural(len(trail.spans), 'span')} of other instrumentations"]
    gaps = len(trail.gaps)
    said += [plural(gaps, "gap")] if gaps else []
    said.append(f"{number(max(1, path.stat().st_size // 1000))} kB")
    return f"{clean(str(path))}: {', '.join(said)}"
