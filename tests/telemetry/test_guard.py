"""The guard: swallows our failures, says so once, without content."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

from otel_footprint.telemetry import guard as module
from otel_footprint.telemetry.guard import failed, guard, set_raising, take_failures


@pytest.fixture(autouse=True)
def swallowing():
    set_raising(False)


def test_a_failure_is_swallowed_counted_and_logged_once_without_its_text(caplog):
    for _ in range(3):
        with guard("here"):
            raise ValueError("content of a person")
    with guard("there"):
        raise ValueError("content of a person")
    with guard("here"):
        raise KeyError("content of a person")
    assert take_failures() == 5
    assert take_failures() == 0
    assert len(caplog.records) == 3
    assert {r.name for r in caplog.records} == {"otel_footprint"}
    assert "content" not in caplog.text
    assert "here: ValueError" in caplog.text
    assert "there: ValueError" in caplog.text
    assert not any(r.exc_info for r in caplog.records)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_is_no_exception_passes(kind):
    with pytest.raises(kind), guard("here"):
        raise kind
    assert take_failures() == 0


def test_cancellation_passes():
    import asyncio

    with pytest.raises(asyncio.CancelledError), guard("here"):
        raise asyncio.CancelledError


def test_raising():
    assert set_raising(True) is False
    with pytest.raises(ZeroDivisionError), guard("here"):
        _ = 1 / 0
    assert take_failures() == 0


def test_no_failure_no_effect_and_guards_nest():
    with guard("outer"):
        with guard("inner"):
            raise ValueError
        reached = True
    assert reached
    assert guard("outer") is guard("outer")
    assert take_failures() == 1


def test_a_log_handler_that_fails_is_not_our_agent_s_problem():
    class Broken(logging.Handler):
        def emit(self, record):
            raise RuntimeError

    handler = Broken()
    module.logger.addHandler(handler)
    try:
        failed("broken handler", ValueError)
    finally:
        module.logger.removeHandler(handler)
    assert take_failures() == 1


def test_memory_is_bounded(monkeypatch, caplog):
    monkeypatch.setattr(module, "MAX_LOGGED", 3)
    for i in range(10):
        failed(f"place {i}", ValueError)
    assert len(caplog.records) == 3
    assert module._state.failures.maxlen == module.MAX_COUNTED


@pytest.mark.parametrize(("value", "raises"), [("1", True), ("true", True), ("0", False)])
def test_the_variable_is_read_at_import(value, raises):
    code = "from otel_footprint.telemetry.guard import is_raising; print(is_raising())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**__import__("os").environ, "OTEL_FOOTPRINT_RAISE": value},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == str(raises)
