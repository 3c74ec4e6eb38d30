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


def found(*services: str) -> Programs:
    """The built backends; skips, or with FOOTPRINT_E2E=required fails, where they are not."""
    programs = Programs()
    missing = programs.missing(services)
    if missing:
        said = f"not built: {', '.join(missing)} (.ci/backends builds; FOOTPRINT_BACKENDS names)"
        pytest.fail(said) if REQUIRED else pytest.skip(said)
    return programs


@pytest.fixture(scope="session")
def programs() -> Programs:
    """The collector and Jaeger."""
    return found("collector", "jaeger")


@pytest.fixture(scope="session")
def backends(programs, tmp_path_factory) -> Stack:
    """A collector and Jaeger behind it, for all tests that change nothing in it."""
    folder = tmp_path_factory.mktemp("backends")
    env = {"COLLECTOR_LOG_LEVEL": "warn"}
    services = ("jaeger", "collector")
    with Stack(folder, Ports.free(), programs, env=env, services=services) as made:
        yield made


@pytest.fixture(scope="session")
def whole(tmp_path_factory) -> Stack:
    """The whole stack: with Prometheus, Alertmanager, and a webhook that keeps what it gets."""
    programs = found("collector", "jaeger", "prometheus", "alertmanager")
    folder = tmp_path_factory.mktemp("whole")
    env = {"COLLECTOR_LOG_LEVEL": "warn"}
    with Stack(folder, Ports.free(), programs, env=env, interval="1s") as made:
        yield made
