"""How far the token estimate is from what providers reported, over recorded traffic.

    python -m tests.studies.token_estimates ../shared/data/cassettes/norm

For each model call with reported input tokens: the estimate, and the estimate calibrated by the
previous call of that model in the same file. Images and documents carry no text and are left out.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from otel_footprint.run.compose import measure
from otel_footprint.slots.tokens import TOOL_PROMPT, Calibration, definition
from otel_footprint.wire import dialect_for, parse_sse
from otel_footprint.wire.values import compact


class Row(NamedTuple):
    """One call."""

    file: str
    estimated: int
    calibrated: int | None
    reported: int
    dense: float
    """Share of the estimate that stands in tools and JSON."""
    media: bool
    hidden: bool
    """The provider adds context that the request does not show."""


def rows(folder: Path) -> Iterator[Row]:
    """Every call of the recordings that reports its input tokens."""
    for path in sorted(folder.rglob("*.json")):
        calibration = Calibration()
        for exchange in json.loads(path.read_text())["interactions"]:
            row = _row(path, exchange, calibration)
            if row is not None:
                yield row


def _row(path: Path, exchange: dict[str, Any], calibration: Calibration) -> Row | None:
    body = exchange["request"].get("json")
    if not isinstance(body, dict):
        return None
    dialect = dialect_for("", exchange.get("uri", ""), body)
    answer = exchange["response"]
    if dialect is None:
        return None
    if "json" in answer and isinstance(answer["json"], dict):
        usage = dialect.response(answer["json"]).usage
    elif "sse" in answer:
        usage = dialect.assemble(parse_sse(answer["sse"])).usage
    else:
        return None
    if not usage.input:
        return None
    layout, facts = dialect.layout(body), dialect.facts(body)
    sums, media = dict.fromkeys(("system", "messages", "tools"), 0), False
    for slot in sums:
        for element in getattr(layout, slot):
            for item in dialect.items(slot, element):
                sums[slot] += (
                    definition(compact(item.value))
                    if slot == "tools"
                    else measure(dialect, item)[1]
                )
                media = media or any(p.kind == "media" for p in dialect.parts(item.value))
    estimated = sum(sums.values()) + (TOOL_PROMPT.get(dialect.name, 0) if sums["tools"] else 0)
    model = facts.model or str(path)
    tokens, method = calibration.apply(model, estimated)
    calibration.learn(model, estimated, usage.input)
    return Row(
        path.name,
        estimated,
        tokens if method == "calibrated" else None,
        usage.input,
        sums["tools"] / estimated if estimated else 0.0,
        media,
        facts.completeness is not None or _has_provider_tools(layout.tools),
    )


def _has_provider_tools(tools: list[Any]) -> bool:
    """Tools that the provider defines bring a prompt of their own, which no request shows."""
    return any(
        isinstance(t, dict) and t.get("type") not in (None, "function", "custom") for t in tools
    )


def _error(estimated: int, reported: int) -> float:
    return abs(estimated - reported) / reported


def _line(name: str, errors: list[float]) -> str:
    if not errors:
        return f"{name:44} no call"
    return (
        f"{name:44} {len(errors):4} calls  median {statistics.median(errors):6.1%}"
        f"  worst {max(errors):7.1%}"
    )


def main(folder: str) -> int:
    """Prints the table; 1 when there was nothing to measure."""
    found = [r for r in rows(Path(folder)) if not r.media and not r.hidden]
    plain = [r for r in found if r.dense <= 0.5]
    dense = [r for r in found if r.dense > 0.5]
    for name, some in (("all", found), ("prose", plain), ("tools and JSON over half", dense)):
        print(_line(f"{name}, estimated", [_error(r.estimated, r.reported) for r in some]))
        print(
            _line(
                f"{name}, calibrated by the call before",
                [_error(r.calibrated, r.reported) for r in some if r.calibrated is not None],
            )
        )
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
