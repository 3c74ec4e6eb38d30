"""Rows of `step_declarations.json`: which declared steps are refused, and by which rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from otel_footprint import injection
from otel_footprint.injection.procedures.declaration import StepError

from .rows import Result, run_rows


def run(path: Path, texts_root: Path | None = None) -> Result:
    """Runs every row of the file."""
    return run_rows(path, lambda row: {"refused": _refused(row)})


def _refused(row: dict[str, Any]) -> dict[str, Any] | None:
    try:
        injection.skill(
            "row", "A skill.", "Its body.",
            tools=row["tools"], steps=row["steps"], on_skip=row["on_skip"],
        )  # fmt: skip
    except StepError as error:
        return {"kind": error.kind, "step": error.step}
    return None
