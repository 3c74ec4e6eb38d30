"""What `configure` answers: flush and shutdown of all that it started."""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Callable
from typing import Any, Final

from .delivery import Door
from .guard import guard

logger: Final = logging.getLogger("otel_footprint")


class Handle:
    """What `configure` made."""

    def __init__(self) -> None:
        self.tracer_provider: Any = None
        """The provider in use; None when the SDK is disabled or the provider is not an SDK one."""
        self.meter_provider: Any = None
        """Ours; None when the application has its own, or metrics are off."""
        self.logger_provider: Any = None
        """Ours; None when the application has its own, or logs are off."""
        self.owned = False
        """Whether the tracer provider is ours."""
        self._started: list[Any] = []
        self._doors: list[Door] = []

    def started(self, *parts: Any) -> None:
        """Takes charge of providers or processors that have `force_flush` and `shutdown`."""
        self._started += parts

    def opened(self, door: Door) -> None:
        """Takes charge of a processor's door."""
        self._doors.append(door)

    def flush(self, timeout: float = 30.0) -> bool:
        """Exports all that waits; False when it took longer than `timeout` seconds or failed."""
        return _within(timeout, [part.force_flush for part in self._started])

    def shutdown(self, timeout: float = 30.0) -> bool:
        """Exports all that waits and stops what `configure` started; later calls do nothing.

        False when it took longer than `timeout` seconds or failed.
        """
        stopped, self._started = self._started, []
        # A shutdown alone waits less. Metrics are collected once: the second time they would have
        # no exemplars any more, and whoever scrapes them from a collector sees the last time only.
        flushes = [part.force_flush for part in stopped if not isinstance(part, Leaving)]
        done = _within(timeout, [*flushes, *(part.shutdown for part in stopped)])
        for door in self._doors:
            door.close()
        self._doors = []
        return done


class Leaving:
    """A meter provider that holds up the end of the process for some seconds at most."""

    def __init__(self, provider: Any, seconds: float) -> None:
        self._provider = provider
        self._seconds = seconds
        atexit.register(self._leave)

    def force_flush(self) -> bool:
        """Exports what waits."""
        return bool(self._provider.force_flush())

    def shutdown(self) -> None:
        """Exports what waits and stops."""
        atexit.unregister(self._leave)
        self._provider.shutdown()

    def _leave(self) -> None:
        with guard("metrics.exit"):
            self._provider.shutdown(timeout_millis=self._seconds * 1000)


def _within(timeout: float, work: list[Callable[[], Any]]) -> bool:
    """Runs all, in a thread that may be left behind; False when that took too long or failed."""
    failed: list[str] = []

    def run() -> None:
        for step in work:
            try:
                if step() is False:
                    failed.append("false")
            except Exception as error:
                failed.append(type(error).__name__)

    thread = threading.Thread(target=run, name="otel-footprint-flush", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # the interpreter is shutting down: here, then
        run()
    else:
        thread.join(timeout)
    if failed:
        logger.warning("Not everything could be exported: %s", ", ".join(failed))
    return not thread.is_alive() and not failed
