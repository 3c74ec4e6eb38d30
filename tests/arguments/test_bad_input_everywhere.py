"""The issue's list of bad input, on every client and on streams."""

from __future__ import annotations

from typing import Any

import pytest

from . import bad_input
from .everywhere import WAYS, Way


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
@pytest.mark.parametrize("what", bad_input.EVERYTHING, ids=lambda what: what.__name__)
def test_bad_input(way: Way, what: Any) -> None:
    if what is bad_input.not_a_number and way.name == "anthropic":
        pytest.skip("the SDK's transport writes no such JSON")
    what(way)
