"""`python -m tests.replay DIR [DIR ...]`: one line a file, then `N passed, M failed`."""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

os.environ.setdefault("OTEL_FOOTPRINT_RAISE", "1")
os.environ.setdefault("ANTHROPIC_OPEN_TELEMETRY", "false")

from .cassettes import Unknown, read
from .check import check
from .drive import Driven, drive


def main(arguments: list[str]) -> int:
    """Runs every file; 1 when one failed or none was there, 2 when called wrongly."""
    folders = [Path(a) for a in arguments]
    if not folders or not all(f.exists() for f in folders):
        sys.stderr.write("usage: python -m tests.replay DIR [DIR ...]\n")
        return 2
    passed = failed = 0
    for folder in folders:
        root = folder if folder.is_dir() else folder.parent
        files = sorted(p for p in folder.rglob("*") if p.is_file()) if folder.is_dir() else [folder]
        for path in files:
            problems, words = replay(path)
            name = path.relative_to(root)
            if problems:
                failed += 1
                print(f"FAIL  {name}  {words}")
                for problem in problems[:12]:
                    print(f"      {problem}")
                if len(problems) > 12:
                    print(f"      and {len(problems) - 12} more")
            else:
                passed += 1
                print(f"ok    {name}  {words}")
    print(f"\n{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def replay(path: Path) -> tuple[list[str], str]:
    """Replays one file: what is wrong with it, and what was done, in words."""
    driven = Driven()
    try:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of models, by the SDKs
            trail = Path(folder, "trail.jsonl")
            driven = drive(read(path), trail)
            problems = [*driven.problems, *check(trail, driven)]
    except Unknown as unknown:
        return [f"not known: {unknown}"], ""
    except Exception:
        return [traceback.format_exc(limit=-4)], ""
    if not driven.sent and not driven.asides:
        problems.append("nothing ran")
    by_sdk = sum(1 for s in driven.sent if s.sdk)
    words = f"{len(driven.sent)} calls" if len(driven.sent) != 1 else "1 call"
    if by_sdk < len(driven.sent):
        words += f" ({by_sdk} by an SDK)"
    if driven.asides:
        words += f"; aside {'; '.join(driven.asides)}"
    return problems, words


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
