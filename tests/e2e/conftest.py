"""The real backends, on loopback. Tests skip where they are not built, unless they must be."""

from __future__ import annotations

import os

import pytest

from deploy.local import Ports, Programs, Stack

REQUIRED = os.environ.get("FOOTPRINT_E2E") == "required"


def pytest_collection_modifyitems(items):
    for item in items:
        if "/e2e/" in str(item.path).replace(os.sep, "/"):
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(scope="session")
def programs() -> Programs:
    """The built backends; skips, or with FOOTPRINT_E2E=required fails, where they are not."""
    found = Programs()
    missing = found.missing()
    if missing:
        said = (
            f"not built (.ci/backends builds them; FOOTPRINT_BACKENDS names the folder): {missing}"
        )
        pytest.fail(said) if REQUIRED else pytest.skip(said)
    return found


@pytest.fixture(scope="session")
def backends(programs, tmp_path_factory) -> Stack:
    """One whole stack for all tests that change nothing in it."""
    folder = tmp_path_factory.mktemp("stack")
    with Stack(
        folder, Ports.free(), programs, interval="1s", env={"COLLECTOR_LOG_LEVEL": "warn"}
    ) as made:
        yield made
