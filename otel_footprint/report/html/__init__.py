"""The report: a trail as one HTML file that needs nothing else."""

from __future__ import annotations

from .page import write

__all__ = ["write"]
