"""What several tests of programs need."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from otel_footprint.telemetry import guard


@pytest.fixture
def quiet() -> Iterator[None]:
    """Our own failures are swallowed, as they are for a user."""
    before = guard.set_raising(False)
    yield
    guard.set_raising(before)
