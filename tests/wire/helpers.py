"""What the tests of `wire` share: the recorded traffic, and a request taken apart and rebuilt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from otel_footprint.text.jsontext import dumps, dumps_sorted
from otel_footprint.wire import Dialect, Item, Response, layout_text, parse_sse, rebuild

RECORDED = Path(__file__).parents[3] / "shared" / "data" / "cassettes" / "norm"
SLOTS = ("system", "messages", "tools")

FILES = sorted(RECORDED.glob("*/*.json"))
NAMES = [f"{file.parent.name}/{file.stem}" for file in FILES]
ABSENT = f"the recorded traffic is not here: {RECORDED}"
EACH_FILE = pytest.mark.parametrize(
    "file",
    FILES or [pytest.param(None, marks=pytest.mark.skip(reason=ABSENT))],
    ids=NAMES or ["absent"],
)
"""A test for each recorded file; one that is skipped where there are none."""


def recorded(file: Path) -> list[dict[str, Any]]:
    return json.loads(file.read_text("utf-8"))["interactions"]


def need_recordings() -> None:
    if not FILES:
        pytest.skip(ABSENT)


def pieces(dialect: Dialect, body: Any) -> dict[str, list[Item]]:
    layout = dialect.layout(body)
    return {
        slot: [item for element in getattr(layout, slot) for item in dialect.items(slot, element)]
        for slot in SLOTS
    }


def rebuilt(dialect: Dialect, body: Any) -> str:
    """The request taken apart into texts and put together from nothing but these texts."""
    items = pieces(dialect, body)
    texts = [[dumps(item.value) for item in items[slot]] for slot in SLOTS]
    frames = {slot: [item.frame for item in items[slot]] for slot in SLOTS}
    return rebuild(layout_text(dialect.layout(body).rest), *texts, frames)


def same(dialect: Dialect, first: Any, second: Any) -> bool:
    return key(dialect, first) == key(dialect, second)


def key(dialect: Dialect, value: Any) -> str:
    return dumps_sorted(dialect.identity(value))


def answer(dialect: Dialect, response: dict[str, Any]) -> Response | None:
    """What the dialect reads from a recorded response; None when it holds none of a model."""
    if "json" in response:
        return dialect.response(response["json"])
    if "sse" in response:
        return dialect.assemble(parse_sse(response["sse"]))
    if "aws_eventstream" in response:
        frames = response["aws_eventstream"]
        return dialect.assemble(
            [(f["headers"].get(":event-type", ""), f["payload"]) for f in frames]
        )
    return None


def unnamed(*events: Any) -> list[tuple[str, Any]]:
    """Events without names, as JSON lines and some SSE streams bring them."""
    return [("", event) for event in events]
