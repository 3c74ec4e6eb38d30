"""Rows of `step_pointer.json`: re-keying by tenure, and what a carrier says of the position.

The file spells a pointer's skill `skillId`; ours is `skill`. Members that are no objects, and all
other fields, are handed over as they are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from otel_footprint.injection.procedures.plan import StepPlan, make_plan
from otel_footprint.injection.procedures.pointer import (
    ABSENT,
    carrier_of,
    current_step,
    in_progress,
    pointer_of,
    rekey,
    remaining,
)

from .rows import Result, Row, run_rows

Plans = dict[str, StepPlan]


def run(path: Path, texts_root: Path | None = None) -> Result:
    """Runs every row of both lists."""
    plans: Plans = {}

    def rows_of(data: dict[str, Any]) -> list[Row]:
        for name, held in data["plans"].items():
            plan = make_plan(held["skillId"], held.get("steps"), held.get("onSkip"))
            if plan is not None:
                plans[name] = plan
        return [*data["rekey"], *data["pointer"]]

    def found(row: Row) -> Row:
        return _rekeyed(row, plans) if "prior" in row else _read(row, plans)

    return run_rows(path, found, rows_of)


def _rekeyed(row: dict[str, Any], plans: Plans) -> dict[str, Any]:
    pointer = rekey(pointer_of(_ours(row["prior"])), row["tenant"], plans)
    return {"result": [_theirs(member) for member in carrier_of(pointer)]}


def _read(row: dict[str, Any], plans: Plans) -> dict[str, Any]:
    pointer = pointer_of(_ours(row["carrier"]))
    if pointer is None:
        return {"pointer": None, "in_progress": False, "current": None, "remaining": None}
    plan = plans.get(pointer.skill)
    step = current_step(pointer, plan)
    return {
        "pointer": _theirs(pointer.to_json()),
        "in_progress": in_progress(pointer),
        "current": None if step is None else step._asdict(),
        "remaining": [
            {"index": left.step, "tool": left.tool, "note": left.note}
            for left in remaining(pointer, plan)
        ],
    }


def _ours(carrier: Any) -> Any:
    if carrier == {"__absent__": True}:
        return ABSENT
    if not isinstance(carrier, list):
        return carrier
    return [
        {"skill" if k == "skillId" else k: v for k, v in member.items()}
        if isinstance(member, dict)
        else member
        for member in carrier
    ]


def _theirs(member: dict[str, Any]) -> dict[str, Any]:
    return {"skillId" if k == "skill" else k: v for k, v in member.items()}
