"""Boundary rows: a text prefix, after which the attached block has to stand at top level.

A row holds its `prefix`, or names a `file` below the root of texts and a number of `lines`.
Whenever we say `clean` or `closed`, the real attachment is rendered and has to come out whole;
`unsettled` fails where a renderer knows a safe beginning, display math apart.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from otel_footprint.scripts import Ledger, Scripts, attach, select
from tests.scripts.oracle import expected, safe_beginning, stands

from .rows import Result

PROGRAM = "marker = 1  # **x** <b>\n\n```\n> - <!-- $$\n"


def run(path: Path, texts_root: Path | None = None) -> Result:
    """Checks every row; the last lines give the count of each verdict."""
    root = texts_root or path.parent.parent
    verdicts: Counter[str] = Counter()
    wrong: list[str] = []
    passed = 0
    for number, row in _rows(path):
        try:
            prefix = _prefix(row, root)
        except (KeyError, TypeError, OSError, ValueError) as error:
            wrong.append(f"row {number}: unknown row: {type(error).__name__}: {error}")
            continue
        verdict, fault = check(prefix)
        verdicts[verdict] += 1
        if fault:
            wrong.append(f"row {number}: {verdict}: {fault}: {prefix[-80:]!r}")
        else:
            passed += 1
    said = [f"{verdict}: {count}" for verdict, count in sorted(verdicts.items())]
    return Result(passed, len(wrong), 0, (*wrong, *said))


def check(answer: str) -> tuple[str, str]:
    """The verdict on an answer, and what is wrong with it; empty when nothing is."""
    attachment = attach(_selection(), answer)
    record, boundary = attachment.record, attachment.record.boundary
    assert boundary is not None
    if boundary.kind == "unsettled":
        verdict = f"unsettled ({attachment.reason})"
        if attachment.reason == "math":
            return verdict, ""
        closer = safe_beginning(answer, record)
        return verdict, "" if closer is None else f"safe after {closer!r}"
    if stands(attachment.to(answer), expected(record)):
        return boundary.kind, ""
    return boundary.kind, f"the block does not stand after {boundary.closing_line!r}"


@lru_cache(maxsize=1)
def _selection() -> Any:
    ledger = Ledger(Scripts(tools={"run_code": ("code", "python")}))
    ledger.ended(ledger.submitted("c1", "run_code", {"code": PROGRAM}), "completed", 0)
    return select(ledger)


def _rows(path: Path) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError:
                yield number, None


def _prefix(row: Any, root: Path) -> str:
    if "prefix" in row:
        if not isinstance(row["prefix"], str):
            raise ValueError("prefix is no text")
        return row["prefix"]
    lines = _lines(root / row["file"])
    if not 0 <= row["lines"] <= len(lines):
        raise ValueError(f"the file has {len(lines)} lines")
    return "\n".join(lines[: row["lines"]])


@lru_cache(maxsize=4)
def _lines(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return file.read().split("\n")
