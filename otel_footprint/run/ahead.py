"""Work that is better done while the model thinks: one short-lived thread, a bounded queue.

What is left undone here is done where it is needed, so nothing depends on it. Between two pieces
of work other threads get their turn.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

from ..telemetry.guard import guard

WAITING: Final = 64
"""Jobs that wait; older ones are dropped."""

Job = Callable[[], Iterable[object]]
"""A job in small pieces: each step of what it gives is one."""


class Ahead:
    """A queue of jobs and the thread that does them."""

    def __init__(self) -> None:
        self._jobs: deque[Job] = deque(maxlen=WAITING)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def put(self, job: Job) -> None:
        """Takes a job; never waits."""
        self._jobs.append(job)
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                return
            thread = threading.Thread(target=self._work, name="otel-footprint-ahead", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # the interpreter is shutting down
                return
            self._thread = thread

    def wait(self, seconds: float) -> bool:
        """Waits until all is done; for tests."""
        thread = self._thread
        if thread is not None:
            thread.join(seconds)
        return not self._jobs and (thread is None or not thread.is_alive())

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._jobs:
                    self._thread = None
                    return
                job = self._jobs.popleft()
            with guard("ahead"):
                for _ in job():
                    time.sleep(0)


AHEAD: Final = Ahead()
"""The queue of the process."""
