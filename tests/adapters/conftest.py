"""A recording Footprint for each test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import otel_footprint as footprint
from tests.sdk import Recording


class Recorded:
    """A Footprint with providers of its own, and what it recorded."""

    def __init__(self, **options: Any) -> None:
        self.recording = Recording()
        options = {"content": "full", **options}
        self.footprint = footprint.Footprint("agent", **options, **self.recording.providers)

    @property
    def calls(self) -> list[Any]:
        return self.recording.named("chat")

    def text(self) -> str:
        """Everything that was exported, as one text."""
        return "\n".join(span.to_json() for span in self.recording.spans)


@pytest.fixture
def recorded() -> Iterator[Recorded]:
    made = Recorded()
    yield made
    made.recording.tracer_provider.shutdown()
    made.recording.meter_provider.shutdown()
