"""Both orders of installation; a turn of one's own or none."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(params=["us first", "them first"])
def order(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(params=["turn", "no turn"])
def turn(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "turn")
