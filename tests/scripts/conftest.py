"""Work is counted, since timings say nothing where other work runs beside."""

from __future__ import annotations

import pytest

from otel_footprint.scripts.blocks import Blocks
from otel_footprint.scripts.boundary import read


@pytest.fixture
def looked_at(monkeypatch):
    """A function that says how many lines are looked at one by one to read a text."""
    count = 0
    original = Blocks.line

    def counted(self):
        nonlocal count
        count += 1
        return original(self)

    monkeypatch.setattr(Blocks, "line", counted)

    def lines(text):
        nonlocal count
        count = 0
        read(text)
        return count

    return lines
