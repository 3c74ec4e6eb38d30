"""What all tests share. Failures of ours are raised, not swallowed."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

os.environ["OTEL_FOOTPRINT_RAISE"] = "1"
os.environ.setdefault("ANTHROPIC_OPEN_TELEMETRY", "false")

import httpx  # noqa: F401 - whole from the start: a stream that is collected looks into it
import pytest
from hypothesis import HealthCheck, settings

from tests import quick
from tests.sdk import Recording

_modules = 0


def pytest_configure(config: pytest.Config) -> None:
    """The slow group tries properties with all examples, the quick one with some of them."""
    chosen = config.option.markexpr
    quick.full = "slow" in chosen and "not slow" not in chosen
    settings.register_profile(
        "here",
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        max_examples=quick.examples(100),
        derandomize=bool(os.environ.get("CI")),
    )
    settings.load_profile("here")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Properties belong to both groups."""
    for item in items if quick.full else ():
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("slow")


def pytest_runtest_setup() -> None:
    """Many tests ask for `gc.collect`: what has been imported so far it need not look at again."""
    global _modules
    if len(sys.modules) > _modules + 20:
        _modules = len(sys.modules)
        gc.collect()
        gc.freeze()


SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of vectors and recordings beside the checkout; skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the folder ../shared with vectors and recordings is not there")
    return SHARED


@pytest.fixture
def recording() -> Iterator[Recording]:
    """Providers that keep what they get, shut down at the end."""
    made = Recording()
    yield made
    made.tracer_provider.shutdown()
    made.meter_provider.shutdown()
