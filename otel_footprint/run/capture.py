"""Keeps what is recorded in memory, for a test that looks at it afterwards."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..config.content import CONTENT_VARIABLE, STANDARD_VARIABLE
from ..telemetry.standby import STANDBY, TAPS, private_provider
from . import implicit, state


class Captured:
    """The spans that ended since it began."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spans: list[Any] = []

    def __len__(self) -> int:
        return len(self._spans)

    def take(self, span: Any) -> None:
        """Takes in an ended span."""
        with self._lock:
            self._spans.append(span)

    def otlp(self) -> bytes:
        """All of them as one line of OTLP/JSON: what a trail file would hold."""
        from ..telemetry.otlpjson import dump, spans_json

        with self._lock:
            spans = list(self._spans)
        return dump(spans_json(spans))


@contextmanager
def capture() -> Iterator[Captured]:
    """Captures all that is recorded in this process meanwhile, whatever provider is in use.

    Where the application has set no provider, a private one is recorded to. Footprints that
    declare no content mode record texts, unless the environment declares one. Turns that no
    `turn` opened end at both edges, so that nothing inside refers to what was before. Raises
    MissingExtraError without the SDK.
    """
    provider = private_provider()
    implicit.close_all()
    captured = Captured()
    before = STANDBY.provider, state.UNDECLARED.mode
    TAPS.append(captured.take)
    STANDBY.provider = provider
    if not any(os.environ.get(name) for name in (CONTENT_VARIABLE, STANDARD_VARIABLE)):
        state.UNDECLARED.mode = "full"
    try:
        yield captured
    finally:
        implicit.close_all()
        STANDBY.provider, state.UNDECLARED.mode = before
        TAPS.remove(captured.take)
        provider.shutdown()
