"""Why an answer says what it says: from the answer back to the pieces that carry it."""

from __future__ import annotations

from .absent import absent
from .findings import why

__all__ = ["absent", "why"]
