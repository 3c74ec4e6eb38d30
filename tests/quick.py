"""What of a large group the quick tests run: every so many-th; the slow group runs all of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

QUICK = 5
"""The quick group tries one example of a property in so many, and at least so many."""
full = False
"""Set by `conftest.py` where the slow group runs, before a test is imported."""


def examples(number: int) -> int:
    """`max_examples` of a property that `number` examples are worth."""
    return number if full else max(QUICK, number // QUICK)


def sampled(values: Sequence[Any], every: int) -> list[Any]:
    """Parameters of which all but every so many-th are slow."""
    return [
        value if number % every == 0 else pytest.param(value, marks=pytest.mark.slow)
        for number, value in enumerate(values)
    ]
