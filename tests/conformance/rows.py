"""What the runners of row files share: reading, comparing field by field, counting."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

Row = dict[str, Any]


class Result(NamedTuple):
    """How a file went."""

    passed: int
    failed: int
    skipped: int
    lines: tuple[str, ...]


def run_rows(
    path: Path, found: Callable[[Row], Row], rows_of: Callable[[Any], list[Row]] = list
) -> Result:
    """Compares each row with what was found for it; every found field must be equal.

    A row that cannot be read as one of this file fails; so does a file without rows.
    """
    try:
        rows = rows_of(json.loads(Path(path).read_text("utf-8")))
    except (KeyError, TypeError, ValueError) as error:
        return Result(0, 1, 0, (f"unreadable: {type(error).__name__}: {error}",))
    if not rows:
        return Result(0, 1, 0, ("no rows",))
    lines = [line for number, row in enumerate(rows, 1) if (line := _wrong(number, row, found))]
    return Result(len(rows) - len(lines), len(lines), 0, tuple(lines))


def _wrong(number: int, row: Row, found: Callable[[Row], Row]) -> str | None:
    try:
        ours = found(row)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        return f"row {number}: unknown row: {type(error).__name__}: {error}"
    wrong = [name for name, value in ours.items() if not _same(row.get(name), value)]
    if not wrong:
        return None
    return f"row {number}: " + ", ".join(
        f"{name}: {row.get(name)!r} expected, {ours[name]!r} found" for name in wrong
    )


def _same(left: Any, right: Any) -> bool:
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
