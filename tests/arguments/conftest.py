"""What the tests of arguments share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.sdk import Recording


@pytest.fixture
def recording() -> Iterator[Recording]:
    """Providers that keep what they get, shut down at the end."""
    made = Recording()
    yield made
    made.tracer_provider.shutdown()
    made.meter_provider.shutdown()
