"""Bucket boundaries of our histograms; the SDK's own say nothing about ratios or tokens."""

from __future__ import annotations

from typing import Final

from . import names

BOUNDARIES: Final[dict[str, tuple[float, ...]]] = {
    names.METRIC_UTILIZATION: (
        0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0, 1.1, 1.5,
    ),
    names.METRIC_TOKENS: tuple(float(256 << n) for n in range(14)),
    names.METRIC_SLOT_UTILIZATION: (
        0.1, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0,
    ),
    names.METRIC_ACTIONS_USED: tuple(float(1 << n) for n in range(8)),
    names.METRIC_ACTIONS_ALLOWED: tuple(float(1 << n) for n in range(8)),
    names.METRIC_CALLS_LEFT: (0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 20.0, 30.0, 50.0, 100.0, 200.0),
    names.METRIC_OVERHEAD: (
        0.00005, 0.0001, 0.0002, 0.0003, 0.0005, 0.00075, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05,
        0.1, 0.5, 1.0,
    ),
}  # fmt: skip
"""By metric; 256 to 2,097,152 tokens, 1 to 128 actions, 50 microseconds to 1 second."""
