"""An application's own ids of turns may fail: the turn is then recorded under a random one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from otel_footprint.telemetry import guard
from tests.adapters.conftest import Recorded

from .helpers import Logged, Model, swallowing, trail_of, user


def fails() -> str:
    raise RuntimeError("no ids today")


@pytest.mark.parametrize("ids", [fails, lambda: None, lambda: ""], ids=["raises", "none", "empty"])
def test_ids_that_fail_do_not_reach_the_agent(
    make: Callable[..., Recorded], logged: Logged, ids: Callable[[], Any]
) -> None:
    recorded = make(ids=ids)
    model = Model(("openai", False))
    recorded.footprint.wrap(model.client)
    with swallowing():
        with recorded.footprint.turn("Where is it?") as turn:
            answer = model.call_now([user("Where is it?")])
        assert guard.take_failures() > 0
    assert answer.choices[0].message.content == "hello"
    assert len(turn.id) == 16
    assert [found.id for found in trail_of(recorded).turns] == [turn.id]
    assert sum(" at ids: " in message for message in logged.messages) == 1
