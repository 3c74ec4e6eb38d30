"""What every refusal of a declaration has to say."""

from __future__ import annotations

import math
from typing import Any

import pytest

from otel_footprint.errors import DeclarationError

COUNTS = [-1, True, False, 1.5, 1.0, "10", b"1", [], {}, object(), math.nan, -(2**70)]


def named(value: Any) -> str:
    """A test's id: the same in every process, also for objects whose repr holds an address."""
    shown = repr(value)[:30]
    return type(value).__name__ if " at 0x" in shown else shown


def refused(field: str, value: Any, run: Any) -> None:
    """Refused by name, with the value, and with what is allowed."""
    with pytest.raises(DeclarationError) as raised:
        run()
    error = raised.value
    assert isinstance(error, ValueError)
    assert error.field == field
    assert error.value is value or error.value == value
    assert error.allowed
    assert field in str(error)
    assert error.allowed in str(error)
    assert len(str(error)) < 400
