"""What all tests share. Failures of ours are raised, not swallowed."""

from __future__ import annotations

import os
from pathlib import Path

os.environ["OTEL_FOOTPRINT_RAISE"] = "1"
os.environ.setdefault("ANTHROPIC_OPEN_TELEMETRY", "false")

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", settings.get_profile("here"), derandomize=True)
settings.load_profile("same" if os.environ.get("CI") else "here")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of vectors and recordings beside the checkout; skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the folder ../shared with vectors and recordings is not there")
    return SHARED
