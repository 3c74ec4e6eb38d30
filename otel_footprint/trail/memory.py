"""Reading makes hundreds of thousands of objects that all stay: looking for garbage among them
again and again is a quarter of the work."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_RARELY: Final = 200_000
"""Objects made between two looks for garbage."""


@contextmanager
def few_collections() -> Iterator[None]:
    """Collects garbage rarely while a trail is read; afterwards as before."""
    before = gc.get_threshold()
    if before[0]:
        gc.set_threshold(max(_RARELY, before[0]), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
