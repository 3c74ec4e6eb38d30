"""What fails within us does not reach the agent: its answers and its tools are as without us."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from otel_footprint.arguments.asking import AskState
from otel_footprint.run.call import Call
from otel_footprint.run.injecting import Injecting, Kept
from otel_footprint.run.programs import Programs
from otel_footprint.run.sources import Sources
from otel_footprint.run.sourcing import Sourcing
from otel_footprint.run.tools import ToolCall
from otel_footprint.scripts.ledger import Ledger
from otel_footprint.telemetry.guard import set_raising
from otel_footprint.telemetry.spans import Spans
from tests.quick import sampled

from .kit import DONE, GOT, Together


class Boom(RuntimeError):
    """Raised in our place."""


@pytest.fixture(autouse=True)
def swallowing() -> Iterator[None]:
    before = set_raising(False)
    yield
    set_raising(before)


FAILING = [
    (Kept, "take"),
    (Ledger, "__init__"),
    (Sources, "__init__"),
    (Injecting, "answered"),
    (Injecting, "composed"),
    (Programs, "plan"),
    (Programs, "answered"),
    (Programs, "before_tool"),
    (Programs, "after_tool"),
    (Sourcing, "composed"),
    (Sourcing, "answered"),
    (Sourcing, "before_tool"),
    (Sourcing, "before_tool_async"),
    (Sourcing, "after_tool"),
    (AskState, "round"),
    (Spans, "event"),
    (ToolCall, "event"),
    (ToolCall, "link"),
    (ToolCall, "say"),
    (Call, "_settle"),
    (Call, "_close"),
]


@pytest.mark.parametrize("asynchronous", sampled([False, True], 2))
@pytest.mark.parametrize(("kind", "method"), FAILING)
def test_the_agent_gets_what_it_gets_without_us(
    kind: Any, method: str, asynchronous: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Together("openai", asynchronous=asynchronous, stream=asynchronous)

    def fail(*_: Any, **__: Any) -> Any:
        raise Boom

    monkeypatch.setattr(kind, method, fail)
    if kind is Sources:  # nothing is planted: the model does not declare anything
        monkeypatch.setattr("tests.together.kit.asked", list)
        made = Together("openai", asynchronous=asynchronous, stream=asynchronous)
    elif kind is Kept:  # no tool of ours is offered: the model does not ask for one
        del made.server.answers[0]
    assert made.run().startswith(DONE)
    assert made.got == ([] if kind is Sources else GOT)
