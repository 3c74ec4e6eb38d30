"""`python -m tests.conformance PATH... [--texts ROOT]`: prints counts, exit 1 on any failure."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .registry import run_file
from .rows import Result

MOST_LINES = 40


def main(arguments: list[str] | None = None) -> int:
    """Runs all files; 0 when every row of every file passed."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("path", nargs="+", type=Path)
    parser.add_argument("--texts", type=Path, help="folder that rows name their text files in")
    options = parser.parse_args(arguments)
    total = Result(0, 0, 0, ())
    for path in options.path:
        result = run_file(path, options.texts)
        for line in result.lines[:MOST_LINES]:
            print(f"  {line}")
        if len(result.lines) > MOST_LINES:
            print(f"  ... and {len(result.lines) - MOST_LINES} more lines")
        print(f"{path.name}: {counts(result)}")
        total = Result(*(a + b for a, b in zip(total[:3], result[:3], strict=True)), ())
    print(f"total: {counts(total)}")
    return 1 if total.failed else 0


def counts(result: Result) -> str:
    """`N passed, M failed`, and what was skipped, if anything."""
    skipped = f", {result.skipped} skipped" if result.skipped else ""
    return f"{result.passed} passed, {result.failed} failed{skipped}"


if __name__ == "__main__":
    sys.exit(main())
