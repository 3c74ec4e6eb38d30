"""Rows of `declared_sources.json`: which entries of `from` are kept, and how many are dropped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from otel_footprint.arguments import read_sources

from .rows import Result, run_rows


def run(path: Path, texts_root: Path | None = None) -> Result:
    """Runs every row of the file."""
    return run_rows(path, _found)


def _found(row: dict[str, Any]) -> dict[str, Any]:
    raw = row["raw"]
    claims = read_sources(object() if _is_absent(raw) else raw, row["args"])
    kept = [
        {name: value for name, value in claim._asdict().items() if value is not None}
        for claim in claims.kept
    ]
    return {"from": kept, "malformed": claims.malformed}


def _is_absent(raw: Any) -> bool:
    return isinstance(raw, dict) and raw.get("__absent__") is True
