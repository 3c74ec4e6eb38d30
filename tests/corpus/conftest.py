"""What the tests of the corpus share."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.adapters.conftest import Recorded

from .helpers import Logged


@pytest.fixture
def make() -> Iterator[Callable[..., Recorded]]:
    """Makes recording Footprints, and shuts them down."""
    all_made: list[Recorded] = []

    def of(**options: Any) -> Recorded:
        all_made.append(Recorded(**options))
        return all_made[-1]

    yield of
    for made in all_made:
        made.recording.tracer_provider.shutdown()
        made.recording.meter_provider.shutdown()


@pytest.fixture
def recorded(make: Callable[..., Recorded]) -> Recorded:
    """A Footprint in content mode `full`."""
    return make()


@pytest.fixture
def logged() -> Iterator[Logged]:
    """All log messages of the test."""
    handler = Logged()
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    yield handler
    root.removeHandler(handler)
    root.setLevel(level)
