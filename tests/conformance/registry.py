"""Which module runs which vector file, by the pattern of the file's name.

A module exposes `run(path, texts_root=None) -> Result` and is imported when its file is run.
"""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path

from .rows import Result

RUNNERS: dict[str, str] = {
    "boundary_oracle_*.jsonl": "tests.conformance.boundary",
    "declared_sources*.json": "tests.conformance.declared_sources",
    "prompt_templates*.json": "tests.conformance.prompt_templates",
    "step_declarations*.json": "tests.conformance.step_declarations",
    "step_pointer*.json": "tests.conformance.step_pointer",
}


def runner(name: str) -> Callable[..., Result] | None:
    """The function that runs a file of this name; None for an unknown one."""
    for pattern, module in RUNNERS.items():
        if fnmatchcase(name, pattern):
            found: Callable[..., Result] = import_module(module).run
            return found
    return None


def run_file(path: Path, texts_root: Path | None = None) -> Result:
    """Runs one file. What cannot be run, and a file without rows, counts as failed."""
    try:
        found = runner(path.name)
    except ImportError as error:
        return Result(0, 1, 0, (f"runner failed: {error}",))
    if found is None:
        return Result(0, 1, 0, ("unknown file",))
    if not path.is_file():
        return Result(0, 1, 0, ("no such file",))
    try:
        result = found(path, texts_root)
    except Exception as error:  # a runner that breaks has passed nothing
        return Result(0, 1, 0, (f"runner failed: {type(error).__name__}: {error}",))
    if not result.passed and not result.failed:
        return Result(0, 1, result.skipped, (*result.lines, "no rows"))
    return result
